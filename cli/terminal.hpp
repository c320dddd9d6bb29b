// Properties of standard output and standard error, and writing to them with every error reported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::cli {

[[nodiscard]] bool is_terminal(int file);

// $COLUMNS if it is a sensible number, else the terminal's width, else 100. At least 20.
[[nodiscard]] std::size_t terminal_width(int file);

// True for a terminal with colours if NO_COLOR is not set.
[[nodiscard]] bool wants_colour(int file);

// Writes the whole text. Returns 0 or the error's number (ENOSPC, EPIPE, EBADF, ...).
[[nodiscard]] int write_all(int file, std::string_view text);

// Writes a report to standard output. Returns true if it was written or the reader has closed the pipe (`|
// head`); otherwise prints the error on standard error.
[[nodiscard]] bool write_report(std::string_view text);
// Whether anything has been written to standard output.
[[nodiscard]] bool report_begun();

// Captures the texts given to write_report() and write_error() during its lifetime. Only one may exist at a
// time.
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

// Writes to standard error. A failure is ignored, since it could not be reported.
void write_error(std::string_view text);

enum class Colour { none, red, green, yellow, cyan, bold, dim };

// Colours a text, or leaves it unchanged if colours are off.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  // Escape sequences before and after the text; both empty if colours are off.
  [[nodiscard]] std::string_view begin(Colour colour) const;
  [[nodiscard]] std::string_view end(Colour colour) const;

 private:
  bool on_;
};

}  // namespace heddle::cli
