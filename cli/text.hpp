// Text for people: how wide it is on a terminal, how to make it harmless, how to write numbers, what was
// meant by a misspelt word. All of it takes any bytes; what is not UTF-8 counts and shows as one replacement
// character a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

// Columns on a terminal: 0 for combining marks, 2 for wide characters, else 1 a code point. O(size).
[[nodiscard]] std::size_t display_width(std::string_view text);

// A copy without control characters (each becomes a space, so that no text from a file can steer a terminal)
// and with valid UTF-8 only. Line ends stay if `keep_lines`.
[[nodiscard]] std::string clean(std::string_view text, bool keep_lines = false);

// clean(), and every run of white space is one space; none at the ends.
[[nodiscard]] std::string one_line(std::string_view text);

// Cuts to at most `width` columns; what was cut shows as "...".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

// Breaks at spaces. The text is to stand at column `indent`, further lines are indented that far, no line
// reaches beyond column `width` unless a single word does. No line end after the last line.
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

// The candidate that `word` is most likely a misspelling of, or an empty string if none is near: at most one
// edit (insert, delete, replace, swap neighbours) for every three characters. O(candidates x size squared).
[[nodiscard]] std::string near_miss(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace heddle::cli
