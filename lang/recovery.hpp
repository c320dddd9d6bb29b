// Syntax errors: their messages, and where to go on after them.
#pragma once

#include <cstdint>
#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/token.hpp"

namespace heddle::lang {

using Position = const Token*;

// Thrown after an error (already reported) after which the rest of the text is not worth reading.
struct GiveUp {};

// What the grammar carries through its rules.
struct ParserState {
  Diagnostics& diagnostics;
  const SourceMap& sources;
  std::uint32_t file = 0;
  Position first = nullptr;  // the first token of the file
  Position last = nullptr;   // the token of kind `end`
  unsigned depth = 0;        // of nested constructs, see limits::nesting

  [[nodiscard]] SourceRange range(const Token& token) const { return {file, token.begin, token.end()}; }
};

enum class Recovery : std::uint8_t { statement, item };

// Reports that at `where` `expected` was missing, in a statement or item that began at `start`, and returns
// the place to go on. It lies behind `start` unless that is the end of the file. Throws GiveUp if no more
// errors can be stored.
[[nodiscard]] Position recover(ParserState& state, Recovery kind, Position start, Position where,
                               const std::string& expected);

}  // namespace heddle::lang
