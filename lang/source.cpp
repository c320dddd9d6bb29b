// Lines and columns of byte offsets.
#include "lang/source.hpp"

#include <algorithm>
#include <cstddef>

#include "lang/utf8.hpp"

namespace heddle::lang {

std::size_t utf8_width(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto is_tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0U) == 0x80U; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return is_tail(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!is_tail(1) || !is_tail(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!is_tail(1) || !is_tail(2) || !is_tail(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) >= 0x90;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

std::uint32_t SourceMap::add(std::string name, std::string text, bool built_in) {
  File file{std::move(name), std::move(text), {0}, built_in};
  for (std::size_t at = file.text.find('\n'); at != std::string::npos; at = file.text.find('\n', at + 1)) {
    file.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  files_.push_back(std::make_shared<const File>(std::move(file)));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view SourceMap::text(const SourceRange& range) const {
  const std::string_view all = files_[range.file]->text;
  const std::size_t begin = std::min<std::size_t>(range.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(range.end, begin, all.size());
  return all.substr(begin, end - begin);
}

LineColumn SourceMap::locate(std::uint32_t file, std::uint32_t offset) const {
  const File& source = *files_[file];
  offset = std::min(offset, static_cast<std::uint32_t>(source.text.size()));
  const auto after = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  const std::uint32_t start = *(after - 1);
  LineColumn place;
  place.line = static_cast<std::uint32_t>(after - source.line_starts.begin());
  std::string_view before = std::string_view(source.text).substr(start, offset - start);
  while (!before.empty()) {
    before.remove_prefix(std::max<std::size_t>(1, utf8_width(before)));
    ++place.column;
  }
  return place;
}

std::string_view SourceMap::line(std::uint32_t file, std::uint32_t offset) const {
  const std::string_view all = files_[file]->text;
  offset = std::min(offset, static_cast<std::uint32_t>(all.size()));
  const std::size_t previous = offset == 0 ? std::string_view::npos : all.rfind('\n', offset - 1);
  const std::size_t begin = previous == std::string_view::npos ? 0 : previous + 1;
  std::size_t end = std::min(all.find('\n', begin), all.size());
  if (end > begin && all[end - 1] == '\r') --end;
  return all.substr(begin, end - begin);
}

}  // namespace heddle::lang
