// The list of axiomatic models. To add one, write its file of axioms and add it here.
#pragma once

#include <string_view>

#include "checker/commits/pso_axioms.hpp"
#include "checker/commits/sc_axioms.hpp"
#include "checker/commits/tso_axioms.hpp"
#include "checker/search/model_list.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

using AxiomaticModels =
    ModelList<SequentialConsistencyAxioms, TotalStoreOrderAxioms, PartialStoreOrderAxioms>;

// The name of the axioms that the executions have to follow. Buffers without room are none.
[[nodiscard]] inline std::string_view axioms_of(const CheckOptions& options) {
  if (options.buffer_bound && *options.buffer_bound == 0) return SequentialConsistencyAxioms::name;
  return options.model;
}

}  // namespace heddle::checker
