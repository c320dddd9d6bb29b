// Sequential consistency, the axiomatic form (memory-models.md, "SC"): acyclic(po | rf | co | fr).
#pragma once

#include <string_view>

#include "checker/commits/axioms.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

struct SequentialConsistencyAxioms {
  static constexpr std::string_view name = "sc";

  static constexpr bool keeps(AccessKind /*earlier*/, AccessKind /*later*/) { return true; }
  static constexpr bool orders_stores(Fence /*fence*/) { return true; }
};

}  // namespace heddle::checker
