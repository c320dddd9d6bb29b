#include "compiler/retry_loops.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "compiler/expression_forms.hpp"

namespace heddle::compiler {
namespace {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

bool is_true(const Expression& condition) { return known(condition).value_or(0) != 0; }

// Whether the statements contain a `break`, or a `continue`, of the loop whose body they are.
bool contain(std::span<const Statement> statements, StatementKind jump) {
  return std::ranges::any_of(statements, [&](const Statement& statement) {
    if (statement.kind == jump) return true;
    if (statement.kind == StatementKind::while_ || statement.kind == StatementKind::for_) return false;
    return contain(statement.body, jump) || contain(statement.otherwise, jump);
  });
}

// Whether control may leave the statement other than at its end.
bool jumps(const Statement& statement) {
  if (statement.kind == StatementKind::break_ || statement.kind == StatementKind::continue_ ||
      statement.kind == StatementKind::return_)
    return true;
  const auto any = [](const std::vector<Statement>& statements) {
    return std::any_of(statements.begin(), statements.end(), jumps);
  };
  return any(statement.body) || any(statement.otherwise);
}

// `i = i + 1`
bool counts(const Statement& statement) {
  const Expression& value = statement.expressions.back();
  return statement.expressions.size() == 1 && value.kind == ExpressionKind::binary &&
         (value.binary == lang::BinaryOperator::add || value.binary == lang::BinaryOperator::subtract) &&
         value.operands[0].kind == ExpressionKind::local && value.operands[0].id == statement.id &&
         value.operands[0].operands.empty() && value.operands[1].kind == ExpressionKind::literal &&
         value.operands[1].value != 0;
}

// Something other than 0, as far as the text tells.
bool adds_something(const Expression& expression) {
  return adds(expression) && known(expression.operands.back()) != 0;
}

// The same, or a declaration of a local and the assignment of its first value.
bool repeats(const lang::Body& body, const Statement& before, const Statement& in_loop) {
  if (jumps(before)) return false;
  if (before.kind != StatementKind::declare) return same(before, in_loop);
  return in_loop.kind == StatementKind::assign && !body.locals[before.id].is_array &&
         before.id == in_loop.id && same(before.expressions[0], in_loop.expressions[0]);
}

class Finder {
 public:
  explicit Finder(const lang::Program& program) : program_(program), functions_(program.functions.size()) {}

  std::vector<const Statement*> take() {
    for (const lang::ThreadTemplate& thread : program_.templates) {
      if (!thread.is_daemon) find(thread.body.statements);
    }
    return std::move(found_);
  }

 private:
  // What a call of the function does. There is no recursion.
  struct Effects {
    bool reads = false;           // may read shared memory
    bool changes = false;         // changes something in any case
    std::uint32_t additions = 0;  // at most 2
  };

  void find(std::span<const Statement> statements) {
    for (const Statement& statement : statements) {
      if (statement.kind == StatementKind::atomic) continue;
      for (const Expression& expression : statement.expressions) find_called(expression);
      if (statement.kind == StatementKind::while_ && is_candidate(statement)) found_.push_back(&statement);
      find(statement.body);
      find(statement.otherwise);
    }
  }

  void find_called(const Expression& expression) {
    if (expression.kind == ExpressionKind::call && searched_.insert(expression.id).second)
      find(program_.functions[expression.id].body.statements);
    for (const Expression& operand : expression.operands) find_called(operand);
  }

  bool is_candidate(const Statement& loop) {
    const Expression& condition = loop.expressions[0];
    if (is_true(condition) && !contain(loop.body, StatementKind::break_) && !returns(loop.body)) return false;
    return (reads(condition) || reads(loop.body)) && !changes(condition) && !changes(loop.body) &&
           additions(condition) + additions(loop.body) != 1;
  }

  // How many there are in the text, with functions that are called.
  std::uint32_t additions(const Expression& expression) {
    std::uint32_t result = adds_something(expression) ? 1 : 0;
    if (expression.kind == ExpressionKind::call) result += effects(expression.id).additions;
    for (const Expression& operand : expression.operands) result += additions(operand);
    return result;
  }
  std::uint32_t additions(std::span<const Statement> statements) {
    std::uint32_t result = 0;
    for (const Statement& statement : statements) {
      for (const Expression& expression : statement.expressions) result += additions(expression);
      result += additions(statement.body) + additions(statement.otherwise);
    }
    return std::min<std::uint32_t>(result, 2);
  }

  bool reads(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::load:
      case ExpressionKind::cas:
      case ExpressionKind::exchange:
      case ExpressionKind::fetch:
      case ExpressionKind::try_lock: return true;
      case ExpressionKind::call:
        if (effects(expression.id).reads) return true;
        break;
      default: break;
    }
    return std::ranges::any_of(expression.operands,
                               [&](const Expression& operand) { return reads(operand); });
  }

  bool reads(std::span<const Statement> statements) {
    return std::ranges::any_of(statements, [&](const Statement& statement) {
      return std::ranges::any_of(statement.expressions, [&](const Expression& e) { return reads(e); }) ||
             reads(statement.body) || reads(statement.otherwise);
    });
  }

  bool changes(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::logical_and:
      case ExpressionKind::logical_or:
      case ExpressionKind::conditional: return changes(expression.operands[0]);
      case ExpressionKind::call:
        if (effects(expression.id).changes) return true;
        break;
      default: break;
    }
    return std::ranges::any_of(expression.operands,
                               [&](const Expression& operand) { return changes(operand); });
  }

  bool changes(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::store: return true;
      case StatementKind::block:
      case StatementKind::atomic: return changes(statement.body);
      case StatementKind::assign:
        if (counts(statement)) return true;
        break;
      case StatementKind::if_:
        if (changes(statement.body) && changes(statement.otherwise)) return true;
        break;
      default: break;
    }
    // (Of a `for`, these are the ends.)
    return std::ranges::any_of(statement.expressions, [&](const Expression& e) { return changes(e); });
  }

  // Whether the statements change something in any case.
  bool changes(std::span<const Statement> statements) {
    for (const Statement& statement : statements) {
      if (changes(statement)) return true;
      if (jumps(statement)) return false;
    }
    return false;
  }

  Effects effects(lang::FunctionId id) {
    auto& known = functions_[id];
    if (!known) {
      const std::span<const Statement> body = program_.functions[id].body.statements;
      const bool reading = reads(body);
      const bool changing = changes(body);
      known = {.reads = reading, .changes = changing, .additions = additions(body)};
    }
    return *known;
  }

  const lang::Program& program_;
  std::vector<std::optional<Effects>> functions_;
  std::unordered_set<lang::FunctionId> searched_;
  std::vector<const Statement*> found_;
};

}  // namespace

std::vector<const Statement*> retry_loops(const lang::Program& program) { return Finder(program).take(); }

const Statement* repeated_by(const lang::Body& body, std::span<const Statement> statements) {
  constexpr std::size_t most = 8;
  std::size_t before = 1;
  while (before <= most && before < statements.size() && statements[before].kind != StatementKind::while_)
    ++before;
  if (before > most || before >= statements.size()) return nullptr;
  const Statement& loop = statements[before];
  if (loop.body.size() < before || contain(loop.body, StatementKind::continue_)) return nullptr;
  const auto last = std::span(loop.body).last(before);
  for (std::size_t i = 0; i < before; ++i) {
    if (!repeats(body, statements[i], last[i])) return nullptr;
  }
  return &loop;
}

}  // namespace heddle::compiler
