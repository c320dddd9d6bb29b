// --dot; see pictures.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "cli/pictures.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// A string of the DOT language.
std::string quoted_label(std::string_view text) {
  std::string result = "\"";
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string_view look(GraphRelation relation) {
  switch (relation) {
    case GraphRelation::program_order: return "color=\"#555555\"";
    case GraphRelation::reads_from:
      return "color=\"#1a7f37\", fontcolor=\"#1a7f37\", label=\"rf\", constraint=false";
    case GraphRelation::coherence:
      return "color=\"#9a6700\", fontcolor=\"#9a6700\", label=\"co\", constraint=false";
    case GraphRelation::address:
      return "color=\"#0550ae\", fontcolor=\"#0550ae\", label=\"addr\", constraint=false";
    case GraphRelation::data:
      return "color=\"#0550ae\", fontcolor=\"#0550ae\", label=\"data\", constraint=false";
    case GraphRelation::control:
      return "color=\"#0550ae\", fontcolor=\"#0550ae\", label=\"ctrl\", style=dotted, constraint=false";
    case GraphRelation::control_isync:
      return "color=\"#0550ae\", fontcolor=\"#0550ae\", label=\"ctrl+isync\", constraint=false";
    case GraphRelation::sync:
      return "color=\"#8250df\", fontcolor=\"#8250df\", label=\"sync\", constraint=false";
    case GraphRelation::lightweight_sync:
      return "color=\"#8250df\", fontcolor=\"#8250df\", label=\"lwsync\", constraint=false";
    case GraphRelation::store_fence:
      return "color=\"#8250df\", fontcolor=\"#8250df\", label=\"eieio\", constraint=false";
    case GraphRelation::from_read: break;
  }
  return "color=\"#cf222e\", fontcolor=\"#cf222e\", label=\"fr\", style=dashed, constraint=false";
}

}  // namespace

std::optional<ExecutionGraph> picture_graph(const Trace& trace) {
  ExecutionGraph graph = graph_of(trace);
  for (const GraphEdge& edge : graph.edges) {
    if (edge.relation != GraphRelation::reads_from) continue;
    const GraphEvent& read = graph.events[edge.to];
    // The value of a mutex is the number of its owner, which a trace does not show.
    const bool variable = std::any_of(trace.initial.begin(), trace.initial.end(),
                                      [&](const NamedValue& value) { return value.name == read.location; });
    if (variable && graph.events[edge.from].written != read.read) return std::nullopt;
  }
  return graph;
}

std::string event_label(const Trace& trace, const GraphEvent& event) {
  if (event.thread >= 0) {
    const Step& step = trace.steps[event.step];
    // The graph shows the information in brackets after a commit.
    return step.commit ? step.action.substr(0, step.action.find(" (po ")) : step.action;
  }
  for (const NamedValue& value : trace.initial) {
    if (value.name == event.location) return fmt::format("{} = {}", value.name, value.text());
  }
  return event.location + " is free";
}

std::optional<std::size_t> event_of(const ExecutionGraph& graph, std::size_t step) {
  for (std::size_t i = 0; i < graph.events.size(); ++i) {
    if (graph.events[i].thread >= 0 && graph.events[i].step == step) return i;
  }
  return std::nullopt;
}

std::map<std::size_t, std::size_t> flushes(const Trace& trace) {
  std::map<std::pair<std::int32_t, std::string>, std::deque<std::size_t>> buffers;
  std::map<std::size_t, std::size_t> result;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    auto& buffer = buffers[{step.thread, step.location}];
    if (step.kind == StepKind::buffered) buffer.push_back(i);
    if (step.kind != StepKind::flush || buffer.empty()) continue;
    result[buffer.front()] = i;
    buffer.pop_front();
  }
  return result;
}

std::string dot_picture(const Shown& shown, const std::string& model, const ExecutionGraph& graph,
                        const std::string& file) {
  std::string text = "digraph execution {\n";
  text += fmt::format("  label={};\n  labelloc=t;\n",
                      quoted_label(fmt::format("{} under {}: {}", file, model, shown.message)));
  text += "  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n";
  text += "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  const std::map<std::size_t, std::size_t> reached = flushes(shown.trace);
  for (std::int32_t thread = -1; thread < static_cast<std::int32_t>(graph.threads.size()); ++thread) {
    std::string nodes;
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      const GraphEvent& event = graph.events[i];
      if (event.thread != thread) continue;
      std::string label = event_label(shown.trace, event);
      if (thread >= 0) label = fmt::format("{}: {}", event.step + 1, label);
      const auto flush = reached.find(event.step);
      if (thread >= 0 && flush != reached.end())
        label += fmt::format(" (in memory at {})", flush->second + 1);
      nodes += fmt::format("    e{} [label={}];\n", i, quoted_label(label));
    }
    if (nodes.empty()) continue;
    const std::string title =
        thread < 0 ? std::string("initial") : graph.threads[static_cast<std::size_t>(thread)];
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n    color=\"#bbbbbb\";\n{}  }}\n",
                        thread + 1, quoted_label(title), nodes);
  }
  for (const GraphEdge& edge : graph.edges)
    text += fmt::format("  e{} -> e{} [{}];\n", edge.from, edge.to, look(edge.relation));
  for (const CycleEdge& edge : shown.cycle) {
    const auto from = event_of(graph, edge.from);
    const auto to = event_of(graph, edge.to);
    if (!from || !to) continue;
    text += fmt::format(
        "  e{} -> e{} [color=\"#cf222e\", fontcolor=\"#cf222e\", penwidth=3, label=\"{}\", "
        "constraint=false];\n",
        *from, *to, edge.relation);
  }
  return text + "}\n";
}

}  // namespace heddle::cli
