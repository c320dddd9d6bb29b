// Messages about a source text. They are collected, not thrown, so that one run can report several.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lang/source.hpp"

namespace heddle::lang {

struct Diagnostic {
  SourceRange range;
  std::string message;  // "unknown name 'trun'", no full stop
  std::string hint;     // "did you mean 'turn'?", may be empty
};

// Collects errors in source order: they may be reported in any order and are sorted as they come. A second
// message about the same place is dropped silently, since it is a consequence of the first. Stores the first
// `limit` errors and counts the rest.
class Diagnostics {
 public:
  explicit Diagnostics(std::size_t limit = 20) : limit_(limit) {}
  void error(const SourceRange& range, std::string message, std::string hint = {});
  [[nodiscard]] bool any() const { return !errors_.empty(); }
  // No further error will be stored: callers can stop looking.
  [[nodiscard]] bool full() const { return errors_.size() >= limit_; }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  std::size_t limit_;
  std::vector<Diagnostic> errors_;
  std::size_t dropped_ = 0;
};

// "peterson.hed:8:3: error: unknown name 'trun'", the source line, a caret line under the range and the hint,
// each ending in '
// '. Long lines are cut to a window around the caret; bytes that are not UTF-8 are shown as U+FFFD.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace heddle::lang
