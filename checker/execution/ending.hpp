// Why nothing can happen any more: how every engine tells the ends of runs apart.
#pragma once

#include <cstdint>

#include "checker/execution/step.hpp"
#include "jit/runtime.hpp"

namespace heddle::checker {

enum class Ending : std::uint8_t {
  complete,  // every thread has finished; memory is final
  blocked_assume,
  blocked_await,  // an await was evaluated before what it waits for; another execution evaluates it later
  blocked_loop_bound,
  deadlock,
  violation,  // a thread stopped at a violation that it found
};

// Is told what each thread stands at, and gives the ending.
class EndingOfThreads {
 public:
  // `await_holds()`: would the await that the thread is stuck at hold by now? Asked only if that matters.
  // False if the ending is certain.
  template <typename Holds>
  bool add(jit::Op op, Holds&& await_holds) {
    if (op == jit::Op::done) return true;
    if (is_failure(op) || op == jit::Op::unlock) return decide(Ending::violation);
    if (op == jit::Op::loop_bound) return decide(Ending::blocked_loop_bound);
    if (op == jit::Op::assume_failed) {
      ending_ = Ending::blocked_assume;
    } else if (ending_ != Ending::blocked_assume) {
      if (op == jit::Op::await_failed && await_holds()) ending_ = Ending::blocked_await;
      if (ending_ == Ending::complete) ending_ = Ending::deadlock;
    }
    return true;
  }
  [[nodiscard]] Ending ending() const { return ending_; }

 private:
  bool decide(Ending ending) {
    ending_ = ending;
    return false;
  }

  Ending ending_ = Ending::complete;
};

}  // namespace heddle::checker
