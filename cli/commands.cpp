// See commands.hpp.
#include "cli/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/advice.hpp"
#include "cli/artefacts.hpp"
#include "cli/checkpoint.hpp"
#include "cli/cluster/cluster.hpp"
#include "cli/coverage.hpp"
#include "cli/estimate.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/lint.h"
#include "heddle/minimise.h"

namespace heddle::cli {
namespace {

bool asks_for_json(int count, const char* const* arguments) {
  for (int i = 1; i < count; ++i) {
    if (std::string_view(arguments[i]) == "--json") return true;
  }
  return false;
}

std::string about(const Minimised& minimised, std::string_view what) {
  if (!minimised.shortest) {
    return fmt::format("Not minimised, stopped by: {}, after {}.", minimised.stopped_by,
                       counted(minimised.states, "state"));
  }
  return fmt::format(
      "The shortest trace to this {}: {}, {} ({} visited, {}).", what,
      counted(minimised.transitions, "transition"),
      minimised.switches == 1 ? "1 context switch" : grouped(minimised.switches) + " context switches",
      counted(minimised.states, "state"), duration(minimised.seconds));
}

// Replaces the execution to show by the shortest one, if that can be found. Returns a sentence about it.
std::string minimise_shown(const Program& program, const Options& options, const CheckOptions& limits,
                           CheckResult& result) {
  const auto shown = shown_execution(result, options);
  if (!shown) return {};
  CheckOptions settings = limits;
  settings.model = result.model_of_traces();
  const bool witness = shown->witness != nullptr;
  const Result<Minimised> minimised = witness ? minimise(program, settings, result.witnesses.front())
                                              : minimise(program, settings, *result.violation);
  if (!minimised) return fmt::format("Not minimised: {}.", minimised.error().front().message);
  if (witness) {
    result.witnesses.front() = minimised->witness;
  } else {
    result.violation = result.violations[options.violation - 1] = minimised->violation;
  }
  return about(*minimised, witness ? "witness" : "violation");
}

// Selects the violation and the witness that the options name; an error if they do not exist.
std::optional<UsageError> choose_shown(const Options& options, CheckResult& result) {
  if (options.violation > 1) {
    if (options.violation > result.violations.size()) {
      return UsageError{
          fmt::format("there is no violation number {}", options.violation),
          fmt::format("the check has found {}", counted(result.violations.size(), "distinct violation"))};
    }
    result.violation = result.violations[options.violation - 1];
  }
  if (options.witness == 0) return std::nullopt;
  std::size_t number = 0;
  std::size_t place = 0;  // in the list of witnesses, which has one for each condition that held
  for (const ConditionCount& condition : result.conditions) {
    if (condition.kind != "exists") continue;
    if (++number == options.witness) {
      result.witnesses =
          condition.satisfied > 0 ? std::vector<Witness>{result.witnesses.at(place)} : std::vector<Witness>{};
      return std::nullopt;
    }
    if (condition.satisfied > 0) ++place;
  }
  return UsageError{fmt::format("there is no `exists` number {}", options.witness),
                    fmt::format("the program has {}", number == 0 ? "none" : std::to_string(number))};
}

// The option that shows an execution that satisfies an `exists`.
std::string witness_option(const CheckResult& result) {
  std::size_t number = 0;
  for (const ConditionCount& condition : result.conditions) {
    if (condition.kind != "exists") continue;
    ++number;
    if (condition.satisfied > 0) return fmt::format("--witness {}", number);
  }
  return {};
}

std::string format_lint(const LintReport& report) {
  const auto& warnings = report.warnings;
  std::string text =
      warnings.empty() ? "\nNo warnings.\n" : fmt::format("\n{}:\n", counted(warnings.size(), "warning"));
  for (const LintWarning& warning : warnings) text += clean(warning.diagnostic.text, true);
  if (!report.notes.empty()) text += "\nNotes:\n";
  for (const Diagnostic& note : report.notes) text += clean(note.text, true);
  if (!report.open.empty()) text += "\nNot decided in time:\n";
  for (const Diagnostic& question : report.open) text += clean(question.text, true);
  return text;
}

// With `fixed`, also the text of the file as --fix leaves it, if that differs.
LintReport run_lint(const Program& program, std::string* fixed) {
  LintReport report;
  LintOptions settings;
  settings.go_on = [] { return !interrupted(); };
  settings.left_open = [&report](const Diagnostic& question) { report.open.push_back(question); };
  settings.noted = [&report](const Diagnostic& note) { report.notes.push_back(note); };
  if (fixed != nullptr) {
    settings.fixed = [&report, fixed](const std::string& text, std::size_t changes) {
      *fixed = text;
      report.fixed = changes;
    };
  }
  report.warnings = lint(program, settings);
  return report;
}

}  // namespace

Diagnostic as_diagnostic(const UsageError& error) {
  Diagnostic result;
  result.message = error.message;
  result.hint = error.hint;
  result.text = fmt::format("heddle: {}\n", error.message);
  if (!error.hint.empty()) result.text += fmt::format("  hint: {}\n", error.hint);
  return result;
}

std::string first_message(const std::vector<Diagnostic>& errors) {
  if (errors.empty()) return "rejected without a reason";
  const Diagnostic& error = errors.front();
  if (error.line == 0) return one_line(error.message);
  return fmt::format("{}:{}: {}", one_line(error.file), error.line, one_line(error.message));
}

Diagnostic about_file(const std::string& file, std::string message, std::uint32_t line) {
  Diagnostic result;
  result.file = file;
  result.line = line;
  result.text = line == 0 ? fmt::format("{}: error: {}\n", file, message)
                          : fmt::format("{}:{}: error: {}\n", file, line, message);
  result.message = std::move(message);
  return result;
}

int report_errors(const std::vector<Diagnostic>& errors, bool json, int exit_code) {
  if (errors.empty()) {
    return report_errors(
        {as_diagnostic({"rejected without a reason: this is a bug in heddle, please report it", ""})}, json);
  }
  if (json) {
    static_cast<void>(write_report(json_errors(errors, exit_code)));
    return exit_code;
  }
  std::string text;
  for (const Diagnostic& error : errors) {
    if (!error.text.empty()) {
      text += clean(error.text, true);
    } else {
      text += clean(fmt::format("heddle: {}", error.message));
    }
    if (!text.ends_with('\n')) text += '\n';
  }
  write_error(text);
  return exit_code;
}

int run_check(const Options& given) {
  if (given.sweep) return run_sweep(given);
  if (given.estimate) return run_estimate(given);
  catch_interrupts();
  Options options = given;
  if (!options.resume_file.empty()) {
    if (const auto errors = resume_checkpoint(options)) return report_errors(*errors, options.json);
  }
  const Result<Program> program = Program::from_file(options.file, for_one_model(options));
  if (!program) return report_errors(program.error(), options.json);
  if (const auto clash = overwritten_file(options.artefacts, *program)) {
    return report_errors({as_diagnostic(*clash)}, options.json);
  }
  CheckpointFile checkpoint(options.artefacts.checkpoint);

  ProgressLine line(options.progress && is_terminal(STDERR_FILENO));
  CheckOptions settings = options.check;
  const Artefacts& files = options.artefacts;
  const bool saved =
      !files.trace.empty() || !files.dot.empty() || !files.html.empty() || !files.mermaid.empty();
  settings.witnesses = settings.witnesses || options.witness > 0 || saved;
  settings.save = checkpoint.saver();
  std::optional<Estimate> expected;
  bool estimated = false;
  settings.progress = [&](const Progress& progress) {
    if (line.is_due(progress.seconds)) {
      if (!std::exchange(estimated, true)) expected = quick_estimate(*program, options.check);
      const double rate = static_cast<double>(progress.executions) / progress.seconds;
      line.update(progress.seconds,
                  progress_text(progress, remaining_text(expected, progress.executions, rate)));
    }
    return !interrupted();
  };
  const std::string& cluster = options.cluster.url;
  Result<CheckResult> result =
      cluster.empty() ? check(*program, settings)
                      : check_on_cluster(*program, settings, cluster, [&](const CheckStatus& status) {
                          line.update(status.progress.seconds, progress_text(status));
                          return !interrupted();
                        });
  line.clear();
  if (!result) return report_errors(result.error(), options.json);
  if (const auto error = choose_shown(options, *result))
    return report_errors({as_diagnostic(*error)}, options.json);
  std::string note;
  if (options.minimise) note = minimise_shown(*program, options, settings, *result);
  line.clear();
  std::optional<LintReport> linted;
  std::string fixed;
  if (options.lint) linted = run_lint(*program, options.fix ? &fixed : nullptr);
  if (linted && linted->fixed > 0) {
    const std::string failure = write_file(options.file, fixed);
    if (!failure.empty()) return report_errors({as_diagnostic({failure, ""})}, options.json);
  }

  std::optional<Advice> advice;
  if (needs_advice(*result)) {
    CheckOptions estimated_options = options.check;
    estimated_options.algorithm = result->algorithm;
    if (!expected) expected = quick_estimate(*program, estimated_options);
    advice = advise(options.check, *result, expected);
  }

  Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  std::optional<TraceDetails> details;
  if (result->violation && !options.json)
    style.view = view_of(*program, result->violation->trace, result->model_of_traces(), options, details);
  std::string report =
      options.json ? json_report(*program, *result, note, linted ? &*linted : nullptr, advice)
                   : text_report(*program, *result, style, settings.witnesses ? "" : witness_option(*result));
  if (!options.json && options.witness > 0 && result->witnesses.empty())
    report += fmt::format("\nNo execution {}satisfies it.\n", result->finished ? "" : "so far ");
  if (!options.json && options.witness > 0 && !result->witnesses.empty()) {
    const Witness& witness = result->witnesses.front();
    style.view = view_of(*program, witness.trace, result->model_of_traces(), options, details);
    report += format_witness(*program, witness, style);
  }
  if (!options.json && settings.coverage) report += format_coverage(*program, *result, style);
  if (!options.json && advice) report += fmt::format("\n{}\n", to_text(*advice, style.width));
  if (const std::string resumption = checkpoint.advice(*result); !options.json && !resumption.empty())
    report += fmt::format("\n{}\n", resumption);
  if (!options.json && !cluster.empty() && result->violation && !options.check.keep_going)
    report += "\nOf several violations, the workers report the one that they meet first.\n";
  if (!options.json && !note.empty()) report += fmt::format("\n{}\n", wrap(note, style.width, 0));
  if (!options.json && linted) report += format_lint(*linted);
  if (!options.json && options.fix) {
    report += linted->fixed > 0 ? fmt::format("\n{} was changed: {}\n", one_line(options.file),
                                              counted(linted->fixed, "fence"))
                                : "\nNothing to fix.\n";
  }
  const bool written = write_report(report);
  if (!checkpoint.failure().empty()) write_error(fmt::format("heddle: {}\n", checkpoint.failure()));
  // The report is already written, even if writing the files fails.
  const bool complete =
      write_artefacts(*program, *result, options, linted ? linted->warnings : std::vector<LintWarning>());
  return written && complete && checkpoint.failure().empty() ? exit_code(result->verdict) : bad_input;
}

int run_emit(const Options& options) {
  CompileOptions settings = options.compile;
  settings.keep_ir = true;
  const Result<Program> program = Program::from_file(options.file, settings);
  if (!program) return report_errors(program.error(), options.json);
  return write_product(options, program->llvm_ir());
}

namespace {

int run_command(const Options& options) {
  switch (options.command) {
    case Command::check: return run_check(options);
    case Command::outcomes: return run_outcomes(options);
    case Command::compare: return run_compare(options);
    case Command::test: return run_test(options);
    case Command::repl: return run_repl(options);
    case Command::replay: return run_replay(options);
    case Command::completions: return run_completions(options);
    case Command::man: return run_man(options);
    case Command::emit: return run_emit(options);
    case Command::list: return run_list(options);
    case Command::fmt: return run_format(options);
    case Command::consistency: return run_consistency(options);
    case Command::conformance: return run_conformance(options);
    case Command::why: return run_why(options);
    case Command::translate: return run_translate(options);
    case Command::fences: return run_fences(options);
    case Command::cluster: return run_cluster(options);
    case Command::new_: return run_new(options);
    case Command::show_text: break;
  }
  return write_report(options.text) ? 0 : bad_input;
}

}  // namespace

int run(int count, const char* const* arguments) {
  ignore_broken_pipes();
  const std::variant<Options, UsageError> parsed = parse_options(count, arguments);
  if (const UsageError* error = std::get_if<UsageError>(&parsed)) {
    return report_errors({as_diagnostic(*error)}, asks_for_json(count, arguments));
  }
  const Options& options = std::get<Options>(parsed);
  try {
    return run_command(options);
  } catch (const std::bad_alloc&) {
    // A search that runs out of memory ends as undecided and does not come here. Other failures are reported,
    // unless a document has been written before.
    return report_errors({as_diagnostic({"out of memory, so nothing is decided", ""})},
                         options.json && !report_begun(), exit_code(Verdict::undecided));
  }
}

}  // namespace heddle::cli
