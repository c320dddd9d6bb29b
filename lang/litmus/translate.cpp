// Files: translate.cpp straight-line code and registers, control_flow.cpp branches and loops, atomics.cpp
// instructions that read and write in one.
#include "lang/litmus/translate.hpp"

#include <fmt/format.h>

#include "lang/litmus/translator.hpp"

namespace heddle::lang::litmus {

Translator::Translator(const ThreadCode& thread, Builder& builder) : thread_(thread), builder_(builder) {
  for (std::size_t i = 0; i < thread.code.size(); ++i) {
    const Instruction& instruction = thread.code[i];
    if (instruction.kind == InstructionKind::branch && instruction.destination <= i) has_loop_ = true;
  }
}

std::optional<std::vector<LocalId>> Translator::run() {
  try {
    if (auto result = attempt()) return result;
    // A branch leaves from within: the observed registers need locals that are there from the beginning.
    leaves_early_ = true;
    return attempt();
  } catch (const Untranslatable&) {
    return {};
  }
}

std::optional<std::vector<LocalId>> Translator::attempt() {
  body_ = {};
  state_ = {thread_.initial, {}};
  state_.registers.resize(thread_.registers->size());
  depth_ = 0;
  observed_.clear();
  loops_.clear();
  std::vector<Statement> statements;
  if (leaves_early_) {
    for (const RegisterId reg : thread_.observed) {
      observed_.push_back(new_local(thread_.registers->name(reg)));
      statements.push_back(declare(observed_.back(), literal(0, thread_.range), thread_.range));
    }
  }
  const bool falls_through = range(0, thread_.code.size(), statements);
  if (needs_exit_) {
    needs_exit_ = false;
    return {};
  }
  if (leaves_early_) {
    if (falls_through) assign_observed(statements);
  } else {
    for (const RegisterId reg : thread_.observed) {
      const Expression value = observed_value(reg);
      if (value.kind == ExpressionKind::local && body_.locals[value.id].top_level) {
        observed_.push_back(value.id);
        continue;
      }
      observed_.push_back(new_local(thread_.registers->name(reg)));
      statements.push_back(declare(observed_.back(), value, thread_.range));
    }
  }
  ThreadTemplate result;
  result.name = fmt::format("P{}", thread_.number);
  result.range = thread_.range;
  result.body = std::move(body_);
  result.body.statements = std::move(statements);
  builder_.add_thread(std::move(result));
  return observed_;
}

void Translator::refuse(const SourceRange& range, std::string message, std::string hint) {
  builder_.error(range, std::move(message), std::move(hint));
  throw Untranslatable{};
}

LocalId Translator::new_local(std::string_view wanted, Type type) {
  std::string name = builder_.local_name(body_, wanted);
  Local& local = body_.locals.emplace_back();
  local.name = std::move(name);
  local.type = type;
  local.top_level = depth_ == 0;
  local.range = thread_.range;
  return static_cast<LocalId>(body_.locals.size() - 1);
}

Expression Translator::observed_value(RegisterId reg) {
  const Value& value = state_.registers[reg];
  const std::string& name = thread_.registers->name(reg);
  if (value.kind == Value::Kind::address) {
    refuse(thread_.range, fmt::format("{}:{} holds an address at the end; only numbers can be observed",
                                      thread_.number, name));
  }
  if (value.kind == Value::Kind::unknown) {
    refuse(thread_.range, fmt::format("{}:{} {}", thread_.number, name, value.why));
  }
  return value.expression;
}

void Translator::assign_observed(std::vector<Statement>& out) {
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    out.push_back(assign(observed_[i], observed_value(thread_.observed[i]), thread_.range));
  }
}

Expression Translator::number(const Argument& argument) {
  if (argument.kind != ArgumentKind::register_) return literal(argument.value, argument.range);
  const Value& value = state_.registers[argument.reg];
  const std::string& name = thread_.registers->name(argument.reg);
  switch (value.kind) {
    case Value::Kind::number: return value.expression;
    case Value::Kind::unknown: refuse(argument.range, fmt::format("{} {}", name, value.why));
    case Value::Kind::address: break;
  }
  refuse(argument.range, fmt::format("{} holds the address of {}; addresses can be used to load and store "
                                     "only, not as numbers",
                                     name, builder_.location_name(value.variable)));
}

Value Translator::value(const Argument& argument) {
  if (argument.kind == ArgumentKind::register_) {
    const Value& value = state_.registers[argument.reg];
    if (value.kind == Value::Kind::unknown) {
      refuse(argument.range, fmt::format("{} {}", thread_.registers->name(argument.reg), value.why));
    }
    return value;
  }
  Value result;
  result.expression = literal(argument.value, argument.range);
  if (argument.kind == ArgumentKind::location) {
    result.kind = Value::Kind::address;
    result.variable = builder_.variable(argument.location, argument.range);
  }
  return result;
}

// One of the two is an address and the other one is added to it; or two numbers.
Value Translator::sum(Value left, Value right, const SourceRange& range) {
  const bool two_addresses = left.kind == Value::Kind::address && right.kind == Value::Kind::address;
  if (right.kind == Value::Kind::address) std::swap(left, right);
  if (two_addresses) {
    refuse(range, fmt::format("this adds the addresses of {} and {}", builder_.location_name(left.variable),
                              builder_.location_name(right.variable)));
  }
  const bool nothing = is_literal(left.expression) && left.expression.value == 0;
  left.expression =
      nothing ? std::move(right.expression)
              : binary(BinaryOperator::add, std::move(left.expression), std::move(right.expression), range);
  return left;
}

Translator::Target Translator::location(const Address& address, const SourceRange& range) {
  Value result = value(address.base);
  if (address.index.kind != ArgumentKind::none) result = sum(std::move(result), value(address.index), range);
  if (address.displacement != 0) {
    Value displacement;
    displacement.expression = literal(address.displacement, range);
    result = sum(std::move(result), std::move(displacement), range);
  }
  if (result.kind != Value::Kind::address) {
    refuse(range, "which location this is about is not known before the test runs",
           "give the register a location in the initial state, like 0:r5=x");
  }
  Target target{result.variable, {}};
  if (!is_literal(result.expression)) {
    builder_.make_array(result.variable);
    target.index = std::move(result.expression);
  } else if (result.expression.value != 0) {
    refuse(range, fmt::format("there is no location at {}{:+}", builder_.location_name(result.variable),
                              result.expression.value));
  }
  return target;
}

Expression Translator::access(ExpressionKind kind, const Target& target, const SourceRange& range) {
  Expression result;
  result.kind = kind;
  result.id = target.variable;
  result.range = range;
  if (target.index) result.operands.push_back(*target.index);
  return result;
}

void Translator::set(RegisterId reg, Expression expression) {
  Value& value = state_.registers[reg];
  value = {};
  value.expression = std::move(expression);
}

LocalId Translator::keep(std::string_view wanted, Expression value, const SourceRange& range,
                         std::vector<Statement>& out) {
  const LocalId id = new_local(wanted, value.type);
  out.push_back(declare(id, std::move(value), range));
  return id;
}

void Translator::set_kept(RegisterId reg, Expression value, const SourceRange& range,
                          std::vector<Statement>& out) {
  set(reg, local(keep(thread_.registers->name(reg), std::move(value), range, out), range));
}

void Translator::compare(Expression left, Expression right) {
  state_.flags = Flags{std::move(left), std::move(right), false};
}

void Translator::store(const Target& target, Expression value, const SourceRange& range,
                       std::vector<Statement>& out) {
  Statement statement = plain(StatementKind::store, range);
  statement.id = target.variable;
  if (target.index) statement.expressions.push_back(*target.index);
  statement.expressions.push_back(std::move(value));
  out.push_back(std::move(statement));
}

void Translator::copy_or_compute(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  Value result;
  if (instruction.kind == InstructionKind::copy) {
    result = value(instruction.left);
  } else if (instruction.op == BinaryOperator::add) {
    result = sum(value(instruction.left), value(instruction.right), range);
  } else {
    result.expression = binary(instruction.op, number(instruction.left), number(instruction.right), range);
  }
  // Long chains are cut by a local: an expression that uses another one twice would double in size.
  constexpr std::size_t most_nodes = 24;
  if (size(result.expression) > most_nodes) {
    if (in_reservation_) refuse(range, "too much is computed between a reservation and its use");
    const LocalId id =
        keep(thread_.registers->name(instruction.target), std::move(result.expression), range, out);
    result.expression = local(id, range);
  }
  state_.registers[instruction.target] = std::move(result);
  if (instruction.sets_flags) {
    Argument target;
    target.kind = ArgumentKind::register_;
    target.reg = instruction.target;
    target.range = range;
    compare(number(target), literal(0, range));
  }
}

void Translator::simple(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  switch (instruction.kind) {
    case InstructionKind::nothing:
    case InstructionKind::branch:
    case InstructionKind::load_reserved: break;
    case InstructionKind::copy:
    case InstructionKind::compute: copy_or_compute(instruction, out); break;
    case InstructionKind::swap:
      std::swap(state_.registers[instruction.target], state_.registers[instruction.left.reg]);
      break;
    case InstructionKind::compare: compare(number(instruction.left), number(instruction.right)); break;
    case InstructionKind::load:
      set_kept(instruction.target, access(ExpressionKind::load, location(instruction.address, range), range),
               range, out);
      break;
    case InstructionKind::store:
      store(location(instruction.address, range), number(instruction.left), range, out);
      break;
    case InstructionKind::fence:
      out.push_back(plain(StatementKind::fence, range));
      out.back().fence = instruction.fence;
      break;
    case InstructionKind::update: update(instruction, out); break;
    case InstructionKind::exchange: exchange(instruction, out); break;
    case InstructionKind::fetch: fetch(instruction, out); break;
    case InstructionKind::compare_exchange: compare_exchange(instruction, out); break;
    case InstructionKind::store_conditional:
      refuse(range, "there is no lwarx before this in straight-line code");
  }
}

std::optional<std::vector<LocalId>> translate(const ThreadCode& thread, Builder& builder) {
  return Translator(thread, builder).run();
}

}  // namespace heddle::lang::litmus
