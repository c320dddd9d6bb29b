// Total store order (x86), the axiomatic form (memory-models.md, "TSO"):
// acyclic(ppo | fence | rfe | co | fr) with ppo = po without W->R. Either side being locked keeps the pair.
#pragma once

#include <string_view>

#include "checker/commits/axioms.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

struct TotalStoreOrderAxioms {
  static constexpr std::string_view name = "tso";

  static constexpr bool keeps(AccessKind earlier, AccessKind later) {
    return !(earlier == AccessKind::store && later == AccessKind::load);
  }
  static constexpr bool orders_stores(Fence /*fence*/) { return true; }
};

}  // namespace heddle::checker
