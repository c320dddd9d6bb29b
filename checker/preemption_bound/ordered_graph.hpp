// What this folder asks of an execution graph, and which of its events are steps. The graph itself is
// commits/graph.hpp; the runs of commit machines, which are searched, too, are commits/preemption_bounded.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// A graph whose events have ids from 0 up, which sets of type `Set` hold. Each event has `upto`: itself
// and all events that the memory model orders before it, transitively. The runs of the graph are the orders
// of its events that respect `upto`.
template <typename G>
concept OrderedGraph = requires(const G& graph, EventId id, ThreadId t) {
  typename G::Set;
  { G::buffers_stores } -> std::convertible_to<bool>;  // plain stores reach memory on their own
  { graph.thread_count() } -> std::same_as<std::uint32_t>;
  { graph.live() } -> std::same_as<const typename G::Set&>;        // all events
  { graph.order() } -> std::same_as<const std::vector<EventId>&>;  // in order of insertion
  { graph.overtaken() } -> std::same_as<const typename G::Set&>;   // what the newest event comes before
  { graph.thread(t).last } -> std::convertible_to<EventId>;        // the thread's newest event
  { graph.causes(t) } -> std::same_as<typename G::Set>;            // what the thread has seen
  graph.in_state(ThreadState::ready).for_each([](ThreadId) {});    // threads
  { graph[id].upto } -> std::convertible_to<typename G::Set>;
  { graph[id].readers } -> std::convertible_to<typename G::Set>;  // of a write
  { graph[id].source } -> std::convertible_to<EventId>;           // of a read: the write that it reads from
  { graph[id].location } -> std::convertible_to<EventId>;         // the location's initial write
  { graph[id].po_previous } -> std::convertible_to<EventId>;
  { graph[id].co_previous } -> std::convertible_to<EventId>;  // of a write
  { graph[id].co_next } -> std::convertible_to<EventId>;
  { graph[id].value } -> std::convertible_to<std::int64_t>;  // written; 0 by an unlock
  { graph[id].thread } -> std::convertible_to<ThreadId>;
  { graph[id].kind } -> std::convertible_to<EventKind>;
  { graph[id].op } -> std::convertible_to<Op>;
};

// Whether the event is a step of its thread, so that a run may switch before and after it. Choices are none:
// no other thread notices them, and each is taken as soon as its thread gets there. Nor are plain stores that
// reach memory on their own.
template <typename Graph>
[[nodiscard]] bool is_step(const typename Graph::Event& event) {
  return event.kind != EventKind::choice && event.kind != EventKind::deferral &&
         (!Graph::buffers_stores || event.op != Op::store);
}

// The next write of the location, which comes after the event; none if the event is the last one, or has no location.
template <typename Graph>
[[nodiscard]] EventId overtaken_by(const Graph& graph, EventId id) {
  const auto& event = graph[id];
  if (event.kind == EventKind::choice || event.kind == EventKind::deferral) return no_event;
  return event.kind == EventKind::read ? graph[event.source].co_next : event.co_next;
}

// The step of the thread before the event; none if there is none.
template <typename Graph>
[[nodiscard]] EventId step_before(const Graph& graph, EventId event) {
  EventId id = graph[event].po_previous;
  while (id != no_event && !is_step<Graph>(graph[id])) id = graph[id].po_previous;
  return id;
}

// What RunSearch asks of a graph: a cheap view of it. A step is named by an id. `steps_in_order`: each of them needs all earlier ones
// of its thread. `needs`: what must have run before the step, transitively, and itself. `location_of`: the mutex of a step. `is_free`:
// whether the mutex of a lock is free after the steps that have run. Where steps are in any order, `for_each_step` visits those of
// each thread in program order, and `for_each_id` the ids that a step has in Sets, which may be several.
template <typename G>
concept SearchedGraph = requires(const G& graph, EventId id, bool (*has_run)(EventId)) {
  { G::steps_in_order } -> std::convertible_to<bool>;
  { graph.thread_count() } -> std::same_as<std::uint32_t>;
  { graph.thread_of(id) } -> std::convertible_to<ThreadId>;
  { graph.op_of(id) } -> std::convertible_to<Op>;
  { graph.needs(id) } -> std::convertible_to<typename G::Set>;
  { graph.location_of(id) } -> std::convertible_to<std::int64_t>;
  { graph.is_free(id, has_run) } -> std::same_as<bool>;
  requires G::steps_in_order || requires {
    graph.for_each_step([](EventId) {});
    graph.for_each_id(id, [](ProcessId) {});
  };
};

// The view of an ordered graph.
template <OrderedGraph Graph>
class StepsOfGraph {
 public:
  using Set = typename Graph::Set;
  static constexpr bool steps_in_order = true;

  explicit StepsOfGraph(const Graph& graph) : graph_(&graph) {}

  [[nodiscard]] std::uint32_t thread_count() const { return graph_->thread_count(); }
  [[nodiscard]] ThreadId thread_of(EventId id) const { return (*graph_)[id].thread; }
  [[nodiscard]] Op op_of(EventId id) const { return (*graph_)[id].op; }
  [[nodiscard]] const Set& needs(EventId id) const { return (*graph_)[id].upto; }
  [[nodiscard]] EventId location_of(EventId id) const { return (*graph_)[id].location; }
  template <typename HasRun>
  [[nodiscard]] bool is_free(EventId lock, HasRun&& has_run) const {
    EventId newest = (*graph_)[lock].location;
    for (EventId write = (*graph_)[newest].co_next; write != no_event && has_run(write);
         write = (*graph_)[write].co_next) {
      newest = write;
    }
    return (*graph_)[newest].value == 0;
  }

 private:
  const Graph* graph_;
};

}  // namespace heddle::checker
