// The list of operational models. To add one, write its file and put it in the list.
#pragma once

#include "checker/interleavings/interleaving.hpp"
#include "checker/interleavings/pso.hpp"
#include "checker/interleavings/sc.hpp"
#include "checker/interleavings/tso.hpp"
#include "checker/search/model_list.hpp"

namespace heddle::checker {

template <OperationalModel... Models>
using ListOfOperationalModels = ModelList<Models...>;

using OperationalModels = ListOfOperationalModels<SequentialConsistency, TotalStoreOrder, PartialStoreOrder>;

}  // namespace heddle::checker
