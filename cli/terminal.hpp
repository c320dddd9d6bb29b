// What standard output and standard error are, and writing to them so that no error goes unnoticed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::cli {

[[nodiscard]] bool is_terminal(int file);

// $COLUMNS if it is a sensible number, else what the terminal says, else 100. At least 20.
[[nodiscard]] std::size_t terminal_width(int file);

// A terminal that understands colours, for a user who has not set NO_COLOR.
[[nodiscard]] bool wants_colour(int file);

// Writes all of the text. Returns 0 or the error's number (ENOSPC, EPIPE, EBADF, ...).
[[nodiscard]] int write_all(int file, std::string_view text);

// Writes a report to standard output. Returns true if it got there or the reader has left of its own will (`|
// head`); else says on standard error what went wrong.
[[nodiscard]] bool write_report(std::string_view text);
// Has anything been written there?
[[nodiscard]] bool report_begun();

// Takes what write_report() and write_error() are given, as long as it lives. There is one at a time.
class ReportCapture {
 public:
  ReportCapture();
  ~ReportCapture();
  ReportCapture(const ReportCapture&) = delete;
  ReportCapture& operator=(const ReportCapture&) = delete;
  [[nodiscard]] const std::string& output() const { return output_; }
  [[nodiscard]] const std::string& errors() const { return errors_; }

 private:
  friend bool write_report(std::string_view text);
  friend void write_error(std::string_view text);
  std::string output_;
  std::string errors_;
};

// Writes to standard error. Nobody is left to be told if that fails.
void write_error(std::string_view text);

enum class Colour { none, red, green, yellow, cyan, bold, dim };

// Puts a text into a colour, or leaves it as it is when colours are off.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  // To be put before and after the text; both empty when colours are off.
  [[nodiscard]] std::string_view begin(Colour colour) const;
  [[nodiscard]] std::string_view end(Colour colour) const;

 private:
  bool on_;
};

}  // namespace heddle::cli
