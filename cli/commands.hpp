// The commands, after the command line has been parsed. Each returns the exit code: 0 safe or done, 1
// violation, 2 bad input or an output that cannot be written, 3 undecided.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

inline constexpr int bad_input = 2;  // the exit code, see above

// main() without its handler for unexpected exceptions.
[[nodiscard]] int run(int count, const char* const* arguments);

[[nodiscard]] int run_check(const Options& options);
// Many checks, for lists of models, algorithms or params; see sweep.hpp for the exit code.
[[nodiscard]] int run_sweep(const Options& options);
[[nodiscard]] int run_estimate(const Options& options);  // check --estimate
[[nodiscard]] int run_outcomes(const Options& options);
[[nodiscard]] int run_compare(const Options& options);
// 0: every expectation is met; 1: one is not.
[[nodiscard]] int run_test(const Options& options);
// The same for a compiled program; `options.file` and `options.compile` are ignored.
// `shows_violation`: the command that shows a violation, for the report.
[[nodiscard]] int show_outcomes(const Program& program, const Options& options,
                                const std::string& shows_violation);
[[nodiscard]] int show_comparison(const Program& program, const Options& options);
// The prompt: reads commands from a terminal or from standard input.
[[nodiscard]] int run_repl(const Options& options);
// 1: the trace leads to a violation; 0: it no longer does.
[[nodiscard]] int run_replay(const Options& options);
[[nodiscard]] int run_emit(const Options& options);
[[nodiscard]] int run_list(const Options& options);
// Writes a program to start from; overwrites nothing.
[[nodiscard]] int run_new(const Options& options);
[[nodiscard]] int run_completions(const Options& options);
[[nodiscard]] int run_man(const Options& options);
// 0: done; 1: with --check, a file is not in the canonical style.
[[nodiscard]] int run_format(const Options& options);
// 0: realisable under every requested model; 1: unrealisable under one of them.
[[nodiscard]] int run_consistency(const Options& options);

// 0: every test ends in the expected states; 1: one does not; 3: one was not decided.
[[nodiscard]] int run_conformance(const Options& options);
// 0: answered, 3: undecided. `show_why` ignores `options.file` and `options.compile`.
[[nodiscard]] int run_why(const Options& options);
[[nodiscard]] int show_why(const Program& program, const Options& options);
[[nodiscard]] int run_translate(const Options& options);
// 0: found; 1: no fences suffice; 3: undecided.
[[nodiscard]] int run_fences(const Options& options);
[[nodiscard]] int run_cluster(const Options& options);

// A usage error in the form that errors in programs have.
[[nodiscard]] Diagnostic as_diagnostic(const UsageError& error);

// An error in an input file: "FILE:LINE: error: MESSAGE", without the line if that is 0.
[[nodiscard]] Diagnostic about_file(const std::string& file, std::string message, std::uint32_t line = 0);

// The first of these errors in one line, with its place.
[[nodiscard]] std::string first_message(const std::vector<Diagnostic>& errors);

// Writes the text that a command produces (IR, translation, completions) to standard output, plain or in a
// JSON document. Returns the exit code.
[[nodiscard]] int write_product(const Options& options, const std::string& text);

// Writes errors as text to standard error, or as one JSON document to standard output. Returns the exit code.
[[nodiscard]] int report_errors(const std::vector<Diagnostic>& errors, bool json, int exit_code = bad_input);

}  // namespace heddle::cli
