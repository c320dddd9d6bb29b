// Messages about a source text: collected, not thrown, so that one run reports several.
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

// Collects errors in the order of the source: they may be reported in any order and are sorted as they come.
// A second message about the same place is dropped silently: it is a consequence of the first. Stores the
// first `limit` reported errors and counts the rest.
class Diagnostics {
 public:
  explicit Diagnostics(std::size_t limit = 20) : limit_(limit) {}
  void error(const SourceRange& range, std::string message, std::string hint = {});
  [[nodiscard]] bool any() const { return !errors_.empty(); }
  // Nothing more will be stored: time to stop looking.
  [[nodiscard]] bool full() const { return errors_.size() >= limit_; }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  std::size_t limit_;
  std::vector<Diagnostic> errors_;
  std::size_t dropped_ = 0;
};

// "peterson.hed:8:3: error: unknown name 'trun'", the line, a caret line under the range, the hint; each of
// them ends in '\n'. A line that is long is cut to a window around the caret, bytes that are no text are
// shown as U+FFFD.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace heddle::lang
