// See terminal.hpp.
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

namespace heddle::cli {
namespace {

// The active capture, if any.
ReportCapture* capture = nullptr;
bool begun = false;

}  // namespace

bool is_terminal(int file) { return ::isatty(file) == 1; }

std::size_t terminal_width(int file) {
  constexpr std::size_t least = 20;
  constexpr std::size_t most = 10'000;
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc{} && end == text.data() + text.size() && width > 0) {
      return std::clamp(width, least, most);
    }
  }
  winsize size{};
  if (is_terminal(file) && ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp<std::size_t>(size.ws_col, least, most);
  }
  return 100;
}

bool wants_colour(int file) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* kind = std::getenv("TERM");
  return capture == nullptr && is_terminal(file) && kind != nullptr && std::string_view(kind) != "dumb";
}

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // another process made the terminal non-blocking
      pollfd wait{file, POLLOUT, 0};
      static_cast<void>(::poll(&wait, 1, -1));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

ReportCapture::ReportCapture() { capture = this; }
ReportCapture::~ReportCapture() { capture = nullptr; }

bool write_report(std::string_view text) {
  if (capture != nullptr) {
    capture->output_.append(text);
    return true;
  }
  begun = true;
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return true;
  write_error(
      fmt::format("heddle: cannot write to standard output: {}\n", std::generic_category().message(error)));
  return false;
}

bool report_begun() { return begun; }

void write_error(std::string_view text) {
  if (capture != nullptr) {
    capture->errors_.append(text);
  } else {
    static_cast<void>(write_all(STDERR_FILENO, text));
  }
}

std::string_view Paint::begin(Colour colour) const {
  if (!on_) return {};
  switch (colour) {
    case Colour::none: return {};
    case Colour::red: return "\x1b[1;31m";
    case Colour::green: return "\x1b[1;32m";
    case Colour::yellow: return "\x1b[1;33m";
    case Colour::cyan: return "\x1b[36m";
    case Colour::bold: return "\x1b[1m";
    case Colour::dim: return "\x1b[2m";
  }
  return {};
}

std::string_view Paint::end(Colour colour) const {
  return on_ && colour != Colour::none ? std::string_view("\x1b[0m") : std::string_view();
}

}  // namespace heddle::cli
