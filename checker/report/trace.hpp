// From what an algorithm found to what a user reads: traces with names and source text, messages, final
// states.
#pragma once

#include "checker/explore/search.hpp"
#include "heddle/heddle.h"
#include "jit/runtime.hpp"

namespace heddle::checker {

// Replays the schedule of the violation on a fresh machine of the search's model and describes every row of
// it. Throws std::logic_error if the replay does not show the violation: that would be an error of the
// algorithm.
[[nodiscard]] Violation describe(const Search& search, const FoundViolation& found);

// The final states of the search, sorted by their values.
[[nodiscard]] std::vector<Outcome> describe_outcomes(const Search& search);

[[nodiscard]] std::vector<ConditionCount> describe_conditions(const Search& search);

}  // namespace heddle::checker
