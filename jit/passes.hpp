// The LLVM passes that turn coroutines into plain functions. Internal to jit/.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <vector>

#include "compiler/module.hpp"

namespace heddle::jit {

// Splits the coroutines, by the short pipeline or LLVM's O2, and removes functions that the host
// never calls. Afterwards the module has only plain functions. Returns the block sizes in table order; 0 for
// conditions.
[[nodiscard]] std::vector<std::size_t> run_passes(compiler::LoweredPrograms& programs,
                                                  llvm::TargetMachine& machine);

}  // namespace heddle::jit
