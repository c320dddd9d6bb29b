// The program written at the prompt: declarations that can be replaced one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::cli {

class Document {
 public:
  // The name for messages: the file, or "input".
  explicit Document(std::string name = "input") : name_(std::move(name)) {}

  // Adds the declarations of the text. Each replaces one of the same name; `final` replaces `final`. Unnamed
  // ones (conditions, expectations) are added unless the program has them already. Returns syntax errors.
  [[nodiscard]] Result<Document> with(std::string_view text) const;
  // A copy without the declarations of that name or keyword; `removed` is their number.
  [[nodiscard]] Document without(std::string_view name, std::size_t& removed) const;

  // The whole program. Comments belong to the declaration after them.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  // All declared names.
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
  std::string rest_;  // the text after the last declaration
};

}  // namespace heddle::cli
