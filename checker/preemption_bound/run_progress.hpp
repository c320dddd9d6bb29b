// Which steps of a graph have run, for RunSearch: what each thread can do next, and what is known of the rest.
//
// InProgramOrder is for graphs in which each step needs all earlier ones of its thread. What has run is then a number of steps
// for each thread, and what a step needs is a row of such numbers (a vector clock). InAnyOrder is for all others, with sets.
//
// Contended steps. A thread that can run to its end does so before all others, unless another one could wait meanwhile for a
// mutex that it holds, and so be left for free. So it must have run its *contended* steps: those of mutexes that a lock of
// another thread needs.
//
// Torn pairs (InProgramOrder). A pair of neighbours in a thread is torn if steps of other threads come between the two in each
// run. Then each run leaves the thread there, and pays for it, unless the second step is a lock and another thread may hold the mutex
// at that moment: one that locks it not after the first step, and unlocks it not before. So no run costs less than the
// number of pairs that are left.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/search/word_table.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

// `begin` starts with nothing run, of a part that is closed under the graph's order. `next_step`: one that the thread can take now, an unlock
// only if there is no other; no_event if there is none. `can_finish`: whether the thread can run to its end before all others.
// `least_left`: preemptions that each run of the rest pays for. States are kept until `begin`.
template <typename P, typename Graph>
concept RunProgress = requires(P& progress, const P& now, const Graph& graph, const typename Graph::Set& part,
                               ThreadId t, EventId id) {
  progress.begin(graph, part);
  { now.locks() } -> std::same_as<bool>;  // some of the steps lock a mutex
  { now.finished() } -> std::same_as<bool>;
  { now.finished(t) } -> std::same_as<bool>;
  { now.has_run(id) } -> std::same_as<bool>;
  { now.first_left(t) } -> std::same_as<EventId>;  // in program order; the thread is not finished
  { now.next_step(t) } -> std::same_as<EventId>;
  { now.can_finish(t) } -> std::same_as<bool>;
  { now.least_left() } -> std::same_as<std::uint32_t>;
  progress.run(id);
  progress.undo(id);
  { now.hash() } -> std::same_as<std::uint64_t>;
  progress.keep_state();
  { now.is_state(std::size_t{}) } -> std::same_as<bool>;  // by number
};

// What a step needs is kept while the graph grows and shrinks, and found again where it has changed. Memory: steps * threads numbers,
// and one for each thread and state that is kept.
template <SearchedGraph Graph>
class InProgramOrder {
 public:
  using Set = typename Graph::Set;

  // The newest step of its thread. O(1).
  void add(const Graph& graph, EventId step);
  // A step, and all that follow it in its thread; of those that stay none needs one of them. O(1).
  void drop(EventId step);
  // Other steps need the event: to be called after it was added, and before it is dropped. O(threads + these steps).
  void overtakes(const Graph& graph, EventId event);

  // O(threads^2), and O(threads) for each step that is new or that a new or dropped one overtakes.
  void begin(const Graph& graph, const Set& part);
  [[nodiscard]] bool locks() const { return locks_; }
  [[nodiscard]] bool finished() const { return left_ == 0; }
  [[nodiscard]] bool finished(ThreadId t) const { return done_[t] == threads_[t].count; }
  [[nodiscard]] bool has_run(EventId id) const {
    const Step& step = steps_[static_cast<std::size_t>(id)];
    return step.index < done_[step.thread];
  }
  [[nodiscard]] EventId first_left(ThreadId t) const { return threads_[t].steps[done_[t]]; }
  [[nodiscard]] EventId next_step(ThreadId t) const {
    return finished(t) || !needs_only(t, done_[t]) ? no_event : first_left(t);
  }
  [[nodiscard]] bool can_finish(ThreadId t) const {
    return done_[t] >= threads_[t].contended && needs_only(t, threads_[t].count - 1);
  }
  [[nodiscard]] std::uint32_t least_left() const { return torn_left_; }
  void run(EventId id) {
    const Step& step = steps_[static_cast<std::size_t>(id)];
    ++done_[step.thread];
    --left_;
    torn_left_ -= torn_after(step);
  }
  void undo(EventId id) {
    const Step& step = steps_[static_cast<std::size_t>(id)];
    --done_[step.thread];
    ++left_;
    torn_left_ += torn_after(step);
  }
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t hash = 0;
    for (const std::uint32_t count : done_) hash = mixed(hash ^ count);
    return hash;
  }
  void keep_state() { states_.insert(states_.end(), done_.begin(), done_.end()); }
  [[nodiscard]] bool is_state(std::size_t number) const {
    return std::equal(done_.begin(), done_.end(),
                      states_.begin() + static_cast<std::ptrdiff_t>(number * done_.size()));
  }
  [[nodiscard]] std::size_t memory_used() const {
    return steps_.capacity() * sizeof(Step) + needs_.capacity() * sizeof(std::uint32_t);
  }

 private:
  struct Step {
    ThreadId thread = 0;
    std::uint32_t index = 0;  // in its thread
    std::uint32_t torn = 0;   // torn pairs of the thread up to the one that ends with the step
    // How many steps there are up to the last one of a mutex, or the last lock, that is not after this one.
    std::uint32_t mutex_end = 0;
    std::uint32_t lock_end = 0;
  };
  struct Thread {
    std::vector<EventId> steps;
    std::uint32_t known = 0;      // how many of them are as they were at the last update
    std::uint32_t count = 0;      // of those in the part, which come first
    std::uint32_t contended = 0;  // how many of these there are up to the last contended one
  };

  [[nodiscard]] const Step& step(ThreadId t, std::size_t index) const {
    return steps_[static_cast<std::size_t>(threads_[t].steps[index])];
  }
  // How many steps of each thread must have run before the step, and itself.
  [[nodiscard]] const std::uint32_t* needs(ThreadId t, std::size_t index) const {
    return &needs_[static_cast<std::size_t>(threads_[t].steps[index]) * threads_.size()];
  }
  // Whether all steps of other threads that the step needs have run.
  [[nodiscard]] bool needs_only(ThreadId t, std::size_t index) const {
    const std::uint32_t* const needed = needs(t, index);
    for (ThreadId other = 0; other < threads_.size(); ++other) {
      if (needed[other] > done_[other] && other != t) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint32_t torn_after(const Step& first) const {
    const std::uint32_t next = first.index + 1;
    return next < threads_[first.thread].count ? step(first.thread, next).torn - first.torn : 0;
  }
  void update(const Graph& graph);
  void find_needs(const Graph& graph, EventId id);
  void describe(const Graph& graph, EventId id);
  void find_contended();
  [[nodiscard]] bool is_torn(ThreadId t, std::size_t index) const;
  [[nodiscard]] bool may_wait(const Graph& graph, ThreadId t, std::size_t lock) const;

  // Of the graph.
  std::vector<Thread> threads_;
  std::vector<Step> steps_;           // by id
  std::vector<std::uint32_t> needs_;  // rows, by id
  // Of the part.
  bool locks_ = false;
  std::vector<std::uint32_t> done_;    // by thread: how many of its steps have run
  std::size_t left_ = 0;               // steps
  std::uint32_t torn_left_ = 0;        // torn pairs whose first step is yet to run
  std::vector<std::uint32_t> states_;  // as done_, one after the other
};

template <SearchedGraph Graph>
void InProgramOrder<Graph>::add(const Graph& graph, EventId id) {
  threads_.resize(graph.thread_count());
  const auto number = static_cast<std::size_t>(id);
  if (steps_.size() <= number) {
    steps_.resize(number + 1);
    needs_.resize((number + 1) * threads_.size());
  }
  const ThreadId t = graph.thread_of(id);
  steps_[number] = {.thread = t, .index = static_cast<std::uint32_t>(threads_[t].steps.size())};
  threads_[t].steps.push_back(id);
}

template <SearchedGraph Graph>
void InProgramOrder<Graph>::drop(EventId id) {
  const Step& step = steps_[static_cast<std::size_t>(id)];
  Thread& thread = threads_[step.thread];
  if (step.index >= thread.steps.size()) return;
  thread.steps.resize(step.index);
  thread.known = std::min(thread.known, step.index);
}

template <SearchedGraph Graph>
void InProgramOrder<Graph>::overtakes(const Graph& graph, EventId event) {
  for (Thread& thread : threads_) {
    while (thread.known > 0 &&
           graph.needs(thread.steps[thread.known - 1]).contains(static_cast<ProcessId>(event)))
      --thread.known;
  }
}

template <SearchedGraph Graph>
void InProgramOrder<Graph>::update(const Graph& graph) {
  for (const Thread& thread : threads_) {
    for (std::size_t i = thread.known; i < thread.steps.size(); ++i) find_needs(graph, thread.steps[i]);
  }
  for (Thread& thread : threads_) {
    for (; thread.known < thread.steps.size(); ++thread.known) describe(graph, thread.steps[thread.known]);
  }
}

// Begins with what the step before needs.
template <SearchedGraph Graph>
void InProgramOrder<Graph>::find_needs(const Graph& graph, EventId id) {
  const Step& step = steps_[static_cast<std::size_t>(id)];
  const std::uint32_t* const before = step.index == 0 ? nullptr : needs(step.thread, step.index - 1);
  std::uint32_t* const needed = &needs_[static_cast<std::size_t>(id) * threads_.size()];
  const Set& all = graph.needs(id);
  for (ThreadId other = 0; other < threads_.size(); ++other) {
    auto& end = needed[other];
    end = before == nullptr ? 0 : before[other];
    const auto& steps = threads_[other].steps;
    while (end < steps.size() && all.contains(static_cast<ProcessId>(steps[end]))) ++end;
  }
}

// Finds the rest from what the steps need.
template <SearchedGraph Graph>
void InProgramOrder<Graph>::describe(const Graph& graph, EventId id) {
  Step& last = steps_[static_cast<std::size_t>(id)];
  const auto [t, index] = std::pair(last.thread, last.index);
  const Op op = graph.op_of(id);
  last.torn = last.mutex_end = last.lock_end = 0;
  if (index > 0) {
    const Step& before = step(t, index - 1);
    last.torn = before.torn;
    last.mutex_end = before.mutex_end;
    last.lock_end = before.lock_end;
    if (is_torn(t, index) && (op != Op::lock || !may_wait(graph, t, index))) ++last.torn;
  }
  if (is_of_mutex(op)) last.mutex_end = index + 1;
  if (op == Op::lock) last.lock_end = index + 1;
}

template <SearchedGraph Graph>
void InProgramOrder<Graph>::begin(const Graph& graph, const Set& part) {
  threads_.resize(graph.thread_count());
  update(graph);
  states_.clear();
  done_.assign(threads_.size(), 0);
  left_ = torn_left_ = 0;
  locks_ = false;
  for (ThreadId t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    const auto end = std::partition_point(thread.steps.begin(), thread.steps.end(), [&](EventId step) {
      return part.contains(static_cast<ProcessId>(step));
    });
    thread.count = static_cast<std::uint32_t>(end - thread.steps.begin());
    if (thread.count == 0) continue;
    left_ += thread.count;
    torn_left_ += step(t, thread.count - 1).torn;
    locks_ |= step(t, thread.count - 1).lock_end > 0;
  }
  find_contended();
}

template <SearchedGraph Graph>
void InProgramOrder<Graph>::find_contended() {
  for (Thread& thread : threads_) thread.contended = 0;
  for (ThreadId t = 0; t < threads_.size(); ++t) {
    const std::uint32_t end = threads_[t].count == 0 ? 0 : step(t, threads_[t].count - 1).lock_end;
    if (end == 0) continue;
    const std::uint32_t* const needed = needs(t, end - 1);
    for (ThreadId other = 0; other < threads_.size(); ++other) {
      if (other == t || needed[other] == 0) continue;
      auto& contended = threads_[other].contended;
      contended = std::max(contended, step(other, needed[other] - 1).mutex_end);
    }
  }
}

template <SearchedGraph Graph>
bool InProgramOrder<Graph>::is_torn(ThreadId t, std::size_t index) const {
  const std::uint32_t* const needed = needs(t, index);
  for (ThreadId other = 0; other < threads_.size(); ++other) {
    if (other != t && needed[other] > 0 && needs(other, needed[other] - 1)[t] >= index) return true;
  }
  return false;
}

// Whether another thread may hold the mutex of a lock when its thread has just made the step before.
template <SearchedGraph Graph>
bool InProgramOrder<Graph>::may_wait(const Graph& graph, ThreadId t, std::size_t lock) const {
  const auto mutex = graph.location_of(threads_[t].steps[lock]);
  for (ThreadId other = 0; other < threads_.size(); ++other) {
    if (other == t) continue;
    const auto& steps = threads_[other].steps;
    bool holds = true;  // perhaps, from before
    for (std::size_t i = needs(t, lock - 1)[other]; i < needs(t, lock)[other]; ++i) {
      const Op op = graph.op_of(steps[i]);
      if (!is_of_mutex(op) || graph.location_of(steps[i]) != mutex) continue;
      if (op != Op::unlock) {
        holds = holds || needs(other, i)[t] < lock;
      } else if (holds) {
        return true;
      }
    }
  }
  return false;
}

// Memory: the steps, and a set for each state that is kept.
template <SearchedGraph Graph>
class InAnyOrder {
 public:
  using Set = typename Graph::Set;

  void begin(const Graph& graph, const Set& part);
  [[nodiscard]] bool locks() const { return locks_; }
  [[nodiscard]] bool finished() const { return done_ == all_; }
  [[nodiscard]] bool finished(ThreadId t) const { return threads_[t].done == threads_[t].steps.size(); }
  [[nodiscard]] bool has_run(EventId id) const { return done_.contains(static_cast<ProcessId>(id)); }
  [[nodiscard]] EventId first_left(ThreadId t) const {
    const auto& steps = threads_[t].steps;
    return *std::find_if(steps.begin(), steps.end(), [&](EventId step) { return !has_run(step); });
  }
  [[nodiscard]] EventId next_step(ThreadId t) const;
  [[nodiscard]] bool can_finish(ThreadId t) const {
    const Thread& thread = threads_[t];
    return (thread.contended - done_).empty() &&
           std::all_of(thread.steps.begin(), thread.steps.end(),
                       [&](EventId step) { return has_run(step) || needs_only(thread.all, step); });
  }
  [[nodiscard]] static std::uint32_t least_left() { return 0; }
  void run(EventId step) {
    graph_->for_each_id(step, [&](ProcessId id) { done_.insert(id); });
    ++threads_[graph_->thread_of(step)].done;
  }
  void undo(EventId step) {
    graph_->for_each_id(step, [&](ProcessId id) { done_.erase(id); });
    --threads_[graph_->thread_of(step)].done;
  }
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t hash = 0;
    done_.for_each([&](ProcessId id) { hash = mixed(hash ^ id); });
    return hash;
  }
  void keep_state() { states_.push_back(done_); }
  [[nodiscard]] bool is_state(std::size_t number) const { return states_[number] == done_; }

 private:
  struct Thread {
    std::vector<EventId> steps;  // in program order
    Set all;                     // the same as a set
    Set of_mutexes;              // those of them
    Set before_locks;            // what its locks need
    Set contended;
    std::size_t done = 0;  // how many steps have run
  };

  // Whether all steps outside of `own` that the step needs have run.
  [[nodiscard]] bool needs_only(const Set& own, EventId step) const {
    return (((graph_->needs(step) & all_) - done_) - own).empty();
  }

  const Graph* graph_ = nullptr;
  std::vector<Thread> threads_;
  Set all_;   // the steps of all threads
  Set done_;  // those that have run
  bool locks_ = false;
  std::vector<Set> states_;
};

template <SearchedGraph Graph>
void InAnyOrder<Graph>::begin(const Graph& graph, const Set& part) {
  graph_ = &graph;
  threads_.resize(graph.thread_count());
  for (Thread& thread : threads_) {
    thread.steps.clear();
    thread.all = thread.of_mutexes = thread.before_locks = thread.contended = {};
    thread.done = 0;
  }
  all_ = done_ = {};
  locks_ = false;
  states_.clear();
  graph.for_each_step([&](EventId id) {
    if (!part.contains(static_cast<ProcessId>(id))) return;
    Thread& thread = threads_[graph.thread_of(id)];
    thread.steps.push_back(id);
    const Op op = graph.op_of(id);
    graph.for_each_id(id, [&](ProcessId member) {
      thread.all.insert(member);
      all_.insert(member);
      if (is_of_mutex(op)) thread.of_mutexes.insert(member);
    });
    if (op != Op::lock) return;
    locks_ = true;
    thread.before_locks |= graph.needs(id);
  });
  for (Thread& thread : threads_) {
    for (const Thread& other : threads_) {
      if (&other != &thread) thread.contended |= thread.of_mutexes & other.before_locks;
    }
  }
}

template <SearchedGraph Graph>
EventId InAnyOrder<Graph>::next_step(ThreadId t) const {
  EventId next = no_event;
  for (const EventId step : threads_[t].steps) {
    if (has_run(step)) continue;
    Set own;
    graph_->for_each_id(step, [&](ProcessId id) { own.insert(id); });
    if (!needs_only(own, step)) continue;
    next = step;
    if (graph_->op_of(step) != Op::unlock) break;
  }
  return next;
}

}  // namespace heddle::checker
