// Partial store order (SPARC), the axiomatic form (memory-models.md, "PSO"): as TSO, but W->W is not kept
// either. (W->W to one location is: coherence puts the two in the same order.) `fence lw` and `fence st`,
// which are stbar, keep W->W.
#pragma once

#include <string_view>

#include "checker/commits/axioms.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

struct PartialStoreOrderAxioms {
  static constexpr std::string_view name = "pso";

  static constexpr bool keeps(AccessKind earlier, AccessKind later) {
    return !(earlier == AccessKind::store && (later == AccessKind::load || later == AccessKind::store));
  }
  static constexpr bool orders_stores(Fence fence) {
    return fence == Fence::lightweight || fence == Fence::store_store;
  }
};

}  // namespace heddle::checker
