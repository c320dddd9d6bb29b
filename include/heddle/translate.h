// Between the project's own language and litmus tests: a text in one of them -> the same program in the
// other.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/heddle.h"

namespace heddle {

enum class Syntax : std::uint8_t {
  heddle,  // a .hed file
  litmus,  // a litmus test in C, in herd's format
};

// The program in file `path` (a litmus test if the name ends in ".litmus", else a .hed file) as text of the
// language `target`: a litmus test as a .hed program, or any program as a litmus test in C. What that cannot
// say is an error with its place; so is a .hed program as one (format() of heddle/source.h lays it out).
// Comments are lost. Linear in the text.
[[nodiscard]] Result<std::string> translate_file(const std::string& path, Syntax target,
                                                 const Parameters& parameters = {});

}  // namespace heddle
