// The input of `heddle test`: programs with their own `expect` lines, and lists of expectations in .suite
// files.
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

// Non-default bounds of a check.
struct TestBounds {
  std::optional<std::uint32_t> unroll;
  std::optional<std::uint32_t> buffer_bound;
  std::optional<std::uint32_t> preemption_bound;
  auto operator<=>(const TestBounds&) const = default;
};

// One line of a .suite file.
struct SuiteEntry {
  std::string file;  // the program, relative to the working directory
  TestBounds bounds;
  std::optional<double> timeout;  // seconds for each of its checks
  Expectation expectation;        // `line` and `source` are those of the .suite file
};

// One program with its expectations.
struct TestProgram {
  std::string file;
  std::string suite;                // the file of the entries; empty: the program has its own expectations
  std::vector<SuiteEntry> entries;  // all of the same file; empty if `suite` is
};

// A line is `FILE  SETTINGS  MODELS  ALGORITHMS  EXPECTATION`, separated by white space; `#` begins a
// comment. SETTINGS are params and bounds, `N=3,unroll=4,timeout=5`, or `-`; MODELS `sc,tso` or `all`;
// ALGORITHMS names or `-` (those of the run); EXPECTATION is the part of an `expect` line after its colon.
// FILE is relative to the folder of `name`; names with blanks are quoted. Errors name file and line.
[[nodiscard]] std::variant<std::vector<SuiteEntry>, std::vector<Diagnostic>> parse_suite(
    std::string_view text, const std::string& name);

// All programs that the paths name, in order. A folder stands for all .hed, .litmus and .suite files below
// it, sorted by name.
[[nodiscard]] std::variant<std::vector<TestProgram>, std::vector<Diagnostic>> collect_tests(
    const std::vector<std::string>& paths);

}  // namespace heddle::cli
