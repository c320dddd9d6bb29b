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

// Collects errors in the order of the source. Stops storing after `limit` and counts the rest.
class Diagnostics {
 public:
  explicit Diagnostics(std::size_t limit = 20) : limit_(limit) {}
  void error(const SourceRange& range, std::string message, std::string hint = {});
  [[nodiscard]] bool any() const { return !errors_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  std::size_t limit_;
  std::vector<Diagnostic> errors_;
  std::size_t dropped_ = 0;
};

// "peterson.hed:8:3: error: unknown name 'trun'", the line, a caret line under the range, the hint.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace heddle::lang
