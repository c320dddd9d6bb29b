// What a Program holds behind the public interface.
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

struct Program::State {
  std::string name;
  Parameters parameters;
  std::vector<Expectation> expectations;
  std::uint32_t spin_loops = 0;
  bool unroll_spin_loops = false;  // as CompileOptions says
  std::string ir;
  std::optional<LitmusTest> litmus;
  // What it was made from, for questions about names later.
  lang::SourceMap sources;
  lang::Program tree;

  compiler::Options options;

  // The image whose threads take one operation after the other, or the one whose threads run ahead of their
  // loads, for POWER. Each is made when it is first asked for, so that nobody pays for the other one. Throws
  // std::runtime_error if the machine refuses it.
  [[nodiscard]] const std::shared_ptr<const compiler::Image>& image(bool run_ahead = false) const;
  // The same with counters, of its own, and what they count. Made anew for each search.
  struct Instrumented {
    std::shared_ptr<const compiler::Image> image;
    std::vector<compiler::CoveragePoint> points;
  };
  [[nodiscard]] Instrumented instrumented(bool run_ahead) const;
  // Whichever image there is: for the names of threads, locations and locals.
  [[nodiscard]] const compiler::Image& any_image() const { return *image(options.run_ahead); }

 private:
  [[nodiscard]] Instrumented make_image(const compiler::Options& form) const;

  mutable std::mutex making_;
  mutable std::shared_ptr<const compiler::Image> images_[2];  // by `run_ahead`
  friend class Program;
};

// The way in for the rest of the library, and for its tests.
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

}  // namespace heddle
