// See fence_places.hpp.
#include "checker/api/fence_places.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "checker/api/trees.hpp"
#include "lang/print.hpp"
#include "lang/token.hpp"

namespace heddle::fence_places {

namespace {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;
using lang::TokenKind;

// Which statements have a visible operation.
class Visibility {
 public:
  explicit Visibility(const lang::Program& program) : program_(program), known_(program.functions.size()) {}

  bool of(const std::vector<Statement>& statements) {
    return std::any_of(statements.begin(), statements.end(), [&](const auto& s) { return of(s); });
  }
  bool of(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::store:
      case StatementKind::lock:
      case StatementKind::unlock: return true;
      default: break;
    }
    return of_any(statement.expressions) || of(statement.body) || of(statement.otherwise);
  }

 private:
  bool of_any(const std::vector<Expression>& expressions) {
    return std::any_of(expressions.begin(), expressions.end(), [&](const auto& e) { return of(e); });
  }
  bool of(const Expression& e) {
    switch (e.kind) {
      case ExpressionKind::load:
      case ExpressionKind::cas:
      case ExpressionKind::exchange:
      case ExpressionKind::fetch:
      case ExpressionKind::try_lock: return true;
      case ExpressionKind::call:
        if (!known_[e.id]) known_[e.id] = of(program_.functions[e.id].body.statements);
        if (*known_[e.id]) return true;
        break;
      default: break;
    }
    return of_any(e.operands);
  }

  const lang::Program& program_;
  std::vector<std::optional<bool>> known_;  // by function
};

// Rebuilds the statements of a program: the fences at each place come from `fences_at`.
class Rewriter {
 public:
  using FencesAt = std::function<std::vector<Statement>(const Place&)>;

  Rewriter(const lang::Program& program, const lang::SourceMap& sources, const Files& files,
           FencesAt fences_at)
      : sources_(sources), files_(files), fences_at_(std::move(fences_at)), visible_(program) {
    for (const std::uint32_t file : files) {
      lang::Diagnostics diagnostics;
      tokens_[file] = lang::tokenize(sources, file, diagnostics);
    }
  }

  void run(lang::Program& program) {
    for (auto& function : program.functions) {
      if (!files_.contains(function.range.file)) continue;
      const bool visible = visible_.of(function.body.statements);
      auto& statements = function.body.statements;
      list(statements, true);
      const auto end = closing_brace(function.range);
      const bool falls_off = statements.empty() || statements.back().kind != StatementKind::return_;
      if (visible && end && falls_off)
        append(statements, {{end->file, end->begin}, true, std::nullopt, *end});
    }
    for (auto& thread : program.templates) {
      if (files_.contains(thread.range.file)) list(thread.body.statements, false);
    }
  }

 private:
  [[nodiscard]] std::string_view text(const lang::SourceRange& range) const { return sources_.text(range); }

  void append(std::vector<Statement>& statements, const Place& place) {
    auto fences = fences_at_(place);
    std::move(fences.begin(), fences.end(), std::back_inserter(statements));
  }

  void list(std::vector<Statement>& statements, bool in_function, bool after_else = false) {
    std::vector<Statement> result;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      Statement& statement = statements[i];
      const bool written =
          files_.contains(statement.range.file) && statement.range.end > statement.range.begin;
      // Several statements that implement one statement of the text are one place.
      const bool first = i == 0 || statements[i - 1].range.begin != statement.range.begin;
      const Spot spot{statement.range.file, statement.range.begin};
      const std::string_view words = written ? text(statement.range) : std::string_view();
      if (statement.kind == StatementKind::fence && words.starts_with("fence")) {
        append(result, {spot, false, statement.fence, statement.range, guard_});
        continue;
      }
      const bool braces = statement.kind == StatementKind::block && (!written || words.starts_with("{"));
      const bool leaves = in_function && statement.kind == StatementKind::return_;
      const bool else_if = after_else && !in_braces(statement.range);
      if (written && first && !braces && !else_if && (leaves || visible_.of(statement)))
        append(result, {spot, false, std::nullopt, statement.range});
      inside(statement, in_function, braces);
      result.push_back(std::move(statement));
    }
    statements = std::move(result);
  }

  void inside(Statement& statement, bool in_function, bool braces) {
    // Other blocks implement a single statement of the text.
    if (statement.kind == StatementKind::block && !braces) return;
    const bool always = is_constantly(statement, true);
    const bool never = is_constantly(statement, false);
    const bool guards = statement.kind == StatementKind::if_ && always && statement.body.size() == 1 &&
                        statement.otherwise.empty();
    if (guards && in_braces(statement.range)) guard_ = statement.range;
    if (!never) list(statement.body, in_function);
    guard_.reset();
    if (!always) list(statement.otherwise, in_function, true);
  }

  // True for an `if` or `while` whose condition always has this value.
  [[nodiscard]] static bool is_constantly(const Statement& statement, bool value) {
    if (statement.kind != StatementKind::if_ && statement.kind != StatementKind::while_) return false;
    const auto condition = trees::known(statement.expressions[0]);
    return condition.has_value() && (*condition != 0) == value;
  }

  // False for the second `if` of `else if`, before which no statement can stand.
  [[nodiscard]] bool in_braces(const lang::SourceRange& range) const {
    const auto place = tokens_.find(range.file);
    if (place == tokens_.end()) return true;
    const auto& tokens = place->second;
    const auto at =
        std::lower_bound(tokens.begin(), tokens.end(), range.begin,
                         [](const lang::Token& t, std::uint32_t begin) { return t.begin < begin; });
    return at == tokens.begin() || at == tokens.end() || std::prev(at)->kind != TokenKind::else_;
  }

  // The brace that closes the function with its name at `name`.
  [[nodiscard]] std::optional<lang::SourceRange> closing_brace(const lang::SourceRange& name) const {
    const auto& tokens = tokens_.at(name.file);
    int depth = 0;
    for (const lang::Token& token : tokens) {
      if (token.begin < name.begin) continue;
      if (token.kind == TokenKind::left_brace) ++depth;
      if (token.kind == TokenKind::right_brace && --depth == 0)
        return lang::SourceRange{name.file, token.begin, token.end()};
    }
    return std::nullopt;
  }

  const lang::SourceMap& sources_;
  const Files& files_;
  FencesAt fences_at_;
  Visibility visible_;
  std::map<std::uint32_t, std::vector<lang::Token>> tokens_;
  std::optional<lang::SourceRange> guard_;
};

// One change of a text: `with` instead of the bytes [begin, end).
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string with;
};

class Editor {
 public:
  Editor(const lang::SourceMap& sources, std::uint32_t file) : text_(sources.text(file)) {
    lang::Diagnostics diagnostics;
    tokens_ = lang::tokenize(sources, file, diagnostics);
  }

  void change(const Place& place, const std::vector<lang::FenceKind>& fences) {
    std::string words;
    for (const auto kind : fences) {
      if (!words.empty()) words += "; ";
      words += lang::spelling(kind);
    }
    if (!place.standing) {
      if (!words.empty()) insert(place, words);
    } else if (words.empty()) {
      remove(place);
    } else if (text_.substr(place.range.begin, place.range.end - place.range.begin) != words) {
      edits_.push_back({place.range.begin, place.range.end, words});
    }
  }

  std::string result() {
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string text(text_);
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit)
      text.replace(edit->begin, edit->end - edit->begin, edit->with);
    return text;
  }

 private:
  [[nodiscard]] std::size_t line_begin(std::size_t at) const {
    const auto before = text_.substr(0, at).rfind('\n');
    return before == std::string_view::npos ? 0 : before + 1;
  }
  [[nodiscard]] bool blank(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string_view::npos;
  }

  void insert(const Place& place, const std::string& words) {
    const std::size_t at = place.spot.offset;
    const std::size_t line = line_begin(at);
    std::string with = words + ";";
    if (!blank(line, at)) {
      with += ' ';
    } else {
      with += '\n' + std::string(text_.substr(line, at - line));
      if (place.closes_function) with = "  " + with;
    }
    edits_.push_back({at, at, std::move(with)});
  }

  // The index of the token at or after this byte.
  [[nodiscard]] std::size_t token_at(std::size_t at) const {
    std::size_t i = 0;
    while (i + 1 < tokens_.size() && tokens_[i].begin < at) ++i;
    return i;
  }

  // Removes the statement, and with it the `if` that has nothing else to decide.
  void remove(const Place& place) {
    std::size_t begin = place.range.begin;
    std::size_t last = token_at(place.range.end);  // the semicolon
    if (place.guard && last + 2 < tokens_.size() && tokens_[last + 1].kind == TokenKind::right_brace &&
        tokens_[last + 2].kind != TokenKind::else_) {
      begin = place.guard->begin;
      ++last;
    }
    std::size_t end = tokens_[last].end();
    const std::size_t line = line_begin(begin);
    const std::size_t line_end = std::min(text_.find('\n', end), text_.size());
    if (blank(line, begin) && blank(end, line_end)) {
      begin = line;
      end = std::min(line_end + 1, text_.size());
    } else {
      while (end < text_.size() && text_[end] == ' ') ++end;
    }
    edits_.push_back({begin, end, {}});
  }

  std::string_view text_;
  std::vector<lang::Token> tokens_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Place> places(const lang::Program& program, const lang::SourceMap& sources, const Files& files) {
  std::map<Spot, Place> found;
  lang::Program copy = program;
  Rewriter(program, sources, files, [&](const Place& place) {
    found.emplace(place.spot, place);
    return std::vector<Statement>();
  }).run(copy);
  std::vector<Place> result;
  for (auto& [spot, place] : found) result.push_back(place);
  return result;
}

lang::Program with_fences(const lang::Program& program, const lang::SourceMap& sources, const Files& files,
                          const Fences& fences) {
  lang::Program result = program;
  Rewriter(program, sources, files, [&](const Place& place) {
    std::vector<Statement> statements;
    const auto there = fences.find(place.spot);
    if (there == fences.end()) return statements;
    for (const auto kind : there->second) {
      Statement& statement = statements.emplace_back();
      statement.kind = StatementKind::fence;
      statement.fence = kind;
      statement.range = {place.spot.file, place.spot.offset, place.spot.offset};
    }
    return statements;
  }).run(result);
  return result;
}

std::string edited_text(const lang::SourceMap& sources, std::uint32_t file, const std::vector<Place>& places,
                        const Fences& fences) {
  Editor editor(sources, file);
  for (const Place& place : places) {
    if (place.spot.file != file) continue;
    const auto there = fences.find(place.spot);
    editor.change(place, there == fences.end() ? std::vector<lang::FenceKind>() : there->second);
  }
  return editor.result();
}

}  // namespace heddle::fence_places
