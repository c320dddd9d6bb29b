// exists / forall / forbid: conditions over final states as functions.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// The locals that conditions can name, by thread and LocalId; offset 0 stands for those that they cannot
// name.
using LocalOffsets = std::vector<std::vector<std::uint32_t>>;

// Writes `bool name(const i64* memory, const std::byte* const* blocks)`. It reads, branches and computes,
// nothing else: an index out of bounds reads 0, and so is what is divided by zero.
llvm::Function* generate_condition(llvm::Module& module, const std::string& name,
                                   const lang::Program& program, const lang::Expression& condition,
                                   const LocalOffsets& locals);

}  // namespace heddle::compiler
