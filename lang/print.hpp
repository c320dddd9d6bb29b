// Prints a resolved program as .hed text.
#pragma once

#include <string>
#include <string_view>

#include "lang/tree.hpp"

namespace heddle::lang {

// Text that the front end reads back as the same program, one statement per line. Meant for translated litmus
// tests. Other programs can be printed if they have no structs, local arrays or reference parameters. Lost
// are what the tree does not keep (comments; constants and `param`s appear as their values) and expectations,
// which may be about other values of params. Of the features that only litmus tests have, a `filter` becomes
// part of the conditions, and the list of observed values is lost.
[[nodiscard]] std::string print_program(const Program& program);

// "fence", "fence lw", "fence st", "fence isync".
[[nodiscard]] std::string_view spelling(FenceKind kind);

}  // namespace heddle::lang
