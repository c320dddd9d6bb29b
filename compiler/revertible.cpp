#include "compiler/revertible.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "compiler/expression_forms.hpp"

namespace heddle::compiler {
namespace {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

// `value relation bound`.
Comparison values_that(BinaryOperator relation, std::int64_t bound) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  switch (relation) {
    case BinaryOperator::equal: return {bound, bound, true};
    case BinaryOperator::not_equal: return {bound, bound, false};
    case BinaryOperator::less_equal: return {least, bound, true};
    case BinaryOperator::greater: return {least, bound, false};
    case BinaryOperator::greater_equal: return {bound, greatest, true};
    default: return {bound, greatest, false};  // less
  }
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
      if (statement.kind == StatementKind::await && !statement.gives) {
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
    } else if (const auto found = comparison_of(condition)) {
      for (const Expression& index : found->load->operands) look_at(index);
      auto& known = comparisons_[found->load->id];
      if (known && std::ranges::find(*known, found->comparison) == known->end())
        known->push_back(found->comparison);
    } else {
      look_at(condition);
    }
  }

  // A load, and a condition on its value.
  struct OfLoad {
    const Expression* load;
    Comparison comparison;
  };

  static std::optional<OfLoad> comparison_of(const Expression& condition) {
    const auto compared = comparison_in(condition);
    if (!compared || compared->subject->kind != ExpressionKind::load) return std::nullopt;
    if (compared->bound != nullptr && compared->bound->kind != ExpressionKind::literal) return std::nullopt;
    const std::int64_t bound = compared->bound == nullptr ? 0 : compared->bound->value;
    return OfLoad{compared->subject, values_that(compared->relation, bound)};
  }

  std::vector<std::optional<std::vector<Comparison>>> comparisons_;  // by variable
};

}  // namespace

std::vector<std::shared_ptr<const std::vector<Comparison>>> revertible_variables(
    const lang::Program& program) {
  return RevertibleVariables(program).take();
}

}  // namespace heddle::compiler
