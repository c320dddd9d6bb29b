// See table.hpp.
#include "cli/table.hpp"

#include <algorithm>

#include "cli/text.hpp"

namespace heddle::cli {
namespace {

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i]));
  }
  return widths;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  const std::vector<std::size_t> widths = column_widths(lines);
  std::string text;
  for (const auto& line : lines) {
    std::string shown;
    for (std::size_t i = 0; i < line.size(); ++i) {
      shown += "  " + (i < left ? pad_right(line[i], widths[i]) : pad_left(line[i], widths[i]));
    }
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += shown + "\n";
  }
  return text;
}

std::size_t table_width(const std::vector<std::vector<std::string>>& lines) {
  std::size_t width = 0;
  for (const std::size_t column : column_widths(lines)) width += 2 + column;
  return width;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) text += ',';
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      text += field;
      continue;
    }
    text += '"';
    for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += '"';
  }
  return text + "\r\n";
}

}  // namespace heddle::cli
