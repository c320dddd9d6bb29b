// Total store order (x86), the axiomatic form (memory-models.md, "TSO"):
// acyclic(ppo | fence | rfe | co | fr) with ppo = po without W->R. Either side being locked keeps the pair.
#pragma once

#include <string_view>

#include "checker/models/access_kind.hpp"
#include "jit/runtime.hpp"

namespace heddle::checker {

struct TotalStoreOrderAxioms {
  static constexpr std::string_view name = "tso";

  static constexpr bool keeps(AccessKind earlier, AccessKind later) {
    return !(earlier == AccessKind::store && later == AccessKind::load);
  }
  static constexpr bool orders_stores(jit::Fence /*fence*/) { return true; }
};

}  // namespace heddle::checker
