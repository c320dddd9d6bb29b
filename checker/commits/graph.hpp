// An execution graph that grows by one event at a time and stays consistent with an axiomatic model.
//
// Events have small ids, which are reused; an initial write has a negative id. Each event carries
//   upto     the event and everything that the model orders before it, transitively (the closed relation
//            order | rfe | co | fr of memory-models.md as a bit matrix),
//   prefix   the event and everything before it in po | rf,
//   readers  the reads that read from it.
// The writes of a location are a list in coherence order, from the initial write to the newest.
//
// A read-modify-write is one event: whatever its read part must precede, its write part must precede, too,
// and only its own read part may come between it and the write that it reads (atomicity).
//
// Consistency needs no test. An event is added po-last, so a cycle can only come from an edge to an existing
// write: from a read to the write co-after its source (fr), from a write to the next one (co). As co is part
// of the closed relation, the writes that precede the new event form the beginning of the co list, and the
// event may take any place after them; `bounds` says where that is. Coherence (po-loc against co) adds one
// more bound, the thread's own newest access to the location, where the model's order does not imply it.
//
// Events are removed in reverse order of insertion (`remove`). `cut` removes a set of events that nothing
// else depends on, wherever they are, and `mend` restores them: an event without successors has left no trace
// in the rows of the others, which is why both cost no more than the events that they touch.
//
// A graph with sets of a fixed width has room for as many events from the start. Others grow, and have an index of
// the reads of each location: long executions would make what looks at all events quadratic.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "checker/commits/axioms.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/range_set.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

template <typename Model, typename Set>
struct Event {
  Set upto;
  Set prefix;
  Set readers;
  Frontier<Model, Set> frontier;  // of the thread, before the event
  std::int64_t value = 0;         // written, or chosen
  EventId location = no_event;    // initial write of the location; none for choices
  EventId source = no_event;      // of reads and updates: the write read from
  EventId po_previous = no_event;
  EventId co_previous = no_event;  // of writes; of an initial write: the newest of the location
  EventId co_next = no_event;
  std::uint32_t snapshot = 0;  // the thread's block when the operation was requested
  std::uint32_t index = 0;     // in its thread
  std::uint32_t trail = 0;     // length of the trail before the event was added
  ThreadId thread = 0;
  ThreadState state = ThreadState::ready;  // of the thread, before the event
  EventKind kind = EventKind::read;
  Op op = Op::load;
  bool canonical = true;  // choices and probes: the first value
  bool tied =
      false;  // it and all before it in its thread equal those of the thread's twin (tied_threads.hpp)

  [[nodiscard]] bool reads() const { return kind == EventKind::read || kind == EventKind::update; }
  [[nodiscard]] bool writes() const { return kind == EventKind::write || kind == EventKind::update; }
  [[nodiscard]] bool in_program() const { return kind != EventKind::deferral && kind != EventKind::probe; }
};

template <typename Model, typename Set>
struct GraphThread {
  Frontier<Model, Set> frontier;
  EventId last = no_event;     // its newest event
  std::uint32_t length = 0;    // the number of its events in the program
  std::uint32_t snapshot = 0;  // its block, with its next request
  ThreadState state = ThreadState::ready;
  // Of a thread that awaits: whether a value lets it continue, the last one that was tried.
  struct Trial {
    bool known = false;
    bool ends = false;
    std::int64_t value = 0;
  };
  Trial trial;
};

template <typename Model, unsigned Words>
class Graph {
 public:
  using ModelType = Model;
  using Set = BitSet<Words>;
  using Event = checker::Event<Model, Set>;
  using Thread = GraphThread<Model, Set>;
  static constexpr unsigned capacity = Set::capacity;
  static constexpr bool grows = Words == growing || Words == by_ranges;
  // The room doubles when it is full. Graphs of one word never hold more events than they have room for at first.
  static constexpr std::size_t initial_writes_at_first = 16;
  static constexpr std::size_t events_at_first = 64;
  // Bits take memory quadratic in the events: some 100 MB for these.
  static constexpr std::size_t most_events = Words == growing ? 16'384 : capacity;
  // Graphs of one word are for programs with few threads.
  static constexpr std::uint32_t most_threads = Words == 1 ? 64 : checker::most_threads;
  using ThreadSet = BitSet<(most_threads + 63) / 64>;
  // True if plain stores reach memory some time after their threads have performed them.
  static constexpr bool buffers_stores = FrontierLayout<Model>::count > 1;

  static constexpr std::uint32_t unbounded = std::numeric_limits<std::uint32_t>::max();

  // `buffer_bound`: the room of each store buffer, in stores. 0 is for models that have none.
  Graph(std::uint32_t threads, std::uint32_t locations, std::optional<std::uint32_t> buffer_bound = {})
      : threads_(threads), initial_(locations, no_event), buffer_bound_(buffer_bound.value_or(unbounded)) {
    allocate(initial_writes_at_first, events_at_first);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] const Event& operator[](EventId id) const { return events_[id]; }
  void set_canonical(EventId choice, bool canonical) { events_[choice].canonical = canonical; }
  [[nodiscard]] const Thread& thread(ThreadId t) const { return threads_[t]; }
  [[nodiscard]] Thread& thread(ThreadId t) { return threads_[t]; }
  [[nodiscard]] const ThreadSet& in_state(ThreadState state) const {
    return by_state_[static_cast<std::size_t>(state)];
  }
  void set_state(ThreadId t, ThreadState state) {
    by_state_[static_cast<std::size_t>(threads_[t].state)].erase(t);
    by_state_[static_cast<std::size_t>(state)].insert(t);
    threads_[t].state = state;
  }
  [[nodiscard]] std::uint32_t thread_count() const { return static_cast<std::uint32_t>(threads_.size()); }
  [[nodiscard]] const Set& live() const { return live_; }
  // Events in order of insertion.
  [[nodiscard]] const std::vector<EventId>& order() const { return order_; }
  // Those before this one. O(events).
  [[nodiscard]] Set earlier_than(EventId event) const {
    Set earlier;
    for (const EventId id : order_) {
      if (id == event) break;
      earlier.insert(static_cast<ProcessId>(id));
    }
    return earlier;
  }
  [[nodiscard]] bool full() const { return order_.size() + 1 >= most_events; }

  // The initial write of a location; the first call for a location makes room.
  [[nodiscard]] EventId initial(Location location, std::int64_t value) {
    EventId id = initial_[location];
    if (id == no_event) {
      id = -1 - static_cast<EventId>(locations_.size());
      locations_.push_back(location);
      initial_[location] = id;
      if (locations_.size() > room_) allocate(2 * room_, storage_.size() - room_);
      if constexpr (grows) reads_.emplace_back();
      Event& event = events_[id];
      event = {};
      event.value = value;
      event.kind = EventKind::write;
      event.co_previous = id;
    }
    return id;
  }
  // The initial write of a location that is in use, else no_event.
  [[nodiscard]] EventId known(Location location) const { return initial_[location]; }
  // True if the thread owns the mutex: its own newest write to the mutex is not 0. O(events of the thread).
  [[nodiscard]] bool owns(ThreadId t, Location mutex) const {
    const EventId location = known(mutex);
    if (location == no_event) return false;
    for (EventId id = thread(t).last; id != no_event; id = events_[id].po_previous) {
      const Event& event = events_[id];
      if (event.location == location && event.writes()) return event.value != 0;
    }
    return false;
  }
  [[nodiscard]] Location location_of(EventId initial) const {
    return locations_[static_cast<std::size_t>(-1 - initial)];
  }
  // The reads, updates and deferrals of the location.
  [[nodiscard]] const Set& reads_of(EventId initial) const requires grows {
    return reads_[static_cast<std::size_t>(-1 - initial)];
  }
  [[nodiscard]] const std::vector<Location>& touched() const { return locations_; }
  [[nodiscard]] EventId initial_of(std::size_t index) const { return -1 - static_cast<EventId>(index); }
  [[nodiscard]] EventId newest(EventId initial) const { return events_[initial].co_previous; }
  // True if an update reads from the write: it is then the next one in coherence order.
  [[nodiscard]] bool taken(EventId write) const {
    const EventId next = events_[write].co_next;
    return next != no_event && events_[next].kind == EventKind::update && events_[next].source == write;
  }

  // The events that must have happened before the thread could get where it is.
  [[nodiscard]] Set causes(ThreadId t) const {
    Set result;
    threads_[t].frontier.before(AccessKind::load).for_each([&](ProcessId id) {
      result |= events_[static_cast<EventId>(id)].upto;
    });
    return result;
  }
  // Everything that must stay co-before the next event of the thread.
  [[nodiscard]] Set bounds(ThreadId t, EventId initial, AccessKind access) const {
    return bounds(threads_[t].frontier, threads_[t].last, initial, access);
  }
  // The same for an event that is in the graph.
  [[nodiscard]] Set bounds(EventId id) const {
    const Event& event = events_[id];
    return bounds(event.frontier, event.po_previous, event.location, access_of(event.op));
  }
  // Of a load that the thread would make instead of this event; and what coherence alone demands of it.
  [[nodiscard]] Set bounds_of_load(EventId id, EventId initial) const {
    return bounds(events_[id].frontier, events_[id].po_previous, initial, AccessKind::load);
  }
  [[nodiscard]] Set coherence_bounds_of_load(EventId id, EventId initial) const {
    Set result;
    insert_newest_access(events_[id].po_previous, initial, result);
    return result;
  }
  [[nodiscard]] static AccessKind access_of(Op op) {
    if (op == Op::load || op == Op::choose) return AccessKind::load;
    return op == Op::store ? AccessKind::store : AccessKind::locked;
  }
  // The events before the thread's next one in po | rf, without what that one reads from.
  [[nodiscard]] Set prefix(ThreadId t) const {
    const EventId last = threads_[t].last;
    return last == no_event ? Set() : events_[last].prefix;
  }

  // An id that is not in use: neither by an event of the graph, nor by the newest cut's revisited event,
  // which gets its old id when it is added again.
  [[nodiscard]] EventId fresh() const {
    Set taken = live_;
    if (!removed_.empty()) taken.insert(static_cast<ProcessId>(removed_.back().id));
    return static_cast<EventId>(taken.first_absent());
  }

  // Appends an event to the thread. `behind` is the write that a read or update reads from, that a store
  // follows in coherence order, or that a deferral waits for. The caller has checked the bounds, and that an
  // update's source is not taken.
  void add(EventId id, ThreadId t, Op op, EventKind kind, EventId initial, EventId behind,
           std::int64_t value);
  // The event, which has been added last, comes after this one in its prefix, because the two have the same place in
  // two equal threads (tied_threads.hpp).
  void follow(EventId id, EventId twin) {
    Event& event = events_[id];
    const Event& other = events_[twin];
    event.prefix |= other.prefix;
    event.tied =
        !event.in_program() ||
        (event.kind == EventKind::read && other.kind == EventKind::read && event.source == other.source) ||
        (event.kind == EventKind::choice && event.value == other.value);
  }
  // Undoes the newest `add`.
  void remove(EventId id);

  // The room of each store buffer, in stores.
  [[nodiscard]] std::uint32_t buffer_bound() const { return buffer_bound_; }
  // How many stores so far had to wait for room in their buffer in some run of the graph to which they were added.
  [[nodiscard]] std::uint64_t forced_flushes() const { return forced_flushes_; }

  // The events that the newest added event precedes.
  [[nodiscard]] const Set& overtaken() const { return overtaken_; }

  // The position in the order of insertion; `add` does not change it.
  void append_to_order(EventId id) { order_.push_back(id); }
  void drop_from_order() { order_.pop_back(); }

  // Removes the events of `deleted` and `revisited`, all of which were inserted at position `from` of the
  // order or later and none of which any other event needs. `revisited`, at `from`, keeps its position in the
  // order.
  void cut(std::size_t from, EventId revisited, const Set& deleted);
  void mend();
  // After a cut: takes out the deferrals of reads that have lost the write that they waited for, and gives their
  // positions in the order to the next events of their threads. `writer` is the thread that is about to add the
  // revisiting event, `id` that event's id if it has a position; returns the id that it has now.
  EventId close_gaps(ThreadId writer, EventId id, const Set& deleted);
  // The next event of the thread in program order; no_event: there is none.
  [[nodiscard]] EventId po_next(EventId id) const {
    EventId next = no_event;
    for (EventId e = threads_[events_[id].thread].last; e != id; e = events_[e].po_previous) next = e;
    return next;
  }
  // The newest cut's revisited event.
  struct Revisited {
    ThreadId thread = 0;
    EventId id = no_event;
    std::int64_t value = 0;
  };
  [[nodiscard]] Revisited last_cut() const {
    const Removed& last = removed_.back();
    return {last.event.thread, last.id, last.event.value};
  }

  // Events that there is memory for.
  [[nodiscard]] std::size_t allocated() const { return storage_.size() - room_; }
  // With trail and cuts, which are for undoing.
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t sets = 0;
    if constexpr (grows) {
      for (const EventId id : order_) {
        const Event& event = events_[id];
        sets += event.upto.memory_used() + event.prefix.memory_used() + event.readers.memory_used() +
                event.frontier.memory_used();
      }
    }
    return sets + storage_.capacity() * sizeof(Event) + trail_.capacity() * sizeof(Change) +
           removed_.capacity() * sizeof(Removed) + cuts_.capacity() * sizeof(Cut) +
           (saved_order_.capacity() + order_.capacity()) * sizeof(EventId) + gaps_.capacity() * sizeof(Gap);
  }

 private:
  struct Change {
    EventId event = 0;
    Set upto;
  };
  struct Removed {
    Event event;
    Thread thread;
    EventId id = 0;
  };
  // A deferral that has been taken out.
  struct Gap {
    Event event;
    EventId id = no_event;
    EventId next = no_event;  // see po_next
    Set later;                // the events whose prefix it was in
  };
  struct Cut {
    std::size_t from = 0;
    std::size_t removed = 0;  // the number of events removed
    std::size_t saved = 0;    // the number of entries of the order saved
    std::size_t gaps = 0;     // the number of deferrals taken out
  };
  void close_gap(EventId deferral, EventId id);

  [[nodiscard]] Set bounds(const Frontier<Model, Set>& frontier, EventId last, EventId initial,
                           AccessKind access) const;
  // Of the location, by this event of the thread or before it: its write, or the one that it reads from.
  void insert_newest_access(EventId last, EventId initial, Set& result) const {
    for (EventId id = last; id != no_event; id = events_[id].po_previous) {
      const Event& event = events_[id];
      if (event.location != initial || event.kind == EventKind::deferral) continue;
      const EventId floor = event.writes() ? id : event.source;
      if (!is_initial(floor)) result.insert(static_cast<ProcessId>(floor));
      return;
    }
  }
  void order_before(EventId target, const Set& earlier);
  void make_room(EventId store);
  [[nodiscard]] EventId before_in_buffer(EventId store) const;
  void unlink(EventId id);
  void allocate(std::size_t room, std::size_t events_room);
  void index_read(EventId id, bool is_there) {
    if constexpr (grows) {
      const EventId location = events_[id].location;
      if (events_[id].source != no_event)
        reads_[static_cast<std::size_t>(-1 - location)].assign(static_cast<ProcessId>(id), is_there);
    }
  }

  std::vector<Thread> threads_;
  std::array<ThreadSet, 5> by_state_{};
  std::vector<EventId> initial_;     // by location; no_event if it was never used
  std::vector<Location> locations_;  // of the initial writes
  std::vector<Event> storage_;       // initial writes backwards, then events
  Event* events_ = nullptr;          // where id 0 is
  std::size_t room_ = 0;             // for initial writes
  std::vector<Set> reads_;           // by initial write; if `grows`
  std::vector<EventId> order_;
  Set live_;
  Set overtaken_;  // see overtaken()
  std::vector<Change> trail_;
  std::vector<Removed> removed_;
  std::vector<EventId> saved_order_;
  std::vector<Gap> gaps_;
  std::vector<Cut> cuts_;
  std::uint32_t buffer_bound_;
  std::uint64_t forced_flushes_ = 0;
};

template <typename Model, unsigned Words>
auto Graph<Model, Words>::bounds(const Frontier<Model, Set>& frontier, EventId last, EventId initial,
                                 AccessKind access) const -> Set {
  Set result;
  frontier.before(access).for_each(
      [&](ProcessId before) { result |= events_[static_cast<EventId>(before)].upto; });
  // Coherence: not before the thread's own accesses to the location.
  constexpr bool implied = FrontierLayout<Model>::count == 1;  // by the model, which keeps all of po
  if constexpr (!implied) {
    insert_newest_access(last, initial, result);
  }
  return result;
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::add(EventId id, ThreadId t, Op op, EventKind kind, EventId initial, EventId behind,
                              std::int64_t value) {
  if constexpr (capacity > events_at_first) {
    if (static_cast<std::size_t>(id) >= allocated()) allocate(room_, 2 * allocated());
  }
  Thread& thread = threads_[t];
  Event& event = events_[id];
  const AccessKind access = access_of(op);
  event.frontier = thread.frontier;
  event.value = value;
  event.location = initial;
  event.po_previous = thread.last;
  event.snapshot = thread.snapshot;
  event.state = thread.state;
  event.index = thread.length;
  event.thread = t;
  event.kind = kind;
  event.op = op;
  event.canonical = true;
  event.tied = false;
  event.co_next = event.source = no_event;
  event.readers = {};
  Set before;
  event.frontier.before(access).for_each(
      [&](ProcessId earlier) { before |= events_[static_cast<EventId>(earlier)].upto; });
  const bool reads = event.reads() || kind == EventKind::deferral;
  event.prefix = prefix(t);
  // (The deferral of a read depends on nothing: the read that is added later may do without that write.)
  if (event.reads() || (reads && op == Op::lock)) event.prefix |= events_[behind].prefix;
  event.prefix.insert(static_cast<ProcessId>(id));
  event.trail = static_cast<std::uint32_t>(trail_.size());

  EventId next = no_event;
  if (behind != no_event) {
    Event& source = events_[behind];
    next = source.co_next;
    if (kind == EventKind::deferral) next = no_event;
    // rfe; rfi adds no order of its own, and kept program order already contains it. co, and fr from the
    // readers of the previous write.
    if (event.writes()) {
      before |= source.upto;
      source.readers.for_each(
          [&](ProcessId reader) { before |= events_[static_cast<EventId>(reader)].upto; });
      event.co_previous = behind;
      event.co_next = next;
      source.co_next = id;
      events_[next == no_event ? initial : next].co_previous = id;
    } else if (kind == EventKind::read && (is_initial(behind) || source.thread != t)) {
      before |= source.upto;
    }
    if (reads) {
      event.source = behind;
      source.readers.insert(static_cast<ProcessId>(id));
      index_read(id, true);
    }
  }
  // A deferral orders nothing: no event may inherit what is before it as if it were a read.
  if (!event.in_program()) before = {};
  if (event.in_program()) before.insert(static_cast<ProcessId>(id));
  event.upto = before;
  overtaken_ = {};
  if (next != no_event) order_before(next, before);
  live_.insert(static_cast<ProcessId>(id));
  thread.last = id;
  if (!event.in_program()) return;
  ++thread.length;
  thread.frontier.add(access, static_cast<std::uint32_t>(id), event.upto);
  if (buffer_bound_ != unbounded && op == Op::store) [[unlikely]]
    make_room(id);
}

// The store has entered its buffer, so the one that left no room for it has reached memory.
template <typename Model, unsigned Words>
[[gnu::noinline]] void Graph<Model, Words>::make_room(EventId store) {
  EventId oldest = store;
  if constexpr (buffers_stores) {
    for (std::uint32_t behind = 0; behind < buffer_bound_ && oldest != no_event; ++behind)
      oldest = before_in_buffer(oldest);
    if (oldest == no_event) return;
    const auto id = static_cast<std::uint32_t>(oldest);
    Frontier<Model, Set>& frontier = threads_[events_[store].thread].frontier;
    bool had_left = false;
    frontier.before(AccessKind::load).for_each([&](ProcessId earlier) {
      had_left = had_left || events_[static_cast<EventId>(earlier)].upto.contains(id);
    });
    if (had_left) return;
    frontier.leave_buffer(id, events_[oldest].upto);
  }
  ++forced_flushes_;
}

// The store that entered the buffer of this one before it; none if the buffer has been empty since.
template <typename Model, unsigned Words>
EventId Graph<Model, Words>::before_in_buffer(EventId store) const {
  constexpr bool by_location = !Model::keeps(AccessKind::store, AccessKind::store);
  for (EventId id = events_[store].po_previous; id != no_event; id = events_[id].po_previous) {
    const Event& event = events_[id];
    if (event.kind == EventKind::deferral) continue;
    if (access_of(event.op) == AccessKind::locked) return no_event;
    if (event.op == Op::store && (!by_location || event.location == events_[store].location)) return id;
  }
  return no_event;
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::order_before(EventId target, const Set& earlier) {
  // (These events are hard to predict, so no branch depends on them.)
  live_.for_each([&](ProcessId id) {
    overtaken_.insert_if(id, events_[static_cast<EventId>(id)].upto.contains(static_cast<ProcessId>(target)));
  });
  overtaken_.for_each([&](ProcessId id) {
    Event& event = events_[static_cast<EventId>(id)];
    trail_.push_back({static_cast<EventId>(id), event.upto});
    event.upto |= earlier;
  });
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::remove(EventId id) {
  for (const auto length = events_[id].trail; trail_.size() > length; trail_.pop_back()) {
    events_[trail_.back().event].upto = trail_.back().upto;
  }
  unlink(id);
}

// Removes the event from its thread, its location and the readers of its source.
template <typename Model, unsigned Words>
void Graph<Model, Words>::unlink(EventId id) {
  const Event& event = events_[id];
  live_.erase(static_cast<ProcessId>(id));
  if (event.source != no_event) events_[event.source].readers.erase(static_cast<ProcessId>(id));
  index_read(id, false);
  if (event.writes()) {
    events_[event.co_previous].co_next = event.co_next;
    events_[event.co_next == no_event ? event.location : event.co_next].co_previous = event.co_previous;
  }
  Thread& thread = threads_[event.thread];
  thread.frontier = event.frontier;
  thread.last = event.po_previous;
  thread.length = event.index;
  thread.snapshot = event.snapshot;
  thread.trial.known = false;
  set_state(event.thread, event.state);
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::cut(std::size_t from, EventId revisited, const Set& deleted) {
  const Cut cut{.from = from, .removed = removed_.size(), .saved = saved_order_.size(), .gaps = gaps_.size()};
  for (std::size_t i = order_.size(); i-- > from;) {
    const EventId id = order_[i];
    if (id != revisited && !deleted.contains(static_cast<ProcessId>(id))) continue;
    removed_.push_back({events_[id], threads_[events_[id].thread], id});
    unlink(id);
  }
  saved_order_.insert(saved_order_.end(), order_.begin() + static_cast<std::ptrdiff_t>(from), order_.end());
  std::size_t kept = from + 1;
  for (std::size_t i = kept; i < order_.size(); ++i) {
    if (!deleted.contains(static_cast<ProcessId>(order_[i]))) order_[kept++] = order_[i];
  }
  order_.resize(kept);
  cuts_.push_back(cut);
}

template <typename Model, unsigned Words>
EventId Graph<Model, Words>::close_gaps(ThreadId writer, EventId id, const Set& deleted) {
  for (std::size_t i = cuts_.back().removed; i < removed_.size(); ++i) {
    if (!removed_[i].event.writes()) continue;
    const Set stay = removed_[i].event.readers - deleted;
    stay.for_each([&](ProcessId reader) {
      const auto deferral = static_cast<EventId>(reader);
      if (deferral == removed_.back().id || events_[deferral].kind != EventKind::deferral) return;
      const bool last = threads_[writer].last == deferral;
      close_gap(deferral, last ? id : po_next(deferral));
      if (last && id == no_event) id = deferral;
    });
  }
  return id;
}

// `next` takes the position; no_event: the event that is to be added takes the id, too.
template <typename Model, unsigned Words>
void Graph<Model, Words>::close_gap(EventId deferral, EventId next) {
  Gap& gap = gaps_.emplace_back(Gap{.event = events_[deferral], .id = deferral, .next = next, .later = {}});
  live_.erase(static_cast<ProcessId>(deferral));
  index_read(deferral, false);
  live_.for_each([&](ProcessId id) {
    Set& prefix = events_[static_cast<EventId>(id)].prefix;
    if (!prefix.contains(static_cast<ProcessId>(deferral))) return;
    prefix.erase(static_cast<ProcessId>(deferral));
    gap.later.insert(id);
  });
  Thread& thread = threads_[gap.event.thread];
  if (thread.last == deferral) {
    thread.last = gap.event.po_previous;
  } else {
    events_[next].po_previous = gap.event.po_previous;
  }
  if (next == no_event) return;
  order_.erase(std::find(order_.begin(), order_.end(), next));
  *std::find(order_.begin(), order_.end(), deferral) = next;
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::mend() {
  const Cut& cut = cuts_.back();
  for (; gaps_.size() > cut.gaps; gaps_.pop_back()) {
    const Gap& gap = gaps_.back();
    events_[gap.id] = gap.event;
    gap.later.for_each([&](ProcessId id) {
      events_[static_cast<EventId>(id)].prefix.insert(static_cast<ProcessId>(gap.id));
    });
    live_.insert(static_cast<ProcessId>(gap.id));
    index_read(gap.id, true);
    Thread& thread = threads_[gap.event.thread];
    if (thread.last == gap.event.po_previous) {
      thread.last = gap.id;
    } else {
      events_[gap.next].po_previous = gap.id;
    }
  }
  order_.resize(cut.from);
  order_.insert(order_.end(), saved_order_.begin() + static_cast<std::ptrdiff_t>(cut.saved),
                saved_order_.end());
  saved_order_.resize(cut.saved);
  for (; removed_.size() > cut.removed; removed_.pop_back()) {
    const Removed& removed = removed_.back();
    const EventId id = removed.id;
    Event& event = events_[id];
    event = removed.event;
    live_.insert(static_cast<ProcessId>(id));
    if (event.source != no_event) events_[event.source].readers.insert(static_cast<ProcessId>(id));
    index_read(id, true);
    if (event.writes()) {
      events_[event.co_previous].co_next = id;
      events_[event.location].co_previous = id;
    }
    set_state(event.thread, removed.thread.state);
    threads_[event.thread] = removed.thread;
  }
  cuts_.pop_back();
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::allocate(std::size_t room, std::size_t events_room) {
  std::vector<Event> storage(room + events_room);
  Event* const events = storage.data() + room;
  if (events_ != nullptr) {
    std::move(storage_.begin(), storage_.end(), events - room_);
  }
  storage_ = std::move(storage);
  events_ = events;
  room_ = room;
}

}  // namespace heddle::checker
