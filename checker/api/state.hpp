// What a Program holds behind the public interface.
#pragma once

#include <memory>
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
  std::uint32_t spin_loops = 0;
  std::shared_ptr<const jit::Image> image;
  std::string ir;
  // What it was made from, for questions about names later.
  lang::SourceMap sources;
  lang::Program tree;
};

[[nodiscard]] std::vector<Diagnostic> convert_diagnostics(const lang::Diagnostics& diagnostics,
                                                          const lang::SourceMap& sources);

}  // namespace heddle
