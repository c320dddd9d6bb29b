// Questions about resolved programs, and programs with one thing changed; for lint.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::lint_trees {

// A place in the program's own file. The tree has one copy of a function with `ref` parameters for each
// combination of arguments, so one place can be several statements.
struct Place {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  auto operator<=>(const Place&) const = default;
};

// The fence statements, except under conditions that are constantly false, in the order of the text.
[[nodiscard]] std::vector<Place> fences(const lang::Program& program, const lang::SourceMap& sources);
// The program with other kinds of fences at the places; nothing: without the fence.
using Changes = std::map<Place, std::optional<lang::FenceKind>>;
[[nodiscard]] lang::Program with_changes(const lang::Program& program, const Changes& changes);

// The statements `x += e` and `x = ... x ...` on shared integers, in the order of the text.
struct Update {
  Place place;
  std::string variable;
};
[[nodiscard]] std::vector<Update> updates(const lang::Program& program);
// The program with an assertion instead of the update, which fails if another thread has changed the variable
// between the load and the store; without all other assertions, conditions and the `final` block.
[[nodiscard]] lang::Program watching(const lang::Program& program, Place place);

// The awaits whose condition is false for all values that its variables can ever have: their initial values
// and the constants that threads store. In the order of the text.
struct HopelessAwait {
  Place place;
  std::vector<std::string> variables;
};
[[nodiscard]] std::vector<HopelessAwait> hopeless_awaits(const lang::Program& program);

}  // namespace heddle::lint_trees
