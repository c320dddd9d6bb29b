// Splits text into tokens. Characters that cannot be part of a token are reported here, once per run, and
// produce an `invalid` token, at which the grammar recovers without a second message.
#include <fmt/format.h>

#include "lang/limits.hpp"
#include "lang/token.hpp"
#include "lang/utf8.hpp"

namespace heddle::lang {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class Lexer {
 public:
  Lexer(std::string_view text, std::uint32_t file, Diagnostics& diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    tokens_.reserve(text_.size() / 4 < limits::tokens ? text_.size() / 4 + 1 : limits::tokens + 1);
    while (skip_blanks() && at_ < text_.size()) {
      if (tokens_.size() >= limits::tokens) {
        fail_whole(at_, at_, fmt::format("the program is too long: more than {} tokens", limits::tokens));
        break;
      }
      next();
      if (given_up_) break;
    }
    if (given_up_) return {};
    push(TokenKind::end, text_.size(), text_.size());
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void push(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.push_back({kind, static_cast<std::uint32_t>(begin), text_.substr(begin, end - begin)});
    at_ = end;
  }

  void error(std::size_t begin, std::size_t end, std::string message, std::string hint = {}) {
    diagnostics_.error({file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                       std::move(message), std::move(hint));
  }

  // An error that makes it pointless to continue.
  void fail_whole(std::size_t begin, std::size_t end, std::string message, std::string hint = {}) {
    error(begin, end, std::move(message), std::move(hint));
    given_up_ = true;
  }

  // Skips white space and comments. Returns false after an unterminated comment.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '/' && peek(1) == '*') {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) {
          fail_whole(at_, at_ + 2, "unterminated comment", "close it with '*/'");
          return false;
        }
        at_ = close + 2;
      } else {
        return true;
      }
    }
    return true;
  }

  void next() {
    const char c = text_[at_];
    if (is_letter(c)) {
      name();
    } else if (is_digit(c)) {
      number();
    } else if (c == '"') {
      string();
    } else {
      symbol();
    }
  }

  void name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    if (end - at_ > limits::identifier_bytes) {
      error(at_, end, fmt::format("this name is too long: at most {} characters", limits::identifier_bytes));
      return push(TokenKind::invalid, at_, end);
    }
    push(keyword_kind(text_.substr(at_, end - at_)), at_, end);
  }

  void number() {
    const std::size_t begin = at_;
    std::size_t end = begin;
    const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (hexadecimal) end += 2;
    const std::size_t digits = end;
    while (end < text_.size() && (is_hex_digit(text_[end]) || is_letter(text_[end]))) ++end;
    const std::string_view body = text_.substr(digits, end - digits);
    bool valid = !body.empty() && body.front() != '_' && body.back() != '_';
    for (const char c : body) valid = valid && (c == '_' || (hexadecimal ? is_hex_digit(c) : is_digit(c)));
    std::int64_t value = 0;
    if (!valid) {
      error(begin, end, fmt::format("malformed number '{}'", clip(text_.substr(begin, end - begin))),
            "numbers are written like 42, 1_000 or 0xff; names do not begin with a digit");
    } else if (!integer_value(text_.substr(begin, end - begin), value)) {
      error(begin, end, "this number does not fit into 64 bits", "the largest is 9223372036854775807");
    }
    push(valid ? TokenKind::integer : TokenKind::invalid, begin, end);
  }

  void string() {
    const std::size_t begin = at_;
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      if (text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n') {
        const char escaped = text_[end + 1];
        if (escaped != '"' && escaped != '\\' && escaped != 'n' && escaped != 't') {
          error(end, end + 2, "unknown escape sequence in a string", "write \\\" \\\\ \\n or \\t");
        }
        ++end;
      } else if (const std::size_t width = utf8_width(text_.substr(end));
                 width == 0 || (static_cast<unsigned char>(text_[end]) < 0x20 && text_[end] != '\t')) {
        return not_text(end);
      }
      ++end;
    }
    if (end == text_.size() || text_[end] == '\n') {
      error(begin, begin + 1, "unterminated string", "close it with '\"' on the same line");
      return push(TokenKind::invalid, begin, end);
    }
    ++end;
    if (end - begin > limits::string_bytes) {
      error(begin, end, fmt::format("this string is too long: at most {} bytes", limits::string_bytes));
    }
    push(TokenKind::string, begin, end);
  }

  void symbol() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("++") || rest.starts_with("--")) {
      error(at_, at_ + 2, fmt::format("unknown operator '{}'", rest.substr(0, 2)),
            fmt::format("write 'x {}= 1'", rest[0]));
      return push(TokenKind::invalid, at_, at_ + 2);
    }
    TokenKind best = TokenKind::invalid;
    std::size_t length = 0;
    for (auto kind = TokenKind::left_parenthesis; kind <= TokenKind::tilde;
         kind = static_cast<TokenKind>(static_cast<int>(kind) + 1)) {
      const std::string_view text = spelling(kind);
      if (text.size() > length && text[0] == rest[0] && rest.starts_with(text)) {
        best = kind;
        length = text.size();
      }
    }
    if (best != TokenKind::invalid) return push(best, at_, at_ + length);
    unexpected();
  }

  // Reports a run of characters that cannot begin a token.
  void unexpected() {
    const std::size_t begin = at_;
    const std::size_t width = utf8_width(text_.substr(begin));
    const auto byte = static_cast<unsigned char>(text_[begin]);
    if (width == 0 || byte < 0x20 || byte == 0x7F) return not_text(begin);
    std::size_t end = begin + width;
    const std::string_view first = text_.substr(begin, width);
    while (end < text_.size() && static_cast<unsigned char>(text_[end]) >= 0x80) {
      const std::size_t more = utf8_width(text_.substr(end));
      if (more == 0) break;
      end += more;
    }
    std::string hint;
    if (first == "'") hint = "strings are written in double quotes";
    if (first == "'" && follows_name(begin))
      hint =
          "there are no primed variables: 'x = e;' gives x its next value, and the other variables keep "
          "theirs";
    if (first == "\\") hint = "write '&&' for /\\, '||' for \\/, and '!' for ~";
    if (first == "#") hint = "comments begin with '//'";
    if (byte >= 0x80) hint = "names consist of the letters a-z, A-Z, digits and '_'";
    error(begin, end, fmt::format("unexpected character '{}'", first), std::move(hint));
    push(TokenKind::invalid, begin, end);
  }

  // Not the end of 'a'.
  [[nodiscard]] bool follows_name(std::size_t at) const {
    const auto in_name = [](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    std::size_t begin = at;
    while (begin > 0 && in_name(text_[begin - 1])) --begin;
    if (begin == at) return at > 0 && text_[at - 1] == ']';
    return begin == 0 || text_[begin - 1] != '\'';
  }

  void not_text(std::size_t at) {
    fail_whole(at, at,
               fmt::format("this is not a text file: byte 0x{:02x}", static_cast<unsigned char>(text_[at])),
               "a program is UTF-8 text");
  }

  static std::string clip(std::string_view text) {
    return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
  }

  std::string_view text_;
  std::uint32_t file_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool given_up_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const SourceMap& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const std::string_view text = sources.text(file);
  if (text.size() > limits::file_bytes) {
    diagnostics.error({file, 0, 0},
                      fmt::format("the file is too large: at most {} MiB", limits::file_bytes >> 20));
    return {};
  }
  return Lexer(text, file, diagnostics).run();
}

}  // namespace heddle::lang
