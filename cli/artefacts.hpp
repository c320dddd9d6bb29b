// The files that `check` and `replay` write beside their report: --trace, --dot, --html, --sarif,
// --coverage-lcov.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "heddle/heddle.h"
#include "heddle/lint.h"

namespace heddle::cli {

// An error if what `write_artefacts` is to write would take the place of the program, of something that it
// imports, of another one of the `inputs`, or of what it has just written.
[[nodiscard]] std::optional<UsageError> overwritten_file(const Artefacts& files, const Program& program,
                                                         std::vector<std::string> inputs = {});

// What --trace, --dot and --html show: the violation of the result or, if there is none or one was asked for
// (Options::witness), a witness. Nothing if there is neither.
[[nodiscard]] std::optional<Shown> shown_execution(const CheckResult& result, const Options& options);

// Writes what the options ask for. What cannot be written is one message on standard error each; the others
// are written nevertheless. Without an execution to show only --sarif has something to say. False if one
// failed.
[[nodiscard]] bool write_artefacts(const Program& program, const CheckResult& result, const Options& options,
                                   const std::vector<LintWarning>& warnings = {});

}  // namespace heddle::cli
