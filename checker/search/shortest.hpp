// What a search for the shortest schedule to a violation (heddle/minimise.h) is given, and its result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checker/search/search.hpp"

namespace heddle::checker {

// The end that a schedule must lead to.
struct WantedEnd {
  std::function<bool(const FoundViolation&)> violation = {};  // one of these
  std::optional<std::size_t> condition = {};                  // or a final state that satisfies it
};

struct Shortest {
  std::optional<FoundViolation> found;  // only its schedule, if the target is a condition
  std::string stopped_by;               // empty: all states nearer than `found` were seen
  std::uint64_t switches = 0;
  std::uint64_t states = 0;
};

// Limits where the options set none: seconds, bytes.
inline constexpr double default_minimise_timeout = 60;
inline constexpr std::uint64_t default_minimise_memory = std::uint64_t{2} << 30;

}  // namespace heddle::checker
