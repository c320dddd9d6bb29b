// The list of axiomatic models. To add one, write its file of axioms and add it here.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/commits/pso_axioms.hpp"
#include "checker/commits/sc_axioms.hpp"
#include "checker/commits/tso_axioms.hpp"
#include "checker/search/model_list.hpp"

namespace heddle::checker {

using AxiomaticModels =
    ModelList<SequentialConsistencyAxioms, TotalStoreOrderAxioms, PartialStoreOrderAxioms>;

// The name of the axioms that executions of the model follow where store buffers have so much room: none is that of SC.
[[nodiscard]] inline std::string_view axioms_of(std::string_view model,
                                                std::optional<std::uint32_t> buffer_bound) {
  return buffer_bound && *buffer_bound == 0 ? SequentialConsistencyAxioms::name : model;
}

}  // namespace heddle::checker
