// What a search of all executions finds, to be compared with that of another program that should behave alike.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::differential {

// The values of the listed outcomes.
[[nodiscard]] std::set<std::vector<std::int64_t>> final_states(const CheckResult& result);

struct WholeSearch {
  bool finished = true;                        // within the limits
  std::set<std::vector<std::int64_t>> states;  // final ones
  std::uint64_t executions = 0;
  bool violation = false;
  bool operator==(const WholeSearch&) const = default;
};

// Fails the running test case if the check is refused.
[[nodiscard]] WholeSearch search_whole(const Program& program, const std::string& model,
                                       const std::string& algorithm,
                                       std::optional<std::uint64_t> max_executions = {},
                                       std::optional<std::uint64_t> max_transitions = {},
                                       std::optional<std::uint32_t> preemption_bound = {});

}  // namespace heddle::differential
