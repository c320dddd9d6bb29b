// Tokens of a .litmus file. The format mixes four languages (two assembly languages in columns, C,
// conditions), so a token is just a name, a number or a symbol; the grammars do the rest.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang::litmus {

enum class TokenKind : std::uint8_t { end, name, integer, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t begin = 0;  // byte offset in the file
  std::string_view text;    // a view into the source text, which must outlive the token
  [[nodiscard]] std::uint32_t end() const { return begin + static_cast<std::uint32_t>(text.size()); }
  [[nodiscard]] bool is(std::string_view spelling) const {
    return kind != TokenKind::end && text == spelling;
  }
};

// Comments: `(* *)`, which nest, in assembly; in C, `(*` may begin a dereference in parentheses. `/* */` and
// `//` in both.
enum class Comments : std::uint8_t { assembly, c };

// Splits the text of file number `file` from byte `begin` on; the last token is of kind `end`. Linear.
// Characters that cannot be part of a token are reported and skipped; after a byte that cannot occur in text,
// the list is empty.
[[nodiscard]] std::vector<Token> tokenize(const SourceMap& sources, std::uint32_t file, std::uint32_t begin,
                                          Comments comments, Diagnostics& diagnostics);

// The value of an integer token (decimal or 0x), negated if `negative`; false if it does not fit into 64
// bits. Only 0x with up to 16 digits may wrap. The lexer accepts what fits with either sign.
[[nodiscard]] bool integer_value(std::string_view text, bool negative, std::int64_t& value);

}  // namespace heddle::lang::litmus
