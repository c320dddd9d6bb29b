// Reports of check --coverage: text, JSON and lcov's format.
#pragma once

#include <string>
#include <vector>

#include "cli/json.hpp"
#include "cli/report.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

// Only the program's own files count; modules of the standard library do not.
[[nodiscard]] std::string format_coverage(const Program& program, const CheckResult& result,
                                          const Style& style);
[[nodiscard]] Json coverage_json(const Program& program, const CheckResult& result);
// An lcov tracefile (geninfo(1)): SF, DA, BRDA and their sums.
[[nodiscard]] std::string coverage_lcov(const Program& program, const CheckResult& result);

}  // namespace heddle::cli
