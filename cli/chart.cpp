// Traces as message sequence charts in text; see report.hpp. Each thread has a column with a line down its left side. What
// a thread does is written right of its line; an arrow leads to it from the line of the thread whose write it reads.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/report.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr std::size_t least_lane = 14;  // columns

// One line of a terminal: a text for each column of it.
class Canvas {
 public:
  explicit Canvas(std::size_t width) : cells_(width, " ") {}

  // `text` is clean. Widens the canvas if it must.
  void write(std::size_t at, std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = begin + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;
      const std::string character(text.substr(begin, end - begin));
      const std::size_t width = display_width(character);
      if (cells_.size() < at + std::max<std::size_t>(width, 1)) cells_.resize(at + width + 1, " ");
      if (width == 0 && at > 0) {
        cells_[at - 1] += character;
      } else {
        cells_[at] = character;
        for (std::size_t i = 1; i < width; ++i) cells_[at + i].clear();
      }
      at += width;
      begin = end;
    }
  }
  void fill(std::size_t begin, std::size_t end, const char* character) {
    for (std::size_t i = begin; i < end; ++i) cells_.at(i) = character;
  }
  [[nodiscard]] std::string line() const {
    std::string text;
    for (const std::string& cell : cells_) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

 private:
  std::vector<std::string> cells_;
};

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  const std::string all = wrap(one_line(text), width, 0);
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    lines.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Chart {
 public:
  Chart(const Trace& trace, const std::string& main_file, const Style& style)
      : main_file_(main_file),
        style_(style),
        lines_(lines_of(trace, style.view)),
        messages_(messages_of(trace, lines_, style.view)) {
    for (const std::string& thread : trace.threads) headers_.push_back(one_line(thread));
    if (std::any_of(lines_.begin(), lines_.end(), [](const TraceLine& line) { return line.thread < 0; }))
      headers_.emplace_back("final");
    if (headers_.empty()) headers_.emplace_back("thread");
    std::size_t numbers = 1;
    for (const TraceLine& line : lines_) {
      numbers = std::max(numbers, line.number().size());
      places_ = std::max(places_, display_width(place_of(line, main_file)));
    }
    left_ = 2 + numbers + 2;
    const std::size_t used = left_ + 2 + places_;
    const std::size_t room = style.width > used ? style.width - used : 0;
    lane_ = std::max(room / headers_.size(), least_lane);
    end_ = left_ + lane_ * headers_.size();
  }

  std::string run() {
    Canvas head(end_);
    head.write(left_ - 3, "#");
    for (std::size_t i = 0; i < headers_.size(); ++i) head.write(at(i), shorten(headers_[i], lane_ - 2));
    head.write(end_ + 2, "line");
    text_ = fmt::format("{}{}", style_.paint.begin(Colour::bold), head.line());
    text_ += style_.paint.end(Colour::bold);
    auto message = messages_.begin();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (; message != messages_.end() && message->line == i; ++message)
        draw(*message, column_of(lines_[i]));
      draw(lines_[i]);
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t column) const { return left_ + column * lane_; }
  [[nodiscard]] std::size_t column_of(const TraceLine& line) const {
    return line.thread < 0 ? headers_.size() - 1
                           : std::min(static_cast<std::size_t>(line.thread), headers_.size() - 1);
  }
  [[nodiscard]] Canvas lanes() const {
    Canvas canvas(end_);
    for (std::size_t i = 0; i < headers_.size(); ++i) canvas.write(at(i), "|");
    return canvas;
  }
  void paint(Colour colour, const Canvas& canvas) {
    text_ += fmt::format("{}{}{}", style_.paint.begin(colour), canvas.line(), style_.paint.end(colour));
  }

  void draw(const TraceLine& line) {
    const std::size_t column = column_of(line);
    std::string action = line.action;
    // The text of an assertion is printed above the trace.
    if (line.kind == StepKind::failure) action.erase(std::min(action.find(": "), action.size()));
    std::vector<std::string> texts = wrapped(action, lane_ - 4);
    const std::size_t actions = texts.size();
    if (!line.locals.empty()) {
      for (std::string& each : wrapped(fmt::format("[{}]", format_values(line.locals)), lane_ - 4))
        texts.push_back(std::move(each));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Canvas canvas = lanes();
      if (i == 0) {
        const std::string number = line.number();
        canvas.write(left_ - 2 - number.size(), number);
        canvas.write(end_ + 2, place_of(line, main_file_));
      }
      canvas.write(at(column), "|");
      canvas.write(at(column) + 2, texts[i]);
      const Colour colour = line.kind == StepKind::failure ? Colour::red : Colour::none;
      paint(i < actions ? colour : Colour::dim, canvas);
    }
  }

  // The text is written into the arrow if there is room, else above it.
  void draw(const Message& message, std::size_t to) {
    const auto from = static_cast<std::size_t>(message.from);
    const std::size_t left = at(std::min(from, to)), right = at(std::max(from, to));
    const std::size_t room = right - left - 1;
    const std::string text = one_line(message.text);
    const bool fits = display_width(text) + 6 <= room;
    if (!fits) {
      for (const std::string& each : wrapped(text, room - 2)) {
        Canvas canvas = lanes();
        canvas.fill(left + 1, right, " ");
        canvas.write(left + 2, each);
        paint(Colour::green, canvas);
      }
    }
    Canvas canvas = lanes();
    canvas.fill(left + 1, right, "-");
    canvas.fill(from < to ? right - 1 : left + 1, from < to ? right : left + 2, from < to ? ">" : "<");
    if (fits) canvas.write(left + 1 + (room - display_width(text) - 2) / 2, " " + text + " ");
    paint(Colour::green, canvas);
  }

  const std::string& main_file_;
  const Style& style_;
  std::vector<TraceLine> lines_;
  std::vector<Message> messages_;
  std::vector<std::string> headers_;  // threads, then "final" if it has a line
  std::size_t left_ = 0;              // where the first column begins
  std::size_t lane_ = 0;              // width of a column
  std::size_t end_ = 0;               // where the last one ends
  std::size_t places_ = 4;
  std::string text_;
};

}  // namespace

std::string format_chart(const Trace& trace, const std::string& main_file, const Style& style) {
  if (trace.steps.empty()) return "  (no step: it occurs before the first operation)\n";
  return Chart(trace, main_file, style).run();
}

}  // namespace heddle::cli
