// See text.hpp.
#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::cli {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = true;
};

// Decodes the first character of a non-empty text. Overlong forms, surrogates and values past U+10FFFF are
// invalid.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {static_cast<char32_t>(first), 1, true};
  std::size_t size = 0;
  char32_t value = 0;
  char32_t least = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    size = 2, value = first & 0x1F, least = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    size = 3, value = first & 0x0F, least = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    size = 4, value = first & 0x07, least = 0x10000;
  }
  if (size == 0 || text.size() < size) return {0, 1, false};
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 1, false};
    value = (value << 6) | (byte(i) & 0x3F);
  }
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {0, 1, false};
  return {value, size, true};
}

// The ranges that matter in practice (Unicode 15, East Asian Width W and F; general categories Mn and Cf).
std::size_t width_of(char32_t c) {
  using Range = std::pair<char32_t, char32_t>;
  static constexpr std::array<Range, 14> zero = {{{0x0300, 0x036F},
                                                  {0x0483, 0x0489},
                                                  {0x0591, 0x05BD},
                                                  {0x0610, 0x061A},
                                                  {0x064B, 0x065F},
                                                  {0x0E34, 0x0E3A},
                                                  {0x1AB0, 0x1AFF},
                                                  {0x1DC0, 0x1DFF},
                                                  {0x200B, 0x200F},
                                                  {0x2060, 0x2064},
                                                  {0x20D0, 0x20F0},
                                                  {0xFE00, 0xFE0F},
                                                  {0xFE20, 0xFE2F},
                                                  {0xFEFF, 0xFEFF}}};
  static constexpr std::array<Range, 11> wide = {{{0x1100, 0x115F},
                                                  {0x231A, 0x231B},
                                                  {0x2E80, 0x303E},
                                                  {0x3041, 0xA4CF},
                                                  {0xA960, 0xA97F},
                                                  {0xAC00, 0xD7A3},
                                                  {0xF900, 0xFAFF},
                                                  {0xFE30, 0xFE6F},
                                                  {0xFF00, 0xFF60},
                                                  {0x1F300, 0x1FAFF},
                                                  {0x20000, 0x3FFFD}}};
  const auto within = [c](const Range& range) { return c >= range.first && c <= range.second; };
  if (c < 0x300) return 1;
  if (std::any_of(zero.begin(), zero.end(), within)) return 0;
  return std::any_of(wide.begin(), wide.end(), within) ? 2 : 1;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    width += c.valid ? width_of(c.value) : 1;
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string clean(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    if (!c.valid) {
      result += replacement;
    } else if (c.value == '\n' && keep_lines) {
      result += '\n';
    } else if (is_control(c.value)) {
      result += ' ';
    } else {
      result += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return result;
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += c;
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view dots = std::string_view("...").substr(0, std::min<std::size_t>(width, 3));
  std::string result;
  std::size_t used = dots.size();
  while (!text.empty()) {
    const CodePoint c = decode(text);
    const std::size_t columns = c.valid ? width_of(c.value) : 1;
    if (used + columns > width) break;
    result += text.substr(0, c.bytes);
    used += columns;
    text.remove_prefix(c.bytes);
  }
  return result.append(dots);
}

std::string pad_right(std::string_view text, std::size_t width) {
  std::string result(text);
  const std::size_t used = display_width(text);
  if (used < width) result.append(width - used, ' ');
  return result;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ').append(text);
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string result;
  for (const char c : clean(text, keep_lines)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  bool first_word = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t columns = display_width(word);
    if (first_word) {
      column += columns;
    } else if (column + 1 + columns > width) {
      result.append("\n").append(indent, ' ');
      column = indent + columns;
    } else {
      result += ' ';
      column += 1 + columns;
    }
    result += word;
    first_word = false;
  }
  return result;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (seconds < 0.01) return fmt::format("{:.2f} ms", seconds * 1000);
  if (seconds < 10) return fmt::format("{:.3f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string byte_size(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return counted(bytes, "byte");
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string magnitude(double number) {
  if (number >= 1e9) return fmt::format("{:.1f} billion", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.1f} million", number / 1e6);
  if (number >= 1e4) return fmt::format("{:.1f} thousand", number / 1e3);
  return grouped(static_cast<std::uint64_t>(number > 0 ? number : 0));
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string near_miss(std::string_view word, const std::vector<std::string>& candidates) {
  // No typing error is that long, and the table below is quadratic.
  if (word.size() > 64) return {};
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string result;
  for (const std::string& candidate : candidates) {
    // Restricted Damerau-Levenshtein distance; rows i - 2, i - 1 and i of its table.
    std::vector<std::size_t> before(candidate.size() + 1);
    std::vector<std::size_t> last(candidate.size() + 1);
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      before.swap(last);
      last.swap(row);
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t differs = word[i - 1] == candidate[j - 1] ? 0 : 1;
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
        const bool swapped =
            i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1];
        if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    if (row.back() < best) {
      best = row.back();
      result = candidate;
    }
  }
  return result;
}

}  // namespace heddle::cli
