// Syntax errors. A message says what was expected and what stands there instead; the hint tries to see what
// the author had in mind: a misspelt keyword, a habit from C, a bracket that was never closed.
#include "lang/recovery.hpp"

#include <fmt/format.h>

#include <vector>

#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

std::string clip(std::string_view text) {
  constexpr std::size_t shown = 40;
  return text.size() <= shown ? std::string(text) : fmt::format("{}...", text.substr(0, shown - 3));
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the file";
  return fmt::format("'{}'", clip(token.text));
}

std::vector<std::string_view> keywords(bool (*wanted)(TokenKind)) {
  std::vector<std::string_view> texts;
  for (auto kind = TokenKind::import_; kind <= TokenKind::proc;
       kind = static_cast<TokenKind>(static_cast<int>(kind) + 1)) {
    if (wanted(kind)) texts.push_back(spelling(kind));
  }
  return texts;
}

bool on_new_line(const ParserState& state, Position position) {
  if (position == state.first) return true;
  const std::uint32_t before = (position - 1)->end();
  return state.sources.text({state.file, before, position->begin}).find('\n') != std::string_view::npos;
}

// The innermost bracket that `expected` would close, of those opened since `start`.
Position open_bracket(Position start, Position where, const std::string& expected) {
  const TokenKind wanted = expected == "')'"   ? TokenKind::left_parenthesis
                           : expected == "']'" ? TokenKind::left_bracket
                                               : TokenKind::left_brace;
  const auto closing = static_cast<TokenKind>(static_cast<int>(wanted) + 1);
  unsigned closed = 0;
  for (Position at = where; at > start;) {
    --at;
    if (at->kind == closing) {
      ++closed;
    } else if (at->kind == wanted) {
      if (closed == 0) return at;
      --closed;
    }
  }
  return nullptr;
}

// What the word that a statement or item begins with was meant to be.
std::string misspelt_keyword(Recovery kind, Position start) {
  if (start->kind != TokenKind::identifier) return {};
  static const std::vector<std::string_view> item_words = keywords(begins_item);
  static const std::vector<std::string_view> statement_words = keywords(is_statement_keyword);
  return did_you_mean(start->text, kind == Recovery::item ? item_words : statement_words);
}

std::string foreign_word(std::string_view text) {
  if (text == "and") return "write '&&'";
  if (text == "or") return "write '||'";
  if (text == "not") return "write '!'";
  if (text == "elif" || text == "elsif" || text == "elseif") return "write 'else if'";
  if (text == "do") return "there is no 'do' loop: write 'while true { ... }' with 'break'";
  if (text == "switch" || text == "match") return "write 'if' and 'else if'";
  return {};
}

std::string foreign_item(std::string_view text) {
  if (text == "func" || text == "function" || text == "def" || text == "void")
    return "functions begin with 'fn'";
  if (text == "global" || text == "atomic" || text == "volatile")
    return "shared variables begin with 'shared'";
  if (text == "process") return "threads begin with 'thread'";
  return {};
}

std::string find_hint(const ParserState& state, Recovery kind, Position start, Position where,
                      const std::string& expected) {
  const Token& found = *where;
  if (is_reserved(found.kind)) {
    return expected == "a name"
               ? fmt::format("'{}' is a word that later versions of the language will use", found.text)
               : fmt::format("'{}' is not part of the language in this version", found.text);
  }
  const bool is_type = found.kind == TokenKind::int_ || found.kind == TokenKind::bool_;
  if (is_type && (start->kind == TokenKind::const_ || start->kind == TokenKind::param)) {
    return fmt::format("a '{}' has no type: write '{} N = 1;'", start->text, start->text);
  }
  if (is_type && (start->kind == TokenKind::fn || expected == "a name")) {
    return fmt::format("the type stands behind the name: 'x: {}'", found.text);
  }
  if (expected == "a name" && is_keyword(found.kind)) {
    return fmt::format("'{}' is a keyword and cannot be a name", found.text);
  }
  if (kind == Recovery::item && where == start) {
    if (found.kind == TokenKind::right_brace) return "there is one '}' too many, here or above";
    if (found.kind == TokenKind::semicolon) return "no ';' is needed after a block";
    if (is_statement_keyword(found.kind) || found.kind == TokenKind::left_brace) {
      return "statements stand in a 'thread', a 'fn' or 'final'";
    }
    if (found.kind == TokenKind::int_ || found.kind == TokenKind::bool_) {
      return fmt::format("declare a shared variable as 'shared x: {};'", found.text);
    }
    if (std::string hint = foreign_item(found.text); !hint.empty()) return hint;
  }
  if (kind == Recovery::statement) {
    if (std::string hint = foreign_word(found.text); !hint.empty()) return hint;
    if (std::string hint = foreign_word(start->text); !hint.empty()) return hint;
    if (found.kind == TokenKind::else_ && where == start) return "no 'if' stands before this 'else'";
    if (where == start && (found.kind == TokenKind::int_ || found.kind == TokenKind::bool_)) {
      return fmt::format("declare a local variable as 'let x: {} = ...;' or 'var x: {} = ...;'", found.text,
                         found.text);
    }
    if (start->kind == TokenKind::assert_ && expected == "')'" && found.kind == TokenKind::comma) {
      return "write it without parentheses: assert c, \"text\";";
    }
    if (start->kind == TokenKind::fence && found.kind == TokenKind::left_parenthesis) return "write 'fence;'";
    if (start->kind == TokenKind::for_ && found.kind == TokenKind::left_parenthesis && where == start + 1) {
      return "write it like 'for i in 0..N { ... }'";
    }
    if ((expected == "'{'" || expected == "')'") && found.kind == TokenKind::assign)
      return "did you mean '=='?";
    if (expected == "'{'" && is_statement_keyword(start->kind)) {
      return "the body of 'if', 'else', 'while' and 'for' always stands in braces";
    }
  }
  if (expected == "a name" && found.kind == TokenKind::integer && (where - 1)->kind == TokenKind::dot) {
    return "there are no fractions: values are 64-bit integers";
  }
  if (expected == "'..'" || found.kind == TokenKind::dot) return "a range is written like 0..N";
  if (start->kind == TokenKind::fn && expected == "'{'" && where > start + 2)
    return "a result type is written '-> int'";
  if (kind == Recovery::item && where == start && found.kind == TokenKind::identifier) {
    return "declarations begin with shared, mutex, param, const, fn, thread, final, exists, forall, forbid "
           "or expect";
  }
  if (start->kind == TokenKind::thread && open_bracket(start, where, "']'") != nullptr) {
    return "write a family of threads like 'thread w[i: 0..N] { ... }'";
  }
  if (start->kind == TokenKind::shared && found.kind == TokenKind::left_bracket) {
    return "the length stands behind the type: 'shared a: int[2]'";
  }
  if (start->kind == TokenKind::shared && expected == "':'") return "give its type: 'shared x: int'";
  if (expected.starts_with("a type") && found.kind == TokenKind::identifier) {
    if (std::string hint = did_you_mean(found.text, {"int", "bool"}); !hint.empty()) return hint;
    if (found.text == "integer" || found.text == "int64_t" || found.text == "long")
      return "did you mean 'int'?";
    if (found.text == "boolean") return "did you mean 'bool'?";
  }
  if (expected == "')'" || expected == "']'" || expected == "'}'") {
    if (const Position open = open_bracket(start, where, expected); open != nullptr) {
      const LineColumn place = state.sources.locate(state.file, open->begin);
      return fmt::format("the '{}' of line {}, column {} is not closed", open->text, place.line,
                         place.column);
    }
  }
  return {};
}

void report(ParserState& state, Recovery kind, Position start, Position where, const std::string& expected) {
  // The lexer has reported this place already.
  if (where->kind == TokenKind::invalid) return;
  if (where != state.first && (where - 1)->kind == TokenKind::invalid) return;
  // A misspelt keyword is taken for a name; what comes next then seems to be wrong.
  if (std::string hint = misspelt_keyword(kind, start); !hint.empty() && foreign_word(where->text).empty()) {
    state.diagnostics.error(
        state.range(*start),
        fmt::format("expected {}, found {}", kind == Recovery::item ? "a declaration" : "a statement",
                    describe(*start)),
        std::move(hint));
    return;
  }
  std::string hint = find_hint(state, kind, start, where, expected);
  const bool closes = expected == "';'" || expected == "')'" || expected == "']'";
  if (closes && where != state.first && on_new_line(state, where)) {
    const std::uint32_t place = (where - 1)->end();
    state.diagnostics.error({state.file, place, place}, fmt::format("expected {}", expected),
                            std::move(hint));
  } else {
    state.diagnostics.error(state.range(*where),
                            fmt::format("expected {}, found {}", expected, describe(*where)),
                            std::move(hint));
  }
}

// Behind the next semicolon or the block that comes first, or before a closing brace that is not ours.
Position skip_statement(Position at, Position last) {
  unsigned depth = 0;
  for (; at != last && !begins_item(at->kind); ++at) {
    if (at->kind == TokenKind::semicolon && depth == 0) return at + 1;
    if (at->kind == TokenKind::left_brace) ++depth;
    if (at->kind != TokenKind::right_brace) continue;
    if (depth == 0) return at;
    if (--depth == 0 && (at + 1 == last || (at + 1)->kind != TokenKind::else_)) return at + 1;
  }
  return at;
}

// Before the next item: they begin with words that occur nowhere else.
Position skip_item(Position at, Position last) {
  unsigned depth = 0;
  for (; at != last && !begins_item(at->kind); ++at) {
    if (at->kind == TokenKind::semicolon && depth == 0) return at + 1;
    if (at->kind == TokenKind::left_brace) ++depth;
    if (at->kind == TokenKind::right_brace && (depth == 0 || --depth == 0)) {
      return at + 1 != last && (at + 1)->kind == TokenKind::semicolon ? at + 2 : at + 1;
    }
  }
  return at;
}

}  // namespace

Position recover(ParserState& state, Recovery kind, Position start, Position where,
                 const std::string& expected) {
  report(state, kind, start, where, expected);
  if (state.diagnostics.full()) throw GiveUp{};
  if (kind == Recovery::item) return skip_item(where == start ? where + 1 : where, state.last);
  // A forgotten semicolon: the next statement begins in the next line and is fine.
  if (expected == "';'" && where != start && on_new_line(state, where)) return where;
  Position next = skip_statement(where, state.last);
  // `do { ... } while (c);` is one mistake, not two.
  if (start->text == "do" && next->kind == TokenKind::while_) next = skip_statement(next, state.last);
  return next == start ? skip_statement(start + 1, state.last) : next;
}

}  // namespace heddle::lang
