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

// Translates the program in file `path` (a litmus test if the name ends in ".litmus", else a .hed file): a
// litmus test to a .hed program, or any program to a litmus test in C. Drops comments. Errors: those of
// Program::from_file; anything that the target cannot express, with its place; a .hed program to .hed
// (format() of heddle/source.h lays it out). Linear in the text, thread-safe.
[[nodiscard]] Result<std::string> translate_file(const std::string& path, Syntax target,
                                                 const Parameters& parameters = {});

}  // namespace heddle
