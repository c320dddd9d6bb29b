// What stands behind the program of a test: which registers and locations are observed, and its condition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/litmus/build.hpp"
#include "lang/litmus/syntax.hpp"

namespace heddle::lang::litmus {

// The local of a thread that holds a register, or a local of C, at the end.
struct ObservedLocal {
  std::uint32_t thread;
  std::string name;  // canonical()
  LocalId id;
};

// One name for all ways to write the register or local of a place: %eax and RAX are one. Empty if there is no
// such register.
[[nodiscard]] std::string canonical(const Place& place, Architecture architecture);

template <typename Use>
void each_place(const Formula& formula, Use& use) {
  if (formula.kind == FormulaKind::equal) use(formula.place);
  if (formula.other) use(*formula.other);
  for (const Formula& part : formula.parts) each_place(part, use);
}

// Calls `use(place)` for all that is observed, in the order of the text.
template <typename Use>
void each_place(const Constraint& constraint, Use&& use) {
  for (const Place& place : constraint.locations) use(place);
  if (constraint.filter) each_place(*constraint.filter, use);
  each_place(constraint.formula, use);
}

// Adds the properties and what is observed to the program of `builder`. `locals` has one entry for each
// register that the constraint names.
void add_conditions(const Constraint& constraint, std::string name, Architecture architecture,
                    const std::vector<ObservedLocal>& locals, Builder& builder);

}  // namespace heddle::lang::litmus
