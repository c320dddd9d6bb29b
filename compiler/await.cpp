// `await c;`, also as the guard of an alternative of `either` (either.cpp) and as the beginning of an `atomic` (atomic.cpp).
//
// The thread evaluates the condition. If it does not hold, the thread waits at op await_failed, and evaluates the condition
// again whenever the host resumes it. Two places add to that:
// - A guard is also evaluated when the thread has been asked about all alternatives. Then the thread takes none of them: the
//   first guard that holds leads to Guard::enabled, and one that does not to the next alternative.
// - In a critical section the thread looks once, and unlocks the mutex if it has to wait. All later evaluations are trials
//   of the host, without the mutex: if the condition holds then, the thread only stops elsewhere.
//
// Loops that a waiting update stands for (waiting_updates.hpp) are awaits of which the condition is that update.
#include <utility>

#include "compiler/generator.hpp"

namespace heddle::compiler {

using lang::Statement;
using llvm::BasicBlock;

namespace {

// How many loads an evaluation can come to. A call, which may come to any number of them, counts as two.
std::size_t count_loads(const lang::Expression& expression) {
  std::size_t result = expression.kind == lang::ExpressionKind::load   ? 1
                       : expression.kind == lang::ExpressionKind::call ? 2
                                                                       : 0;
  for (const lang::Expression& operand : expression.operands) result += count_loads(operand);
  return result;
}

}  // namespace

void Generator::await(const Statement& statement, Guard* guard) {
  if (guard == nullptr) restart_point();
  const SiteTable::Loop again_and_again(sites_);
  end_probes();
  if (guard != nullptr) {
    guard->used = true;
    guard->waits = !section_;  // else the alternative begins with a lock
  }
  declare_awaited(statement);
  BasicBlock* const again = frame_->block();
  BasicBlock* const wait = frame_->block();
  BasicBlock* const met = frame_->block();
  if (section_) {
    look_once(statement, guard, again, wait, met);
  } else {
    frame_->jump(again);
  }
  if (again->use_empty() && wait->use_empty()) {
    delete again;
    delete wait;
  } else {
    evaluate_again(statement, guard, again, wait, met);
  }
  frame_->start_if_used(met);
}

void Generator::await(const WaitingUpdate& update) {
  guard_ = nullptr;  // (an alternative that begins with it is chosen first)
  awaited_ = &update;
  await(*update.loop, nullptr);
  awaited_ = nullptr;
}

void Generator::evaluate_update(const WaitingUpdate& waiting, BasicBlock* met, BasicBlock* failed) {
  const lang::Expression& update = *waiting.update;
  const std::span<const lang::Expression> operands(update.operands);
  const std::size_t indexes = program_.variables[update.id].is_array ? 1 : 0;
  const std::uint32_t top = frame_->top();
  const Place target = place(update.id, operands.first(indexes), false, update.range);
  llvm::Value* const base = waiting.ends.bound == nullptr ? ir().getInt64(0) : integer(*waiting.ends.bound);
  const Held bound =
      hold(ir().CreateAdd(base, ir().getInt64(static_cast<std::uint64_t>(waiting.ends.offset))), run_ahead_);
  llvm::Value* operand = integer(operands.back());
  Op op = Op::compare_exchange;
  if (update.kind == lang::ExpressionKind::exchange) op = Op::exchange_if_equal;
  if (update.kind == lang::ExpressionKind::fetch) {
    if (update.fetch == lang::FetchOperator::subtract) operand = ir().CreateNeg(operand);
    op = waiting.ends.relation == lang::BinaryOperator::equal           ? Op::add_if_equal
         : waiting.ends.relation == lang::BinaryOperator::greater_equal ? Op::add_if_at_least
                                                                        : Op::add_if_at_most;
  }
  loaded_[update.id] = true;
  if (!retries_.empty()) updated_[update.id] = true;
  llvm::Value* const succeeds = perform_at(
      target, update.range,
      {.op = op, .site = sites_.at(update.range), .in_await = true, .asks_effect = !retries_.empty()}, bound,
      hold(operand, run_ahead_), top);
  if (waiting.gives == nullptr) return branch_on(succeeds, met, failed);
  const Held answer = hold(frame_->newest_answer(), run_ahead_);
  llvm::Value* const decision = settled(succeeds);
  llvm::Value* const given = use(answer);
  llvm::Value* const mask = std::exchange(mask_, nullptr);
  frame_->release_to(top);
  BasicBlock* const succeeded = frame_->block();
  branch_on(decision, succeeded, failed);
  frame_->start(succeeded);
  mask_ = mask;
  if (waiting.gives->kind == lang::StatementKind::declare) {
    bind(scope(), waiting.gives->id, given);
  } else {
    store_masked(*scope().bindings[waiting.gives->id].slot, given);
  }
  frame_->jump(met);
}

// The local that gets the value is 0 as long as the thread waits.
void Generator::declare_awaited(const Statement& statement) {
  if (!statement.gives) return;
  declare(statement.id, lang::literal(scope().body->locals[statement.id].type, 0, statement.range));
}

void Generator::evaluate_awaited(const Statement& statement, BasicBlock* met, BasicBlock* failed) {
  if (awaited_ != nullptr) return evaluate_update(*awaited_, met, failed);
  if (!statement.gives) return branch(statement.expressions[0], met, failed);
  llvm::Value* const given = value(statement.expressions[0]);
  store_masked(*scope().bindings[statement.id].slot, given);
  branch_on(given, met, failed);
}

// Ends the current block.
void Generator::branch_if_asked(const Guard* guard, BasicBlock* yes, BasicBlock* no) {
  if (guard == nullptr) return frame_->jump(no);
  ir().CreateCondBr(ir().CreateIsNotNull(frame_->load(guard->asked)), yes, no);
  ir().ClearInsertionPoint();
}

void Generator::look_once(const Statement& statement, const Guard* guard, BasicBlock* again, BasicBlock* wait,
                          BasicBlock* met) {
  BasicBlock* const look = frame_->block();
  BasicBlock* const missed = frame_->block();
  branch_if_asked(guard, again, look);
  frame_->start(look);
  evaluate_awaited(statement, met, missed);
  if (!frame_->start_if_used(missed)) return;
  leave_section();
  frame_->jump(wait);
}

void Generator::evaluate_again(const Statement& statement, const Guard* guard, BasicBlock* again,
                               BasicBlock* wait, BasicBlock* met) {
  BasicBlock* const holds = frame_->block();
  BasicBlock* const fails = frame_->block();
  frame_->start(again);
  begin_atomic();
  frame_->begin_evaluation(true);
  const bool around = std::exchange(in_await_, true);
  in_guard_ = guard != nullptr;
  in_probe_ =
      guard == nullptr && awaited_ == nullptr && !run_ahead_ && count_loads(statement.expressions[0]) > 1;
  evaluate_awaited(statement, holds, fails);
  in_probe_ = in_guard_ = false;
  in_await_ = around;
  if (frame_->start_if_used(fails)) {
    begin_atomic();
    branch_if_asked(guard, guard == nullptr ? nullptr : guard->next, wait);
  }
  const bool waits = !wait->use_empty();
  const std::uint32_t site = guard != nullptr ? guard->site
                             : waits          ? sites_.waiting(statement.range, scope().call)
                                              : 0;
  if (frame_->start_if_used(wait)) {
    llvm::Value* how = frame_->at_first_load();
    if (guard != nullptr) how = ir().CreateOr(how, frame_->load(guard->later));
    perform({.op = Op::await_failed,
             .expected = how,
             .site = site,
             .in_either = guard == nullptr ? InEither::no : InEither::inside});
    if (guard == nullptr) {
      frame_->jump(again);
    } else {
      answer_in_either(*guard, again);
    }
  }
  if (frame_->start_if_used(holds)) {
    frame_->begin_evaluation(false);
    BasicBlock* const stop = section_ ? frame_->block() : met;
    branch_if_asked(guard, guard == nullptr ? nullptr : guard->enabled, stop);
    if (!section_) return;
    frame_->start(stop);
    frame_->stop({.op = Op::assume_failed, .site = site});
  }
}

}  // namespace heddle::compiler
