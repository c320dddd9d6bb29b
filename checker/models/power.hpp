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
// dependency, fence, rf or po-loc leads from a new event to an older one: for all relations but com, co and
// prop the new event is an end, its row is computed once from the rows of the events directly before it, and
// no other row changes. com leads from the new event to the writes that are co-after it and to their readers
// (`after`), and so prop to every event whose `strong` meets that set. The checks that remain are
// intersections of `after` with single rows (`add`), and a write that goes last, or a read of the newest
// write, needs none. Committing costs O(n) operations on rows, n events.
//
// A read-modify-write is a read event and a write event, tied by the write's `updated`. What is compared and what
// is stored are inputs of the write only.
// Initial writes have negative ids. They come first in everything and so are part of no relation here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/execution/process_set.hpp"
#include "checker/execution/step.hpp"

namespace heddle::checker {

using PowerId = std::int32_t;
inline constexpr PowerId no_place = 0x7fffffff;

// What program order says about an event, by its predecessors: known before the event is committed.
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

// Which axiom refuses an event; the others are seen to by the order of commits and the places offered.
enum class PowerAxiom : std::uint8_t { observation, propagation };

template <unsigned Words>
class Power {
 public:
  using Set = ProcessSet<Words>;
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
    PowerId source = no_place;    // of a read
    PowerId previous = no_place;  // of a write, in coherence order
    PowerId next = no_place;
    PowerId updated = no_place;  // of the write of a read-modify-write: the write that its read reads from
    std::uint32_t location = none;
    ThreadId thread = 0;
    bool writes = false;
  };

  explicit Power(std::uint32_t locations) : slots_(locations, no_place) {}

  [[nodiscard]] std::size_t size() const { return events_.size(); }
  [[nodiscard]] bool full() const { return events_.size() + 2 > capacity; }
  [[nodiscard]] const Event& operator[](PowerId id) const { return events_[static_cast<std::size_t>(id)]; }

  // The initial write of a location.
  [[nodiscard]] PowerId initial(std::uint32_t location) {
    PowerId& slot = slots_[location];
    if (slot == no_place) {
      slot = -1 - static_cast<PowerId>(initials_.size());
      initials_.push_back({.readers = {}, .next = no_place, .newest = slot, .location = location});
    }
    return slot;
  }
  [[nodiscard]] static bool is_initial(PowerId id) { return id < 0; }
  // The initial write of a location that was used, else no_place.
  [[nodiscard]] PowerId known(std::uint32_t location) const { return slots_[location]; }
  [[nodiscard]] std::uint32_t location_of(PowerId initial) const { return start_of(initial).location; }
  [[nodiscard]] PowerId newest(PowerId initial) const { return start_of(initial).newest; }
  [[nodiscard]] PowerId next(PowerId write) const {
    return write < 0 ? start_of(write).next : (*this)[write].next;
  }
  [[nodiscard]] PowerId previous(PowerId write) const { return (*this)[write].previous; }
  [[nodiscard]] const Set& readers(PowerId write) const {
    return write < 0 ? start_of(write).readers : (*this)[write].readers;
  }
  // Does a read-modify-write stand right behind the write that it has read?
  [[nodiscard]] bool taken(PowerId write) const {
    const PowerId after = next(write);
    return after != no_place && (*this)[after].updated == write;
  }
  // The oldest write that the next event may read from, or stand behind: coherence with the thread's own
  // accesses. `same_location` as in PowerOrder; O(its size).
  [[nodiscard]] PowerId oldest_place(const Order& order, PowerId initial) const {
    PowerId newest_own = no_place;
    order.same_location.for_each([&](ProcessId id) { newest_own = static_cast<PowerId>(id); });
    if (newest_own == no_place) return initial;
    return (*this)[newest_own].writes ? newest_own : (*this)[newest_own].source;
  }

  // Is the write the oldest place or coherence-after it?
  [[nodiscard]] bool within(PowerId place, PowerId oldest) const {
    return place == oldest || is_initial(oldest) ||
           (!is_initial(place) && (*this)[place].communication.contains(static_cast<ProcessId>(oldest)));
  }

  // Commits an event if the model allows it: a read of `place`, or a write right behind `place`. `updated`:
  // the place again if the write is that of a read-modify-write. The caller has checked coherence
  // (oldest_place) and atomicity (taken). Returns whether the event was added; its id is size() - 1 then.
  bool add(const Order& order, PowerId place, std::int64_t value, PowerId updated = no_place);
  // Adds an event that is no memory access (`choose`).
  void add_choice(const Order& order, std::int64_t value);
  // Takes back the newest event.
  void remove();
  // Why `add` refused an event the last time that it did.
  [[nodiscard]] PowerAxiom refused_by() const { return refused_by_; }

  // The events that are co-after `place`, with their readers: what com leads to from a new event there.
  [[nodiscard]] Set after(PowerId place) const;
  // cb of an event that is not committed yet, without its source.
  [[nodiscard]] Set commit_before(const Order& order) const {
    Set result;
    order.commit_before.for_each([&](ProcessId id) {
      if (!result.contains(id)) result |= events_[id].commit_before;
    });
    return result;
  }

  [[nodiscard]] std::size_t memory_used() const {
    return events_.capacity() * sizeof(Event) + trail_.capacity() * sizeof(Change) +
           initials_.capacity() * sizeof(Initial);
  }

 private:
  struct Initial {
    Set readers;
    PowerId next = no_place;
    PowerId newest = no_place;
    std::uint32_t location = none;
  };
  struct Change {
    ProcessId event = 0;
    Set before;
  };

  [[nodiscard]] const Initial& start_of(PowerId initial) const {
    return initials_[static_cast<std::size_t>(-1 - initial)];
  }
  [[nodiscard]] Initial& start_of(PowerId initial) {
    return initials_[static_cast<std::size_t>(-1 - initial)];
  }
  [[nodiscard]] Set& readers_of(PowerId write) {
    return write < 0 ? start_of(write).readers : events_[static_cast<std::size_t>(write)].readers;
  }
  [[nodiscard]] bool external(PowerId write, ThreadId thread) const {
    return write >= 0 && (*this)[write].thread != thread;
  }

  void preserved_order(Event& event, const Order& order) const;
  void propagate(Event& event, const Order& order, const Set& happens_directly) const;
  bool observed(const Event& event, PowerId place, const Set& after) const;
  void link(const Event& event, PowerId id, PowerId place, const Set& after);
  [[nodiscard]] Set co_or_prop(const Event& event, PowerId id) const;

  std::vector<Event> events_;
  std::vector<PowerId> slots_;  // by location: its initial write
  std::vector<Initial> initials_;
  Set reads_;
  Set writes_;
  std::vector<Change> trail_;
  std::vector<std::size_t> marks_;  // length of the trail before each event
  PowerAxiom refused_by_ = PowerAxiom::observation;
};

}  // namespace heddle::checker

#include "checker/models/power_operations.hpp"
