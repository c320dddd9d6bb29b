// Expressions that are visible operations, and what they need: places, values held across suspensions,
// violations.
#include "compiler/generator.hpp"

namespace heddle::compiler {

using jit::Op;
using lang::Expression;
using lang::ExpressionKind;
using llvm::BasicBlock;
using llvm::Value;

namespace {

Op fetch_op(lang::FetchOperator op) {
  switch (op) {
    case lang::FetchOperator::add: return Op::fetch_add;
    case lang::FetchOperator::subtract: return Op::fetch_sub;
    case lang::FetchOperator::bit_and: return Op::fetch_and;
    case lang::FetchOperator::bit_or: return Op::fetch_or;
    case lang::FetchOperator::bit_xor: return Op::fetch_xor;
    case lang::FetchOperator::max: return Op::fetch_max;
    case lang::FetchOperator::min: return Op::fetch_min;
  }
  return Op::fetch_add;
}

}  // namespace

// load, cas, exchange, fetch, try_lock: operands are [index?] and up to two values.
Value* Generator::operation(const Expression& expression) {
  const std::span<const Expression> operands(expression.operands);
  const std::size_t indexes = program_.variables[expression.id].is_array ? 1 : 0;
  const std::span<const Expression> values = operands.subspan(indexes);
  const std::uint32_t top = frame_->top();
  const Place target =
      place(expression.id, operands.first(indexes), facts_.any_suspends(values), expression.range);

  Request request{.site = sites_.at(expression.range)};
  std::optional<Held> expected;
  switch (expression.kind) {
    case ExpressionKind::load:
      request.op = Op::load;
      request.in_await = in_await_;
      break;
    case ExpressionKind::exchange: request.op = Op::exchange; break;
    case ExpressionKind::fetch: request.op = fetch_op(expression.fetch); break;
    case ExpressionKind::try_lock: request.op = Op::try_lock; break;
    default:
      request.op = Op::compare_exchange;
      expected = hold(values[0], facts_.suspends(values[1]));
      break;
  }
  if (!values.empty()) request.value = value(values.back());
  if (expected) request.expected = use(*expected);
  request.location = location(target);
  frame_->release_to(top);
  Value* result = frame_->perform(request);
  const bool boolean = expression.type == lang::Type::boolean && !result->getType()->isIntegerTy(1);
  return boolean ? ir().CreateIsNotNull(result) : result;
}

Value* Generator::choose(const Expression& expression) {
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(expression.range);
  const Held first = hold(expression.operands[0], facts_.suspends(expression.operands[1]));
  Value* high = integer(expression.operands[1]);
  Value* low = use(first);
  frame_->release_to(top);
  require(ir().CreateICmpSLT(low, high),
          {.op = Op::empty_choice, .value = low, .expected = high, .site = site});
  return frame_->perform({.op = Op::choose, .value = low, .expected = high, .site = site});
}

// Evaluates the index, once, and checks it. `suspends`: whether a suspension comes before the place is used.
Generator::Place Generator::place(std::uint32_t variable, std::span<const Expression> index, bool suspends,
                                  const lang::SourceRange& range) {
  const lang::Variable& target = program_.variables[variable];
  Place result{.first = target.first_location, .index = {}};
  if (!target.is_array) return result;
  Value* const length = ir().getInt64(target.length);
  Value* const number = integer(index.front());
  require(ir().CreateICmpULT(number, length),
          {.op = Op::index_out_of_bounds, .value = number, .expected = length, .site = sites_.at(range)});
  if (suspends && !llvm::isa<llvm::Constant>(number) &&
      facts_.repeatable(*scope().body, index.front(), false)) {
    result.index = Held{.later = &index.front(), .value = nullptr, .slot = {}};
  } else {
    result.index = hold(number, suspends);
  }
  return result;
}

Value* Generator::location(const Place& place) {
  if (!place.index) return ir().getInt32(place.first);
  Value* const index = ir().CreateTrunc(use(*place.index), ir().getInt32Ty());
  return place.first == 0 ? index : ir().CreateAdd(index, ir().getInt32(place.first));
}

// x = e; a[i] = e; and with an operator: index, load, evaluate, store.
void Generator::store(const lang::Statement& statement) {
  const std::span<const Expression> expressions(statement.expressions);
  const Expression& operand = expressions.back();
  const bool suspends = facts_.suspends(operand);
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(statement.range);
  const Place target = place(statement.id, expressions.first(expressions.size() - 1),
                             suspends || statement.compound.has_value(), statement.range);
  Value* result = nullptr;
  if (statement.compound) {
    Value* const loaded = frame_->perform({.op = Op::load, .location = location(target), .site = site});
    const Held old = hold(loaded, suspends);
    Value* const right = value(operand);
    result = arithmetic(*statement.compound, use(old), right, statement.range);
  } else {
    result = value(operand);
  }
  Value* const where = location(target);
  frame_->release_to(top);
  frame_->perform({.op = Op::store, .value = result, .location = where, .site = site});
}

void Generator::require(Value* good, const Request& request) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(good); known != nullptr && known->isOne()) return;
  BasicBlock* go_on = frame_->block();
  BasicBlock* fail = frame_->block();
  ir().CreateCondBr(good, go_on, fail);
  frame_->start_cold(fail);
  frame_->stop(request);
  frame_->start(go_on);
}

// The value of the expression for use behind what follows. Slots are released by the caller, by
// Frame::release_to.
Generator::Held Generator::hold(const Expression& expression, bool suspends) {
  if (suspends && facts_.repeatable(*scope().body, expression, false)) {
    return {.later = &expression, .value = nullptr, .slot = {}};
  }
  return hold(value(expression), suspends);
}

Generator::Held Generator::hold(Value* value, bool suspends) {
  if (!suspends || llvm::isa<llvm::Constant>(value)) return {.later = nullptr, .value = value, .slot = {}};
  const std::uint32_t slot = frame_->allocate();
  frame_->store(slot, value);
  return {.later = nullptr, .value = nullptr, .slot = slot, .boolean = value->getType()->isIntegerTy(1)};
}

Value* Generator::use(const Held& held) {
  if (held.later != nullptr) return value(*held.later);
  if (held.value != nullptr) return held.value;
  Value* result = frame_->load(*held.slot);
  return held.boolean ? ir().CreateIsNotNull(result) : result;
}

}  // namespace heddle::compiler
