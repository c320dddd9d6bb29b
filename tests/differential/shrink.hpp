// Makes a program that fails a test small: takes away threads and statements and simplifies expressions as
// long as the test still fails.
#pragma once

#include <functional>

#include "random_program.hpp"

namespace heddle::differential {

// A program that still `fails`, and of which no single simplification does. `fails(program)` must hold at the
// start; it is asked some hundred times, also about programs that do not compile (which then do not fail).
[[nodiscard]] RandomProgram shrink(RandomProgram program,
                                   const std::function<bool(const RandomProgram&)>& fails);

}  // namespace heddle::differential
