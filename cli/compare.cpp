// heddle compare FILE: the outcomes of the models side by side, and verdict, executions and time by
// algorithm.
//
// A model's outcomes are those of the best algorithm in this comparison, see rank(). A model "adds" an
// outcome if no model in a column to its left has it: the registry lists models from the strictest to the
// most relaxed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/outcomes.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

struct Column {
  std::string model;
  std::string algorithm;  // whose outcomes they are
  bool complete = false;  // false: the check was abandoned, so there may be more outcomes
  std::vector<Outcome> outcomes;
  std::optional<std::uint64_t> graphs;  // how many there are, if the algorithm counts them all
};

struct Row {
  std::vector<NamedValue> values;
  std::vector<std::optional<std::uint64_t>> executions;  // by column
  std::size_t added_by = 0;                              // the first column that has it
};

struct Comparison {
  std::vector<CheckResult> checks;  // model by model, algorithm by algorithm
  std::vector<Column> columns;
  std::vector<Row> rows;
  int exit_code = 0;
};

std::vector<std::int64_t> key_of(const std::vector<NamedValue>& values) {
  std::vector<std::int64_t> key;
  for (const NamedValue& value : values) key.push_back(value.value);
  return key;
}

// Ranks algorithms by how well their outcomes represent the model: complete ones first; then those that count
// execution graphs (the model's default before others), those that count interleavings or paths, and those
// that count reads-from classes.
int rank(const CheckResult& result) {
  const int complete = result.stopped_by.empty() ? 4 : 0;
  for (const AlgorithmInfo& algorithm : algorithms()) {
    if (algorithm.name != result.algorithm || algorithm.counts == CountedAs::graph) continue;
    return complete + (algorithm.counts == CountedAs::reads_from_class ? 0 : 1);
  }
  for (const ModelInfo& model : models()) {
    if (model.name == result.model && model.default_algorithm == result.algorithm) return complete + 3;
  }
  return complete + 2;
}

std::optional<std::uint64_t> graphs_of(const CheckResult& result) {
  for (const AlgorithmInfo& algorithm : algorithms()) {
    if (algorithm.name == result.algorithm && algorithm.counts == CountedAs::graph &&
        result.stopped_by.empty())
      return result.counts.executions;
  }
  return std::nullopt;
}

void add_column(Comparison& comparison, const std::vector<CheckResult>& results,
                const std::vector<std::string>& variables) {
  const CheckResult* best = nullptr;
  for (const CheckResult& result : results) {
    if (best == nullptr || rank(result) > rank(*best)) best = &result;
  }
  if (best == nullptr) return;
  comparison.columns.push_back({.model = best->model,
                                .algorithm = best->algorithm,
                                .complete = best->stopped_by.empty(),
                                .outcomes = project(best->outcomes, variables),
                                .graphs = graphs_of(*best)});
}

std::vector<Row> rows_of(const std::vector<Column>& columns) {
  std::map<std::vector<std::int64_t>, Row> rows;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const Outcome& outcome : columns[i].outcomes) {
      const auto [place, inserted] = rows.try_emplace(key_of(outcome.values));
      Row& row = place->second;
      if (inserted) {
        row.values = outcome.values;
        row.executions.resize(columns.size());
        row.added_by = i;
      }
      row.executions[i] = outcome.executions;
    }
  }
  std::vector<Row> result;
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  return result;
}

std::string format_rows(const Comparison& comparison, const Style& style) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head;
  for (const Column& column : comparison.columns)
    head.push_back(column.model + (column.complete ? "" : " (so far)"));
  std::size_t width = 0;
  for (const std::string& title : head) width += 2 + std::max<std::size_t>(display_width(title), 8);
  std::size_t names_width = 0;
  if (!comparison.rows.empty()) {
    for (const NamedValue& value : comparison.rows.front().values)
      names_width += 2 + std::max<std::size_t>(display_width(one_line(value.name)), 3);
  }
  const bool by_name = width + names_width <= style.width;
  std::vector<std::string> titles;
  if (by_name && !comparison.rows.empty()) {
    for (const NamedValue& value : comparison.rows.front().values) titles.push_back(one_line(value.name));
  }
  titles.insert(titles.end(), head.begin(), head.end());
  if (!by_name) titles.emplace_back("state");
  lines.push_back(std::move(titles));
  for (const Row& row : comparison.rows) {
    std::vector<std::string> line;
    if (by_name) {
      for (const NamedValue& value : row.values) line.push_back(value.text());
    }
    for (std::size_t i = 0; i < row.executions.size(); ++i) {
      const bool adds = i > 0 && row.added_by == i;
      line.push_back(row.executions[i] ? (adds ? "+" : "") + grouped(*row.executions[i]) : "-");
    }
    if (!by_name) line.push_back(format_values(row.values));
    lines.push_back(std::move(line));
  }
  return table(lines, 0);
}

// What a model adds to the one before it if that is no outcome. It has all execution graphs of a stricter model, so as many are the same
// ones.
std::string without_outcomes(const Column& stricter, const Column& column) {
  if (!stricter.graphs || !column.graphs || *column.graphs < *stricter.graphs) return {};
  const std::uint64_t more = *column.graphs - *stricter.graphs;
  return more == 0
             ? fmt::format(": its execution graphs are those of {}", stricter.model)
             : fmt::format(" but {} that {} does not have", counted(more, "execution graph"), stricter.model);
}

std::string format_additions(const Comparison& comparison, const Style& style) {
  std::string text;
  for (std::size_t i = 1; i < comparison.columns.size(); ++i) {
    std::vector<std::string> added;
    for (const Row& row : comparison.rows) {
      if (row.added_by == i) added.push_back("{" + format_values(row.values) + "}");
    }
    constexpr std::size_t most = 8;
    const std::size_t count = added.size();
    if (count > most) added.resize(most);
    const std::string so_far = comparison.columns[i].complete ? "" : " so far";
    const std::string body =
        count == 0
            ? "adds nothing" + so_far + without_outcomes(comparison.columns[i - 1], comparison.columns[i])
            : fmt::format("adds {}{}: {}{}", counted(count, "outcome"), so_far, join(added, ", "),
                          count > most ? ", ..." : "");
    const std::string line = fmt::format("{} {}", comparison.columns[i].model, body);
    text += fmt::format("  {}\n", wrap(line, style.width, 2));
  }
  return text.empty() ? text : "\nWhat each relaxation adds (+):\n" + text;
}

std::string format_checks(const Comparison& comparison) {
  std::vector<std::vector<std::string>> lines{
      {"model", "algorithm", "verdict", "executions", "blocked", "states", "transitions", "time"}};
  for (const CheckResult& result : comparison.checks) {
    const Counts& counts = result.counts;
    std::string verdict(name(result.verdict));
    if (!result.stopped_by.empty()) verdict += fmt::format(" ({})", one_line(result.stopped_by));
    lines.push_back({result.model, result.algorithm, verdict, grouped(counts.executions),
                     grouped(counts.blocked_assume + counts.blocked_await + counts.blocked_idle +
                             counts.blocked_sleep_set + counts.blocked_race + counts.blocked_loop_bound),
                     counts.states > 0 ? grouped(counts.states) : "", grouped(counts.transitions),
                     duration(result.seconds)});
  }
  return table(lines, 3);
}

std::string comparison_text(const Program& program, const Comparison& comparison, const Style& style) {
  std::string text = fmt::format("{}: {}\n\nExecutions by final state and model:\n", one_line(program.name()),
                                 counted(comparison.rows.size(), "distinct final state"));
  text += format_rows(comparison, style);
  text += format_additions(comparison, style);
  text += "\nChecks:\n" + format_checks(comparison);
  return text;
}

std::string comparison_json(const Program& program, const Comparison& comparison) {
  Json json = json_head("comparison");
  json["file"] = program.name();
  json["parameters"] = to_json(program.parameters());
  json["exit_code"] = comparison.exit_code;
  json["outcomes"] = Json::array();
  for (const Row& row : comparison.rows) {
    Json executions = Json::object();
    for (std::size_t i = 0; i < row.executions.size(); ++i) {
      executions[comparison.columns[i].model] = row.executions[i] ? Json(*row.executions[i]) : Json(nullptr);
    }
    json["outcomes"].push_back({{"values", to_json(row.values)},
                                {"executions", std::move(executions)},
                                {"added_by", comparison.columns[row.added_by].model}});
  }
  json["models"] = Json::array();
  for (const Column& column : comparison.columns) {
    json["models"].push_back(
        {{"model", column.model}, {"outcomes_of", column.algorithm}, {"complete", column.complete}});
  }
  json["checks"] = Json::array();
  for (const CheckResult& result : comparison.checks) {
    json["checks"].push_back(
        {{"model", result.model},
         {"algorithm", result.algorithm},
         {"verdict", json_word(name(result.verdict))},
         {"stopped_by", result.stopped_by.empty() ? Json(nullptr) : Json(result.stopped_by)},
         {"finished", result.finished},
         {"message", result.violation ? Json(result.violation->message) : Json(nullptr)},
         {"seconds", result.seconds},
         {"counts", to_json(result.counts)}});
  }
  return json_text(json);
}

}  // namespace

int run_compare(const Options& options) {
  catch_interrupts();
  const Result<Program> program = Program::from_file(options.file, options.compile);
  if (!program) return report_errors(program.error(), options.json);
  return show_comparison(*program, options);
}

int show_comparison(const Program& program, const Options& options) {
  const auto variables = choose_variables(program, options.only);
  if (const auto* const error = std::get_if<UsageError>(&variables)) {
    return report_errors({as_diagnostic(*error)}, options.json);
  }

  ProgressLine line(options.progress && is_terminal(STDERR_FILENO));
  Comparison comparison;
  bool no_answer = false;
  for (const std::string& model : options.models) {
    std::vector<CheckResult> results;
    for (const std::string& algorithm : options.algorithms) {
      if (!why_not(program, model, algorithm).empty() || interrupted()) continue;
      CheckOptions settings = options.check;
      settings.model = model;
      settings.algorithm = algorithm;
      if (!settings.timeout) settings.timeout = default_compare_timeout;
      settings.keep_going = true;
      settings.collect_outcomes = true;
      settings.progress = [&line](const Progress& progress) {
        line.update(progress);
        return !interrupted();
      };
      Result<CheckResult> result = check(program, settings);
      line.clear();
      if (!result) return report_errors(result.error(), options.json);
      no_answer = no_answer || exit_code(result->verdict) == exit_code(Verdict::undecided);
      if (result->verdict == Verdict::violation) comparison.exit_code = exit_code(Verdict::violation);
      results.push_back(std::move(*result));
    }
    add_column(comparison, results, std::get<std::vector<std::string>>(variables));
    for (CheckResult& result : results) comparison.checks.push_back(std::move(result));
  }
  if (comparison.checks.empty() && !interrupted()) {
    return report_errors({as_diagnostic({"none of these algorithms works with any of these models",
                                         "heddle list shows the supported pairs"})},
                         options.json);
  }
  if (comparison.exit_code == 0 && (no_answer || interrupted()))
    comparison.exit_code = exit_code(Verdict::undecided);
  comparison.rows = rows_of(comparison.columns);
  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  const std::string report =
      options.json ? comparison_json(program, comparison) : comparison_text(program, comparison, style);
  return write_report(report) ? comparison.exit_code : bad_input;
}

}  // namespace heddle::cli
