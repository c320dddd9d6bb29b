// LLVM module -> callable machine code in this process.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/image.hpp"
#include "compiler/lower.hpp"

namespace heddle::jit {

// Runs the coroutine passes, generates code and links it. The images, one for each program, own the code
// together: it is unmapped with the last copy of Image::code. Thread-safe. If the system refuses (for example
// no memory for code pages), returns LLVM's message instead.
using Images = std::vector<std::shared_ptr<const compiler::Image>>;
[[nodiscard]] std::variant<Images, std::string> load(compiler::LoweredProgramsPointer programs);

}  // namespace heddle::jit
