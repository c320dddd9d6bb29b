// From the parse tree to the resolved program.
#pragma once

#include "lang/frontend.hpp"
#include "lang/resolution.hpp"
#include "lang/syntax.hpp"

namespace heddle::lang {

// Fills `resolution.program` from a tree without syntax errors. The program is meaningful only if no error
// has been reported. Linear in the size of the tree. `order` lists all modules, each after the modules it
// imports.
void resolve_program(Resolution& resolution, const std::vector<std::uint32_t>& order,
                     const Parameters& overrides);

// Resolves one `expect` line. Params and conditions must already be declared.
void resolve_expectation(Resolution& resolution, const syntax::Item& item);

// Checks what follows from the call graph: no recursion, no forbidden operations reachable from `final`,
// bounded size after inlining. With `spin_await`, loops that only wait become `await`s.
void check_calls(Resolution& resolution, bool spin_await);

}  // namespace heddle::lang
