// Programs that stand in files, for the cross tester: examples, test programs, published litmus tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "differential/properties.hpp"

namespace heddle::cross {

// The project's examples and test programs, and every `sample`-th litmus test of ../shared/litmus if that is
// there; sorted.
[[nodiscard]] std::vector<std::string> corpus(std::size_t sample);

// Does every pair of the registry agree on the file? A file that does not compile is a failure.
[[nodiscard]] differential::Finding examine_file(const std::string& path);

// "dpor/sc dpor/tso ...": all pairs of an algorithm and a model that the registry allows.
[[nodiscard]] std::string all_pairs();

}  // namespace heddle::cross
