// What `heddle test` says and writes.
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
  std::size_t updated = 0;               // results that failed and that --update has put right
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

// One line: place, model, algorithm, what was expected and found, the command that shows it.
[[nodiscard]] std::string format_failure(const TestResult& result, const Style& style);
// The slowest checks, why checks were left out, then the sums.
[[nodiscard]] std::string format_summary(const TestSummary& summary, const Style& style);

[[nodiscard]] std::string tests_json(const TestSummary& summary, const std::vector<TestProgram>& programs);
// As JUnit writes it: a test suite for each program, a test case for each check.
[[nodiscard]] std::string tests_junit(const TestSummary& summary, const std::vector<TestProgram>& programs);

// --update: sets the numbers of `expect ... executions N` and `outcomes N` to what was found.
struct TestUpdate {
  std::string text;                // what was changed and what could not be, a line each
  std::vector<Diagnostic> errors;  // files that cannot be written
  std::size_t updated = 0;         // results that are right now
};
[[nodiscard]] TestUpdate update_counts(const std::vector<TestResult>& results);

}  // namespace heddle::cli
