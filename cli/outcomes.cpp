// heddle outcomes FILE: the final states of a program and how many executions end in each.
#include "cli/outcomes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/artefacts.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/litmus.hpp"
#include "cli/option_values.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/suggestion.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// Values in the order of `variables`, by which outcomes compare.
std::vector<std::int64_t> key_of(const Outcome& outcome) {
  std::vector<std::int64_t> key;
  for (const NamedValue& value : outcome.values) key.push_back(value.value);
  return key;
}

// Notes on the table: that it is incomplete, or that some executions fail.
std::string format_remarks(const CheckResult& result, const std::string& shows_violation,
                           const Style& style) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += fmt::format("  {}\n", wrap(one_line(line), style.width, 2));
  };
  if (!result.stopped_by.empty()) {
    add(fmt::format("incomplete: stopped by: {}", result.stopped_by));
  }
  if (result.verdict == Verdict::vacuous && !result.blocked.empty()) {
    const BlockedAt& place = result.blocked.front();
    add(fmt::format("vacuous: no execution is complete ({}:{}:{}: {})", place.file, place.line, place.column,
                    place.source));
  }
  for (const std::string& bound : result.bounds) add(bound);
  if (result.violation) {
    add(fmt::format("there is a violation: {} ({} shows it)", result.violation->message, shows_violation));
  }
  return text.empty() ? text : "\nNote:\n" + text;
}

std::string outcomes_text(const Program& program, const CheckResult& result,
                          const std::string& shows_violation, const Style& style) {
  return fmt::format("{}: {} (model {}, algorithm {})\n", one_line(program.name()),
                     counted(result.counts.executions, "complete execution"), result.model,
                     result.algorithm) +
         format_outcomes(result.outcomes, style) + format_conditions(result, style) +
         format_remarks(result, shows_violation, style);
}

// A violation of the test's condition, not of an instruction.
bool is_condition(ViolationKind kind) {
  return kind == ViolationKind::forall || kind == ViolationKind::forbid;
}

// The report of herd7 for a test, which many tools read, without its hash.
std::string outcomes_like_herd(const Program& program, const CheckResult& result,
                               const std::string& shows_violation, const Style& style) {
  const LitmusVerdict verdict = judge_litmus(program, result);
  const LitmusTest& test = *program.litmus();
  constexpr std::string_view kinds[] = {"Required", "Allowed", "Forbidden", "Required"};
  std::string text = fmt::format("Test {} {}\nStates {}\n", one_line(test.name),
                                 kinds[static_cast<std::size_t>(test.kind)], result.outcomes.size());
  for (const Outcome& outcome : result.outcomes) text += format_state(outcome) + '\n';
  const bool forbidden = test.kind == LitmusKind::not_exists;
  text += fmt::format("{}\nWitnesses\nPositive: {} Negative: {}\n",
                      verdict.decided ? (verdict.ok ? "Ok" : "No") : "Undecided",
                      forbidden ? verdict.others : verdict.holds, forbidden ? verdict.holds : verdict.others);
  text += fmt::format("Condition {}\n", test.condition.empty() ? "forall (true)" : one_line(test.condition));
  text += fmt::format("Observation {} {} {} {}\n", one_line(test.name), verdict.observation, verdict.holds,
                      verdict.others);
  text += fmt::format("Time {} {:.2f}\n", one_line(test.name), result.seconds);
  // The lines above report a failing condition.
  CheckResult remarkable = result;
  if (result.violation && is_condition(result.violation->kind)) remarkable.violation.reset();
  return text + format_remarks(remarkable, shows_violation, style);
}

std::string outcomes_json(const Program& program, const CheckResult& result, const Options& options) {
  Json json = json_head("outcomes");
  json["file"] = program.name();
  json["parameters"] = to_json(program.parameters());
  json["model"] = result.model;
  json["algorithm"] = result.algorithm;
  json["verdict"] = json_word(name(result.verdict));
  json["exit_code"] = exit_code(result.verdict);
  json["stopped_by"] = result.stopped_by.empty() ? Json(nullptr) : Json(result.stopped_by);
  json["bounds"] = result.bounds;
  json["blocked"] = to_json(result.blocked);
  json["counts"] = to_json(result.counts);
  json["conditions"] = to_json(result.conditions);
  json["finished"] = result.finished;
  json["outcomes"] = to_json(result.outcomes);
  json["witness"] = result.witnesses.empty() ? Json(nullptr) : to_json(result.witnesses.front());
  if (options.witness > 0) json["witness"]["row"] = options.witness;
  return json_text(json);
}

}  // namespace

std::variant<std::vector<std::string>, UsageError> choose_variables(const Program& program,
                                                                    const std::vector<std::string>& only) {
  const std::vector<std::string> known = program.variables();
  if (only.empty()) return known;
  std::vector<std::string> chosen;
  for (const std::string& wanted : only) {
    const std::size_t before = chosen.size();
    for (const std::string& variable : known) {
      if (variable != wanted && !variable.starts_with(wanted + "[")) continue;
      if (std::find(chosen.begin(), chosen.end(), variable) == chosen.end()) chosen.push_back(variable);
    }
    const bool again = std::any_of(chosen.begin(), chosen.end(), [&](const std::string& variable) {
      return variable == wanted || variable.starts_with(wanted + "[");
    });
    if (chosen.size() > before || again) continue;
    std::string hint = did_you_mean(wanted, known);
    if (hint.empty()) hint = fmt::format("the final states have {}", shorten(join(known, ", "), 200));
    return UsageError{fmt::format("the program has no variable '{}'", shown(wanted)), std::move(hint)};
  }
  return chosen;
}

std::vector<Outcome> project(const std::vector<Outcome>& outcomes,
                             const std::vector<std::string>& variables) {
  std::map<std::vector<std::int64_t>, Outcome> merged;
  for (const Outcome& outcome : outcomes) {
    Outcome part;
    for (const std::string& variable : variables) {
      const auto value = std::find_if(outcome.values.begin(), outcome.values.end(),
                                      [&](const NamedValue& each) { return each.name == variable; });
      if (value != outcome.values.end()) part.values.push_back(*value);
    }
    const auto [place, inserted] = merged.emplace(key_of(part), part);
    place->second.executions += outcome.executions;
  }
  std::vector<Outcome> result;
  for (auto& [key, outcome] : merged) result.push_back(std::move(outcome));
  return result;
}

namespace {

// An execution that ends in the state of the row: repeats the search up to the first such execution.
Result<Witness> find_witness(const Program& program, const CheckOptions& settings,
                             const std::vector<Outcome>& rows, std::size_t row) {
  if (row > rows.size()) {
    return std::vector{as_diagnostic({fmt::format("there is no row {}", row),
                                      fmt::format("the table has {}", counted(rows.size(), "row"))})};
  }
  CheckOptions again = settings;
  again.timeout.reset();  // the first search has found it, so this one will, too
  for (const NamedValue& value : rows[row - 1].values) again.witness_of.emplace_back(value.name, value.value);
  const Result<CheckResult> result = check(program, again);
  if (!result) return result.error();
  if (!result->witnesses.empty()) return result->witnesses.front();
  return std::vector{
      as_diagnostic({fmt::format("no execution for row {}: {}", row, result->stopped_by), ""})};
}

}  // namespace

int run_outcomes(const Options& options) {
  catch_interrupts();
  const Result<Program> program = Program::from_file(options.file, for_one_model(options));
  if (!program) return report_errors(program.error(), options.json);
  if (const auto clash = overwritten_file(options.artefacts, *program)) {
    return report_errors({as_diagnostic(*clash)}, options.json);
  }
  return show_outcomes(*program, options, check_command(options.file, options.compile, options.check));
}

int show_outcomes(const Program& program, const Options& options, const std::string& shows_violation) {
  const auto variables = choose_variables(program, options.only);
  if (const auto* const error = std::get_if<UsageError>(&variables)) {
    return report_errors({as_diagnostic(*error)}, options.json);
  }

  ProgressLine line(options.progress && is_terminal(STDERR_FILENO));
  CheckOptions settings = options.check;
  settings.keep_going = true;
  settings.collect_outcomes = true;
  settings.progress = [&line](const Progress& progress) {
    line.update(progress);
    return !interrupted();
  };
  Result<CheckResult> result = check(program, settings);
  line.clear();
  if (!result) return report_errors(result.error(), options.json);
  result->outcomes = project(result->outcomes, std::get<std::vector<std::string>>(variables));
  if (options.witness > 0) {
    auto witness = find_witness(program, settings, result->outcomes, options.witness);
    line.clear();
    if (!witness) return report_errors(witness.error(), options.json);
    result->witnesses = {std::move(*witness)};
  }

  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  const auto as_text = program.litmus() ? outcomes_like_herd : outcomes_text;
  std::string report = options.json ? outcomes_json(program, *result, options)
                                    : as_text(program, *result, shows_violation, style);
  if (!options.json && options.witness > 0) {
    Style with_view = style;
    std::optional<TraceDetails> details;
    const Witness& witness = result->witnesses.front();
    Options passing = options;  // (over assertions that fail)
    passing.check.keep_going = true;
    with_view.view = view_of(program, witness.trace, result->model_of_traces(), passing, details);
    report += format_witness(program, witness, with_view);
  }
  const bool written = write_report(report);
  const bool complete = options.witness == 0 || write_artefacts(program, *result, options);
  return written && complete ? exit_code(result->verdict) : bad_input;
}

}  // namespace heddle::cli
