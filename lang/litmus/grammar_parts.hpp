// The building blocks of the grammars of .litmus files: Spirit X3 parsers over tokens as in
// lang/grammar_parts.hpp, but matching by spelling, since keywords depend on the context.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/spirit/home/x3.hpp>
#include <cctype>
#include <string>
#include <string_view>

#include "lang/diagnostics.hpp"
#include "lang/litmus/syntax.hpp"
#include "lang/litmus/token.hpp"
#include "lang/nesting.hpp"

namespace heddle::lang::litmus {

// Thrown after an error (already reported) that makes parsing this piece of text pointless.
struct GiveUp {};

// The state shared by all rules of the grammars.
struct ParserState {
  Diagnostics& diagnostics;
  std::uint32_t file = 0;
  unsigned depth = 0;  // of nested constructs, see limits::nesting

  [[nodiscard]] SourceRange range(const Token& token) const { return {file, token.begin, token.end()}; }
  [[noreturn]] void give_up(const SourceRange& where, std::string message, std::string hint = {}) {
    diagnostics.error(where, std::move(message), std::move(hint));
    throw GiveUp{};
  }
};

namespace grammar {

namespace x3 = boost::spirit::x3;

struct StateTag;
using Position = const Token*;

template <typename Context>
ParserState& state_of(const Context& context) {
  return x3::get<StateTag>(context);
}

// The matched token as a word of the tree.
template <typename Context>
Word matched(const Context& context) {
  const Token& token = x3::_attr(context);
  return {token.text, state_of(context).range(token)};
}

enum class Case : std::uint8_t { exact, folded };

// Matches one token with the given spelling. Has no attribute.
struct SpellingParser : x3::parser<SpellingParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  constexpr SpellingParser(std::string_view wanted, Case fold) : text(wanted), letters(fold) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    if (first == last || !matches(first->text)) return false;
    ++first;
    return true;
  }

  [[nodiscard]] bool matches(std::string_view other) const {
    if (letters == Case::exact) return other == text;
    if (other.size() != text.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (std::tolower(static_cast<unsigned char>(other[i])) != text[i]) return false;
    }
    return true;
  }

  std::string_view text;
  Case letters;
};

// Matches one token of a given kind. Its attribute is the token.
struct KindParser : x3::parser<KindParser> {
  using attribute_type = Token;
  static constexpr bool has_attribute = true;

  constexpr KindParser(TokenKind wanted, const char* name) : kind(wanted), description(name) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&,
             Attribute& attribute) const {
    if (first == last || first->kind != kind) return false;
    x3::traits::move_to(Token(*first), attribute);
    ++first;
    return true;
  }

  TokenKind kind;
  const char* description;
};

inline constexpr lang::grammar::NestedGenerator<StateTag> nested{};
constexpr SpellingParser word(std::string_view text) { return {text, Case::exact}; }
constexpr SpellingParser any_case(std::string_view lower) { return {lower, Case::folded}; }
inline constexpr KindParser name{TokenKind::name, "a name"};
inline constexpr KindParser integer{TokenKind::integer, "a number"};

// The value of a number, negated if a minus sign was read before it. Throws GiveUp if it does not fit.
inline std::int64_t checked_integer(ParserState& state, const Token& token, bool negative) {
  std::int64_t value = 0;
  if (!integer_value(token.text, negative, value)) {
    state.give_up(state.range(token),
                  fmt::format("'{}{}' is not a number of at most 64 bits", negative ? "-" : "", token.text));
  }
  return value;
}

// Types do not matter here, as long as their values fit into 64 bits and nothing is truncated.
inline constexpr auto check_type = [](auto& context) {
  constexpr auto types = std::to_array<std::string_view>(
      {"int", "long", "signed", "unsigned", "int32_t", "uint32_t", "int64_t", "uint64_t", "intptr_t",
       "uintptr_t", "size_t", "atomic_int", "atomic_uint", "atomic_long", "atomic_ulong", "_Atomic",
       "volatile", "const"});
  const Token& token = x3::_attr(context);
  if (std::find(types.begin(), types.end(), token.text) != types.end()) return;
  state_of(context).give_up(state_of(context).range(token),
                            fmt::format("the type '{}' is not supported", token.text),
                            "values have 32 or 64 bits: int, long, int32_t, uint64_t, atomic_int ...");
};

inline constexpr auto replace = [](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); };

// Runs `rule` over the tokens from `first` up to `last`; `*last` must be readable, since errors at the end
// are reported there. Returns false after an error, which has been reported.
template <typename Rule, typename Result>
bool parse_all(const Rule& rule, Position first, Position last, ParserState& state, Result& result) {
  const auto report = [&](Position where, const std::string& expected) {
    const std::string found =
        where->kind == TokenKind::end ? "at the end of the file" : fmt::format("before '{}'", where->text);
    state.diagnostics.error(state.range(*where), fmt::format("expected {} {}", expected, found));
  };
  try {
    if (!x3::parse(first, last, x3::with<StateTag>(state)[rule], result)) {
      report(first, rule.name);
      return false;
    }
    if (first == last) return true;
    const std::string found(first->text);
    state.diagnostics.error(state.range(*first), fmt::format("unexpected '{}'", found));
  } catch (const x3::expectation_failure<Position>& failure) {
    report(failure.where(), failure.which());
  } catch (const GiveUp&) {
  }
  return false;
}

}  // namespace grammar
}  // namespace heddle::lang::litmus

namespace boost::spirit::x3 {

template <>
struct get_info<heddle::lang::litmus::grammar::SpellingParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::litmus::grammar::SpellingParser& parser) const {
    return fmt::format("'{}'", parser.text);
  }
};

template <>
struct get_info<heddle::lang::litmus::grammar::KindParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::litmus::grammar::KindParser& parser) const {
    return parser.description;
  }
};

}  // namespace boost::spirit::x3
