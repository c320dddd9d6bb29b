// Builds expression trees: the parts that do not depend on Spirit's contexts.
#include "lang/grammar_actions.hpp"

namespace heddle::lang::grammar {
namespace {

// C's precedence levels; higher binds tighter.
int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::or_or: return 1;
    case TokenKind::and_and: return 2;
    case TokenKind::bit_or: return 3;
    case TokenKind::bit_xor: return 4;
    case TokenKind::bit_and: return 5;
    case TokenKind::equal:
    case TokenKind::not_equal: return 6;
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal: return 7;
    case TokenKind::shift_left:
    case TokenKind::shift_right: return 8;
    case TokenKind::plus:
    case TokenKind::minus: return 9;
    default: return 10;
  }
}

void check_depth(ParserState& state, const syntax::Expression& expression) {
  if (expression.depth <= limits::expression_depth) return;
  state.give_up(expression.range,
                fmt::format("this expression is nested too deeply: at most {} levels of operators",
                            limits::expression_depth),
                "compute part of it in a 'let' first");
}

}  // namespace

void add_operand(ParserState& state, syntax::Expression& parent, syntax::Expression operand) {
  parent.depth = std::max(parent.depth, operand.depth + 1);
  parent.range.end = std::max(parent.range.end, operand.range.end);
  parent.operands.push_back(std::move(operand));
  check_depth(state, parent);
}

void wrap(ParserState& state, syntax::Expression& expression, syntax::ExpressionKind kind) {
  syntax::Expression outer;
  outer.kind = kind;
  outer.range = expression.range;
  add_operand(state, outer, std::move(expression));
  expression = std::move(outer);
}

syntax::Expression fold(ParserState& state, Chain chain) {
  if (chain.operators.empty()) return std::move(chain.operands.front());
  std::vector<syntax::Expression> operands;
  std::vector<syntax::Word> operators;
  const auto reduce = [&] {
    syntax::Expression node;
    node.kind = syntax::ExpressionKind::binary;
    node.word = operators.back();
    operators.pop_back();
    syntax::Expression right = std::move(operands.back());
    operands.pop_back();
    node.range = operands.back().range;
    add_operand(state, node, std::move(operands.back()));
    add_operand(state, node, std::move(right));
    operands.back() = std::move(node);
  };
  operands.push_back(std::move(chain.operands.front()));
  for (std::size_t i = 0; i < chain.operators.size(); ++i) {
    while (!operators.empty() && precedence(operators.back().kind) >= precedence(chain.operators[i].kind))
      reduce();
    operators.push_back(chain.operators[i]);
    operands.push_back(std::move(chain.operands[i + 1]));
  }
  while (!operators.empty()) reduce();
  return std::move(operands.front());
}

}  // namespace heddle::lang::grammar
