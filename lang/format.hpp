// The canonical layout of a program's text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// The text of file number `file` in the canonical style: two spaces of indentation per level, one statement
// per line, at most one blank line in a row, single spaces between words. A block written on one line stays
// on one line if it fits; a statement continued on the next line stays continued. Comments are kept.
// Formatting the result again changes nothing. Returns nothing exactly if the text has a syntax error, which
// is then reported. Linear, except for long lines.
[[nodiscard]] std::optional<std::string> format_program(const SourceMap& sources, std::uint32_t file,
                                                        Diagnostics& diagnostics);

}  // namespace heddle::lang
