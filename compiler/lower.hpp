// Resolved program -> LLVM module: one coroutine per thread template, one function per final condition.
// LLVM's headers stay behind this one: they cost seconds per translation unit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/coverage.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

struct Options {
  std::uint32_t unroll = 16;  // rounds of a `while` before op loop_bound
  bool run_ahead = false;     // threads that run ahead of their loads, see Dependencies
  bool coverage = false;      // count how often each point of the program is passed: Image::coverage
  bool optimise = false;      // LLVM's O2 instead of the short pipeline; not for very large threads
  // Threads with more visible operations than this are not given to LLVM's coroutine passes, which take
  // quadratic time and memory, but become plain functions with a switch; they behave the same. See
  // compiler/frame.hpp.
  std::uint32_t coroutine_operations = 100;
};

// An LLVM module with its context, and what the JIT must know to make an Image of it.
class LoweredProgram;
struct LoweredProgramDeleter {
  void operator()(LoweredProgram* program) const;
};
using LoweredProgramPointer = std::unique_ptr<LoweredProgram, LoweredProgramDeleter>;

// Cannot fail for a program that the front end accepted; a module that LLVM's verifier refuses ends in
// std::logic_error with the verifier's words.
[[nodiscard]] LoweredProgramPointer lower(const lang::Program& program, const lang::SourceMap& sources,
                                          const Options& options);

// What the counters of the image count, in their order; empty without Options::coverage.
[[nodiscard]] const std::vector<CoveragePoint>& coverage_points(const LoweredProgram& program);

// Textual IR as written by `lower` (before the coroutine passes).
[[nodiscard]] std::string print_ir(const LoweredProgram& program);

}  // namespace heddle::compiler
