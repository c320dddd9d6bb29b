#include "lang/litmus/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "lang/limits.hpp"
#include "lang/utf8.hpp"

namespace heddle::lang::litmus {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

constexpr std::array<std::string_view, 16> long_symbols{"/\\", "\\/", "==", "!=", "<=", ">=", "<>", "=>",
                                                        "&&",  "||",  "<<", ">>", "+=", "-=", "++", "--"};
constexpr std::string_view symbols = ";|:,()[]{}=~!$%*+-./&^<>?#";

class Lexer {
 public:
  Lexer(std::string_view text, std::uint32_t file, std::size_t begin, Comments comments,
        Diagnostics& diagnostics)
      : text_(text), file_(file), comments_(comments), diagnostics_(diagnostics), at_(begin) {}

  std::vector<Token> run() {
    while (skip_blanks() && at_ < text_.size() && !begins_annotations()) {
      if (tokens_.size() >= limits::tokens) {
        fail(at_, fmt::format("the test is too long: more than {} tokens", limits::tokens));
        break;
      }
      next();
    }
    if (failed_) return {};
    push(TokenKind::end, 0);
    return std::move(tokens_);
  }

 private:
  void push(TokenKind kind, std::size_t size) {
    tokens_.push_back({kind, static_cast<std::uint32_t>(at_), text_.substr(at_, size)});
    at_ += size;
  }

  void error(std::size_t begin, std::size_t size, std::string message, std::string hint = {}) {
    diagnostics_.error({file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + size)},
                       std::move(message), std::move(hint));
  }

  void fail(std::size_t at, std::string message, std::string hint = {}) {
    error(at, 1, std::move(message), std::move(hint));
    failed_ = true;
    at_ = text_.size();
  }

  [[nodiscard]] bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  // Skips white space and comments. Returns false after an unterminated comment.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (at("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (at("/*") || (comments_ == Comments::assembly && at("(*"))) {
        if (!skip_comment()) return false;
      } else {
        return true;
      }
    }
    return true;
  }

  bool skip_comment() {
    const std::size_t begin = at_;
    const bool nests = text_[at_] == '(';
    const std::string_view close = nests ? "*)" : "*/";
    unsigned depth = 0;
    do {
      if (nests && at("(*")) {
        ++depth;
        at_ += 2;
      } else if (at(close)) {
        if (nests) --depth;
        at_ += 2;
        if (!nests) return true;
      } else {
        ++at_;
      }
    } while (at_ < text_.size() && (depth > 0 || !nests));
    if (depth == 0 && nests) return true;
    fail(begin, "unterminated comment", fmt::format("close it with '{}'", close));
    return false;
  }

  // Other tools' annotations follow the condition after `<<`. Inside braces, that is an operator of C.
  [[nodiscard]] bool begins_annotations() const { return braces_ == 0 && at("<<"); }

  void next() {
    const char c = text_[at_];
    if (c == '{') ++braces_;
    if (c == '}' && braces_ > 0) --braces_;
    if (is_letter(c) || is_digit(c)) return word();
    for (const std::string_view symbol : long_symbols) {
      if (at(symbol)) return push(TokenKind::symbol, symbol.size());
    }
    if (symbols.find(c) != std::string_view::npos) return push(TokenKind::symbol, 1);
    const std::size_t width = utf8_width(text_.substr(at_));
    const auto byte = static_cast<unsigned char>(c);
    if (width == 0 || byte < 0x20 || byte == 0x7F) {
      return fail(at_, fmt::format("this is not a text file: byte 0x{:02x}", byte), "a test is UTF-8 text");
    }
    error(at_, width, fmt::format("unexpected character '{}'", text_.substr(at_, width)));
    at_ += width;
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::size_t size = end - at_;
    if (size > limits::identifier_bytes) {
      error(at_, size, fmt::format("this name is too long: at most {} characters", limits::identifier_bytes));
      at_ = end;
      return;
    }
    if (!is_digit(text_[at_])) return push(TokenKind::name, size);
    std::int64_t value = 0;
    if (!integer_value(text_.substr(at_, size), true, value)) {
      error(at_, size, fmt::format("'{}' is not a number of at most 64 bits", text_.substr(at_, size)));
    }
    push(TokenKind::integer, size);
  }

  std::string_view text_;
  std::uint32_t file_;
  Comments comments_;
  Diagnostics& diagnostics_;
  std::size_t at_;
  unsigned braces_ = 0;
  bool failed_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const SourceMap& sources, std::uint32_t file, std::uint32_t begin,
                            Comments comments, Diagnostics& diagnostics) {
  return Lexer(sources.text(file), file, begin, comments, diagnostics).run();
}

bool integer_value(std::string_view text, bool negative, std::int64_t& value) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t bits = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), bits, base);
  if (code != std::errc{} || end != text.data() + text.size()) return false;
  if (base == 10 && bits > static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0)) return false;
  value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - bits : bits);
  return true;
}

}  // namespace heddle::lang::litmus
