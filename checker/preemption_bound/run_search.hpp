// Searches for a run of a graph, or of a part of it, with at most k preemptions: the exact decision, from
// scratch. See preemption_bound.hpp for what a preemption is, and ordered_graph.hpp (SearchedGraph) for what the graph
// must be able to tell. Its threads need not take their steps in program order.
//
// The problem is NP-complete. As in section 5 of paper 3 it is decided recursively, for one k only, without
// computing the least number. Three things keep that short:
// - Letting the running thread continue as long as it can never costs more than switching earlier, unless it
//   holds a mutex that another thread will wait for. So only switches branch. (A step of the running thread that
//   is taken earlier than in some run separates nothing there, and what comes before it is there.)
// - A thread that can run to its end does so before all others, but if mutexes are locked only one that changes none: its
//   steps, moved to the front of a run, separate no two steps that ran together, and a finished thread is left for free. So
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
#include <unordered_map>
#include <vector>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <SearchedGraph Graph>
class RunSearch {
 public:
  using Set = typename Graph::Set;

  explicit RunSearch(Graph graph) : graph_(graph), threads_(graph.thread_count()) {}

  // Whether this part of the graph, which is closed under the graph's order, has a run with at most `bound`
  // preemptions. Exponential in the number of threads at worst, linear in the number of events if the bound
  // is loose.
  [[nodiscard]] bool find(std::uint32_t bound, const Set& part);
  // The steps of the run that was found.
  [[nodiscard]] const std::vector<EventId>& run() const { return run_; }

 private:
  struct Thread {
    std::vector<EventId> steps;  // in program order
    Set all;                     // the same as a set
    std::size_t done = 0;        // how many of them have run
    bool locks = false;          // some of them are of a mutex
    [[nodiscard]] bool finished() const { return done == steps.size(); }
  };
  struct Failed {
    Set done;
    ThreadId running = 0;
    std::uint32_t budget = 0;
    std::uint64_t hash = 0;
  };
  // Up to this number of failed states it takes less time to compare them all.
  static constexpr std::size_t most_compared = 32;

  void collect_steps(const Set& part);
  bool go_on_with(ThreadId running, std::uint32_t budget);
  bool switch_from(ThreadId running, std::uint32_t budget);
  bool try_each_thread_but(ThreadId running, std::uint32_t budget);
  bool finish_threads();
  [[nodiscard]] bool failed_before(ThreadId running, std::uint32_t budget) const;
  void note_failed(ThreadId running, std::uint32_t budget);
  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] bool can_go_on(const Thread& thread) const;
  [[nodiscard]] bool has_run(EventId event) const { return done_.contains(static_cast<ProcessId>(event)); }
  // Whether all steps outside of `own` that the event needs have run.
  [[nodiscard]] bool needs_only(const Set& own, EventId event) const {
    return (((graph_.needs(event) & all_) - done_) - own).empty();
  }
  [[nodiscard]] EventId first_left(const Thread& thread) const;
  [[nodiscard]] EventId next_step(const Thread& thread) const;
  [[nodiscard]] bool can_finish(const Thread& thread) const;
  void run_step(EventId step);
  void run_to_end(Thread& thread);
  void undo(std::size_t count);

  Graph graph_;
  std::vector<Thread> threads_;
  Set all_;                   // the steps of all threads
  Set done_;                  // those that have run
  std::vector<EventId> run_;  // the same, in order
  bool locks_ = false;        // some of the steps lock a mutex
  std::vector<Failed> failed_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // indices of failed_, if there are many
};

template <SearchedGraph Graph>
bool RunSearch<Graph>::find(std::uint32_t bound, const Set& part) {
  collect_steps(part);
  done_ = {};
  run_.clear();
  failed_.clear();
  if (!by_hash_.empty()) by_hash_ = {};  // `clear` takes as long as its largest size has been
  return switch_from(none, bound);
}

template <SearchedGraph Graph>
void RunSearch<Graph>::collect_steps(const Set& part) {
  for (auto& thread : threads_) {
    thread.steps.clear();
    thread.all = {};
    thread.done = 0;
    thread.locks = false;
  }
  all_ = {};
  locks_ = false;
  graph_.for_each_step([&](EventId id) {
    if (!part.contains(static_cast<ProcessId>(id))) return;
    Thread& thread = threads_[graph_.thread_of(id)];
    thread.steps.push_back(id);
    graph_.for_each_id(id, [&](ProcessId member) {
      thread.all.insert(member);
      all_.insert(member);
    });
    const Op op = graph_.op_of(id);
    thread.locks |= op == Op::lock || op == Op::try_lock || op == Op::unlock;
    locks_ |= op == Op::lock;
  });
}

// Leaves the thread (none: at the start) and runs the rest with any other one.
template <SearchedGraph Graph>
bool RunSearch<Graph>::switch_from(ThreadId running, std::uint32_t budget) {
  if (running != none && can_go_on(threads_[running])) {
    if (budget == 0) return false;
    --budget;
  }
  const auto before = run_.size();
  // (Where no mutex is locked, the thread cannot run now; else perhaps if it needed a thread that has finished.)
  if (finish_threads() || !locks_) running = none;
  if (done_ == all_) return true;
  // Where no mutex is locked, whichever thread runs next will be left before its end.
  const bool affordable = locks_ || budget > 0;
  if (affordable && !failed_before(running, budget)) {
    if (try_each_thread_but(running, budget)) return true;
    note_failed(running, budget);
  }
  undo(before);
  return false;
}

template <SearchedGraph Graph>
bool RunSearch<Graph>::try_each_thread_but(ThreadId running, std::uint32_t budget) {
  for (ThreadId t = 0; t < threads_.size(); ++t) {
    if (t != running && next_step(threads_[t]) != no_event && go_on_with(t, budget)) return true;
  }
  return false;
}

// Runs the thread as far as possible before it switches. If it holds a mutex, it is also left before it
// unlocks that: a thread that waits for the mutex can be left for free.
template <SearchedGraph Graph>
bool RunSearch<Graph>::go_on_with(ThreadId running, std::uint32_t budget) {
  Thread& thread = threads_[running];
  const auto before = run_.size();
  for (EventId next = next_step(thread); next != no_event; next = next_step(thread)) {
    const bool unlocks = locks_ && run_.size() > before && graph_.op_of(next) == Op::unlock;
    if (unlocks && switch_from(running, budget)) return true;
    run_step(next);
  }
  if (switch_from(running, budget)) return true;
  undo(before);
  return false;
}

// Runs every thread that can run to its end, but where threads may wait for mutexes, none that changes one. Whether there
// was any.
template <SearchedGraph Graph>
bool RunSearch<Graph>::finish_threads() {
  const auto before = run_.size();
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& thread : threads_) {
      if (thread.finished() || (locks_ && thread.locks) || !can_finish(thread)) continue;
      run_to_end(thread);
      changed = true;
    }
  }
  return run_.size() != before;
}

template <SearchedGraph Graph>
bool RunSearch<Graph>::failed_before(ThreadId running, std::uint32_t budget) const {
  const auto is_this = [&](const Failed& failed) {
    return failed.running == running && failed.budget >= budget && failed.done == done_;
  };
  if (failed_.size() <= most_compared) return std::any_of(failed_.begin(), failed_.end(), is_this);
  const auto [begin, end] = by_hash_.equal_range(hash());
  return std::any_of(begin, end, [&](const auto& entry) { return is_this(failed_[entry.second]); });
}

template <SearchedGraph Graph>
void RunSearch<Graph>::note_failed(ThreadId running, std::uint32_t budget) {
  failed_.push_back({done_, running, budget, hash()});
  if (failed_.size() <= most_compared) return;
  while (by_hash_.size() < failed_.size()) {
    const auto index = static_cast<std::uint32_t>(by_hash_.size());
    by_hash_.emplace(failed_[index].hash, index);
  }
}

// Of the steps that have run.
template <SearchedGraph Graph>
std::uint64_t RunSearch<Graph>::hash() const {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t number) { hash = (hash ^ number) * 0x9e3779b97f4a7c15 + (hash >> 29); };
  if constexpr (Graph::steps_in_order) {
    for (const Thread& thread : threads_) add(thread.done);
  } else {
    done_.for_each(add);
  }
  return hash;
}

// Whether the machine could take a step of the thread, perhaps with another outcome than in this graph. Only a lock may have
// to wait, until its mutex is free, and then so does all that follows it.
template <SearchedGraph Graph>
bool RunSearch<Graph>::can_go_on(const Thread& thread) const {
  if (thread.finished()) return false;
  const EventId first = first_left(thread);
  return graph_.op_of(first) != Op::lock || graph_.is_free(first, done_);
}

// Finds the first step, in program order, that the thread has yet to run. The thread is not finished.
template <SearchedGraph Graph>
EventId RunSearch<Graph>::first_left(const Thread& thread) const {
  if constexpr (Graph::steps_in_order) return thread.steps[thread.done];
  return *std::find_if(thread.steps.begin(), thread.steps.end(),
                       [&](EventId step) { return !has_run(step); });
}

// A step that the thread can take now, an unlock only if there is no other; no_event if there is none.
template <SearchedGraph Graph>
EventId RunSearch<Graph>::next_step(const Thread& thread) const {
  if (thread.finished()) return no_event;
  if constexpr (Graph::steps_in_order) {
    const EventId next = first_left(thread);
    return needs_only(thread.all, next) ? next : no_event;
  }
  EventId next = no_event;
  for (const EventId step : thread.steps) {
    if (has_run(step)) continue;
    Set own;
    graph_.for_each_id(step, [&](ProcessId id) { own.insert(id); });
    if (!needs_only(own, step)) continue;
    next = step;
    if (graph_.op_of(step) != Op::unlock) break;
  }
  return next;
}

// Whether the thread can run to its end now: every step of other threads that it still needs has run.
template <SearchedGraph Graph>
bool RunSearch<Graph>::can_finish(const Thread& thread) const {
  if constexpr (Graph::steps_in_order) return needs_only(thread.all, thread.steps.back());
  return std::all_of(thread.steps.begin(), thread.steps.end(),
                     [&](EventId step) { return has_run(step) || needs_only(thread.all, step); });
}

template <SearchedGraph Graph>
void RunSearch<Graph>::run_to_end(Thread& thread) {
  while (!thread.finished()) run_step(first_left(thread));
}

template <SearchedGraph Graph>
void RunSearch<Graph>::run_step(EventId step) {
  run_.push_back(step);
  graph_.for_each_id(step, [&](ProcessId id) { done_.insert(id); });
  ++threads_[graph_.thread_of(step)].done;
}

// Undoes steps until `count` are left.
template <SearchedGraph Graph>
void RunSearch<Graph>::undo(std::size_t count) {
  for (; run_.size() > count; run_.pop_back()) {
    --threads_[graph_.thread_of(run_.back())].done;
    graph_.for_each_id(run_.back(), [&](ProcessId id) { done_.erase(id); });
  }
}

}  // namespace heddle::checker
