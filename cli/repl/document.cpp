// See document.hpp.
#include "cli/repl/document.hpp"

#include <algorithm>
#include <utility>

#include "heddle/source.h"

namespace heddle::cli {

Result<Document> Document::with(std::string_view text) const {
  const auto found = declarations(text, name_);
  if (!found) return found.error();
  Document result = *this;
  std::size_t done = 0;
  for (const Declaration& declaration : *found) {
    Item item{.keyword = declaration.keyword,
              .name = declaration.name,
              .code = std::string(text.substr(declaration.begin, declaration.end - declaration.begin)),
              .text = std::string(text.substr(done, declaration.end - done))};
    done = declaration.end;
    const auto same = std::find_if(result.items_.begin(), result.items_.end(), [&](const Item& old) {
      if (!item.name.empty() || item.keyword == "final")
        return old.name == item.name && (!item.name.empty() || old.keyword == "final");
      return old.code == item.code;
    });
    if (same == result.items_.end()) {
      if (!result.items_.empty() && !item.text.starts_with('\n')) item.text = "\n" + item.text;
      result.items_.push_back(std::move(item));
    } else {
      // The new declaration keeps the place and the comments of the old one.
      const auto comments = same->text.substr(0, same->text.size() - same->code.size());
      item.text = comments + item.code;
      *same = std::move(item);
    }
  }
  if (items_.empty()) result.rest_ = std::string(text.substr(done));
  return result;
}

Document Document::without(std::string_view name, std::size_t& removed) const {
  Document result = *this;
  removed = std::erase_if(result.items_, [&](const Item& item) {
    return item.name == name || (item.name.empty() && item.keyword == name);
  });
  return result;
}

std::string Document::text() const {
  std::string result;
  for (const Item& item : items_) result += item.text;
  result += rest_;
  if (!result.empty() && !result.ends_with('\n')) result += '\n';
  return result;
}

std::vector<std::string> Document::names() const {
  std::vector<std::string> result;
  for (const Item& item : items_) {
    if (!item.name.empty()) result.push_back(item.name);
  }
  return result;
}

}  // namespace heddle::cli
