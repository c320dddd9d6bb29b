// Pictures of a trace: the execution graph for Graphviz, and a page for a browser.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "cli/files.hpp"
#include "cli/options.hpp"
#include "heddle/graph.h"
#include "heddle/heddle.h"

namespace heddle::cli {

// What a picture is made of.
struct Shown {
  std::string message;
  std::uint32_t line = 0;  // of what the message is about; 0: no single place
  const Trace& trace;
  const Witness* witness = nullptr;  // null: it is a violation
};

// The execution graph of the trace; nothing if the values that its steps read do not follow from
// it, which can only be in a trace from elsewhere.
[[nodiscard]] std::optional<ExecutionGraph> picture_graph(const Trace& trace);

// What an event did: "x = 1", "read y = 0".
[[nodiscard]] std::string event_label(const Trace& trace, const GraphEvent& event);

// By step: where the store that entered a buffer there reached memory, if it did.
[[nodiscard]] std::map<std::size_t, std::size_t> flushes(const Trace& trace);

// The execution graph in Graphviz's language: a column for each thread, a colour for each relation.
[[nodiscard]] std::string dot_picture(const Shown& shown, const std::string& model,
                                      const ExecutionGraph& graph, const std::string& file);

// One page without network access: the trace as lanes with a slider, store buffers, memory, the source and
// the execution graph (left out if there is none). The source is read from the files that the steps name; one
// that cannot be read is left out.
[[nodiscard]] std::string html_page(const Program& program, const CheckResult& result, const Shown& shown,
                                    const Options& options, const ExecutionGraph* graph);

}  // namespace heddle::cli
