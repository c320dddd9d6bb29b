// Expressions that are visible operations, and what they need: locations, values held across suspensions,
// violations.
#include <utility>

#include "compiler/generator.hpp"

namespace heddle::compiler {

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
  if (&expression == updated_by_load_) {
    updated_by_load_ = nullptr;
    mask_ = nullptr;
    return ir().getTrue();
  }
  const bool discarded = std::exchange(discarded_, false);
  const bool decides = std::exchange(decides_, false);
  const std::span<const Expression> operands(expression.operands);
  const std::size_t indexes = program_.variables[expression.id].is_array ? 1 : 0;
  const std::span<const Expression> values = operands.subspan(indexes);
  const std::uint32_t top = frame_->top();
  const Place target =
      place(expression.id, operands.first(indexes), facts_.any_suspends(values), expression.range);
  // In a thread that runs ahead, the address comes last: nothing before it must wait for it.
  const bool waits = run_ahead_ && target.index.has_value();

  Request request{.site = sites_.at(expression.range),
                  .in_await = in_await_,
                  .discarded = discarded,
                  .in_either = in_guard_ ? InEither::inside : InEither::no,
                  .asks_effect = !retries_.empty() && !begun_ && expression.kind != ExpressionKind::load};
  if (request.asks_effect) updated_[expression.id] = true;
  if (expression.kind != ExpressionKind::exchange && expression.kind != ExpressionKind::fetch)
    loaded_[expression.id] = true;
  std::optional<Held> expected;
  switch (expression.kind) {
    case ExpressionKind::load:
      request.op = Op::load;
      request.before_assume = before_assume_;
      break;
    case ExpressionKind::exchange:
      request.op = Op::exchange;
      overwritten_[expression.id] = true;
      break;
    case ExpressionKind::fetch: request.op = fetch_op(expression.fetch); break;
    case ExpressionKind::try_lock: request.op = Op::try_lock; break;
    default:
      request.op = Op::compare_exchange;
      expected = hold(values[0], run_ahead_ || suspends(values[1]));
      break;
  }
  std::optional<Held> operand;
  if (!values.empty()) operand = hold(values.back(), waits || (run_ahead_ && expected));
  if (request.op == Op::load) request.probe = probe();
  Value* const result = perform_at(target, expression.range, request, expected, operand, top);
  if (decides) add_control(mask_);
  const bool boolean = expression.type == lang::Type::boolean && !result->getType()->isIntegerTy(1);
  return boolean ? ir().CreateIsNotNull(result) : result;
}

Value* Generator::perform_at(const Place& target, const lang::SourceRange& range, Request request,
                             const std::optional<Held>& expected, const std::optional<Held>& operand,
                             std::uint32_t top) {
  request.location = location(target, range);
  Value* const address_mask = mask_;
  mask_ = nullptr;
  if (expected) request.expected = use(*expected);
  Value* const compared_mask = mask_;
  mask_ = nullptr;
  if (operand) request.value = use(*operand);
  Value* const data_mask = mask_;
  if (!run_ahead_ || !expected) frame_->release_to(top);
  Value* const result = perform(request, address_mask, data_mask, compared_mask);
  if (run_ahead_ && expected) {
    // The comparison is a branch on the value read and on the expected value.
    Value* const read_mask = mask_;
    use(*expected);
    mask_ = joined(read_mask, mask_);
    add_control(mask_);
    frame_->release_to(top);
  }
  return result;
}

Value* Generator::choose(const Expression& expression, InEither in_either) {
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.chosen(expression.range, types_.of(expression.type));
  // A thread that runs ahead also waits for the loads of the upper bound.
  const bool waits = run_ahead_ || suspends(expression.operands[1]);
  const Held first = hold(settled(integer(expression.operands[0])), waits);
  Value* high = settled(integer(expression.operands[1]));
  Value* low = use(first);
  frame_->release_to(top);
  require(ir().CreateICmpSLT(low, high),
          {.op = Op::empty_choice, .value = low, .expected = high, .site = site});
  return perform({.op = Op::choose, .value = low, .expected = high, .site = site, .in_either = in_either});
}

// Evaluates the index once, and checks it. A thread that runs ahead checks it only where the place is used,
// since the value need not be known before (of two violations in one statement it may therefore report the
// other). `suspends`: whether a suspension comes before the use.
Generator::Place Generator::place(std::uint32_t variable, std::span<const Expression> index, bool suspends,
                                  const lang::SourceRange& range) {
  const lang::Variable& target = program_.variables[variable];
  Place result{.first = target.first_location, .length = target.length, .index = {}};
  if (!target.is_array) return result;
  Value* const number = integer(index.front());
  if (run_ahead_) {
    result.index = hold(number, true);
    return result;
  }
  check_index(number, result, range);
  if (suspends && !llvm::isa<llvm::Constant>(number) && repeatable(index.front(), false)) {
    result.index = Held{.later = &index.front(), .value = nullptr, .slot = {}};
  } else {
    result.index = hold(number, suspends);
  }
  return result;
}

void Generator::check_index(Value* index, const Place& place, const lang::SourceRange& range) {
  Value* const length = ir().getInt64(place.length);
  require(ir().CreateICmpULT(index, length),
          {.op = Op::index_out_of_bounds, .value = index, .expected = length, .site = sites_.at(range)});
}

// Sets `mask_` to the dependencies of the address.
Value* Generator::location(const Place& place, const lang::SourceRange& range) {
  mask_ = nullptr;
  if (!place.index) return ir().getInt32(place.first);
  Value* number = use(*place.index);
  if (run_ahead_) {
    if (mask_ != nullptr) {
      wait_for(mask_, sites_.at(range));
      number = use(*place.index);
    }
    check_index(number, place, range);
  }
  Value* const index = ir().CreateTrunc(number, ir().getInt32Ty());
  return place.first == 0 ? index : ir().CreateAdd(index, ir().getInt32(place.first));
}

// x = e; a[i] = e; with an operator: index, load, evaluate, store.
void Generator::store(const lang::Statement& statement) {
  const std::span<const Expression> expressions(statement.expressions);
  const Expression& operand = expressions.back();
  const bool waits = suspends(operand);
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(statement.range);
  overwritten_[statement.id] = true;
  loaded_[statement.id] = loaded_[statement.id] || statement.compound.has_value();
  const Place target = place(statement.id, expressions.first(expressions.size() - 1),
                             waits || statement.compound.has_value(), statement.range);
  Value* result = nullptr;
  if (statement.compound) {
    Value* const place_read = location(target, statement.range);
    Value* const loaded = perform({.op = Op::load, .location = place_read, .site = site}, mask_);
    const Held old = hold(loaded, waits);
    Value* const right = value(operand);
    Value* const right_mask = mask_;
    Value* const left = use(old);
    result = arithmetic(*statement.compound, left, right, statement.range, mask_, right_mask);
  } else {
    result = value(operand);
  }
  const Held stored = hold(result, run_ahead_ && target.index.has_value());
  Value* const where = location(target, statement.range);
  Value* const address_mask = mask_;
  result = use(stored);
  Value* const data_mask = mask_;
  frame_->release_to(top);
  perform({.op = Op::store, .value = result, .location = where, .site = site}, address_mask, data_mask);
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

// Holds the value of the expression for use after the code that follows. The caller releases slots by
// Frame::release_to.
Generator::Held Generator::hold(const Expression& expression, bool suspends) {
  if (suspends && repeatable(expression, false)) {
    return {.later = &expression, .value = nullptr, .slot = {}};
  }
  return hold(value(expression), suspends);
}

Generator::Held Generator::hold(Value* value, bool suspends) {
  if (!suspends || llvm::isa<llvm::Constant>(value)) {
    return {.later = nullptr, .value = value, .slot = {}, .mask = suspends ? nullptr : mask_};
  }
  const std::uint32_t slot = allocate();
  store_masked(slot, value);
  return {.later = nullptr, .value = nullptr, .slot = slot, .boolean = value->getType()->isIntegerTy(1)};
}

Value* Generator::use(const Held& held) {
  if (held.later != nullptr) return value(*held.later);
  mask_ = held.mask;
  if (held.value != nullptr) return held.value;
  Value* result = load_masked(*held.slot);
  return held.boolean ? ir().CreateIsNotNull(result) : result;
}

}  // namespace heddle::compiler
