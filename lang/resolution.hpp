// What all parts of name resolution and type checking share: the program that is being made, the names, the
// messages.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/names.hpp"
#include "lang/source.hpp"
#include "lang/syntax.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

struct Resolution {
  const SourceMap& sources;
  std::uint32_t file = 0;
  Diagnostics& diagnostics;
  Program program;
  Names names;
  // Per thread template: its first thread, and its top-level locals by name.
  struct TemplateInfo {
    ThreadId first_thread = 0;
    std::int64_t first_argument = 0;
    std::uint32_t threads = 0;
    std::unordered_map<std::string_view, LocalSymbol> locals;
  };
  std::vector<TemplateInfo> templates;
  bool may_lack_threads = false;  // a program without any is no error

  void error(const SourceRange& range, std::string message, std::string hint = {}) {
    diagnostics.error(range, std::move(message), std::move(hint));
  }
  // "line 3", for a second place in a message.
  [[nodiscard]] std::string line_of(const SourceRange& range) const;
  // The source text if it is short enough for a message, else `otherwise`.
  [[nodiscard]] std::string quote(const SourceRange& range, std::string_view otherwise) const;
  // "did you mean ...?" among the visible names that `wanted` accepts (null symbol: a local).
  [[nodiscard]] std::string suggest(std::string_view name, const Locals* locals,
                                    bool (*wanted)(const Symbol*) = nullptr) const;
};

[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] Type type_of(const syntax::Word& word);

// The value of an expression that consists of literals and operators only. Reports a division by zero in it.
[[nodiscard]] std::optional<std::int64_t> fold_constant(Resolution& resolution, const Expression& expression);

}  // namespace heddle::lang
