// Symmetry: which threads of a program are equal, so that a permutation of them turns executions into executions.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/image.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

// By thread, the one before it in its class of equal threads, or `none`; empty if no two threads are equal, or if
// these options tell them apart (CheckOptions::symmetry). Classes are so small that the number of permutations of all
// classes is below 2^40. O(threads).
[[nodiscard]] std::vector<std::uint32_t> twins_of(const compiler::Image& image, const CheckOptions& options);

}  // namespace heddle::checker
