// Collects messages, and renders a message with its source line.
#include "lang/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/utf8.hpp"
#include "lang/warnings.hpp"

namespace heddle::lang {
namespace {

constexpr std::size_t window_columns = 100;  // longest part of a source line that is shown
constexpr std::size_t lead_columns = 40;     // of these, columns before the caret if the line is cut

// One column of a source line: a code point, or a byte that is not UTF-8.
struct Cell {
  std::string_view bytes;
  bool marked = false;
};

bool is_printable(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return first >= 0x20 && first < 0x7F;
  // C1 control codes must not reach the terminal.
  return !(first == 0xC2 && static_cast<unsigned char>(bytes[1]) < 0xA0);
}

// The cells of the line near the caret. `before`: bytes of the line before the marked range. Reads only the
// neighbourhood of the caret, since a line may be megabytes long.
struct Excerpt {
  std::vector<Cell> cells;
  bool cut_front = false;
  bool cut_back = false;
};

std::vector<Cell> split(std::string_view text, std::size_t limit) {
  std::vector<Cell> cells;
  while (!text.empty() && cells.size() < limit) {
    const std::size_t width = std::max<std::size_t>(1, utf8_width(text));
    cells.push_back({text.substr(0, width)});
    text.remove_prefix(width);
  }
  return cells;
}

Excerpt make_excerpt(std::string_view line, std::size_t mark_begin, std::size_t mark_end) {
  Excerpt excerpt;
  std::size_t start = 0;
  if (split(line, window_columns + 1).size() > window_columns) {
    // Step back from the caret by whole code points.
    start = mark_begin;
    for (std::size_t columns = 0; start > 0 && columns < lead_columns; ++columns) {
      --start;
      for (int i = 0; i < 3 && start > 0 && (static_cast<unsigned char>(line[start]) & 0xC0U) == 0x80U; ++i)
        --start;
    }
  }
  excerpt.cut_front = start > 0;
  std::vector<Cell> cells = split(line.substr(start), window_columns + 1);
  excerpt.cut_back = cells.size() > window_columns;
  if (excerpt.cut_back) cells.pop_back();
  std::size_t at = start;
  for (Cell& cell : cells) {
    cell.marked = at >= mark_begin && at < mark_end;
    at += cell.bytes.size();
  }
  excerpt.cells = std::move(cells);
  return excerpt;
}

}  // namespace

void Diagnostics::error(const SourceRange& range, std::string message, std::string hint) {
  const auto place = [](const SourceRange& r) { return std::pair(r.file, r.begin); };
  const auto before = [&](const SourceRange& r, const Diagnostic& d) { return place(r) < place(d.range); };
  const auto position = std::upper_bound(errors_.begin(), errors_.end(), range, before);
  if (position != errors_.begin() && place((position - 1)->range) == place(range)) return;
  if (errors_.size() >= limit_) {
    ++dropped_;
    return;
  }
  errors_.insert(position, {range, std::move(message), std::move(hint)});
}

static std::string render(const Diagnostic& diagnostic, const SourceMap& sources, std::string_view severity) {
  const SourceRange& range = diagnostic.range;
  const LineColumn place = sources.locate(range.file, range.begin);
  std::string out = fmt::format("{}:{}:{}: {}: {}\n", sources.name(range.file), place.line, place.column,
                                severity, diagnostic.message);
  const std::string_view line = sources.line(range.file, range.begin);
  const auto line_begin = static_cast<std::size_t>(line.data() - sources.text(range.file).data());
  const std::size_t mark_begin =
      std::min(range.begin - std::min<std::size_t>(range.begin, line_begin), line.size());
  const std::size_t mark_end =
      std::max(mark_begin + 1, range.end - std::min<std::size_t>(range.end, line_begin));
  const Excerpt excerpt = make_excerpt(line, mark_begin, mark_end);

  std::string shown = excerpt.cut_front ? "..." : "";
  std::string marks = excerpt.cut_front ? "   " : "";
  bool first_mark = true;
  for (const Cell& cell : excerpt.cells) {
    const bool tab = cell.bytes == "\t";
    if (tab || is_printable(cell.bytes)) {
      shown += cell.bytes;
    } else {
      shown += "\xEF\xBF\xBD";
    }
    if (cell.marked) {
      marks += first_mark ? '^' : '~';
      first_mark = false;
      if (tab) marks += '\t';
    } else if (first_mark) {
      marks += tab ? '\t' : ' ';
    }
  }
  if (first_mark) marks += '^';  // at the end of the line
  if (excerpt.cut_back) shown += "...";
  while (!marks.empty() && marks.back() == '\t') marks.pop_back();
  out += fmt::format("  {}\n  {}\n", shown, marks);
  if (!diagnostic.hint.empty()) out += fmt::format("  hint: {}\n", diagnostic.hint);
  return out;
}

std::string render(const Diagnostic& diagnostic, const SourceMap& sources) {
  return render(diagnostic, sources, "error");
}

std::string render_warning(const Diagnostic& diagnostic, const SourceMap& sources) {
  return render(diagnostic, sources, "warning");
}

}  // namespace heddle::lang
