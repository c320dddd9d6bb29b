// Preemption bounds of machines whose threads run ahead of their loads (POWER).
//
// A run of an execution is an order of its events that extends commit-before. It preempts where it leaves a thread that
// could commit an event and that has a later one in this execution; only a lock whose mutex is taken has to wait. The preemptions
// of an execution are the least number over its runs. A run of SC is one of these runs, so what SC does within k, POWER
// does, too. A part of an execution that is closed under commit-before needs no more preemptions than the whole: leave
// the other events out of its run. So `within_bound` may be asked of each partial trace, and naive extends only
// those for which it holds.
//
// Slack. trust passes through executions that need more than the one within k that it is looking for, call it G
// (preemption_bound/preemption_bound.hpp has this for graphs that keep program order). Let D be what stays of such an
// execution until G is reached. trust will delete the other events. It has committed each of them as the next event of the
// left-most thread that could continue (Recommits::next_event): a store last in coherence order, a read from the newest
// write, among the events that were there or are in D.
// - They can all run after D, and each thread's in one piece. For let e of thread i need f of a thread j > i, both of them
//   to be deleted. f was committed when thread i could not continue. It could later because a read of a thread up to i was
//   revisited, which deleted what had been committed after that read, so f, too, unless the new source needs it. But a read
//   that was revisited is not deleted any more, nor is what its source needs, so then f is in D.
// - The last time that a thread is left in the run of D may have been free, because it had no later event; now it may cost one.
//   So N threads cost N at most. What was free because of a taken mutex stays free: everything that program order
//   puts before a lock is before it in cb, so it is in D with the lock, and nothing of that thread goes between.
//
// Violations count with the events that they need. Let V be these; let the threads run on from V to their ends, from
// the left to the right. What trust visits on its way to that is a part of V, then what is to be deleted or beyond V, of each
// thread in one piece: a write that is still to revisit is in V, because a read beyond V sees only V or threads to its left, which
// are there when it is committed; so is what the write needs. Where a thread waits for a mutex it is left for the one that unlocks
// it: one preemption more for each unlock. A violation beyond the bound stops its thread, too; another one of the thread, after it in
// program order, needs the loads of that assertion, so it is beyond the bound as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/commits/commit_machine.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/preemption_bound/run_search.hpp"
#include "checker/state/event.hpp"
#include "checker/state/machine_options.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// The run of a commit machine, as RunSearch sees it. A read-modify-write that is one step has two ids.
template <CommitMachine Machine>
class StepsOfRun {
 public:
  using Set = typename Machine::Set;
  static constexpr bool steps_in_order = false;

  explicit StepsOfRun(Machine& machine) : machine_(&machine) {}

  [[nodiscard]] std::uint32_t thread_count() const { return machine_->thread_count(); }
  template <typename Visit>
  void for_each_step(Visit&& visit) const {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      backwards_.clear();
      for (EventId id = machine_->last_event(t); id != no_event; id = machine_->po_previous(id))
        backwards_.push_back(id);
      for (auto i = backwards_.size(); i > 0; --i) visit(backwards_[i - 1]);
    }
  }
  template <typename Visit>
  void for_each_id(EventId id, Visit&& visit) const {
    const std::uint32_t step = machine_->step_of(id);
    for (auto i = machine_->first_event(step); i < machine_->first_event(step + 1); ++i) visit(i);
  }
  [[nodiscard]] ThreadId thread_of(EventId id) const { return machine_->name_of(id).thread; }
  [[nodiscard]] Op op_of(EventId id) const { return machine_->op(machine_->name_of(id)); }
  [[nodiscard]] const Set& needs(EventId id) const {
    return machine_->committed_before(machine_->first_event(machine_->step_of(id) + 1) - 1);
  }
  [[nodiscard]] Location location_of(EventId id) const { return machine_->location(machine_->name_of(id)); }
  template <typename HasRun>
  [[nodiscard]] bool is_free(EventId lock, HasRun&& has_run) const {
    auto newest = static_cast<EventId>(machine_->resolve(machine_->name_of(lock), EventName{}));
    for (EventId write = machine_->newer(newest); write != no_event && has_run(write);
         write = machine_->newer(write)) {
      newest = write;
    }
    return machine_->value_of(newest) == 0;
  }

 private:
  Machine* machine_;
  mutable std::vector<EventId> backwards_;  // scratch
};

// Without a bound all queries return true.
template <RunsAhead Machine>
class PreemptionBounded : public Machine {
 public:
  template <unsigned Wider>
  using Widened = PreemptionBounded<typename Machine::template Widened<Wider>>;
  using Set = typename Machine::Set;
  using Prepared = typename Machine::Prepared;

  PreemptionBounded(const Image& image, const MachineOptions& options)
      : Machine(image, options),
        bound_(options.preemption_bound),
        report_beyond_bound_(options.report_beyond_bound),
        search_(StepsOfRun<Machine>(*this)),
        within_(Machine::failures()) {}
  PreemptionBounded(const PreemptionBounded&) = delete;
  PreemptionBounded& operator=(const PreemptionBounded&) = delete;

  [[nodiscard]] bool bounds_preemptions() const { return bound_.has_value(); }

  bool commit(const Prepared& event, std::int64_t parameter) {
    const ThreadId t = event.name.thread;
    const bool first = bound_ && Machine::last_event(t) == no_event;
    if (!Machine::commit(event, parameter)) return false;
    if (bound_) {
      // The event comes last in a run; then its thread may have been left before.
      Known known = known_.back();
      if (!first && known.last != t) ++known.most;
      known.last = t;
      if (Machine::op(event.name) == Op::unlock) ++known.unlocks;
      known_.push_back(known);
      if (!Machine::failures().empty()) keep_within();
    }
    return true;
  }
  void undo() {
    if (bound_) known_.pop_back();
    Machine::undo();
  }
  [[nodiscard]] bool follow(const Choice& choice) { return follow_commit(*this, choice); }
  // With a bound: runs within it, if there are any.
  using Machine::run;
  [[nodiscard]] Schedule run() const {
    const bool found = bound_ && Machine::depth() > 0 && search_.find(*bound_, all());
    return found ? Machine::run_of(search_.run()) : Machine::run();
  }
  [[nodiscard]] Schedule run_to_failure(const typename Machine::FailureAt& failure) {
    const bool found = bound_ && search_.find(*bound_, Machine::causes_of(failure));
    return found ? Machine::run_of(search_.run()) : Machine::run_to_failure(failure);
  }
  // Those within the bound.
  [[nodiscard]] const auto& failures() const {
    return bound_ && !Machine::failures().empty() ? within_ : Machine::failures();
  }
  [[nodiscard]] std::uint64_t withheld() const { return withheld_; }
  [[nodiscard]] bool within_bound() { return !bound_ || at_most(*bound_); }
  [[nodiscard]] bool must_extend() { return !bound_ || at_most(*bound_ + slack()); }
  // The slack does not depend on what can still be deleted.
  static void settle_prefix(EventId /*write*/) {}

 private:
  // What is known of the run so far. An extension needs no fewer preemptions.
  struct Known {
    std::uint32_t least = 0;  // preemptions of each of its runs
    std::uint32_t most = 0;   // of one of them, if it is counted as left where it waited for a mutex, too
    ThreadId last = none;     // whose event is the last one in that run
    std::uint32_t unlocks = 0;
  };

  [[nodiscard]] Set all() const {
    Set all;
    for (ProcessId id = 0; id < Machine::first_event(Machine::depth()); ++id) all.insert(id);
    return all;
  }
  [[nodiscard]] bool at_most(std::uint32_t preemptions) {
    Known& known = known_.back();
    if (known.most <= preemptions) return true;
    if (known.least > preemptions) return false;
    if (search_.find(preemptions, all())) {
      known.most = preemptions;
      known.last = Machine::name_of(search_.run().back()).thread;
      return true;
    }
    known.least = preemptions + 1;
    return false;
  }
  void keep_within() {
    within_.clear();
    for (const auto& failure : Machine::failures()) {
      if (report_beyond_bound_ || search_.find(*bound_, Machine::causes_of(failure))) {
        within_.push_back(failure);
      } else {
        ++withheld_;
      }
    }
  }
  // How many preemptions more than the bound an execution may need that trust must extend.
  [[nodiscard]] std::uint32_t slack() const { return Machine::thread_count() + known_.back().unlocks; }

  std::optional<std::uint32_t> bound_;
  bool report_beyond_bound_;
  mutable RunSearch<StepsOfRun<Machine>> search_;    // is begun anew for each question
  std::vector<typename Machine::FailureAt> within_;  // if the newest commit found any
  std::uint64_t withheld_ = 0;
  std::vector<Known> known_{{}};  // one for each depth
};

}  // namespace heddle::checker
