// A run of the graph as it is, with few preemptions, kept up to date while the graph grows and shrinks: most
// of the time it shows at once that the graph is within its preemption bound. Deciding that from scratch
// (buster.hpp) at every graph would cost several times as much as extending the graph does.
//
// The run is any order of the steps of threads that respects `upto`. What it costs is the number of times
// that a thread is left and comes back.
// - A new event goes behind its thread's newest step if nothing that it needs stands behind that, which costs
//   nothing; or else to another place where it may go.
// - An event without successors that is taken out leaves a run of the smaller graph that costs no more.
// - An event that goes before others (a read of an old value, a store that is not the newest of its location)
//   may contradict the run: then, among the steps from its first successor to the last one that it needs,
//   those that it needs move to the front. They need nothing but each other, so what results is a run again.
//
// The run need not be a best one. Only if it costs more than the bound does the graph have to be looked at as
// a whole: first for a bound from below (`forced`), then by buster.hpp, whose run then takes the place of
// this one. So the answer is always exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/execution/graph.hpp"
#include "checker/explore/buster.hpp"

namespace heddle::checker {

template <typename Graph>
class WitnessRun {
 public:
  using Set = typename Graph::Set;

  explicit WitnessRun(const Graph& graph);

  // To be called right after the event was added to the graph (or has come back).
  void add(EventId event) { new_.push_back(event); }
  // To be called right before or after the event is taken out of the graph.
  void remove(EventId event);
  // Starts again, with this order of the graph's events.
  void assign(const std::vector<EventId>& run);

  // Does the run that is known have at most so many preemptions? (If not, another one may.)
  // Amortised O(1) to O(n) per event added since the last call.
  [[nodiscard]] bool known_within(std::uint32_t bound) {
    if (!new_.empty()) update();
    return excess_ <= std::int64_t{bound} + 1;
  }
  // Does any run of the graph?
  [[nodiscard]] bool at_most(std::uint32_t bound) { return known_within(bound) || decide(bound); }

  [[nodiscard]] std::size_t memory_used() const {
    return links_.capacity() * sizeof(Link) + new_.capacity() * sizeof(EventId);
  }

 private:
  using Event = typename Graph::Event;
  static constexpr EventId end = static_cast<EventId>(Graph::capacity);  // stands behind the last step
  struct Link {
    EventId previous = end;
    EventId next = end;
    ThreadId thread = none;
  };

  [[nodiscard]] Link& link(EventId id) { return links_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] EventId step_before(const Event& event) const;
  void update();
  void insert(EventId id);
  void insert_before_others(EventId id, EventId previous);
  void part(EventId first, EventId last, EventId id);
  void put(EventId id, EventId behind);
  void take_out(EventId id);
  [[nodiscard]] std::int64_t switches(EventId before, EventId after) {
    return link(before).thread != link(after).thread ? 1 : 0;
  }
  [[nodiscard]] std::uint32_t preemptions();
  bool decide(std::uint32_t bound);

  const Graph& graph_;
  Preemptions<Graph> preemptions_;
  std::vector<Link> links_;   // by event; a ring closed by `end`
  Set in_run_;                // the steps that are in the ring
  std::vector<EventId> new_;  // added to the graph, not looked at yet
  // Changes of thread around the ring less the number of threads in it: one more than the preemptions of the
  // run (which are fewer if a thread is left where it waits for a mutex); 0 without steps.
  std::int64_t excess_ = 0;
  std::uint32_t locks_ = 0;  // in the run
};

template <typename Graph>
WitnessRun<Graph>::WitnessRun(const Graph& graph)
    : graph_(graph), preemptions_(graph), links_(Graph::capacity + 1) {}

template <typename Graph>
void WitnessRun<Graph>::remove(EventId event) {
  if (in_run_.contains(static_cast<ProcessId>(event))) return take_out(event);
  for (auto i = new_.size(); i-- > 0;) {
    if (new_[i] != event) continue;
    new_.erase(new_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

template <typename Graph>
void WitnessRun<Graph>::assign(const std::vector<EventId>& run) {
  link(end) = {};
  in_run_ = {};
  new_.clear();
  excess_ = 0;
  locks_ = 0;
  for (const EventId id : run) {
    if (Preemptions<Graph>::is_step(graph_[id])) put(id, link(end).previous);
  }
}

template <typename Graph>
void WitnessRun<Graph>::put(EventId id, EventId behind) {
  const Event& event = graph_[id];
  const EventId next = link(behind).next;
  link(id) = {behind, next, event.thread};
  excess_ += switches(behind, id) + switches(id, next) - switches(behind, next);
  if (step_before(event) == no_event) --excess_;
  link(behind).next = link(next).previous = id;
  in_run_.insert(static_cast<ProcessId>(id));
  if (event.op == jit::Op::lock) ++locks_;
}

template <typename Graph>
void WitnessRun<Graph>::take_out(EventId id) {
  const Event& event = graph_[id];
  const auto [previous, next, thread] = link(id);
  excess_ -= switches(previous, id) + switches(id, next) - switches(previous, next);
  if (step_before(event) == no_event) ++excess_;
  link(previous).next = next;
  link(next).previous = previous;
  in_run_.erase(static_cast<ProcessId>(id));
  if (event.op == jit::Op::lock) --locks_;
}

// The step of the thread before the event.
template <typename Graph>
EventId WitnessRun<Graph>::step_before(const Event& event) const {
  EventId id = event.po_previous;
  while (id != no_event && !Preemptions<Graph>::is_step(graph_[id])) id = graph_[id].po_previous;
  return id;
}

template <typename Graph>
void WitnessRun<Graph>::update() {
  for (const EventId id : new_) insert(id);
  new_.clear();
}

template <typename Graph>
void WitnessRun<Graph>::insert(EventId id) {
  const Event& event = graph_[id];
  if (event.kind == EventKind::choice || event.kind == EventKind::deferral) return;
  const bool step = Preemptions<Graph>::is_step(event);
  const EventId previous = step ? step_before(event) : no_event;
  const EventId overtaken = event.kind == EventKind::read ? graph_[event.source].co_next : event.co_next;
  if (overtaken != no_event) return insert_before_others(id, previous);
  if (!step) return;
  EventId place = link(end).previous;
  if (previous != no_event && place != previous) {
    EventId last = place;
    while (!event.upto.contains(static_cast<ProcessId>(last))) last = link(last).previous;
    if (last == previous) place = previous;
  }
  put(id, place);
}

// The event may have successors in the run.
template <typename Graph>
void WitnessRun<Graph>::insert_before_others(EventId id, EventId previous) {
  const Event& event = graph_[id];
  EventId last = end;   // that the event needs
  EventId first = end;  // that needs the event
  bool contradiction = false;
  for (EventId at = link(end).previous; at != end; at = link(at).previous) {
    if (graph_[at].upto.contains(static_cast<ProcessId>(id))) {
      first = at;
      contradiction = last != end;
    } else if (last == end && event.upto.contains(static_cast<ProcessId>(at))) {
      last = at;
    }
  }
  if (contradiction) return part(first, last, id);
  if (!Preemptions<Graph>::is_step(event)) return;
  if (previous != no_event && last == previous) return put(id, previous);
  // Between two threads, rather than in the middle of one's steps.
  EventId place = link(first).previous;
  for (EventId at = place;; at = link(at).previous) {
    if (switches(at, link(at).next) != 0) {
      place = at;
      break;
    }
    if (at == last) break;
  }
  put(id, place);
}

// Moves what the event needs to the front of that part of the run, and puts the event behind it.
template <typename Graph>
void WitnessRun<Graph>::part(EventId first, EventId last, EventId id) {
  const Event& event = graph_[id];
  EventId place = link(first).previous;
  const EventId stop = link(last).next;
  for (EventId at = first; at != stop;) {
    const EventId next = link(at).next;
    if (event.upto.contains(static_cast<ProcessId>(at))) {
      take_out(at);
      put(at, place);
      place = at;
    }
    at = next;
  }
  if (Preemptions<Graph>::is_step(event)) put(id, place);
}

// The preemptions of the run, exactly: where a thread was left that waited for a mutex, that was free.
template <typename Graph>
std::uint32_t WitnessRun<Graph>::preemptions() {
  std::uint32_t count = 0;
  for (EventId id = link(end).next; id != end; id = link(id).next) {
    const Event& event = graph_[id];
    const EventId previous = step_before(event);
    if (previous == no_event || previous == link(id).previous) continue;
    ++count;
    if (event.op != jit::Op::lock) continue;
    EventId at = link(previous).next;
    while (graph_[at].location != event.location || !graph_[at].writes()) at = link(at).next;
    if (graph_[at].value == 0) --count;  // the next that happened to the mutex was that it was unlocked
  }
  return count;
}

template <typename Graph>
bool WitnessRun<Graph>::decide(std::uint32_t bound) {
  if (locks_ != 0 && preemptions() <= bound) return true;
  if (!preemptions_.at_most(bound, graph_.live())) return false;
  assign(preemptions_.run());
  return true;
}

}  // namespace heddle::checker
