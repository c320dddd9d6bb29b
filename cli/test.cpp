// heddle test PATH...: runs every expectation of programs and suites.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <exception>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/suite.hpp"
#include "cli/terminal.hpp"
#include "cli/test_report.hpp"
#include "cli/test_run.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// Writes an output file; true on success.
bool write_output(const std::string& path, const std::string& text) {
  const std::string error = write_file(path, text);
  if (!error.empty()) write_error(fmt::format("heddle: {}\n", error));
  return error.empty();
}

}  // namespace

int run_test(const Options& options) {
  catch_interrupts();
  const auto collected = collect_tests(options.paths);
  if (const auto* const errors = std::get_if<std::vector<Diagnostic>>(&collected)) {
    return report_errors(*errors, false);
  }
  const auto& programs = std::get<std::vector<TestProgram>>(collected);
  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  const bool quiet = options.json_file == "-";  // standard output has only the JSON document
  std::vector<std::string> inputs;
  for (const TestProgram& program : programs) {
    inputs.push_back(program.file);
    if (!program.suite.empty()) inputs.push_back(program.suite);
  }
  if (const auto clash = overwritten_file(
          {{"--junit", options.junit_file}, {"--json", quiet ? std::string() : options.json_file}}, inputs)) {
    return report_errors({as_diagnostic(*clash)}, false);
  }

  TestSummary summary;
  summary.jobs = options.test.jobs;
  summary.bounds = options.test.bounds;
  bool written = true;
  ProgressBar bar(options.progress && is_terminal(STDERR_FILENO), programs.size(), "program");
  const auto say = [&](const std::string& text) {
    bar.clear();
    if (!quiet && written) written = write_report(text);
  };
  const auto start = std::chrono::steady_clock::now();
  TestObserver observer;
  observer.done = [&](std::size_t, const std::vector<TestResult>& results) {
    if (results.empty() && !options.test.filter.empty()) return;
    ++summary.programs;
    if (results.empty()) ++summary.without_expectations;
    for (const TestResult& result : results) {
      if (is_failure(result)) say(format_failure(result, style));
    }
    summary.results.insert(summary.results.end(), results.begin(), results.end());
  };
  observer.idle = [&](std::size_t finished, std::size_t failures) {
    bar.update(finished, failures, "failed");
    return !interrupted() && written && !(options.fail_fast && failures > 0);
  };
  try {
    const bool ended = run_tests(programs, options.test, observer);
    summary.stopped = !ended && options.fail_fast && !interrupted();
    summary.interrupted = !ended && !summary.stopped;
  } catch (const std::exception& error) {
    bar.clear();
    return report_errors({as_diagnostic({error.what(), ""})}, false);
  }
  bar.clear();
  bool failed_to_write = false;
  if (options.update && !summary.interrupted) {
    const TestUpdate update = update_counts(summary.results);
    summary.updated = update.updated;
    say(update.text);
    if (!update.errors.empty()) {
      static_cast<void>(report_errors(update.errors, false));
      failed_to_write = true;
    }
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  say(format_summary(summary, style));
  if (!options.junit_file.empty() && !write_output(options.junit_file, tests_junit(summary, programs))) {
    failed_to_write = true;
  }
  if (quiet) {
    written = write_report(tests_json(summary, programs));
  } else if (!options.json_file.empty() && !write_output(options.json_file, tests_json(summary, programs))) {
    failed_to_write = true;
  }
  if (!summary.interrupted && exit_code(summary) == bad_input) {
    const std::string why = !summary.results.empty()      ? "all checks were left out"
                            : options.test.filter.empty() ? "none of these programs has an expectation"
                                                          : "no expectation matches --filter";
    write_error(fmt::format("heddle: nothing was tested: {}\n", why));
  }
  return failed_to_write || !written ? bad_input : exit_code(summary);
}

}  // namespace heddle::cli
