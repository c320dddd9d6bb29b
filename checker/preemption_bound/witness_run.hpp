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
// a whole by buster.hpp, whose run then takes the place of this one. So the answer is always exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/preemption_bound/buster.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Graph>
class WitnessRun {
 public:
  using Set = typename Graph::Set;

  explicit WitnessRun(const Graph& graph);

  // To be called right after the event was added to the graph.
  void add(EventId event) {
    new_.push_back(event);
    least_.push_back(least_.back());
  }
  // To be called right before or after the newest event is removed from the graph.
  void remove(EventId event) {
    forget(event);
    least_.pop_back();
  }
  // To be called before these events, which no other needs, are taken away, and when they are back again.
  void cut(const Set& gone) {
    gone.for_each([&](ProcessId id) { forget(static_cast<EventId>(id)); });
    least_.push_back(0);
  }
  void mend(const Set& gone) {
    for (const EventId id : graph_.order()) {
      if (gone.contains(static_cast<ProcessId>(id))) new_.push_back(id);
    }
    least_.pop_back();
  }
  // Takes over from one that has seen the same changes of a graph with room for fewer events.
  template <typename Narrower>
  void start_again(const WitnessRun<Narrower>& other) {
    least_ = other.least_;
    if (preemptions_.at_most(static_cast<std::uint32_t>(Graph::capacity), graph_.live()))
      assign(preemptions_.run());
  }

  // Does the run that is known have at most so many preemptions? (If not, another one may.)
  // Amortised O(1) to O(n) per event added since the last call.
  [[nodiscard]] bool known_within(std::uint32_t bound) {
    if (!new_.empty()) update();
    return excess_ <= std::int64_t{bound} + 1;
  }
  // Does any run of the graph?
  [[nodiscard]] bool at_most(std::uint32_t bound) {
    return least_.back() <= bound && (known_within(bound) || decide(bound));
  }
  // Does any run of this part of the graph, which is closed under the graph's order?
  [[nodiscard]] bool at_most(std::uint32_t bound, const Set& part) {
    return preemptions_.at_most(bound, part);
  }

  // The run that is known, and what it costs at most: its preemptions, and one for each time that a thread is
  // left which waits for a mutex.
  [[nodiscard]] std::vector<EventId> run();
  [[nodiscard]] std::uint32_t cost() {
    if (!new_.empty()) update();
    return excess_ > 0 ? static_cast<std::uint32_t>(excess_ - 1) : 0;
  }

  [[nodiscard]] std::size_t memory_used() const {
    return links_.capacity() * sizeof(Link) + new_.capacity() * sizeof(EventId) +
           least_.capacity() * sizeof(std::uint32_t);
  }

 private:
  template <typename>
  friend class WitnessRun;
  using Event = typename Graph::Event;
  static constexpr EventId end = static_cast<EventId>(Graph::capacity);  // stands behind the last step
  struct Link {
    EventId previous = end;
    EventId next = end;
    EventId earlier = no_event;  // the step of the thread before this one
    ThreadId thread = none;
  };

  [[nodiscard]] Link& link(EventId id) { return links_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] EventId step_before(const Event& event) const;
  [[nodiscard]] bool after(EventId later, EventId earlier) const {
    return graph_[later].upto.contains(static_cast<ProcessId>(earlier));
  }
  // Takes the event out of the run.
  void forget(EventId event);
  // Starts again, with this order of the graph's events.
  void assign(const std::vector<EventId>& run);
  void update();
  void insert(EventId id);
  // Where an event may go: behind `last` (all that it needs) and before `first` (all that needs it).
  struct Gap {
    EventId last = end;
    EventId first = end;
  };
  [[nodiscard]] Gap gap_before_others(EventId id, EventId overtaken);
  [[nodiscard]] Gap part(Gap contradiction, EventId id);
  [[nodiscard]] EventId boundary(Gap gap);
  bool bring(EventId previous, Gap gap);
  void put(EventId id, EventId earlier, EventId behind);
  void take_out(EventId id);
  void join(EventId a, EventId b) {
    link(a).next = b;
    link(b).previous = a;
  }
  [[nodiscard]] std::int64_t switches(EventId before, EventId behind) {
    return link(before).thread != link(behind).thread ? 1 : 0;
  }
  [[nodiscard]] std::uint32_t preemptions();
  bool decide(std::uint32_t bound);

  const Graph& graph_;
  Preemptions<Graph> preemptions_;
  std::vector<Link> links_;   // by event; a ring closed by `end`
  Set in_run_;                // the steps that are in the ring
  std::vector<EventId> new_;  // added to the graph, not looked at yet
  // No run of the graph has fewer preemptions: for each graph since the first one, the present one last.
  std::vector<std::uint32_t> least_{0};
  // Changes of thread around the ring less the number of threads in it: one more than the preemptions of the
  // run (which are fewer if a thread is left where it waits for a mutex); 0 without steps.
  std::int64_t excess_ = 0;
  std::uint32_t locks_ = 0;  // in the run
};

template <typename Graph>
WitnessRun<Graph>::WitnessRun(const Graph& graph)
    : graph_(graph), preemptions_(graph), links_(Graph::capacity + 1) {}

template <typename Graph>
void WitnessRun<Graph>::forget(EventId event) {
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
  EventId last = end;
  for (const EventId id : run) {
    const Event& event = graph_[id];
    if (!Preemptions<Graph>::is_step(event)) continue;
    const EventId earlier = step_before(event);
    link(id) = {last, end, earlier, event.thread};
    link(last).next = id;
    excess_ += switches(last, id) - (earlier == no_event ? 1 : 0);
    in_run_.insert(static_cast<ProcessId>(id));
    if (event.op == Op::lock) ++locks_;
    last = id;
  }
  link(end).previous = last;
  excess_ += switches(last, end);
}

template <typename Graph>
void WitnessRun<Graph>::put(EventId id, EventId earlier, EventId behind) {
  const Event& event = graph_[id];
  const EventId next = link(behind).next;
  link(id) = {behind, next, earlier, event.thread};
  excess_ += switches(behind, id) + switches(id, next) - switches(behind, next);
  if (earlier == no_event) --excess_;
  link(behind).next = link(next).previous = id;
  in_run_.insert(static_cast<ProcessId>(id));
  if (event.op == Op::lock) ++locks_;
}

template <typename Graph>
void WitnessRun<Graph>::take_out(EventId id) {
  const auto [previous, next, earlier, thread] = link(id);
  excess_ -= switches(previous, id) + switches(id, next) - switches(previous, next);
  if (earlier == no_event) ++excess_;
  join(previous, next);
  in_run_.erase(static_cast<ProcessId>(id));
  if (graph_[id].op == Op::lock) --locks_;
}

template <typename Graph>
std::vector<EventId> WitnessRun<Graph>::run() {
  if (!new_.empty()) update();
  std::vector<EventId> run;
  for (EventId id = link(end).next; id != end; id = link(id).next) run.push_back(id);
  return run;
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
  const EventId earlier = step ? step_before(event) : no_event;
  const EventId overtaken = event.kind == EventKind::read ? graph_[event.source].co_next : event.co_next;
  Gap gap;
  if (overtaken != no_event) {
    gap = gap_before_others(id, overtaken);
    if (!step) return;
  } else {
    if (!step) return;
    gap.last = link(end).previous;
    if (earlier == no_event || gap.last == earlier) return put(id, earlier, gap.last);
    while (!after(id, gap.last)) gap.last = link(gap.last).previous;
  }
  if (earlier != no_event && (gap.last == earlier || bring(earlier, gap))) return put(id, earlier, earlier);
  put(id, earlier, boundary(gap));
}

// The gap for an event that goes before others. If the run contradicts that, it is changed.
template <typename Graph>
auto WitnessRun<Graph>::gap_before_others(EventId id, EventId overtaken) -> Gap {
  Gap gap;
  EventId at = link(end).previous;
  bool contradiction = false;
  if (!Preemptions<Graph>::buffered && in_run_.contains(static_cast<ProcessId>(overtaken))) {
    // Whatever else needs the event needs what it overtakes.
    for (; at != overtaken; at = link(at).previous) {
      if (contradiction || !after(id, at)) continue;
      gap.last = at;
      contradiction = true;
    }
    gap.first = overtaken;
    if (!contradiction) {
      while (at != end && !after(id, at)) at = link(at).previous;
      gap.last = at;
    }
  } else {
    for (; at != end; at = link(at).previous) {
      if (after(at, id)) {
        gap.first = at;
        contradiction = gap.last != end;
      } else if (gap.last == end && after(id, at)) {
        gap.last = at;
      }
    }
  }
  return contradiction ? part(gap, id) : gap;
}

// From `first` (and what stands before it in its thread's block) to `last`: what the event needs moves to the
// front.
template <typename Graph>
auto WitnessRun<Graph>::part(Gap contradiction, EventId id) -> Gap {
  EventId at = contradiction.first;
  for (EventId before = link(at).previous; switches(before, at) == 0 && !after(id, before);
       before = link(at).previous)
    at = before;
  EventId place = link(at).previous;
  for (const EventId stop = link(contradiction.last).next; at != stop;) {
    const auto [previous, next, earlier, thread] = link(at);
    if (after(id, at)) {
      if (previous != place) {
        const EventId behind = link(place).next;
        excess_ -= switches(previous, at) + switches(at, next) + switches(place, behind);
        join(previous, next);
        join(place, at);
        join(at, behind);
        excess_ += switches(previous, next) + switches(place, at) + switches(at, behind);
      }
      place = at;
    }
    at = next;
  }
  return {place, link(place).next};
}

// Behind which step of the gap to switch: where the thread changes anyway, if there is such a place.
template <typename Graph>
EventId WitnessRun<Graph>::boundary(Gap gap) {
  EventId at = link(gap.first).previous;
  for (; switches(at, link(at).next) == 0; at = link(at).previous) {
    if (at == gap.last) return link(gap.first).previous;
  }
  return at;
}

// Moves the thread's newest step, and those that stand with it, into the gap, behind which the thread goes
// on. False if other steps before the gap need them, or if that would tear another thread's steps apart.
template <typename Graph>
bool WitnessRun<Graph>::bring(EventId newest, Gap gap) {
  EventId oldest = newest;
  while (switches(link(oldest).previous, oldest) == 0) oldest = link(oldest).previous;
  EventId place = link(newest).next;
  for (;; place = link(place).next) {
    if (place == gap.first || after(place, oldest)) return false;
    if (place == gap.last) break;
  }
  while (switches(place, link(place).next) == 0) {
    place = link(place).next;
    if (place == gap.first || after(place, oldest)) return false;
  }
  const EventId before = link(oldest).previous;
  const EventId behind = link(newest).next;
  const EventId next = link(place).next;
  excess_ += switches(before, behind) - 1;
  join(before, behind);
  join(place, oldest);
  join(newest, next);
  return true;
}

// The preemptions of the run, exactly: where a thread was left that waited for a mutex, that was free.
template <typename Graph>
std::uint32_t WitnessRun<Graph>::preemptions() {
  std::uint32_t count = 0;
  for (EventId id = link(end).next; id != end; id = link(id).next) {
    const EventId earlier = link(id).earlier;
    if (earlier == no_event || earlier == link(id).previous) continue;
    ++count;
    const Event& event = graph_[id];
    if (event.op != Op::lock) continue;
    EventId at = link(earlier).next;
    while (graph_[at].location != event.location || !graph_[at].writes()) at = link(at).next;
    if (graph_[at].value == 0) --count;  // the next that happened to the mutex was that it was unlocked
  }
  return count;
}

template <typename Graph>
bool WitnessRun<Graph>::decide(std::uint32_t bound) {
  if (locks_ != 0 && preemptions() <= bound) return true;
  if (!preemptions_.at_most(bound, graph_.live())) {
    least_.back() = bound + 1;
    return false;
  }
  assign(preemptions_.run());
  return true;
}

}  // namespace heddle::checker
