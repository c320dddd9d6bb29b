// Running tests: the result of one check against one expectation, and running all of them in worker
// processes.
//
// The parent compiles nothing. It forks workers, which receive the number of a program through a pipe and
// send back a line for each check that begins or ends. When no program waits any more, the cores of idle workers
// go to the checks that still run: each may explore with several threads. If a worker crashes, only its current check is lost:
// another worker continues after that check.
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
  std::vector<std::string> models;      // expectations for others are left out
  std::vector<std::string> algorithms;  // empty: those that the expectation names, else the model's default
  std::string filter;                   // only expectations whose program, suite or text contains it
  TestBounds bounds;                    // override those of a line; `safe` is then safe within bounds
  double timeout = 60;                  // seconds for one check, unless its line says otherwise
  std::optional<std::uint64_t> max_memory;  // bytes that a search may take
  unsigned jobs = 1;                        // worker processes, and threads of them together
  std::string cluster;  // URL of the exchange whose workers take checks that last; empty: none
};

enum class TestStatus : std::uint8_t {
  passed,
  failed,     // the result differs
  undecided,  // a limit was reached
  broken,     // the program cannot be compiled, or the options contradict each other
  crashed,    // the worker died
  left_out,   // for a model or an algorithm that does not exist or was not selected
};
[[nodiscard]] std::string_view name(TestStatus status);

// One expectation under one model and algorithm. A program that cannot be compiled has one result in total,
// without an expectation.
struct TestResult {
  std::size_t program = 0;  // index into the list of programs
  TestStatus status = TestStatus::passed;
  std::string place;        // file of the expectation
  std::uint32_t line = 0;   // 0: not about one line
  std::string expectation;  // as written
  std::string model;
  std::string algorithm;
  std::string message;    // the actual result, or why the check was left out; empty if passed
  std::string violation;  // failed: the violation with its trace, as text; may be empty
  std::string reproduce;  // the command that reproduces it; may be empty
  double seconds = 0;     // of the check
  // For expectations of counts, if the search finished: the actual number, which --update writes.
  std::optional<std::uint64_t> found;
};

// Runs all programs and calls `done(program, results)` for each of them in order, as soon as it and those
// before it have finished. Meanwhile it calls `idle(finished, failures)` at least ten times per second; if
// that returns false, the run stops and calls `done` with all known results, even of unfinished programs.
// Returns whether the run finished.
struct TestObserver {
  std::function<void(std::size_t program, const std::vector<TestResult>& results)> done;
  std::function<bool(std::size_t finished, std::size_t failures)> idle;
};
[[nodiscard]] bool run_tests(const std::vector<TestProgram>& programs, const TestSettings& settings,
                             const TestObserver& observer);

// A worker's part: runs one program, calling `begin` before each check and `end` with its result. The first
// `skip` checks are not run, because they already have results. `threads`: how many threads a check may have at
// the moment.
void run_program(std::size_t number, const TestProgram& program, const TestSettings& settings,
                 std::size_t skip, const std::function<std::uint32_t()>& threads,
                 const std::function<void(const TestResult&)>& begin,
                 const std::function<void(const TestResult&)>& end);

}  // namespace heddle::cli
