// See progress.hpp.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

std::string progress_text(const Progress& progress) {
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.executions) / progress.seconds : 0;
  const std::string blocked =
      progress.blocked > 0 ? fmt::format(", {} blocked", grouped(progress.blocked)) : "";
  return fmt::format("{} ({} a second){}, depth {}, {:.0f} s", counted(progress.executions, "execution"),
                     magnitude(rate), blocked, grouped(progress.depth), progress.seconds);
}

void ProgressLine::update(const Progress& progress) {
  constexpr double first = 1.0;
  constexpr double interval = 0.2;
  if (!shown_ || progress.seconds < first || progress.seconds < last_seconds_ + interval) return;
  last_seconds_ = progress.seconds;
  // Leaves one column free: a full line would wrap, and a wrapped line cannot be overwritten.
  const std::string text = shorten(progress_text(progress), terminal_width(STDERR_FILENO) - 1);
  const std::size_t width = display_width(text);
  write_error("\r" + pad_right(text, written_));
  written_ = width;
}

void ProgressLine::clear() {
  if (written_ == 0) return;
  write_error("\r" + std::string(written_, ' ') + "\r");
  written_ = 0;
}

}  // namespace heddle::cli
