// What herd says about a litmus test, from what a check of all its executions found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

struct LitmusVerdict {
  bool ok = false;               // the condition is met, with its quantifier
  bool decided = true;           // false: more executions could change `ok`
  std::string_view observation;  // of the condition without it: "Never", "Sometimes", "Always", "Undecided"
  std::uint64_t holds = 0;       // executions whose final state it holds for
  std::uint64_t others = 0;
};

// `result` must be of a check that kept going, and the program a litmus test. A test without a condition asks
// nothing, so every execution is as it should be.
[[nodiscard]] LitmusVerdict judge_litmus(const Program& program, const CheckResult& result);

// What commands that work on the text of a .hed file say of a file whose name is that of a litmus test.
[[nodiscard]] std::optional<UsageError> refuse_litmus(const std::string& file);

// A final state as herd writes it: "0:r1=0; [x]=1;".
[[nodiscard]] std::string format_state(const Outcome& outcome);

}  // namespace heddle::cli
