// The progress line of a long check, and the bar of many checks.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

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

  // Whether `update` would write: at most five times per second, and only if the line is shown.
  [[nodiscard]] bool is_due(double seconds) const;
  // May be called any number of times.
  void update(const Progress& progress);
  void update(double seconds, const std::string& text);
  // Leaves the line empty, with the cursor at its start.
  void clear();

 private:
  bool shown_;
  double last_seconds_ = 0;
  std::size_t written_ = 0;  // columns of the current line
};

// "[=====     ] 123 of 420 programs, 2 failed" on standard error, updated in place, for runs of many checks.
class ProgressBar {
 public:
  // `shown` false: silent. `noun`: what is counted, in the singular.
  ProgressBar(bool shown, std::size_t total, std::string_view noun)
      : shown_(shown), total_(total), noun_(noun) {}
  // May be called any number of times; writes at most five times per second. `found`: how many of them are
  // worth a `word` such as "failed".
  void update(std::size_t finished, std::size_t found, std::string_view word);
  void clear();

 private:
  bool shown_;
  std::size_t total_;
  std::string_view noun_;
  std::size_t written_ = 0;
  std::chrono::steady_clock::time_point next_;
};

// "1,234 executions (1.2 million a second), 5 blocked, depth 12, 3 s"; `remaining` (estimate.hpp) comes after the rate,
// before all that a narrow terminal may cut off.
[[nodiscard]] std::string progress_text(const Progress& progress, std::string_view remaining = {});

}  // namespace heddle::cli
