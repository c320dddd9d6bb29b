// How a POWER trace grows and shrinks: the definitions of power.hpp, in the order of its axioms.
#pragma once

#include "checker/models/power.hpp"

namespace heddle::checker {

// ii, ic, ci, cc of a new event, to which nothing else leads: each pair (y, event) is looked at once.
template <unsigned Words>
void Power<Words>::preserved_order(Event& event, const Order& order) const {
  Set& ii = event.ii;
  Set& ic = event.ic;
  Set& ci = event.ci;
  Set& cc = event.cc;
  ci = order.control_isync;
  ii = order.dependencies;
  cc = order.dependencies | order.same_location | order.control | order.address_order;
  if (event.source != no_place && event.source >= 0) {
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

// hb, propbase and strong from the rows of the events directly before.
template <unsigned Words>
void Power<Words>::propagate(Event& event, const Order& order, const Set& happens_directly) const {
  const Set fences = order.sync | order.lightweight;
  event.propbase = fences;
  (fences & reads_).for_each([&](ProcessId id) {
    const PowerId source = events_[id].source;
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
auto Power<Words>::after(PowerId place) const -> Set {
  Set result;
  for (PowerId write = next(place); write != no_place; write = next(write)) {
    result.insert(static_cast<ProcessId>(write));
    result |= readers(write);
  }
  return result;
}

// fre ; prop ; hb* from a read to itself, through the new event as the read or as the write after its source.
template <unsigned Words>
bool Power<Words>::observed(const Event& event, PowerId place, const Set& after) const {
  if (!event.writes) {
    return event.strong.intersects(after) || event.store_propagation.intersects(after & writes_);
  }
  for (PowerId write = place;; write = previous(write)) {
    bool found = false;
    readers(write).for_each([&](ProcessId reader) {
      found = found || (events_[reader].thread != event.thread && events_[reader].strong.intersects(after));
    });
    if (found) return true;
    if (is_initial(write)) return false;
  }
}

// What stands before the event in co | prop, directly.
template <unsigned Words>
auto Power<Words>::co_or_prop(const Event& event, PowerId id) const -> Set {
  Set result;
  event.strong.for_each([&](ProcessId from) { result |= events_[from].communication; });
  if (event.writes) result |= (event.propbase | event.communication) & writes_;
  result.erase(static_cast<ProcessId>(id));
  return result;
}

template <unsigned Words>
bool Power<Words>::add(const Order& order, PowerId place, std::int64_t value, PowerId updated) {
  const auto id = static_cast<PowerId>(events_.size());
  const auto bit = static_cast<ProcessId>(id);
  Event& event = events_.emplace_back();
  event.value = value;
  event.thread = order.thread;
  event.location = order.location;
  event.writes = order.writes;
  event.updated = updated;
  if (!order.writes) event.source = place;
  preserved_order(event, order);
  Set happens_directly = order.sync | order.lightweight | ((event.writes ? event.ic : event.ii) & reads_);
  if (!order.writes && external(place, order.thread)) {
    happens_directly.insert(static_cast<ProcessId>(place));  // rfe
  }
  event.propbase_star.insert(bit);
  propagate(event, order, happens_directly);

  const Set successors = after(place);
  // A cycle of co | prop through the event leads out of it by co or com.
  const bool inside = !successors.empty();
  if (inside && (event.strong.intersects(successors) || observed(event, place, successors))) {
    const bool cycle = event.writes && event.strong.intersects(successors);
    refused_by_ = cycle ? PowerAxiom::propagation : PowerAxiom::observation;
    events_.pop_back();
    return false;
  }
  event.communication.insert(bit);
  if (place >= 0) {
    event.communication |= (*this)[place].communication;
  }
  if (event.writes) event.communication |= readers(place);
  const Set direct = co_or_prop(event, id);
  event.before = direct;
  direct.for_each([&](ProcessId earlier) { event.before |= events_[earlier].before; });
  if (inside) {
    Set later;  // directly after the event in co | prop
    if (event.writes) later = successors & writes_;
    for (ProcessId other = 0; other < bit; ++other) {
      if (events_[other].strong.intersects(successors)) later.insert(other);
    }
    if (event.before.intersects(later)) {
      refused_by_ = PowerAxiom::propagation;
      events_.pop_back();
      return false;
    }
    marks_.push_back(trail_.size());
    Set reached = event.before;
    reached.insert(bit);
    for (ProcessId other = 0; other < bit; ++other) {
      Set& before = events_[other].before;
      if (!later.contains(other) && !before.intersects(later)) continue;
      trail_.push_back({other, before});
      before |= reached;
    }
  } else {
    marks_.push_back(trail_.size());
  }
  event.commit_before = commit_before(order);
  event.commit_before.insert(bit);
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
void Power<Words>::link(const Event& event, PowerId id, PowerId place, const Set& after) {
  const auto bit = static_cast<ProcessId>(id);
  after.for_each([&](ProcessId later) { events_[later].communication.insert(bit); });
  if (!event.writes) {
    reads_.insert(bit);
    readers_of(place).insert(bit);
    return;
  }
  writes_.insert(bit);
  const PowerId behind = next(place);
  Event& self = events_[bit];
  self.previous = place;
  self.next = behind;
  (place < 0 ? start_of(place).next : events_[static_cast<std::size_t>(place)].next) = id;
  if (behind == no_place) {
    start_of(slots_[event.location]).newest = id;
  } else {
    events_[static_cast<std::size_t>(behind)].previous = id;
  }
}

template <unsigned Words>
void Power<Words>::remove() {
  const auto id = static_cast<PowerId>(events_.size() - 1);
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
      if (event.next == no_place) {
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
