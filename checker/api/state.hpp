// What a Program holds behind the public interface.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  std::shared_ptr<const jit::Image> image;
  std::string ir;
  std::optional<LitmusTest> litmus;
  // What it was made from, for questions about names later.
  lang::SourceMap sources;
  lang::Program tree;
};

}  // namespace heddle
