#include "compiler/expression_forms.hpp"

#include <algorithm>
#include <utility>

namespace heddle::compiler {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

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

std::size_t uses(const Expression& expression, lang::LocalId local) {
  std::size_t result = expression.kind == ExpressionKind::local && expression.id == local ? 1 : 0;
  for (const Expression& operand : expression.operands) result += uses(operand, local);
  return result;
}

std::size_t uses(std::span<const Statement> statements, lang::LocalId local) {
  std::size_t result = 0;
  for (const Statement& statement : statements) {
    for (const Expression& expression : statement.expressions) result += uses(expression, local);
    result += uses(statement.body, local) + uses(statement.otherwise, local);
  }
  return result;
}

namespace {

bool is_comparison(BinaryOperator op) { return op >= BinaryOperator::equal; }

}  // namespace

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

std::optional<std::int64_t> known(const Expression& e, std::span<const std::optional<std::int64_t>> locals) {
  const auto operand = [&](std::size_t i) { return known(e.operands[i], locals); };
  switch (e.kind) {
    case ExpressionKind::literal: return e.value;
    case ExpressionKind::local:
      return e.operands.empty() && e.id < locals.size() ? locals[e.id] : std::nullopt;
    case ExpressionKind::unary: {
      const auto value = operand(0);
      if (!value) return {};
      if (e.unary == lang::UnaryOperator::logical_not) return *value == 0 ? 1 : 0;
      const auto bits = static_cast<std::uint64_t>(*value);
      return static_cast<std::int64_t>(e.unary == lang::UnaryOperator::negate ? 0 - bits : ~bits);
    }
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or: {
      const std::int64_t decides = e.kind == ExpressionKind::logical_or ? 1 : 0;
      const auto left = operand(0);
      const auto right = operand(1);
      if ((left && (*left != 0) == (decides != 0)) || (right && (*right != 0) == (decides != 0)))
        return decides;
      return left && right ? std::optional<std::int64_t>(1 - decides) : std::nullopt;
    }
    case ExpressionKind::conditional: {
      const auto condition = operand(0);
      return condition ? operand(*condition != 0 ? 1 : 2) : std::nullopt;
    }
    case ExpressionKind::binary: break;
    default: return {};
  }
  const auto left = operand(0);
  const auto right = operand(1);
  if (!left || !right) return {};
  const auto a = static_cast<std::uint64_t>(*left);
  const auto b = static_cast<std::uint64_t>(*right);
  switch (e.binary) {
    case BinaryOperator::add: return static_cast<std::int64_t>(a + b);
    case BinaryOperator::subtract: return static_cast<std::int64_t>(a - b);
    case BinaryOperator::multiply: return static_cast<std::int64_t>(a * b);
    case BinaryOperator::bit_and: return static_cast<std::int64_t>(a & b);
    case BinaryOperator::bit_or: return static_cast<std::int64_t>(a | b);
    case BinaryOperator::bit_xor: return static_cast<std::int64_t>(a ^ b);
    default: break;
  }
  if (!is_comparison(e.binary)) return {};
  return holds(e.binary, *left, *right) ? 1 : 0;
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
  if (condition.kind != ExpressionKind::binary || !is_comparison(condition.binary)) return std::nullopt;
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
    return statement.kind == StatementKind::return_ || returns(statement.body) ||
           returns(statement.otherwise);
  });
}

// The value of an expression in which nothing happens, if it is constant. (`x && false` looks at `x`.)
std::optional<std::int64_t> constant(const Expression& expression) {
  const bool only_computes =
      expression.kind <= ExpressionKind::local ||
      (expression.kind >= ExpressionKind::unary && expression.kind <= ExpressionKind::conditional);
  const auto computes = [](const Expression& operand) { return constant(operand).has_value(); };
  return only_computes && std::ranges::all_of(expression.operands, computes) ? known(expression)
                                                                             : std::nullopt;
}

bool is_plain_value(const Expression& expression) {
  return constant(expression) || (expression.kind == ExpressionKind::local && expression.operands.empty());
}

std::span<const Expression> index_of(const lang::Program& program, const Expression& operation) {
  return std::span(operation.operands).first(program.variables[operation.id].is_array ? 1 : 0);
}

bool at_same_place(const lang::Program& program, const Expression& a, const Expression& b) {
  return a.id == b.id && std::ranges::equal(index_of(program, a), index_of(program, b),
                                            [](const auto& x, const auto& y) { return same(x, y); });
}

bool is_near(const std::optional<std::int64_t>& value) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  return value && *value > -most && *value < most;
}

bool adds(const Expression& expression) {
  return expression.kind == ExpressionKind::fetch &&
         (expression.fetch == lang::FetchOperator::add || expression.fetch == lang::FetchOperator::subtract);
}

Passing passing(const Compared& compared) {
  switch (compared.relation) {
    case BinaryOperator::less: return {BinaryOperator::less_equal, compared.bound, -1};
    case BinaryOperator::greater: return {BinaryOperator::greater_equal, compared.bound, 1};
    default: return {compared.relation, compared.bound, 0};
  }
}
bool agree(const Passing& a, const Passing& b) {
  const auto number = [](const Passing& p) -> std::optional<std::int64_t> {
    if (p.bound == nullptr) return p.offset;
    const auto bound = constant(*p.bound);
    if (!bound) return std::nullopt;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(*bound) +
                                     static_cast<std::uint64_t>(p.offset));
  };
  if (a.relation != b.relation || number(a).has_value() != number(b).has_value()) return false;
  if (number(a)) return number(a) == number(b);
  return a.offset == b.offset && same(*a.bound, *b.bound);
}

bool gives(const Statement& statement, std::int64_t value) {
  return statement.kind == StatementKind::return_ && !statement.expressions.empty() &&
         constant(statement.expressions[0]) == value;
}

bool only_wait(const lang::Program& program, std::span<const Statement> statements,
               const Expression& operation, const Passing& until) {
  return std::ranges::all_of(statements, [&](const Statement& statement) {
    if (statement.kind == StatementKind::fence) return true;
    if (statement.kind == StatementKind::block) return only_wait(program, statement.body, operation, until);
    if (statement.kind != StatementKind::await || statement.gives) return false;
    const auto compared = comparison_in(statement.expressions[0]);
    return compared && compared->subject->kind == ExpressionKind::load &&
           at_same_place(program, operation, *compared->subject) && agree(passing(*compared), until);
  });
}

}  // namespace heddle::compiler
