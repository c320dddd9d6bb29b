// Instructions that read and write one location atomically.
//
// x86's locked instructions become the language's atomic operations. If `lock cmpxchg` fails, it leaves the
// old value in rax, which `cas` does not return. Where that value is used, both outcomes are written out:
// either an exchange that found the expected value, or a full fence and a load that found a different one (a
// failed cas drains the store buffer and is a read).
//
// A lwarx and its stwcx. are translated together if only instructions on registers come between them. The
// stwcx. may always fail, so again there are two outcomes: an atomic exchange (or fetch_add etc., if that is
// what is computed), or a plain load without a store. A branch out from between the two, as when a lock is
// found taken, was not taken if the stwcx. succeeded. If a failure is always followed by another try that
// starts in the same state, failures have no observable effect and only the success remains.
//
// A stwcx. sets cr0 from all registers it reads, so a branch on cr0 depends on the stored value and on the
// address, whether the store succeeds or not.
// stored and on the address, whether the store succeeds or not.
#include <fmt/format.h>

#include <algorithm>

#include "lang/litmus/translator.hpp"

namespace heddle::lang::litmus {
namespace {

// A nondeterministic choice between two outcomes: 0 or 1.
Expression guess(const SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::choose;
  result.range = range;
  result.operands.push_back(literal(0, range));
  result.operands.push_back(literal(2, range));
  return result;
}

bool works_on_registers(InstructionKind kind) {
  return kind == InstructionKind::nothing || kind == InstructionKind::copy ||
         kind == InstructionKind::compute || kind == InstructionKind::extend ||
         kind == InstructionKind::rotate || kind == InstructionKind::swap ||
         kind == InstructionKind::compare || kind == InstructionKind::branch;
}

}  // namespace

void Translator::update(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  const Target target = location(instruction.address, range, instruction.word);
  const LocalId old = keep("old", access(ExpressionKind::load, target, range), range, out);
  Expression result =
      binary(instruction.op, local(old, range), number(instruction.left, instruction.word), range);
  if (instruction.word) result = as_word(std::move(result), range);
  store(target, result, range, out);
  compare(std::move(result), literal(0, range));
}

void Translator::exchange(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  Expression operation =
      access(ExpressionKind::exchange, location(instruction.address, range, instruction.word), range);
  Argument desired;
  desired.kind = ArgumentKind::register_;
  desired.reg = instruction.target;
  desired.range = range;
  operation.operands.push_back(number(desired, instruction.word));
  set_kept(instruction.target, std::move(operation), range, out, instruction.word);
}

void Translator::fetch(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  const bool word = instruction.word;
  const bool carries = instruction.op == BinaryOperator::add || instruction.op == BinaryOperator::subtract;
  if (word && carries && thread_.numbers.large) {
    refuse(range, "the value stored by this atomic operation may need more than 32 bits",
           "the test has large numbers: use the 64-bit instruction (suffix 'q')");
  }
  Expression operation = access(ExpressionKind::fetch, location(instruction.address, range, word), range);
  operation.fetch = *fetch_with(instruction.op);
  const Expression operand = number(instruction.left, word);
  operation.operands.push_back(operand);
  const std::string name = instruction.has_target ? thread_.registers->name(instruction.target) : "old";
  const LocalId old = keep(name, std::move(operation), range, out);
  if (instruction.has_target) {
    set(instruction.target, local(old, range));
    state_.registers[instruction.target].word = word;
  }
  compare(binary(instruction.op, local(old, range), operand, range), literal(0, range));
}

bool Translator::needs_old_value(const Instruction& instruction) const {
  const RegisterId rax = instruction.target;
  const bool observed = std::any_of(thread_.observed.begin(), thread_.observed.end(),
                                    [&](const Observed& each) { return each.reg == rax; });
  if (has_loop_ || compares_order() || observed) return true;
  return std::any_of(thread_.code.begin(), thread_.code.end(), [&](const Instruction& other) {
    bool reads = false;
    each_read(other, [&](RegisterId reg) { reads = reads || reg == rax; });
    return reads && &other != &instruction;
  });
}

void Translator::exclude(Expression condition, const SourceRange& range, std::vector<Statement>& out) {
  Statement statement = plain(StatementKind::if_, range);
  statement.expressions.push_back(std::move(condition));
  Statement& never = statement.body.emplace_back(plain(StatementKind::assume, range));
  never.expressions.push_back(truth(false, range));
  out.push_back(std::move(statement));
}

void Translator::compare_exchange(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  const bool word = instruction.word;
  const Target target = location(instruction.address, range, word);
  Argument rax;
  rax.kind = ArgumentKind::register_;
  rax.reg = instruction.target;
  rax.range = range;
  const Expression expected = number(rax, word);
  const Expression desired = number(instruction.left, word);
  if (!needs_old_value(instruction)) {
    Expression operation = access(ExpressionKind::cas, target, range);
    operation.type = Type::boolean;
    operation.operands.push_back(expected);
    operation.operands.push_back(desired);
    const LocalId done = new_local("done");
    out.push_back(declare(done, as_number(std::move(operation)), range));
    Value& value = state_.registers[instruction.target];
    value = {};
    value.kind = Value::Kind::unknown;
    value.why = "is left undefined by cmpxchg";
    return compare(local(done, range), literal(1, range));
  }
  const LocalId done = keep("done", guess(range), range, out);
  const State before = state_;
  Path success = path(before, [&](std::vector<Statement>& body) {
    Expression operation = access(ExpressionKind::exchange, target, range);
    operation.operands.push_back(desired);
    const LocalId old = keep("old", std::move(operation), range, body);
    exclude(binary(BinaryOperator::not_equal, local(old, range), expected, range), range, body);
    return true;
  });
  Path failure = path(before, [&](std::vector<Statement>& body) {
    body.push_back(plain(StatementKind::fence, range));
    set_kept(instruction.target, access(ExpressionKind::load, target, range), range, body, word);
    exclude(binary(BinaryOperator::equal, number(rax, word), expected, range), range, body);
    return true;
  });
  static_cast<void>(join(success, failure, before, range, out));
  branch_on(done, std::move(success), std::move(failure), range, out);
  // On both paths rax holds the old value, which is what the instruction compared.
  if (compares_order()) compare(expected, number(rax, word));
}

void Translator::branch_on(LocalId done, Path success, Path failure, const SourceRange& range,
                           std::vector<Statement>& out) {
  Statement statement = plain(StatementKind::if_, range);
  statement.expressions.push_back(
      binary(BinaryOperator::equal, local(done, range), literal(1, range), range));
  statement.body = std::move(success.statements);
  statement.otherwise = std::move(failure.statements);
  out.push_back(std::move(statement));
  compare(local(done, range), literal(1, range));
}

Expression Translator::read_and_write(const Target& target, LocalId old, Expression written,
                                      const SourceRange& range) {
  Expression operation = access(ExpressionKind::exchange, target, range);
  if (!mentions(written, old)) {
    operation.operands.push_back(std::move(written));
    return operation;
  }
  const auto is_old = [&](const Expression& expression) {
    return expression.kind == ExpressionKind::local && expression.id == old;
  };
  operation.kind = ExpressionKind::fetch;
  if (is_old(written)) {  // stores the value it read
    operation.operands.push_back(literal(0, range));
    return operation;
  }
  if (written.kind == ExpressionKind::binary) {
    Expression& left = written.operands[0];
    Expression& right = written.operands[1];
    if (!is_old(left) && is_old(right) && written.binary != BinaryOperator::subtract) std::swap(left, right);
    const auto op = fetch_with(written.binary);
    if (op && is_old(left) && !mentions(right, old)) {
      operation.fetch = *op;
      operation.operands.push_back(std::move(right));
      return operation;
    }
  }
  refuse(range, "no atomic operation computes the value stored here from the value that lwarx read",
         "store a number, or the value read combined by one addition, subtraction, and, or or xor");
}

namespace {

void collect_locals(const Expression& expression, std::vector<LocalId>& result) {
  if (expression.kind == ExpressionKind::local &&
      std::find(result.begin(), result.end(), expression.id) == result.end()) {
    result.push_back(expression.id);
  }
  for (const Expression& operand : expression.operands) collect_locals(operand, result);
}

}  // namespace

std::vector<LocalId> Translator::store_inputs(const Instruction& store) {
  std::vector<LocalId> result;
  collect_locals(number(store.left), result);
  const Target target = location(store.address, store.range);
  if (target.index) collect_locals(*target.index, result);
  return result;
}

std::size_t Translator::reservation(std::size_t at, std::size_t last, std::vector<Statement>& out,
                                    bool& reachable) {
  const SourceRange& range = thread_.code[at].range;
  const bool reserves = std::any_of(thread_.code.begin(), thread_.code.end(), [](const Instruction& each) {
    return each.kind == InstructionKind::store_conditional;
  });
  if (!reserves) {  // an ordinary load
    const Instruction& load = thread_.code[at];
    set_kept(load.target, access(ExpressionKind::load, location(load.address, range), range), range, out);
    return at + 1;
  }
  std::size_t end = at + 1;
  while (end < last && works_on_registers(thread_.code[end].kind)) ++end;
  if (end == last || thread_.code[end].kind != InstructionKind::store_conditional) {
    refuse(range, "only instructions on registers may come between this and a stwcx. to the same location");
  }
  refuse_entries(at, end + 1, thread_.code.size(), "this branch jumps between a lwarx and its stwcx.");
  for (std::size_t inside = at + 1; inside < end; ++inside) {
    const Instruction& instruction = thread_.code[inside];
    const bool is_branch = instruction.kind == InstructionKind::branch;
    const bool stays = instruction.destination > at && instruction.destination <= end;
    if (is_branch && (stays || instruction.relation == Relation::always)) {
      refuse(instruction.range, "this branch stays between a lwarx and its stwcx.");
    }
  }
  const bool again = retries(at, end + 1);
  const bool leaves = std::any_of(
      thread_.code.begin() + static_cast<std::ptrdiff_t>(at),
      thread_.code.begin() + static_cast<std::ptrdiff_t>(end), [&](const Instruction& instruction) {
        return instruction.kind == InstructionKind::branch && instruction.destination != at;
      });
  if (again && !leaves) {
    reserved_success(at, end, out);
  } else {
    const LocalId done = keep("done", guess(range), range, out);
    const State before = state_;
    Path success = path(before, [&](std::vector<Statement>& body) {
      reserved_success(at, end, body);
      return true;
    });
    Path failure =
        path(before, [&](std::vector<Statement>& body) { return reserved_failure(at, end, again, body); });
    reachable = join(success, failure, before, range, out);
    branch_on(done, std::move(success), std::move(failure), range, out);
    state_.flags->unordered = true;  // LT and GT are cleared
  }
  const std::vector<LocalId> inputs = reachable ? store_inputs(thread_.code[end]) : std::vector<LocalId>();
  if (!again) {
    for (const LocalId input : inputs) {
      Expression nothing = binary(BinaryOperator::bit_xor, local(input, range), local(input, range), range);
      Expression& compared = state_.flags->left;
      compared = binary(BinaryOperator::add, std::move(compared), std::move(nothing), range);
    }
    return end + 1;
  }
  const SourceRange& back = thread_.code[end + 1].range;
  for (const LocalId input : inputs) {
    Statement test = plain(StatementKind::if_, back);
    test.expressions.push_back(
        binary(BinaryOperator::not_equal, local(input, back), local(input, back), back));
    out.push_back(std::move(test));
  }
  compare(literal(1, range), literal(1, range));
  return end + 2;
}

// Whether a round of the loop [first, last) that follows a failed stwcx. starts in the same state as the
// previous round. It does if the loop writes nothing that a round reads before writing it.
bool Translator::rounds_are_alike(std::size_t first, std::size_t last) const {
  std::vector<bool> changes(state_.registers.size(), false);
  for (std::size_t at = first; at < last; ++at) {
    each_written(thread_.code[at], [&](RegisterId reg) { changes[reg] = true; });
  }
  std::vector<bool> written(state_.registers.size(), false);
  bool compared = false;
  bool alike = true;
  for (std::size_t at = first; at < last; ++at) {
    const Instruction& instruction = thread_.code[at];
    each_read(instruction, [&](RegisterId reg) { alike = alike && (written[reg] || !changes[reg]); });
    each_written(instruction, [&](RegisterId reg) { written[reg] = true; });
    const bool branches =
        instruction.kind == InstructionKind::branch && instruction.relation != Relation::always;
    alike = alike && (compared || !branches);
    compared = compared || instruction.sets_flags || instruction.kind == InstructionKind::compare;
  }
  return alike;
}

// Whether the lwarx at `at` starts a loop whose last instruction, `back`, retries after a failed stwcx.
bool Translator::retries(std::size_t at, std::size_t back) const {
  const auto& code = thread_.code;
  if (back >= code.size() || code[at].kind != InstructionKind::load_reserved) return false;
  if (code[back - 1].kind != InstructionKind::store_conditional) return false;
  const bool branches_back = code[back].kind == InstructionKind::branch &&
                             code[back].relation == Relation::not_equal && code[back].destination == at;
  return branches_back &&
         std::all_of(code.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     code.begin() + static_cast<std::ptrdiff_t>(back) - 1,
                     [](const Instruction& instruction) { return works_on_registers(instruction.kind); }) &&
         rounds_are_alike(at, back);
}

void Translator::reserved_success(std::size_t at, std::size_t end, std::vector<Statement>& out) {
  const Instruction& load = thread_.code[at];
  const Instruction& store = thread_.code[end];
  const Target target = location(load.address, load.range);
  const LocalId old = new_local(thread_.registers->name(load.target));
  set(load.target, local(old, load.range));
  std::vector<Statement> checks;
  in_reservation_ = true;
  for (std::size_t inside = at + 1; inside < end; ++inside) {
    const Instruction& instruction = thread_.code[inside];
    if (instruction.kind == InstructionKind::branch) {
      exclude(condition(instruction, false), instruction.range, checks);
    } else {
      simple(instruction, checks);
    }
  }
  in_reservation_ = false;
  const Target stored = location(store.address, store.range);
  const bool same_index = stored.index.has_value() == target.index.has_value() &&
                          (!stored.index || same(*stored.index, *target.index));
  if (stored.variable != target.variable || !same_index) {
    refuse(store.range, "this is not the location reserved by the preceding lwarx");
  }
  out.push_back(declare(old, read_and_write(target, old, number(store.left), store.range), store.range));
  for (Statement& check : checks) out.push_back(std::move(check));
}

// The path on which the stwcx. is not reached or fails. `again`: leave out failures that only lead to another
// try.
bool Translator::reserved_failure(std::size_t at, std::size_t end, bool again, std::vector<Statement>& out) {
  const Instruction& load = thread_.code[at];
  set_kept(load.target, access(ExpressionKind::load, location(load.address, load.range), load.range),
           load.range, out);
  for (std::size_t inside = at + 1; inside < end; ++inside) {
    const Instruction& instruction = thread_.code[inside];
    if (instruction.kind != InstructionKind::branch) {
      simple(instruction, out);
    } else if (again && instruction.destination == at) {
      exclude(condition(instruction, false), instruction.range, out);
    } else {
      bool reachable = true;
      static_cast<void>(branch(inside, inside + 1, out, reachable));
    }
  }
  if (!again) return true;
  Statement never = plain(StatementKind::assume, thread_.code[end].range);
  never.expressions.push_back(truth(false, never.range));
  out.push_back(std::move(never));
  return false;
}

}  // namespace heddle::lang::litmus
