// What a Program holds behind the public interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "jit/runtime.hpp"

namespace heddle {

struct Program::State {
  std::string name;
  Parameters parameters;
  std::vector<Expectation> expectations;
  std::shared_ptr<const jit::Image> image;
  std::string ir;
};

}  // namespace heddle
