// Tokens of the language: produced by the lexer, consumed by the grammar.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// The order matters: groups are tested as ranges, and token.cpp lists the spellings in the same order.
enum class TokenKind : std::uint8_t {
  end,
  invalid,  // already reported by the lexer; the grammar does not report it again
  identifier,
  integer,
  string,
  // Keywords that start an item.
  import_,
  param,
  const_,
  shared,
  mutex,
  cond,
  enum_,
  struct_,
  fn,
  proc,
  thread,
  final_,
  exists,
  forall,
  forbid,
  expect,
  // Keywords that start a statement.
  let,
  var,
  if_,
  while_,
  for_,
  break_,
  continue_,
  return_,
  fence,
  lock,
  unlock,
  wait,
  signal,
  broadcast,
  join,
  assert_,
  assume,
  await_,
  // Keywords inside statements and expressions.
  else_,
  in,
  int_,
  bool_,
  true_,
  false_,
  cas,
  exchange,
  fetch_add,
  fetch_sub,
  fetch_and,
  fetch_or,
  fetch_xor,
  fetch_max,
  fetch_min,
  trylock,
  choose,
  spawn,
  ref,
  // Brackets and separators.
  left_parenthesis,
  right_parenthesis,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  semicolon,
  colon,
  comma,
  dot,
  dot_dot,
  arrow,
  question,
  // Assignments; `assign` is the plain `=`.
  assign,
  add_assign,
  subtract_assign,
  multiply_assign,
  divide_assign,
  remainder_assign,
  and_assign,
  or_assign,
  xor_assign,
  shift_left_assign,
  shift_right_assign,
  // Binary operators (`minus` is also a prefix operator).
  or_or,
  and_and,
  bit_or,
  bit_xor,
  bit_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  shift_left,
  shift_right,
  plus,
  minus,
  star,
  slash,
  percent,
  // Prefix operators.
  exclamation,
  tilde,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t begin = 0;  // byte offset in the file
  std::string_view text;    // a view into the source text, which must outlive the token
  [[nodiscard]] std::uint32_t end() const { return begin + static_cast<std::uint32_t>(text.size()); }
};

// The spelling of a kind, ";" or "while"; for kinds with many spellings a description, "a name".
[[nodiscard]] std::string_view spelling(TokenKind kind);

// The keyword spelled `text`, or `identifier`.
[[nodiscard]] TokenKind keyword_kind(std::string_view text);

[[nodiscard]] constexpr bool is_between(TokenKind kind, TokenKind first, TokenKind last) {
  return kind >= first && kind <= last;
}
[[nodiscard]] constexpr bool begins_item(TokenKind kind) {
  return is_between(kind, TokenKind::import_, TokenKind::expect);
}
[[nodiscard]] constexpr bool is_statement_keyword(TokenKind kind) {
  return is_between(kind, TokenKind::let, TokenKind::await_);
}
[[nodiscard]] constexpr bool is_keyword(TokenKind kind) {
  return is_between(kind, TokenKind::import_, TokenKind::ref);
}
[[nodiscard]] constexpr bool is_binary_operator(TokenKind kind) {
  return is_between(kind, TokenKind::or_or, TokenKind::percent);
}

// Whether a struct literal's fields begin at `first`: `{ term:`.
template <typename Iterator>
[[nodiscard]] bool begins_literal(Iterator first, Iterator last) {
  return last - first > 2 && first->kind == TokenKind::left_brace &&
         (first + 1)->kind == TokenKind::identifier && (first + 2)->kind == TokenKind::colon;
}

// Names that begin an item, where no operator follows.
inline constexpr std::string_view names_that_begin_items[] = {"daemon", "invariant", "eventually"};

// Whether the words `leads to` come before the declaration at `first` ends or has a block.
template <typename Iterator>
[[nodiscard]] bool is_leads_to(Iterator first, Iterator last) {
  if (first == last || begins_item(first->kind)) return false;
  for (Iterator at = first; last - at > 1; ++at) {
    if (at->kind == TokenKind::semicolon || at->kind == TokenKind::left_brace) return false;
    const Iterator next = at + 1;
    if (at->kind == TokenKind::identifier && at->text == "leads" && next->kind == TokenKind::identifier &&
        next->text == "to")
      return true;
  }
  return false;
}

// Splits file number `file` into tokens; the last one is of kind `end`. Returns an empty list if the text
// cannot be a program (binary, too large), which is then reported. Linear in the size of the text.
[[nodiscard]] std::vector<Token> tokenize(const SourceMap& sources, std::uint32_t file,
                                          Diagnostics& diagnostics);

// The value of an integer token; false if it does not fit into 64 bits. Accepts 0x and `_` between digits.
[[nodiscard]] bool integer_value(std::string_view text, std::int64_t& value);

// The value of a string literal: without quotes, escapes replaced.
[[nodiscard]] std::string string_value(std::string_view text);

}  // namespace heddle::lang
