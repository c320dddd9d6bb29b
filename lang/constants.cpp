// Compile-time arithmetic, with the rules of the run time: it wraps, and shift amounts are taken modulo 64.
#include "lang/resolution.hpp"

namespace heddle::lang {
namespace {

std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::optional<std::int64_t> divide(Resolution& resolution, const Expression& expression, std::int64_t left,
                                   std::int64_t right) {
  if (right == 0) {
    resolution.error(expression.operands[1].range, "division by zero in a constant");
    return {};
  }
  const bool quotient = expression.binary == BinaryOperator::divide;
  // The one quotient that overflows wraps.
  if (right == -1) return quotient ? wrap(0 - static_cast<std::uint64_t>(left)) : 0;
  return quotient ? left / right : left % right;
}

std::optional<std::int64_t> fold_binary(Resolution& resolution, const Expression& expression) {
  const auto left = fold_constant(resolution, expression.operands[0]);
  const auto right = fold_constant(resolution, expression.operands[1]);
  if (!left || !right) return {};
  const auto a = static_cast<std::uint64_t>(*left);
  const auto b = static_cast<std::uint64_t>(*right);
  switch (expression.binary) {
    case BinaryOperator::add: return wrap(a + b);
    case BinaryOperator::subtract: return wrap(a - b);
    case BinaryOperator::multiply: return wrap(a * b);
    case BinaryOperator::divide:
    case BinaryOperator::remainder: return divide(resolution, expression, *left, *right);
    case BinaryOperator::shift_left: return wrap(a << (b % 64));
    case BinaryOperator::shift_right: return *left >> (b % 64);
    case BinaryOperator::bit_and: return *left & *right;
    case BinaryOperator::bit_or: return *left | *right;
    case BinaryOperator::bit_xor: return *left ^ *right;
    case BinaryOperator::equal: return *left == *right;
    case BinaryOperator::not_equal: return *left != *right;
    case BinaryOperator::less: return *left < *right;
    case BinaryOperator::less_equal: return *left <= *right;
    case BinaryOperator::greater: return *left > *right;
    case BinaryOperator::greater_equal: return *left >= *right;
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> fold_constant(Resolution& resolution, const Expression& expression) {
  const auto operand = [&](std::size_t i) { return fold_constant(resolution, expression.operands[i]); };
  switch (expression.kind) {
    case ExpressionKind::literal: return expression.value;
    case ExpressionKind::unary: {
      const auto value = operand(0);
      if (!value) return {};
      switch (expression.unary) {
        case UnaryOperator::negate: return wrap(0 - static_cast<std::uint64_t>(*value));
        case UnaryOperator::complement: return ~*value;
        case UnaryOperator::logical_not: return *value == 0;
      }
      return {};
    }
    case ExpressionKind::binary: return fold_binary(resolution, expression);
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or: {
      const auto left = operand(0);
      if (!left) return {};
      const bool decided = expression.kind == ExpressionKind::logical_and ? *left == 0 : *left != 0;
      return decided ? left : operand(1);
    }
    case ExpressionKind::conditional: {
      const auto condition = operand(0);
      if (!condition) return {};
      return *condition != 0 ? operand(1) : operand(2);
    }
    default: return {};
  }
}

}  // namespace heddle::lang
