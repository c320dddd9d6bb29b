// A resolved program as .hed text.
#pragma once

#include <string>

#include "lang/tree.hpp"

namespace heddle::lang {

// Text that the front end reads as the same program, one statement a line; for what litmus tests become. Of
// other programs it prints those without structs, local arrays and parameters by reference, but not what the
// tree does not keep (comments, names of constants and `param`s, which appear as their values) and not their
// expectations, which may be about other values of these. What a litmus test has and a .hed file has not: a
// `filter` becomes part of the conditions, which values are observed is lost.
[[nodiscard]] std::string print_program(const Program& program);

}  // namespace heddle::lang
