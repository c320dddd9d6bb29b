// A walk over every model and algorithm that go together.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "heddle/heddle.h"

namespace heddle::tests {

// use(model, algorithm) with the names of each pair that the registry allows and that cuts loops; a failure shows
// them.
template <typename Use>
void for_each_pair(Use&& use) {
  for (const auto& model : models()) {
    for (const auto& algorithm : algorithms()) {
      const std::string model_name(model.name);
      const std::string algorithm_name(algorithm.name);
      if (algorithm.runs_endless || !why_not(model_name, algorithm_name).empty()) continue;
      CAPTURE(model_name);
      CAPTURE(algorithm_name);
      use(model_name, algorithm_name);
    }
  }
}

}  // namespace heddle::tests
