// Recursion as deep as the input asks for: inlined calls may nest 100,000 deep.
#pragma once

#include <functional>

namespace heddle::compiler {

// Watches how much stack a recursion takes and continues it on a fresh, larger stack when room gets scarce.
class StackRoom {
 public:
  // The recursion's outermost frame is the caller's. Up to `bytes` may be used on the stack that we start on.
  explicit StackRoom(std::size_t bytes = std::size_t{1} << 20U);

  // Calls `step`, on this stack or on another thread's; exceptions come through.
  void run(const std::function<void()>& step);

 private:
  const char* base_;
  std::size_t room_;
};

}  // namespace heddle::compiler
