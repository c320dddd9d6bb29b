// The list of axiomatic models. To add one, write its file of axioms and add it here.
#pragma once

#include "checker/commits/pso_axioms.hpp"
#include "checker/commits/sc_axioms.hpp"
#include "checker/commits/tso_axioms.hpp"
#include "checker/search/model_list.hpp"

namespace heddle::checker {

using AxiomaticModels =
    ModelList<SequentialConsistencyAxioms, TotalStoreOrderAxioms, PartialStoreOrderAxioms>;

}  // namespace heddle::checker
