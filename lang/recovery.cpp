// Messages for syntax errors: what was expected and what was found. The hints are in hints.cpp.
#include "lang/recovery.hpp"

#include <fmt/format.h>

namespace heddle::lang {
namespace {

std::string describe(const Token& token) {
  constexpr std::size_t shown = 40;
  if (token.kind == TokenKind::end) return "the end of the file";
  if (token.text.size() > shown) return fmt::format("'{}...'", token.text.substr(0, shown - 3));
  return fmt::format("'{}'", token.text);
}

bool on_new_line(const ParserState& state, Position position) {
  if (position == state.first) return true;
  const std::uint32_t before = (position - 1)->end();
  return state.sources.text({state.file, before, position->begin}).find('\n') != std::string_view::npos;
}

void report(ParserState& state, const SyntaxError& error) {
  const auto& [kind, start, where, expected] = error;
  // The lexer has already reported this place.
  if (where->kind == TokenKind::invalid) return;
  if (where != state.first && (where - 1)->kind == TokenKind::invalid) return;
  // A misspelt keyword is parsed as a name, and the error is noticed at the next token only.
  if (std::string hint = misspelt_keyword(error); !hint.empty()) {
    const std::string_view wanted = kind == Recovery::item ? "a declaration" : "a statement";
    state.diagnostics.error(state.range(*start),
                            fmt::format("expected {}, found {}", wanted, describe(*start)), std::move(hint));
    return;
  }
  std::string hint = syntax_hint(state, error);
  const bool closes = expected == "';'" || expected == "')'" || expected == "']'";
  if (closes && where != state.first && on_new_line(state, where)) {
    const std::uint32_t place = (where - 1)->end();
    state.diagnostics.error({state.file, place, place}, fmt::format("expected {}", expected),
                            std::move(hint));
    return;
  }
  state.diagnostics.error(state.range(*where),
                          fmt::format("expected {}, found {}", expected, describe(*where)), std::move(hint));
}

// Skips to after the next semicolon or block, whichever comes first, or to before an unmatched closing brace.
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

// Skips to before the next item. Items begin with keywords that occur nowhere else.
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

Position recover(ParserState& state, const SyntaxError& error) {
  const auto& [kind, start, where, expected] = error;
  report(state, error);
  if (state.diagnostics.full()) throw GiveUp{};
  // Skip a token that cannot begin anything, so that recovery makes progress. At the end of the file there is
  // nothing to skip.
  const Position after_start = start == state.last ? start : start + 1;
  if (kind == Recovery::item) return skip_item(where == start ? after_start : where, state.last);
  // Only a semicolon is missing: the statement on the next line is intact.
  if (expected == "';'" && where != start && on_new_line(state, where)) return where;
  Position next = skip_statement(where, state.last);
  // `do { ... } while (c);` is reported once, not twice.
  if (start->text == "do" && next->kind == TokenKind::while_) next = skip_statement(next, state.last);
  return next == start ? skip_statement(after_start, state.last) : next;
}

}  // namespace heddle::lang
