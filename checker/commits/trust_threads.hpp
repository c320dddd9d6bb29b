// How trust lets threads run between their events, and what it does at the end of an execution.
#pragma once

#include <algorithm>

#include "checker/commits/linearise.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/commits/trust.hpp"

namespace heddle::checker {

template <typename Model, unsigned Words>
Trust<Model, Words>::Trust(Search& search)
    : search_(search),
      graph_(static_cast<std::uint32_t>(search.image().threads.size()),
             static_cast<std::uint32_t>(search.image().locations.size())),
      bound_(graph_, search.options().preemption_bound,
             std::any_of(search.image().locations.begin(), search.image().locations.end(),
                         [](const auto& location) { return location.is_mutex; })),
      snapshots_(search.image()),
      needs_blocks_(!search.image().conditions.empty() || search.image().final_block != nullptr ||
                    search.options().collect_outcomes) {
  for (const auto& location : search.image().locations) memory_.push_back(location.initial);
  blocks_.resize(snapshots_.thread_count());
  for (ThreadId t = 0; t < snapshots_.thread_count(); ++t) {
    snapshots_.start(t, search.image().threads[t]);
    settle(t, nullptr);
  }
}

template <typename Model, unsigned Words>
template <unsigned Narrower>
Trust<Model, Words>::Trust(Trust<Model, Narrower>&& other)
    : search_(other.search_),
      graph_(other.graph_),
      bound_(graph_, other.bound_),
      snapshots_(std::move(other.snapshots_)),
      memory_(std::move(other.memory_)),
      blocks_(std::move(other.blocks_)),
      needs_blocks_(other.needs_blocks_),
      observer_(other.observer_) {
  for (const auto& node : other.nodes_) nodes_.push_back(node.template widened<Words>());
  settled_ = other.settled_.template widened<Words>();
}

// Puts the node's event into the graph.
template <typename Model, unsigned Words>
void Trust<Model, Words>::insert(Node& node, EventKind kind, EventId behind, std::int64_t value) {
  if (!node.forced) {
    node.event = graph_.fresh(node.revisited);
    graph_.append_to_order(node.event);
  }
  node.kind = kind;
  node.present = true;
  bound_.before_add();
  graph_.add(node.event, node.thread, node.op, kind, node.location, behind, value);
  bound_.add(node.event);
  if (kind == EventKind::choice) graph_.set_canonical(node.event, value == request(node.thread).value);
}

// Hands the node's thread its result and runs it to its next request. What it does behind a store does not
// depend on the store's place, so that is run once and kept.
template <typename Model, unsigned Words>
void Trust<Model, Words>::resume(Node& node, std::int64_t result) {
  const auto t = node.thread;
  auto& thread = graph_.thread(t);
  if (node.ran) {
    thread.snapshot = node.after;
    if (node.full_fence_after) thread.frontier.pass(Fence::full);
    if (node.store_fence_after) thread.frontier.pass(Fence::store_store);
    graph_.set_state(t, node.state_after);
    return;
  }
  auto& m = snapshots_.enter(t, thread.snapshot);
  m.value = result;
  snapshots_.resume(t);
  settle(t, &node);
}

// Lets the thread do what no other thread can notice, up to its next event, and takes a snapshot.
template <typename Model, unsigned Words>
void Trust<Model, Words>::settle(ThreadId t, Node* node) {
  auto& thread = graph_.thread(t);
  const auto& m = snapshots_.live(t);
  bool full_fence = false;
  bool store_fence = false;
  bool withheld = false;  // another place in coherence order may need fewer preemptions
  const auto note = [&] {
    if (!search_.options().report_beyond_bound && !bound_.within(graph_.causes(t))) {
      withheld = true;
      ++search_.counts.blocked_preemption_bound;
      return;
    }
    search_.note({.kind = Search::kind_of(m.op), .site = m.site}, [&] { return schedule(graph_.causes(t)); });
  };
  for (;; snapshots_.resume(t)) {
    if (m.op == Op::fence) {
      thread.frontier.pass(m.fence);
      full_fence |= m.fence == Fence::full;
      store_fence |= m.fence == Fence::lightweight || m.fence == Fence::store_store;
    } else if (m.op == Op::assert_failed && search_.options().keep_going) {
      note();
    } else {
      break;
    }
  }
  auto state = ThreadState::ready;
  if (m.op == Op::lock) {
    state = ThreadState::waiting;
  } else if (m.op == Op::done) {
    state = ThreadState::finished;
  } else if (is_failure(m.op) || (m.op == Op::unlock && !graph_.owns(t, m.location))) {
    state = ThreadState::stuck;
    note();
  } else if (m.op >= Op::await_failed) {
    state = ThreadState::stuck;
  }
  thread.snapshot = snapshots_.save(t);
  graph_.set_state(t, state);
  if (node != nullptr && (node->op == Op::store || node->op == Op::unlock) && !withheld) {
    node->ran = true;
    node->after = thread.snapshot;
    node->state_after = state;
    node->full_fence_after = full_fence;
    node->store_fence_after = store_fence;
  }
}

// No thread can go on: says what kind of end this is, as Machine::ending does for interleavings.
template <typename Model, unsigned Words>
void Trust<Model, Words>::finish() {
  auto& counts = search_.counts;
  ++counts.runs;
  if (graph_.order().size() > counts.max_depth) counts.max_depth = graph_.order().size();
  auto left = graph_.in_state(ThreadState::stuck) | graph_.in_state(ThreadState::waiting);
  if (left == 0) return complete();
  EndingOfThreads result;
  for (; left != 0; left &= left - 1) {
    const auto t = static_cast<ThreadId>(std::countr_zero(left));
    if (!result.add(t, request(t).op, request(t).site, [&] { return await_holds(t); })) break;
  }
  const RunEnd& end = result.end();
  switch (end.ending) {
    case Ending::complete:
    case Ending::violation: break;
    case Ending::blocked_loop_bound:
    case Ending::blocked_assume:
    case Ending::blocked_await: search_.blocked(end.thread, end.op, end.site); break;
    case Ending::deadlock:
      if (search_.options().report_beyond_bound || bound_.within()) {
        FoundViolation found{.kind = ViolationKind::deadlock};
        for (ThreadId t = 0; t < snapshots_.thread_count(); ++t) add_wait(found.waits, t, request(t));
        search_.note(std::move(found), [&] { return schedule(); });
      } else {
        ++counts.blocked_preemption_bound;
      }
      break;
  }
}

// Evaluates the thread's await once more, on memory as it is at the end.
template <typename Model, unsigned Words>
bool Trust<Model, Words>::await_holds(ThreadId t) {
  auto& m = snapshots_.enter(t, graph_.thread(t).snapshot);
  const auto site = m.site;
  const Uncounted trial(search_.image());
  snapshots_.resume(t);
  while (m.op == Op::load && m.in_await != 0) {
    const EventId location = graph_.known(m.location);
    m.value = location == no_event ? search_.image().locations[m.location].initial
                                   : graph_[graph_.newest(location)].value;
    snapshots_.resume(t);
  }
  return m.op != Op::await_failed || m.site != site;
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::complete() {
  if (needs_blocks_) {
    for (std::size_t i = 0; i < graph_.touched().size(); ++i) {
      memory_[graph_.touched()[i]] = graph_[graph_.newest(graph_.initial_of(i))].value;
    }
    for (ThreadId t = 0; t < blocks_.size(); ++t) blocks_[t] = snapshots_.block(graph_.thread(t).snapshot);
  }
  if (bound_.within()) {
    search_.complete(memory_, blocks_.data(), [this] { return schedule(); });
    if (observer_) observer_(plain_graph(graph_));
  } else {
    ++search_.counts.beyond_bound;
    if (search_.options().report_beyond_bound)
      search_.judge(memory_, blocks_.data(), [this] { return schedule(); });
  }
}

template <typename Model, unsigned Words>
Schedule Trust<Model, Words>::schedule(const Set& events) const {
  return linearise(search_, graph_, events);
}
template <typename Model, unsigned Words>
Schedule Trust<Model, Words>::schedule() const {
  return schedule(graph_.live());
}

}  // namespace heddle::checker
