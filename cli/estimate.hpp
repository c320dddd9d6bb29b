// How long a check will take: `check --estimate`, and the progress line.
#pragma once

#include <optional>
#include <string>

#include "cli/json.hpp"
#include "heddle/estimate.h"

namespace heddle::cli {

// "about 1.2 million executions (95 %: 1.1 million to 1.3 million), about 12 s with one thread".
[[nodiscard]] std::string estimate_text(const Estimate& estimate);
[[nodiscard]] Json to_json(const Estimate& estimate);

// What the progress line adds when this many executions are done: ", about 12 s of 1 min left"; empty without
// an estimate, and where more has been done than was estimated.
[[nodiscard]] std::string remaining_text(const std::optional<Estimate>& estimate, const Progress& progress);

// A quick one, for the progress line; nothing if the pair has none.
[[nodiscard]] std::optional<Estimate> quick_estimate(const Program& program, const CheckOptions& options);

}  // namespace heddle::cli
