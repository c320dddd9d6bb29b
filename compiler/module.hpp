// What `lower` leaves for the loader. Internal to compiler/ and jit/: includes LLVM's headers.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "compiler/lower.hpp"

namespace heddle::compiler {

// The one symbol that the module exports: an array of pointers to `start` functions and conditions.
inline constexpr const char* table_name = "heddle.table";
// `start` functions call this with the size of their block, a constant after the coroutine passes, and with
// the block: thus LLVM knows that others see it and keeps the stores. The loader takes the calls out again
// after all passes.
inline constexpr const char* block_size_marker = "heddle.block_size";

class LoweredProgram {
 public:
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  bool optimise = false;
  // Complete but for addresses and block sizes.
  Image image;
  std::vector<CoveragePoint> coverage_points;
  // Functions in the order of the table; the indexes below count in it.
  std::vector<std::string> functions;
  std::vector<std::uint32_t> thread_functions;  // by thread
  std::uint32_t final_function = 0;
  std::vector<std::uint32_t> condition_functions;  // by condition
};

}  // namespace heddle::compiler
