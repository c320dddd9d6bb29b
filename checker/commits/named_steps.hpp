// What the searches that rearrange the runs of a commit machine (rsmc, trust) have in common: the choice of
// the next event, and steps that are committed again in another run.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/commits/event_name.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// An event with its parameter, or its chosen value, by name.
struct NamedStep {
  EventName event;
  EventName place;
  std::int64_t value = 0;  // of choices
  friend bool operator==(const NamedStep&, const NamedStep&) = default;
};

// The step of the run by name. The place of a store is the newest one that `keep(event)` accepts, or the
// initial write.
template <typename Machine, typename Keep>
[[nodiscard]] NamedStep named_step(const Machine& machine, std::uint32_t step, Keep&& keep) {
  NamedStep result{.event = machine.step(step), .place = {}, .value = 0};
  if (machine.op_at(step) == Op::choose) {
    result.value = machine.chosen(step);
    return result;
  }
  auto place = machine.place(step);
  if (!machine.reads(result.event)) {
    while (place >= 0 && !keep(static_cast<ProcessId>(place))) place = machine.older(place);
  }
  result.place = machine.name_of(place);
  return result;
}

// The parameter of the step in the current run.
template <typename Machine>
[[nodiscard]] std::int64_t parameter_of(Machine& machine, const NamedStep& step) {
  return machine.op(step.event) == Op::choose ? step.value : machine.resolve(step.event, step.place);
}

// The event to be added next, a function of the graph. Choices and stores first, so that loads see many sources without
// any detour; then the others. Locks last. Of all but stores only events that need not wait: `ready(event)`.
// `of_left_most`: of the left-most thread that has such an event.
template <typename Machine, typename Ready>
[[nodiscard]] std::optional<EventName> next_event(Machine& machine, Ready&& ready,
                                                  bool of_left_most = false) {
  std::optional<EventName> best;
  unsigned best_rank = 4;
  machine.for_each_enabled([&](EventName name) {
    if (of_left_most && best && best->thread != name.thread) return;
    unsigned rank = 2;
    switch (machine.op(name)) {
      case Op::choose: rank = 0; break;
      case Op::store:
      case Op::unlock: rank = 1; break;
      case Op::lock: rank = 3; break;
      default: break;
    }
    if (rank >= best_rank || (rank != 1 && !ready(name))) return;
    best = name;
    best_rank = rank;
  });
  return best;
}

}  // namespace heddle::checker
