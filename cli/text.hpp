// Text for people: its width on a terminal, sanitising, formatting of numbers, corrections of misspelt words.
// All functions accept any bytes; each byte that is not valid UTF-8 counts and shows as one replacement
// character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

// Columns on a terminal: 0 for combining marks, 2 for wide characters, else 1 per code point. O(size).
[[nodiscard]] std::size_t display_width(std::string_view text);

// A copy without control characters (each becomes a space, so that no text from a file can control a
// terminal) and with valid UTF-8 only. Keeps newlines if `keep_lines`.
[[nodiscard]] std::string clean(std::string_view text, bool keep_lines = false);

// clean(), with every run of white space replaced by one space, and none at the ends.
[[nodiscard]] std::string one_line(std::string_view text);

// Shortens to at most `width` columns; "..." marks the cut.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

// clean(), with the characters escaped that XML and HTML give a meaning to.
[[nodiscard]] std::string escaped(std::string_view text, bool keep_lines = false);

// Breaks lines at spaces. The text begins at column `indent`, further lines are indented that far, and no
// line goes beyond column `width` unless a single word does. No newline after the last line.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 execution", "3 executions", "1,234 executions".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);
// "0.21 ms", "0.042 s", "12.3 s", "3 min 05 s".
[[nodiscard]] std::string duration(double seconds);
// "512 bytes", "12.0 KiB", "3.4 GiB".
[[nodiscard]] std::string byte_size(std::uint64_t bytes);
// "9,950", "12.3 thousand", "1.3 million": for rates.
[[nodiscard]] std::string magnitude(double number);

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

// The candidate that `word` most likely misspells, or an empty string if none is close: at most one edit
// (insert, delete, replace, swap neighbours) for every three characters. O(candidates x size squared).
[[nodiscard]] std::string near_miss(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace heddle::cli
