// Spellings of tokens, and the values of number and string tokens.
#include "lang/token.hpp"

#include <array>
#include <limits>
#include <unordered_map>

namespace heddle::lang {
namespace {

constexpr auto kinds = static_cast<std::size_t>(TokenKind::tilde) + 1;

// In the order of TokenKind.
constexpr std::array<std::string_view, kinds> spellings = {
    "the end of the file",
    "an invalid character",
    "a name",
    "a number",
    "a string",
    "import",
    "param",
    "const",
    "shared",
    "mutex",
    "cond",
    "enum",
    "struct",
    "fn",
    "proc",
    "thread",
    "final",
    "exists",
    "forall",
    "forbid",
    "expect",
    "let",
    "var",
    "if",
    "while",
    "for",
    "break",
    "continue",
    "return",
    "fence",
    "lock",
    "unlock",
    "wait",
    "signal",
    "broadcast",
    "join",
    "assert",
    "assume",
    "await",
    "else",
    "in",
    "int",
    "bool",
    "true",
    "false",
    "cas",
    "exchange",
    "fetch_add",
    "fetch_sub",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
    "fetch_max",
    "fetch_min",
    "trylock",
    "choose",
    "spawn",
    "ref",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ":",
    ",",
    ".",
    "..",
    "->",
    "?",
    "=",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "&=",
    "|=",
    "^=",
    "<<=",
    ">>=",
    "||",
    "&&",
    "|",
    "^",
    "&",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "~",
};
static_assert(spellings[static_cast<std::size_t>(TokenKind::ref)] == "ref");
static_assert(spellings.back() == "~");

std::unordered_map<std::string_view, TokenKind> make_keywords() {
  std::unordered_map<std::string_view, TokenKind> keywords;
  for (std::size_t i = 0; i < kinds; ++i) {
    const auto kind = static_cast<TokenKind>(i);
    if (is_keyword(kind)) keywords.emplace(spellings[i], kind);
  }
  return keywords;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view spelling(TokenKind kind) { return spellings[static_cast<std::size_t>(kind)]; }

TokenKind keyword_kind(std::string_view text) {
  static const std::unordered_map<std::string_view, TokenKind> keywords = make_keywords();
  const auto found = keywords.find(text);
  return found == keywords.end() ? TokenKind::identifier : found->second;
}

bool integer_value(std::string_view text, std::int64_t& value) {
  std::uint64_t base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t sum = 0;
  for (const char c : text) {
    if (c == '_') continue;
    const auto digit = static_cast<std::uint64_t>(digit_value(c));
    if (sum > (largest - digit) / base) return false;
    sum = sum * base + digit;
  }
  value = static_cast<std::int64_t>(sum);
  return true;
}

std::string string_value(std::string_view text) {
  std::string value;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      value += text[i];
      continue;
    }
    ++i;
    value += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
  }
  return value;
}

}  // namespace heddle::lang
