// Labels and branches -> if and while. A forward branch skips the code up to its label. A backward branch
// makes a loop of the code in between. Branches to the end or beginning of the innermost loop, or to the
// thread's end, become `break`, `continue` and `return`. Everything else is rejected. A branch always becomes
// an `if`, even around nothing, because everything after it has a control dependency on its condition.
#include <fmt/format.h>

#include <algorithm>

#include "lang/litmus/translator.hpp"

namespace heddle::lang::litmus {

bool Translator::range(std::size_t first, std::size_t last, std::vector<Statement>& out) {
  if (depth_ > 100) refuse(thread_.code[first].range, "branches are nested too deeply: at most 100 levels");
  std::size_t at = first;
  while (at < last) {
    const Instruction& instruction = thread_.code[at];
    const bool translating = !loops_.empty() && loops_.back().first == at;
    const std::size_t end = translating ? 0 : back_edge(at, last);
    bool reachable = true;
    if (end != 0 && !retries(at, end)) {
      if (!loop(at, end + 1, out)) return false;
      at = end + 1;
      continue;
    }
    if (instruction.kind == InstructionKind::branch) {
      at = branch(at, last, out, reachable);
    } else if (instruction.kind == InstructionKind::load_reserved) {
      at = reservation(at, last, out, reachable);
    } else {
      simple(instruction, out);
      ++at;
    }
    if (!reachable) {
      // No branch enters between here and the end, or the structure would have been recognised.
      refuse_entries(at, last, thread_.code.size(), "this branch enters code that is skipped");
      return false;
    }
  }
  return true;
}

// The last branch in [first, last) back to `first`; 0 if there is none.
std::size_t Translator::back_edge(std::size_t first, std::size_t last) const {
  std::size_t found = 0;
  for (std::size_t at = first; at < last; ++at) {
    const Instruction& instruction = thread_.code[at];
    if (instruction.kind == InstructionKind::branch && instruction.destination == first) found = at;
  }
  return found > first ? found : 0;
}

// Reports a branch from outside [first, last) to its inside.
void Translator::refuse_entries(std::size_t first, std::size_t last, std::size_t except, const char* what) {
  for (std::size_t at = 0; at < thread_.code.size(); ++at) {
    const Instruction& instruction = thread_.code[at];
    if (instruction.kind != InstructionKind::branch || at == except || (at >= first && at < last)) continue;
    if (instruction.destination > first && instruction.destination < last) refuse(instruction.range, what);
  }
}

namespace {

BinaryOperator comparison(Relation relation) {
  switch (relation) {
    case Relation::not_equal: return BinaryOperator::not_equal;
    case Relation::less: return BinaryOperator::less;
    case Relation::less_equal: return BinaryOperator::less_equal;
    case Relation::greater: return BinaryOperator::greater;
    case Relation::greater_equal: return BinaryOperator::greater_equal;
    default: return BinaryOperator::equal;
  }
}

Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::equal: return Relation::not_equal;
    case Relation::not_equal: return Relation::equal;
    case Relation::less: return Relation::greater_equal;
    case Relation::less_equal: return Relation::greater;
    case Relation::greater: return Relation::less_equal;
    default: return Relation::less;
  }
}

bool is_order(Relation relation) {
  return relation == Relation::less || relation == Relation::less_equal || relation == Relation::greater ||
         relation == Relation::greater_equal;
}

Statement if_statement(Expression condition, const SourceRange& range) {
  Statement statement = plain(StatementKind::if_, range);
  statement.expressions.push_back(std::move(condition));
  return statement;
}

bool same_value(const Value& left, const Value& right) {
  return left.kind == right.kind && left.variable == right.variable &&
         (left.kind == Value::Kind::unknown || same(left.expression, right.expression));
}

}  // namespace

Expression Translator::condition(const Instruction& branch, bool inverted) {
  if (!state_.flags) {
    refuse(branch.range, "no comparison precedes this branch, or different ones on different paths");
  }
  const Relation relation = inverted ? opposite(branch.relation) : branch.relation;
  const auto& [left, right, unordered] = *state_.flags;
  if (unordered && is_order(relation)) {
    const bool holds = relation == Relation::less_equal || relation == Relation::greater_equal;
    return binary(comparison(holds ? Relation::equal : Relation::not_equal), left, left, branch.range);
  }
  return binary(comparison(relation), left, right, branch.range);
}

// Whether any branch of the thread depends on more than equality.
bool Translator::compares_order() const {
  return std::any_of(thread_.code.begin(), thread_.code.end(), [](const Instruction& instruction) {
    return instruction.kind == InstructionKind::branch && is_order(instruction.relation);
  });
}

std::size_t Translator::branch(std::size_t at, std::size_t last, std::vector<Statement>& out,
                               bool& reachable) {
  const Instruction& instruction = thread_.code[at];
  const bool forward_here = instruction.destination > at && instruction.destination <= last;
  if (forward_here) return forward(at, last, out, reachable);
  if (instruction.relation == Relation::always) {
    if (!jump(instruction.destination, instruction.range, out)) {
      refuse(instruction.range, "this branch cannot be expressed with if and while");
    }
    reachable = false;
    return at + 1;
  }
  Statement statement = if_statement(condition(instruction, false), instruction.range);
  Path taken = path(state_, [&](std::vector<Statement>& body) {
    if (!jump(instruction.destination, instruction.range, body)) {
      refuse(instruction.range, "this branch cannot be expressed with if and while");
    }
    return false;
  });
  state_ = std::move(taken.state);  // a jump does not change the state
  statement.body = std::move(taken.statements);
  out.push_back(std::move(statement));
  return at + 1;
}

std::size_t Translator::forward(std::size_t at, std::size_t last, std::vector<Statement>& out,
                                bool& reachable) {
  const Instruction& instruction = thread_.code[at];
  const std::size_t label = instruction.destination;
  if (instruction.relation == Relation::always) {
    refuse_entries(at, label, at, "this branch enters code that is skipped");
    return label;
  }
  Expression test = condition(instruction, true);
  const State before = state_;
  // `beq L; ...; b M; L: ...; M:` has two alternatives.
  const Instruction& before_label = thread_.code[label - 1];
  const bool two_paths = label > at + 1 && before_label.kind == InstructionKind::branch &&
                         before_label.relation == Relation::always && before_label.destination > label &&
                         before_label.destination <= last;
  const std::size_t end = two_paths ? before_label.destination : label;
  refuse_entries(at, label, at, "this branch cannot be expressed with if and while");
  Path one = path(before, [&](std::vector<Statement>& body) {
    return range(at + 1, two_paths ? label - 1 : label, body);
  });
  Path other = path(before, [&](std::vector<Statement>& body) { return range(label, end, body); });
  reachable = join(one, other, before, instruction.range, out);
  Statement statement = if_statement(std::move(test), instruction.range);
  statement.body = std::move(one.statements);
  statement.otherwise = std::move(other.statements);
  out.push_back(std::move(statement));
  return end;
}

bool Translator::join(Path& one, Path& other, const State& before, const SourceRange& range,
                      std::vector<Statement>& out) {
  if (!one.reachable || !other.reachable) {
    take_over(one.reachable ? one : other, before, range, out);
    return one.reachable || other.reachable;
  }
  state_ = before;
  for (RegisterId reg = 0; reg < state_.registers.size(); ++reg) {
    const Value& left = one.state.registers[reg];
    const Value& right = other.state.registers[reg];
    Value& result = state_.registers[reg];
    if (same_value(left, right)) {
      result = left;
      continue;
    }
    if (left.kind == Value::Kind::unknown || right.kind == Value::Kind::unknown) {
      result = left.kind == Value::Kind::unknown ? left : right;
      continue;
    }
    const Value& old = before.registers[reg];
    const bool known = old.kind != Value::Kind::unknown;
    const LocalId id = new_local(thread_.registers->name(reg));
    out.push_back(declare(id, known ? number(old, range) : literal(0, range), range));
    for (Path* const path : {&one, &other}) {
      const Value& value = path->state.registers[reg];
      if (!known || !same_value(value, old))
        path->statements.push_back(assign(id, number(value, range), range));
    }
    const bool word = left.word && right.word;
    result = {};
    result.word = word;
    result.expression = local(id, range);
  }
  const auto& left = one.state.flags;
  const auto& right = other.state.flags;
  const bool equal = left && right && same(left->left, right->left) && same(left->right, right->right) &&
                     left->unordered == right->unordered;
  state_.flags = equal ? left : std::nullopt;
  return true;
}

void Translator::take_over(Path& path, const State& before, const SourceRange& range,
                           std::vector<Statement>& out) {
  state_ = std::move(path.state);
  if (!path.reachable) return;
  std::vector<LocalId> inner;
  for (const Statement& statement : path.statements) {
    if (statement.kind == StatementKind::declare) inner.push_back(statement.id);
  }
  const auto hoist = [&](std::string_view name, Expression& expression, const Expression& first) {
    if (std::none_of(inner.begin(), inner.end(), [&](LocalId id) { return mentions(expression, id); }))
      return;
    const LocalId id = new_local(name);
    out.push_back(declare(id, first, range));
    path.statements.push_back(assign(id, std::move(expression), range));
    expression = local(id, range);
  };
  for (RegisterId reg = 0; reg < state_.registers.size(); ++reg) {
    const Value& old = before.registers[reg];
    const bool known = old.kind == Value::Kind::number && state_.registers[reg].kind == Value::Kind::number;
    hoist(thread_.registers->name(reg), state_.registers[reg].expression,
          known ? old.expression : literal(0, range));
  }
  if (!state_.flags) return;
  hoist("compared", state_.flags->left, literal(0, range));
  hoist("compared", state_.flags->right, literal(0, range));
}

bool Translator::jump(std::size_t destination, const SourceRange& range, std::vector<Statement>& out) {
  if (!loops_.empty() && (destination == loops_.back().first || destination == loops_.back().exit)) {
    const Loop& loop = loops_.back();
    leave_loop_locals(loop, range, out);
    const bool again = destination == loop.first;
    out.push_back(plain(again ? StatementKind::continue_ : StatementKind::break_, range));
    return true;
  }
  if (destination != thread_.code.size()) return false;
  if (leaves_early_) assign_observed(out);
  if (!leaves_early_ && !thread_.observed.empty()) needs_exit_ = true;
  out.push_back(plain(StatementKind::return_, range));
  return true;
}

bool Translator::loop(std::size_t first, std::size_t exit, std::vector<Statement>& out) {
  const SourceRange range = thread_.code[exit - 1].range;
  refuse_entries(first, exit, thread_.code.size(), "this branch enters a loop from the side");
  Loop result{first, exit, {}};
  std::vector<bool> written(state_.registers.size(), false);
  for (std::size_t at = first; at < exit; ++at) {
    each_written(thread_.code[at], [&](RegisterId reg) { written[reg] = true; });
  }
  for (RegisterId reg = 0; reg < written.size(); ++reg) {
    if (!written[reg]) continue;
    Value& value = state_.registers[reg];
    if (value.kind == Value::Kind::unknown) continue;
    const LocalId id = keep(thread_.registers->name(reg), number(value, range), range, out);
    result.locals.emplace_back(reg, id);
    value = {};
    value.expression = local(id, range);
  }
  state_.flags.reset();

  Statement statement = plain(StatementKind::while_, range);
  statement.expressions.push_back(truth(true, range));
  loops_.push_back(result);
  const State before = state_;
  Path body = path(before, [&](std::vector<Statement>& inner) {
    // The backward branch is the last instruction; after it, the loop ends.
    const Instruction& back = thread_.code[exit - 1];
    if (!this->range(first, exit - 1, inner)) return false;
    if (back.relation != Relation::always) {
      Statement leave = if_statement(condition(back, true), back.range);
      Path out_of_loop =
          path(state_, [&](std::vector<Statement>& inside) { return !jump(exit, back.range, inside); });
      state_ = std::move(out_of_loop.state);
      leave.body = std::move(out_of_loop.statements);
      inner.push_back(std::move(leave));
    }
    leave_loop_locals(loops_.back(), back.range, inner);
    return true;
  });
  loops_.pop_back();
  statement.body = std::move(body.statements);
  out.push_back(std::move(statement));
  // After the loop, registers written in it are known only through the loop's locals.
  state_ = before;
  bool leaves = thread_.code[exit - 1].relation != Relation::always;
  for (std::size_t at = first; at < exit; ++at) {
    const Instruction& instruction = thread_.code[at];
    leaves = leaves || (instruction.kind == InstructionKind::branch && instruction.destination == exit);
  }
  return leaves;
}

// Copies the current register values to the loop's locals, all at once because one value may use another's
// local.
void Translator::leave_loop_locals(const Loop& loop, const SourceRange& range, std::vector<Statement>& out) {
  std::vector<std::pair<LocalId, Expression>> changed;
  for (const auto& [reg, id] : loop.locals) {
    const Value& value = state_.registers[reg];
    const Expression expression = number(value, range);
    if (expression.kind == ExpressionKind::local && expression.id == id) continue;
    changed.emplace_back(id, expression);
  }
  for (auto& [id, expression] : changed) {
    const bool used = std::any_of(changed.begin(), changed.end(), [&](const auto& other) {
      return other.first != id && mentions(expression, other.first);
    });
    if (used) expression = local(keep(body_.locals[id].name, std::move(expression), range, out), range);
  }
  for (auto& [id, expression] : changed) out.push_back(assign(id, std::move(expression), range));
}

}  // namespace heddle::lang::litmus
