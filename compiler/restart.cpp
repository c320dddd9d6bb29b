// `restart if c;`: after each later visible operation the thread may continue from here instead of with the next one.
//
// The jump back leaves no trace in the thread: slots of the scopes and calls that it leaves are 0 again, as after a `break`,
// and so are the locals of the outermost block that are declared later. What the thread has written stays written, and
// stays in its store buffer; the jump orders nothing, and mutexes stay taken.
//
// The condition is evaluated at these points only:
// - before an operation on memory, a mutex or a fence, with its operands computed already;
// - before an `await`, not in it: a thread that goes back while it waits might as well have done so before, because its
//   earlier looks have changed nothing;
// - before an `either`, not between the choice and the guard, for the same reason; before an `atomic`, not in it;
// - at the end of the thread.
// None comes before the first of these in the text, unless a loop leads back there: nothing has happened yet. And the
// condition itself has none.
//
// As a loop, it has at most Options::unroll rounds, and those without an operation are counted.
#include <utility>

#include "compiler/arithmetic.hpp"
#include "compiler/generator.hpp"

namespace heddle::compiler {

using llvm::BasicBlock;
using llvm::Value;

void Generator::restart(const lang::Statement& statement) {
  if (statement.expressions.empty()) return restart_point();
  Restart made{.statement = &statement, .thread = scope_, .entry = frame_->block(), .rounds = {}};
  if (!endless_) {
    made.rounds = frame_->allocate();
    frame_->store(*made.rounds, ir().getInt64(0));
  }
  made.top = frame_->top();
  frame_->jump(made.entry);
  frame_->start(made.entry);
  restart_ = made;
}

void Generator::begin_rounds() {
  if (restart_) restart_->begins = false;
}

void Generator::restart_point(std::initializer_list<Value**> needed) {
  if (!restart_ || begun_ || in_await_) return;
  if (std::exchange(restart_->begins, false)) return;
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(restart_->statement->range);
  const Spilled spilled = spill(needed);
  BasicBlock* again = frame_->block();
  BasicBlock* go_on = frame_->block();
  const Restart restart = *std::exchange(restart_, std::nullopt);
  {
    const SiteTable::Outside outside(sites_);
    Scope* const around = std::exchange(scope_, restart.thread);
    const bool before_assume = std::exchange(before_assume_, false);
    Value* const condition = truth(ir(), value(restart.statement->expressions[0]));
    ir().CreateCondBr(settled(condition), again, go_on);
    before_assume_ = before_assume;
    scope_ = around;
  }
  frame_->start(again);
  if (restart.rounds) {
    Value* const done = frame_->load(*restart.rounds);
    require(ir().CreateICmpULT(done, ir().getInt64(options_.unroll)), {.op = Op::loop_bound, .site = site});
    frame_->store(*restart.rounds, ir().CreateAdd(done, ir().getInt64(1)));
  }
  if (counts_rounds_)
    require(ir().CreateNot(frame_->round_exceeds(silent_rounds)), {.op = Op::round_limit, .site = site});
  forget_locals(restart);
  frame_->clear_to(restart.top);
  frame_->jump(restart.entry);
  frame_->start(go_on);
  restart_ = restart;
  restart_->begins = false;
  reload(spilled);
  frame_->release_to(top);
}

Generator::Spilled Generator::spill(std::initializer_list<Value**> needed) {
  Spilled spilled;
  for (Value** const value : needed) {
    if (*value == nullptr || llvm::isa<llvm::Constant>(*value)) continue;
    spilled.emplace_back(value, frame_->allocate());
    frame_->store(spilled.back().second, ir().CreateZExt(*value, ir().getInt64Ty()));
  }
  return spilled;
}

void Generator::reload(const Spilled& spilled) {
  for (const auto& [value, slot] : spilled)
    *value = ir().CreateTrunc(frame_->load(slot), (*value)->getType());
}

// Of the outermost block; the others are above `top`.
void Generator::forget_locals(const Restart& restart) {
  const auto& locals = restart.thread->body->locals;
  for (std::size_t local = restart.statement->id; local < locals.size(); ++local) {
    if (!locals[local].top_level) continue;
    const std::uint32_t first = *restart.thread->bindings[local].slot;
    const std::uint32_t size = locals[local].length * (run_ahead_ ? 2 : 1);
    for (std::uint32_t i = 0; i < size; ++i) frame_->store(first + i, ir().getInt64(0));
  }
}

}  // namespace heddle::compiler
