// The page of heddle why: the text of the answer, and for each execution a drawing with a column for each
// thread, its events in program order and the communications between them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "cli/pictures.hpp"
#include "cli/text.hpp"
#include "cli/why.hpp"
#include "heddle/graph.h"

namespace heddle::cli {
namespace {

constexpr int column_width = 260;
constexpr int row_height = 70;
constexpr int box_width = 170;
constexpr int box_height = 34;

struct Point {
  int x = 0;
  int y = 0;
};

// Draws one execution as SVG.
class Drawing {
 public:
  explicit Drawing(const WhyExecution& execution)
      : execution_(execution), graph_(graph_of(execution.trace)), places_(graph_.events.size()) {
    std::map<std::int32_t, int> rows;
    for (std::size_t i = 0; i < graph_.events.size(); ++i) {
      const auto thread = graph_.events[i].thread;
      const int column = thread < 0 ? static_cast<int>(graph_.threads.size()) : thread;
      const int row = rows[thread]++;
      places_[i] = {30 + column * column_width, 50 + row * row_height};
      width_ = std::max(width_, places_[i].x + column_width);
      height_ = std::max(height_, places_[i].y + row_height);
    }
  }

  std::string run() {
    std::string text = fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n", width_, height_);
    for (std::size_t t = 0; t < graph_.threads.size(); ++t)
      text += fmt::format("<text class=\"thread\" x=\"{}\" y=\"30\">{}</text>\n",
                          30 + static_cast<int>(t) * column_width, escaped(one_line(graph_.threads[t])));
    for (const GraphEdge& edge : graph_.edges) {
      const std::string_view relation = name(edge.relation);
      if (!in_cycle(edge.from, edge.to)) text += line(edge.from, edge.to, relation, relation, false);
    }
    for (const WhyEdge& edge : execution_.cycle)
      text += line(event_of(edge.from), event_of(edge.to), edge.relation, "cycle", true);
    for (std::size_t i = 0; i < graph_.events.size(); ++i) {
      const Point& at = places_[i];
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
          at.x, at.y, box_width, box_height, at.x + 8, at.y + 22,
          escaped(shorten(one_line(event_label(execution_.trace, graph_.events[i])), 22)));
    }
    return text + "</svg>\n";
  }

 private:
  [[nodiscard]] std::size_t event_of(std::size_t step) const {
    for (std::size_t i = 0; i < graph_.events.size(); ++i) {
      if (graph_.events[i].thread >= 0 && graph_.events[i].step == step) return i;
    }
    return 0;
  }
  [[nodiscard]] bool in_cycle(std::size_t from, std::size_t to) const {
    return std::any_of(execution_.cycle.begin(), execution_.cycle.end(), [&](const WhyEdge& edge) {
      return event_of(edge.from) == from && event_of(edge.to) == to;
    });
  }

  // Within a column edges bend to the left, the more the further they go.
  [[nodiscard]] std::string line(std::size_t from, std::size_t to, std::string_view relation,
                                 std::string_view look, bool bold) const {
    const Point& a = places_[from];
    const Point& b = places_[to];
    Point start{a.x, a.y + box_height / 2};
    Point end{b.x, b.y + box_height / 2};
    Point middle;
    if (a.x == b.x) {
      if (relation == "po" && !bold) {
        start = {a.x + box_width / 2, a.y + box_height};
        end = {b.x + box_width / 2, b.y};
        middle = {start.x, (start.y + end.y) / 2};
      } else {
        start.x += box_width;
        end.x += box_width;
        middle = {start.x + 20 + std::abs(b.y - a.y) / 4, (start.y + end.y) / 2};
      }
    } else {
      (a.x < b.x ? start : end).x += box_width;
      middle = {(start.x + end.x) / 2, (start.y + end.y) / 2 - 12};
    }
    std::string text =
        fmt::format("<path class=\"{}{}\" marker-end=\"url(#arrow)\" d=\"M{} {} Q{} {} {} {}\"/>\n",
                    css(look), bold ? " bold" : "", start.x, start.y, middle.x, middle.y, end.x, end.y);
    if (relation != "po" || bold)
      text += fmt::format("<text class=\"edge {}\" x=\"{}\" y=\"{}\">{}</text>\n", css(look),
                          (start.x + 2 * middle.x + end.x) / 4 + 3, (start.y + 2 * middle.y + end.y) / 4 - 3,
                          escaped(relation));
    return text;
  }
  static std::string css(std::string_view relation) {
    return relation == "ctrl+isync" ? "ctrl" : std::string(relation);
  }

  const WhyExecution& execution_;
  ExecutionGraph graph_;
  std::vector<Point> places_;  // by event
  int width_ = 100;
  int height_ = 100;
};

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>@TITLE@</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 80rem; color: #1f2328; background: #ffffff; }
pre { font: 13px/1.45 ui-monospace, monospace; background: #f6f8fa; padding: 1rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
rect { fill: #f6f8fa; stroke: #8c959f; }
svg text { font: 12px ui-monospace, monospace; fill: #1f2328; }
svg text.thread { font-weight: bold; }
path { fill: none; stroke: #8c959f; stroke-width: 1.2; }
path.rf { stroke: #1a7f37; } path.co { stroke: #9a6700; } path.fr { stroke: #cf222e; stroke-dasharray: 5 3; }
path.addr, path.data, path.ctrl { stroke: #0550ae; } path.sync, path.lwsync, path.eieio { stroke: #8250df; }
path.bold { stroke: #cf222e; stroke-width: 3; stroke-dasharray: none; }
svg text.edge { fill: #57606a; } svg text.cycle { fill: #cf222e; font-weight: bold; }
</style>
</head>
<body>
<svg width="0" height="0" style="position:absolute"><defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5"
 markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
<path d="M0 0 L10 5 L0 10 z" style="fill:#57606a;stroke:none"/></marker></defs></svg>
)";

}  // namespace

std::string why_page(const Program& program, const Why& why) {
  constexpr std::string_view mark = "@TITLE@";
  const std::string title = escaped(fmt::format("{}: {}", one_line(program.name()), why_headline(why)));
  std::string page(head);
  page.replace(page.find(mark), mark.size(), title);
  page += fmt::format("<h1>{}</h1>\n", title);
  for (std::size_t i = 0; i < std::min(why.executions.size(), most_executions_shown); ++i) {
    page += fmt::format("<h2>Execution {}</h2>\n", i + 1) + Drawing(why.executions[i]).run();
  }
  page += fmt::format("<pre>{}</pre>\n", escaped(why_text(program, why, {.width = 100}), true));
  return page + fmt::format("<p>heddle {}</p>\n</body>\n</html>\n", escaped(version()));
}

}  // namespace heddle::cli
