// The line that says how a long check is getting on.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/heddle.h"

namespace heddle::cli {

// One line on standard error, rewritten in place from the first second on; nothing at all for shorter checks.
class ProgressLine {
 public:
  // `shown` false: silent.
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Call as often as you like; it writes at most five times a second.
  void update(const Progress& progress);
  // Leaves the line empty, with the cursor at its start.
  void clear();

 private:
  bool shown_;
  double last_seconds_ = 0;
  std::size_t written_ = 0;  // columns of the line that stands there
};

// "1,234 executions (1.2 million a second), 5 blocked, depth 12, 3 s".
[[nodiscard]] std::string progress_text(const Progress& progress);

}  // namespace heddle::cli
