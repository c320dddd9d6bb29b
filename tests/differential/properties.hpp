// What must hold between two checks of one program: each property is a function from a compiled program to
// what is wrong, and nothing if all is well. `naive` is the oracle; where it would take too long the property
// says that it was skipped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::differential {

struct Finding {
  bool skipped = false;
  bool violation = false;  // `naive` found one, perhaps one of many
  std::string difference;  // empty: the property holds
};

using Property = std::function<Finding(const Program&)>;

// All of them, on one compiled program: compiling takes longer than checking a small program once.
[[nodiscard]] Property all_of(std::vector<Property> properties);

// Under the model, every algorithm of the registry that works with it finds what `naive` finds: verdict,
// outcomes, ways of being blocked, conditions. dpor and source count the same executions.
[[nodiscard]] Finding algorithms_agree(const Program& program, const std::string& model);
// The same for every model of the registry. Where `naive` takes too long or does not work with a model, the
// first algorithm that is done in time is what the others are compared with, as far as they are done in time
// too; a program that none of them can finish is skipped.
[[nodiscard]] Finding all_pairs_agree(const Program& program);
// The same with store buffers of at most 0, 1 and 2 entries; with 0 the outcomes are those of SC.
[[nodiscard]] Finding buffer_bounds_agree(const Program& program, const std::string& model);
// With at most 0, 1, 2 and 3 preemptions every algorithm that takes a preemption bound finds the outcomes and
// the violations of the interleavings with so few, and no others (preemptions.cpp).
[[nodiscard]] Finding preemption_bounds_agree(const Program& program, const std::string& model);
// What happens under SC happens under TSO, what happens there under PSO, and what happens there under POWER.
[[nodiscard]] Finding models_are_ordered(const Program& program);

}  // namespace heddle::differential
