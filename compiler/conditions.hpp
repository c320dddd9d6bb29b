// Compiles exists / forall / forbid: conditions over final states become functions.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// The locals that conditions can name, by thread and LocalId. Offset 0 marks all others.
using LocalOffsets = std::vector<std::vector<std::uint32_t>>;

// Emits `bool name(const i64* memory, const std::byte* const* blocks)`. The function has no side effects and
// cannot fail: an index out of bounds reads 0, and division by zero yields 0.
llvm::Function* generate_condition(llvm::Module& module, const std::string& name,
                                   const lang::Program& program, const lang::Expression& condition,
                                   const LocalOffsets& locals);

}  // namespace heddle::compiler
