#include "compiler/update_pairs.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "compiler/retry_loops.hpp"

namespace heddle::compiler {
namespace {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::FetchOperator;
using lang::Statement;
using lang::StatementKind;

bool is_local(const Expression& expression, lang::LocalId local) {
  return expression.kind == ExpressionKind::local && expression.id == local && expression.operands.empty();
}
// Other than the local.
bool is_plain_but(const Expression& expression, lang::LocalId but) {
  return is_plain_value(expression) && !is_local(expression, but);
}

// `c` of `!c`; null for other expressions.
const Expression* operand_of_not(const Expression& expression) {
  const bool is_not =
      expression.kind == ExpressionKind::unary && expression.unary == lang::UnaryOperator::logical_not;
  return is_not ? &expression.operands[0] : nullptr;
}

// Does not hold, and nothing happens while that is found out.
bool never_holds(const Expression& condition) {
  if (condition.kind == ExpressionKind::logical_and) return never_holds(condition.operands[0]);
  return constant(condition) == 0;
}
// Those that are executed, as far as params tell.
std::vector<const Statement*> executed(std::span<const Statement> statements) {
  std::vector<const Statement*> result;
  for (const Statement& statement : statements) {
    const bool is_skipped = statement.kind == StatementKind::if_ && statement.otherwise.empty() &&
                            never_holds(statement.expressions[0]);
    if (!is_skipped) result.push_back(&statement);
  }
  return result;
}

// Recognises the pairs of one body by their text.
class PairForms {
 public:
  PairForms(const lang::Program& program, const lang::Body& body, UpdatePairs& pairs)
      : program_(program), body_(body), pairs_(pairs) {}

  // The pair of the loop with which these statements begin, or of which they are the repeated statement and the loop.
  void find(std::span<const Statement> statements) {
    if (statements[0].kind == StatementKind::while_) in_body(statements[0]) || in_function(statements[0]);
    before_loop(statements);
  }

 private:
  // What a round consists of.
  struct Round {
    const Statement& loop;
    const Statement& load;
    const lang::Body& body;                // where the load is
    const Expression& test;                // the `cas`; or a condition on the value and the `cas`
    std::span<const Statement> rest = {};  // if it fails
    // Another condition on the value: if it is not `tries`, there is no `cas`.
    const Expression* condition = nullptr;
    bool tries = true;
    const Expression* call = nullptr;  // as UpdatePair has it
  };

  // while true { load; test }
  // while !done { load; done = cas; }, or instead of the last one: if ... { wait } else { done = cas; }
  bool in_body(const Statement& loop) {
    const auto round = executed(loop.body);
    if (round.size() != 2) return false;
    const Statement& load = *round[0];
    const Statement& test = *round[1];
    const Expression& condition = loop.expressions[0];
    if (constant(condition) == 1) {
      const bool leaves =
          test.kind == StatementKind::if_ && test.otherwise.empty() && !test.body.empty() &&
          (test.body.back().kind == StatementKind::break_ || test.body.back().kind == StatementKind::return_);
      return leaves && add({.loop = loop, .load = load, .body = body_, .test = test.expressions[0]});
    }
    const Expression* const done = operand_of_not(condition);
    if (done == nullptr || done->kind != ExpressionKind::local || !done->operands.empty()) return false;
    const auto sets = [&](std::span<const Statement> arm) {
      return arm.size() == 1 && arm[0].kind == StatementKind::assign && arm[0].expressions.size() == 1 &&
             arm[0].id == done->id && arm[0].id != load.id;
    };
    if (sets(std::span(&test, 1)))
      return add({.loop = loop, .load = load, .body = body_, .test = test.expressions[0]});
    if (test.kind != StatementKind::if_) return false;
    const bool in_else = sets(test.otherwise);
    if (!in_else && !sets(test.body)) return false;
    const auto& arm = in_else ? test.otherwise : test.body;
    return add({.loop = loop,
                .load = load,
                .body = body_,
                .test = arm[0].expressions[0],
                .rest = in_else ? test.body : test.otherwise,
                .condition = &test.expressions[0],
                .tries = !in_else});
  }

  // load; while !cas { load }
  void before_loop(std::span<const Statement> statements) {
    const Statement* const loop = repeated_by(body_, statements);
    if (loop != &statements[0] + 1) return;
    const Expression* const cas = operand_of_not(loop->expressions[0]);
    if (cas != nullptr && loop->body.size() == 1)
      add({.loop = *loop, .load = statements[0], .body = body_, .test = *cas});
  }

  // while !f() { wait }, where f is: load; if test { return false; } ... return true;
  bool in_function(const Statement& loop) {
    const Expression* const call = operand_of_not(loop.expressions[0]);
    if (call == nullptr || call->kind != ExpressionKind::call ||
        !std::ranges::all_of(call->operands, [](const auto& it) { return is_plain_value(it); }))
      return false;
    const lang::Body& body = program_.functions[call->id].body;
    const auto& statements = body.statements;
    if (statements.size() < 2) return false;
    const Statement& test = statements[1];
    if (statements.size() == 2 && test.kind == StatementKind::return_ && test.expressions.size() == 1)
      return add({.loop = loop,
                  .load = statements[0],
                  .body = body,
                  .test = test.expressions[0],
                  .rest = loop.body,
                  .call = call});
    const bool tries = test.kind == StatementKind::if_ && test.otherwise.empty() && test.body.size() == 1 &&
                       gives(test.body[0], 0) && gives(statements.back(), 1) &&
                       !returns(std::span(statements).subspan(2, statements.size() - 3));
    if (!tries) return false;
    const Expression& condition = test.expressions[0];
    const bool has_bound = condition.kind == ExpressionKind::logical_or;
    const Expression* const cas = operand_of_not(has_bound ? condition.operands[1] : condition);
    return cas != nullptr && add({.loop = loop,
                                  .load = statements[0],
                                  .body = body,
                                  .test = *cas,
                                  .rest = loop.body,
                                  .condition = has_bound ? &condition.operands[0] : nullptr,
                                  .tries = false,
                                  .call = call});
  }

  bool add(const Round& round) {
    const bool is_both = round.test.kind == ExpressionKind::logical_and && round.condition == nullptr;
    const Expression& cas = is_both ? round.test.operands[1] : round.test;
    const Expression* const condition = is_both ? &round.test.operands[0] : round.condition;
    const Statement& load = round.load;
    if (load.kind != StatementKind::declare && load.kind != StatementKind::assign) return false;
    if (load.expressions.size() != 1 || load.expressions[0].kind != ExpressionKind::load) return false;
    const lang::LocalId old = load.id;
    const Expression& place = load.expressions[0];
    const lang::Local& declared = round.body.locals[old];
    if (declared.is_array || declared.by_reference || (declared.top_level && has_invariants())) return false;
    if (cas.kind != ExpressionKind::cas || !at_same_place(program_, place, cas)) return false;
    const auto index = index_of(program_, place);
    // (The locals of a function are not those of the loop.)
    const auto is_known = [&](const Expression& it) {
      return round.call != nullptr ? constant(it).has_value() : is_plain_but(it, old);
    };
    if (!std::ranges::all_of(index, is_known)) return false;
    if (!is_local(cas.operands[index.size()], old)) return false;
    auto update = update_of(cas, old);
    if (!update) return false;
    update->type = place.type;
    UpdatePair pair{.loop = &round.loop, .update = load, .cas = &cas, .waits_for = {}, .call = round.call};
    if (condition != nullptr) {
      pair.waits_for = passing_if(*condition, round.tries, old);
      if (!pair.waits_for || !can_wait(*update, *pair.waits_for)) return false;
      if (pair.waits_for->bound != nullptr && !is_known(*pair.waits_for->bound)) return false;
    }
    const auto is_fence = [](const Statement& statement) { return statement.kind == StatementKind::fence; };
    const bool only_waits = pair.waits_for ? only_wait(program_, round.rest, place, *pair.waits_for)
                                           : std::ranges::all_of(round.rest, is_fence);
    if (!only_waits) return false;
    pair.update.expressions[0] = std::move(*update);
    pairs_.emplace(round.call != nullptr ? &round.loop : &load, std::move(pair));
    return true;
  }

  // What it writes, as an update that gives the old value.
  static std::optional<Expression> update_of(const Expression& cas, lang::LocalId old) {
    const Expression& desired = cas.operands.back();
    Expression result = cas;
    result.operands.erase(result.operands.end() - 2);
    if (is_plain_but(desired, old)) {
      result.kind = ExpressionKind::exchange;
      return result;
    }
    if (desired.kind != ExpressionKind::binary) return std::nullopt;
    const Expression& left = desired.operands[0];
    const Expression& right = desired.operands[1];
    result.kind = ExpressionKind::fetch;
    if (desired.binary == BinaryOperator::add) {
      result.fetch = FetchOperator::add;
    } else if (desired.binary == BinaryOperator::subtract) {
      result.fetch = FetchOperator::subtract;
    } else {
      return std::nullopt;
    }
    if (is_local(left, old) && is_plain_but(right, old)) {
      result.operands.back() = right;
    } else if (result.fetch == FetchOperator::add && is_local(right, old) && is_plain_but(left, old)) {
      result.operands.back() = left;
    } else {
      return std::nullopt;
    }
    return result;
  }

  static std::optional<Passing> passing_if(const Expression& condition, bool is, lang::LocalId old) {
    auto compared = comparison_in(condition);
    if (!compared || !is_local(*compared->subject, old)) return std::nullopt;
    if (!is) compared->relation = negated(compared->relation);
    return passing(*compared);
  }
  // There are operations that wait for these.
  static bool can_wait(const Expression& update, const Passing& until) {
    if (until.relation == BinaryOperator::equal) return true;
    return update.kind == ExpressionKind::fetch && until.relation != BinaryOperator::not_equal;
  }

  [[nodiscard]] bool has_invariants() const {
    return std::ranges::any_of(program_.properties, [](const lang::Property& property) {
      return property.kind == lang::PropertyKind::invariant;
    });
  }

  const lang::Program& program_;
  const lang::Body& body_;
  UpdatePairs& pairs_;
};

// Goes through what threads execute, as far as params tell.
class Walk {
 public:
  explicit Walk(const lang::Program& program) : program_(program), entered_(program.functions.size()) {}

  UpdatePairs find() {
    for (const lang::ThreadTemplate& thread : program_.templates) enter(thread.body, thread.body.statements);
    return std::move(pairs_);
  }

 private:
  void enter(const lang::Body& body, std::span<const Statement> statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Statement& statement = statements[i];
      PairForms(program_, body, pairs_).find(statements.subspan(i));
      for (const Expression& expression : statement.expressions) enter(expression);
      const bool is_skipped = statement.kind == StatementKind::if_ && never_holds(statement.expressions[0]);
      if (!is_skipped) enter(body, statement.body);
      enter(body, statement.otherwise);
    }
  }
  void enter(const Expression& expression) {
    for (const Expression& operand : expression.operands) enter(operand);
    if (expression.kind != ExpressionKind::call || entered_[expression.id]) return;
    entered_[expression.id] = true;
    const lang::Body& body = program_.functions[expression.id].body;
    enter(body, body.statements);
  }

  const lang::Program& program_;
  std::vector<bool> entered_;  // by function
  UpdatePairs pairs_;
};

bool restarts(std::span<const Statement> statements) {
  return std::ranges::any_of(statements, [](const Statement& statement) {
    return statement.kind == StatementKind::restart || restarts(statement.body) ||
           restarts(statement.otherwise);
  });
}

}  // namespace

UpdatePairs update_pairs(const lang::Program& program) {
  const bool any_restart = std::ranges::any_of(
      program.templates, [](const auto& thread) { return restarts(thread.body.statements); });
  return any_restart ? UpdatePairs() : Walk(program).find();
}

}  // namespace heddle::compiler
