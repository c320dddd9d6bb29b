// The command line as a value. Parsing neither prints nor exits; main() does.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/test_run.hpp"
#include "heddle/consistency.h"
#include "heddle/fences.h"
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
  why,
  translate,
  fences,
  completions,
  man,
  cluster,
  new_
};

// Files to write in addition to the report; empty: none.
struct Artefacts {
  std::string trace;
  std::string dot;
  std::string html;
  std::string mermaid;
  std::string sarif;
  std::string lcov;
  std::string checkpoint;  // of check; written during the search
};

inline constexpr double default_compare_timeout = 10;  // seconds for each check of `compare`

// The values of a `param` in a sweep, in the order of the command line.
struct ParameterValues {
  std::string name;
  std::vector<std::int64_t> values;
};

// How check, outcomes and replay show an execution.
struct TraceLayout {
  bool unfold = false;
  bool locals = false;
  bool chart = false;
};

enum class ClusterAction : std::uint8_t { work, status, cancel };
struct ClusterOptions {
  ClusterAction action = ClusterAction::work;
  std::string url;       // check: empty: this process explores
  std::string check;     // cancel: the one to end; empty: all
  unsigned workers = 1;  // processes
  std::chrono::milliseconds lease{15'000};
  std::optional<double> idle;  // seconds
};

struct Options {
  Command command = Command::show_text;
  std::string text;  // show_text: the output of --help or --version
  std::string file;  // for commands that take one
  CompileOptions compile;
  CheckOptions check;
  ConsistencyOptions consistency;
  FenceOptions fences;
  std::vector<std::string> models;      // compare, sweeps of check
  std::vector<std::string> algorithms;  // compare, sweeps; unsupported pairs are skipped
  bool sweep = false;                   // check: several models, algorithms or params, or a CSV file
  std::vector<ParameterValues> values;  // sweeps: of the params that -D gives, in order
  unsigned sweep_jobs = 1;              // sweeps: worker threads
  std::string resume_file;              // check; empty: none
  std::string csv_file;                 // sweeps; empty: none, "-": standard output
  std::vector<std::string> only;        // outcomes, compare: variables to show; empty: all
  std::vector<std::string> paths;       // test, fmt
  bool check_only = false;              // fmt
  TestSettings test;
  std::string junit_file;      // test; empty: none
  std::string json_file;       // test; empty: none, "-": standard output
  bool update = false;         // test
  bool fail_fast = false;      // test
  std::string expected;        // conformance: the table of expected states
  std::uint32_t jobs = 1;      // conformance: worker threads
  std::uint32_t sample = 1;    // conformance: run every Nth test
  bool to_litmus = false;      // translate
  ClusterOptions cluster;      // cluster, check
  Artefacts artefacts;         // check, replay, outcomes
  TraceLayout layout;          // check, replay, outcomes
  std::size_t violation = 1;   // check: the one to show, from 1
  std::size_t witness = 0;     // check: number of an `exists`, outcomes: number of a row, from 1; 0: none
  bool minimise = false;       // check
  bool estimate = false;       // check
  RandomSearch random;         // check: moved to CheckOptions if `runs` is set
  bool shapes_random = false;  // check: --seed or --depth is there
  bool lint = false;           // check
  bool fix = false;            // check
  bool step = false;           // replay
  std::string condition;       // why
  std::string program;         // replay: the program instead of the one that the trace names
  bool each_model = false;     // fences
  bool why = false;            // fences
  bool apply = false;          // fences
  std::string shell;           // completions
  std::string template_name;   // new
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

// The error in one sentence, and an optional hint.
struct UsageError {
  std::string message;
  std::string hint;
};

// `arguments` as passed to main(). Names of models and algorithms, and supported pairs of them, are checked
// here, before any work is done; heddle::check() checks bounds.
[[nodiscard]] std::variant<Options, UsageError> parse_options(int count, const char* const* arguments);

}  // namespace heddle::cli
