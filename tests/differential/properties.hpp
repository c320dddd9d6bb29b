// What must hold for checks of one program. A property is a function from a compiled program to a description
// of the difference, empty if there is none. `naive` is the oracle; if it would take too long, the property
// reports that the program was skipped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::differential {

struct Finding {
  bool skipped = false;
  bool violation = false;  // `naive` found a violation, possibly one of many
  std::string difference;  // empty: the property holds
};

using Property = std::function<Finding(const Program&)>;

// All properties, on one compiled program: compiling takes longer than checking a small program once.
[[nodiscard]] Property all_of(std::vector<Property> properties);

// Every algorithm of the registry that supports the model finds what `naive` finds: verdict, outcomes, ways
// of being blocked, conditions. dpor and source count the same executions.
[[nodiscard]] Finding algorithms_agree(const Program& program, const std::string& model);
// The same for every model of the registry. If `naive` takes too long or does not support a model, the first
// algorithm that finishes in time replaces it, and algorithms that do not finish in time are left out. A
// program that no algorithm finishes is skipped.
[[nodiscard]] Finding all_pairs_agree(const Program& program);
// The same with store buffers of at most 0, 1 and 2 entries; with 0 the outcomes are those of SC.
[[nodiscard]] Finding buffer_bounds_agree(const Program& program, const std::string& model);
// With at most 0, 1, 2 and 3 preemptions, every algorithm that supports a preemption bound finds exactly the
// outcomes and violations of the interleavings with so few (preemptions.cpp), with store buffers of at most
// `buffer_bound` entries.
[[nodiscard]] Finding preemption_bounds_agree(const Program& program, const std::string& model,
                                              std::optional<std::uint32_t> buffer_bound = {});
// SC allows no more than TSO, TSO no more than PSO, and PSO no more than POWER.
[[nodiscard]] Finding models_are_ordered(const Program& program);
// What SC allows with at most 0, 1 or 2 preemptions POWER allows with as few.
[[nodiscard]] Finding bounded_models_are_ordered(const Program& program);

}  // namespace heddle::differential
