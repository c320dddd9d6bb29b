// Resolved program -> LLVM module: one coroutine per thread template, one function per final condition. This
// header hides LLVM's headers, which cost seconds per translation unit.
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
  bool run_ahead = false;     // threads run ahead of their loads, see Dependencies
  bool coverage = false;      // count passes of each point of the program: Image::coverage
  bool optimise = false;      // run LLVM's O2 instead of the short pipeline; not on very large threads
  // LLVM's coroutine passes take quadratic time and memory. Threads with more visible operations than this
  // become plain functions with a switch instead, with the same behaviour. See compiler/frame.hpp.
  std::uint32_t coroutine_operations = 100;
};

// An LLVM module with its context, and what the JIT needs to make an Image of it.
class LoweredProgram;
struct LoweredProgramDeleter {
  void operator()(LoweredProgram* program) const;
};
using LoweredProgramPointer = std::unique_ptr<LoweredProgram, LoweredProgramDeleter>;

// Cannot fail for a program that the front end accepted. If LLVM's verifier rejects the module, throws
// std::logic_error with the verifier's message.
[[nodiscard]] LoweredProgramPointer lower(const lang::Program& program, const lang::SourceMap& sources,
                                          const Options& options);

// What the image's counters count, in order. Empty without Options::coverage.
[[nodiscard]] const std::vector<CoveragePoint>& coverage_points(const LoweredProgram& program);

// Textual IR as written by `lower` (before the coroutine passes).
[[nodiscard]] std::string print_ir(const LoweredProgram& program);

}  // namespace heddle::compiler
