// What this folder asks of an execution graph, and which of its events are steps. The graph itself is
// commits/graph.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// A graph of at most `capacity` events, which sets of type `Set` hold by id. Each event has `upto`: itself
// and all events that the memory model orders before it, transitively. The runs of the graph are the orders
// of its events that respect `upto`.
template <typename G>
concept OrderedGraph = requires(const G& graph, EventId id, ThreadId t) {
  typename G::Set;
  { G::capacity } -> std::convertible_to<EventId>;
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

// The step of the thread before the event; none if there is none.
template <typename Graph>
[[nodiscard]] EventId step_before(const Graph& graph, EventId event) {
  EventId id = graph[event].po_previous;
  while (id != no_event && !is_step<Graph>(graph[id])) id = graph[id].po_previous;
  return id;
}

}  // namespace heddle::checker
