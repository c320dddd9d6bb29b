// See include/heddle/source.h.
#include "heddle/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checker/api/sources.hpp"
#include "checker/api/state.hpp"
#include "lang/format.hpp"
#include "lang/frontend.hpp"
#include "lang/grammar.hpp"
#include "lang/token.hpp"

namespace heddle {

namespace {

using lang::Token;
using lang::TokenKind;

struct Tokens {
  explicit Tokens(std::string_view text, std::string name = "input")
      : file(sources.add(std::move(name), std::string(text))),
        list(lang::tokenize(sources, file, diagnostics)) {}
  lang::SourceMap sources;
  lang::Diagnostics diagnostics;
  std::uint32_t file;
  std::vector<Token> list;  // the last one is of kind `end`; empty if this is no text
};

// The number of open brackets at the end. Whether they match is the grammar's business.
int open_brackets(const std::vector<Token>& tokens) {
  int depth = 0;
  for (const Token& token : tokens) {
    switch (token.kind) {
      case TokenKind::left_parenthesis:
      case TokenKind::left_bracket:
      case TokenKind::left_brace: ++depth; break;
      case TokenKind::right_parenthesis:
      case TokenKind::right_bracket:
      case TokenKind::right_brace: --depth; break;
      default: break;
    }
  }
  return depth;
}

// "std.locks"; empty for a file.
std::string import_path(const lang::syntax::Item& item) {
  std::string path;
  for (const lang::syntax::Word& word : item.path) {
    if (word.kind == TokenKind::identifier) path += fmt::format("{}{}", path.empty() ? "" : ".", word.text);
  }
  return path;
}

bool in_comment(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto two = text.substr(i, 2);
    if (two == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (two == "/*") {
      const auto end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return true;
      i = end + 1;
    } else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) i += text[i] == '\\' ? 1 : 0;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<Declaration>> declarations(std::string_view text, const std::string& name) {
  Tokens tokens(text, name);
  lang::syntax::File parsed;
  if (!tokens.list.empty())
    parsed = lang::parse_syntax(tokens.list, tokens.sources, tokens.file, tokens.diagnostics);
  if (tokens.diagnostics.any()) return convert_diagnostics(tokens.diagnostics, tokens.sources);
  std::vector<Declaration> result;
  auto token = tokens.list.begin();
  for (const lang::syntax::Item& item : parsed.items) {
    const bool is_daemon = item.daemon.kind != TokenKind::end;
    const std::size_t begin = is_daemon ? item.daemon.range.begin : item.range.begin;
    for (; token->begin < begin; ++token) {
      if (!result.empty()) result.back().end = token->end();
    }
    const bool imports = item.kind == lang::syntax::ItemKind::import_;
    result.push_back(
        {std::string(item.word.text), imports ? import_path(item) : std::string(item.name.text), begin, 0});
  }
  if (!result.empty()) result.back().end = (tokens.list.end() - 2)->end();
  return result;
}

Result<void> check_declarations(std::string_view text, const std::string& name,
                                const Parameters& parameters) {
  lang::SourceMap sources;
  lang::Diagnostics diagnostics;
  const auto file = sources.add(name, std::string(text));
  auto front_end = front_end_options();
  front_end.may_lack_threads = true;
  if (lang::parse_program(sources, file, parameters, diagnostics, front_end)) return {};
  return convert_diagnostics(diagnostics, sources);
}

Result<std::string> format(std::string_view text, const std::string& name) {
  lang::SourceMap sources;
  lang::Diagnostics diagnostics;
  auto formatted = lang::format_program(sources, sources.add(name, std::string(text)), diagnostics);
  if (!formatted) return convert_diagnostics(diagnostics, sources);
  return std::move(*formatted);
}

bool begins_declaration(std::string_view text) {
  const Tokens tokens(text);
  const auto& list = tokens.list;
  if (list.empty()) return false;
  if (lang::begins_item(list.front().kind)) return true;
  const auto& names = lang::names_that_begin_items;
  const bool is_name = std::find(std::begin(names), std::end(names), list.front().text) == std::end(names);
  if (is_name) return lang::is_leads_to(list.begin(), list.end());
  switch (list[1].kind) {
    case TokenKind::thread:
    case TokenKind::proc:
    case TokenKind::identifier:
    case TokenKind::integer:
    case TokenKind::true_:
    case TokenKind::false_:
    case TokenKind::left_parenthesis:
    case TokenKind::exclamation: return true;
    default: return false;
  }
}

bool is_unfinished(std::string_view text) {
  if (in_comment(text)) return true;
  const Tokens tokens(text);
  if (tokens.list.size() < 2) return false;
  const int depth = open_brackets(tokens.list);
  if (depth != 0) return depth > 0;
  const TokenKind last = tokens.list[tokens.list.size() - 2].kind;
  // After a colon or `ref`, `mutex` and `cond` are types and begin no item.
  const auto item = std::find_if(tokens.list.rbegin(), tokens.list.rend(), [&](const Token& token) {
    if (!lang::begins_item(token.kind) || &token == tokens.list.data()) return lang::begins_item(token.kind);
    const TokenKind before = (&token - 1)->kind;
    return before != TokenKind::colon && before != TokenKind::ref;
  });
  if (item == tokens.list.rend()) return lang::is_binary_operator(last);
  const bool has_body = item->kind == TokenKind::fn || item->kind == TokenKind::thread ||
                        item->kind == TokenKind::final_ || item->kind == TokenKind::proc ||
                        item->kind == TokenKind::enum_ || item->kind == TokenKind::struct_;
  return last != TokenKind::semicolon && !(has_body && last == TokenKind::right_brace);
}

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> words;
    for (int kind = 0; kind <= static_cast<int>(TokenKind::tilde); ++kind) {
      const auto token = static_cast<TokenKind>(kind);
      if (lang::is_keyword(token)) words.emplace_back(lang::spelling(token));
    }
    return words;
  }();
  return list;
}

std::vector<std::string> files_of(const Program& program) {
  const lang::SourceMap& sources = state_of(program).sources;
  std::vector<std::string> names;
  for (std::uint32_t file = 0; file < sources.size(); ++file) names.emplace_back(sources.name(file));
  return names;
}

}  // namespace heddle
