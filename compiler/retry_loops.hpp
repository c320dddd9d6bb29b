// Loops that try again: `while` loops a round of which may turn out to be idle, which is to change nothing. Which rounds
// are idle shows when the program runs (Generator::while_statement); docs/algorithms.md, "Idle rounds", says why an
// execution may end there. Independent of LLVM.
#pragma once

#include <vector>

#include "lang/tree.hpp"

namespace heddle::compiler {

// The `while` loops of the program's threads, in the order of the text, that can be left, read shared memory, and do not
// change something in each round: loops of threads that are no daemons, and of the functions that these call, outside of
// `atomic`. Pointers into the program. Time linear in the tree.
[[nodiscard]] std::vector<const lang::Statement*> retry_loops(const lang::Program& program);

}  // namespace heddle::compiler
