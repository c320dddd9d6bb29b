// One way to lay out a program's text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// The text of file number `file` in the canonical style: two blanks for each level, one statement a line, at
// most one blank line in a row, one blank where words are set apart. A block that stands on one line stays
// there if the line has room, and a statement that goes on in the next line goes on there. Comments are kept.
// Formatting the result again changes nothing. Returns nothing exactly if the text has a syntax error, which
// is reported then. Linear but for long lines.
[[nodiscard]] std::optional<std::string> format_program(const SourceMap& sources, std::uint32_t file,
                                                        Diagnostics& diagnostics);

}  // namespace heddle::lang
