// The result of a check, as text for people and as JSON for programs. Nothing is printed here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/advice.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_lines.hpp"
#include "heddle/graph.h"
#include "heddle/heddle.h"
#include "heddle/lint.h"

namespace heddle::cli {

// Layout of text.
struct Style {
  std::size_t width = 100;  // columns
  Paint paint{false};
  TraceView view = {};
};

// Verdict, counts, bounds, conditions, outcomes; for a violation its message and trace.
// `shows_witness`: the option that shows a witness, suggested to users who have not given it. Empty: no
// suggestion.
[[nodiscard]] std::string text_report(const Program& program, const CheckResult& result, const Style& style,
                                      const std::string& shows_witness = {});

// A witness: its description as one phrase, and with its trace.
[[nodiscard]] std::string witness_message(const Witness& witness);
[[nodiscard]] std::string format_witness(const Program& program, const Witness& witness, const Style& style);

// The cycle of a violation of the kind not_robust in the lines of the program; empty for others.
[[nodiscard]] std::string format_cycle(const Program& program, const Violation& violation,
                                       const Style& style);

// A violation: its place, its message, its trace.
[[nodiscard]] std::string format_violation(const Program& program, const Violation& violation,
                                           const Style& style);

// The trace alone: its lines as a table with a column for each thread, or as a list if the columns do not
// fit, or as a chart; then the shared variables and the state of each thread at the end.
[[nodiscard]] std::string format_trace(const Trace& trace, const std::string& main_file, const Style& style);

// The lines as a message sequence chart: a column for each thread, and arrows from writers to readers.
[[nodiscard]] std::string format_chart(const Trace& trace, const std::string& main_file, const Style& style);
// "7", "queue.hed:7"; empty for a line without a place.
[[nodiscard]] std::string place_of(const TraceLine& line, const std::string& main_file);

// The execution graph, one event per line with its outgoing edges except program order. Events have the
// numbers of their steps if the trace is in commit order, else numbers of their own.
[[nodiscard]] std::string format_graph(const ExecutionGraph& graph, bool numbered_by_step);
// The graph of a trace in commit order, with a heading; empty for other traces, whose order shows what
// happened.
[[nodiscard]] std::string format_commit_graph(const Trace& trace);
[[nodiscard]] bool in_commit_order(const Trace& trace);

// A table of final states with the executions that end in each; one line for each if the columns do not fit.
[[nodiscard]] std::string format_outcomes(const std::vector<Outcome>& outcomes, const Style& style);

// The places where blocked executions ended, one per line.
[[nodiscard]] std::string format_places(const std::vector<BlockedAt>& places, const Style& style);
// The reason why a check is vacuous; empty if it is not.
[[nodiscard]] std::string format_vacuity(const CheckResult& result, const Style& style);

// Each condition with how often it held (so far); empty without conditions.
[[nodiscard]] std::string format_conditions(const CheckResult& result, const Style& style);

// "x = 1, flag = {0, 1}": consecutive array elements become one item; long runs of a value are abbreviated.
[[nodiscard]] std::string format_values(const std::vector<NamedValue>& values);

// What --lint found.
struct LintReport {
  std::vector<LintWarning> warnings = {};
  std::vector<Diagnostic> notes = {};
  std::vector<Diagnostic> open = {};  // questions that were not decided
  std::size_t fixed = 0;              // how many fences --fix changed
};

// One JSON document, as docs/json.md describes it, with a line end. `minimised`: the result of --minimise;
// empty without it. `lint`: null without --lint. `advice`: of a check that a limit ended.
[[nodiscard]] std::string json_report(const Program& program, const CheckResult& result,
                                      std::string_view minimised = {}, const LintReport* lint = nullptr,
                                      const std::optional<Advice>& advice = {});
[[nodiscard]] std::string json_errors(const std::vector<Diagnostic>& errors, int exit_code);

}  // namespace heddle::cli
