// Source texts and positions in them, shared by every layer that reports to a user.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::lang {

// Lines and columns count from 1. A column is one Unicode code point; a tab is one column.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// The files of one program. File number 0 is the user's. Copies share the texts, which live as long as any of
// them and do not move.
class SourceMap {
 public:
  // Returns the file's number. `built_in`: a module of the standard library.
  std::uint32_t add(std::string name, std::string text, bool built_in = false);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(files_.size()); }
  [[nodiscard]] const std::string& name(std::uint32_t file) const { return files_[file]->name; }
  [[nodiscard]] std::string_view text(std::uint32_t file) const { return files_[file]->text; }
  [[nodiscard]] bool built_in(std::uint32_t file) const { return files_[file]->built_in; }
  [[nodiscard]] std::string_view text(const SourceRange& range) const;
  // O(log lines).
  [[nodiscard]] LineColumn locate(std::uint32_t file, std::uint32_t offset) const;
  // The line containing the offset, without its line break.
  [[nodiscard]] std::string_view line(std::uint32_t file, std::uint32_t offset) const;

 private:
  struct File {
    std::string name;
    std::string text;
    std::vector<std::uint32_t> line_starts;
    bool built_in = false;
  };
  std::vector<std::shared_ptr<const File>> files_;  // shared: tokens are views into the texts
};

}  // namespace heddle::lang
