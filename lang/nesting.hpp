// Bounded nesting for grammars over tokens, shared by the grammars of .hed and .litmus files. The parser
// state under the tag `Tag` must have `unsigned depth`, `range(token)` and `give_up(range, text)`.
#pragma once

#include <fmt/format.h>

#include <boost/spirit/home/x3.hpp>
#include <string>

#include "lang/limits.hpp"

namespace heddle::lang::grammar {

namespace x3 = boost::spirit::x3;

// nested[p] parses p one level deeper. Exceeding the limit ends the parse.
template <typename Subject, typename Tag>
struct NestedDirective : x3::unary_parser<Subject, NestedDirective<Subject, Tag>> {
  using Base = x3::unary_parser<Subject, NestedDirective<Subject, Tag>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;

  explicit constexpr NestedDirective(const Subject& inner) : Base(inner) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rule_context,
             Attribute& attribute) const {
    auto& state = x3::get<Tag>(context);
    if (state.depth >= limits::nesting && first != last) {
      state.give_up(state.range(*first),
                    fmt::format("nesting is too deep: at most {} levels", limits::nesting));
    }
    const struct Level {
      explicit Level(unsigned& d) : depth(d) { ++depth; }
      ~Level() { --depth; }
      Level(const Level&) = delete;
      Level& operator=(const Level&) = delete;
      unsigned& depth;
    } level(state.depth);
    return this->subject.parse(first, last, context, rule_context, attribute);
  }
};

template <typename Tag>
struct NestedGenerator {
  template <typename Subject>
  constexpr auto operator[](const Subject& subject) const {
    using Parser = typename x3::extension::as_parser<Subject>::value_type;
    return NestedDirective<Parser, Tag>(x3::as_parser(subject));
  }
};

}  // namespace heddle::lang::grammar

namespace boost::spirit::x3 {

// Names of parsers for "expected ..." messages. Directives and actions take the name of their subject,
// compound parsers that of their first part. Every parser needs a specialisation here: without one, Spirit
// uses the mangled name of its type.
template <typename Subject, typename Tag>
struct get_info<heddle::lang::grammar::NestedDirective<Subject, Tag>> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::grammar::NestedDirective<Subject, Tag>& parser) const {
    return what(parser.subject);
  }
};

template <typename Subject, typename Action>
struct get_info<action<Subject, Action>> {
  using result_type = std::string;
  std::string operator()(const action<Subject, Action>& parser) const { return what(parser.subject); }
};

template <typename Left, typename Right>
struct get_info<alternative<Left, Right>> {
  using result_type = std::string;
  std::string operator()(const alternative<Left, Right>& parser) const {
    return what(parser.left) + " or " + what(parser.right);
  }
};

template <typename Left, typename Right>
struct get_info<sequence<Left, Right>> {
  using result_type = std::string;
  std::string operator()(const sequence<Left, Right>& parser) const {
    return begin(parser.left, parser.right);
  }

 private:
  template <typename First, typename Next>
  static std::string begin(const First& first, const Next&) {
    return what(first);
  }
  template <typename Subject, typename Next>
  static std::string begin(const optional<Subject>& first, const Next& next) {
    return what(first.subject) + " or " + what(next);
  }
  template <typename Subject, typename Next>
  static std::string begin(const kleene<Subject>& first, const Next& next) {
    return what(first.subject) + " or " + what(next);
  }
  template <typename Subject, typename Next>
  static std::string begin(const not_predicate<Subject>&, const Next& next) {
    return what(next);
  }
  template <typename Next>
  static std::string begin(const eps_parser&, const Next& next) {
    return what(next);
  }
  template <typename Action, typename Next>
  static std::string begin(const action<eps_parser, Action>&, const Next& next) {
    return what(next);
  }
};

// A parser that takes the name of the one parser it holds.
template <typename Parser>
struct named_after_subject {
  using result_type = std::string;
  std::string operator()(const Parser& parser) const { return what(parser.subject); }
};
template <typename Subject>
struct get_info<and_predicate<Subject>> : named_after_subject<and_predicate<Subject>> {};
template <typename Subject>
struct get_info<expect_directive<Subject>> : named_after_subject<expect_directive<Subject>> {};
template <typename Subject>
struct get_info<omit_directive<Subject>> : named_after_subject<omit_directive<Subject>> {};
template <typename Subject>
struct get_info<plus<Subject>> : named_after_subject<plus<Subject>> {};
template <typename Subject>
struct get_info<optional<Subject>> : named_after_subject<optional<Subject>> {};
template <typename Subject>
struct get_info<kleene<Subject>> : named_after_subject<kleene<Subject>> {};

}  // namespace boost::spirit::x3
