// The reports of `heddle test`.
#pragma once

#include <string>
#include <vector>

#include "cli/report.hpp"
#include "cli/test_run.hpp"

namespace heddle::cli {

struct TestSummary {
  std::vector<TestResult> results;  // program by program
  std::size_t programs = 0;
  std::size_t without_expectations = 0;  // programs
  std::size_t updated = 0;               // failed results that --update has corrected
  bool interrupted = false;
  bool stopped = false;  // by --fail-fast
  TestBounds bounds;     // those of the command line
  double seconds = 0;
  unsigned jobs = 1;
};

[[nodiscard]] bool is_failure(const TestResult& result);
[[nodiscard]] std::size_t failures(const TestSummary& summary);
// 0 all passed (or were updated), 1 a failure, 2 nothing was checked at all, 3 interrupted before the end.
[[nodiscard]] int exit_code(const TestSummary& summary);

// One line: place, model, algorithm, expected and actual result, the command that reproduces it.
[[nodiscard]] std::string format_failure(const TestResult& result, const Style& style);
// The slowest checks, the reasons why checks were left out, then the sums.
[[nodiscard]] std::string format_summary(const TestSummary& summary, const Style& style);

[[nodiscard]] std::string tests_json(const TestSummary& summary, const std::vector<TestProgram>& programs);
// JUnit XML: a test suite for each program, a test case for each check.
[[nodiscard]] std::string tests_junit(const TestSummary& summary, const std::vector<TestProgram>& programs);

// --update: sets the numbers of `expect ... executions N` and `outcomes N` to the actual ones.
struct TestUpdate {
  std::string text;                // lines that were changed, and those that could not be
  std::vector<Diagnostic> errors;  // files that cannot be written
  std::size_t updated = 0;         // corrected results
};
[[nodiscard]] TestUpdate update_counts(const std::vector<TestResult>& results);

}  // namespace heddle::cli
