// The data races of a commit machine's run: gives its events to DataRaces (data_races.hpp).
//
// A run counts as what it has committed. Runs that end in a violation, a deadlock or at a failed assumption
// count, up to there. What POWER's machine leaves out because an assumption fails takes part in no race, and a
// run that lacks the store of a read-modify-write is none.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "checker/commits/axioms.hpp"
#include "checker/commits/commit_machine.hpp"
#include "checker/commits/load_sets.hpp"
#include "checker/search/data_races.hpp"
#include "checker/state/rows.hpp"

namespace heddle::checker {

// Finds the races of a graph. Returns the graph's ids of the events of `races`.
template <typename Machine>
[[nodiscard]] std::vector<EventId> find_graph_races(const Machine& machine, DataRaces& races) {
  using Graph = typename Machine::ExecutionGraph;
  using Model = typename Graph::ModelType;
  using Kind = BufferedOrder::Kind;
  const Graph& graph = machine.graph();
  BufferedOrder order(races, {.store_to_store = Model::keeps(AccessKind::store, AccessKind::store),
                              .store_to_load = Model::keeps(AccessKind::store, AccessKind::load),
                              .buffer_bound = graph.buffer_bound()});
  std::vector<std::vector<EventId>> left(graph.thread_count());  // by thread, the next one last
  std::vector<typename Frontier<Model, typename Graph::Set>::Fences> fences(graph.thread_count());
  std::vector<DataRaces::Index> index_of(graph.allocated(), none);
  std::vector<EventId> ids;
  std::size_t count = 0;
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    for (EventId id = graph.thread(t).last; id != no_event; id = graph[id].po_previous) {
      if (graph[id].in_program()) left[t].push_back(id);
    }
    count += left[t].size();
  }
  order.begin(graph.thread_count(), count);
  const auto add = [&](EventId id) {
    const auto& event = graph[id];
    const AccessKind access = Graph::access_of(event.op);
    const auto passed = event.frontier.fences();
    const auto before = std::exchange(fences[event.thread], passed);
    if (passed.full != before.full || passed.stores != before.stores)
      order.pass(event.thread, passed.full != before.full);
    const bool external =
        event.reads() && !is_initial(event.source) && graph[event.source].thread != event.thread;
    index_of[static_cast<std::size_t>(id)] =
        order.add({.thread = event.thread,
                   .location = event.kind == EventKind::choice ? none : graph.location_of(event.location),
                   .site = machine.site_of(id),
                   .reads = event.reads(),
                   .writes = event.writes(),
                   .source = external ? index_of[static_cast<std::size_t>(event.source)] : none},
                  access == AccessKind::load    ? Kind::load
                  : access == AccessKind::store ? Kind::store
                                                : Kind::locked);
    ids.push_back(id);
  };
  // Threads continue as far as the sources of their reads have been added.
  for (bool progress = true; progress;) {
    progress = false;
    for (auto& events : left) {
      const auto ready = [&](EventId id) {
        return !graph[id].reads() || is_initial(graph[id].source) ||
               index_of[static_cast<std::size_t>(graph[id].source)] != none;
      };
      for (; !events.empty() && ready(events.back()); events.pop_back()) {
        add(events.back());
        progress = true;
      }
    }
  }
  return ids;
}

// The same for POWER, where the index of an event is its id.
template <typename Machine>
void find_power_races(Machine& machine, DataRaces& races) {
  const auto& model = machine.model();
  const auto out = machine.left_out();
  races.begin(model.size());
  for (std::uint32_t step = 0; step < machine.depth(); ++step) {
    const EventName name = machine.step(step);
    typename Machine::Prepared prepared;
    machine.prepare(name, prepared);
    for (auto id = machine.first_event(step); id < machine.first_event(step + 1); ++id) {
      const auto& event = model[static_cast<EventId>(id)];
      const auto& order = event.writes ? prepared.write : prepared.read;
      const bool reads = !event.writes && event.location != none;
      const bool external = reads && event.source >= 0 && model[event.source].thread != event.thread;
      races.add(
          {.thread = event.thread,
           .location = event.location,
           .site = machine.request(name).site,
           .reads = reads,
           .writes = event.writes,
           .source = external ? static_cast<DataRaces::Index>(event.source) : none,
           .counts = !out.contains(id)},
          [&](DataRaces::Row row) {
            if (event.location == none) return;
            (order.sync | order.lightweight).for_each([&](ProcessId before) { races.join(row, before); });
            (event.writes ? event.ic : event.ii).for_each([&](ProcessId before) {
              const auto& earlier = model[static_cast<EventId>(before)];
              if (!earlier.writes && earlier.location != none) races.join(row, before);
            });
          });
    }
  }
}

// The part of POWER's run that a race needs, with the two accesses: what is commit-before them, and what says
// that they belong to the execution. That is the loads of the assumptions before them, and the store of each
// read-modify-write, or the reason why there is none.
template <typename Machine>
[[nodiscard]] Schedule run_to_power_race(const Machine& machine, const DataRaces::Found& found) {
  const auto& model = machine.model();
  using Set = std::remove_cvref_t<decltype(model[0].commit_before)>;
  Set needed = model[static_cast<EventId>(found.first)].commit_before;
  needed |= model[static_cast<EventId>(found.second)].commit_before;
  const auto need = [&](EventId id) { needed |= model[id].commit_before; };
  const auto need_loads = [&](ThreadId t, LoadSet loads) {
    machine.load_sets().for_each(loads, [&](std::uint32_t load) { need(machine.load(t, load).read); });
  };
  const auto has = [&](EventId id) { return id != no_event && needed.contains(static_cast<ProcessId>(id)); };
  for (auto before = Set(); before != needed;) {
    before = needed;
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      const auto& requests = machine.requests(t);
      bool reached = false;
      for (auto i = requests.size(); i-- > 0;) {
        const auto& request = requests[i];
        if (request.op == Op::assumption && reached) need_loads(t, request.data);
        if (!has(request.read) && !has(request.write)) continue;
        reached = true;
        if (request.write != no_event) need(request.write);
        if (!request.read_half()) continue;
        const auto& store = requests[i + 1];
        if (store.write != no_event) need(store.write);
        if (store.absent) need_loads(t, store.compared);
      }
    }
  }
  Set without;
  for (ProcessId id = 0; id < model.size(); ++id) without.insert_if(id, !needed.contains(id));
  return machine.run(without);
}

}  // namespace heddle::checker
