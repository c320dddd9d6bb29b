// The shortest schedule to a violation under an operational model; see shortest.cpp.
#pragma once

#include "checker/search/shortest.hpp"

namespace heddle::checker {

// The search's options give the model, the bounds and the limits.
// Throws NoImplementation if the model is not operational.
[[nodiscard]] Shortest find_shortest(const Search& search, const WantedEnd& wanted);

}  // namespace heddle::checker
