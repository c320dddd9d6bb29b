// Counts preemptions along a path of interleavings.
//
// Leaving a thread is a preemption if the thread could continue and has further operations in the trace
// (paper 3, section 3.1). Whether it has any is known when it comes back, so the preemption is counted then.
// A thread that is left for good, because a violation ends the trace, was not preempted.
//
// Only operations of threads count. Flushes are free, whichever thread is running, so a thread that waits for
// nothing but its own store buffers could continue. A thread whose next operation locks a taken mutex could
// not. So the number depends only on the order of the operations, not on when stores reach memory.
//
//   thread 0: lock m; x = 1; unlock m      lock m | y=1 | x=1 unlock m | lock m: leaving thread 0 costs one
//   thread 1: y = 1; lock m                preemption when it comes back with x=1. Thread 1 was left waiting
//                                          for m, so its return is free.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/interleavings/interleaving.hpp"

namespace heddle::checker {

template <typename Set>
struct Running {
  ThreadId thread = none;  // whose operation was the last one; `none` at the start
  std::uint32_t preemptions = 0;
  Set left;           // threads that could continue when they were left
  Set left_at_fence;  // the same, unless the operation after the fence locks a mutex that was taken then

  // The preemptions that are added if the process makes the next transition.
  template <Interleaving Machine>
  [[nodiscard]] std::uint32_t cost(const Machine& machine, ProcessId process) const {
    if (left.contains(process)) return 1;
    if (!left_at_fence.contains(process)) return 0;
    const auto& next = machine.threads().mailbox(process);
    return next.op == Op::lock && was_taken(machine, process, next.location) ? 0 : 1;
  }

  // Counts the transition that is about to be taken; false (and no change) if it would exceed the bound.
  // Without a bound nothing is counted.
  template <Interleaving Machine>
  [[nodiscard]] bool take(const Machine& machine, ProcessId process,
                          const std::optional<std::uint32_t>& bound) {
    if (!bound || process >= machine.thread_count() || process == thread) return true;
    const std::uint32_t more = cost(machine, process);
    if (preemptions + more > *bound) return false;
    preemptions += more;
    left.erase(process);
    left_at_fence.erase(process);
    if (thread != none) {
      if (machine.can_go_on(thread)) left.insert(thread);
      if (machine.waits_at_fence(thread)) left_at_fence.insert(thread);
    }
    thread = process;
    return true;
  }

  // Appends what two paths to one state must have in common to have the same continuations within a bound.
  template <Interleaving Machine>
  void append_to(std::vector<std::uint64_t>& words, const Machine& machine) const {
    const auto begin = words.size();
    words.push_back((std::uint64_t{thread} << 32) | preemptions);
    left.for_each([&](ProcessId p) { words.push_back(p); });
    left_at_fence.for_each([&](ProcessId p) {
      words.push_back((std::uint64_t{1} << 32) | p);
      const auto& locations = machine.image().locations;
      for (std::uint32_t mutex = 0; mutex < locations.size(); ++mutex) {
        if (locations[mutex].is_mutex && was_taken(machine, p, mutex))
          words.push_back((std::uint64_t{2} << 32) | mutex);
      }
    });
    words.push_back(words.size() - begin);
  }

 private:
  // True if the mutex was taken just after the thread's last operation. O(steps since then).
  template <Interleaving Machine>
  [[nodiscard]] static bool was_taken(const Machine& machine, ThreadId thread, Location mutex) {
    bool taken = machine.memory()[mutex] != 0;
    for (auto position = machine.depth(); position > 0; --position) {
      const Step& step = machine.step(position - 1);
      if (step.thread == thread && step.type == StepType::operation) break;
      if (step.access.writes && step.access.location == mutex) taken = step.overwritten != 0;
    }
    return taken;
  }
};

}  // namespace heddle::checker
