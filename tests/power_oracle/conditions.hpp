// The value of `exists`, `forall`, `forbid` and `filter` conditions in a final state.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::power_oracle {

struct FinalState {
  std::vector<std::int64_t> memory;
  std::vector<std::vector<std::vector<std::int64_t>>> locals;  // by thread, local, element
};

// Undefined values count as 0: an element out of bounds, a quotient by 0.
[[nodiscard]] std::int64_t value_in(const lang::Program& program, const lang::Expression& condition,
                                    const FinalState& state);

}  // namespace heddle::power_oracle
