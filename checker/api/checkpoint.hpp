// Checkpoints: sections of a search as text, and back.
#pragma once

#include <string>
#include <string_view>

#include "checker/search/part.hpp"
#include "compiler/image.hpp"
#include "heddle/checkpoint.h"

namespace heddle::checker {

[[nodiscard]] std::string write_checkpoint(const Program& program, const CheckOptions& options,
                                           const Sections& sections);
// Errors: those of describe_checkpoint; it is of another program or of other options.
[[nodiscard]] Result<Sections> read_checkpoint(std::string_view text, const Program& program,
                                               const CheckOptions& options, const compiler::Image& image);

}  // namespace heddle::checker
