#include "compiler/revertible.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace heddle::compiler {
namespace {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

std::optional<Relation> relation_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::equal: return Relation::equal;
    case BinaryOperator::not_equal: return Relation::not_equal;
    case BinaryOperator::less: return Relation::less;
    case BinaryOperator::less_equal: return Relation::less_equal;
    case BinaryOperator::greater: return Relation::greater;
    case BinaryOperator::greater_equal: return Relation::greater_equal;
    default: return std::nullopt;
  }
}

// `a R b` is `b mirrored(R) a`.
Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::less: return Relation::greater;
    case Relation::less_equal: return Relation::greater_equal;
    case Relation::greater: return Relation::less;
    case Relation::greater_equal: return Relation::less_equal;
    default: return relation;
  }
}

Relation negated(Relation relation) {
  switch (relation) {
    case Relation::less: return Relation::greater_equal;
    case Relation::less_equal: return Relation::greater;
    case Relation::greater: return Relation::less_equal;
    case Relation::greater_equal: return Relation::less;
    case Relation::equal: return Relation::not_equal;
    case Relation::not_equal: return Relation::equal;
  }
  return relation;
}

class RevertibleVariables {
 public:
  explicit RevertibleVariables(const lang::Program& program) : comparisons_(program.variables.size()) {
    for (auto& of_variable : comparisons_) of_variable.emplace();
    for (const lang::ThreadTemplate& thread : program.templates) look_at(thread.body.statements);
    for (const lang::Function& function : program.functions) look_at(function.body.statements);
  }

  std::vector<std::shared_ptr<const std::vector<Comparison>>> take() {
    std::vector<std::shared_ptr<const std::vector<Comparison>>> result;
    for (auto& of_variable : comparisons_)
      result.push_back(of_variable ? std::make_shared<const std::vector<Comparison>>(*std::move(of_variable))
                                   : nullptr);
    return result;
  }

 private:
  void look_at(std::span<const Statement> statements) {
    for (const Statement& statement : statements) {
      if (statement.kind == StatementKind::store && statement.compound) comparisons_[statement.id].reset();
      if (statement.kind == StatementKind::await) {
        look_at_awaited(statement.expressions[0]);
      } else {
        for (const Expression& expression : statement.expressions) look_at(expression);
      }
      look_at(statement.body);
      look_at(statement.otherwise);
    }
  }

  void look_at(const Expression& expression) {
    if (expression.kind == ExpressionKind::load || expression.kind == ExpressionKind::cas ||
        expression.kind == ExpressionKind::try_lock)
      comparisons_[expression.id].reset();
    for (const Expression& operand : expression.operands) look_at(operand);
  }

  // A condition that holds if more of its comparisons hold.
  void look_at_awaited(const Expression& condition) {
    if (condition.kind == ExpressionKind::logical_and || condition.kind == ExpressionKind::logical_or) {
      for (const Expression& operand : condition.operands) look_at_awaited(operand);
    } else if (const auto comparison = comparison_of(condition)) {
      const auto& [load, with] = *comparison;
      for (const Expression& index : load->operands) look_at(index);
      if (auto& known = comparisons_[load->id]; known && std::ranges::find(*known, with) == known->end())
        known->push_back(with);
    } else {
      look_at(condition);
    }
  }

  // A load, and a condition on its value.
  using OfLoad = std::pair<const Expression*, Comparison>;

  static std::optional<OfLoad> comparison_of(const Expression& condition) {
    if (condition.kind == ExpressionKind::load)
      return OfLoad{&condition, {.relation = Relation::not_equal, .with = 0}};
    if (condition.kind == ExpressionKind::unary && condition.unary == lang::UnaryOperator::logical_not) {
      auto result = comparison_of(condition.operands[0]);
      if (result) result->second.relation = negated(result->second.relation);
      return result;
    }
    if (condition.kind != ExpressionKind::binary) return std::nullopt;
    const auto relation = relation_of(condition.binary);
    const Expression& left = condition.operands[0];
    const Expression& right = condition.operands[1];
    if (!relation) return std::nullopt;
    if (left.kind == ExpressionKind::load && right.kind == ExpressionKind::literal)
      return OfLoad{&left, {.relation = *relation, .with = right.value}};
    if (right.kind == ExpressionKind::load && left.kind == ExpressionKind::literal)
      return OfLoad{&right, {.relation = mirrored(*relation), .with = left.value}};
    return std::nullopt;
  }

  std::vector<std::optional<std::vector<Comparison>>> comparisons_;  // by variable
};

}  // namespace

std::vector<std::shared_ptr<const std::vector<Comparison>>> revertible_variables(
    const lang::Program& program) {
  return RevertibleVariables(program).take();
}

}  // namespace heddle::compiler
