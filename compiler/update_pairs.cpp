#include "compiler/update_pairs.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>
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
// The locals that a round assigns before its `cas`.
struct Assigned {
  lang::LocalId old;                  // gets the value
  std::optional<lang::LocalId> next;  // is computed from it
};
bool is_plain_but(const Expression& expression, const Assigned& but) {
  return is_plain_value(expression) && !is_local(expression, but.old) &&
         !(but.next && is_local(expression, *but.next));
}
// Computed from such locals.
bool only_computes(const Expression& expression, const Assigned& but) {
  switch (expression.kind) {
    case ExpressionKind::unary:
    case ExpressionKind::binary:
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or:
    case ExpressionKind::conditional:
      return std::ranges::all_of(expression.operands, [&](const auto& it) { return only_computes(it, but); });
    default: return is_plain_but(expression, but);
  }
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
bool skips_body(const Statement& statement) {
  return statement.kind == StatementKind::if_ && never_holds(statement.expressions[0]);
}
// Those that do something, as far as params tell.
std::vector<const Statement*> executed(std::span<const Statement> statements) {
  std::vector<const Statement*> result;
  for (const Statement& statement : statements) {
    if (!skips_body(statement) || !statement.otherwise.empty()) result.push_back(&statement);
  }
  return result;
}

// Loads and `cas` of pairs with locals that nothing else uses.
struct Unseen {
  std::unordered_set<const Statement*> loads;
  std::unordered_set<const Expression*> cas;
};

// Recognises the pairs of one body by their text.
class PairForms {
 public:
  PairForms(const lang::Program& program, const lang::Body& body, UpdatePairs& pairs, Unseen& unseen)
      : program_(program), body_(body), pairs_(pairs), unseen_(unseen) {}

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
    const lang::Body& body;  // where the load is
    const Expression& test;  // the `cas`; or a condition on the value and the `cas`
    // Between the two; null: nothing.
    const Statement* computes = nullptr;
    std::span<const Statement> rest = {};  // if it fails
    // Another condition on the value: if it is not `tries`, there is no `cas`.
    const Expression* condition = nullptr;
    bool tries = true;
    const Expression* call = nullptr;        // as UpdatePair has it
    std::optional<lang::LocalId> done = {};  // gets the result of the `cas`
    const Statement* load_again = nullptr;   // the copy of the load that the loop repeats
  };

  // while true { load; test }
  // while !done { load; done = cas; }, or instead of the last one: if ... { wait } else { done = cas; }
  // each with `let next = ...;` before the test, or without
  bool in_body(const Statement& loop) {
    const auto round = executed(loop.body);
    if (round.size() != 2 && round.size() != 3) return false;
    const Statement& load = *round[0];
    const Statement* const computes = round.size() == 3 ? round[1] : nullptr;
    const Statement& test = *round.back();
    const Expression& condition = loop.expressions[0];
    if (constant(condition) == 1) {
      const bool leaves =
          test.kind == StatementKind::if_ && test.otherwise.empty() && !test.body.empty() &&
          (test.body.back().kind == StatementKind::break_ || test.body.back().kind == StatementKind::return_);
      return leaves && add({.loop = loop,
                            .load = load,
                            .body = body_,
                            .test = test.expressions[0],
                            .computes = computes});
    }
    const Expression* const done = operand_of_not(condition);
    if (done == nullptr || done->kind != ExpressionKind::local || !done->operands.empty()) return false;
    if (computes != nullptr && computes->kind == StatementKind::assign && computes->id == done->id)
      return false;
    const auto sets = [&](std::span<const Statement> arm) {
      return arm.size() == 1 && arm[0].kind == StatementKind::assign && arm[0].expressions.size() == 1 &&
             arm[0].id == done->id && arm[0].id != load.id;
    };
    if (sets(std::span(&test, 1)))
      return add({.loop = loop,
                  .load = load,
                  .body = body_,
                  .test = test.expressions[0],
                  .computes = computes,
                  .done = done->id});
    if (test.kind != StatementKind::if_) return false;
    const bool in_else = sets(test.otherwise);
    if (!in_else && !sets(test.body)) return false;
    const auto& arm = in_else ? test.otherwise : test.body;
    return add({.loop = loop,
                .load = load,
                .body = body_,
                .test = arm[0].expressions[0],
                .computes = computes,
                .rest = in_else ? test.body : test.otherwise,
                .condition = &test.expressions[0],
                .tries = !in_else,
                .done = done->id});
  }

  // load; while !cas { load }
  void before_loop(std::span<const Statement> statements) {
    const Statement* const loop = repeated_by(body_, statements);
    if (loop != &statements[0] + 1) return;
    const Expression* const cas = operand_of_not(loop->expressions[0]);
    if (cas != nullptr && loop->body.size() == 1)
      add({.loop = *loop, .load = statements[0], .body = body_, .test = *cas, .load_again = &loop->body[0]});
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
    const Expression& place = load.expressions[0];
    Assigned assigned{.old = load.id, .next = {}};
    if (round.computes != nullptr) {
      const StatementKind kind = round.computes->kind;
      if (kind != StatementKind::declare && kind != StatementKind::assign) return false;
      if (round.computes->expressions.size() != 1 || round.computes->id == load.id) return false;
      assigned.next = round.computes->id;
    }
    if (!is_private(round.body, assigned.old) || (assigned.next && !is_private(round.body, *assigned.next)))
      return false;
    if (cas.kind != ExpressionKind::cas || !at_same_place(program_, place, cas)) return false;
    const auto index = index_of(program_, place);
    // (The locals of a function are not those of the loop.)
    const auto is_known = [&](const Expression& it) {
      return round.call != nullptr ? constant(it).has_value() : is_plain_but(it, assigned);
    };
    if (!std::ranges::all_of(index, is_known)) return false;
    if (!is_local(cas.operands[index.size()], assigned.old)) return false;
    const Expression* desired = &cas.operands.back();
    if (assigned.next) {
      if (!is_local(*desired, *assigned.next)) return false;
      desired = &round.computes->expressions[0];
    }
    auto update = update_of(cas, *desired, assigned);
    if (!update) return false;
    update->type = place.type;
    UpdatePair pair{.loop = &round.loop, .update = load, .cas = &cas, .waits_for = {}, .call = round.call};
    if (condition != nullptr) {
      pair.waits_for = passing_if(*condition, round.tries, assigned.old);
      if (!pair.waits_for || !can_wait(*update, *pair.waits_for)) return false;
      if (pair.waits_for->bound != nullptr && !is_known(*pair.waits_for->bound)) return false;
    }
    const auto is_fence = [](const Statement& statement) { return statement.kind == StatementKind::fence; };
    const bool only_waits = pair.waits_for ? only_wait(program_, round.rest, place, *pair.waits_for)
                                           : std::ranges::all_of(round.rest, is_fence);
    if (!only_waits) return false;
    pair.update.expressions[0] = std::move(*update);
    if (pair.ahead = is_unseen(round, assigned); pair.ahead) {
      unseen_.loads.insert(&load);
      if (round.load_again != nullptr) unseen_.loads.insert(round.load_again);
      if (round.call == nullptr)
        unseen_.cas.insert(&cas);  // (else other calls may use what the function returns)
    }
    pairs_.emplace(round.call != nullptr ? &round.loop : &load, std::move(pair));
    return true;
  }

  // Whether the locals of a round are used for nothing but the round itself.
  static bool is_unseen(const Round& round, const Assigned& assigned) {
    const auto only_here = [&](lang::LocalId local) {
      std::size_t here = uses(round.test, local);
      if (round.condition != nullptr) here += uses(*round.condition, local);
      if (round.computes != nullptr) here += uses(round.computes->expressions[0], local);
      return uses(round.body.statements, local) == here;
    };
    return only_here(assigned.old) && (!assigned.next || only_here(*assigned.next)) &&
           (!round.done || uses(round.body.statements, *round.done) == 1);
  }

  // A scalar of its own, which invariants do not see.
  [[nodiscard]] bool is_private(const lang::Body& body, lang::LocalId local) const {
    const lang::Local& declared = body.locals[local];
    return !declared.is_array && !declared.by_reference && !(declared.top_level && has_invariants());
  }

  // `desired`, which the `cas` writes, as an update that gives the old value.
  static std::optional<Expression> update_of(const Expression& cas, const Expression& desired,
                                             const Assigned& assigned) {
    Expression result = cas;
    result.operands.erase(result.operands.end() - 2);
    if (only_computes(desired, assigned)) {
      result.kind = ExpressionKind::exchange;
      result.operands.back() = desired;
      return result;
    }
    if (desired.kind != ExpressionKind::binary) return std::nullopt;
    const auto fetch = lang::fetch_with(desired.binary);
    if (!fetch) return std::nullopt;
    const Expression& left = desired.operands[0];
    const Expression& right = desired.operands[1];
    result.kind = ExpressionKind::fetch;
    result.fetch = *fetch;
    if (is_local(left, assigned.old) && only_computes(right, assigned)) {
      result.operands.back() = right;
    } else if (fetch != FetchOperator::subtract && is_local(right, assigned.old) &&
               only_computes(left, assigned)) {
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
  // There are operations that wait for these. (`seen > bound` is `seen >= bound + 1`.)
  static bool can_wait(const Expression& update, const Passing& until) {
    if (until.offset != 0 && until.bound != nullptr && !is_near(constant(*until.bound))) return false;
    if (until.relation == BinaryOperator::equal)
      return update.kind == ExpressionKind::exchange || adds(update);
    return adds(update) && until.relation != BinaryOperator::not_equal;
  }

  [[nodiscard]] bool has_invariants() const {
    return std::ranges::any_of(program_.properties, [](const lang::Property& property) {
      return property.kind == lang::PropertyKind::invariant;
    });
  }

  const lang::Program& program_;
  const lang::Body& body_;
  UpdatePairs& pairs_;
  Unseen& unseen_;
};

// Finds the variables whose values threads use for more than to decide where to continue. What is unseen does not count.
class Decisions {
 public:
  Decisions(const lang::Program& program, const Unseen& unseen)
      : unseen_(unseen), shows_(program.variables.size()) {
    for (const lang::ThreadTemplate& thread : program.templates) see(thread.body.statements);
    for (const lang::Function& function : program.functions) see(function.body.statements);
  }

  [[nodiscard]] bool shows(lang::VariableId variable) const { return shows_[variable]; }

 private:
  void see(std::span<const Statement> statements) {
    for (const Statement& statement : statements) {
      for (const Expression& expression : statement.expressions) see(statement, expression);
      see(statement.body);
      see(statement.otherwise);
    }
  }
  void see(const Statement& statement, const Expression& expression) {
    switch (statement.kind) {
      case StatementKind::if_:
      case StatementKind::while_: return decide(expression);
      case StatementKind::await: return statement.gives ? show(expression) : decide(expression);
      case StatementKind::evaluate: return reads(expression) ? show_operands(expression) : show(expression);
      default: return unseen_.loads.contains(&statement) ? show_operands(expression) : show(expression);
    }
  }
  // An expression that only decides something.
  void decide(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::unary:
      case ExpressionKind::binary:
      case ExpressionKind::logical_and:
      case ExpressionKind::logical_or:
        for (const Expression& operand : expression.operands) decide(operand);
        return;
      default: return reads(expression) ? show_operands(expression) : show(expression);
    }
  }
  void show(const Expression& expression) {
    if (reads(expression) && !unseen_.cas.contains(&expression)) shows_[expression.id] = true;
    show_operands(expression);
  }
  void show_operands(const Expression& expression) {
    for (const Expression& operand : expression.operands) show(operand);
  }
  static bool reads(const Expression& expression) {
    return expression.kind == ExpressionKind::load || expression.kind == ExpressionKind::cas ||
           expression.kind == ExpressionKind::exchange || expression.kind == ExpressionKind::fetch;
  }

  const Unseen& unseen_;
  std::vector<bool> shows_;  // by variable
};

// Goes through what threads that are no daemons execute outside of `atomic`, as far as params tell.
class Walk {
 public:
  explicit Walk(const lang::Program& program) : program_(program), entered_(program.functions.size()) {}

  UpdatePairs find() {
    for (const lang::ThreadTemplate& thread : program_.templates) {
      if (!thread.is_daemon) enter(thread.body, thread.body.statements);
    }
    if (std::ranges::any_of(pairs_, [](const auto& it) { return it.second.ahead; })) {
      const Decisions decisions(program_, unseen_);
      for (auto& [first, pair] : pairs_) pair.ahead = pair.ahead && !decisions.shows(pair.cas->id);
    }
    return std::move(pairs_);
  }

 private:
  void enter(const lang::Body& body, std::span<const Statement> statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Statement& statement = statements[i];
      if (statement.kind == StatementKind::atomic) continue;
      PairForms(program_, body, pairs_, unseen_).find(statements.subspan(i));
      for (const Expression& expression : statement.expressions) enter(expression);
      if (!skips_body(statement)) enter(body, statement.body);
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
  Unseen unseen_;
};

// A "restart" is only allowed in the outermost block of a thread.
bool restarts(const lang::ThreadTemplate& thread) {
  return std::ranges::any_of(thread.body.statements, [](const Statement& statement) {
    return statement.kind == StatementKind::restart;
  });
}

}  // namespace

UpdatePairs update_pairs(const lang::Program& program) {
  if (std::ranges::any_of(program.templates, restarts)) return {};
  return Walk(program).find();
}

}  // namespace heddle::compiler
