// What the depth-first explorations of a commit machine share: the next parameter of an event, limits, and
// the ends of runs.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// An event to be committed with each of its parameters in turn.
template <typename Machine>
struct Branches {
  typename Machine::Prepared event;
  std::optional<std::int64_t> next;

  void begin(Machine& machine, EventName name) {
    machine.prepare(name, event);
    next = machine.first_parameter(event);
  }
  // Commits the event with the next parameter that the model and `allowed` accept. False if none is left.
  template <typename Allowed>
  bool commit_next(Machine& machine, Allowed&& allowed) {
    while (next) {
      const std::int64_t parameter = *next;
      next = machine.next_parameter(event, parameter);
      if (allowed(parameter) && machine.commit(event, parameter)) return true;
    }
    return false;
  }
  bool commit_next(Machine& machine) {
    return commit_next(machine, [](std::int64_t) { return true; });
  }
};

template <typename Machine>
class CommitExploration {
 protected:
  CommitExploration(Machine& machine, Search& search, const GraphObserver& observer)
      : machine_(machine), search_(search), observer_(observer), ends_(search) {}

  // To be called after every commit. Stops the search if some thread has run ahead further than there is room
  // for.
  void stop_at_limits() {
    if (!machine_.limit().empty()) search_.stop(std::string(machine_.limit()));
  }
  // Reports the violations that the newest commit led to.
  void note_failures() {
    if (!machine_.failures().empty()) ends_.failure(machine_);
  }
  // To be called when nothing is left to commit.
  void end_run() {
    if (ends_.finish(machine_) && observer_) observer_(machine_.plain_graph());
  }
  // For a run that ends in another way.
  void count_coverage() { ends_.count_coverage(machine_); }
  // Every enabled event has a parameter that the model allows, unless it is a lock that waits.
  [[noreturn]] static void refuse_no_parameter() {
    throw std::logic_error("internal error: an event that can be committed has no parameter");
  }
  // Calls `visit(prepared)` for each lock that has to wait.
  template <typename Visit>
  void for_each_waiting(Visit&& visit) {
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) return;
      typename Machine::Prepared event;
      machine_.prepare(name, event);
      visit(std::as_const(event));
    });
  }

  Machine& machine_;
  Search& search_;
  const GraphObserver& observer_;
  RunEnds<Machine> ends_;
};

}  // namespace heddle::checker
