// The program that is being written at the prompt: declarations that can be replaced one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::cli {

class Document {
 public:
  // How messages name it: the file, or "input".
  explicit Document(std::string name = "input") : name_(std::move(name)) {}

  // The declarations of the text, each of which replaces one of the same name; `final` replaces `final`. What
  // has no name (conditions, expectations) is added unless it stands there already. Errors of syntax.
  [[nodiscard]] Result<Document> with(std::string_view text) const;
  // Without the declarations of that name or keyword; `removed` says how many there were.
  [[nodiscard]] Document without(std::string_view name, std::size_t& removed) const;

  // The whole program. Comments belong to the declaration behind them.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  // Everything that has a name.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Item {
    std::string keyword;
    std::string name;
    std::string code;  // from its keyword to its end
    std::string text;  // with the comments before it
  };
  std::string name_;
  std::vector<Item> items_;
  std::string rest_;  // behind the last declaration
};

}  // namespace heddle::cli
