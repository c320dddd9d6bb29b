// Semantic actions of the grammar: they fill in the tree node of the rule in which they are used.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lang/grammar_parts.hpp"
#include "lang/syntax.hpp"

namespace heddle::lang::grammar {

template <typename Context>
ParserState& state_of(const Context& context) {
  return x3::get<StateTag>(context);
}

// The matched token as a word of the tree.
template <typename Context>
syntax::Word matched(const Context& context) {
  const Token& token = x3::_attr(context);
  return {token.kind, token.text, state_of(context).range(token)};
}

// Operands and operators of an expression without parentheses, in source order.
struct Chain {
  std::vector<syntax::Expression> operands;
  std::vector<syntax::Word> operators;
};

// Appends an operand. Reports and gives up if the tree becomes too high.
void add_operand(ParserState& state, syntax::Expression& parent, syntax::Expression operand);
// Replaces `expression` by a new expression whose first operand it becomes.
void wrap(ParserState& state, syntax::Expression& expression, syntax::ExpressionKind kind);
// Builds the tree by precedence. All binary operators associate to the left. Linear.
[[nodiscard]] syntax::Expression fold(ParserState& state, Chain chain);

// --- Expressions ---

template <syntax::ExpressionKind kind>
struct BeginExpression {
  template <typename Context>
  void operator()(Context& context) const {
    syntax::Expression& expression = x3::_val(context);
    expression.kind = kind;
    expression.word = matched(context);
    expression.range = expression.word.range;
    if constexpr (kind == syntax::ExpressionKind::integer) {
      // The lexer has already reported numbers that are too large.
      if (!integer_value(expression.word.text, expression.value)) expression.value = 0;
    } else if constexpr (kind == syntax::ExpressionKind::boolean) {
      expression.value = expression.word.kind == TokenKind::true_ ? 1 : 0;
    }
  }
};

template <syntax::ExpressionKind kind>
struct Wrap {
  template <typename Context>
  void operator()(Context& context) const {
    wrap(state_of(context), x3::_val(context), kind);
  }
};

inline constexpr auto add = [](auto& context) {
  add_operand(state_of(context), x3::_val(context), std::move(x3::_attr(context)));
};
inline constexpr auto close = [](auto& context) { x3::_val(context).range.end = x3::_attr(context).end(); };
inline constexpr auto set_member = [](auto& context) {
  x3::_val(context).word = matched(context);
  x3::_val(context).range.end = x3::_attr(context).end();
};
inline constexpr auto replace = [](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); };
inline constexpr auto open_parenthesis = [](auto& context) {
  x3::_val(context).range = state_of(context).range(x3::_attr(context));
};
inline constexpr auto inside_parentheses = [](auto& context) {
  const std::uint32_t begin = x3::_val(context).range.begin;
  x3::_val(context) = std::move(x3::_attr(context));
  x3::_val(context).range.begin = begin;
};
inline constexpr auto chain_operand = [](auto& context) {
  x3::_val(context).operands.push_back(std::move(x3::_attr(context)));
};
inline constexpr auto chain_operator = [](auto& context) {
  x3::_val(context).operators.push_back(matched(context));
};
inline constexpr auto fold_chain = [](auto& context) {
  x3::_val(context) = fold(state_of(context), std::move(x3::_attr(context)));
};

// --- Statements and items ---

template <auto kind>
struct Begin {
  template <typename Context>
  void operator()(Context& context) const {
    auto& node = x3::_val(context);
    node.kind = kind;
    node.word = matched(context);
    node.range = node.word.range;
  }
};

template <auto member>
struct SetWord {
  template <typename Context>
  void operator()(Context& context) const {
    auto& node = x3::_val(context);
    node.*member = matched(context);
    node.range.end = x3::_attr(context).end();
  }
};

// Like SetWord, for nodes without a range and for words outside the node's range.
template <auto member>
struct SetPlain {
  template <typename Context>
  void operator()(Context& context) const {
    x3::_val(context).*member = matched(context);
  }
};

template <auto member>
struct Set {
  template <typename Context>
  void operator()(Context& context) const {
    x3::_val(context).*member = std::move(x3::_attr(context));
  }
};

template <auto member>
struct Push {
  template <typename Context>
  void operator()(Context& context) const {
    (x3::_val(context).*member).push_back(std::move(x3::_attr(context)));
  }
};

template <auto member>
struct PushWord {
  template <typename Context>
  void operator()(Context& context) const {
    (x3::_val(context).*member).push_back(matched(context));
  }
};

// Adds an expression to a statement or item and extends the range of a statement's head over it.
inline constexpr auto push_expression = [](auto& context) {
  auto& node = x3::_val(context);
  node.range.end = x3::_attr(context).range.end;
  node.expressions.push_back(std::move(x3::_attr(context)));
};
inline constexpr auto begin_leads_to = [](auto& context) {
  syntax::Item& item = x3::_val(context);
  item.kind = syntax::ItemKind::property;
  item.range = x3::_attr(context).range;
  item.expressions.push_back(std::move(x3::_attr(context)));
};
inline constexpr auto push_length = Push<&syntax::Item::length>{};
inline constexpr auto begin_evaluate = [](auto& context) {
  syntax::Statement& statement = x3::_val(context);
  statement.kind = syntax::StatementKind::evaluate;
  statement.range = x3::_attr(context).range;
  statement.expressions.push_back(std::move(x3::_attr(context)));
};
inline constexpr auto set_assignment = [](auto& context) {
  x3::_val(context).kind = syntax::StatementKind::assign;
  x3::_val(context).word = matched(context);
};
inline constexpr auto set_expect_line = [](auto& context) {
  syntax::Item& item = x3::_val(context);
  item.expect_line = std::move(x3::_attr(context));
  const syntax::ExpectLine& line = item.expect_line;
  item.range.end = (line.argument.kind == TokenKind::end ? line.outcome.back() : line.argument).range.end;
};
inline constexpr auto begin_block = [](auto& context) {
  x3::_val(context).kind = syntax::StatementKind::block;
  x3::_val(context).body = std::move(x3::_attr(context));
};
inline constexpr auto push_alternative = [](auto& context) {
  x3::_val(context).body.push_back(std::move(x3::_attr(context)));
};
inline constexpr auto push_statement = [](auto& context) {
  x3::_val(context).push_back(std::move(x3::_attr(context)));
};
// Sets the type of a node with a range. The range need not cover brackets at the end of the type.
inline constexpr auto set_type = [](auto& context) {
  auto& node = x3::_val(context);
  node.type = std::move(x3::_attr(context));
  node.range.end = node.type.name.range.end;
};
// The word taken for the type's name was the module's.
inline constexpr auto set_qualified_type = [](auto& context) {
  x3::_val(context).module = x3::_val(context).name;
  x3::_val(context).name = matched(context);
};
inline constexpr auto set_qualified_setting = set_qualified_type;
inline constexpr auto set_waits = [](auto& context) { x3::_val(context).waits = true; };
inline constexpr auto set_list = [](auto& context) { x3::_val(context).is_list = true; };
inline constexpr auto set_negative = [](auto& context) { x3::_val(context).negative = true; };

}  // namespace heddle::lang::grammar
