#include "compiler/waiting_updates.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/expression_forms.hpp"
#include "compiler/retry_loops.hpp"

namespace heddle::compiler {
namespace {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::FetchOperator;
using lang::Statement;
using lang::StatementKind;

// Constants beyond this could make a variable wrap around.
constexpr std::int64_t most_added = std::int64_t{1} << 31;
bool is_small(const std::optional<std::int64_t>& added) {
  return added && *added > -most_added && *added < most_added;
}

bool reverts(const lang::Program& program, const Expression& update, const Expression& undo) {
  if (!adds(undo) || !at_same_place(program, update, undo)) return false;
  const Expression& added = update.operands.back();
  const Expression& taken = undo.operands.back();
  const auto a = constant(added), b = constant(taken);
  if (update.fetch != undo.fetch) return same(added, taken) || (a && a == b);
  return a && b && static_cast<std::uint64_t>(*a) + static_cast<std::uint64_t>(*b) == 0;
}

// An update, and when it ends its loop.
struct Attempt {
  const Expression* update;
  Passing ends;
};

// For a loop that ends if the value of the update satisfies this.
std::optional<Attempt> attempt(const Expression& update, const Passing& value) {
  if (!std::ranges::all_of(update.operands, is_plain_value)) return std::nullopt;
  if (value.bound != nullptr && !is_plain_value(*value.bound)) return std::nullopt;
  if (update.kind == ExpressionKind::cas) {
    const bool succeeds = value.relation == BinaryOperator::not_equal && value.bound == nullptr;
    if (!succeeds) return std::nullopt;
    const Expression& expected = update.operands[update.operands.size() - 2];
    return Attempt{&update, {BinaryOperator::equal, &expected, 0}};
  }
  if (update.kind != ExpressionKind::exchange && !adds(update)) return std::nullopt;
  return Attempt{&update, value};
}

// For a loop that ends if the condition, on the value of an update, is true or false, as `is` says.
std::optional<Attempt> attempt(const Expression& condition, bool is) {
  auto compared = comparison_in(condition);
  if (!compared) return std::nullopt;
  if (!is) compared->relation = negated(compared->relation);
  return attempt(*compared->subject, passing(*compared));
}

// Recognises the loops by their text.
class Forms {
 public:
  Forms(const lang::Program& program, const lang::Body& body) : program_(program), body_(body) {}

  // Of the loop with which these statements begin, or of which they are the repeated statement and the loop.
  std::optional<WaitingUpdate> opening(std::span<const Statement> statements) const {
    const Statement& first = statements[0];
    if (first.kind == StatementKind::while_) {
      const Expression& condition = first.expressions[0];
      if (const auto of_call = in_function(first)) return of_call;
      if (constant(condition) == 1) return in_body(first);
      return found(first, attempt(condition, false), first.body);
    }
    if (first.kind != StatementKind::declare && first.kind != StatementKind::assign) return std::nullopt;
    if (const Statement* const loop = repeated_by(body_, statements); loop == &first + 1) {
      if (first.expressions.size() != 1) return std::nullopt;
      return found(*loop, of_local(first.expressions[0], loop->expressions[0], first.id, false),
                   std::span(loop->body).first(loop->body.size() - 1));
    }
    return std::nullopt;
  }

 private:
  // while true { let v = U; if v ... { break; } rest }, and without a local
  std::optional<WaitingUpdate> in_body(const Statement& loop) const {
    const bool declares = !loop.body.empty() && loop.body[0].kind == StatementKind::declare;
    const std::size_t before = declares ? 1 : 0;
    if (loop.body.size() <= before) return std::nullopt;
    const Statement& test = loop.body[before];
    if (!is_if(test, StatementKind::break_)) return std::nullopt;
    const Expression& condition = test.expressions[0];
    const auto rest = std::span(loop.body).subspan(before + 1);
    if (!declares) return found(loop, attempt(condition, true), rest);
    return found(loop, of_local(loop.body[0].expressions[0], condition, loop.body[0].id, true), rest);
  }

  // while !f() { rest }, with fn f() { if U ... { undo; return false; } ... return true; }
  std::optional<WaitingUpdate> in_function(const Statement& loop) const {
    const Expression& condition = loop.expressions[0];
    if (condition.kind != ExpressionKind::unary || condition.unary != lang::UnaryOperator::logical_not ||
        condition.operands[0].kind != ExpressionKind::call)
      return std::nullopt;
    const Expression& call = condition.operands[0];
    if (!std::ranges::all_of(call.operands, is_plain_value)) return std::nullopt;
    const auto& statements = program_.functions[call.id].body.statements;
    if (statements.size() < 2) return std::nullopt;
    const Statement& test = statements.front();
    const Statement& end = statements.back();
    const bool tries = test.kind == StatementKind::if_ && test.otherwise.empty() && !test.body.empty() &&
                       gives(test.body.back(), 0) && gives(end, 1) &&
                       !returns(std::span(statements).subspan(1, statements.size() - 2));
    if (!tries) return std::nullopt;
    const auto tried = attempt(test.expressions[0], false);
    // (The locals of the function are not those of the loop.)
    if (!tried || !index_of(program_, *tried->update).empty() ||
        (tried->ends.bound != nullptr && !constant(*tried->ends.bound)))
      return std::nullopt;
    auto failed = std::span(test.body).first(test.body.size() - 1);
    if (!skip_undo(*tried->update, failed) || !waits(failed, *tried)) return std::nullopt;
    if (!waits(loop.body, *tried)) return std::nullopt;
    return make(loop, *tried, &call);
  }

  static bool is_if(const Statement& statement, StatementKind then) {
    return statement.kind == StatementKind::if_ && statement.otherwise.empty() &&
           statement.body.size() == 1 && statement.body[0].kind == then;
  }
  // For a loop with a condition on a local that has the value of the update and that nothing else uses. `leaves`: the loop ends
  // if it holds, not if it fails.
  std::optional<Attempt> of_local(const Expression& update, const Expression& condition, lang::LocalId local,
                                  bool leaves) const {
    auto compared = comparison_in(condition);
    const lang::Local& declared = body_.locals[local];
    if (!compared || compared->subject->kind != ExpressionKind::local || compared->subject->id != local ||
        declared.is_array || declared.top_level || declared.by_reference ||
        uses(body_.statements, local) != 1)
      return std::nullopt;
    if (!leaves) compared->relation = negated(compared->relation);
    return attempt(update, passing(*compared));
  }

  std::optional<WaitingUpdate> found(const Statement& loop, const std::optional<Attempt>& tried,
                                     std::span<const Statement> rest) const {
    if (!tried || !skip_undo(*tried->update, rest) || !waits(rest, *tried)) return std::nullopt;
    return make(loop, *tried, nullptr);
  }

  [[nodiscard]] bool waits(std::span<const Statement> rest, const Attempt& tried) const {
    return only_wait(program_, rest, *tried.update, tried.ends);
  }

  static WaitingUpdate make(const Statement& loop, const Attempt& tried, const Expression* call) {
    return {.loop = &loop, .update = tried.update, .ends = tried.ends, .call = call};
  }

  bool skip_undo(const Expression& update, std::span<const Statement>& rest) const {
    if (!adds(update)) return true;
    const bool undoes = !rest.empty() && rest[0].kind == StatementKind::evaluate &&
                        reverts(program_, update, rest[0].expressions[0]);
    if (undoes) rest = rest.subspan(1);
    return undoes;
  }

  const lang::Program& program_;
  const lang::Body& body_;
};

// Goes through the threads with their calls inlined. The values of parameters are known where arguments are constants.
class Inlined {
 public:
  explicit Inlined(const lang::Program& program) : program_(program) {}

 protected:
  using Constants = std::vector<std::optional<std::int64_t>>;  // by local

  // The locals of a body that a call with these arguments enters, or that a thread begins with.
  [[nodiscard]] Constants enter(const lang::Body& body, std::span<const Expression> arguments,
                                const Constants& outer) const {
    Constants result(body.locals.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool fixed =
          !body.locals[i].by_reference && !assigns(body.statements, static_cast<lang::LocalId>(i));
      if (fixed) result[i] = known(arguments[i], outer);
    }
    return result;
  }

  // Of a call that makes an attempt: visit(its body, the constants in it, what comes after the attempt).
  template <typename Visit>
  void in_call(const Expression& call, const Constants& outer, Visit&& visit) const {
    const lang::Body& body = program_.functions[call.id].body;
    visit(body, enter(body, call.operands, outer), std::span(body.statements).subspan(1));
  }

  // The statements of an `if` that its condition may lead to.
  template <typename Visit>
  static void each_arm(const Statement& statement, const Constants& constants, Visit&& visit) {
    const auto condition = known(statement.expressions[0], constants);
    if (!condition || *condition != 0) visit(statement.body);
    if (!condition || *condition == 0) visit(statement.otherwise);
  }

  const lang::Program& program_;

 private:
  static bool assigns(std::span<const Statement> statements, lang::LocalId local) {
    return std::ranges::any_of(statements, [&](const Statement& statement) {
      return (statement.kind == StatementKind::assign && statement.id == local) ||
             std::ranges::any_of(statement.expressions,
                                 [&](const Expression& e) { return refers(e, local); }) ||
             assigns(statement.body, local) || assigns(statement.otherwise, local);
    });
  }
  // A call may assign to what it gets by reference.
  static bool refers(const Expression& expression, lang::LocalId local) {
    const auto is_local = [&](const Expression& operand) {
      return operand.kind == ExpressionKind::local && operand.id == local && operand.operands.empty();
    };
    if (expression.kind == ExpressionKind::call && std::ranges::any_of(expression.operands, is_local))
      return true;
    return std::ranges::any_of(expression.operands,
                               [&](const Expression& operand) { return refers(operand, local); });
  }
};

// What the program does to a variable in which some loop waits.
struct Uses {
  // Something depends on its values in another way than failing rounds of additions leave as it is.
  bool looks = false;
  bool falls = false;     // some loop opens with a subtraction
  bool rises = false;     // some loop opens with an addition
  bool at_least = false;  // an `await`, or the end of a loop, compares it in this way
  bool at_most = false;
  std::vector<std::int64_t> equal;  // the values that it is compared with
  // What is written to it, and its first value; nothing if that is not constant.
  std::optional<std::set<std::int64_t>> values = std::set<std::int64_t>{};
};

// Finds the loops that are of one of the forms, and what threads do to the variables in which these wait.
class Survey : Inlined {
 public:
  struct Opened {
    bool refused = false;              // in `atomic`, or by a daemon
    std::set<std::int64_t> exchanged;  // what it writes
  };

  explicit Survey(const lang::Program& program) : Inlined(program), uses_(program.variables.size()) {
    for (const lang::Variable& variable : program.variables) {
      Uses& uses = uses_[&variable - program.variables.data()];
      for (std::uint32_t i = 0; i < variable.length; ++i) {
        const std::int64_t first = variable.initial.empty() ? 0 : variable.initial[i];
        uses.values->insert(first);
        uses.looks = uses.looks || !is_near(first);
      }
    }
    for (const lang::ThreadTemplate& thread : program.templates) {
      is_daemon_ = thread.is_daemon;
      see(thread.body, enter(thread.body, {}, {}), thread.body.statements, false);
    }
    for (const lang::Property& property : program.properties) {
      if (property.kind != lang::PropertyKind::invariant) continue;
      look(property.condition);
    }
  }

  WaitingUpdates openings;
  std::unordered_map<const Statement*, Opened> opened;

  [[nodiscard]] const Uses& of(lang::VariableId variable) const { return uses_[variable]; }
  [[nodiscard]] bool restarts() const { return restarts_; }

 private:
  void see(const lang::Body& body, const Constants& constants, std::span<const Statement> statements,
           bool in_atomic) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Statement& statement = statements[i];
      if (const auto opening = Forms(program_, body).opening(statements.subspan(i))) {
        if (opening->loop != &statement) ++i;
        if (opening->call == nullptr) {
          open(statement, *opening, constants, in_atomic);
          continue;
        }
        in_call(*opening->call, constants, [&](const auto& callee, const Constants& inner, auto after) {
          open(statement, *opening, inner, in_atomic);
          see(callee, inner, after, in_atomic);
        });
        continue;
      }
      see(body, constants, statement, in_atomic);
    }
  }

  void open(const Statement& first, const WaitingUpdate& opening, const Constants& constants,
            bool in_atomic) {
    openings.emplace(&first, opening);
    Opened& here = opened[&first];
    here.refused = here.refused || in_atomic || is_daemon_;
    const Expression& update = *opening.update;
    Uses& uses = uses_[update.id];
    const auto operand = known(update.operands.back(), constants);
    if (!adds(update)) {
      uses.looks = true;
      write(uses, operand);
      if (update.kind == ExpressionKind::cas) return;
      here.refused = here.refused || !operand;
      if (operand) here.exchanged.insert(*operand);
      return;
    }
    uses.values.reset();
    const bool subtracts = update.fetch == FetchOperator::subtract;
    uses.looks = uses.looks || here.refused || !is_small(operand);
    if (!operand || *operand == 0) {
      uses.looks = true;
    } else {
      (subtracts == (*operand > 0) ? uses.falls : uses.rises) = true;
    }
    const auto bound = opening.ends.bound == nullptr ? 0 : known(*opening.ends.bound, constants);
    uses.looks = uses.looks || !is_near(bound);
    compare(uses, opening.ends, constants);
  }

  static void write(Uses& uses, const std::optional<std::int64_t>& value) {
    if (!value) uses.values.reset();
    if (uses.values) uses.values->insert(*value);
  }

  static void compare(Uses& uses, const Passing& with, const Constants& constants) {
    switch (with.relation) {
      case BinaryOperator::greater_equal: uses.at_least = true; break;
      case BinaryOperator::less_equal: uses.at_most = true; break;
      case BinaryOperator::equal: {
        const auto bound = with.bound == nullptr ? 0 : known(*with.bound, constants);
        if (bound) uses.equal.push_back(*bound + with.offset);
        uses.looks = uses.looks || !bound;
        break;
      }
      default: uses.looks = true; break;
    }
  }

  void see(const lang::Body& body, const Constants& constants, const Statement& statement, bool in_atomic) {
    switch (statement.kind) {
      case StatementKind::if_:
        look(statement.expressions[0], constants, in_atomic);
        each_arm(statement, constants,
                 [&](const std::vector<Statement>& arm) { see(body, constants, arm, in_atomic); });
        return;
      case StatementKind::restart: restarts_ = true; break;
      case StatementKind::store: {
        Uses& uses = uses_[statement.id];
        uses.looks = true;
        write(uses, statement.compound ? std::nullopt : known(statement.expressions.back(), constants));
        break;
      }
      case StatementKind::evaluate: {
        const Expression& update = statement.expressions[0];
        if (!adds(update)) break;
        Uses& uses = uses_[update.id];
        uses.values.reset();
        uses.looks = uses.looks || !is_small(known(update.operands.back(), constants));
        for (const Expression& operand : update.operands) look(operand, constants, in_atomic);
        return;
      }
      case StatementKind::await:
        if (statement.gives) break;
        await(statement.expressions[0], constants, in_atomic);
        return;
      default: break;
    }
    for (const Expression& expression : statement.expressions) look(expression, constants, in_atomic);
    see(body, constants, statement.body, in_atomic || statement.kind == StatementKind::atomic);
    see(body, constants, statement.otherwise, in_atomic);
  }

  // A condition that holds if more of its comparisons hold.
  void await(const Expression& condition, const Constants& constants, bool in_atomic) {
    if (condition.kind == ExpressionKind::logical_and || condition.kind == ExpressionKind::logical_or) {
      for (const Expression& operand : condition.operands) await(operand, constants, in_atomic);
      return;
    }
    const auto compared = comparison_in(condition);
    const bool of_one = compared && compared->subject->kind == ExpressionKind::load &&
                        (compared->bound == nullptr || is_plain_value(*compared->bound));
    if (!of_one) return look(condition, constants, in_atomic);
    compare(uses_[compared->subject->id], passing(*compared), constants);
    for (const Expression& index : compared->subject->operands) look(index, constants, in_atomic);
  }

  void look(const Expression& expression) { look(expression, {}, false); }
  void look(const Expression& expression, const Constants& constants, bool in_atomic) {
    for (const Expression& operand : expression.operands) look(operand, constants, in_atomic);
    switch (expression.kind) {
      case ExpressionKind::load: uses_[expression.id].looks = true; break;
      case ExpressionKind::cas:
      case ExpressionKind::exchange:
        uses_[expression.id].looks = true;
        write(uses_[expression.id], known(expression.operands.back(), constants));
        break;
      case ExpressionKind::fetch:
        uses_[expression.id].looks = true;
        uses_[expression.id].values.reset();
        break;
      case ExpressionKind::call: {
        const lang::Body& body = program_.functions[expression.id].body;
        see(body, enter(body, expression.operands, constants), body.statements, in_atomic);
        break;
      }
      default: break;
    }
  }

  std::vector<Uses> uses_;
  bool is_daemon_ = false;
  bool restarts_ = false;
};

// Whether no thread ever adds more to a variable than it has subtracted; with `rises`, subtracts more than it has added.
class Balance : Inlined {
 public:
  Balance(const lang::Program& program, const WaitingUpdates& openings, lang::VariableId variable, bool rises)
      : Inlined(program), openings_(openings), variable_(variable), rises_(rises) {}

  [[nodiscard]] bool holds() {
    for (const lang::ThreadTemplate& thread : program_.templates) {
      Jumps jumps;
      walk(thread.body.statements, 0, enter(thread.body, {}, {}), jumps);
    }
    return holds_;
  }

 private:
  // The greatest sum at a place; nothing if the thread does not come there.
  using Sum = std::optional<std::int64_t>;
  struct Jumps {
    Sum broken, continued, returned;
  };

  static Sum greater(Sum a, Sum b) { return !a ? b : !b ? a : std::max(*a, *b); }

  Sum add(Sum at, const Expression& update, const Constants& constants) {
    if (!at || update.id != variable_) return at;
    const std::int64_t operand = known(update.operands.back(), constants).value_or(most_added);
    const bool subtracts = (update.fetch == FetchOperator::subtract) != rises_;
    at = *at + (subtracts ? -operand : operand);
    holds_ = holds_ && *at <= 0;
    return holds_ ? at : 0;
  }

  Sum walk(std::span<const Statement> statements, Sum at, const Constants& constants, Jumps& jumps) {
    for (std::size_t i = 0; i < statements.size() && at; ++i) {
      const Statement& statement = statements[i];
      if (const auto opening = openings_.find(&statement); opening != openings_.end()) {
        at = walk(opening->second, at, constants);
        if (opening->second.loop != &statement) ++i;
        continue;
      }
      at = walk(statement, at, constants, jumps);
    }
    return at;
  }

  Sum walk(const WaitingUpdate& opening, Sum at, const Constants& constants) {
    const auto update = [&](const Constants& there) {
      if (adds(*opening.update)) at = add(at, *opening.update, there);
    };
    if (opening.call == nullptr) {
      update(constants);
      return at;
    }
    in_call(*opening.call, constants, [&](const lang::Body&, const Constants& inner, auto after) {
      update(inner);
      Jumps jumps;
      at = greater(walk(after, at, inner, jumps), jumps.returned);
    });
    return at;
  }

  Sum walk(const Statement& statement, Sum at, const Constants& constants, Jumps& jumps) {
    const Sum before = at;
    for (const Expression& expression : statement.expressions) at = walk(expression, at, constants);
    switch (statement.kind) {
      case StatementKind::evaluate:
        return adds(statement.expressions[0]) ? add(at, statement.expressions[0], constants) : at;
      case StatementKind::if_: {
        Sum after;
        each_arm(statement, constants, [&](const std::vector<Statement>& arm) {
          after = greater(after, walk(arm, at, constants, jumps));
        });
        return after;
      }
      case StatementKind::either: {
        Sum after;
        for (const Statement& alternative : statement.body)
          after = greater(after, walk(alternative, at, constants, jumps));
        return after;
      }
      case StatementKind::while_:
      case StatementKind::for_: {
        Jumps inner;
        const Sum end = greater(walk(statement.body, at, constants, inner), inner.continued);
        const Sum again =
            statement.kind == StatementKind::while_ ? before : at;  // (ends of a `for` are evaluated once)
        holds_ = holds_ && (!end || *end <= *again);
        jumps.returned = greater(jumps.returned, inner.returned);
        return greater(at, inner.broken);
      }
      case StatementKind::break_: jumps.broken = greater(jumps.broken, at); return std::nullopt;
      case StatementKind::continue_: jumps.continued = greater(jumps.continued, at); return std::nullopt;
      case StatementKind::return_: jumps.returned = greater(jumps.returned, at); return std::nullopt;
      default: return walk(statement.body, at, constants, jumps);
    }
  }

  // Of operands that may not be evaluated, the greater of both sums counts.
  Sum walk(const Expression& expression, Sum at, const Constants& constants) {
    for (const Expression& operand : expression.operands) at = greater(at, walk(operand, at, constants));
    if (expression.kind != ExpressionKind::call) return at;
    const lang::Body& body = program_.functions[expression.id].body;
    Jumps jumps;
    const Sum end = walk(body.statements, at, enter(body, expression.operands, constants), jumps);
    return greater(end, jumps.returned);
  }

  const WaitingUpdates& openings_;
  lang::VariableId variable_;
  bool rises_;
  bool holds_ = true;
};

// Decides of which loops nothing can tell whether there were failing rounds.
class Judge {
 public:
  explicit Judge(const lang::Program& program) : program_(program), survey_(program) {}

  WaitingUpdates take() {
    WaitingUpdates result;
    for (auto [first, opening] : survey_.openings) {
      if (accepts(*first, opening)) result.emplace(first, opening);
    }
    return result;
  }

 private:
  bool accepts(const Statement& first, WaitingUpdate& opening) {
    const Survey::Opened& opened = survey_.opened.at(&first);
    if (opened.refused || survey_.restarts()) return false;
    if (opening.update->kind == ExpressionKind::cas) return true;  // one that fails only reads
    if (opening.update->kind == ExpressionKind::exchange) return accepts_exchange(opening, opened);
    return accepts_addition(opening.update->id);
  }

  // The variable has two values. One is what the loop writes, and reading that one does not end it; so a failing round
  // writes what it read.
  bool accepts_exchange(WaitingUpdate& opening, const Survey::Opened& opened) const {
    const auto& values = survey_.of(opening.update->id).values;
    if (!values || values->size() != 2 || opened.exchanged.size() != 1) return false;
    const auto compared = opening.ends.bound == nullptr ? 0 : constant(*opening.ends.bound);
    if (!is_near(compared)) return false;
    const std::int64_t bound = *compared + opening.ends.offset;
    const std::int64_t written = *opened.exchanged.begin();
    const std::int64_t other = *values->begin() == written ? *values->rbegin() : *values->begin();
    if (compiler::holds(opening.ends.relation, written, bound) ||
        !compiler::holds(opening.ends.relation, other, bound))
      return false;
    opening.ends.relation = BinaryOperator::equal;
    opening.ends.bound = nullptr;
    opening.ends.offset = other;
    return true;
  }

  bool accepts_addition(lang::VariableId id) {
    const auto judged = judged_.find(id);
    if (judged != judged_.end()) return judged->second;
    return judged_[id] = is_monotone(id);
  }

  // Failing rounds make the values in between less, if they subtract; so every comparison that holds must hold for
  // greater values, too.
  bool is_monotone(lang::VariableId id) const {
    const Uses& uses = survey_.of(id);
    const lang::Variable& variable = program_.variables[id];
    if (uses.looks || uses.falls == uses.rises || (uses.falls ? uses.at_most : uses.at_least)) return false;
    if (uses.equal.empty()) return true;
    if (variable.is_array) return false;
    // No value is beyond the first one, and no smaller one is compared with.
    const std::int64_t first = variable.initial.empty() ? 0 : variable.initial[0];
    const bool at_end = std::ranges::all_of(
        uses.equal, [&](std::int64_t value) { return uses.falls ? value >= first : value <= first; });
    return at_end && Balance(program_, survey_.openings, id, uses.rises).holds();
  }

  const lang::Program& program_;
  Survey survey_;
  std::unordered_map<lang::VariableId, bool> judged_;
};

}  // namespace

WaitingUpdates waiting_updates(const lang::Program& program) { return Judge(program).take(); }

}  // namespace heddle::compiler
