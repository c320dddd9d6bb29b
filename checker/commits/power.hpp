// POWER, the axiomatic model of Alglave, Maranget, Tautschnig, "Herding cats", TOPLAS 2014
// (memory-models.md), over a trace that grows by one committed event at a time.
//
// clang-format off
//   dp       = addr | data
//   rdw      = po-loc & (fre ; rfe)
//   detour   = po-loc & (coe ; rfe)
//   ii0 = dp | rdw | rfi             ii = ii0 | ci | (ic ; ci) | (ii ; ii)
//   ic0 = {}                         ic = ic0 | ii | cc | (ic ; cc) | (ii ; ic)
//   ci0 = ctrl+isync | detour        ci = ci0 | (ci ; ii) | (cc ; ci)
//   cc0 = dp | po-loc | ctrl |       cc = cc0 | ci | (ci ; ic) | (cc ; cc)
//         (addr ; po)
//   ppo      = (ii & R*R) | (ic & R*W)
//   lwfence  = lwsync without W->R | eieio between writes
//   fences   = sync | lwfence
//   hb       = ppo | fences | rfe
//   propbase = (fences | (rfe ; fences)) ; hb*
//   strong   = propbase* ; sync ; hb*
//   prop     = (propbase & W*W) | (com* ; strong)
//   acyclic(hb)      irreflexive(fre ; prop ; hb*)      acyclic(co | prop)
// clang-format on
//
// and, as in all models, coherence per location and atomicity of read-modify-writes.
//
// Every relation is kept as a bit matrix: each event has the set of the events *before* it. Events come in an
// order that respects cb = (addr | data | ctrl | rf | (addr ; po) | po-loc | sync | lwsync | eieio)+. So no
// dependency, fence, rf or po-loc leads from a new event to an older one: for all relations except com, co
// and prop the new event is an end, its row is computed once from the rows of the events directly before it,
// and no other row changes. com leads from the new event to the writes that are co-after it and to their
// readers (`after`), and so prop to every event whose `strong` intersects that set. The checks that remain
// are intersections of `after` with single rows (`add`), and a write that goes last, or a read of the newest
// write, needs none. Committing costs O(n) operations on rows for n events.
//
// A read-modify-write is a read event and a write event, tied by the write's `updated`. The expected and the
// stored value are inputs of the write only. Initial writes have negative ids. They precede everything and so
// are part of no relation here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

// What program order says about an event, as sets of its predecessors: known before the event is committed.
template <typename Set>
struct PowerOrder {
  Set dependencies;   // addr | data
  Set control;        // ctrl
  Set control_isync;  // ctrl+isync
  Set address_order;  // addr ; po
  Set same_location;  // po-loc
  Set sync;           // sync
  Set lightweight;    // lwfence
  Set commit_before;  // cb, directly, without rf
  ThreadId thread = 0;
  std::uint32_t location = none;
  bool writes = false;
};

// The axiom that refuses an event; the order of commits and the offered places ensure the others.
enum class PowerAxiom : std::uint8_t { observation, propagation };

template <unsigned Words>
class Power {
 public:
  using Set = BitSet<Words>;
  using Order = PowerOrder<Set>;
  static constexpr unsigned capacity = Set::capacity;

  struct Event {
    Set ii, ic, ci, cc;
    Set propbase;
    Set propbase_star;
    Set strong;
    Set store_propagation;        // (propbase & W*W) ; hb*
    Set before;                   // (co | prop)+
    Set communication;            // com*
    Set readers;                  // of a write
    Set commit_before;            // cb with the event itself
    std::int64_t value = 0;       // read or written
    EventId source = no_event;    // of a read
    EventId previous = no_event;  // of a write, in coherence order
    EventId next = no_event;
    EventId updated = no_event;  // of the write of a read-modify-write: the write that its read reads from
    std::uint32_t location = none;
    ThreadId thread = 0;
    bool writes = false;
  };

  explicit Power(std::uint32_t locations) : slots_(locations, no_event) {}

  [[nodiscard]] std::size_t size() const { return events_.size(); }
  [[nodiscard]] bool full() const { return events_.size() + 2 > capacity; }
  [[nodiscard]] const Event& operator[](EventId id) const { return events_[static_cast<std::size_t>(id)]; }

  // The initial write of a location.
  [[nodiscard]] EventId initial(std::uint32_t location) {
    EventId& slot = slots_[location];
    if (slot == no_event) {
      slot = -1 - static_cast<EventId>(initials_.size());
      initials_.push_back({.readers = {}, .next = no_event, .newest = slot, .location = location});
    }
    return slot;
  }
  // The initial write of a location that was used, else no_event.
  [[nodiscard]] EventId known(std::uint32_t location) const { return slots_[location]; }
  [[nodiscard]] std::uint32_t location_of(EventId initial) const { return start_of(initial).location; }
  [[nodiscard]] EventId newest(EventId initial) const { return start_of(initial).newest; }
  [[nodiscard]] EventId next(EventId write) const {
    return write < 0 ? start_of(write).next : (*this)[write].next;
  }
  [[nodiscard]] EventId previous(EventId write) const { return (*this)[write].previous; }
  [[nodiscard]] const Set& readers(EventId write) const {
    return write < 0 ? start_of(write).readers : (*this)[write].readers;
  }
  // True if a read-modify-write has read the write and directly follows it.
  [[nodiscard]] bool taken(EventId write) const {
    const EventId after = next(write);
    return after != no_event && (*this)[after].updated == write;
  }
  // The oldest write that the next event may read from or follow: coherence with the thread's own accesses.
  // `same_location` as in PowerOrder; O(its size).
  [[nodiscard]] EventId oldest_place(const Order& order, EventId initial) const {
    EventId newest_own = no_event;
    order.same_location.for_each([&](ProcessId id) { newest_own = static_cast<EventId>(id); });
    if (newest_own == no_event) return initial;
    return (*this)[newest_own].writes ? newest_own : (*this)[newest_own].source;
  }

  // True if the write is the oldest place or coherence-after it.
  [[nodiscard]] bool within(EventId place, EventId oldest) const {
    return place == oldest || is_initial(oldest) ||
           (!is_initial(place) && (*this)[place].communication.contains(static_cast<ProcessId>(oldest)));
  }

  // Commits an event if the model allows it: a read of `place`, or a write directly after `place`. `updated`:
  // `place` again if the write is that of a read-modify-write. The caller has checked coherence
  // (oldest_place) and atomicity (taken). Returns whether the event was added; its id is size() - 1 then.
  bool add(const Order& order, EventId place, std::int64_t value, EventId updated = no_event);
  // Adds an event that is not a memory access (`choose`).
  void add_choice(const Order& order, std::int64_t value);
  // Removes the newest event.
  void remove();
  // Why `add` refused an event most recently.
  [[nodiscard]] PowerAxiom refused_by() const { return refused_by_; }

  // The events that are co-after `place`, with their readers: com leads to them from a new event there.
  [[nodiscard]] Set after(EventId place) const;
  // cb of an event that is not committed yet, without its source.
  [[nodiscard]] Set commit_before(const Order& order) const {
    Set result;
    order.commit_before.for_each([&](ProcessId id) {
      if (!result.contains(id)) result |= events_[id].commit_before;
    });
    return result;
  }

  [[nodiscard]] std::size_t memory_used() const {
    std::size_t sets = 0;
    if constexpr (Words == growing) {
      constexpr std::size_t sets_per_event = 12;
      sets = events_.size() * sets_per_event * (events_.size() / 128 + 1) * sizeof(std::uint64_t);
    }
    return sets + events_.capacity() * sizeof(Event) + trail_.capacity() * sizeof(Change) +
           initials_.capacity() * sizeof(Initial);
  }

 private:
  struct Initial {
    Set readers;
    EventId next = no_event;
    EventId newest = no_event;
    std::uint32_t location = none;
  };
  struct Change {
    ProcessId event = 0;
    Set before;
  };

  [[nodiscard]] const Initial& start_of(EventId initial) const {
    return initials_[static_cast<std::size_t>(-1 - initial)];
  }
  [[nodiscard]] Initial& start_of(EventId initial) {
    return initials_[static_cast<std::size_t>(-1 - initial)];
  }
  [[nodiscard]] Set& readers_of(EventId write) {
    return write < 0 ? start_of(write).readers : events_[static_cast<std::size_t>(write)].readers;
  }
  [[nodiscard]] bool external(EventId write, ThreadId thread) const {
    return write >= 0 && (*this)[write].thread != thread;
  }

  void preserved_order(Event& event, const Order& order) const;
  void propagate(Event& event, const Order& order, const Set& happens_directly) const;
  [[nodiscard]] Set happens_directly_before(const Event& event, const Order& order) const;
  [[nodiscard]] Set communication_to(const Event& event, EventId id, EventId place) const;
  [[nodiscard]] bool observed(const Event& event, EventId place, const Set& after) const;
  [[nodiscard]] bool precede(const Event& event, EventId id, const Set& after);
  bool refuse(PowerAxiom axiom) {
    refused_by_ = axiom;
    events_.pop_back();
    return false;
  }
  void link(const Event& event, EventId id, EventId place, const Set& after);
  [[nodiscard]] Set co_or_prop(const Event& event, EventId id) const;

  std::vector<Event> events_;
  std::vector<EventId> slots_;  // by location: its initial write
  std::vector<Initial> initials_;
  Set reads_;
  Set writes_;
  std::vector<Change> trail_;
  std::vector<std::size_t> marks_;  // length of the trail before each event
  PowerAxiom refused_by_ = PowerAxiom::observation;
};

// ii, ic, ci, cc of a new event, to which nothing else leads: each pair (y, event) is visited once.
template <unsigned Words>
void Power<Words>::preserved_order(Event& event, const Order& order) const {
  Set& ii = event.ii;
  Set& ic = event.ic;
  Set& ci = event.ci;
  Set& cc = event.cc;
  ci = order.control_isync;
  ii = order.dependencies;
  cc = order.dependencies | order.same_location | order.control | order.address_order;
  if (event.source != no_event && event.source >= 0) {
    if (external(event.source, event.thread)) {
      order.same_location.for_each([&](ProcessId id) {
        const Event& own = events_[id];
        if (own.writes) {
          ci.insert(id);  // detour
        } else if (own.source != event.source) {
          ii.insert(id);  // rdw
        }
      });
    } else {
      ii.insert(static_cast<ProcessId>(event.source));  // rfi
    }
  }
  Set done_ii;
  Set done_ic;
  Set done_ci;
  Set done_cc;
  for (;;) {
    ii |= ci;
    cc |= ci;
    ic |= ii | cc;
    if (done_ic == ic && done_ii == ii && done_cc == cc && done_ci == ci) return;
    const auto new_ii = ii - done_ii;
    const auto new_ic = ic - done_ic;
    const auto new_ci = ci - done_ci;
    const auto new_cc = cc - done_cc;
    done_ii = ii;
    done_ic = ic;
    done_ci = ci;
    done_cc = cc;
    new_ci.for_each([&](ProcessId y) {
      ii |= events_[y].ic;
      ci |= events_[y].cc;
    });
    new_ii.for_each([&](ProcessId y) {
      ii |= events_[y].ii;
      ci |= events_[y].ci;
    });
    new_cc.for_each([&](ProcessId y) {
      ic |= events_[y].ic;
      cc |= events_[y].cc;
    });
    new_ic.for_each([&](ProcessId y) {
      ic |= events_[y].ii;
      cc |= events_[y].ci;
    });
  }
}

// Computes propbase, strong and store_propagation from the rows of the events that come directly before the
// new one in hb or by a fence.
template <unsigned Words>
void Power<Words>::propagate(Event& event, const Order& order, const Set& happens_directly) const {
  const Set fences = order.sync | order.lightweight;
  event.propbase = fences;
  (fences & reads_).for_each([&](ProcessId id) {
    const EventId source = events_[id].source;
    if (external(source, events_[id].thread)) event.propbase.insert(static_cast<ProcessId>(source));
  });
  order.sync.for_each([&](ProcessId id) { event.strong |= events_[id].propbase_star; });
  happens_directly.for_each([&](ProcessId id) {
    const Event& earlier = events_[id];
    event.propbase |= earlier.propbase;
    event.strong |= earlier.strong;
    event.store_propagation |= earlier.store_propagation;
  });
  if (event.writes) event.store_propagation |= event.propbase & writes_;
  event.propbase_star |= event.propbase;
  event.propbase.for_each([&](ProcessId id) { event.propbase_star |= events_[id].propbase_star; });
}

template <unsigned Words>
auto Power<Words>::after(EventId place) const -> Set {
  Set result;
  for (EventId write = next(place); write != no_event; write = next(write)) {
    result.insert(static_cast<ProcessId>(write));
    result |= readers(write);
  }
  return result;
}

// fre ; prop ; hb* from a read to itself, through the new event as the read or as the write after its source.
template <unsigned Words>
bool Power<Words>::observed(const Event& event, EventId place, const Set& after) const {
  if (after.empty()) return false;
  if (!event.writes) {
    return event.strong.intersects(after) || event.store_propagation.intersects(after & writes_);
  }
  for (EventId write = place;; write = previous(write)) {
    bool found = false;
    readers(write).for_each([&](ProcessId reader) {
      found = found || (events_[reader].thread != event.thread && events_[reader].strong.intersects(after));
    });
    if (found) return true;
    if (is_initial(write)) return false;
  }
}

// The direct predecessors of the event in co | prop.
template <unsigned Words>
auto Power<Words>::co_or_prop(const Event& event, EventId id) const -> Set {
  Set result;
  event.strong.for_each([&](ProcessId from) { result |= events_[from].communication; });
  if (event.writes) result |= (event.propbase | event.communication) & writes_;
  result.erase(static_cast<ProcessId>(id));
  return result;
}

// The events that the new event directly happens after: hb of memory-models.md.
template <unsigned Words>
auto Power<Words>::happens_directly_before(const Event& event, const Order& order) const -> Set {
  Set result = order.sync | order.lightweight | ((event.writes ? event.ic : event.ii) & reads_);
  if (!event.writes && external(event.source, event.thread))
    result.insert(static_cast<ProcessId>(event.source));  // rfe
  return result;
}

// com* to the new event, which goes directly after `place` or reads from it.
template <unsigned Words>
auto Power<Words>::communication_to(const Event& event, EventId id, EventId place) const -> Set {
  Set result;
  if (place >= 0) result = (*this)[place].communication;
  if (event.writes) result |= readers(place);
  result.insert(static_cast<ProcessId>(id));
  return result;
}

// Puts the new event, and all that is before it, before its successors in co | prop. False if that closes a
// cycle. `after`: the events that com leads to from the new one.
template <unsigned Words>
bool Power<Words>::precede(const Event& event, EventId id, const Set& after) {
  if (after.empty()) return true;
  const auto bit = static_cast<ProcessId>(id);
  Set later;
  if (event.writes) later = after & writes_;
  for (ProcessId other = 0; other < bit; ++other) {
    if (events_[other].strong.intersects(after)) later.insert(other);
  }
  if (event.before.intersects(later)) return false;
  Set reached = event.before;
  reached.insert(bit);
  for (ProcessId other = 0; other < bit; ++other) {
    Set& before = events_[other].before;
    if (!later.contains(other) && !before.intersects(later)) continue;
    trail_.push_back({other, before});
    before |= reached;
  }
  return true;
}

template <unsigned Words>
bool Power<Words>::add(const Order& order, EventId place, std::int64_t value, EventId updated) {
  const auto id = static_cast<EventId>(events_.size());
  Event& event = events_.emplace_back();
  event.value = value;
  event.thread = order.thread;
  event.location = order.location;
  event.writes = order.writes;
  event.updated = updated;
  if (!order.writes) event.source = place;
  event.propbase_star.insert(static_cast<ProcessId>(id));
  preserved_order(event, order);
  propagate(event, order, happens_directly_before(event, order));

  // Any cycle through the event leaves it by co or com.
  const Set successors = after(place);
  if (event.writes && event.strong.intersects(successors)) return refuse(PowerAxiom::propagation);
  if (observed(event, place, successors)) return refuse(PowerAxiom::observation);
  event.communication = communication_to(event, id, place);
  const Set direct = co_or_prop(event, id);
  event.before = direct;
  direct.for_each([&](ProcessId earlier) { event.before |= events_[earlier].before; });
  const std::size_t mark = trail_.size();
  if (!precede(event, id, successors)) return refuse(PowerAxiom::propagation);
  marks_.push_back(mark);

  event.commit_before = commit_before(order);
  event.commit_before.insert(static_cast<ProcessId>(id));
  if (!order.writes && place >= 0) event.commit_before |= (*this)[place].commit_before;
  link(event, id, place, successors);
  return true;
}

template <unsigned Words>
void Power<Words>::add_choice(const Order& order, std::int64_t value) {
  const auto bit = static_cast<ProcessId>(events_.size());
  const Set earlier = commit_before(order);
  Event& event = events_.emplace_back();
  event.value = value;
  event.thread = order.thread;
  event.commit_before = earlier;
  event.commit_before.insert(bit);
  marks_.push_back(trail_.size());
}

template <unsigned Words>
void Power<Words>::link(const Event& event, EventId id, EventId place, const Set& after) {
  const auto bit = static_cast<ProcessId>(id);
  after.for_each([&](ProcessId later) { events_[later].communication.insert(bit); });
  if (!event.writes) {
    reads_.insert(bit);
    readers_of(place).insert(bit);
    return;
  }
  writes_.insert(bit);
  const EventId behind = next(place);
  Event& self = events_[bit];
  self.previous = place;
  self.next = behind;
  (place < 0 ? start_of(place).next : events_[static_cast<std::size_t>(place)].next) = id;
  if (behind == no_event) {
    start_of(slots_[event.location]).newest = id;
  } else {
    events_[static_cast<std::size_t>(behind)].previous = id;
  }
}

template <unsigned Words>
void Power<Words>::remove() {
  const auto id = static_cast<EventId>(events_.size() - 1);
  const auto bit = static_cast<ProcessId>(id);
  const Event& event = events_.back();
  for (; trail_.size() > marks_.back(); trail_.pop_back()) {
    events_[trail_.back().event].before = trail_.back().before;
  }
  marks_.pop_back();
  if (event.location != none) {
    if (event.writes) {
      writes_.erase(bit);
      (event.previous < 0 ? start_of(event.previous).next
                          : events_[static_cast<std::size_t>(event.previous)].next) = event.next;
      if (event.next == no_event) {
        start_of(slots_[event.location]).newest = event.previous;
      } else {
        events_[static_cast<std::size_t>(event.next)].previous = event.previous;
      }
      after(event.previous).for_each([&](ProcessId later) { events_[later].communication.erase(bit); });
    } else {
      reads_.erase(bit);
      readers_of(event.source).erase(bit);
      after(event.source).for_each([&](ProcessId later) { events_[later].communication.erase(bit); });
    }
  }
  events_.pop_back();
}

}  // namespace heddle::checker
