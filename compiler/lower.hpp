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
  bool endless = false;       // no `while` of a thread is cut or counts its rounds; those of `final` are
  // A round of a retry loop that changed nothing ends the thread by op idle_round, and the thread waits at an update instead
  // of trying where it can (not with `coverage`, which is about failing rounds, too). With `run_ahead`, only the latter.
  bool end_idle = false;
  bool clear_dead = false;   // values that a thread does not read again are 0; not together with run_ahead
  bool run_ahead = false;    // threads run ahead of their loads, see Dependencies
  bool lock_blocks = false;  // `atomic` is a critical section of Image::block_mutex, see atomic.cpp
  bool calls = false;        // distinguish calls of built-in modules: repeated_sites
  bool coverage = false;     // count passes of each point of the program: Image::coverage
  bool optimise = false;     // run LLVM's O2 instead of the short pipeline; not on very large threads
  // LLVM's coroutine passes take quadratic time and memory. Threads with more visible operations than this
  // become plain functions with a switch instead, with the same behaviour. See compiler/frame.hpp.
  std::uint32_t coroutine_operations = 100;
};

// An LLVM module with its context, and what the JIT needs to make images of the programs in it.
class LoweredPrograms;
struct LoweredProgramsDeleter {
  void operator()(LoweredPrograms* programs) const;
};
using LoweredProgramsPointer = std::unique_ptr<LoweredPrograms, LoweredProgramsDeleter>;

// Cannot fail for a program that the front end accepted. If LLVM's verifier rejects the module, throws
// std::logic_error with the verifier's message.
[[nodiscard]] LoweredProgramsPointer lower(const lang::Program& program, const lang::SourceMap& sources,
                                           const Options& options);

// A program that results from a text, and the text's files.
struct Variant {
  const lang::Program* program = nullptr;
  const lang::SourceMap* sources = nullptr;
};
// The same for several programs that result from one text with different params: the names, texts and numbers
// of files must be equal. Functions that are equal are in the module once, so their code is generated once.
[[nodiscard]] LoweredProgramsPointer lower(const std::vector<Variant>& variants, const Options& options);

// What the counters of the first program's image count, in order. Empty without Options::coverage.
[[nodiscard]] const std::vector<CoveragePoint>& coverage_points(const LoweredPrograms& programs);

// By site of the first program's image: whether one call of a built-in module may pass it several times. Then
// Site::call of every site in a built-in module is the call in a user's file that leads there. Empty without
// Options::calls.
[[nodiscard]] const std::vector<bool>& repeated_sites(const LoweredPrograms& programs);

// Textual IR as written by `lower` (before the coroutine passes).
[[nodiscard]] std::string print_ir(const LoweredPrograms& programs);

}  // namespace heddle::compiler
