// --dot; see pictures.hpp.
#include <fmt/format.h>

#include "cli/pictures.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// A string of the DOT language.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string_view look(Relation relation) {
  switch (relation) {
    case Relation::program_order: return "color=\"#555555\"";
    case Relation::reads_from:
      return "color=\"#1a7f37\", fontcolor=\"#1a7f37\", label=\"rf\", constraint=false";
    case Relation::coherence:
      return "color=\"#9a6700\", fontcolor=\"#9a6700\", label=\"co\", constraint=false";
    case Relation::from_read: break;
  }
  return "color=\"#cf222e\", fontcolor=\"#cf222e\", label=\"fr\", style=dashed, constraint=false";
}

}  // namespace

std::string dot_picture(const CheckResult& result, const ExecutionGraph& graph, const std::string& file) {
  const Violation& violation = *result.violation;
  std::string text = "digraph execution {\n";
  text += fmt::format("  label={};\n  labelloc=t;\n",
                      quoted(fmt::format("{} under {}: {}", file, result.model, violation.message)));
  text += "  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n";
  text += "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  for (std::int32_t thread = -1; thread < static_cast<std::int32_t>(violation.trace.threads.size());
       ++thread) {
    std::string nodes;
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      const GraphEvent& event = graph.events[i];
      if (event.thread != thread) continue;
      std::string label = one_line(event.label);
      if (event.step != GraphEvent::no_step) label = fmt::format("{}: {}", event.step + 1, label);
      if (event.flushed != GraphEvent::no_step) label += fmt::format(" (in memory at {})", event.flushed + 1);
      nodes += fmt::format("    e{} [label={}];\n", i, quoted(label));
    }
    if (nodes.empty()) continue;
    const std::string title =
        thread < 0 ? std::string("initial") : violation.trace.threads[static_cast<std::size_t>(thread)];
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n    color=\"#bbbbbb\";\n{}  }}\n",
                        thread + 1, quoted(title), nodes);
  }
  for (const GraphEdge& edge : graph.edges)
    text += fmt::format("  e{} -> e{} [{}];\n", edge.from, edge.to, look(edge.relation));
  return text + "}\n";
}

}  // namespace heddle::cli
