#include "compiler/stack_room.hpp"

#include <exception>
#include <optional>
#include <utility>

#include <llvm/Support/thread.h>  // needs <utility> before it

namespace heddle::compiler {
namespace {

constexpr unsigned fresh_stack = 64U << 20U;  // bytes; pages are allocated only when touched
// Maximal stack use of one step before it checks again: the deepest expression in the deepest nest of blocks,
// built with sanitizers.
constexpr std::size_t reserve = std::size_t{24} << 20U;

const char* stack_pointer() { return static_cast<const char*>(__builtin_frame_address(0)); }

}  // namespace

StackRoom::StackRoom(std::size_t bytes) : base_(stack_pointer()), room_(bytes) {}

void StackRoom::run(const std::function<void()>& step) {
  const auto used = static_cast<std::size_t>(base_ - stack_pointer());
  if (used < room_) {
    step();
    return;
  }
  const char* const outer_base = base_;
  const std::size_t outer_room = room_;
  std::exception_ptr failure;
  llvm::thread helper(std::optional<unsigned>(fresh_stack), [&] {
    base_ = stack_pointer();
    room_ = fresh_stack - reserve;
    try {
      step();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  helper.join();
  base_ = outer_base;
  room_ = outer_room;
  if (failure) std::rethrow_exception(failure);
}

}  // namespace heddle::compiler
