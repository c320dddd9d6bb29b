// Does a graph, or a part of it, have a run with at most k preemptions? Decided from scratch, exactly. See
// preemption_bound.hpp for what a preemption is.
//
// The question is NP-complete; as in section 5 of paper 3 it is decided recursively, for one k only, without
// computing the least number. Running the current thread on as long as that is possible never costs more than
// switching earlier, unless it holds a mutex that another thread will wait for, so only switches branch. Where
// no mutex is locked, a thread that can run to its end does so before all others: its steps, moved to the
// front of a run, tear nothing apart and leave a thread that is finished. So those switches do not branch.
// States that failed are remembered during one decision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Graph>
class Preemptions {
 public:
  using Set = typename Graph::Set;
  // Stores reach memory without anybody's doing.
  static constexpr bool buffered = Graph::buffers_stores;

  explicit Preemptions(const Graph& graph) : graph_(graph), steps_(graph.thread_count()) {}

  // Does some run of these events (closed under the model's order) have at most `bound` preemptions?
  // Exponential in the number of threads at worst, linear in the number of events if the bound is loose.
  [[nodiscard]] bool at_most(std::uint32_t bound, const Set& events);
  // The steps of that run, if so.
  [[nodiscard]] const std::vector<EventId>& run() const { return run_; }

  // Is the event a step of its thread? A choice is none: it can be noticed by nobody, and is taken as soon as
  // its thread gets there.
  [[nodiscard]] static bool is_step(const typename Graph::Event& event) {
    return event.kind != EventKind::choice && event.kind != EventKind::deferral &&
           (!buffered || event.op != Op::store);
  }

 private:
  using Event = typename Graph::Event;
  struct Steps {
    std::vector<EventId> events;
    Set all;
    std::size_t done = 0;
    [[nodiscard]] bool finished() const { return done == events.size(); }
    [[nodiscard]] EventId next() const { return events[done]; }
  };
  struct Failed {
    Set done;
    ThreadId running = 0;
    std::uint32_t budget = 0;
  };

  bool run_on(ThreadId running, std::uint32_t budget);
  bool switch_from(ThreadId running, std::uint32_t budget);
  void finish_threads();
  [[nodiscard]] bool done_before(EventId event, const Set& except) const;
  [[nodiscard]] bool can_go_on(ThreadId t) const;
  void step(Steps& steps);
  void undo(std::size_t count);

  const Graph& graph_;
  std::vector<Steps> steps_;
  Set all_;   // the steps of threads
  Set done_;  // those taken
  bool locks_ = false;
  std::vector<EventId> run_;  // those taken, in order
  std::vector<Failed> failed_;
};

template <typename Graph>
bool Preemptions<Graph>::at_most(std::uint32_t bound, const Set& events) {
  for (auto& steps : steps_) {
    steps.events.clear();
    steps.all = {};
    steps.done = 0;
  }
  all_ = done_ = {};
  failed_.clear();
  run_.clear();
  locks_ = false;
  for (const EventId id : graph_.order()) {
    if (!events.contains(static_cast<ProcessId>(id))) continue;
    const Event& event = graph_[id];
    if (!is_step(event)) continue;
    locks_ |= event.op == Op::lock;
    steps_[event.thread].events.push_back(id);
    steps_[event.thread].all.insert(static_cast<ProcessId>(id));
  }
  for (const auto& steps : steps_) all_ |= steps.all;
  return switch_from(none, bound);
}

// Is everything done before the event, but for these?
template <typename Graph>
bool Preemptions<Graph>::done_before(EventId event, const Set& except) const {
  return (((graph_[event].upto & all_) - done_) - except).empty();
}

// Could the thread take its next step on the machine, perhaps with another outcome than in this graph?
template <typename Graph>
bool Preemptions<Graph>::can_go_on(ThreadId t) const {
  const Steps& steps = steps_[t];
  if (steps.finished()) return false;
  const Event& next = graph_[steps.next()];
  if (next.op != Op::lock) return true;
  EventId holder = next.location;
  for (EventId write = graph_[holder].co_next;
       write != no_event && done_.contains(static_cast<ProcessId>(write)); write = graph_[write].co_next) {
    holder = write;
  }
  return graph_[holder].value == 0;
}

template <typename Graph>
void Preemptions<Graph>::step(Steps& steps) {
  const auto id = static_cast<ProcessId>(steps.next());
  run_.push_back(steps.next());
  done_.insert(id);
  ++steps.done;
}

// Takes steps back until so many are left.
template <typename Graph>
void Preemptions<Graph>::undo(std::size_t count) {
  for (; run_.size() > count; run_.pop_back()) {
    const auto id = static_cast<ProcessId>(run_.back());
    --steps_[graph_[run_.back()].thread].done;
    done_.erase(id);
  }
}

// Goes on with the thread as far as possible, then switches; or while it holds a mutex: a thread that waits
// for that can be left free.
template <typename Graph>
bool Preemptions<Graph>::run_on(ThreadId running, std::uint32_t budget) {
  Steps& steps = steps_[running];
  const auto before = run_.size();
  while (!steps.finished() && done_before(steps.next(), steps.all)) {
    if (locks_ && run_.size() > before && graph_[steps.next()].op == Op::unlock &&
        switch_from(running, budget)) {
      return true;
    }
    step(steps);
  }
  if (switch_from(running, budget)) return true;
  undo(before);
  return false;
}

// Takes all steps of all threads that can run to their end.
template <typename Graph>
void Preemptions<Graph>::finish_threads() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& steps : steps_) {
      if (steps.finished() || !done_before(steps.events.back(), steps.all)) continue;
      while (!steps.finished()) step(steps);
      changed = true;
    }
  }
}

// Leaves the thread and goes on with any other one.
template <typename Graph>
bool Preemptions<Graph>::switch_from(ThreadId running, std::uint32_t budget) {
  if (running != none && can_go_on(running) && budget-- == 0) return false;
  const auto before = run_.size();
  if (!locks_) {
    finish_threads();
    running = none;  // it cannot go on now
  }
  if (done_ == all_) return true;
  const bool tried = std::any_of(failed_.begin(), failed_.end(), [&](const Failed& failed) {
    return failed.running == running && failed.budget >= budget && failed.done == done_;
  });
  // Where no mutex is locked, whichever thread goes on will be left before its end.
  if (!tried && (locks_ || budget > 0)) {
    for (ThreadId t = 0; t < steps_.size(); ++t) {
      const Steps& steps = steps_[t];
      if (t == running || steps.finished() || !done_before(steps.next(), steps.all)) continue;
      if (run_on(t, budget)) return true;
    }
    failed_.push_back({done_, running, budget});
  }
  undo(before);
  return false;
}

}  // namespace heddle::checker
