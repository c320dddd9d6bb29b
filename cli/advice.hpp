// What to do about a check that ran out of time or memory: how far each algorithm got, and what to try.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "heddle/estimate.h"

namespace heddle::cli {

struct Advice {
  struct Reached {
    std::string algorithm;
    std::optional<double> share;  // of the executions, 0 to 1: an estimate; nothing where there is none
    std::string text;             // the same as a clause
  };
  std::vector<Reached> reached;  // the algorithm of the result, then those that it was given up for
  std::string next;              // what to try, as a sentence
};

// Nothing unless a limit of time or memory ended the check. `expected`: an estimate of its executions.
[[nodiscard]] std::optional<Advice> advise(const CheckOptions& options, const CheckResult& result,
                                           const std::optional<Estimate>& expected);
// Whether an estimate would be of use.
[[nodiscard]] bool needs_advice(const CheckResult& result);

// Two sentences, in lines of this width.
[[nodiscard]] std::string to_text(const Advice& advice, std::size_t width);
[[nodiscard]] Json to_json(const Advice& advice);

}  // namespace heddle::cli
