// Pieces of program text: what editors and prompts need to know before anything is compiled. Every function
// is linear in the text and thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// One item of a program's text.
struct Declaration {
  std::string keyword;    // "shared", "thread", "final", "exists", "expect", ...
  std::string name;       // empty for items without one
  std::size_t begin = 0;  // byte of its keyword
  std::size_t end = 0;    // byte after its ';' or '}'
};

// The items of the text in their order. Errors: of syntax only; names are not resolved.
Result<std::vector<Declaration>> declarations(std::string_view text, const std::string& name);

// Errors: all that the whole front end finds in a text that may become a program; it may still lack threads.
// Makes no code.
Result<void> check_declarations(std::string_view text, const std::string& name, const Parameters& parameters);

// The text in the canonical style: two spaces per level, one statement per line, at most one empty line in a
// row; blocks that the author wrote on one line stay there if they fit. Keeps comments. Formatting the result
// again changes nothing. Errors: of syntax only.
Result<std::string> format(std::string_view text, const std::string& name);

// True if the text begins with the keyword of an item.
[[nodiscard]] bool begins_declaration(std::string_view text);

// True if the text needs further lines: an open bracket or comment, an item without its end. False if it is
// wrong already.
[[nodiscard]] bool is_unfinished(std::string_view text);

// The files of a program: its own name, then the names of its imports.
[[nodiscard]] std::vector<std::string> files_of(const Program& program);

// The reserved words of the language, in no particular order.
[[nodiscard]] const std::vector<std::string>& keywords();

}  // namespace heddle
