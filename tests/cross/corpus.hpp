// The program files that the cross tester uses: examples, test programs, published litmus tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "differential/properties.hpp"

namespace heddle::cross {

struct Corpus {
  std::vector<std::string> paths;
  std::size_t published = 0;  // published litmus tests, of which every `sample`-th is among the paths
};

// The project's examples, test programs and litmus tests, and every `sample`-th published litmus test, if
// HEDDLE_LITMUS names a folder of them. Throws std::filesystem::filesystem_error if a folder cannot be read.
[[nodiscard]] Corpus corpus(std::size_t sample);

// Whether every pair of the registry agrees on the file. A file that does not compile is a failure.
[[nodiscard]] differential::Finding examine_file(const std::string& path);

// "dpor/sc dpor/tso ...": all pairs of algorithm and model that the registry allows.
[[nodiscard]] std::string all_pairs();

}  // namespace heddle::cross
