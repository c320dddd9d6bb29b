// Why nothing can happen any more: how all machines tell the ends of runs apart.
#pragma once

#include <cstdint>

#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

enum class Ending : std::uint8_t {
  complete,  // every thread has finished, or is a daemon that waits; memory is final
  blocked_assume,
  blocked_await,  // an await was evaluated before what it waits for; another execution evaluates it later
  blocked_loop_bound,
  deadlock,
  violation,  // a thread stopped at a violation that it found
};

// The ending of a run, and the operation that decides it: the first one of its kind, by thread.
struct RunEnd {
  Ending ending = Ending::complete;
  ThreadId thread = none;
  Op op = Op::done;
  std::uint32_t site = none;
};

// Computes the ending from the operation at which each thread stops.
class EndingOfThreads {
 public:
  // `site`: `none` at an assumption if it is another thread's, which is then the one that decides.
  // `await_holds()`: whether the await that the thread is stuck at would hold now. Called only if that
  // matters. False if the ending is certain.
  template <typename Holds>
  bool add(ThreadId thread, Op op, std::uint32_t site, Holds&& await_holds) {
    const auto decide = [&](Ending ending) { end_ = {ending, thread, op, site}; };
    if (op == Op::done) return true;
    if (is_failure(op) || op == Op::unlock) {
      decide(Ending::violation);
      return false;
    }
    if (op == Op::loop_bound || op == Op::round_limit) {
      decide(Ending::blocked_loop_bound);
      return false;
    }
    const bool assumed = op == Op::assume_failed || op == Op::idle_round;
    if (end_.ending == Ending::blocked_assume && (!assumed || end_.site != none)) return true;
    if (assumed) {
      decide(Ending::blocked_assume);
    } else if (end_.ending != Ending::blocked_await) {
      if (op == Op::await_failed && await_holds()) {
        decide(Ending::blocked_await);
      } else if (end_.ending == Ending::complete) {
        decide(Ending::deadlock);
      }
    }
    return true;
  }
  // The same of a daemon, which may wait for ever. `looked_last()`: whether it has seen that there is nothing to
  // do (last_look.hpp).
  template <typename Holds, typename LookedLast>
  bool add_daemon(ThreadId thread, Op op, std::uint32_t site, Holds&& await_holds, LookedLast&& looked_last) {
    if (op != Op::await_failed && op != Op::lock) return add(thread, op, site, await_holds);
    if (op == Op::lock || end_.ending == Ending::blocked_assume || end_.ending == Ending::blocked_await)
      return true;
    if (await_holds()) {
      end_ = {Ending::blocked_await, thread, op, site};
    } else if (early_.thread == none && !looked_last()) {
      early_ = {Ending::blocked_await, thread, op, site};
    }
    return true;
  }
  [[nodiscard]] const RunEnd& end() const {
    return end_.ending == Ending::complete && early_.thread != none ? early_ : end_;
  }

 private:
  RunEnd end_;
  RunEnd early_;  // a daemon that looked too early, if nothing else decides
};

}  // namespace heddle::checker
