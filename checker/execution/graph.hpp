// An execution graph that grows by one event at a time and stays consistent with an axiomatic model.
//
// Events have small ids, which are reused; an initial write has a negative id. Each event carries
//   upto     the event and everything that the model orders before it, transitively (the closed relation
//            order | rfe | co | fr of memory-models.md as a bit matrix),
//   prefix   the event and everything before it in po | rf,
//   readers  the reads that read from it.
// The writes of a location are a list in coherence order, from the initial write to the newest.
//
// A read-modify-write is one event: whatever its read part must precede, its write part must too, and nothing
// but its own read part may stand between it and the write that it reads (atomicity).
//
// Consistency costs nothing to test. An event is added po-last, so a cycle can only come from an edge to an
// existing write: from a read to the write co-after its source (fr), from a write to the next one (co). As
// co is part of the closed relation, the writes that precede the new event form the beginning of the co list,
// and the event may go anywhere behind them; `Bounds` says where that is. Coherence (po-loc against co) adds
// one more bound, the thread's own newest access to the location, where the model's order does not imply it.
//
// Events go in reverse order of coming (`remove`). `cut` takes away a set of events that nothing else depends
// on, wherever they stand, and `mend` brings them back: an event without successors has left no trace in the
// rows of the others, which is why both cost no more than the events that they touch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/execution/process_set.hpp"
#include "checker/execution/step.hpp"
#include "checker/models/axiomatic.hpp"
#include "jit/runtime.hpp"

namespace heddle::checker {

using EventId = std::int32_t;
inline constexpr EventId no_event = 0x7fffffff;
[[nodiscard]] constexpr bool is_initial(EventId id) { return id < 0; }

enum class EventKind : std::uint8_t {
  read,
  write,
  update,    // a successful read-modify-write, lock or trylock
  choice,    // `choose`; no memory access
  deferral,  // a lock that waits for the one it reads from; see trust.hpp. Orders nothing.
};

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
  ThreadId thread = 0;
  EventKind kind = EventKind::read;
  jit::Op op = jit::Op::load;
  bool canonical = true;  // choices: the first value

  [[nodiscard]] bool reads() const { return kind == EventKind::read || kind == EventKind::update; }
  [[nodiscard]] bool writes() const { return kind == EventKind::write || kind == EventKind::update; }
  [[nodiscard]] bool in_program() const { return kind != EventKind::deferral; }
};

// What a thread is up to.
enum class ThreadState : std::uint8_t {
  ready,    // its next operation can be added
  waiting,  // for a mutex
  stuck,    // for good in this graph: an assumption, an await, the loop bound, a violation
  finished,
};

template <typename Model, typename Set>
struct GraphThread {
  Frontier<Model, Set> frontier;
  EventId last = no_event;     // its newest event
  std::uint32_t snapshot = 0;  // its block, with its next request
  ThreadState state = ThreadState::ready;
};

template <typename Model, unsigned Words>
class Graph {
 public:
  using ModelType = Model;
  using Set = ProcessSet<Words>;
  using Event = checker::Event<Model, Set>;
  using Thread = GraphThread<Model, Set>;
  static constexpr unsigned capacity = Set::capacity;

  Graph(std::uint32_t threads, std::uint32_t locations) : threads_(threads), initial_(locations, no_event) {
    allocate(16);
  }
  // The same graph with room for more events.
  template <unsigned Narrower>
  explicit Graph(const Graph<Model, Narrower>& other);

  [[nodiscard]] const Event& operator[](EventId id) const { return events_[id]; }
  void set_canonical(EventId choice, bool canonical) { events_[choice].canonical = canonical; }
  [[nodiscard]] const Thread& thread(ThreadId t) const { return threads_[t]; }
  [[nodiscard]] Thread& thread(ThreadId t) { return threads_[t]; }
  // Threads by state: 64 threads are the most that a program can have.
  [[nodiscard]] std::uint64_t in_state(ThreadState state) const {
    return by_state_[static_cast<std::size_t>(state)];
  }
  void set_state(ThreadId t, ThreadState state) {
    const auto bit = std::uint64_t{1} << t;
    by_state_[static_cast<std::size_t>(threads_[t].state)] &= ~bit;
    by_state_[static_cast<std::size_t>(state)] |= bit;
    threads_[t].state = state;
  }
  [[nodiscard]] std::uint32_t thread_count() const { return static_cast<std::uint32_t>(threads_.size()); }
  [[nodiscard]] const Set& live() const { return live_; }
  // Events in order of insertion.
  [[nodiscard]] const std::vector<EventId>& order() const { return order_; }
  [[nodiscard]] bool full() const { return order_.size() + 1 >= capacity; }

  // The initial write of a location; the first call for it makes room.
  [[nodiscard]] EventId initial(Location location, std::int64_t value) {
    EventId id = initial_[location];
    if (id == no_event) {
      id = -1 - static_cast<EventId>(locations_.size());
      locations_.push_back(location);
      initial_[location] = id;
      if (locations_.size() > room_) allocate(2 * room_);
      Event& event = events_[id];
      event = {};
      event.value = value;
      event.kind = EventKind::write;
      event.co_previous = id;
    }
    return id;
  }
  // The initial write of a location that is in use, else none.
  [[nodiscard]] EventId known(Location location) const { return initial_[location]; }
  // Does the thread own the mutex? Only it can have written so. O(events of the thread).
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
  [[nodiscard]] const std::vector<Location>& touched() const { return locations_; }
  [[nodiscard]] EventId initial_of(std::size_t index) const { return -1 - static_cast<EventId>(index); }
  [[nodiscard]] EventId newest(EventId initial) const { return events_[initial].co_previous; }
  // The update that reads from the write, if any: it stands right behind it.
  [[nodiscard]] bool taken(EventId write) const {
    const EventId next = events_[write].co_next;
    return next != no_event && events_[next].kind == EventKind::update && events_[next].source == write;
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
  [[nodiscard]] static AccessKind access_of(jit::Op op) {
    if (op == jit::Op::load || op == jit::Op::choose) return AccessKind::load;
    return op == jit::Op::store ? AccessKind::store : AccessKind::locked;
  }
  // The events before the thread's next one in po | rf, when that reads from `source` (or is no read).
  [[nodiscard]] Set prefix(ThreadId t, EventId source) const {
    Set result;
    const EventId last = threads_[t].last;
    if (last != no_event) result = events_[last].prefix;
    if (source != no_event) result |= events_[source].prefix;
    return result;
  }

  // A fresh id; `reserved` may belong to an event that was cut.
  [[nodiscard]] EventId fresh(EventId reserved = no_event) const {
    Set taken = live_;
    if (reserved != no_event) taken.insert(static_cast<ProcessId>(reserved));
    return static_cast<EventId>(taken.first_absent());
  }

  // Appends an event to the thread. `behind` is the write that a read or update reads from, that a store
  // follows in coherence, or that a deferral waits for. The caller has checked the bounds, and that an
  // update's source is not taken.
  void add(EventId id, ThreadId t, jit::Op op, EventKind kind, EventId initial, EventId behind,
           std::int64_t value);
  // Takes back the newest `add`.
  void remove(EventId id);

  // The events that the newest one added comes before.
  [[nodiscard]] const Set& overtaken() const { return overtaken_; }

  // The place in the order of insertion; `add` leaves it alone.
  void append_to_order(EventId id) { order_.push_back(id); }
  void drop_from_order() { order_.pop_back(); }

  // Takes away the events of `deleted` and `revisited`, all of which were inserted at position `from` of the
  // order or later and of which no other event needs any. `revisited`, at `from`, keeps its place in the
  // order.
  void cut(std::size_t from, EventId revisited, const Set& deleted);
  void mend();
  // The thread of the newest cut's revisited event.
  [[nodiscard]] ThreadId last_cut_thread() const { return removed_.back().event.thread; }

  // Trail and cuts, for undoing.
  [[nodiscard]] std::size_t memory_used() const {
    return storage_.capacity() * sizeof(Event) + trail_.capacity() * sizeof(Change) +
           removed_.capacity() * sizeof(Removed) + cuts_.capacity() * sizeof(Cut) +
           (saved_order_.capacity() + order_.capacity()) * sizeof(EventId);
  }

 private:
  template <typename, unsigned>
  friend class Graph;
  struct Change {
    EventId event = 0;
    Set upto;
  };
  struct Removed {
    Event event;
    Thread thread;
    EventId id = 0;
  };
  struct Cut {
    std::size_t from = 0;
    std::size_t removed = 0;  // how many events went
    std::size_t saved = 0;    // how many entries of the order were saved
  };

  [[nodiscard]] Set bounds(const Frontier<Model, Set>& frontier, EventId last, EventId initial,
                           AccessKind access) const;
  void order_before(EventId target, const Set& earlier);
  void unlink(EventId id);
  void allocate(std::size_t room);

  std::vector<Thread> threads_;
  std::array<std::uint64_t, 4> by_state_{};
  std::vector<EventId> initial_;     // by location; none if it was never used
  std::vector<Location> locations_;  // of the initial writes
  std::vector<Event> storage_;       // initial writes backwards, then events
  Event* events_ = nullptr;          // where id 0 is
  std::size_t room_ = 0;             // for initial writes
  std::vector<EventId> order_;
  Set live_;
  Set overtaken_;  // see overtaken()
  std::vector<Change> trail_;
  std::vector<std::uint32_t> marks_;  // length of the trail before each event that is not cut away
  std::vector<Removed> removed_;
  std::vector<EventId> saved_order_;
  std::vector<Cut> cuts_;
};

}  // namespace heddle::checker

#include "checker/execution/graph_operations.hpp"
