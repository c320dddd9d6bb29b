// A resolved program as .hed text.
#pragma once

#include <string>

#include "lang/tree.hpp"

namespace heddle::lang {

// Text that the front end reads as the same program, one statement a line; for what litmus tests become, and
// programs without structs, local arrays and parameters by reference. What the tree does not keep
// (comments, names of constants, the places of `param`s in expressions) is gone: parameters appear as their
// values. What a litmus test has and a .hed file has not: a `filter` becomes part of the conditions, which
// values are observed is lost.
[[nodiscard]] std::string print_program(const Program& program);

}  // namespace heddle::lang
