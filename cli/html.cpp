// --html; see pictures.hpp. The page is cli/page/trace.html, which the build embeds in the program. The trace
// is one JSON object in it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/json.hpp"
#include "cli/page.hpp"
#include "cli/pictures.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t largest_source = std::uint64_t{1} << 20;
constexpr std::size_t most_lines = 4000;  // of a source file, to keep the page small

Json lines_of(const std::string& text) {
  Json lines = Json::array();
  for (std::size_t begin = 0; begin < text.size() && lines.size() < most_lines;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(clean(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

Json sources(const Program& program, const Trace& trace) {
  std::vector<std::string> files{program.name()};
  for (const Step& step : trace.steps) {
    if (!step.file.empty() && std::find(files.begin(), files.end(), step.file) == files.end())
      files.push_back(step.file);
  }
  Json result = Json::array();
  for (const std::string& file : files) {
    const auto text = read_file(file, largest_source);
    if (const auto* const good = std::get_if<std::string>(&text))
      result.push_back({{"file", file}, {"lines", lines_of(*good)}});
  }
  return result;
}

Json graph_json(const Shown& shown, const ExecutionGraph& graph) {
  const Trace& trace = shown.trace;
  const std::map<std::size_t, std::size_t> reached = flushes(trace);
  Json events = Json::array();
  for (const GraphEvent& event : graph.events) {
    const bool initial = event.thread < 0;
    const auto flush = reached.find(event.step);
    events.push_back({{"thread", event.thread},
                      {"step", initial ? Json(nullptr) : Json(event.step)},
                      {"flushed", initial || flush == reached.end() ? Json(nullptr) : Json(flush->second)},
                      {"label", event_label(trace, event)},
                      {"writes", event.writes}});
  }
  Json edges = Json::array();
  for (const GraphEdge& edge : graph.edges)
    edges.push_back({std::string(name(edge.relation)), edge.from, edge.to});
  Json cycle = Json::array();
  for (const CycleEdge& edge : shown.cycle) {
    const auto from = event_of(graph, edge.from);
    const auto to = event_of(graph, edge.to);
    if (from && to) cycle.push_back({edge.relation, *from, *to});
  }
  return {{"events", std::move(events)}, {"edges", std::move(edges)}, {"cycle", std::move(cycle)}};
}

Json foot(const Program& program, const CheckResult& result, const Options& options) {
  Json rows = Json::array();
  const auto add = [&](std::string_view label, const std::string& text) { rows.push_back({label, text}); };
  add("model", result.model);
  add("algorithm", result.algorithm);
  for (const auto& [parameter, value] : program.parameters()) add(parameter, std::to_string(value));
  add("unroll", std::to_string(options.compile.unroll));
  if (options.check.buffer_bound) add("buffer bound", std::to_string(*options.check.buffer_bound));
  if (options.check.preemption_bound)
    add("preemption bound", std::to_string(*options.check.preemption_bound));
  add("executions", grouped(result.counts.executions));
  add("transitions", grouped(result.counts.transitions));
  if (result.counts.states > 0) add("states", grouped(result.counts.states));
  add("time", duration(result.seconds));
  add("heddle", std::string(version()));
  return rows;
}

// JSON inside a script element must not contain anything like the end of the element.
std::string embedded(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string html_page(const Program& program, const CheckResult& result, const Shown& shown,
                      const Options& options, const ExecutionGraph* graph) {
  Json json;
  json["file"] = program.name();
  json["model"] = result.model;
  json["message"] = shown.message;
  json["good"] = shown.witness != nullptr;
  json["place"] = shown.line == 0 ? Json(nullptr) : Json(fmt::format("line {}", shown.line));
  json["trace"] = to_json(shown.trace);
  json["sources"] = sources(program, shown.trace);
  json["graph"] = graph == nullptr ? Json(nullptr) : graph_json(shown, *graph);
  json["foot"] = foot(program, result, options);
  constexpr std::string_view mark = "@DATA@";
  std::string page(trace_page());
  page.replace(page.find(mark), mark.size(), embedded(json));
  return page;
}

}  // namespace heddle::cli
