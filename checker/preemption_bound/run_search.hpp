// Searches for a run of a graph, or of a part of it, with at most k preemptions: the exact decision, from
// scratch. See preemption_bound.hpp for what a preemption is, and ordered_graph.hpp (SearchedGraph) for what the graph
// must be able to tell. Its threads need not take their steps in program order.
//
// The problem is NP-complete. As in section 5 of paper 3 it is decided recursively, for one k only, without
// computing the least number. Four things keep that short:
// - Letting the running thread continue as long as it can never costs more than switching earlier, unless it
//   holds a mutex that another thread will wait for. So only switches branch. (A step of the running thread that
//   is taken earlier than in some run separates nothing there, and what comes before it is there.)
// - A thread that can run to its end does so before all others, but none for whose mutexes others may wait meanwhile: its
//   steps, moved to the front of a run, separate no two steps that ran together, and a finished thread is left for free. So
//   these switches do not branch.
// - A state is left at once if what each run of the rest costs is more than what is left of k (run_progress.hpp).
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
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/preemption_bound/run_progress.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <SearchedGraph Graph>
class RunSearch {
 public:
  using Set = typename Graph::Set;
  using Progress = std::conditional_t<Graph::steps_in_order, InProgramOrder<Graph>, InAnyOrder<Graph>>;
  static_assert(RunProgress<Progress, Graph>);

  explicit RunSearch(Graph graph) : graph_(graph) {}

  // What is known of the graph from earlier searches: see InProgramOrder.
  [[nodiscard]] Progress& progress() { return progress_; }
  [[nodiscard]] std::size_t memory_used() const { return progress_.memory_used(); }
  // Whether this part of the graph, which is closed under the graph's order, has a run with at most `bound`
  // preemptions. Exponential in the number of threads at worst, O(steps * threads) if the bound
  // is loose.
  [[nodiscard]] bool find(std::uint32_t bound, const Set& part);
  // The steps of the run that was found.
  [[nodiscard]] const std::vector<EventId>& run() const { return run_; }

 private:
  // A state of the progress with the same number.
  struct Failed {
    ThreadId running = 0;
    std::uint32_t budget = 0;
    std::uint64_t hash = 0;
  };
  // Up to this number of failed states it takes less time to compare them all.
  static constexpr std::size_t most_compared = 32;

  bool go_on_with(ThreadId running, std::uint32_t budget);
  bool switch_from(ThreadId running, std::uint32_t budget);
  bool try_each_thread_but(ThreadId running, std::uint32_t budget);
  bool finish_threads();
  [[nodiscard]] bool failed_before(ThreadId running, std::uint32_t budget) const;
  void note_failed(ThreadId running, std::uint32_t budget);
  [[nodiscard]] bool can_go_on(ThreadId t) const;
  void run_step(EventId step) {
    run_.push_back(step);
    progress_.run(step);
  }
  // Undoes steps until `count` are left.
  void undo(std::size_t count) {
    for (; run_.size() > count; run_.pop_back()) progress_.undo(run_.back());
  }

  Graph graph_;
  Progress progress_;
  std::vector<EventId> run_;  // the steps that have run, in order
  std::vector<Failed> failed_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // indices of failed_, if there are many
};

template <SearchedGraph Graph>
bool RunSearch<Graph>::find(std::uint32_t bound, const Set& part) {
  progress_.begin(graph_, part);
  run_.clear();
  failed_.clear();
  if (!by_hash_.empty()) by_hash_ = {};  // `clear` takes as long as its largest size has been
  return switch_from(none, bound);
}

// Leaves the thread (none: at the start) and runs the rest with any other one.
template <SearchedGraph Graph>
bool RunSearch<Graph>::switch_from(ThreadId running, std::uint32_t budget) {
  if (running != none && can_go_on(running)) {
    if (budget == 0) return false;
    --budget;
  }
  const auto before = run_.size();
  // (Where no mutex is locked, the thread cannot run now; else perhaps if it needed a thread that has finished.)
  if (finish_threads() || !progress_.locks()) running = none;
  if (progress_.finished()) return true;
  // Where no mutex is locked, whichever thread runs next will be left before its end.
  const bool affordable = progress_.least_left() <= budget && (progress_.locks() || budget > 0);
  if (affordable && !failed_before(running, budget)) {
    if (try_each_thread_but(running, budget)) return true;
    note_failed(running, budget);
  }
  undo(before);
  return false;
}

template <SearchedGraph Graph>
bool RunSearch<Graph>::try_each_thread_but(ThreadId running, std::uint32_t budget) {
  for (ThreadId t = 0; t < graph_.thread_count(); ++t) {
    if (t != running && progress_.next_step(t) != no_event && go_on_with(t, budget)) return true;
  }
  return false;
}

// Runs the thread as far as possible before it switches. If it holds a mutex, it is also left before it
// unlocks that: a thread that waits for the mutex can be left for free.
template <SearchedGraph Graph>
bool RunSearch<Graph>::go_on_with(ThreadId running, std::uint32_t budget) {
  const auto before = run_.size();
  for (EventId next = progress_.next_step(running); next != no_event; next = progress_.next_step(running)) {
    const bool unlocks = progress_.locks() && run_.size() > before && graph_.op_of(next) == Op::unlock;
    if (unlocks && switch_from(running, budget)) return true;
    run_step(next);
  }
  if (switch_from(running, budget)) return true;
  undo(before);
  return false;
}

// Runs every thread that can run to its end before all others. Whether there was any.
template <SearchedGraph Graph>
bool RunSearch<Graph>::finish_threads() {
  const auto before = run_.size();
  for (bool changed = true; changed;) {
    changed = false;
    for (ThreadId t = 0; t < graph_.thread_count(); ++t) {
      if (progress_.finished(t) || !progress_.can_finish(t)) continue;
      while (!progress_.finished(t)) run_step(progress_.first_left(t));
      changed = true;
    }
  }
  return run_.size() != before;
}

template <SearchedGraph Graph>
bool RunSearch<Graph>::failed_before(ThreadId running, std::uint32_t budget) const {
  const auto is_this = [&](std::size_t index) {
    const Failed& failed = failed_[index];
    return failed.running == running && failed.budget >= budget && progress_.is_state(index);
  };
  if (failed_.size() <= most_compared) {
    for (std::size_t index = 0; index < failed_.size(); ++index) {
      if (is_this(index)) return true;
    }
    return false;
  }
  const auto [begin, end] = by_hash_.equal_range(progress_.hash());
  return std::any_of(begin, end, [&](const auto& entry) { return is_this(entry.second); });
}

template <SearchedGraph Graph>
void RunSearch<Graph>::note_failed(ThreadId running, std::uint32_t budget) {
  failed_.push_back({running, budget, progress_.hash()});
  progress_.keep_state();
  if (failed_.size() <= most_compared) return;
  while (by_hash_.size() < failed_.size()) {
    const auto index = static_cast<std::uint32_t>(by_hash_.size());
    by_hash_.emplace(failed_[index].hash, index);
  }
}

// Whether the machine could take a step of the thread, perhaps with another outcome than in this graph. Only a lock may have
// to wait, until its mutex is free, and then so does all that follows it.
template <SearchedGraph Graph>
bool RunSearch<Graph>::can_go_on(ThreadId t) const {
  if (progress_.finished(t)) return false;
  const EventId first = progress_.first_left(t);
  return graph_.op_of(first) != Op::lock ||
         graph_.is_free(first, [&](EventId write) { return progress_.has_run(write); });
}

}  // namespace heddle::checker
