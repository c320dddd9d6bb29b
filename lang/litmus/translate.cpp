// Straight-line code and registers. Branches and loops are in control_flow.cpp, atomic read-modify-writes in
// atomics.cpp.
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
    // A branch leaves the thread early: the observed registers need locals declared at the beginning.
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
    for (const Observed& observed : thread_.observed) {
      observed_.push_back(new_local(thread_.registers->name(observed.reg)));
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
    for (const Observed& observed : thread_.observed) {
      const Expression value = observed_value(observed);
      if (value.kind == ExpressionKind::local && body_.locals[value.id].top_level) {
        observed_.push_back(value.id);
        continue;
      }
      observed_.push_back(new_local(thread_.registers->name(observed.reg)));
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

Expression Translator::observed_value(const Observed& observed) {
  const Value& value = state_.registers[observed.reg];
  if (value.kind == Value::Kind::unknown) {
    refuse(thread_.range,
           fmt::format("{}:{} {}", thread_.number, thread_.registers->name(observed.reg), value.why));
  }
  Argument argument;
  argument.kind = ArgumentKind::register_;
  argument.reg = observed.reg;
  argument.range = thread_.range;
  return number(argument, observed.word);
}

void Translator::assign_observed(std::vector<Statement>& out) {
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    out.push_back(assign(observed_[i], observed_value(thread_.observed[i]), thread_.range));
  }
}

Expression Translator::number(const Value& value, const SourceRange& range) {
  if (value.kind != Value::Kind::address) return value.expression;
  return binary(BinaryOperator::add, literal(builder_.address(value.variable), range), value.expression,
                range);
}

Expression Translator::number(const Argument& argument, bool word) {
  if (argument.kind == ArgumentKind::constant) {
    Expression result = literal(argument.value, argument.range);
    return word ? as_word(std::move(result), argument.range) : result;
  }
  const Value known = value(argument);
  Expression result = number(known, argument.range);
  if (word == known.word) return result;
  if (word) return as_word(std::move(result), argument.range);
  // A 32-bit instruction clears the upper half of the register.
  const bool same = is_literal(result) ? result.value >= 0 : !thread_.numbers.negative;
  if (same) return result;
  return binary(BinaryOperator::bit_and, std::move(result), literal(0xFFFFFFFF, argument.range),
                argument.range);
}

Expression Translator::as_word(Expression value, const SourceRange& range) const {
  if (!is_literal(value) && !thread_.numbers.large) return value;
  return sign_extended(std::move(value), range);
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

// An address and an offset, or two numbers.
Value Translator::sum(Value left, Value right, const SourceRange& range) {
  if (right.kind == Value::Kind::address) std::swap(left, right);
  right.expression = number(right, range);
  const bool nothing = is_literal(left.expression) && left.expression.value == 0;
  left.expression =
      nothing ? std::move(right.expression)
              : binary(BinaryOperator::add, std::move(left.expression), std::move(right.expression), range);
  return left;
}

Translator::Target Translator::location(const Address& address, const SourceRange& range, bool word) {
  Value result = value(address.base);
  if (address.index.kind != ArgumentKind::none) result = sum(std::move(result), value(address.index), range);
  if (address.displacement != 0) {
    Value displacement;
    displacement.expression = literal(address.displacement, range);
    result = sum(std::move(result), std::move(displacement), range);
  }
  if (result.kind != Value::Kind::address) {
    builder_.use_computed_address(range);
    return {whole_memory, std::move(result.expression)};
  }
  builder_.access(result.variable, word, thread_.numbers.large, range);
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
                          std::vector<Statement>& out, bool word) {
  set(reg, local(keep(thread_.registers->name(reg), std::move(value), range, out), range));
  state_.registers[reg].word = word;
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

Expression Translator::rotated(const Instruction& instruction) {
  const SourceRange& range = instruction.range;
  const auto with = [&](BinaryOperator op, Expression left, std::uint64_t right) {
    return binary(op, std::move(left), literal(static_cast<std::int64_t>(right), range), range);
  };
  // A mask with bits in the upper half wraps around: the upper half is then a copy of the lower one.
  const bool around = instruction.mask >> 32 != 0;
  Expression result = number(instruction.left);
  if (instruction.bits != 0 || around) {
    const Expression low = with(BinaryOperator::bit_and, std::move(result), 0xFFFFFFFF);
    result = binary(BinaryOperator::bit_or, with(BinaryOperator::shift_left, low, instruction.bits),
                    with(BinaryOperator::shift_right, low, 32 - instruction.bits), range);
  }
  if (around) {
    const Expression low = with(BinaryOperator::bit_and, std::move(result), 0xFFFFFFFF);
    result = binary(BinaryOperator::bit_or, with(BinaryOperator::shift_left, low, 32), low, range);
  }
  result = with(BinaryOperator::bit_and, std::move(result), instruction.mask);
  if (instruction.right.kind == ArgumentKind::none) return result;
  return binary(BinaryOperator::bit_or, std::move(result),
                with(BinaryOperator::bit_and, number(instruction.right), ~instruction.mask), range);
}

void Translator::compare(const Instruction& instruction) {
  const SourceRange& range = instruction.range;
  const auto side = [&](const Argument& argument) {
    Expression result = number(argument, instruction.word);
    if (instruction.bits == 32) {
      return binary(BinaryOperator::bit_and, std::move(result), literal(0xFFFFFFFF, range), range);
    }
    if (instruction.bits == 64) {  // unsigned comparison
      return binary(BinaryOperator::bit_xor, std::move(result), literal(INT64_MIN, range), range);
    }
    return result;
  };
  compare(side(instruction.left), side(instruction.right));
}

void Translator::load(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  Expression loaded =
      access(ExpressionKind::load, location(instruction.address, range, instruction.word), range);
  set_kept(instruction.target, std::move(loaded), range, out, instruction.word);
  if (!instruction.signed_word) return;
  Expression& value = state_.registers[instruction.target].expression;
  value = sign_extended(std::move(value), range);
}

void Translator::copy_or_compute(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  const bool word = instruction.word;
  Value result;
  switch (instruction.kind) {
    case InstructionKind::copy:
      result = value(instruction.left);
      if (result.kind == Value::Kind::number) result.expression = number(instruction.left, word);
      break;
    case InstructionKind::extend: result.expression = sign_extended(number(instruction.left), range); break;
    case InstructionKind::rotate: result.expression = rotated(instruction); break;
    default:
      if (instruction.op == BinaryOperator::add && !word) {
        result = sum(value(instruction.left), value(instruction.right), range);
        if (result.kind == Value::Kind::address) break;
      }
      result.expression =
          binary(instruction.op, number(instruction.left, word), number(instruction.right, word), range);
      if (word) result.expression = as_word(std::move(result.expression), range);
      break;
  }
  result.word = word;
  // Cut long chains by a local: an expression that uses another one twice would double in size.
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
    compare(number(target, word), literal(0, range));
  }
}

void Translator::simple(const Instruction& instruction, std::vector<Statement>& out) {
  const SourceRange& range = instruction.range;
  switch (instruction.kind) {
    case InstructionKind::nothing:
    case InstructionKind::branch:
    case InstructionKind::load_reserved: break;
    case InstructionKind::copy:
    case InstructionKind::compute:
    case InstructionKind::extend:
    case InstructionKind::rotate: copy_or_compute(instruction, out); break;
    case InstructionKind::swap: {
      Value& one = state_.registers[instruction.target];
      Value& other = state_.registers[instruction.left.reg];
      std::swap(one, other);
      for (Value* const value : {&one, &other}) {
        if (!instruction.word || value->word || value->kind != Value::Kind::number) continue;
        value->expression = as_word(std::move(value->expression), range);
        value->word = true;
      }
      break;
    }
    case InstructionKind::compare: compare(instruction); break;
    case InstructionKind::load: load(instruction, out); break;
    case InstructionKind::store:
      store(location(instruction.address, range, instruction.word),
            number(instruction.left, instruction.word), range, out);
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

Numbers numbers_of(std::span<const std::vector<Instruction>> threads) {
  // Without backward branches every instruction executes at most once, so a few sums of small numbers stay
  // small.
  constexpr std::int64_t small = 1 << 15;
  constexpr int few = 15;
  Numbers result;
  int sums = 0;
  bool loops = false;
  for (const std::vector<Instruction>& code : threads) {
    for (std::size_t at = 0; at < code.size(); ++at) {
      const Instruction& instruction = code[at];
      for (const Argument* argument : {&instruction.left, &instruction.right}) {
        if (argument->kind != ArgumentKind::constant) continue;
        result.negative = result.negative || argument->value < 0;
        result.large = result.large || argument->value < -small || argument->value >= small;
      }
      const bool computes = instruction.kind == InstructionKind::compute ||
                            instruction.kind == InstructionKind::update ||
                            instruction.kind == InstructionKind::fetch;
      const BinaryOperator op = instruction.op;
      if (computes && (op == BinaryOperator::multiply || op == BinaryOperator::shift_left))
        result.large = true;
      if (computes && op == BinaryOperator::subtract) result.negative = true;
      const bool constant =
          instruction.left.kind == ArgumentKind::constant || instruction.right.kind == ArgumentKind::constant;
      if (computes && !constant && (op == BinaryOperator::add || op == BinaryOperator::subtract)) ++sums;
      loops = loops || (instruction.kind == InstructionKind::branch && instruction.destination <= at);
    }
  }
  if (sums > few || (loops && sums > 0)) result.large = true;
  if (result.large) result.negative = true;
  return result;
}

std::optional<std::vector<LocalId>> translate(const ThreadCode& thread, Builder& builder) {
  return Translator(thread, builder).run();
}

}  // namespace heddle::lang::litmus
