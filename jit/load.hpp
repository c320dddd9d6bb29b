// LLVM module -> callable machine code in this process.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "compiler/image.hpp"
#include "compiler/lower.hpp"

namespace heddle::jit {

// Runs the coroutine passes, generates code and links it. The image owns the code, which is unmapped with the
// last copy of Image::code. Thread-safe. If the system refuses (for example no memory for code pages),
// returns LLVM's message instead.
[[nodiscard]] std::variant<std::shared_ptr<const compiler::Image>, std::string> load(
    compiler::LoweredProgramPointer program);

}  // namespace heddle::jit
