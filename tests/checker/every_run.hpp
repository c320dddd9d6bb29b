// Enumerates every run of the operational machine, and counts the preemptions of a run by the definition: the
// reference for checks with a preemption bound. Only for small programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// Paper 3, section 3.1: a preemption is a step followed by one of another thread, although its own thread has
// further steps in the run and could have continued: its next step does not lock a mutex that is taken.
[[nodiscard]] inline std::uint32_t preemptions(const std::vector<Step>& run) {
  std::vector<Step> operations;
  for (const Step& step : run) {
    if (step.type == StepType::operation) operations.push_back(step);
  }
  std::uint32_t count = 0;
  std::set<Location> taken;  // mutexes, after operation i
  for (std::size_t i = 0; i + 1 < operations.size(); ++i) {
    const Step& step = operations[i];
    const bool takes = step.op == compiler::Op::lock || step.op == compiler::Op::try_lock;
    if (takes && step.access.writes) taken.insert(step.access.location);
    if (step.op == compiler::Op::unlock) taken.erase(step.access.location);
    if (operations[i + 1].thread == step.thread) continue;
    for (std::size_t j = i + 2; j < operations.size(); ++j) {
      if (operations[j].thread != step.thread) continue;
      if (operations[j].op != compiler::Op::lock || !taken.contains(operations[j].access.location)) ++count;
      break;
    }
  }
  return count;
}

// Calls `visit()` in the machine's current state and in every state reachable from it, once for each run
// leading there. If `visit` returns false, the run is not extended.
template <typename Machine, typename Visit>
void for_each_run(Machine& machine, Visit&& visit) {
  if (!visit()) return;
  if (!machine.choosing().empty()) {
    const auto thread = machine.choosing().first();
    const auto request = machine.threads().mailbox(thread);
    for (auto value = request.value; value < request.expected; ++value) {
      machine.choose(thread, value);
      for_each_run(machine, visit);
      machine.undo();
    }
    return;
  }
  const auto enabled = machine.enabled();
  enabled.for_each([&](ProcessId process) {
    machine.execute(process);
    for_each_run(machine, visit);
    machine.undo();
  });
}

// Whether the run is complete.
template <typename Machine>
[[nodiscard]] bool ended(Machine& machine) {
  return machine.choosing().empty() && machine.enabled().empty();
}

}  // namespace heddle::checker
