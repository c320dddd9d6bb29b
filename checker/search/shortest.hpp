// The shortest schedule to a violation; see heddle/minimise.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checker/search/search.hpp"

namespace heddle::checker {

// What a schedule is to lead to.
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

// The search's options give the model, the bounds and the limits.
// Throws NoImplementation if the model is not operational.
[[nodiscard]] Shortest find_shortest(const Search& search, const WantedEnd& wanted);

// The same under POWER, among schedules of at most `most_steps` commits; `found` is empty if there is none.
[[nodiscard]] Shortest find_shortest_commits(const Search& search, std::size_t most_steps,
                                             const WantedEnd& wanted);

}  // namespace heddle::checker
