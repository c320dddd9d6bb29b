// Shrinks a program that fails a test: removes threads and statements and simplifies expressions as long as
// the test still fails.
#pragma once

#include <functional>

#include "random_program.hpp"

namespace heddle::differential {

// A program that still `fails`, though no single simplification of it does. `fails(program)` must hold at the
// start. It is called some hundred times, also with programs that do not compile (for which it must return
// false).
[[nodiscard]] RandomProgram shrink(RandomProgram program,
                                   const std::function<bool(const RandomProgram&)>& fails);

}  // namespace heddle::differential
