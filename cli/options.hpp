// The command line as a value. Parsing prints nothing and ends nothing; main() does that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/test_run.hpp"
#include "heddle/consistency.h"
#include "heddle/heddle.h"

namespace heddle::cli {

enum class Command {
  show_text,
  check,
  outcomes,
  compare,
  test,
  replay,
  repl,
  fmt,
  emit,
  list,
  consistency,
  conformance,
  translate,
  completions,
  man
};

// Files to write beside the report; empty: not asked for.
struct Artefacts {
  std::string trace;
  std::string dot;
  std::string html;
  std::string sarif;
  std::string lcov;
};

inline constexpr double default_compare_timeout = 10;  // seconds for each check of `compare`

struct Options {
  Command command = Command::show_text;
  std::string text;  // show_text: what --help or --version shows
  std::string file;  // of the commands that take one
  CompileOptions compile;
  CheckOptions check;
  ConsistencyOptions consistency;
  std::vector<std::string> models;      // compare
  std::vector<std::string> algorithms;  // compare; those that do not work with a model are left out
  std::vector<std::string> only;        // outcomes, compare: variables to show; empty: all
  std::vector<std::string> paths;       // test, fmt
  bool check_only = false;              // fmt
  TestSettings test;
  std::string junit_file;     // test; empty: none
  std::string json_file;      // test; empty: none, "-": standard output
  bool update = false;        // test
  bool fail_fast = false;     // test
  std::string expected;       // conformance: the table of expected states
  std::uint32_t jobs = 1;     // conformance: worker threads
  std::uint32_t sample = 1;   // conformance: every so many-th test
  bool to_litmus = false;     // translate
  Artefacts artefacts;        // check, replay, outcomes
  std::size_t violation = 1;  // check: which one to show, from 1
  std::size_t witness = 0;    // check: of which `exists`, outcomes: for which row, from 1; 0: none
  bool minimise = false;      // check
  bool lint = false;          // check
  bool step = false;          // replay
  std::string program;        // replay: the program instead of the one that the trace names
  std::string shell;          // completions
  bool json = false;
  bool progress = true;
  bool llvm = false;     // emit
  bool echo = false;     // repl
  bool version = false;  // --version
};

// For commands that check a program under one model.
[[nodiscard]] inline CompileOptions for_one_model(const Options& options) {
  CompileOptions result = options.compile;
  result.model = options.check.model;
  return result;
}

// One sentence about what is wrong, and a hint that may be empty.
struct UsageError {
  std::string message;
  std::string hint;
};

// `arguments` as main() gets them. Names of models and algorithms, and whether the two go together, are
// checked here, before any work is done; everything else about a bound is up to heddle::check().
[[nodiscard]] std::variant<Options, UsageError> parse_options(int count, const char* const* arguments);

}  // namespace heddle::cli
