// The search of trust: which event comes next, in which ways it is added, and which reads it revisits. See
// trust.cpp for what it does and why.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "checker/commits/trust.hpp"

namespace heddle::checker {

template <typename Model, unsigned Words>
bool Trust<Model, Words>::run() {
  bool extended = nodes_.empty();
  while (!search_.stopped()) {
    if (extended) open();
    if (nodes_.empty()) break;
    if (graph_.full()) return false;
    const auto result = advance(nodes_.back());
    extended = result == Result::extended;
    if (result != Result::exhausted) {
      search_.transition(graph_.order().size(), [&] { return memory_used(); });
      continue;
    }
    const Node& node = nodes_.back();
    const auto next = node.idle ? next_idle(node.thread + 1) : none;
    nodes_.pop_back();
    if (next != none) {
      push(next, no_event, no_event);
      nodes_.back().idle = true;
    }
  }
  search_.note_memory(memory_used());
  return true;
}

// The graph was extended: opens the node of the next event, or ends the execution.
template <typename Model, unsigned Words>
void Trust<Model, Words>::open() {
  auto t = next_thread();
  if (t != none && !bound_.must_extend(settled_)) {
    ++search_.counts.blocked_preemption_bound;
    return;
  }
  if (t != none) return push(t, no_event, no_event);
  finish();
  t = next_idle(0);
  if (t == none) return;
  push(t, no_event, no_event);
  nodes_.back().idle = true;
}

// The left-most thread that can go on; but a deferred lock goes first as soon as its mutex is free.
template <typename Model, unsigned Words>
std::uint32_t Trust<Model, Words>::next_thread() const {
  auto ready = graph_.in_state(ThreadState::ready);
  for (auto waiting = graph_.in_state(ThreadState::waiting); waiting != 0; waiting &= waiting - 1) {
    const auto t = static_cast<ThreadId>(std::countr_zero(waiting));
    const EventId mutex = graph_.known(request(t).location);
    if (mutex != no_event && !is_free(mutex)) continue;
    if (deferred(t)) return t;
    ready |= std::uint64_t{1} << t;
  }
  return ready == 0 ? none : static_cast<std::uint32_t>(std::countr_zero(ready));
}

// In a graph where nothing can go on: the first thread from `from` that waits for a mutex.
template <typename Model, unsigned Words>
std::uint32_t Trust<Model, Words>::next_idle(ThreadId from) const {
  for (auto waiting = graph_.in_state(ThreadState::waiting); waiting != 0; waiting &= waiting - 1) {
    const auto t = static_cast<ThreadId>(std::countr_zero(waiting));
    if (t >= from) return t;
  }
  return none;
}

// Opens a node for the next event of the thread. For a revisited read, its source and its old id are given.
template <typename Model, unsigned Words>
void Trust<Model, Words>::push(ThreadId t, EventId source, EventId revisited) {
  const Mailbox& m = request(t);
  Node& node = nodes_.emplace_back();
  node.thread = t;
  node.op = m.op;
  node.snapshots = snapshots_.top();
  if (m.op == Op::choose) {
    node.choice = m.value;
    return;
  }
  node.location = graph_.initial(m.location, search_.image().locations[m.location].initial);
  node.bounds = graph_.bounds(t, node.location, Graph::access_of(m.op));
  if (revisited != no_event) {
    node.forced = true;
    node.event = revisited;
    node.behind = source;
  } else {
    node.behind = graph_.newest(node.location);
    // A deferred lock comes after the one it was deferred for.
    if (deferred(t)) {
      const EventId blocker = graph_[graph_.thread(t).last].source;
      const EventId unlock = graph_[blocker].co_next;
      node.bounds.insert(static_cast<ProcessId>(unlock == no_event ? blocker : unlock));
    }
  }
}

// Takes back what the node did last and does the next thing.
template <typename Model, unsigned Words>
auto Trust<Model, Words>::advance(Node& node) -> Result {
  for (;;) {
    switch (node.stage) {
      case Stage::add:
        switch (add(node)) {
          case Added::yes: node.stage = Stage::added; return Result::extended;
          case Added::dead: node.stage = Stage::added; break;
          case Added::taken:
            start_revisits(node);
            node.stage = Stage::revisits;
            break;
          case Added::no: node.stage = Stage::next; break;
        }
        break;
      case Stage::added:
        remove(node);
        node.stage = Stage::next;
        if (node.kind == EventKind::update) {
          start_revisits(node);
          node.stage = Stage::revisits;
        }
        break;
      case Stage::revisits:
        if (next_revisit(node)) return Result::pushed;
        node.stage = Stage::next;
        break;
      case Stage::next:
        if (next_source(node)) {
          node.stage = Stage::add;
        } else if (node.behind != no_event && (node.op == Op::store || node.op == Op::unlock)) {
          node.behind = no_event;
          start_revisits(node);
          node.stage = Stage::revisits;
        } else {
          if (node.ran) snapshots_.drop(node.snapshots);
          return Result::exhausted;
        }
        break;
    }
  }
}

// Moves on to the next value, source or place in coherence order.
template <typename Model, unsigned Words>
bool Trust<Model, Words>::next_source(Node& node) const {
  if (node.op == Op::choose) {
    return ++node.choice < snapshots_.mailbox(graph_.thread(node.thread).snapshot).expected;
  }
  if (node.forced || node.behind == no_event || is_initial(node.behind) ||
      node.bounds.contains(static_cast<ProcessId>(node.behind)))
    return false;
  node.behind = graph_[node.behind].co_previous;
  return true;
}

// Adds the event in the way that the node is at.
template <typename Model, unsigned Words>
auto Trust<Model, Words>::add(Node& node) -> Added {
  if (node.op == Op::choose) {
    insert(node, EventKind::choice, no_event, node.choice);
    resume(node, node.choice);
    return Added::yes;
  }
  const Mailbox& m = request(node.thread);
  const std::int64_t read = graph_[node.behind].value;
  switch (node.op) {
    case Op::store:
    case Op::unlock:
      if (graph_.taken(node.behind)) return Added::no;
      insert(node, EventKind::write, node.behind, node.op == Op::store ? m.value : 0);
      resume(node, 0);
      return Added::yes;
    case Op::lock:
      if (read == 0) return add_update(node, read, std::int64_t{node.thread} + 1);
      if (!node.forced) return Added::no;
      insert(node, EventKind::deferral, node.behind, 0);
      graph_.set_state(node.thread, ThreadState::waiting);
      return Added::yes;
    case Op::try_lock:
      if (read == 0) return add_update(node, 1, std::int64_t{node.thread} + 1);
      break;
    case Op::load: break;
    default:
      if (node.op != Op::compare_exchange || read == m.expected)
        return add_update(node, read, modified(node.op, read, m.value));
      break;
  }
  insert(node, EventKind::read, node.behind, 0);
  resume(node, node.op == Op::try_lock ? 0 : read);
  // A read that was not maximal when it was added and that stops its thread is there for good: it can be
  // neither revisited nor deleted, so nothing complete comes of this graph. With a preemption bound it may
  // yet be the graph in which other threads do something wrong with few preemptions: leaving a thread that
  // is stuck is free. (Not if the thread had done nothing before: then it may as well start last.)
  const bool needed = bound_.active() && graph_[node.event].po_previous != no_event;
  if (node.forced || graph_[node.behind].co_next == no_event || needed) return Added::yes;
  if (graph_.thread(node.thread).state != ThreadState::stuck) return Added::yes;
  switch (request(node.thread).op) {
    case Op::assume_failed:
    case Op::await_failed:
    case Op::loop_bound:
    case Op::round_limit: break;
    default: return Added::yes;
  }
  search_.blocked(node.thread, request(node.thread).op, request(node.thread).site);
  ++search_.counts.runs;
  return Added::dead;
}

// Adds a successful read-modify-write, unless another one has read from the same write: then it can only
// revisit that one.
template <typename Model, unsigned Words>
auto Trust<Model, Words>::add_update(Node& node, std::int64_t result, std::int64_t written) -> Added {
  node.kind = EventKind::update;
  if (graph_.taken(node.behind)) return Added::taken;
  insert(node, EventKind::update, node.behind, written);
  resume(node, result);
  return Added::yes;
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::remove(Node& node) {
  bound_.remove(node.event);
  graph_.remove(node.event);
  node.present = false;
  if (!node.forced) {
    graph_.drop_from_order();
    node.event = no_event;
  }
  if (!node.ran) snapshots_.drop(node.snapshots);
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::start_revisits(Node& node) {
  node.prefix = graph_.prefix(node.thread, node.behind);
  node.deleted = {};
  node.walk = graph_.order().size();
}

// The next graph in which the node's event is the source of an earlier read. The event and the cut are made
// here; a node for the read is pushed.
template <typename Model, unsigned Words>
bool Trust<Model, Words>::next_revisit(Node& node) {
  const bool store = node.behind == no_event;
  const auto next_place = [&] {
    const bool last = !store || is_initial(node.place) ||
                      node.bounds.contains(static_cast<ProcessId>(node.place)) ||
                      node.revisit_bounds.contains(static_cast<ProcessId>(node.place));
    node.place = last ? no_event : graph_[node.place].co_previous;
  };
  if (node.present) {
    settled_ = node.settled;
    remove(node);
    next_place();
  }
  for (;;) {
    if (node.revisited != no_event) {
      for (; node.place != no_event; next_place()) {
        if (graph_.taken(node.place)) continue;
        const EventId revisited = node.revisited;
        const Mailbox& m = request(node.thread);
        const std::int64_t read = graph_[node.place].value;
        if (store) {
          insert(node, EventKind::write, node.place, node.op == Op::store ? m.value : 0);
          resume(node, 0);
        } else if (node.op == Op::lock || node.op == Op::try_lock) {
          insert(node, EventKind::update, node.place, std::int64_t{node.thread} + 1);
          resume(node, 1);
        } else {
          insert(node, EventKind::update, node.place, modified(node.op, read, m.value));
          resume(node, read);
        }
        const EventId source = node.event;
        node.settled = settled_;
        settled_ -= node.deleted;
        settled_.erase(static_cast<ProcessId>(revisited));
        settled_ |= graph_[source].prefix;
        push(graph_.last_cut_thread(), source, revisited);
        return true;
      }
      mend(node);
      node.deleted.insert(static_cast<ProcessId>(node.revisited));
      node.revisited = no_event;
    }
    if (!find_revisit(node)) return false;
  }
}

// The events that the node's revisit takes out of the graph.
template <typename Model, unsigned Words>
auto Trust<Model, Words>::gone(const Node& node) const -> Set {
  Set result = node.deleted;
  result.insert(static_cast<ProcessId>(node.revisited));
  return result;
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::cut(const Node& node) {
  bound_.cut(gone(node));
  graph_.cut(node.walk, node.revisited, node.deleted);
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::mend(const Node& node) {
  graph_.mend();
  bound_.mend(gone(node));
}

// Walks back through the order of insertion to the next read that the event may revisit, and cuts the graph.
// Everything walked over would be deleted, so the walk ends at the first event that is not maximal.
template <typename Model, unsigned Words>
bool Trust<Model, Words>::find_revisit(Node& node) {
  while (node.walk > 0) {
    const EventId id = graph_.order()[--node.walk];
    if (id == node.event || node.prefix.contains(static_cast<ProcessId>(id))) continue;
    const Event& event = graph_[id];
    if (!maximal(event, node.deleted)) {
      node.walk = 0;
      return false;
    }
    if (event.location == node.location && event.reads() && find_place(node, id)) {
      node.revisited = id;
      cut(node);
      return true;
    }
    node.deleted.insert(static_cast<ProcessId>(id));
  }
  return false;
}

// Nothing hinders an event without successors from being undone and added again later: it was added last of
// all that remains (algorithms.md, "maximally added").
template <typename Model, unsigned Words>
bool Trust<Model, Words>::maximal(const Event& event, const Set& deleted) const {
  const auto gone = [&](EventId id) {
    return id == no_event || deleted.contains(static_cast<ProcessId>(id));
  };
  switch (event.kind) {
    case EventKind::read: return gone(graph_[event.source].co_next);
    case EventKind::write:
    case EventKind::update: return (event.readers - deleted).empty() && gone(event.co_next);
    case EventKind::choice: return event.canonical;
    case EventKind::deferral: break;
  }
  return true;
}

// Where the node's event may go, in the graph without the deleted ones, if the read is to read from it: a
// store anywhere from the newest place down to the bounds of both, an update behind its source only.
template <typename Model, unsigned Words>
bool Trust<Model, Words>::find_place(Node& node, EventId read) const {
  const auto stays = [&](EventId write) {
    return write != read && !node.deleted.contains(static_cast<ProcessId>(write));
  };
  // A lock that would read from another one is deferred, and stands nowhere in the model's order.
  node.revisit_bounds = {};
  if (graph_[read].op != Op::lock) node.revisit_bounds = graph_.bounds(read);
  if (node.behind == no_event) {
    node.place = graph_.newest(node.location);
    while (!is_initial(node.place) && !stays(node.place)) node.place = graph_[node.place].co_previous;
    return true;
  }
  node.place = node.behind;
  const EventId next = graph_[node.behind].co_next;
  if (next != no_event && stays(next) && graph_[next].kind == EventKind::update) return false;
  for (EventId later = next; later != no_event && stays(later); later = graph_[later].co_next) {
    const auto id = static_cast<ProcessId>(later);
    if (node.bounds.contains(id) || node.revisit_bounds.contains(id)) return false;
  }
  return true;
}

}  // namespace heddle::checker
