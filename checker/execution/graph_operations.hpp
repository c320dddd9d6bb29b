// How an execution graph grows, shrinks and is put aside in parts: the definitions of graph.hpp.
#pragma once

#include "checker/execution/graph.hpp"

namespace heddle::checker {

template <typename Model, unsigned Words>
auto Graph<Model, Words>::bounds(const Frontier<Model, Set>& frontier, EventId last, EventId initial,
                                 AccessKind access) const -> Set {
  Set result;
  frontier.before(access).for_each(
      [&](ProcessId before) { result |= events_[static_cast<EventId>(before)].upto; });
  // Coherence: not before what the thread itself has written there or read.
  constexpr bool implied = FrontierLayout<Model>::count == 1;  // by the model, which keeps all of po
  if constexpr (!implied) {
    for (EventId id = last; id != no_event; id = events_[id].po_previous) {
      const Event& event = events_[id];
      if (event.location != initial || event.kind == EventKind::deferral) continue;
      const EventId floor = event.writes() ? id : event.source;
      if (!is_initial(floor)) result.insert(static_cast<ProcessId>(floor));
      break;
    }
  }
  return result;
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::add(EventId id, ThreadId t, jit::Op op, EventKind kind, EventId initial,
                              EventId behind, std::int64_t value) {
  Thread& thread = threads_[t];
  Event& event = events_[id];
  const AccessKind access = access_of(op);
  event.frontier = thread.frontier;
  event.value = value;
  event.location = initial;
  event.po_previous = thread.last;
  event.snapshot = thread.snapshot;
  event.thread = t;
  event.kind = kind;
  event.op = op;
  event.canonical = true;
  event.co_next = event.source = no_event;
  event.readers = {};
  Set before;
  event.frontier.before(access).for_each(
      [&](ProcessId earlier) { before |= events_[static_cast<EventId>(earlier)].upto; });
  const bool reads = event.reads() || kind == EventKind::deferral;
  event.prefix = prefix(t, reads ? behind : no_event);
  event.prefix.insert(static_cast<ProcessId>(id));
  marks_.push_back(static_cast<std::uint32_t>(trail_.size()));

  EventId next = no_event;
  if (behind != no_event) {
    Event& source = events_[behind];
    next = source.co_next;
    if (kind == EventKind::deferral) next = no_event;
    // rfe; rfi is no order of its own, and where program order is kept it is there already. co, and fr from
    // the readers of the write before.
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
    }
  }
  // A deferral orders nothing: no event may inherit what is before it as if it were a read.
  if (kind == EventKind::deferral) before = {};
  if (kind != EventKind::deferral) before.insert(static_cast<ProcessId>(id));
  event.upto = before;
  overtaken_ = {};
  if (next != no_event) order_before(next, before);
  live_.insert(static_cast<ProcessId>(id));
  thread.last = id;
  if (kind != EventKind::deferral) thread.frontier.add(access, static_cast<std::uint32_t>(id), event.upto);
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::order_before(EventId target, const Set& earlier) {
  // (Which events these are is hard to foretell, so no branch depends on it.)
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
  for (const auto mark = marks_.back(); trail_.size() > mark; trail_.pop_back()) {
    events_[trail_.back().event].upto = trail_.back().upto;
  }
  marks_.pop_back();
  unlink(id);
}

// Takes the event out of its thread, its location and the readers of its source.
template <typename Model, unsigned Words>
void Graph<Model, Words>::unlink(EventId id) {
  const Event& event = events_[id];
  live_.erase(static_cast<ProcessId>(id));
  if (event.source != no_event) events_[event.source].readers.erase(static_cast<ProcessId>(id));
  if (event.writes()) {
    events_[event.co_previous].co_next = event.co_next;
    events_[event.co_next == no_event ? event.location : event.co_next].co_previous = event.co_previous;
  }
  Thread& thread = threads_[event.thread];
  thread.frontier = event.frontier;
  thread.last = event.po_previous;
  thread.snapshot = event.snapshot;
  set_state(event.thread, event.op == jit::Op::lock ? ThreadState::waiting : ThreadState::ready);
}

template <typename Model, unsigned Words>
void Graph<Model, Words>::cut(std::size_t from, EventId revisited, const Set& deleted) {
  const Cut cut{.from = from, .removed = removed_.size(), .saved = saved_order_.size()};
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
void Graph<Model, Words>::mend() {
  const Cut& cut = cuts_.back();
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
void Graph<Model, Words>::allocate(std::size_t room) {
  std::vector<Event> storage(room + capacity);
  Event* const events = storage.data() + room;
  if (events_ != nullptr) {
    std::copy(storage_.begin(), storage_.end(), events - room_);
  }
  storage_ = std::move(storage);
  events_ = events;
  room_ = room;
}

template <typename Model, unsigned Words>
template <unsigned Narrower>
Graph<Model, Words>::Graph(const Graph<Model, Narrower>& other)
    : by_state_(other.by_state_),
      initial_(other.initial_),
      locations_(other.locations_),
      order_(other.order_) {
  const auto widen = [](const auto& set) { return set.template widened<Words>(); };
  const auto widen_thread = [&](const auto& thread) {
    return Thread{thread.frontier.template widened<Set>(widen), thread.last, thread.snapshot, thread.state};
  };
  const auto widen_event = [&](const auto& event) {
    return Event{.upto = widen(event.upto),
                 .prefix = widen(event.prefix),
                 .readers = widen(event.readers),
                 .frontier = event.frontier.template widened<Set>(widen),
                 .value = event.value,
                 .location = event.location,
                 .source = event.source,
                 .po_previous = event.po_previous,
                 .co_previous = event.co_previous,
                 .co_next = event.co_next,
                 .snapshot = event.snapshot,
                 .thread = event.thread,
                 .kind = event.kind,
                 .op = event.op,
                 .canonical = event.canonical};
  };
  allocate(other.room_);
  const auto narrow = static_cast<EventId>(Graph<Model, Narrower>::capacity);
  for (EventId id = -static_cast<EventId>(locations_.size()); id < narrow; ++id) {
    events_[id] = widen_event(other.events_[id]);
  }
  for (const auto& thread : other.threads_) threads_.push_back(widen_thread(thread));
  live_ = widen(other.live_);
  overtaken_ = widen(other.overtaken_);
  for (const auto& change : other.trail_) trail_.push_back({change.event, widen(change.upto)});
  marks_ = other.marks_;
  for (const auto& removed : other.removed_) {
    removed_.push_back({widen_event(removed.event), widen_thread(removed.thread), removed.id});
  }
  saved_order_ = other.saved_order_;
  for (const auto& cut : other.cuts_) cuts_.push_back({cut.from, cut.removed, cut.saved});
}

}  // namespace heddle::checker
