// Violations in SARIF 2.1.0, which editors and code hosts show.
#pragma once

#include <string>

#include "heddle/heddle.h"

namespace heddle::cli {

// A run with one result for the violation, its trace as a thread flow; without a violation it has no result.
[[nodiscard]] std::string sarif(const Program& program, const CheckResult& result);

}  // namespace heddle::cli
