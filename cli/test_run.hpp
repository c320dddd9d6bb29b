// Running tests: what one check against one expectation gave, and running all of them in worker processes.
//
// The parent compiles nothing. It forks workers, which get the number of a program through a pipe and send
// back a line for each check that begins or ends. A worker that dies takes only the check with it that it had
// begun: another one goes on after that check.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/suite.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

struct TestSettings {
  std::vector<std::string> models;      // an expectation for others is left out
  std::vector<std::string> algorithms;  // empty: those that the expectation names, else the model's default
  std::string filter;                   // only expectations in whose program, suite or text it occurs
  TestBounds bounds;                    // instead of those of a line; `safe` is then safe within bounds
  double timeout = 60;                  // seconds for one check, unless its line says otherwise
  std::optional<std::uint64_t> max_memory;  // bytes that a search may take
  unsigned jobs = 1;                        // worker processes
};

enum class TestStatus : std::uint8_t {
  passed,
  failed,     // found something else
  undecided,  // a limit was reached
  broken,     // the program cannot be compiled, or the options cannot be meant
  crashed,    // the worker died
  left_out,   // for a model or an algorithm that is not there or was not asked for
};
[[nodiscard]] std::string_view name(TestStatus status);

// One expectation under one model and algorithm; for a program that cannot be compiled there is one result
// for all of it, without an expectation.
struct TestResult {
  std::size_t program = 0;  // index into the list of programs
  TestStatus status = TestStatus::passed;
  std::string place;        // file of the expectation
  std::uint32_t line = 0;   // 0: not about one line
  std::string expectation;  // as written
  std::string model;
  std::string algorithm;
  std::string message;    // what was found instead; why it was left out; empty if passed
  std::string violation;  // failed: the violation that was found with its trace, as text; may be empty
  std::string reproduce;  // the command that shows it; may be empty
  double seconds = 0;     // of the check
  // Expectations of counts that were explored to the end: the number found, to which --update sets the line.
  std::optional<std::uint64_t> found;
};

// Runs all programs and calls `done(program, results)` for each of them in order, as soon as it and those
// before it are finished; between the programs' results calls `idle(finished, failures)` at least ten times a
// second: return false to stop. `done` is then called with all results that are known, those of programs that
// have not finished too. Returns whether it came to its end.
struct TestObserver {
  std::function<void(std::size_t program, const std::vector<TestResult>& results)> done;
  std::function<bool(std::size_t finished, std::size_t failures)> idle;
};
[[nodiscard]] bool run_tests(const std::vector<TestProgram>& programs, const TestSettings& settings,
                             const TestObserver& observer);

// What a worker does for one program: `begin` is called with the check that is about to run, `end` with its
// result. The first `skip` checks are not run: they have results already.
void run_program(std::size_t number, const TestProgram& program, const TestSettings& settings,
                 std::size_t skip, const std::function<void(const TestResult&)>& begin,
                 const std::function<void(const TestResult&)>& end);

}  // namespace heddle::cli
