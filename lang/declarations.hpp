// From the parse tree to the resolved program.
#pragma once

#include "lang/frontend.hpp"
#include "lang/resolution.hpp"
#include "lang/syntax.hpp"

namespace heddle::lang {

// Fills `resolution.program` from a tree without syntax errors. The program is meaningful only if no error
// has been reported. Linear in the tree.
void resolve_program(Resolution& resolution, const syntax::File& tree, const Parameters& overrides);

// One `expect` line; params and conditions must have been declared.
void resolve_expectation(Resolution& resolution, const syntax::Item& item);

// Properties of the whole program that follow from who calls whom: no recursion, no forbidden operations
// below `final`, bounded size after inlining.
void check_calls(Resolution& resolution);

}  // namespace heddle::lang
