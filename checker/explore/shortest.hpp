// The shortest schedule to a violation; see heddle/minimise.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checker/explore/search.hpp"

namespace heddle::checker {

struct Shortest {
  std::optional<FoundViolation> found;
  std::string stopped_by;  // empty: all states nearer than `found` were seen
  std::uint64_t switches = 0;
  std::uint64_t states = 0;
};

// `wanted` says which violations count. The search's options give the model, the bounds and the limits.
// Throws TooManyProcesses as with_machine() does; nothing if the model has no machine.
[[nodiscard]] std::optional<Shortest> find_shortest(const Search& search,
                                                    const std::function<bool(const FoundViolation&)>& wanted);

}  // namespace heddle::checker
