// The execution graph of a trace: its events and the relations between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

struct GraphEvent {
  // Index into ExecutionGraph::threads; -1: the initial value of a location, an event if something reads it.
  std::int32_t thread = -1;
  std::size_t step = 0;  // index into Trace::steps; meaningless for initial values
  std::string location = {};
  bool reads = false;
  bool writes = false;  // both: an atomic read-modify-write
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::string read_symbol = {};  // as in Step
  std::string written_symbol = {};
  bool in_memory = true;  // false: the store is still in its buffer
  std::uint32_t line = 0;
  std::string source = {};
};

enum class GraphRelation : std::uint8_t {
  program_order,  // po: to the thread's next event
  reads_from,     // rf: from a write to each read that sees it
  coherence,      // co: to the location's next write
  from_read,      // fr: from a read to the write that next overwrites what it saw
  // In traces in commit order (POWER) only. Dependencies: from a read to each later event of the thread that
  // depends on it through its address, its data, or an earlier branch (isync: with an isync after the
  // branch).
  address,
  data,
  control,
  control_isync,
  // Fences: from the thread's last event before the fence to the first one after it; program order implies
  // all other pairs. Store fences: from the last write to the first one.
  sync,
  lightweight_sync,
  store_fence,
};

struct GraphEdge {
  GraphRelation relation = GraphRelation::program_order;
  std::size_t from = 0;  // indexes into ExecutionGraph::events
  std::size_t to = 0;
};

struct ExecutionGraph {
  std::vector<std::string> threads;
  std::vector<GraphEvent> events;
  std::vector<GraphEdge> edges;  // po and co without what follows by transitivity
};

// Under models with one memory a write takes its place in coherence order when it reaches memory, and events
// are in the order of the trace. In traces in commit order the steps' commits give all relations, and events
// are thread by thread in program order. Locks count as read-modify-writes; fences, choices and the `final`
// block are no events. O(n log n) for n steps and dependencies. Thread-safe.
[[nodiscard]] ExecutionGraph graph_of(const Trace& trace);

// "po", "rf", "co", "fr", "addr", "data", "ctrl", "ctrl+isync", "sync", "lwsync", "eieio".
[[nodiscard]] std::string_view name(GraphRelation relation);

}  // namespace heddle
