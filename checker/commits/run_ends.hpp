// What an exploration of a commit machine does at the end of a run, and how it writes a run down.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/commits/commit_machine.hpp"
#include "checker/commits/invariant_cuts.hpp"
#include "checker/commits/linearise.hpp"
#include "checker/commits/races.hpp"
#include "checker/commits/sequential_order.hpp"
#include "checker/search/final_reads.hpp"
#include "checker/search/search.hpp"
#include "checker/state/ending.hpp"
#include "checker/state/last_look.hpp"

namespace heddle::checker {

// Judges the ends of runs. Holds buffers, so one object serves a whole search.
template <CommitMachine Machine>
class RunEnds {
 public:
  explicit RunEnds(Search& search)
      : search_(search),
        needs_states_(!search.image().conditions.empty() || search.image().final_block != nullptr ||
                      search.options().collect_outcomes || search.options().robust_states),
        judges_order_(search.options().robust && !search.options().robust_states &&
                      search.image().locations.size() > 1) {
    for (const auto& location : search.image().locations) memory_.push_back(location.initial);
    blocks_.resize(search.image().threads.size());
    for (const auto& thread : search.image().threads) has_daemons_ = has_daemons_ || thread.is_daemon;
    if constexpr (HoldsGraph<Machine>) {
      if (!search.image().invariants.empty() && !search.options().robust) cuts_.emplace(search);
    }
    if (has_plain_locations(search.image()) && !search.options().robust) races_.emplace(search.image());
  }

  // The newest step, or the start, found violations.
  void failure(Machine& machine) {
    if (!search_.options().keep_going && !search_.options().robust)
      count_coverage(machine);  // else at the end of the run
    for (const auto& failure : machine.failures()) {
      search_.note({.kind = Search::kind_of(failure.op), .site = failure.site}, [&] {
        if constexpr (HoldsGraph<Machine>) {
          return linearise(search_, machine.graph(), failure.causes);
        } else {
          return machine.run_to_failure(failure);
        }
      });
    }
  }

  // Threads that run ahead execute operations more than once, and at first with wrong values. So their
  // coverage is counted at the end of the run.
  void count_coverage(Machine& machine) {
    if constexpr (RunsAhead<Machine>) {
      if (search_.image().coverage) machine.count_coverage();
    }
  }
  // To be called when nothing is left to commit: classifies and counts the run, as Machine::ending does for
  // interleavings. Returns whether it was a complete execution.
  bool finish(Machine& machine) {
    auto& counts = search_.counts;
    ++counts.runs;
    count_coverage(machine);
    if (machine.depth() > counts.max_depth) counts.max_depth = machine.depth();
    if constexpr (RunsAhead<Machine>) {
      if (machine.lacks_store()) {
        ++counts.blocked_race;
        return false;
      }
    }
    search_.stand_for(executions(machine));
    if (races_) [[unlikely]]
      judge_races(machine);
    if constexpr (HoldsGraph<Machine>) {
      if (cuts_) [[unlikely]]
        cuts_->judge(machine.graph());
    }
    if (machine.finished()) {
      if (!counts_within_bound(machine, Ending::complete)) return false;
      judge_robustness(machine);
      complete(machine);
      return true;
    }
    return finish_stuck(machine);
  }

 private:
  // Some thread has not ended. Returns whether it was a complete execution.
  bool finish_stuck(Machine& machine) {
    RunEnd end = classify(machine);
    if (end.ending == Ending::complete || has_daemons_) {
      if (const auto complete = finish_with_daemons(machine, end)) return *complete;
    }
    // Where a run leaves final memory open, an await may hold in one final memory and fail forever in
    // another.
    if constexpr (LeavesMemoryOpen<Machine>) {
      if (end.ending == Ending::blocked_await || end.ending == Ending::deadlock) {
        machine.for_each_final_memory([&] {
          end = classify(machine);
          if (end.ending == Ending::deadlock) note_deadlock(machine);
          return end.ending == Ending::deadlock;
        });
      }
    }
    if (!counts_within_bound(machine, end.ending)) return false;
    // SC stops in a deadlock or at a violation as well, if it has the graph.
    if (end.ending == Ending::deadlock || end.ending == Ending::violation) judge_robustness(machine);
    switch (end.ending) {
      case Ending::blocked_loop_bound:
      case Ending::blocked_assume:
      case Ending::blocked_await: search_.blocked(end.thread, end.op, end.site); break;
      case Ending::deadlock:
        if constexpr (!LeavesMemoryOpen<Machine>) note_deadlock(machine);
        break;
      case Ending::complete:
      case Ending::violation: break;
    }
    return false;
  }
  // Where all threads have ended but for daemons that wait: judges the run, which may be complete. Nothing if
  // others wait, too.
  std::optional<bool> finish_with_daemons(Machine& machine, const RunEnd& end) {
    if constexpr (LeavesMemoryOpen<Machine>) {
      for (ThreadId t = 0; t < machine.thread_count(); ++t) {
        const Op op = machine.standing_op(t);
        const bool waits = op == Op::await_failed || op == Op::lock;
        if (op != Op::done && !(waits && search_.image().threads[t].is_daemon)) return std::nullopt;
      }
      const auto before = search_.counts.executions;
      complete_open_daemons(machine);
      if (search_.counts.executions > before) return true;
      search_.blocked(end.thread, Op::await_failed, end.thread == none ? none : end.site);
      return false;
    } else {
      if (end.ending != Ending::complete) return std::nullopt;
      judge_robustness(machine);
      complete(machine);
      return true;
    }
  }
  // Decides the last writes of what daemons have looked at, and judges the run where they looked last.
  void complete_open_daemons(Machine& machine) {
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      if (machine.standing_op(t) != Op::await_failed) continue;
      Location open = none;
      (void)last_look_saw_last_writes([&](std::uint32_t i) { return machine.look(t, i); },
                                      [&](auto&& read) {
                                        open = none;  // another evaluation: the last one counts
                                        return machine.await_holds(
                                            t,
                                            [&](Location location) {
                                              if (open == none && machine.leaves_open(location))
                                                open = location;
                                              return read(location);
                                            },
                                            compiler::own_alternative);
                                      });
      if (open == none) {  // nor has another alternative of an `either` become possible
        machine.final_memory(memory_);
        (void)machine.await_holds(t, [&](Location location) {
          if (open == none && machine.leaves_open(location)) open = location;
          return memory_[location];
        });
      }
      if (open == none) continue;
      machine.for_each_last(open, [&] {
        complete_open_daemons(machine);
        return search_.stopped();
      });
      return;
    }
    if (classify(machine).ending == Ending::complete) complete(machine);
  }
  // Counts executions and deadlocks that need too many preemptions only as such.
  [[nodiscard]] bool counts_within_bound([[maybe_unused]] Machine& machine, Ending ending) {
    if constexpr (BoundsPreemptions<Machine>) {
      const bool report_beyond = search_.options().report_beyond_bound;
      if (ending == Ending::complete && !machine.within_bound()) {
        ++search_.counts.beyond_bound;
        if (report_beyond) judge(machine);
        return false;
      }
      if (ending == Ending::deadlock && !report_beyond && !machine.within_bound()) {
        ++search_.counts.blocked_preemption_bound;
        return false;
      }
    }
    return true;
  }

  void judge_robustness(const Machine& machine) {
    if (!judges_order_ || order_.exists(machine)) return;
    search_.note({.kind = ViolationKind::not_robust, .count = executions(machine)},
                 [&] { return schedule(machine); });
  }
  // That the run stands for.
  [[nodiscard]] static std::uint64_t executions([[maybe_unused]] const Machine& machine) {
    if constexpr (HasTwins<Machine>) return machine.permutations();
    return 1;
  }

  // Each race is shown with what must have happened before it, and nothing else.
  void judge_races(Machine& machine) {
    if constexpr (HoldsGraph<Machine>) {
      const std::vector<EventId> ids = find_graph_races(machine, *races_);
      for (const auto& found : races_->found()) {
        search_.note(Search::found_by(found.race), [&] {
          typename Machine::ExecutionGraph::Set causes;
          races_->for_each_cause(
              found, [&](DataRaces::Index index) { causes.insert(static_cast<ProcessId>(ids[index])); });
          return linearise(search_, machine.graph(), causes);
        });
      }
    } else if constexpr (RunsAhead<Machine>) {
      find_power_races(machine, *races_);
      for (const auto& found : races_->found())
        search_.note(Search::found_by(found.race), [&] { return run_to_power_race(machine, found); });
    }
  }
  [[nodiscard]] RunEnd classify(Machine& machine) const {
    EndingOfThreads result;
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      const auto holds = [&] { return machine.await_holds(t); };
      const auto looked_last = [&] {
        return counts_wait(machine, t) &&
               last_look_saw_last_writes(
                   [&](std::uint32_t i) { return machine.look(t, i); },
                   [&](auto&& read) { return machine.await_holds(t, read, compiler::own_alternative); });
      };
      const Op op = machine.standing_op(t);
      const std::uint32_t site = machine.standing_site(t);
      const bool is_daemon = search_.image().threads[t].is_daemon;
      if (!(is_daemon ? result.add_daemon(t, op, site, holds, looked_last) : result.add(t, op, site, holds)))
        break;
    }
    return result.end();
  }
  [[nodiscard]] static bool counts_wait(Machine& machine, ThreadId t) {
    if constexpr (WaitsAtChoices<Machine>) return machine.counts_wait(t);
    return waits_in_first_alternative(machine.standing(t));
  }
  void note_deadlock(const Machine& machine) {
    FoundViolation found{.kind = ViolationKind::deadlock};
    for (ThreadId t = 0; t < machine.thread_count(); ++t) add_wait(found.waits, t, machine.standing(t));
    search_.note(std::move(found), [&] { return schedule(machine); });
  }
  void complete(Machine& machine) {
    if (!needs_states_) {
      search_.complete(memory_, blocks_.data(), [&] { return schedule(machine); });
    } else if constexpr (LeavesMemoryOpen<Machine>) {
      complete_open(machine);
    } else if (judge(machine)) {
      search_.count_execution();
    }
  }
  // Counts the run once for each combination of writes that the `final` block's reads may see, and judges
  // the final states of each.
  void complete_open(Machine& machine) {
    machine.final_memory(memory_);
    const auto read =
        reads_.first_open(search_.image(), memory_, [&](Location x) { return machine.leaves_open(x); });
    if (read != none) {
      machine.for_each_last(read, [&] {
        complete_open(machine);
        return search_.stopped();
      });
      return;
    }
    bool judged = false;
    machine.for_each_final_memory([&] {
      if (judge(machine)) judged = true;
      return search_.stopped();
    });
    if (judged) search_.count_execution();
  }
  bool judge(Machine& machine) {
    machine.final_memory(memory_);
    machine.clean();
    for (ThreadId t = 0; t < blocks_.size(); ++t) blocks_[t] = machine.block(t);
    return search_.judge(memory_, blocks_.data(), [&] { return schedule(machine); });
  }

  // The form in which a violation is shown: a run of the store-buffer machine where the model has one.
  [[nodiscard]] Schedule schedule(const Machine& machine) const {
    if constexpr (HoldsGraph<Machine>) {
      return linearise(search_, machine.graph(), machine.graph().live());
    } else {
      return machine.run();
    }
  }

  Search& search_;
  bool needs_states_;
  bool has_daemons_ = false;
  bool judges_order_;  // with one location, every run is one of SC by coherence
  SequentialOrder<Machine> order_;
  std::vector<std::int64_t> memory_;
  std::vector<const std::byte*> blocks_;
  FinalReads reads_;
  std::optional<DataRaces> races_;  // if the program has plain locations
  // If the program has invariants.
  struct NoCuts {
    explicit NoCuts(Search& /*search*/) {}
  };
  template <typename M>
  struct CutsOf {
    using Type = NoCuts;
  };
  template <HoldsGraph M>
  struct CutsOf<M> {
    using Type = InvariantCuts<typename M::ExecutionGraph>;
  };
  std::optional<typename CutsOf<Machine>::Type> cuts_;
};

}  // namespace heddle::checker
