#include "compiler/facts.hpp"

#include <algorithm>
#include <limits>

namespace heddle::compiler {
namespace {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

constexpr std::uint64_t saturated = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > saturated - b ? saturated : a + b; }

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? saturated : product;
}

bool visible(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::load:
    case ExpressionKind::cas:
    case ExpressionKind::exchange:
    case ExpressionKind::fetch:
    case ExpressionKind::try_lock:
    case ExpressionKind::choose: return true;
    default: return false;
  }
}

// Whether the index is a literal within the array.
bool within(const Expression& index, std::uint64_t length) {
  return index.kind == ExpressionKind::literal && static_cast<std::uint64_t>(index.value) < length;
}

// Whether the expression is silent (Facts::silent), apart from its operands and callees.
bool silent_itself(const lang::Body& body, const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::literal:
    case ExpressionKind::unary:
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or:
    case ExpressionKind::conditional:
    case ExpressionKind::call: return true;
    case ExpressionKind::local:
      return expression.operands.empty() || within(expression.operands[0], body.locals[expression.id].length);
    case ExpressionKind::binary:
      return expression.binary != lang::BinaryOperator::divide &&
             expression.binary != lang::BinaryOperator::remainder;
    case ExpressionKind::bounded:
      return within(expression.operands[0], static_cast<std::uint64_t>(expression.value));
    default: return false;
  }
}

bool silent_itself(const lang::Body& body, const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::block:
    case StatementKind::declare:
    case StatementKind::if_:
    case StatementKind::break_:
    case StatementKind::continue_:
    case StatementKind::return_:
    case StatementKind::evaluate: return true;
    case StatementKind::assign:
      return statement.expressions.size() == 1 ||
             within(statement.expressions[0], body.locals[statement.id].length);
    case StatementKind::for_:
      return statement.expressions[0].kind == ExpressionKind::literal &&
             statement.expressions[1].kind == ExpressionKind::literal &&
             (statement.expressions[0].value >= statement.expressions[1].value ||
              static_cast<std::uint64_t>(statement.expressions[1].value) -
                      static_cast<std::uint64_t>(statement.expressions[0].value) <=
                  for_rounds);
    default: return false;
  }
}

// The maximal number of rounds of a loop. Exact if its range consists of literals.
std::uint64_t rounds_of(const Statement& loop, std::uint32_t unroll) {
  if (loop.kind == StatementKind::while_) return unroll;
  const Expression& from = loop.expressions[0];
  const Expression& to = loop.expressions[1];
  if (from.kind == ExpressionKind::literal && to.kind == ExpressionKind::literal) {
    if (from.value >= to.value) return 0;
    const auto rounds = static_cast<std::uint64_t>(to.value) - static_cast<std::uint64_t>(from.value);
    return std::min<std::uint64_t>(rounds, for_rounds);
  }
  return for_rounds;
}

}  // namespace

Facts::Facts(const lang::Program& program, std::uint32_t unroll) : program_(program), unroll_(unroll) {
  for (const lang::Function& function : program.functions) collect(function.body);
  for (const lang::ThreadTemplate& thread : program.templates) collect(thread.body);
  if (program.final_block) collect(*program.final_block);
  for (const lang::Function& function : program.functions) complete(function.body);
  for (const lang::ThreadTemplate& thread : program.templates) complete(thread.body);
  if (program.final_block) complete(*program.final_block);
}

bool Facts::suspends(const Expression& expression) const {
  if (visible(expression.kind)) return true;
  if (expression.kind == ExpressionKind::call &&
      size(program_.functions[expression.id].body).operations > 0) {
    return true;
  }
  return any_suspends(expression.operands);
}

bool Facts::may_wait(const Expression& expression) const {
  switch (expression.kind) {
    case ExpressionKind::literal: return false;
    // The address of an array element depends on its index.
    case ExpressionKind::local: return !expression.operands.empty();
    case ExpressionKind::unary: break;
    case ExpressionKind::binary:
      if (expression.binary == lang::BinaryOperator::divide ||
          expression.binary == lang::BinaryOperator::remainder) {
        return true;
      }
      break;
    default: return true;
  }
  return std::any_of(expression.operands.rbegin(), expression.operands.rend(),
                     [this](const Expression& operand) { return may_wait(operand); });
}

bool Facts::any_suspends(std::span<const Expression> expressions) const {
  // From the right: in a long chain of operators, the left operand is the deep one.
  return std::any_of(expressions.rbegin(), expressions.rend(),
                     [this](const Expression& expression) { return suspends(expression); });
}

bool Facts::repeatable(const lang::Body& body, const Expression& expression, bool constant_locals) const {
  switch (expression.kind) {
    case ExpressionKind::literal: return true;
    case ExpressionKind::local:
      if (!expression.operands.empty() || bodies_.at(&body).aliased[expression.id]) return false;
      return !constant_locals || !assigned(body, expression.id);
    case ExpressionKind::binary:
      if (expression.binary == lang::BinaryOperator::divide ||
          expression.binary == lang::BinaryOperator::remainder) {
        return false;
      }
      break;
    case ExpressionKind::unary:
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or:
    case ExpressionKind::conditional: break;
    default: return false;
  }
  return std::all_of(expression.operands.rbegin(), expression.operands.rend(),
                     [&](const Expression& operand) { return repeatable(body, operand, constant_locals); });
}

bool Facts::silent(const lang::Body& body, const Expression& expression) const {
  if (!silent_itself(body, expression)) return false;
  if (expression.kind == ExpressionKind::call &&
      !bodies_.at(&program_.functions[expression.id].body).silent) {
    return false;
  }
  return std::all_of(expression.operands.rbegin(), expression.operands.rend(),
                     [&](const Expression& operand) { return silent(body, operand); });
}

bool Facts::assigned(const lang::Body& body, lang::LocalId local) const {
  return bodies_.at(&body).assigned[local];
}

bool Facts::used(const lang::Body& body, lang::LocalId local) const { return bodies_.at(&body).used[local]; }

Size Facts::size(const lang::Body& body) const { return bodies_.at(&body).total; }

void Facts::collect(const lang::Body& body) {
  BodyFacts& facts = bodies_[&body];
  facts.assigned.assign(body.locals.size(), false);
  facts.aliased.assign(body.locals.size(), false);
  facts.used.assign(body.locals.size(), false);
  for (std::size_t local = 0; local < body.locals.size(); ++local) {
    if (!body.locals[local].is_array && !body.locals[local].by_reference) continue;
    facts.assigned[local] = true;
    facts.aliased[local] = true;
    if (body.locals[local].by_reference) facts.silent = false;
  }
  collect(body, body.statements, 1, facts);
}

void Facts::collect(const lang::Body& body, std::span<const Statement> statements, std::uint64_t times,
                    BodyFacts& facts) {
  for (const Statement& statement : statements) {
    facts.silent = facts.silent && silent_itself(body, statement);
    std::uint64_t inner = times;
    facts.own.nodes = add(facts.own.nodes, 1);
    switch (statement.kind) {
      case StatementKind::assign: facts.assigned[statement.id] = true; break;
      case StatementKind::await:
        if (statement.gives) facts.assigned[statement.id] = true;
        facts.own.operations = add(facts.own.operations, 1);
        break;
      case StatementKind::while_:
      case StatementKind::for_:
        inner = multiply(times, rounds_of(statement, unroll_));
        facts.own.rounds = add(facts.own.rounds, inner);
        break;
      case StatementKind::restart:
        if (statement.expressions.empty()) break;
        inner = multiply(times, unroll_);
        facts.own.rounds = add(facts.own.rounds, inner);
        facts.restarts.push_back(&statement.expressions[0]);
        break;
      case StatementKind::store:
        facts.own.operations = add(facts.own.operations, statement.compound ? 2 : 1);
        break;
      case StatementKind::fence:
      case StatementKind::lock:
      case StatementKind::unlock:
      case StatementKind::assert_:  // the host may resume the thread
      case StatementKind::progress: facts.own.operations = add(facts.own.operations, 1); break;
      default: break;
    }
    // The condition of a `while` is evaluated once more than its body. The difference does not matter here.
    const std::uint64_t condition = statement.kind == StatementKind::for_ ? times : inner;
    for (const Expression& expression : statement.expressions) collect(body, expression, condition, facts);
    collect(body, statement.body, inner, facts);
    collect(body, statement.otherwise, inner, facts);
  }
}

void Facts::collect(const lang::Body& body, const Expression& expression, std::uint64_t times,
                    BodyFacts& facts) {
  facts.silent = facts.silent && silent_itself(body, expression);
  facts.own.nodes = add(facts.own.nodes, 1);
  if (visible(expression.kind)) facts.own.operations = add(facts.own.operations, 1);
  if (expression.kind == ExpressionKind::local) facts.used[expression.id] = true;
  if (expression.kind == ExpressionKind::call) {
    facts.calls.push_back({expression.id, times});
    const lang::Function& callee = program_.functions[expression.id];
    for (std::uint32_t i = 0; i < callee.parameters; ++i) {
      if (!callee.body.locals[i].by_reference) continue;
      facts.assigned[expression.operands[i].id] = true;
      facts.aliased[expression.operands[i].id] = true;
    }
  }
  for (const Expression& operand : expression.operands) collect(body, operand, times, facts);
}

Size Facts::size(const Expression& expression) const {
  Size result{.operations = visible(expression.kind) ? 1U : 0U, .nodes = 1, .rounds = 0};
  const auto include = [&](const Size& part) {
    result.operations = add(result.operations, part.operations);
    result.nodes = add(result.nodes, part.nodes);
  };
  if (expression.kind == ExpressionKind::call) include(size(program_.functions[expression.id].body));
  for (const Expression& operand : expression.operands) include(size(operand));
  return result;
}

// Depth-first search over the calls with an explicit stack: a chain of calls may be as long as the program.
void Facts::complete(const lang::Body& body) {
  struct Visit {
    BodyFacts* facts;
    std::size_t next;
  };
  std::vector<Visit> stack{{&bodies_.at(&body), 0}};
  while (!stack.empty()) {
    Visit& visit = stack.back();
    BodyFacts& facts = *visit.facts;
    if (facts.complete) {
      stack.pop_back();
    } else if (visit.next < facts.calls.size()) {
      BodyFacts& callee = bodies_.at(&program_.functions[facts.calls[visit.next++].callee].body);
      if (!callee.complete) stack.push_back({&callee, 0});
    } else {
      facts.total = facts.own;
      for (const Call& call : facts.calls) {
        const BodyFacts& called = bodies_.at(&program_.functions[call.callee].body);
        const Size& callee = called.total;
        facts.silent = facts.silent && called.silent;
        facts.total.operations = add(facts.total.operations, callee.operations);
        facts.total.nodes = add(facts.total.nodes, callee.nodes);
        facts.total.rounds = add(facts.total.rounds, multiply(call.times, callee.rounds));
      }
      for (const Expression* condition : facts.restarts) {
        const Size each = size(*condition);
        const std::uint64_t places = facts.total.operations;
        facts.total.operations = add(places, multiply(places, each.operations));
        facts.total.nodes = add(facts.total.nodes, multiply(places, each.nodes));
      }
      facts.complete = true;
    }
  }
}

}  // namespace heddle::compiler
