// Counting preemptions along a path of the interleaving engine.
//
// A preemption is a switch from the running thread to another one while the running thread could have gone on
// (paper 3, section 2; Musuvathi and Qadeer, PLDI'07). Only operations of threads count: flushes are free,
// whoever is running, so a thread that waits for nothing but its own store buffers could have gone on. Thus
// the number depends on the order of the operations only, not on when stores reach memory.
//
// At a fence it is not known yet whether the thread has another operation (a switch counts only if it has:
// paper 3, section 3.1). There the switch is counted when the thread comes back.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/execution/step.hpp"

namespace heddle::checker {

template <typename Set>
struct Running {
  ThreadId thread = none;  // whose operation was the last one; none at the start
  std::uint32_t preemptions = 0;
  Set left_at_fence;  // threads for which a preemption will be counted when they come back

  // Accounts for the transition that is about to be taken; false (and no change) if it would exceed the
  // bound.
  template <typename Machine>
  [[nodiscard]] bool take(const Machine& machine, ProcessId process,
                          const std::optional<std::uint32_t>& bound) {
    if (process >= machine.thread_count() || process == thread) return true;
    const bool left = thread != none && machine.can_go_on(thread);
    const std::uint32_t cost = std::uint32_t{left} + std::uint32_t{left_at_fence.contains(process)};
    if (bound && preemptions + cost > *bound) return false;
    preemptions += cost;
    left_at_fence.erase(process);
    if (thread != none && machine.waits_at_fence(thread)) left_at_fence.insert(thread);
    thread = process;
    return true;
  }
};

}  // namespace heddle::checker
