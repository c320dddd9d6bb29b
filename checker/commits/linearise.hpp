// From an execution graph to a schedule of the operational machine.
//
// Any order of a graph's events that respects the model's closed relation (`upto`) is a run of the machine: a
// load happens at its place in the order, a plain store reaches memory at its place (it entered its buffer as
// soon as its thread got there), a locked operation does both at once. The machine runs along, because only
// it knows the numbers of its store buffers, and as a check: it must be able to take every step, with the
// values of the graph. If it is not, the two forms of the model disagree, which is an internal error.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/commits/graph.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/machine.hpp"
#include "checker/state/rows.hpp"

namespace heddle::checker {

// linear_order for a model that keeps program order, where of each thread only its first event left can come next.
// O(n * threads) operations with sets.
template <typename Graph>
[[nodiscard]] std::vector<EventId> linear_order_of_threads(const Graph& graph, typename Graph::Set left) {
  std::vector<std::vector<EventId>> of_thread(graph.thread_count());  // the next one last
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    for (EventId id = graph.thread(t).last; id != no_event; id = graph[id].po_previous) {
      if (left.contains(static_cast<ProcessId>(id))) of_thread[t].push_back(id);
    }
  }
  const auto may_come = [&](const std::vector<EventId>& events) {
    if (events.empty()) return false;
    auto before = graph[events.back()].upto;
    before.erase(static_cast<ProcessId>(events.back()));
    return !before.intersects(left);
  };
  std::vector<EventId> order;
  ThreadId running = 0;
  while (!left.empty()) {
    if (!may_come(of_thread[running])) {
      EventId next = no_event;
      for (const auto& events : of_thread) {
        if ((next == no_event || (!events.empty() && events.back() < next)) && may_come(events))
          next = events.back();
      }
      if (next == no_event)
        throw std::logic_error("internal error: the order of an execution graph has a cycle");
      running = graph[next].thread;
    }
    const EventId next = of_thread[running].back();
    of_thread[running].pop_back();
    left.erase(static_cast<ProcessId>(next));
    if (graph[next].in_program()) order.push_back(next);
  }
  return order;
}

// The set's events in an order that respects the model, staying in one thread while that is possible.
// O(n^2) operations with sets for n events.
template <typename Graph>
[[nodiscard]] std::vector<EventId> linear_order(const Graph& graph, typename Graph::Set left) {
  if constexpr (Graph::grows && !Graph::buffers_stores)
    return linear_order_of_threads(graph, std::move(left));
  std::vector<EventId> order;
  ThreadId running = none;
  while (!left.empty()) {
    EventId next = no_event;
    left.for_each([&](ProcessId p) {
      const auto id = static_cast<EventId>(p);
      auto before = graph[id].upto;
      before.erase(p);
      if (before.intersects(left)) return;
      if (next == no_event || (graph[next].thread != running && graph[id].thread == running)) next = id;
    });
    if (next == no_event)
      throw std::logic_error("internal error: the order of an execution graph has a cycle");
    left.erase(static_cast<ProcessId>(next));
    running = graph[next].thread;
    if (graph[next].in_program()) order.push_back(next);
  }
  return order;
}

// `last`: an event of the set that comes after all others but those that follow it; or no_event.
template <typename Graph>
[[nodiscard]] Schedule linearise(const Search& search, const Graph& graph, const typename Graph::Set& events,
                                 EventId last = no_event) {
  typename Graph::Set late;
  if (last != no_event) {
    events.for_each([&](ProcessId p) {
      if (graph[static_cast<EventId>(p)].upto.contains(static_cast<ProcessId>(last))) late.insert(p);
    });
  }
  auto order = linear_order(graph, events - late);
  for (const auto event : linear_order(graph, late)) order.push_back(event);
  Schedule schedule;
  const auto check = [](bool holds) {
    if (!holds) throw std::logic_error("internal error: the machine cannot replay an execution graph");
  };
  with_machine(search, [&]<typename Machine>(Machine& machine) {
    for (const EventId id : order) {
      const auto& event = graph[id];
      Choice choice{.type = StepType::operation, .thread = event.thread, .location = none, .value = 0};
      if (event.kind == EventKind::choice) {
        choice.type = StepType::choice;
        choice.value = event.value;
      } else {
        choice.location = graph.location_of(event.location);
        if constexpr (Machine::has_buffers) {
          if (event.op == Op::store && machine.model().buffers_stores()) choice.type = StepType::flush;
        }
      }
      check(machine.follow(choice));
      schedule.push_back(choice);
      if (event.kind == EventKind::choice) continue;
      const Step& step = machine.step(machine.depth() - 1);
      if (event.reads() && event.op != Op::try_lock) check(step.read == graph[event.source].value);
      check(step.access.writes == event.writes());
      if (event.writes()) check(step.written == event.value);
    }
  });
  return schedule;
}

}  // namespace heddle::checker
