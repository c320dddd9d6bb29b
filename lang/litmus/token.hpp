// Words of a .litmus file. The format is not one language but four (assembly of two machines in columns, C,
// conditions), so a token is no more than a name, a number or a symbol; the grammars know the rest.
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
  std::string_view text;    // a piece of the source text, which must outlive the token
  [[nodiscard]] std::uint32_t end() const { return begin + static_cast<std::uint32_t>(text.size()); }
  [[nodiscard]] bool is(std::string_view spelling) const {
    return kind != TokenKind::end && text == spelling;
  }
};

// Comments: `(* *)`, which nest, in assembly; in C that may begin a dereference in brackets. `/* */` and `//`
// in both.
enum class Comments : std::uint8_t { assembly, c };

// Splits the text of file number `file` from byte `begin` on; the last token is of kind `end`. Linear. What
// cannot be a token is reported and left out; after a byte that no text has, the list is empty.
[[nodiscard]] std::vector<Token> tokenize(const SourceMap& sources, std::uint32_t file, std::uint32_t begin,
                                          Comments comments, Diagnostics& diagnostics);

// The value of an integer token (decimal or 0x; larger ones than fit wrap only if `text` is 0x with at most
// 16 digits), with the minus sign that stands before it if `negative`; false if it does not fit into 64 bits.
// The lexer lets through what fits with either sign.
[[nodiscard]] bool integer_value(std::string_view text, bool negative, std::int64_t& value);

}  // namespace heddle::lang::litmus
