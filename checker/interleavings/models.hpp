// The list of operational models. Adding one: write its file, add it here.
#pragma once

#include "checker/interleavings/pso.hpp"
#include "checker/interleavings/sc.hpp"
#include "checker/interleavings/tso.hpp"
#include "checker/search/model_list.hpp"

namespace heddle::checker {

using OperationalModels = ModelList<SequentialConsistency, TotalStoreOrder, PartialStoreOrder>;

}  // namespace heddle::checker
