// What follows the program of a test: the observed registers and locations, and the condition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/litmus/build.hpp"
#include "lang/litmus/syntax.hpp"

namespace heddle::lang::litmus {

// The local that holds a register, or a local of a C thread, at the end.
struct ObservedLocal {
  std::uint32_t thread;
  std::string name;  // canonical()
  LocalId id;
};

// The canonical name of a register or local: %eax and RAX have the same one. Empty if there is no such
// register.
[[nodiscard]] std::string canonical(const Place& place, Architecture architecture);

template <typename Use>
void each_place(const Formula& formula, Use& use) {
  if (formula.kind == FormulaKind::equal) use(formula.place);
  if (formula.other) use(*formula.other);
  for (const Formula& part : formula.parts) each_place(part, use);
}

// Calls `use(place)` for everything observed, in source order.
template <typename Use>
void each_place(const Constraint& constraint, Use&& use) {
  for (const Place& place : constraint.locations) use(place);
  if (constraint.filter) each_place(*constraint.filter, use);
  each_place(constraint.formula, use);
}

// Adds the properties and the observations to the program of `builder`. `locals` must have an entry for each
// register that the constraint mentions.
void add_conditions(const Constraint& constraint, std::string name, Architecture architecture,
                    const std::vector<ObservedLocal>& locals, Builder& builder);

}  // namespace heddle::lang::litmus
