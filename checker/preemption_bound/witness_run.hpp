// A run of the graph, kept up to date while the graph grows and shrinks. Most of the time it has few enough
// preemptions to show at once that the graph is within its bound; deciding that from scratch (run_search.hpp)
// for every graph would cost several times as much as extending the graph does.
//
// The run is a list of the steps of all threads in an order that respects `upto`. It falls into *stretches*:
// as long as possible, each of one thread. The first stretch of a thread is free, each further one means that
// the thread was left and came back. So the run costs as many preemptions as there are more stretches than
// threads. (Leaving a thread that waits for a mutex is free; that is only checked where it matters.)
//
// How a step comes into the run, by example:
//
//   thread 0: x = 1; y = 1        The run so far: x=1 y=1
//   thread 1: a = y; b = x
//
//   a = y reads 0. It comes before y = 1 and needs nothing, so its *gap* is all that comes before y = 1. It
//   goes to a place in the gap where the thread changes anyway, if there is one:
//                                 a=y | x=1 y=1
//   b = x reads 1. Its gap is all that comes after x = 1. The stretch a=y could be brought there, so that
//   b=x continues it, if nothing on the way needed that stretch. But y = 1 does, so b=x begins another:
//                                 a=y | x=1 y=1 | b=x
//   If b = x read 0 instead, it would continue the stretch a=y in its place.
//
//   A step that comes before others may contradict the run: the first step that needs it comes before the
//   last step that it needs. Then, of the steps between these two, those that it needs move to the front.
//   They need nothing but each other there, so the result is a run again.
//
// Removing events that no other needs leaves a run of the smaller graph that costs no more.
//
// The run need not be a best one. Only if it costs more than the bound is the graph decided as a whole by
// run_search.hpp, whose run then replaces this one. So the answer is always exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/preemption_bound/run_search.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Graph>
class WitnessRun {
 public:
  using Set = typename Graph::Set;

  explicit WitnessRun(const Graph& graph) : graph_(graph), search_(StepsOfGraph(graph)), links_(1) {}

  // To be called right after the event was added to the graph. O(1): it gets its place at the next query.
  void add(EventId event) {
    new_.push_back(event);
    least_.push_back(least_.back());
  }
  // To be called right before the newest event is removed from the graph. O(1), and as InProgramOrder::overtakes.
  void remove(EventId event) {
    least_.pop_back();
    if (forget_new(event)) return;
    if (overtaken_by(graph_, event) != no_event) search_.progress().overtakes(StepsOfGraph(graph_), event);
    take_out(event);
  }
  // To be called before these events, which no other needs, are removed, and after they have been restored.
  // O(1) per event; `mend` also looks through the graph's order of insertion.
  void cut(const Set& gone) {
    gone.for_each([&](ProcessId id) {
      if (!forget_new(static_cast<EventId>(id))) take_out(static_cast<EventId>(id));
    });
    least_.push_back(0);
  }
  void mend(const Set& gone) {
    for (const EventId id : graph_.order()) {
      if (gone.contains(static_cast<ProcessId>(id))) new_.push_back(id);
    }
    least_.pop_back();
  }

  // Whether some run of the graph has at most `bound` preemptions. If the known run tells, O(1) for each new
  // event that comes before no other and O(n) for each that does; otherwise as RunSearch::find.
  [[nodiscard]] bool at_most(std::uint32_t bound) {
    return least_.back() <= bound && (cost() <= bound || decide(bound));
  }
  // The same for a part of the graph that is closed under its order. As RunSearch::find.
  [[nodiscard]] bool at_most(std::uint32_t bound, const Set& part) {
    if (!new_.empty()) update();
    return search_.find(bound, part);
  }

  // The known run, and its preemptions if no thread were ever left that waits for a mutex.
  [[nodiscard]] std::vector<EventId> run();
  [[nodiscard]] std::uint32_t cost() {
    if (!new_.empty()) update();
    return excess_ > 0 ? static_cast<std::uint32_t>(excess_ - 1) : 0;
  }

  [[nodiscard]] std::size_t memory_used() const {
    return links_.capacity() * sizeof(Link) + new_.capacity() * sizeof(EventId) +
           least_.capacity() * sizeof(std::uint32_t) + search_.memory_used();
  }

 private:
  static constexpr EventId end = -1;  // comes after the last step, and before the first one
  struct Link {
    EventId previous = end;
    EventId next = end;
    EventId earlier = no_event;  // the step of the thread before this one
    ThreadId thread = none;
  };
  // Where a step may go: after `last`, the last step that it needs, and before `first`, the first that needs
  // it; `end` if there is none.
  struct Gap {
    EventId last = end;
    EventId first = end;
  };

  [[nodiscard]] static std::size_t index(EventId id) { return static_cast<std::size_t>(id - end); }
  [[nodiscard]] Link& link(EventId id) { return links_[index(id)]; }
  [[nodiscard]] EventId newest() { return link(end).previous; }
  [[nodiscard]] bool needs(EventId later, EventId earlier) const {
    return graph_[later].upto.contains(static_cast<ProcessId>(earlier));
  }
  [[nodiscard]] bool in_run(EventId id) const { return in_run_.contains(static_cast<ProcessId>(id)); }

  [[nodiscard]] bool forget_new(EventId event) { return std::erase(new_, event) > 0; }
  void update();
  void insert(EventId id);
  [[nodiscard]] Gap gap_at_end(EventId id, EventId earlier);
  [[nodiscard]] Gap gap_before(EventId overtaken, EventId id);
  [[nodiscard]] Gap reorder(Gap contradiction, EventId id);
  [[nodiscard]] EventId best_place(Gap gap);
  bool bring_stretch(EventId newest, Gap gap);
  [[nodiscard]] std::uint32_t preemptions();
  bool decide(std::uint32_t bound);
  void assign(const std::vector<EventId>& run);

  // The list. All of it is O(1).
  void put(EventId id, EventId earlier, EventId place);
  void take_out(EventId id);
  void move(EventId oldest, EventId newest, EventId place);
  void join(EventId a, EventId b) {
    link(a).next = b;
    link(b).previous = a;
  }
  // Whether a stretch ends between these neighbours.
  [[nodiscard]] bool switches(EventId before, EventId after) {
    return link(before).thread != link(after).thread;
  }

  const Graph& graph_;
  RunSearch<StepsOfGraph<Graph>> search_;
  std::vector<Link> links_;   // `end`, then by event: a ring
  Set in_run_;                // the steps that are in the ring
  std::vector<EventId> new_;  // in the graph, but not yet in the run
  // Switches around the ring less the number of threads in it, so one more than the cost; 0 without steps.
  std::int64_t excess_ = 0;
  std::uint32_t locks_ = 0;  // in the run
  // Lower bounds of the preemptions of any run, one for each graph from the first to the current one. They
  // never decrease, because a graph needs at least as many as the graphs that it was extended from.
  std::vector<std::uint32_t> least_{0};
};

template <typename Graph>
void WitnessRun<Graph>::update() {
  for (const EventId id : new_) insert(id);
  new_.clear();
}

// Gives the event its place in the run. A store that reaches memory on its own has none, but it may order
// others that are in the run.
template <typename Graph>
void WitnessRun<Graph>::insert(EventId id) {
  const EventId overtaken = overtaken_by(graph_, id);
  const bool step = is_step<Graph>(graph_[id]);
  if (step) search_.progress().add(StepsOfGraph(graph_), id);
  if (overtaken != no_event) search_.progress().overtakes(StepsOfGraph(graph_), id);
  if (overtaken == no_event && !step) return;
  const EventId earlier = step ? step_before(graph_, id) : no_event;
  const Gap gap = overtaken == no_event ? gap_at_end(id, earlier) : gap_before(overtaken, id);
  if (!step) return;
  const bool joins = earlier != no_event && (gap.last == earlier || bring_stretch(earlier, gap));
  put(id, earlier, joins ? earlier : best_place(gap));
}

// The gap of an event that no other needs.
template <typename Graph>
auto WitnessRun<Graph>::gap_at_end(EventId id, EventId earlier) -> Gap {
  Gap gap{.last = newest(), .first = end};
  if (earlier == no_event) return gap;  // the first stretch of a thread is free wherever it is
  while (!needs(id, gap.last)) gap.last = link(gap.last).previous;
  return gap;
}

// The gap of an event that goes before others, first of all before the overtaken one. If there is none, the
// run is changed so that there is. O(n).
template <typename Graph>
auto WitnessRun<Graph>::gap_before(EventId overtaken, EventId id) -> Gap {
  // Whatever else needs the event needs what it overtakes. (A store may be overtaken before it is in memory.)
  const EventId first = !Graph::buffers_stores && in_run(overtaken) ? overtaken : no_event;
  Gap gap;
  bool contradiction = false;
  for (EventId at = newest(); at != end; at = link(at).previous) {
    if (at == first || (first == no_event && needs(at, id))) {
      gap.first = at;
      contradiction = gap.last != end;
    } else if (gap.last == end && needs(id, at)) {
      gap.last = at;
    }
    if (gap.first == first && gap.last != end) break;
  }
  return contradiction ? reorder(gap, id) : gap;
}

// The event needs `last`, which comes after `first`, which needs the event. What the event needs moves to
// the front, but not into the stretch that `first` is in, unless the event needs the part of it
// before `first`.
template <typename Graph>
auto WitnessRun<Graph>::reorder(Gap contradiction, EventId id) -> Gap {
  EventId place = link(contradiction.first).previous;
  while (!switches(place, link(place).next) && !needs(id, place)) place = link(place).previous;
  const EventId stop = link(contradiction.last).next;
  for (EventId at = link(place).next; at != stop;) {
    const EventId next = link(at).next;
    if (needs(id, at)) {
      move(at, at, place);
      place = at;
    }
    at = next;
  }
  return {.last = place, .first = link(place).next};
}

// The step of the gap to go after: the last one where the thread changes anyway, or else the last one.
template <typename Graph>
EventId WitnessRun<Graph>::best_place(Gap gap) {
  const EventId last = link(gap.first).previous;
  for (EventId at = last;; at = link(at).previous) {
    if (switches(at, link(at).next)) return at;
    if (at == gap.last) return last;
  }
}

// Moves the stretch that ends with the thread's newest step into the gap, so that the thread can continue
// there. False if other steps before the gap need the stretch, or if it would split a stretch of another
// thread.
template <typename Graph>
bool WitnessRun<Graph>::bring_stretch(EventId newest, Gap gap) {
  EventId oldest = newest;
  while (!switches(link(oldest).previous, oldest)) oldest = link(oldest).previous;
  bool in_gap = false;
  EventId place = newest;
  while (!in_gap || !switches(place, link(place).next)) {
    place = link(place).next;
    if (place == gap.first || needs(place, oldest)) return false;
    in_gap |= place == gap.last;
  }
  move(oldest, newest, place);
  return true;
}

template <typename Graph>
bool WitnessRun<Graph>::decide(std::uint32_t bound) {
  if (locks_ != 0 && preemptions() <= bound) return true;
  if (!search_.find(bound, graph_.live())) {
    least_.back() = bound + 1;
    return false;
  }
  assign(search_.run());
  return true;
}

// The preemptions of the run, without the switches from threads that waited for a mutex. O(n) mostly.
template <typename Graph>
std::uint32_t WitnessRun<Graph>::preemptions() {
  std::uint32_t count = 0;
  for (EventId id = link(end).next; id != end; id = link(id).next) {
    const EventId earlier = link(id).earlier;
    if (earlier == no_event || earlier == link(id).previous) continue;
    ++count;
    const auto& event = graph_[id];
    if (event.op != Op::lock) continue;
    EventId at = link(earlier).next;
    while (graph_[at].location != event.location || !graph_[at].writes()) at = link(at).next;
    if (graph_[at].value == 0) --count;  // the next that happened to the mutex was that it was unlocked
  }
  return count;
}

// Starts again, with these steps.
template <typename Graph>
void WitnessRun<Graph>::assign(const std::vector<EventId>& run) {
  link(end) = {};
  in_run_ = {};
  new_.clear();
  excess_ = 0;
  locks_ = 0;
  for (const EventId id : run) put(id, step_before(graph_, id), newest());
}

template <typename Graph>
std::vector<EventId> WitnessRun<Graph>::run() {
  if (!new_.empty()) update();
  std::vector<EventId> run;
  for (EventId id = link(end).next; id != end; id = link(id).next) run.push_back(id);
  return run;
}

// Puts the step after another one (`end`: to the front).
template <typename Graph>
void WitnessRun<Graph>::put(EventId id, EventId earlier, EventId place) {
  const auto& event = graph_[id];
  if (links_.size() <= index(id)) links_.resize(index(id) + 1);
  const EventId next = link(place).next;
  link(id) = {.previous = place, .next = next, .earlier = earlier, .thread = event.thread};
  excess_ += switches(place, id) + switches(id, next) - switches(place, next);
  if (earlier == no_event) --excess_;
  link(place).next = link(next).previous = id;
  in_run_.insert(static_cast<ProcessId>(id));
  if (event.op == Op::lock) ++locks_;
}

template <typename Graph>
void WitnessRun<Graph>::take_out(EventId id) {
  if (!in_run(id)) return;
  search_.progress().drop(id);
  const auto [previous, next, earlier, thread] = link(id);
  excess_ -= switches(previous, id) + switches(id, next) - switches(previous, next);
  if (earlier == no_event) ++excess_;
  join(previous, next);
  in_run_.erase(static_cast<ProcessId>(id));
  if (graph_[id].op == Op::lock) --locks_;
}

// Moves neighbours, from the oldest to the newest, to the place after another step.
template <typename Graph>
void WitnessRun<Graph>::move(EventId oldest, EventId newest, EventId place) {
  const EventId previous = link(oldest).previous;
  if (previous == place) return;
  const EventId next = link(newest).next;
  excess_ += switches(previous, next) - switches(previous, oldest) - switches(newest, next);
  join(previous, next);
  const EventId after = link(place).next;
  excess_ += switches(place, oldest) + switches(newest, after) - switches(place, after);
  join(place, oldest);
  join(newest, after);
}

}  // namespace heddle::checker
