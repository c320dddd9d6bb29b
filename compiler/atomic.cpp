// `atomic { ... }`: one indivisible step.
//
// The block is ordinary code whose operations are marked (Mailbox::in_atomic): the host performs the first one and all
// that follow it as one transition. Which operation comes first is known only when the thread gets there, so a slot
// says whether the block has made one. A `choose` does not count: no other thread can notice it. An `await` with which
// the block begins makes none until its condition holds. A thread that stops in a block says so, too: what it has done
// there is no step of the program.
//
// For hosts that know executions of single operations only (Options::lock_blocks), the block is a critical section of one
// mutex, Image::block_mutex, which is a full fence at both ends, as a block is. That is the same if no variable is accessed
// both in blocks and outside: then no other thread can look into a block, or come in between. The thread locks the mutex
// before its first operation on memory, as a block without one is no step. It looks once at the condition with which the
// block begins. If that does not hold, it unlocks the mutex and waits for ever. That is a deadlock if the condition would
// not hold at the end of the execution either; else the thread looked too early, and it looks later in another execution.
// To find out, the host resumes the thread on trial, and the condition is evaluated again without the mutex.
#include <algorithm>
#include <vector>

#include "compiler/generator.hpp"

namespace heddle::compiler {

using llvm::BasicBlock;

void Generator::atomic(const lang::Statement& statement) {
  if (begun_) return block(statement.body);  // part of the block around it
  if (guard_ == nullptr) restart_point();
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(statement.range);
  begun_ = frame_->allocate();
  if (block_mutex_) {
    has_sections_ = true;
    section_ = {.scope = scope_, .loops = scope().loops.size(), .site = site};
    begin_atomic();
    block(statement.body);
    if (frame_->reachable()) leave_section();
    section_.reset();
  } else {
    begin_atomic();
    frame_->set_block(begun_);
    block(statement.body);
    frame_->set_block({});
  }
  begun_.reset();
  frame_->release_to(top);
}

bool Generator::is_one_block(const lang::Body& body) const {
  std::size_t blocks = 0;
  const auto silent = [&](const std::vector<lang::Statement>& statements, const auto& self) -> bool {
    return std::all_of(statements.begin(), statements.end(), [&](const lang::Statement& statement) {
      switch (statement.kind) {
        case lang::StatementKind::atomic: ++blocks; return true;
        case lang::StatementKind::block: return self(statement.body, self);
        case lang::StatementKind::declare:
        case lang::StatementKind::assign:
        case lang::StatementKind::return_: return !facts_.any_suspends(statement.expressions);
        default: return false;
      }
    });
  };
  return silent(body.statements, silent) && blocks == 1;
}

void Generator::begin_atomic() {
  if (begun_) frame_->store(*begun_, ir().getInt64(0));
}

// Before an operation on memory in the section, which needs these values.
void Generator::hold_mutex(std::initializer_list<llvm::Value**> needed) {
  const std::uint32_t top = frame_->top();
  const Spilled spilled = spill(needed);
  BasicBlock* const lock = frame_->block();
  BasicBlock* const held = frame_->block();
  ir().CreateCondBr(ir().CreateIsNotNull(frame_->load(*begun_)), held, lock);
  frame_->start(lock);
  perform_now({.op = Op::lock, .location = ir().getInt32(*block_mutex_), .site = section_->site});
  frame_->store(*begun_, ir().getInt64(1));
  frame_->jump(held);
  frame_->start(held);
  reload(spilled);
  frame_->release_to(top);
}

void Generator::leave_section() {
  BasicBlock* const unlock = frame_->block();
  BasicBlock* const leave = frame_->block();
  ir().CreateCondBr(ir().CreateIsNotNull(frame_->load(*begun_)), unlock, leave);
  frame_->start(unlock);
  perform_now({.op = Op::unlock, .location = ir().getInt32(*block_mutex_), .site = section_->site});
  frame_->store(*begun_, ir().getInt64(0));
  frame_->jump(leave);
  frame_->start(leave);
}

void Generator::await_in_section(const lang::Statement& statement, Guard* guard) {
  const SiteTable::Loop again_and_again(sites_);
  declare_awaited(statement);
  BasicBlock* const look = frame_->block();
  BasicBlock* const missed = frame_->block();
  BasicBlock* const wait = frame_->block();
  BasicBlock* const again = frame_->block();
  BasicBlock* const holds = frame_->block();
  BasicBlock* const fails = frame_->block();
  BasicBlock* const met = frame_->block();
  const auto if_asked = [&](BasicBlock* yes, BasicBlock* no) {
    if (guard == nullptr) return frame_->jump(no);
    ir().CreateCondBr(ir().CreateIsNotNull(frame_->load(guard->asked)), yes, no);
    ir().ClearInsertionPoint();
  };
  if (guard != nullptr) guard->used = guard->waits = true;
  if_asked(again, look);
  frame_->start(look);
  evaluate_awaited(statement, met, missed);
  std::uint32_t site = guard != nullptr ? guard->site : 0;
  if (frame_->start_if_used(missed)) {
    if (guard == nullptr) site = sites_.waiting(statement.range, scope().call);
    leave_section();
    frame_->jump(wait);
  }
  if (frame_->start_if_used(wait)) {
    perform({.op = Op::await_failed,
             .site = site,
             .in_either = guard == nullptr ? InEither::no : InEither::inside});
    if (guard == nullptr) {
      frame_->jump(again);
    } else {
      ir().CreateSwitch(frame_->answer(), again, 1)->addCase(ir().getInt64(any_alternative), guard->ask);
      ir().ClearInsertionPoint();
    }
  }
  if (frame_->start_if_used(again)) {
    frame_->begin_evaluation(true);
    in_await_ = true;
    evaluate_awaited(statement, holds, fails);
    in_await_ = false;
    if (frame_->start_if_used(fails)) {
      frame_->begin_evaluation(false);
      if_asked(guard == nullptr ? nullptr : guard->next, wait);
    }
    if (frame_->start_if_used(holds)) {
      frame_->begin_evaluation(false);
      BasicBlock* const stop = frame_->block();
      if_asked(guard == nullptr ? nullptr : guard->enabled, stop);
      frame_->start(stop);
      frame_->stop({.op = Op::assume_failed, .site = site});
    }
  }
  frame_->start_if_used(met);
}

}  // namespace heddle::compiler
