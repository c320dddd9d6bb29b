// Variables whose writes a thread may revert without anything else in the program being able to tell: see
// LocationImage::revertible. Independent of LLVM.
#pragma once

#include <memory>
#include <vector>

#include "compiler/image.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// By variable: what `await`s compare its values with; null if something else looks at them: a load outside of the
// condition of an `await`, one of which more depends than a comparison with a constant, a `cas` or a `trylock`. Time
// linear in the tree.
[[nodiscard]] std::vector<std::shared_ptr<const std::vector<Comparison>>> revertible_variables(
    const lang::Program& program);

}  // namespace heddle::compiler
