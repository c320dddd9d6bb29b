// What a Program holds behind the public interface.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lower.hpp"
#include "heddle/heddle.h"
#include "jit/runtime.hpp"
#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle {

struct Program::State {
  std::string name;
  Parameters parameters;
  std::vector<Expectation> expectations;
  std::uint32_t spin_loops = 0;
  std::shared_ptr<const jit::Image> image;
  std::string ir;
  std::optional<LitmusTest> litmus;
  // What it was made from, for questions about names later.
  lang::SourceMap sources;
  lang::Program tree;

  // The image whose threads run ahead of their loads, for POWER. Made when it is first asked for, so that the
  // other models do not pay for it. Null if the machine refuses; `message` says why.
  [[nodiscard]] std::shared_ptr<const jit::Image> ahead_image(std::string& message) const;

  compiler::Options options;

 private:
  mutable std::mutex making_;
  mutable std::shared_ptr<const jit::Image> ahead_;
};

}  // namespace heddle
