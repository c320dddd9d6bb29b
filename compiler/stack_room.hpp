// Recursion of unlimited depth: inlined calls may nest 100,000 deep.
#pragma once

#include <functional>

namespace heddle::compiler {

// Watches the stack use of a recursion and continues it on a fresh, larger stack when space runs out.
class StackRoom {
 public:
  // The caller is the outermost frame of the recursion. Up to `bytes` of the initial stack may be used.
  explicit StackRoom(std::size_t bytes = std::size_t{1} << 20U);

  // Calls `step` on this stack or on another thread's. Passes on exceptions.
  void run(const std::function<void()>& step);

 private:
  const char* base_;
  std::size_t room_;
};

}  // namespace heddle::compiler
