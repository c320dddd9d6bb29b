// The building blocks of the grammar: Spirit X3 parsers over tokens instead of characters, so that keywords,
// white space, comments and positions are dealt with before parsing.
#pragma once

#include <fmt/format.h>
#include <boost/spirit/home/x3.hpp>

#include <string>

#include "lang/nesting.hpp"
#include "lang/recovery.hpp"
#include "lang/token.hpp"

namespace heddle::lang::grammar {

namespace x3 = boost::spirit::x3;

struct StateTag;

// Matches one token of a given kind. Has no attribute.
struct TokenParser : x3::parser<TokenParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  explicit constexpr TokenParser(TokenKind wanted) : kind(wanted) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    if (first == last || first->kind != kind) return false;
    ++first;
    return true;
  }

  TokenKind kind;
};

// Matches one token of the kinds `first_kind .. last_kind`. Its attribute is the token.
struct WordParser : x3::parser<WordParser> {
  using attribute_type = Token;
  static constexpr bool has_attribute = true;

  constexpr WordParser(TokenKind from, TokenKind to, const char* name)
      : first_kind(from), last_kind(to), description(name) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&,
             Attribute& attribute) const {
    if (first == last || !is_between(first->kind, first_kind, last_kind)) return false;
    x3::traits::move_to(Token(*first), attribute);
    ++first;
    return true;
  }

  TokenKind first_kind;
  TokenKind last_kind;
  const char* description;  // null: the spelling of first_kind
};

// Matches a name that is a keyword in this context only: `by` in an expect line.
struct ContextWordParser : x3::parser<ContextWordParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  explicit constexpr ContextWordParser(std::string_view wanted) : text(wanted) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    if (first == last || first->kind != TokenKind::identifier || first->text != text) return false;
    ++first;
    return true;
  }

  std::string_view text;
};

// Matches a name with this text that a `{` follows, or a name and `in`: no other statement begins like that.
struct BlockWordParser : x3::parser<BlockWordParser> {
  using attribute_type = Token;
  static constexpr bool has_attribute = true;

  constexpr BlockWordParser(std::string_view wanted, bool named) : text(wanted), ranges(named) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&,
             Attribute& attribute) const {
    if (last - first < 3 || first->kind != TokenKind::identifier || first->text != text) return false;
    const bool range = (first + 1)->kind == TokenKind::identifier && (first + 2)->kind == TokenKind::in;
    if (ranges ? !range : (first + 1)->kind != TokenKind::left_brace) return false;
    x3::traits::move_to(Token(*first), attribute);
    ++first;
    return true;
  }

  std::string_view text;
  bool ranges;  // a name and `in` follow
};

// Matches a name with this text before a token that `follows` accepts; elsewhere it is an ordinary name.
struct QualifierParser : x3::parser<QualifierParser> {
  using attribute_type = Token;
  static constexpr bool has_attribute = true;

  constexpr QualifierParser(std::string_view wanted, bool (*next)(TokenKind)) : text(wanted), follows(next) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&,
             Attribute& attribute) const {
    if (first == last || first->kind != TokenKind::identifier || first->text != text) return false;
    const Iterator next = first + 1;
    if (next == last || !follows(next->kind)) return false;
    x3::traits::move_to(Token(*first), attribute);
    first = next;
    return true;
  }

  std::string_view text;
  bool (*follows)(TokenKind);
};

inline bool begins_type(TokenKind kind) {
  return kind == TokenKind::identifier || is_between(kind, TokenKind::int_, TokenKind::bool_) ||
         is_between(kind, TokenKind::mutex, TokenKind::cond);
}
inline bool begins_thread(TokenKind kind) { return kind == TokenKind::thread || kind == TokenKind::proc; }
inline bool is_any(TokenKind /*kind*/) { return true; }
inline bool is_semicolon(TokenKind kind) { return kind == TokenKind::semicolon; }
inline bool is_if(TokenKind kind) { return kind == TokenKind::if_; }

// Matches nothing, before the words `leads to` in the same declaration.
struct LeadsToAheadParser : x3::parser<LeadsToAheadParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    return is_leads_to(first, last);
  }
};

// Matches the `{` of a struct literal, which a field and a `:` follow. No block begins like that.
struct LiteralBraceParser : x3::parser<LiteralBraceParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    if (first == last || !begins_literal(first, last)) return false;
    ++first;
    return true;
  }
};

// Fails with an expectation of `description` unless the next token can follow a complete list of statements
// or items.
struct StrayParser : x3::parser<StrayParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  constexpr StrayParser(Recovery recovery, const char* name) : kind(recovery), description(name) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    if (first == last) return false;
    if (kind == Recovery::statement && (first->kind == TokenKind::right_brace || begins_item(first->kind))) {
      return false;
    }
    boost::throw_exception(x3::expectation_failure<Iterator>(first, description));
  }

  Recovery kind;
  const char* description;
};

// recovering(kind)[p] parses p. If an expectation inside p fails, it reports the error, skips ahead and
// succeeds.
template <typename Subject>
struct RecoverDirective : x3::unary_parser<Subject, RecoverDirective<Subject>> {
  using Base = x3::unary_parser<Subject, RecoverDirective<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;

  constexpr RecoverDirective(const Subject& inner, Recovery recovery) : Base(inner), kind(recovery) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rule_context,
             Attribute& attribute) const {
    const Iterator start = first;
    try {
      return this->subject.parse(first, last, context, rule_context, attribute);
    } catch (const x3::expectation_failure<Iterator>& failure) {
      first = recover(x3::get<StateTag>(context), {kind, start, failure.where(), failure.which()});
      return true;
    }
  }

  Recovery kind;
};

struct RecoverGenerator {
  Recovery kind;
  template <typename Subject>
  constexpr auto operator[](const Subject& subject) const {
    using Parser = typename x3::extension::as_parser<Subject>::value_type;
    return RecoverDirective<Parser>(x3::as_parser(subject), kind);
  }
};

inline constexpr LiteralBraceParser literal_brace{};
inline constexpr LeadsToAheadParser leads_to_ahead{};
inline constexpr NestedGenerator<StateTag> nested{};
constexpr RecoverGenerator recovering(Recovery kind) { return {kind}; }
constexpr TokenParser token(TokenKind kind) { return TokenParser(kind); }
constexpr WordParser word(TokenKind kind) { return {kind, kind, nullptr}; }
constexpr WordParser word(TokenKind from, TokenKind to, const char* name) { return {from, to, name}; }
constexpr ContextWordParser context_word(std::string_view text) { return ContextWordParser(text); }
constexpr BlockWordParser block_word(std::string_view text) { return {text, false}; }
constexpr BlockWordParser range_word(std::string_view text) { return {text, true}; }
constexpr QualifierParser qualifier(std::string_view text, bool (*follows)(TokenKind)) {
  return {text, follows};
}
constexpr StrayParser stray(Recovery kind, const char* name) { return {kind, name}; }

}  // namespace heddle::lang::grammar

namespace boost::spirit::x3 {

template <>
struct get_info<heddle::lang::grammar::TokenParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::grammar::TokenParser& parser) const {
    return fmt::format("'{}'", heddle::lang::spelling(parser.kind));
  }
};

template <>
struct get_info<heddle::lang::grammar::WordParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::grammar::WordParser& parser) const {
    if (parser.description != nullptr) return parser.description;
    const std::string_view text = heddle::lang::spelling(parser.first_kind);
    const bool described = parser.first_kind <= heddle::lang::TokenKind::string;
    return described ? std::string(text) : fmt::format("'{}'", text);
  }
};

template <>
struct get_info<heddle::lang::grammar::ContextWordParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::grammar::ContextWordParser& parser) const {
    return fmt::format("'{}'", parser.text);
  }
};

template <>
struct get_info<heddle::lang::grammar::BlockWordParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::grammar::BlockWordParser& parser) const {
    return fmt::format("'{} {{ ... }}'", parser.text);
  }
};

template <>
struct get_info<heddle::lang::grammar::QualifierParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::grammar::QualifierParser& parser) const {
    return fmt::format("'{}'", parser.text);
  }
};

}  // namespace boost::spirit::x3
