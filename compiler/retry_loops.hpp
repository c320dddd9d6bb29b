// Loops that try again: `while` loops a round of which may turn out to be idle, which is to change nothing. Which rounds
// are idle shows when the program runs (Generator::while_statement); docs/algorithms.md, "Idle rounds", says why an
// execution may end there. Independent of LLVM.
#pragma once

#include <span>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::compiler {

// The `while` loops of the program's threads, in the order of the text, that can be left, read shared memory, and do not
// change something in each round: loops of threads that are no daemons, and of the functions that these call, outside of
// `atomic`. Pointers into the program. Time linear in the tree.
[[nodiscard]] std::vector<const lang::Statement*> retry_loops(const lang::Program& program);

// A `while` whose body ends with what comes before it, as in `var old = x; while !cas(x, old, old + 1) { old = x; }`, where
// these statements are the first ones of `statements` and no more come before; else null. (They may declare what the body
// assigns.) A round of such a loop can be said to begin there. `body`: where they are. Time linear in them.
[[nodiscard]] const lang::Statement* repeated_by(const lang::Body& body,
                                                 std::span<const lang::Statement> statements);

}  // namespace heddle::compiler
