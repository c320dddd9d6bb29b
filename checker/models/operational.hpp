// The list of operational models. Adding one: write its file, add it here.
#pragma once

#include "checker/models/pso.hpp"
#include "checker/models/sc.hpp"
#include "checker/models/tso.hpp"

namespace heddle::checker {

template <typename... Models>
struct ModelList {
  // Calls `visit.template operator()<Model>()` for each model in order.
  template <typename Visit>
  static void for_each(Visit&& visit) {
    (visit.template operator()<Models>(), ...);
  }
};

using OperationalModels = ModelList<SequentialConsistency, TotalStoreOrder, PartialStoreOrder>;

}  // namespace heddle::checker
