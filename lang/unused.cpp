// See unused.hpp. The language has no shadowing, so a name always refers to the innermost visible declaration
// and the parse tree is all we need.
#include "lang/unused.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lang/grammar.hpp"
#include "lang/syntax.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

using syntax::ItemKind;
using syntax::StatementKind;
using syntax::Word;

struct Declared {
  Word name;
  std::string_view what;
  bool used = false;
  bool assigned = false;
  bool exempt = false;
};

std::string_view kind_of(ItemKind kind) {
  switch (kind) {
    case ItemKind::param: return "param";
    case ItemKind::constant: return "const";
    case ItemKind::shared: return "shared variable";
    case ItemKind::mutex: return "mutex";
    case ItemKind::cond: return "condition variable";
    case ItemKind::enumeration: return "enum";
    case ItemKind::structure: return "struct";
    case ItemKind::function: return "function";
    case ItemKind::proc: return "proc";
    case ItemKind::import_:
    case ItemKind::thread:
    case ItemKind::final_:
    case ItemKind::property:
    case ItemKind::expect: break;
  }
  return {};
}

class Finder {
 public:
  std::vector<Diagnostic> find(const syntax::File& file) {
    for (const auto& item : file.items) declare_item(item);
    for (const auto& item : file.items) look_into(item);
    std::vector<Diagnostic> result;
    for (const Declared& declared : all_) {
      if (declared.used || declared.exempt || declared.name.text.starts_with('_')) continue;
      result.push_back({declared.name.range,
                        fmt::format("the {} '{}' is {}", declared.what, declared.name.text,
                                    declared.assigned ? "assigned, but never used" : "never used"),
                        {}});
    }
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
    return result;
  }

 private:
  void declare(const Word& name, std::string_view what, bool exempt = false) {
    all_.push_back({.name = name, .what = what, .exempt = exempt});
    visible_[name.text].push_back(&all_.back());
    open_.push_back(name.text);
  }
  // Ends the scope that started when `mark` names were visible.
  void leave(std::size_t mark) {
    for (; open_.size() > mark; open_.pop_back()) visible_[open_.back()].pop_back();
  }
  Declared* known(std::string_view name) {
    const auto found = visible_.find(name);
    return found == visible_.end() || found->second.empty() ? nullptr : found->second.back();
  }
  void use(const Word& word) {
    if (Declared* declared = known(word.text)) declared->used = true;
  }

  void declare_item(const syntax::Item& item) {
    if (item.kind == ItemKind::import_) {
      // Names imported by name stand for the module, which need not be mentioned itself then.
      const Word& last = item.path.back();
      const bool file = last.kind == TokenKind::string;
      if (item.words.empty() && item.name.kind != TokenKind::end) declare(item.name, "module");
      if (item.words.empty() && item.name.kind == TokenKind::end) {
        Word name = last;
        if (file) {
          // "./queue.hed" declares `queue`.
          const std::size_t slash = name.text.find_last_of("/\"", name.text.size() - 2);
          name.text = name.text.substr(slash + 1);
          name.text = name.text.substr(0, name.text.rfind(".hed"));
        }
        declare(name, "module");
      }
      for (const Word& word : item.words) declare(word, "name");
      return;
    }
    const std::string_view what = kind_of(item.kind);
    if (!what.empty()) declare(item.name, what);
  }

  void look_into(const syntax::Item& item) {
    const std::size_t mark = open_.size();
    expressions(item.length);
    expressions(item.expressions);
    type(item.type);
    for (const auto& field : item.fields) {
      type(field.type);
      expressions(field.expressions);
    }
    if (item.family.kind == TokenKind::identifier) declare(item.family, "parameter", true);
    for (const auto& parameter : item.parameters) {
      type(parameter.type);
      declare(parameter.name, "parameter");
    }
    depth_ = item.kind == ItemKind::thread || item.kind == ItemKind::proc ? 0 : 1;
    statements(item.body);
    leave(mark);
  }

  void type(const syntax::TypeName& type) {
    if (type.module.kind != TokenKind::end) {
      use(type.module);
    } else if (type.name.kind != TokenKind::end) {
      use(type.name);
    }
    expressions(type.lengths);
  }

  void statements(const std::vector<syntax::Statement>& list) {
    const std::size_t mark = open_.size();
    for (const auto& statement : list) this->statement(statement);
    leave(mark);
  }

  void statement(const syntax::Statement& statement) {
    type(statement.type);
    if (statement.kind == StatementKind::assign) {
      assignment(statement);
    } else {
      expressions(statement.expressions);
    }
    const std::size_t mark = open_.size();
    if (statement.kind == StatementKind::declare) {
      declare(statement.name, "local", depth_ == 0);
      return;
    }
    if (statement.kind == StatementKind::for_) declare(statement.name, "counter", true);
    ++depth_;
    statements(statement.body);
    statements(statement.otherwise);
    --depth_;
    leave(mark);
  }

  // Assigning to a local does not use it. Everything in an index, and every shared variable, is used.
  void assignment(const syntax::Statement& statement) {
    const auto& place = statement.expressions[0];
    Declared* const declared = place.kind == syntax::ExpressionKind::name ? known(place.word.text) : nullptr;
    if (declared != nullptr && declared->what == "local") {
      declared->assigned = true;
    } else {
      expression(place);
    }
    expression(statement.expressions[1]);
  }

  void expressions(const std::vector<syntax::Expression>& list) {
    for (const auto& one : list) expression(one);
  }
  void expression(const syntax::Expression& one) {
    if (one.kind == syntax::ExpressionKind::name) use(one.word);
    expressions(one.operands);
  }

  std::deque<Declared> all_;  // other members point into it
  std::unordered_map<std::string_view, std::vector<Declared*>> visible_;
  std::vector<std::string_view> open_;
  int depth_ = 0;  // 0: outermost block of a thread or proc
};

}  // namespace

std::vector<Diagnostic> unused_names(const SourceMap& sources, std::uint32_t file) {
  Diagnostics diagnostics;
  const std::vector<Token> tokens = tokenize(sources, file, diagnostics);
  const syntax::File tree = parse_syntax(tokens, sources, file, diagnostics);
  if (diagnostics.any()) return {};
  return Finder().find(tree);
}

}  // namespace heddle::lang
