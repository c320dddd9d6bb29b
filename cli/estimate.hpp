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

// What the progress line adds when this many executions are done: ", 61 % of about 1.2 million, 12 s left", at this many
// executions a second; empty without an estimate, and where more has been done than was estimated.
[[nodiscard]] std::string remaining_text(const std::optional<Estimate>& estimate, std::uint64_t done,
                                         double rate);
// The same as numbers; nothing where that is empty.
struct Remaining {
  double share = 0;               // of the search that is done, 0 to 1
  std::optional<double> seconds;  // nothing if there is no rate
};
[[nodiscard]] std::optional<Remaining> remaining(const std::optional<Estimate>& estimate, std::uint64_t done,
                                                 double rate);

// A quick one, for the progress line; nothing if the pair has none.
[[nodiscard]] std::optional<Estimate> quick_estimate(const Program& program, const CheckOptions& options);

}  // namespace heddle::cli
