// See progress.hpp.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

std::string progress_text(const Progress& progress, std::string_view remaining) {
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.executions) / progress.seconds : 0;
  const std::string blocked =
      progress.blocked > 0 ? fmt::format(", {} blocked", grouped(progress.blocked)) : "";
  return fmt::format("{} ({} a second){}{}, depth {}, {:.0f} s", counted(progress.executions, "execution"),
                     magnitude(rate), remaining, blocked, grouped(progress.depth), progress.seconds);
}

bool ProgressLine::is_due(double seconds) const {
  constexpr double first = 1.0;
  constexpr double interval = 0.2;
  return shown_ && seconds >= first && seconds >= last_seconds_ + interval;
}

void ProgressLine::update(const Progress& progress) {
  if (is_due(progress.seconds)) update(progress.seconds, progress_text(progress));
}

void ProgressLine::update(double seconds, const std::string& whole) {
  if (!is_due(seconds)) return;
  last_seconds_ = seconds;
  // Leaves one column free: a full line would wrap, and a wrapped line cannot be overwritten.
  const std::string text = shorten(whole, terminal_width(STDERR_FILENO) - 1);
  const std::size_t width = display_width(text);
  write_error("\r" + pad_right(text, written_));
  written_ = width;
}

void ProgressLine::clear() {
  if (written_ == 0) return;
  write_error("\r" + std::string(written_, ' ') + "\r");
  written_ = 0;
}

void ProgressBar::update(std::size_t finished, std::size_t found, std::string_view word) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  constexpr std::size_t width = 30;
  const std::size_t filled = width * finished / std::max<std::size_t>(total_, 1);
  std::string text = fmt::format("[{}{}] {} of {}", std::string(filled, '='),
                                 std::string(width - filled, ' '), grouped(finished), counted(total_, noun_));
  if (found > 0) text += fmt::format(", {} {}", grouped(found), word);
  text = shorten(text, terminal_width(STDERR_FILENO) - 1);
  write_error("\r" + pad_right(text, written_));
  written_ = display_width(text);
}

void ProgressBar::clear() {
  if (written_ == 0) return;
  write_error("\r" + std::string(written_, ' ') + "\r");
  written_ = 0;
}

}  // namespace heddle::cli
