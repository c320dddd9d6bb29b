// The progress line of a long check.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/heddle.h"

namespace heddle::cli {

// One line on standard error, updated in place. It appears after the first second, so short checks have none.
class ProgressLine {
 public:
  // `shown` false: silent.
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // May be called any number of times; writes at most five times per second.
  void update(const Progress& progress);
  // Leaves the line empty, with the cursor at its start.
  void clear();

 private:
  bool shown_;
  double last_seconds_ = 0;
  std::size_t written_ = 0;  // columns of the current line
};

// "1,234 executions (1.2 million a second), 5 blocked, depth 12, 3 s".
[[nodiscard]] std::string progress_text(const Progress& progress);

}  // namespace heddle::cli
