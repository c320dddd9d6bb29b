// heddle why FILE 'CONDITION': why a final state is forbidden, or how it comes about.
#include "cli/why.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <variant>

#include "cli/artefacts.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/pictures.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/graph.h"

namespace heddle::cli {
namespace {

std::string place(const Program& program, const std::string& file, std::uint32_t line) {
  if (file.empty() || file == program.name()) return fmt::format("line {}", line);
  return fmt::format("{}:{}", one_line(file), line);
}

// "reads-from" and the like for relations between threads; those of program order with their place.
std::string edge_text(const Program& program, const WhyEdge& edge) {
  if (edge.relation == "rf") return "reads-from";
  if (edge.relation == "co") return "coherence";
  if (edge.relation == "fr") return "from-reads";
  if (edge.relation == "po") return "program order";
  if (edge.relation == "rmw") return "the read and the write of one operation";
  if (edge.line == 0) return edge.relation;
  const std::string where = place(program, edge.file, edge.line);
  if (edge.relation.starts_with("fence"))
    return fmt::format("{}, {}: {}", edge.relation, where, one_line(edge.source));
  return fmt::format("{}, {} {}", edge.relation, edge.relation == "ctrl" ? "branch on" : "isync on", where);
}

std::string step_text(const Program& program, const Trace& trace, std::size_t index) {
  const Step& step = trace.steps[index];
  return fmt::format("{}: {}, {}", one_line(trace.threads[static_cast<std::size_t>(step.thread)]),
                     one_line(step.action), place(program, step.file, step.line));
}

// What the axiom says, as a remark after its name.
std::string_view meaning(const std::string& axiom) {
  if (axiom == "coherence") return "accesses of one location take effect in one order";
  if (axiom == "atomicity") return "no write comes between the halves of a read-modify-write";
  if (axiom == "order") return "the model keeps these pairs of program order in one order of memory";
  if (axiom == "no thin air") return "dependencies, fences and reads-from form no circle";
  if (axiom == "observation") return "what a fence has published is not read in its old state";
  return "fences order the propagation of writes to all threads";
}

std::string executions_text(const Program& program, const Why& why, const Style& style) {
  std::string text;
  const std::size_t shown = std::min(why.executions.size(), most_executions_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const WhyExecution& execution = why.executions[i];
    const std::string number =
        why.executions.size() == 1 ? std::string("Execution") : fmt::format("Execution {}", i + 1);
    if (execution.cycle.empty()) {
      text += fmt::format("\n{}:\n", number);
    } else {
      text += fmt::format("\n{}, excluded by {} ({}):\n", number, execution.axiom, meaning(execution.axiom));
      for (const std::string& line : cycle_lines(program, execution.trace, execution.cycle))
        text += fmt::format("  {}\n", shorten(line, style.width - 2));
    }
    if (execution.cycle.empty() || i == 0) text += "\n" + format_graph(graph_of(execution.trace), true);
  }
  const std::uint64_t all = why.allowed ? why.consistent : why.candidates;
  if (all > shown) text += fmt::format("\n({} more; --json lists them)\n", grouped(all - shown));
  return text;
}

std::string changes_text(const Why& why, const Style& style) {
  std::string text;
  if (!why.changes.empty())
    text += why.allowed ? "\nThe weakest fences that would forbid it:\n"
                        : "\nThe least change that would allow it:\n";
  for (std::size_t i = 0; i < why.changes.size(); ++i) {
    if (i > 0) text += "  or\n";
    for (const WhyChange& change : why.changes[i])
      text += fmt::format("  - {}\n", wrap(one_line(change.text), style.width, 4));
  }
  if (!why.changes_note.empty()) text += fmt::format("\n{}\n", wrap(why.changes_note, style.width, 0));
  return text;
}

}  // namespace

std::string why_headline(const Why& why) {
  const std::string condition = one_line(why.condition);
  if (!why.decided()) return fmt::format("undecided ({}) under {}: {}", why.stopped_by, why.model, condition);
  return fmt::format("{} under {}: {}", why.allowed ? "allowed" : "forbidden", why.model, condition);
}

std::vector<std::string> cycle_lines(const Program& program, const Trace& trace,
                                     const std::vector<CycleEdge>& cycle) {
  std::vector<std::string> lines;
  for (const CycleEdge& edge : cycle) {
    lines.push_back(step_text(program, trace, edge.from));
    lines.push_back("  -> " + edge_text(program, edge));
  }
  if (!cycle.empty()) lines.push_back("back to " + step_text(program, trace, cycle.back().to));
  return lines;
}

std::string why_text(const Program& program, const Why& why, const Style& style) {
  std::string text = fmt::format("{}: {}\n", one_line(program.name()), why_headline(why));
  if (why.candidates == 0) {
    if (why.decided())
      text += "No execution has such values, whatever the model allows: no writes lead to them.\n";
  } else if (why.candidates == 1) {
    text +=
        fmt::format("One execution has such values; the model {} it.\n", why.allowed ? "allows" : "forbids");
  } else {
    text += fmt::format("{} executions have such values; the model allows {}.\n", grouped(why.candidates),
                        why.allowed ? grouped(why.consistent) + " of them" : "none of them");
  }
  if (!why.allowed && !why.allowed_by.empty())
    text += fmt::format("Allowed under {}.\n", join(why.allowed_by, ", "));
  for (const std::string& bound : why.bounds) text += fmt::format("Within bounds: {}\n", bound);
  return text + executions_text(program, why, style) + changes_text(why, style);
}

Json to_json(const CycleEdge& edge) {
  Json json{{"relation", edge.relation}, {"from", edge.from}, {"to", edge.to}};
  if (edge.line != 0) {
    json["file"] = edge.file;
    json["line"] = edge.line;
    json["source"] = edge.source;
  }
  return json;
}

namespace {

Json to_json(const WhyChange& change) {
  constexpr std::string_view kinds[] = {"weaken_fence", "remove_fence", "drop_dependency", "add_fence"};
  Json json{{"kind", kinds[static_cast<std::size_t>(change.kind)]}, {"text", change.text}};
  if (change.kind == WhyChangeKind::drop_dependency) {
    json["dependency"] = change.dependency;
    json["to_line"] = change.to_line;
    json["to_source"] = change.to_source;
  } else {
    json["fence"] = fence_name(change.fence);
  }
  if (change.kind == WhyChangeKind::weaken_fence) json["before"] = fence_name(change.before);
  json["file"] = change.file;
  json["line"] = change.line;
  json["column"] = change.column;
  json["source"] = change.source;
  return json;
}

}  // namespace

std::string why_json(const Program& program, const Why& why) {
  Json json = json_head("why");
  json["file"] = program.name();
  json["parameters"] = to_json(program.parameters());
  json["model"] = why.model;
  json["condition"] = why.condition;
  json["decided"] = why.decided();
  json["allowed"] = why.allowed;
  json["exit_code"] = why.decided() ? 0 : exit_code(Verdict::undecided);
  json["stopped_by"] = text_or_null(why.stopped_by);
  json["bounds"] = why.bounds;
  json["candidates"] = why.candidates;
  json["consistent"] = why.consistent;
  json["allowed_by"] = why.allowed_by;
  json["executions"] = Json::array();
  for (const WhyExecution& execution : why.executions) {
    Json cycle = Json::array();
    for (const WhyEdge& edge : execution.cycle) cycle.push_back(to_json(edge));
    json["executions"].push_back({{"axiom", text_or_null(execution.axiom)},
                                  {"cycle", std::move(cycle)},
                                  {"trace", to_json(execution.trace)}});
  }
  json["changes"] = Json::array();
  for (const auto& set : why.changes) {
    Json changes = Json::array();
    for (const WhyChange& change : set) changes.push_back(to_json(change));
    json["changes"].push_back(std::move(changes));
  }
  json["changes_note"] = text_or_null(why.changes_note);
  json["seconds"] = why.seconds;
  return json_text(json);
}

std::string why_dot(const Program& program, const Why& why) {
  if (why.executions.empty()) return {};
  const WhyExecution& execution = why.executions.front();
  const Shown shown{.message = why_headline(why), .trace = execution.trace, .cycle = execution.cycle};
  return dot_picture(shown, why.model, graph_of(execution.trace), program.name());
}

int show_why(const Program& program, const Options& options) {
  WhyOptions settings{.model = options.check.model, .go_on = [] { return !interrupted(); }};
  if (options.check.timeout) settings.timeout = *options.check.timeout;
  const Result<Why> answer = why(program, options.condition, settings);
  if (!answer) return report_errors(answer.error(), options.json);
  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  bool good = write_report(options.json ? why_json(program, *answer) : why_text(program, *answer, style));
  const auto write = [&](const std::string& file, const std::string& text) {
    if (file.empty()) return;
    if (text.empty()) {
      write_error(fmt::format("heddle: there is no execution, so {} is not written\n", clean(file)));
      return;
    }
    const std::string error = write_file(file, text);
    if (!error.empty()) write_error(fmt::format("heddle: {}\n", error));
    good = good && error.empty();
  };
  if (!options.artefacts.dot.empty()) write(options.artefacts.dot, why_dot(program, *answer));
  if (!options.artefacts.html.empty()) write(options.artefacts.html, why_page(program, *answer));
  if (!good) return bad_input;
  return answer->decided() ? 0 : exit_code(Verdict::undecided);
}

int run_why(const Options& options) {
  catch_interrupts();
  CompileOptions compile = options.compile;
  compile.model = "power";  // the only form of the threads that is needed
  const Result<Program> program = Program::from_file(options.file, compile);
  if (!program) return report_errors(program.error(), options.json);
  if (const auto clash = overwritten_file(options.artefacts, *program))
    return report_errors({as_diagnostic(*clash)}, options.json);
  return show_why(*program, options);
}

}  // namespace heddle::cli
