// Programs as text in pieces: what an editor or a prompt needs to know before anything is compiled.
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
  std::size_t begin = 0;  // bytes into the text: from its keyword
  std::size_t end = 0;    // to behind its ';' or '}'
};

// The items of the text in their order. Errors: of syntax only; what names mean is not looked at. Linear.
[[nodiscard]] Result<std::vector<Declaration>> declarations(std::string_view text, const std::string& name);

// What the whole front end has to say about a text that may become a program: it may still lack threads.
// Empty if nothing is wrong. No code is made.
[[nodiscard]] std::vector<Diagnostic> check_declarations(std::string_view text, const std::string& name,
                                                         const Parameters& parameters);

// The text in the canonical style: two blanks for each level, one statement a line, at most one empty line in
// a row; what the author put on one line stays there if it has room. Comments are kept. Formatting the result
// again changes nothing. Errors: of syntax only.
[[nodiscard]] Result<std::string> format(std::string_view text, const std::string& name);

// Does the text begin with the keyword of an item?
[[nodiscard]] bool begins_declaration(std::string_view text);

// Does the text stop in the middle of something, so that more lines are to come: an open bracket, comment or
// string, an item without its end? False where it is wrong already.
[[nodiscard]] bool is_unfinished(std::string_view text);

// What a program was made of: its own name, then the names of what it imports.
[[nodiscard]] std::vector<std::string> files_of(const Program& program);

// Every word that has a meaning of its own in the language, in no particular order.
[[nodiscard]] const std::vector<std::string>& keywords();

}  // namespace heddle
