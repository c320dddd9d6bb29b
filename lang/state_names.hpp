// Rebuilds the symbol table of a compiled program from its resolved tree, for expressions typed in later
// (lang/state_expression.hpp). This also gives names to programs without .hed text, like litmus tests.
#pragma once

#include "lang/resolution.hpp"

namespace heddle::lang {

// Declares all names of `resolution.program`, whose variable names must outlive the resolution. Declarations
// of an imported file become names of a module. Structs have been flattened: their shape is recovered from
// the names of their leaves.
void declare_again(Resolution& resolution);

}  // namespace heddle::lang
