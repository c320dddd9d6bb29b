// From the parse tree to the resolved program.
#pragma once

#include "lang/frontend.hpp"
#include "lang/resolution.hpp"
#include "lang/syntax.hpp"

namespace heddle::lang {

// Fills `resolution.program` from a tree without syntax errors. The program is meaningful only if no error
// has been reported. Linear in the tree.
// `order` has all modules, imported ones before those that import them.
void resolve_program(Resolution& resolution, const std::vector<std::uint32_t>& order,
                     const Parameters& overrides);

// One `expect` line; params and conditions must have been declared.
void resolve_expectation(Resolution& resolution, const syntax::Item& item);

// Properties of the whole program that follow from who calls whom: no recursion, no forbidden operations
// below `final`, bounded size after inlining. With `spin_await` loops that only wait become `await`s.
void check_calls(Resolution& resolution, bool spin_await);

}  // namespace heddle::lang
