// Counting preemptions along a path of the interleaving engine.
//
// A preemption is a switch from the running thread to another one while the running thread could have gone on
// (paper 3, section 2; Musuvathi and Qadeer, PLDI'07). Only operations of threads count: flushes are free,
// whoever is running.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/execution/step.hpp"

namespace heddle::checker {

struct Running {
  ThreadId thread = none;  // whose operation was the last one; none at the start
  std::uint32_t preemptions = 0;

  // Would the process's next transition be a preemption now?
  template <typename Machine>
  [[nodiscard]] bool preempts(const Machine& machine, ProcessId process) const {
    return process < machine.thread_count() && thread != none && process != thread &&
           machine.enabled().contains(thread);
  }

  // Accounts for the transition that is about to be taken; false (and no change) if it would exceed the
  // bound.
  template <typename Machine>
  [[nodiscard]] bool take(const Machine& machine, ProcessId process,
                          const std::optional<std::uint32_t>& bound) {
    if (process >= machine.thread_count()) return true;
    if (preempts(machine, process)) {
      if (bound && preemptions >= *bound) return false;
      ++preemptions;
    }
    thread = process;
    return true;
  }
};

}  // namespace heddle::checker
