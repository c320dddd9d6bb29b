// Every algorithm under `power` against the oracle.
#pragma once

#include <string>

#include "heddle/heddle.h"
#include "tests/power_oracle/oracle.hpp"

namespace heddle::power_oracle {

struct Comparison {
  std::string skipped;     // why the oracle cannot judge the program
  std::string difference;  // empty: all agree
  Judgement judgement;
};

// The oracle judges the program's tree. Compares complete executions (of `rf`: classes), final states,
// conditions, and whether there is a violation. If the program has a `fence st`, which the commit-order model
// counts as commit-before, the algorithms may find less.
[[nodiscard]] Comparison compare(const Program& program, const Options& options = {});

[[nodiscard]] std::string describe(const Program& program, const Judgement& judgement);

}  // namespace heddle::power_oracle
