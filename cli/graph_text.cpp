// Execution graphs as text; see report.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

std::string value(std::int64_t number, const std::string& symbol) {
  return symbol.empty() ? std::to_string(number) : symbol;
}

std::string label(const GraphEvent& event) {
  const std::string read = value(event.read, event.read_symbol);
  const std::string written = value(event.written, event.written_symbol);
  std::string what;
  if (event.reads && event.writes) {
    what = fmt::format("U {} {} -> {}", event.location, read, written);
  } else if (event.reads) {
    what = fmt::format("R {} = {}", event.location, read);
  } else {
    what = fmt::format("W {} = {}", event.location, written);
  }
  return one_line(what) + (event.in_memory ? "" : " (buffered)");
}

}  // namespace

std::string format_graph(const ExecutionGraph& graph, bool numbered_by_step) {
  // No edge leads to an initial value, so it needs no number if events have the numbers of steps.
  const auto number = [&](std::size_t event) {
    if (!numbered_by_step) return std::to_string(event + 1);
    return graph.events[event].thread < 0 ? std::string() : std::to_string(graph.events[event].step + 1);
  };
  std::vector<std::string> labels;
  std::size_t label_width = 1;
  std::size_t name_width = 5;
  for (const std::string& thread : graph.threads)
    name_width = std::max(name_width, display_width(one_line(thread)));
  for (const GraphEvent& event : graph.events) {
    labels.push_back(label(event));
    label_width = std::max(label_width, display_width(labels.back()));
  }
  std::vector<std::string> edges(graph.events.size());
  for (const GraphEdge& edge : graph.edges) {
    if (edge.relation != GraphRelation::program_order)
      edges[edge.from] += fmt::format("  {} {}", name(edge.relation), number(edge.to));
  }
  std::string text;
  for (std::size_t i = 0; i < graph.events.size(); ++i) {
    const GraphEvent& event = graph.events[i];
    const std::string thread =
        event.thread < 0 ? "start" : one_line(graph.threads[static_cast<std::size_t>(event.thread)]);
    std::string line = fmt::format("  {:>2}  {}  {}{}", number(i), pad_right(thread, name_width),
                                   pad_right(labels[i], label_width), edges[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

bool in_commit_order(const Trace& trace) {
  return std::any_of(trace.steps.begin(), trace.steps.end(),
                     [](const Step& step) { return step.commit.has_value(); });
}

std::string format_commit_graph(const Trace& trace) {
  if (!in_commit_order(trace)) return {};
  return "\nExecution graph, by the numbers of the steps:\n" + format_graph(graph_of(trace), true);
}

}  // namespace heddle::cli
