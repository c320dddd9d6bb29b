// Traces as text; see report.hpp. Layouts, widest first: a column per thread with the source text of each
// step; the same with line numbers only; a list with one step per line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "cli/report.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr std::size_t gap = 2;             // columns between columns
constexpr std::size_t least_source = 16;   // narrower source text would be useless
constexpr std::size_t most_columns = 100;  // threads; with more the trace is a list

// A trace with all fields converted to clean text.
struct Rows {
  struct Row {
    std::size_t column = 0;  // index into headers
    std::string number;
    std::string action;
    std::string place;
    std::string source;
    std::string locals;
    Colour colour = Colour::none;
  };
  std::vector<std::string> headers;  // threads, then "final" if it has a step
  std::vector<Row> rows;
  std::vector<std::size_t> widths;  // of the headers' columns
  std::size_t number_width = 1;
  std::size_t place_width = 0;
  std::size_t source_width = 0;
};

Colour colour_of(StepKind kind) {
  if (kind == StepKind::failure) return Colour::red;
  return kind == StepKind::flush || kind == StepKind::buffered ? Colour::cyan : Colour::none;
}

Rows prepare(const Trace& trace, const std::string& main_file, const TraceView& view) {
  Rows result;
  for (const std::string& thread : trace.threads) result.headers.push_back(one_line(thread));
  const auto is_final = [](const Step& step) { return step.thread < 0; };
  if (std::any_of(trace.steps.begin(), trace.steps.end(), is_final)) result.headers.emplace_back("final");
  if (result.headers.empty()) result.headers.emplace_back("thread");
  for (const std::string& header : result.headers) result.widths.push_back(display_width(header));
  for (const TraceLine& line : lines_of(trace, view)) {
    Rows::Row row;
    row.column = line.thread < 0 ? result.headers.size() - 1
                                 : std::min(static_cast<std::size_t>(line.thread), result.headers.size() - 1);
    row.number = line.number();
    row.action = one_line(line.action);
    // "assertion failed: a long text": the text is printed above the trace and would only widen the column.
    if (line.kind == StepKind::failure) row.action.erase(std::min(row.action.find(": "), row.action.size()));
    row.place = place_of(line, main_file);
    row.source = one_line(line.source);
    if (!line.locals.empty()) row.locals = fmt::format("[{}]", one_line(format_values(line.locals)));
    row.colour = colour_of(line.kind);
    result.number_width = std::max(result.number_width, row.number.size());
    result.widths[row.column] =
        std::max({result.widths[row.column], display_width(row.action), display_width(row.locals)});
    result.place_width = std::max(result.place_width, display_width(row.place));
    result.source_width = std::max(result.source_width, display_width(row.source));
    result.rows.push_back(std::move(row));
  }
  return result;
}

std::string painted(const Style& style, Colour colour, std::string_view text) {
  return fmt::format("{}{}{}", style.paint.begin(colour), text, style.paint.end(colour));
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

// `source_width` 0: no source text.
std::string as_table(const Rows& rows, std::size_t source_width, const Style& style) {
  const std::string space(gap, ' ');
  const std::size_t place_width = std::max<std::size_t>(rows.place_width, 4);
  std::string head = space + pad_left("#", rows.number_width);
  std::size_t width = rows.number_width;
  for (std::size_t i = 0; i < rows.headers.size(); ++i) {
    head += space + pad_right(rows.headers[i], rows.widths[i]);
    width += gap + rows.widths[i];
  }
  head += space + pad_left("line", place_width);
  width += gap + place_width;
  if (source_width > 0) {
    head += space + "source";
    width += gap + source_width;
  }
  std::string text = painted(style, Colour::bold, head) + "\n" + space + std::string(width, '-') + "\n";
  for (const Rows::Row& row : rows.rows) {
    std::string line = space + pad_left(row.number, rows.number_width);
    for (std::size_t i = 0; i < rows.headers.size(); ++i) {
      line += space;
      if (i == row.column) {
        line += painted(style, row.colour, pad_right(row.action, rows.widths[i]));
      } else {
        line += std::string(rows.widths[i], ' ');
      }
    }
    line += space + pad_left(row.place, place_width);
    if (source_width > 0) {
      line += space + painted(style, Colour::dim, shorten(row.source, source_width));
    }
    end_line(line);
    text += line;
    if (row.locals.empty()) continue;
    std::size_t indent = gap + rows.number_width + gap;
    for (std::size_t i = 0; i < row.column; ++i) indent += rows.widths[i] + gap;
    text += std::string(indent, ' ') + painted(style, Colour::dim, row.locals) + "\n";
  }
  return text;
}

// Number, thread, action, "(line 7: source)"; the latter goes to its own line if it does not fit.
std::string as_list(const Rows& rows, const Style& style) {
  std::size_t thread_width = 0;
  for (const std::string& header : rows.headers) thread_width = std::max(thread_width, display_width(header));
  thread_width = std::min<std::size_t>(thread_width, 24);
  const std::string space(gap, ' ');
  const std::size_t indent = gap + rows.number_width + gap + thread_width + gap;
  std::string text;
  for (const Rows::Row& row : rows.rows) {
    std::string line = space + pad_left(row.number, rows.number_width) + space +
                       pad_right(rows.headers[row.column], thread_width) + space;
    std::size_t used = display_width(line) + display_width(row.action);
    line += painted(style, row.colour, row.action);
    if (!row.place.empty()) {
      std::string place = fmt::format("(line {}{}{})", row.place, row.source.empty() ? "" : ": ", row.source);
      if (used + gap + display_width(place) > style.width) {
        line += "\n" + std::string(indent, ' ');
        used = indent;
        if (style.width > indent + least_source) place = shorten(place, style.width - indent);
      } else {
        line += space;
      }
      line += painted(style, Colour::dim, place);
    }
    end_line(line);
    text += line;
    if (!row.locals.empty()) {
      text += std::string(indent, ' ') + painted(style, Colour::dim, wrap(row.locals, style.width, indent)) +
              "\n";
    }
  }
  return text;
}

std::string format_steps(const Rows& rows, const Style& style) {
  if (rows.rows.empty()) return "  (no step: it occurs before the first operation)\n";
  std::size_t width = gap + rows.number_width + gap + std::max<std::size_t>(rows.place_width, 4);
  for (const std::size_t column : rows.widths) width += gap + column;
  if (width > style.width || rows.headers.size() > most_columns) return as_list(rows, style);
  const std::size_t room = style.width - width;
  if (rows.source_width == 0 || room < gap + std::min(rows.source_width, least_source)) {
    return as_table(rows, 0, style);
  }
  return as_table(rows, std::min(std::max<std::size_t>(rows.source_width, 6), room - gap), style);
}

// "flag[3]" is element 3 of "flag".
struct Element {
  std::string_view array;
  std::uint64_t index = 0;
};

std::optional<Element> element_of(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || open == 0 || name.back() != ']') return std::nullopt;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  Element element{name.substr(0, open), 0};
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    element.index = element.index * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return element;
}

// "{0, 1, 0 (14 times)}".
std::string format_elements(const NamedValue* first, const NamedValue* last) {
  constexpr std::ptrdiff_t long_run = 4;
  std::vector<std::string> parts;
  while (first != last) {
    const NamedValue* end = std::find_if_not(
        first, last, [first](const NamedValue& element) { return element.value == first->value; });
    if (end - first >= long_run) {
      parts.push_back(fmt::format("{} ({} times)", first->text(), end - first));
      first = end;
    }
    for (; first != end; ++first) parts.push_back(first->text());
  }
  return fmt::format("{{{}}}", join(parts, ", "));
}

std::string format_ends(const Trace& trace, const Style& style) {
  std::size_t width = 0;
  for (const ThreadEnd& end : trace.ends) width = std::max(width, display_width(one_line(end.thread)));
  width = std::min<std::size_t>(width, 24);
  const std::size_t indent = 2 + width + gap;
  std::string text;
  const auto add_line = [&](std::string_view head, const std::string& body) {
    const std::string line = fmt::format("  {}  ", pad_right(head, width));
    text += line + wrap(body, style.width, std::max(indent, display_width(line))) + "\n";
  };
  for (const ThreadEnd& end : trace.ends) {
    add_line(one_line(end.thread), one_line(end.state));
    if (!end.locals.empty()) add_line("", "locals: " + format_values(end.locals));
    if (end.buffered.empty()) continue;
    std::vector<std::string> stores;
    for (const NamedValue& store : end.buffered)
      stores.push_back(one_line(store.name) + " = " + store.text());
    add_line("", "store buffer, oldest first: " + join(stores, ", "));
  }
  return text;
}

}  // namespace

std::string format_values(const std::vector<NamedValue>& values) {
  std::vector<std::string> parts;
  const NamedValue* const end = values.data() + values.size();
  for (const NamedValue* value = values.data(); value != end;) {
    const std::optional<Element> element = element_of(value->name);
    const NamedValue* next = value + 1;
    if (element && element->index == 0) {
      for (std::uint64_t index = 1; next != end; ++next, ++index) {
        const std::optional<Element> other = element_of(next->name);
        if (!other || other->array != element->array || other->index != index) break;
      }
    }
    if (next - value > 1) {
      parts.push_back(fmt::format("{} = {}", one_line(element->array), format_elements(value, next)));
    } else {
      parts.push_back(fmt::format("{} = {}", one_line(value->name), value->text()));
    }
    value = next;
  }
  return join(parts, ", ");
}

std::string place_of(const TraceLine& line, const std::string& main_file) {
  if (line.line == 0) return {};
  if (line.file.empty() || line.file == main_file) return std::to_string(line.line);
  return fmt::format("{}:{}", clean(line.file), line.line);
}

std::string format_trace(const Trace& trace, const std::string& main_file, const Style& style) {
  std::string text = style.view.chart ? format_chart(trace, main_file, style)
                                      : format_steps(prepare(trace, main_file, style.view), style);
  if (trace.repeats_from) {
    const std::size_t first = *trace.repeats_from + 1;
    const std::size_t last = trace.steps.size();
    if (first > last) {
      text += "\nNo further step is visible, for ever.\n";
    } else if (first == last) {
      text += fmt::format("\nStep {} repeats for ever.\n", last);
    } else {
      text += fmt::format("\nSteps {} to {} repeat for ever.\n", first, last);
    }
  }
  if (!trace.memory.empty()) {
    std::size_t left_out = 0;
    const std::string values = format_memory(trace, style.view, left_out);
    text += "\nShared variables at the end:\n";
    if (!values.empty()) text += "  " + wrap(values, style.width, 2) + "\n";
    if (left_out > 0) text += fmt::format("  ({} of structs as at the start)\n", counted(left_out, "value"));
  }
  if (!trace.ends.empty()) text += "\nThreads at the end:\n" + format_ends(trace, style);
  return text;
}

}  // namespace heddle::cli
