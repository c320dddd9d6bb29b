// Rounds of retry loops that load a value and then replace it by a `cas` that expects it:
//   while !done { let old = x; done = cas(x, old, old + 1); }
//   while true { let old = x; let next = old | 1; if cas(x, old, next) { break; } }
//   while !try_wait(s) { await s.count > 0; }
// where try_wait begins with `let seen = s.count; if seen <= 0 || !cas(s.count, seen, seen - 1) { return false; }`.
// Where a round that fails does nothing else, the load and the `cas` of one that succeeds can be one update: fetch_add(x, 1) there,
// and here a `fetch_sub(s.count, 1)` that waits for s.count > 0. docs/algorithms.md, "Update pairs", says why. Independent
// of LLVM.
#pragma once

#include <optional>
#include <unordered_map>

#include "compiler/expression_forms.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

struct UpdatePair {
  const lang::Statement* loop = nullptr;
  lang::Statement update;                 // the load, with the update in its place
  const lang::Expression* cas = nullptr;  // succeeds
  std::optional<Passing> waits_for;       // what the value must be; nothing: the update does not wait
  // If the loop's condition is `!f(...)`: this call. The load is the first statement of the function.
  const lang::Expression* call = nullptr;
  // Also in threads that run ahead of their loads: where nothing tells that what depends on the load depends on the update.
  bool ahead = false;
};

// By the load; those with a call by the loop.
using UpdatePairs = std::unordered_map<const lang::Statement*, UpdatePair>;

// Pointers into the program. Time linear in the program, but for loops in loops.
[[nodiscard]] UpdatePairs update_pairs(const lang::Program& program);

}  // namespace heddle::compiler
