// herd's report about a litmus test, from a check of all its executions.
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

// `result` must come from a check with keep_going, and the program must be a litmus test. Without a condition
// every execution is as expected.
[[nodiscard]] LitmusVerdict judge_litmus(const Program& program, const CheckResult& result);

// The error of commands that need the text of a .hed file if they are given a litmus test (by its name).
[[nodiscard]] std::optional<UsageError> refuse_litmus(const std::string& file);

// A final state in herd's format: "0:r1=0; [x]=1;".
[[nodiscard]] std::string format_state(const Outcome& outcome);

}  // namespace heddle::cli
