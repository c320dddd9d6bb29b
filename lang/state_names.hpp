// The names of a program, made again from its resolved tree: for expressions that are typed in when the
// program has long been compiled (lang/state_expression.hpp). Programs that never were text, like litmus
// tests, have them too.
#pragma once

#include "lang/resolution.hpp"

namespace heddle::lang {

// Declares all names of `resolution.program`, whose names of variables must outlive the resolution. What an
// imported file declares becomes a name of a module. Structs are known by their fields only: they get back
// the shape that the names of their leaves show.
void declare_again(Resolution& resolution);

}  // namespace heddle::lang
