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
  const std::uint32_t site = sites_.at(statement.range);  // in all images, which so have the same numbers
  begun_ = frame_->allocate();
  begin_atomic();
  if (block_mutex_) {
    section_ = {.scope = scope_, .loops = scope().loops.size(), .site = site};
    has_sections_ = true;
  } else {
    frame_->set_block(begun_);
  }
  block(statement.body);
  if (section_ && frame_->reachable()) leave_section();
  section_.reset();
  frame_->set_block({});
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
  request_mutex(Op::lock);
  reload(spilled);
  frame_->release_to(top);
}

void Generator::leave_section() { request_mutex(Op::unlock); }

// Unless the thread has done so already. (A section without an operation on memory never locks it.)
void Generator::request_mutex(Op op) {
  BasicBlock* const request = frame_->block();
  BasicBlock* const done = frame_->block();
  llvm::Value* const held = ir().CreateIsNotNull(frame_->load(*begun_));
  const bool locks = op == Op::lock;
  ir().CreateCondBr(held, locks ? done : request, locks ? request : done);
  frame_->start(request);
  perform_now({.op = op, .location = ir().getInt32(*block_mutex_), .site = section_->site});
  frame_->store(*begun_, ir().getInt64(locks ? 1 : 0));
  frame_->jump(done);
  frame_->start(done);
}

}  // namespace heddle::compiler
