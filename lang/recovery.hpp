// Syntax errors: their messages, and where parsing resumes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/token.hpp"

namespace heddle::lang {

using Position = const Token*;

// Thrown after an error (already reported) that makes parsing the rest pointless.
struct GiveUp {};

// The state shared by all rules of the grammar.
struct ParserState {
  Diagnostics& diagnostics;
  const SourceMap& sources;
  std::uint32_t file = 0;
  Position first = nullptr;  // the first token of the file
  Position last = nullptr;   // the token of kind `end`
  unsigned depth = 0;        // of nested constructs, see limits::nesting

  [[nodiscard]] SourceRange range(const Token& token) const { return {file, token.begin, token.end()}; }
  [[noreturn]] void give_up(const SourceRange& where, std::string message, std::string hint = {}) const {
    diagnostics.error(where, std::move(message), std::move(hint));
    throw GiveUp{};
  }
};

enum class Recovery : std::uint8_t { statement, item };

// `where` is not `expected`, in a statement or item that began at `start`.
struct SyntaxError {
  Recovery kind = Recovery::item;
  Position start = nullptr;
  Position where = nullptr;
  std::string expected;  // "';'", "an expression"
};

// Reports the error and returns the position at which to resume. It is after `start` unless that is the end
// of the file. Throws GiveUp if no more errors can be stored.
[[nodiscard]] Position recover(ParserState& state, const SyntaxError& error);

// "did you mean 'while'?" if the statement or item seems to begin with a misspelt keyword, else empty.
[[nodiscard]] std::string misspelt_keyword(const SyntaxError& error);

// A guess at what the author meant, or empty.
[[nodiscard]] std::string syntax_hint(const ParserState& state, const SyntaxError& error);

}  // namespace heddle::lang
