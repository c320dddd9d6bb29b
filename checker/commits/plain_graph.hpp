// An execution graph written out, without ids: what tests compare and what two engines must agree on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

struct PlainGraph {
  // Thread and position among the thread's events; thread `none` is an initial write.
  using Place = std::pair<ThreadId, std::uint32_t>;

  struct Event {
    Op op = Op::load;
    Location location = none;
    bool reads = false;
    bool writes = false;
    std::int64_t value = 0;  // written, or chosen
    Place source{none, 0};   // of reads
  };

  std::vector<std::vector<Event>> threads;           // in program order
  std::map<Location, std::vector<Place>> coherence;  // of the writes of each location that has any

  // The same text for equal graphs, and only for them.
  [[nodiscard]] std::string text() const {
    std::string result;
    const auto place = [](const Place& p) {
      return p.first == none ? std::string("i") : std::to_string(p.first) + "." + std::to_string(p.second);
    };
    for (const auto& thread : threads) {
      for (const auto& event : thread) {
        result += std::to_string(static_cast<int>(event.op));
        if (event.location != none) result += "@" + std::to_string(event.location);
        if (event.writes || event.op == Op::choose) result += "=" + std::to_string(event.value);
        if (event.reads) result += "<" + place(event.source);
        result += ' ';
      }
      result += "| ";
    }
    for (const auto& [location, writes] : coherence) {
      result += std::to_string(location) + ":";
      for (const auto& write : writes) result += " " + place(write);
      result += "; ";
    }
    return result;
  }
};

// Writes out a graph of the graph engine.
template <typename Graph>
[[nodiscard]] PlainGraph plain_graph(const Graph& graph) {
  using Event = std::remove_cvref_t<decltype(graph[0])>;
  PlainGraph result;
  result.threads.resize(graph.thread_count());
  std::map<std::int32_t, PlainGraph::Place> places;
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    std::vector<std::int32_t> events;
    for (auto id = graph.thread(t).last; id >= 0 && static_cast<unsigned>(id) < graph.capacity;
         id = graph[id].po_previous) {
      if (graph[id].in_program()) events.insert(events.begin(), id);
    }
    for (std::uint32_t i = 0; i < events.size(); ++i) places[events[i]] = {t, i};
    for (const auto id : events) {
      const Event& event = graph[id];
      PlainGraph::Event plain{.op = event.op, .reads = event.reads(), .writes = event.writes()};
      plain.value = event.value;
      if (event.op != Op::choose) plain.location = graph.location_of(event.location);
      result.threads[t].push_back(plain);
    }
  }
  for (const auto& [id, place] : places) {
    const auto source = graph[id].source;
    if (graph[id].reads() && source >= 0)
      result.threads[place.first][place.second].source = places.at(source);
  }
  for (std::size_t i = 0; i < graph.touched().size(); ++i) {
    std::vector<PlainGraph::Place> writes;
    for (auto id = graph.newest(graph.initial_of(i)); id >= 0; id = graph[id].co_previous) {
      writes.insert(writes.begin(), places.at(id));
    }
    if (!writes.empty()) result.coherence[graph.touched()[i]] = writes;
  }
  return result;
}

}  // namespace heddle::checker
