// The shortest schedule to a violation under POWER; see shortest.cpp.
#pragma once

#include <cstddef>

#include "checker/search/shortest.hpp"

namespace heddle::checker {

// Searches schedules of at most `most_steps` commits; `found` is empty if none violates. The search's options
// give the limits.
[[nodiscard]] Shortest find_shortest_commits(const Search& search, std::size_t most_steps,
                                             const WantedEnd& wanted);

}  // namespace heddle::checker
