// The files that `check` and `replay` write in addition to the report: --trace, --dot, --html, --mermaid,
// --sarif, --coverage-lcov.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "heddle/heddle.h"
#include "heddle/lint.h"

namespace heddle::cli {

// An error if a file that `write_artefacts` would write is the program, one of its imports, one of the
// `inputs`, or another output.
[[nodiscard]] std::optional<UsageError> overwritten_file(const Artefacts& files, const Program& program,
                                                         std::vector<std::string> inputs = {});

// The execution that --trace, --dot, --html and --mermaid show: the violation of the result or, if there is none or
// Options::witness is set, a witness. Empty if there is neither.
[[nodiscard]] std::optional<Shown> shown_execution(const CheckResult& result, const Options& options);

// How the options show a trace of the program; `details` receives what the result refers to.
[[nodiscard]] TraceView view_of(const Program& program, const Trace& trace, const std::string& model,
                                const Options& options, std::optional<TraceDetails>& details);

// Writes the requested files. Each failure is one message on standard error and does not stop the others.
// Without an execution to show, only --sarif writes a file. Returns false if one failed.
[[nodiscard]] bool write_artefacts(const Program& program, const CheckResult& result, const Options& options,
                                   const std::vector<LintWarning>& warnings = {});

}  // namespace heddle::cli
