// The list of algorithms and which of them works with which model. `--help`, the tests' matrix and error
// messages all read it. Adding an algorithm: write its file, declare its function, add its line in
// registry.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/search/search.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

struct Algorithm {
  using Run = void (*)(Search&);
  struct Implementation {
    std::string_view model;
    Run run = nullptr;
  };

  AlgorithmInfo info;
  std::vector<Implementation> implementations;  // for models that are not here there is none

  // Null if there is none.
  [[nodiscard]] Run run_under(std::string_view model) const;
};

[[nodiscard]] const std::vector<Algorithm>& all_algorithms();
[[nodiscard]] const std::vector<ModelInfo>& all_models();
// Null if there is none of the name.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);
[[nodiscard]] const ModelInfo* find_model(std::string_view name);

}  // namespace heddle::checker
