// What `heddle test` runs: programs with their own `expect` lines, and lists of expectations in .suite files.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::cli {

// Bounds of a check that are not the usual ones.
struct TestBounds {
  std::optional<std::uint32_t> unroll;
  std::optional<std::uint32_t> buffer_bound;
  std::optional<std::uint32_t> preemption_bound;
  auto operator<=>(const TestBounds&) const = default;
};

// One line of a .suite file.
struct SuiteEntry {
  std::string file;  // the program, relative to where we run
  TestBounds bounds;
  std::optional<double> timeout;  // seconds for each of its checks
  Expectation expectation;        // `line` and `source` are those of the .suite file
};

// One program and what is expected of it.
struct TestProgram {
  std::string file;
  std::string suite;                // where the entries stand; empty: the program has its own expectations
  std::vector<SuiteEntry> entries;  // all of the same file; empty if `suite` is
};

// A line is `FILE  SETTINGS  MODELS  ALGORITHMS  EXPECTATION`, separated by white space; `#` begins a
// comment. SETTINGS are params and bounds, `N=3,unroll=4,timeout=5`, or `-`; MODELS `sc,tso` or `all`;
// ALGORITHMS names or `-` (whatever the run takes); EXPECTATION is what an `expect` line has after its colon.
// FILE is relative to the folder of `name`; one with blanks stands in quotes. Errors name file and line.
[[nodiscard]] std::variant<std::vector<SuiteEntry>, std::vector<Diagnostic>> parse_suite(
    std::string_view text, const std::string& name);

// All programs that the paths name, in order: files as they are, folders with all .hed, .litmus and .suite
// files below them, sorted by name.
[[nodiscard]] std::variant<std::vector<TestProgram>, std::vector<Diagnostic>> collect_tests(
    const std::vector<std::string>& paths);

}  // namespace heddle::cli
