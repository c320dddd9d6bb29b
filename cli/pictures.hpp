// Pictures of a trace: the execution graph for Graphviz, and a page for a browser.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/files.hpp"
#include "cli/options.hpp"
#include "cli/trace_lines.hpp"
#include "heddle/graph.h"
#include "heddle/heddle.h"

namespace heddle::cli {

// The contents of a picture.
struct Shown {
  std::string message;
  std::uint32_t line = 0;  // place of the message; 0: no single place
  const Trace& trace;
  const Witness* witness = nullptr;   // null: it is a violation
  std::vector<CycleEdge> cycle = {};  // drawn over the execution graph
};

// The execution graph of the trace; empty if the trace reads values that it does not write, which is possible
// only for traces not written by heddle.
[[nodiscard]] std::optional<ExecutionGraph> picture_graph(const Trace& trace);

// An event as text: "x = 1", "read y = 0".
[[nodiscard]] std::string event_label(const Trace& trace, const GraphEvent& event);

// The event of a step; nothing if it has none.
[[nodiscard]] std::optional<std::size_t> event_of(const ExecutionGraph& graph, std::size_t step);

// For each step at which a store entered a buffer: the step at which it reached memory, if it did.
[[nodiscard]] std::map<std::size_t, std::size_t> flushes(const Trace& trace);

// The execution graph in Graphviz's language: a column for each thread, a colour for each relation.
[[nodiscard]] std::string dot_picture(const Shown& shown, const std::string& model,
                                      const ExecutionGraph& graph, const std::string& file);

// The trace as a sequence diagram in Mermaid's language: an arrow where a thread reads what another has written.
[[nodiscard]] std::string mermaid_diagram(const Shown& shown, const std::string& model, const TraceView& view,
                                          const std::string& file);

// One page without network access: the trace as lanes with a slider, store buffers, memory, the source and
// the execution graph (left out if there is none). The source is read from the files that the steps name; one
// that cannot be read is left out.
[[nodiscard]] std::string html_page(const Program& program, const CheckResult& result, const Shown& shown,
                                    const Options& options, const ExecutionGraph* graph);

}  // namespace heddle::cli
