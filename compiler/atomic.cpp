// `atomic { ... }`: one indivisible step.
//
// The block is ordinary code whose operations are marked (Mailbox::in_atomic): the host performs the first one and all
// that follow it as one transition. Which operation comes first is known only when the thread gets there, so a slot
// says whether the block has made one. A `choose` does not count: no other thread can notice it. An `await` with which
// the block begins makes none until its condition holds. A thread that stops in a block says so, too: what it has done
// there is no step of the program.
#include <algorithm>
#include <vector>

#include "compiler/generator.hpp"

namespace heddle::compiler {

void Generator::atomic(const lang::Statement& statement) {
  if (begun_) return block(statement.body);  // part of the block around it
  if (guard_ == nullptr) restart_point();
  const std::uint32_t top = frame_->top();
  begun_ = frame_->allocate();
  begin_atomic();
  frame_->set_block(begun_);
  block(statement.body);
  begun_.reset();
  frame_->set_block({});
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

}  // namespace heddle::compiler
