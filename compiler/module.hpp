// The output of `lower` for the loader. Internal to compiler/ and jit/: includes LLVM's headers.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "compiler/lower.hpp"

namespace heddle::compiler {

// The only exported symbol: an array of pointers to the `start` functions and the conditions.
inline constexpr const char* table_name = "heddle.table";
// `start` functions call this with the address of their block and its size, a constant after the coroutine
// passes. The call makes the block escape, so LLVM keeps the stores to it. The loader removes the calls after
// all passes.
inline constexpr const char* block_size_marker = "heddle.block_size";

// Programs in one module. Functions that several of them have in common are there once.
class LoweredPrograms {
 public:
  struct Part {
    // Complete except for addresses and block sizes.
    Image image;
    std::vector<CoveragePoint> coverage_points;
    std::vector<bool> repeated_sites;
    // Indexes into `functions`.
    std::vector<std::uint32_t> thread_functions;  // by thread
    std::uint32_t final_function = 0;
    std::vector<std::uint32_t> condition_functions;  // by condition
    std::vector<std::uint32_t> invariant_functions;  // by invariant
    struct Temporal {
      std::optional<std::uint32_t> cause;
      std::uint32_t goal = 0;
    };
    std::vector<Temporal> temporal_functions;  // by claim
  };
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  bool optimise = false;
  std::vector<std::string> functions;  // in table order
  std::vector<Part> parts;             // by program
};

}  // namespace heddle::compiler
