// The implementation of heddle::Program.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "compiler/lower.hpp"
#include "heddle/heddle.h"
#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle {

// What ends the loops of an image's threads.
enum class Loops : std::uint8_t {
  bounded,   // the bound of rounds
  retrying,  // that, and in a retry loop a round that changed nothing
  endless,   // nothing
  merging,   // nothing; and values that a thread does not read again become 0, so that more states are equal
};
inline constexpr std::size_t kinds_of_loops = static_cast<std::size_t>(Loops::merging) + 1;

// What the atomic blocks of an image's threads are (compiler/atomic.cpp).
enum class Blocks : std::uint8_t {
  steps,
  sections,  // critical sections of Image::block_mutex
};
inline constexpr std::size_t kinds_of_blocks = static_cast<std::size_t>(Blocks::sections) + 1;

// (Hidden, because the shared library shows what is in a public class.)
struct __attribute__((visibility("hidden"))) Program::State {
  std::string name;
  Parameters parameters;
  std::vector<Expectation> expectations;
  std::uint32_t spin_loops = 0;
  bool unroll_spin_loops = false;  // as CompileOptions says
  // The loops whose idle rounds end in Loops::retrying, or at which threads wait there, in the order of the text. None if
  // `unroll_spin_loops`. Threads that run ahead wait at some of those at which others do.
  struct RetryLoop {
    lang::SourceRange range;
    bool waits = false;
    bool waits_ahead = false;
  };
  std::vector<RetryLoop> retry_loops;
  // The indexes of those at which threads wait.
  [[nodiscard]] std::vector<std::uint32_t> waiting_loops(bool run_ahead) const;
  std::string ir;
  std::optional<LitmusTest> litmus;
  // Its source and tree, for later questions about names.
  lang::SourceMap sources;
  lang::Program tree;

  compiler::Options options;

  // The image whose threads take one operation after the other, or the one whose threads run ahead of their
  // loads; the latter is `bounded` or `retrying`. Each is compiled at its first use. Throws std::runtime_error if
  // that fails. Blocks are sections in images that run ahead, whatever `blocks` says. Thread-safe.
  [[nodiscard]] const std::shared_ptr<const compiler::Image>& image(bool run_ahead = false,
                                                                    Loops loops = Loops::bounded,
                                                                    Blocks blocks = Blocks::steps) const;
  // An image with coverage counters, and the places that they count. Compiled anew for each search.
  struct Instrumented {
    std::shared_ptr<const compiler::Image> image;
    std::vector<compiler::CoveragePoint> points;
    std::vector<bool> repeated;  // compiler::repeated_sites
  };
  [[nodiscard]] Instrumented instrumented(bool run_ahead, Loops loops, Blocks blocks) const;
  // An image with a site for each call of a built-in module, and with loops that are not cut, for any trace of
  // the program. Compiled anew for each use.
  [[nodiscard]] Instrumented traced(bool run_ahead, bool waits_at_loops) const;
  // By variable of the tree: the name of the struct whose field it is; empty for others.
  std::vector<std::string> structs;
  // The image that from_source made, for the names of threads, locations and locals.
  [[nodiscard]] const compiler::Image& any_image() const { return *image(options.run_ahead); }

  // See program.cpp.
  [[nodiscard]] static std::shared_ptr<State> make(lang::Program tree, lang::SourceMap sources,
                                                   const CompileOptions& options, bool run_ahead,
                                                   std::vector<std::string> structs);
  [[nodiscard]] static std::string compile(const std::vector<State*>& states, bool run_ahead,
                                           std::string* ir);

 private:
  [[nodiscard]] Instrumented make_image(const compiler::Options& form) const;
  [[nodiscard]] compiler::Options form(bool run_ahead, Loops loops, Blocks blocks) const;

  mutable std::mutex making_;
  mutable std::shared_ptr<const compiler::Image> images_[kinds_of_blocks]
                                                        [kinds_of_loops];  // by `blocks` and `loops`
  mutable std::shared_ptr<const compiler::Image> run_ahead_images_[kinds_of_loops];  // by `loops`
  [[nodiscard]] std::shared_ptr<const compiler::Image>& slot(bool run_ahead, Loops loops,
                                                             Blocks blocks) const {
    if (run_ahead) return run_ahead_images_[static_cast<std::size_t>(loops)];
    return images_[static_cast<std::size_t>(blocks)][static_cast<std::size_t>(loops)];
  }
};

// Access for the rest of the library and for its tests.
struct ProgramAccess {
  using State = Program::State;
  [[nodiscard]] static const State& state_of(const Program& program) { return *program.state_; }
  [[nodiscard]] static Program program_of(std::shared_ptr<const State> state) {
    return Program(std::move(state));
  }
};

[[nodiscard]] inline const ProgramAccess::State& state_of(const Program& program) {
  return ProgramAccess::state_of(program);
}

// The same program with another tree, without its expect lines. Compiled at its first use.
[[nodiscard]] Program with_tree(const Program& program, lang::Program tree);

}  // namespace heddle
