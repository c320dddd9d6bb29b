#include "compiler/expression_forms.hpp"

#include <algorithm>
#include <utility>

namespace heddle::compiler {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;

bool same(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.type == b.type && a.unary == b.unary && a.binary == b.binary &&
         a.fetch == b.fetch && a.id == b.id && a.thread == b.thread && a.value == b.value &&
         std::ranges::equal(a.operands, b.operands,
                            [](const Expression& p, const Expression& q) { return same(p, q); });
}

bool same(const Statement& a, const Statement& b) {
  const auto all = [](const auto& x, const auto& y) {
    return std::ranges::equal(x, y, [](const auto& p, const auto& q) { return same(p, q); });
  };
  return a.kind == b.kind && a.fence == b.fence && a.compound == b.compound && a.id == b.id &&
         all(a.expressions, b.expressions) && all(a.body, b.body) && all(a.otherwise, b.otherwise);
}

bool is_literal(const Expression& expression, std::int64_t value) {
  return expression.kind == ExpressionKind::literal && expression.value == value;
}

BinaryOperator mirrored(BinaryOperator relation) {
  switch (relation) {
    case BinaryOperator::less: return BinaryOperator::greater;
    case BinaryOperator::less_equal: return BinaryOperator::greater_equal;
    case BinaryOperator::greater: return BinaryOperator::less;
    case BinaryOperator::greater_equal: return BinaryOperator::less_equal;
    default: return relation;
  }
}

BinaryOperator negated(BinaryOperator relation) {
  switch (relation) {
    case BinaryOperator::equal: return BinaryOperator::not_equal;
    case BinaryOperator::not_equal: return BinaryOperator::equal;
    case BinaryOperator::less: return BinaryOperator::greater_equal;
    case BinaryOperator::less_equal: return BinaryOperator::greater;
    case BinaryOperator::greater: return BinaryOperator::less_equal;
    case BinaryOperator::greater_equal: return BinaryOperator::less;
    default: return relation;
  }
}

bool holds(BinaryOperator relation, std::int64_t subject, std::int64_t bound) {
  switch (relation) {
    case BinaryOperator::equal: return subject == bound;
    case BinaryOperator::not_equal: return subject != bound;
    case BinaryOperator::less: return subject < bound;
    case BinaryOperator::less_equal: return subject <= bound;
    case BinaryOperator::greater: return subject > bound;
    default: return subject >= bound;
  }
}

std::optional<Compared> comparison_in(const Expression& condition) {
  const auto operates = [](const Expression& side) {
    return side.kind == ExpressionKind::load || side.kind == ExpressionKind::cas ||
           side.kind == ExpressionKind::exchange || side.kind == ExpressionKind::fetch;
  };
  if (condition.kind == ExpressionKind::unary && condition.unary == lang::UnaryOperator::logical_not) {
    auto result = comparison_in(condition.operands[0]);
    if (result) result->relation = negated(result->relation);
    return result;
  }
  if (operates(condition) || condition.kind == ExpressionKind::local) return Compared{.subject = &condition};
  if (condition.kind != ExpressionKind::binary || condition.binary < BinaryOperator::equal)
    return std::nullopt;
  const Expression* left = condition.operands.data();
  const Expression* right = left + 1;
  BinaryOperator relation = condition.binary;
  const bool subject_is_right =
      operates(*right) || (left->kind == ExpressionKind::literal && !operates(*left));
  if (subject_is_right) {
    std::swap(left, right);
    relation = mirrored(relation);
  }
  return Compared{.subject = left, .relation = relation, .bound = right};
}

bool returns(std::span<const Statement> statements) {
  return std::ranges::any_of(statements, [](const Statement& statement) {
    return statement.kind == lang::StatementKind::return_ || returns(statement.body) ||
           returns(statement.otherwise);
  });
}

}  // namespace heddle::compiler
