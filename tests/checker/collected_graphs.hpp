// Collects the distinct execution graphs of all complete runs of the operational machine: the ground truth
// for the graph engine. Only for small programs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/state/rows.hpp"
#include "tests/checker/every_run.hpp"

namespace heddle::checker {

// The (po, rf, co) graph of a run. A store's place in program order is where it entered its buffer, its place
// in coherence order is where it reached memory.
[[nodiscard]] inline PlainGraph collect_graph(const Rows& rows, std::size_t threads) {
  using Place = PlainGraph::Place;
  PlainGraph graph;
  graph.threads.resize(threads);
  std::map<std::pair<ThreadId, Location>, std::deque<Place>> buffered;
  std::map<Location, Place> memory;
  const auto newest = [&](Location location) {
    const auto found = memory.find(location);
    return found == memory.end() ? Place{none, 0} : found->second;
  };
  const auto reach_memory = [&](Location location, Place write) {
    graph.coherence[location].push_back(write);
    memory[location] = write;
  };
  for (const auto& row : rows) {
    auto& thread = graph.threads[row.thread];
    const Place place{row.thread, static_cast<std::uint32_t>(thread.size())};
    PlainGraph::Event event{.op = row.op,
                            .location = row.location,
                            .reads = row.reads,
                            .writes = row.writes,
                            .value = row.written,
                            .source = {none, 0}};
    switch (row.type) {
      case RowType::choice:
        event = {.op = compiler::Op::choose, .value = row.read, .source = {none, 0}};
        break;
      case RowType::buffered: buffered[{row.thread, row.location}].push_back(place); break;
      case RowType::flush: {
        auto& queue = buffered[{row.thread, row.location}];
        reach_memory(row.location, queue.front());
        queue.pop_front();
        continue;
      }
      case RowType::operation: {
        const auto& own = buffered[{row.thread, row.location}];
        if (row.reads) event.source = own.empty() ? newest(row.location) : own.back();
        if (row.writes) reach_memory(row.location, place);
        if (!row.writes) event.value = 0;
        break;
      }
      default: continue;
    }
    thread.push_back(event);
  }
  return graph;
}

// The texts of the graphs of all complete runs within the search's preemption bound; nothing if there are
// more than `limit` runs.
[[nodiscard]] inline std::optional<std::set<std::string>> collect_graphs(const Search& search,
                                                                         std::uint64_t limit) {
  std::optional<std::set<std::string>> graphs(std::in_place);
  with_machine(search, [&]<typename Machine>(Machine& machine) {
    Rows rows;
    std::uint64_t runs = 0;
    const auto bound = search.options().preemption_bound;
    for_each_run(machine, [&] {
      if (!graphs || (bound && preemptions(machine.steps()) > *bound)) return false;
      if (!ended(machine)) return true;
      if (++runs > limit) graphs.reset();
      if (!graphs || machine.ending() != Ending::complete) return false;
      rows.clear();
      Machine witness(search.image(), search.machine_options());
      witness.restart_with_log(&rows);
      for (const auto& choice : machine.schedule()) {
        if (!witness.follow(choice)) throw std::logic_error("a schedule cannot be replayed");
      }
      graphs->insert(collect_graph(rows, machine.thread_count()).text());
      return false;
    });
  });
  return graphs;
}

}  // namespace heddle::checker
