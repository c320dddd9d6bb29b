// Searches for a run of a graph, or of a part of it, with at most k preemptions: the exact decision, from
// scratch. See preemption_bound.hpp for what a preemption is.
//
// The problem is NP-complete. As in section 5 of paper 3 it is decided recursively, for one k only, without
// computing the least number. Three things keep that short:
// - Letting the running thread continue as long as it can never costs more than switching earlier, unless it
//   holds a mutex that another thread will wait for. So only switches branch.
// - Where no mutex is locked, a thread that can run to its end does so before all others: its steps, moved to
//   the front of a run, separate no two steps that ran together, and a finished thread is left for free. So
//   these switches do not branch.
// - States that failed are remembered during one decision.
//
//   thread 0: x = 1; a = y        a = 1, b = 1, at most one preemption: no thread can run to its end, so
//   thread 1: y = 1; b = x        thread 0 is tried first. It stops before its read, which needs y = 1.
//                                 Leaving it costs the one preemption; then thread 1 can run to its end, and
//                                 so can thread 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Graph>
class RunSearch {
 public:
  using Set = typename Graph::Set;

  explicit RunSearch(const Graph& graph) : graph_(graph), threads_(graph.thread_count()) {}

  // Whether this part of the graph, which is closed under the graph's order, has a run with at most `bound`
  // preemptions. Exponential in the number of threads at worst, linear in the number of events if the bound
  // is loose.
  [[nodiscard]] bool find(std::uint32_t bound, const Set& part);
  // The steps of the run that was found.
  [[nodiscard]] const std::vector<EventId>& run() const { return run_; }

 private:
  struct Thread {
    std::vector<EventId> steps;
    Set all;               // the same as a set
    std::size_t done = 0;  // how many of them have run
    [[nodiscard]] bool finished() const { return done == steps.size(); }
    [[nodiscard]] EventId next() const { return steps[done]; }
  };
  struct Failed {
    Set done;
    ThreadId running = 0;
    std::uint32_t budget = 0;
  };

  void collect_steps(const Set& part);
  bool go_on_with(ThreadId running, std::uint32_t budget);
  bool switch_from(ThreadId running, std::uint32_t budget);
  bool try_each_thread_but(ThreadId running, std::uint32_t budget);
  void finish_threads();
  [[nodiscard]] bool failed_before(ThreadId running, std::uint32_t budget) const;
  [[nodiscard]] bool can_go_on(const Thread& thread) const;
  // Whether all steps of other threads that the event needs have run.
  [[nodiscard]] bool others_are_done(EventId event, const Thread& thread) const {
    return (((graph_[event].upto & all_) - done_) - thread.all).empty();
  }
  [[nodiscard]] bool can_run(const Thread& thread) const {
    return !thread.finished() && others_are_done(thread.next(), thread);
  }
  void run_step(Thread& thread);
  void undo(std::size_t count);

  const Graph& graph_;
  std::vector<Thread> threads_;
  Set all_;                   // the steps of all threads
  Set done_;                  // those that have run
  std::vector<EventId> run_;  // the same, in order
  bool locks_ = false;        // some of the steps lock a mutex
  std::vector<Failed> failed_;
};

template <typename Graph>
bool RunSearch<Graph>::find(std::uint32_t bound, const Set& part) {
  collect_steps(part);
  done_ = {};
  run_.clear();
  failed_.clear();
  return switch_from(none, bound);
}

template <typename Graph>
void RunSearch<Graph>::collect_steps(const Set& part) {
  for (auto& thread : threads_) {
    thread.steps.clear();
    thread.all = {};
    thread.done = 0;
  }
  all_ = {};
  locks_ = false;
  for (const EventId id : graph_.order()) {
    const auto member = static_cast<ProcessId>(id);
    if (!part.contains(member) || !is_step<Graph>(graph_[id])) continue;
    Thread& thread = threads_[graph_[id].thread];
    thread.steps.push_back(id);
    thread.all.insert(member);
    all_.insert(member);
    locks_ |= graph_[id].op == Op::lock;
  }
}

// Leaves the thread (none: at the start) and runs the rest with any other one.
template <typename Graph>
bool RunSearch<Graph>::switch_from(ThreadId running, std::uint32_t budget) {
  if (running != none && can_go_on(threads_[running])) {
    if (budget == 0) return false;
    --budget;
  }
  const auto before = run_.size();
  if (!locks_) {
    finish_threads();
    running = none;  // it cannot run now
  }
  if (done_ == all_) return true;
  // Where no mutex is locked, whichever thread runs next will be left before its end.
  const bool affordable = locks_ || budget > 0;
  if (affordable && !failed_before(running, budget)) {
    if (try_each_thread_but(running, budget)) return true;
    failed_.push_back({done_, running, budget});
  }
  undo(before);
  return false;
}

template <typename Graph>
bool RunSearch<Graph>::try_each_thread_but(ThreadId running, std::uint32_t budget) {
  for (ThreadId t = 0; t < threads_.size(); ++t) {
    if (t != running && can_run(threads_[t]) && go_on_with(t, budget)) return true;
  }
  return false;
}

// Runs the thread as far as possible before it switches. If it holds a mutex, it is also left before it
// unlocks that: a thread that waits for the mutex can be left for free.
template <typename Graph>
bool RunSearch<Graph>::go_on_with(ThreadId running, std::uint32_t budget) {
  Thread& thread = threads_[running];
  const auto before = run_.size();
  while (can_run(thread)) {
    const bool unlocks = locks_ && run_.size() > before && graph_[thread.next()].op == Op::unlock;
    if (unlocks && switch_from(running, budget)) return true;
    run_step(thread);
  }
  if (switch_from(running, budget)) return true;
  undo(before);
  return false;
}

// Runs every thread that can run to its end.
template <typename Graph>
void RunSearch<Graph>::finish_threads() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& thread : threads_) {
      if (thread.finished() || !others_are_done(thread.steps.back(), thread)) continue;
      while (!thread.finished()) run_step(thread);
      changed = true;
    }
  }
}

template <typename Graph>
bool RunSearch<Graph>::failed_before(ThreadId running, std::uint32_t budget) const {
  return std::any_of(failed_.begin(), failed_.end(), [&](const Failed& failed) {
    return failed.running == running && failed.budget >= budget && failed.done == done_;
  });
}

// Whether the machine could take the thread's next step, perhaps with another outcome than in this graph.
// Only a lock may have to wait, until its mutex is free.
template <typename Graph>
bool RunSearch<Graph>::can_go_on(const Thread& thread) const {
  if (thread.finished()) return false;
  const auto& next = graph_[thread.next()];
  if (next.op != Op::lock) return true;
  EventId newest = next.location;
  for (EventId write = graph_[newest].co_next;
       write != no_event && done_.contains(static_cast<ProcessId>(write)); write = graph_[write].co_next) {
    newest = write;
  }
  return graph_[newest].value == 0;
}

template <typename Graph>
void RunSearch<Graph>::run_step(Thread& thread) {
  run_.push_back(thread.next());
  done_.insert(static_cast<ProcessId>(thread.next()));
  ++thread.done;
}

// Undoes steps until `count` are left.
template <typename Graph>
void RunSearch<Graph>::undo(std::size_t count) {
  for (; run_.size() > count; run_.pop_back()) {
    --threads_[graph_[run_.back()].thread].done;
    done_.erase(static_cast<ProcessId>(run_.back()));
  }
}

}  // namespace heddle::checker
