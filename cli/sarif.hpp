// Violations and warnings in SARIF 2.1.0, which editors and code hosts show.
#pragma once

#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/lint.h"

namespace heddle::cli {

// A run with one result for the violation, if there is one, its trace as a thread flow, and one for each
// warning.
[[nodiscard]] std::string sarif(const Program& program, const CheckResult& result,
                                const std::vector<LintWarning>& warnings);

}  // namespace heddle::cli
