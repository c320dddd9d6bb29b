// Loops that repeat a read-modify-write until it finds the value that it needs, and revert each attempt that fails:
//   while fetch_sub(free, 1) <= 0 { fetch_add(free, 1); await free > 0; }
//   while exchange(taken, 1) != 0 { }
//   while !cas(taken, 0, 1) { await taken == 0; }
// Where nothing can tell that there were failing rounds, a thread need not make any: it waits for the value as at an
// `await`, and updates the variable in one step with reading it. docs/algorithms.md, "Waiting updates", says when that is so
// and why. Independent of LLVM.
#pragma once

#include <unordered_map>

#include "compiler/expression_forms.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// What stands for a loop, and for the declaration before it that its body repeats, if there is one.
struct WaitingUpdate {
  const lang::Statement* loop = nullptr;
  // The `cas`, `exchange`, `fetch_add` or `fetch_sub` that opens a round; its index and operands are literals or locals.
  const lang::Expression* update = nullptr;
  // The loop ends if this is true of the value read. (`equal`, `greater_equal` or `less_equal`; the bound is a literal or a local.)
  Passing ends;
  // If the loop's condition is `!f(...)`: this call. The update is in the first statement of the function, which returns false
  // after one that has failed; what follows happens once.
  const lang::Expression* call = nullptr;
  // Declares or assigns the local that gets the value that was read; or null.
  const lang::Statement* gives = nullptr;
};

// By the first statement that it stands for.
using WaitingUpdates = std::unordered_map<const lang::Statement*, WaitingUpdate>;

// Pointers into the program. Time linear in the program with its calls inlined, for each variable that some loop compares
// with one value.
[[nodiscard]] WaitingUpdates waiting_updates(const lang::Program& program);

}  // namespace heddle::compiler
