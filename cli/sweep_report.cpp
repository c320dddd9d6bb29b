// Sweeps as text, CSV, JSON and HTML; see sweep.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cli/json.hpp"
#include "cli/pairs.hpp"
#include "cli/sweep.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// A violation that cells have in common.
struct Group {
  std::string message;
  std::string file;
  std::uint32_t line = 0;
  std::size_t first = 0;  // cell
  std::size_t cells = 0;
};

// The distinct violations by place and message, in the order of the cells, and the group of each cell, from
// 1; 0: no violation.
struct Groups {
  std::vector<Group> list;
  std::vector<std::size_t> of_cell;
};

Groups group(const Sweep& sweep) {
  Groups groups;
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const SweepCell& cell = sweep.cells[i];
    groups.of_cell.push_back(0);
    if (cell.message.empty()) continue;
    const auto [place, inserted] =
        known.try_emplace({cell.file, cell.line, cell.message}, groups.list.size() + 1);
    if (inserted) groups.list.push_back({cell.message, cell.file, cell.line, i, 0});
    ++groups.list[place->second - 1].cells;
    groups.of_cell.back() = place->second;
  }
  return groups;
}

// The params that have several values; all are shown if none has.
std::vector<ParameterValues> shown_parameters(const Sweep& sweep) {
  std::vector<ParameterValues> varied;
  for (const ParameterValues& each : sweep.values) {
    if (each.values.size() > 1) varied.push_back(each);
  }
  return varied.empty() ? sweep.values : varied;
}

bool lists_algorithms(const Sweep& sweep) {
  for (std::size_t i = 0; i < sweep.columns.size(); ++i) {
    if (i > 0 && sweep.columns[i].model == sweep.columns[i - 1].model) return true;
    if (sweep.columns[i].algorithm != automatic) return true;
  }
  return false;
}

std::string title(const Sweep& sweep, const SweepColumn& column) {
  return lists_algorithms(sweep) ? fmt::format("{} {}", column.model, column.algorithm) : column.model;
}

// "violation [2]", "undecided (timeout)", "safe".
std::string verdict_text(const SweepCell& cell, std::size_t group) {
  std::string text(outcome(cell));
  if (group > 0) text += fmt::format(" [{}]", group);
  if (!cell.stopped_by.empty()) text += fmt::format(" ({})", one_line(cell.stopped_by));
  return text;
}
std::string executions_text(const SweepCell& cell) {
  return cell.status == CellStatus::checked ? grouped(cell.counts.executions) : "";
}
std::string time_text(const SweepCell& cell) {
  return cell.status == CellStatus::checked ? duration(cell.seconds) : "";
}

using Lines = std::vector<std::vector<std::string>>;

// A line for each set of params, with three columns for each model and algorithm.
Lines wide_lines(const Sweep& sweep, const Groups& groups) {
  const std::vector<ParameterValues> parameters = shown_parameters(sweep);
  Lines lines(2);
  lines[0].resize(parameters.size());
  for (const ParameterValues& each : parameters) lines[1].push_back(one_line(each.name));
  for (const SweepColumn& column : sweep.columns) {
    lines[0].insert(lines[0].end(), {title(sweep, column), "", ""});
    lines[1].insert(lines[1].end(), {"verdict", "executions", "time"});
  }
  for (std::size_t set = 0; set < sweep.sets.size(); ++set) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const ParameterValues& each : parameters)
      line.push_back(std::to_string(sweep.sets[set].at(each.name)));
    for (std::size_t column = 0; column < sweep.columns.size(); ++column) {
      const SweepCell& cell = sweep.cell(set, column);
      const std::size_t number = set * sweep.columns.size() + column;
      line.insert(line.end(),
                  {verdict_text(cell, groups.of_cell[number]), executions_text(cell), time_text(cell)});
    }
  }
  return lines;
}

// A line for each check.
Lines long_lines(const Sweep& sweep, const Groups& groups) {
  const std::vector<ParameterValues> parameters = shown_parameters(sweep);
  Lines lines(1);
  for (const ParameterValues& each : parameters) lines[0].push_back(one_line(each.name));
  lines[0].insert(lines[0].end(), {"model", "algorithm", "verdict", "executions", "time"});
  for (std::size_t number = 0; number < sweep.cells.size(); ++number) {
    const SweepCell& cell = sweep.cells[number];
    std::vector<std::string>& line = lines.emplace_back();
    for (const ParameterValues& each : parameters)
      line.push_back(std::to_string(sweep.sets[sweep.set_of(number)].at(each.name)));
    const auto& [model, algorithm] = sweep.column_of(number);
    const std::string& decided = cell.algorithm.empty() ? algorithm : cell.algorithm;
    line.insert(line.end(), {model, decided, verdict_text(cell, groups.of_cell[number]),
                             executions_text(cell), time_text(cell)});
  }
  return lines;
}

// Texts are aligned to the left, numbers to the right.
std::string aligned(Lines lines, std::size_t parameters, bool wide) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i]));
  }
  for (auto& line : lines) {
    for (std::size_t i = parameters; i < line.size(); ++i) {
      const bool text = wide ? (i - parameters) % 3 == 0 : i - parameters < 3;
      if (text) line[i] = pad_right(line[i], widths[i]);
    }
  }
  return table(lines, 0);
}

std::string place_of(const Group& group) {
  return group.line == 0 ? one_line(group.file) : fmt::format("{}:{}", one_line(group.file), group.line);
}

std::string violations_text(const Sweep& sweep, const Groups& groups, const Style& style) {
  if (groups.list.empty()) return {};
  std::string text = "\nViolations:\n";
  for (std::size_t i = 0; i < groups.list.size(); ++i) {
    const Group& each = groups.list[i];
    const std::string head =
        fmt::format("{}: {} ({})", place_of(each), one_line(each.message), counted(each.cells, "check"));
    text += fmt::format("  [{}] {}\n      {}\n", i + 1, wrap(head, style.width, 6),
                        cell_command(sweep, each.first));
  }
  return text;
}

// Reasons and the number of cells that they concern, with the first cell.
std::string reasons_text(const Sweep& sweep, CellStatus status, std::string_view heading,
                         const Style& style) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> reasons;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    if (sweep.cells[i].status != status) continue;
    const std::string& reason = sweep.cells[i].reason;
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& entry) { return entry.first == reason; });
    if (known == reasons.end()) {
      reasons.push_back({reason, {i}});
    } else {
      known->second.push_back(i);
    }
  }
  std::string text;
  for (const auto& [reason, cells] : reasons) {
    text += fmt::format(
        "  {}\n",
        wrap(fmt::format("{} ({})", one_line(reason), counted(cells.size(), "check")), style.width, 4));
    if (status == CellStatus::wrong) text += fmt::format("      {}\n", cell_command(sweep, cells.front()));
  }
  return text.empty() ? text : fmt::format("\n{}:\n{}", heading, text);
}

// Bounds that cut something, of the first check that has them.
std::string bounds_text(const Sweep& sweep, const Style& style) {
  std::size_t count = 0;
  const SweepCell* first = nullptr;
  std::size_t number = 0;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    if (sweep.cells[i].bounds.empty()) continue;
    if (count++ == 0) {
      first = &sweep.cells[i];
      number = i;
    }
  }
  if (first == nullptr) return {};
  return fmt::format("\nBounds cut {}; the first:\n  {}\n      {}\n", counted(count, "check"),
                     wrap(join(first->bounds, "; "), style.width, 4), cell_command(sweep, number));
}

// "16 safe, 65 violation": outcomes in the order of the first cell that has each.
std::vector<std::pair<std::string_view, std::size_t>> sums(const Sweep& sweep) {
  std::vector<std::pair<std::string_view, std::size_t>> result;
  for (const SweepCell& cell : sweep.cells) {
    const auto known = std::find_if(result.begin(), result.end(),
                                    [&](const auto& entry) { return entry.first == outcome(cell); });
    if (known == result.end()) {
      result.emplace_back(outcome(cell), 1);
    } else {
      ++known->second;
    }
  }
  return result;
}

std::string sums_text(const Sweep& sweep) {
  std::string text;
  for (const auto& [word, count] : sums(sweep))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), word);
  return fmt::format("{}{}: {}; {}, {}", sweep.interrupted ? "interrupted; so far " : "",
                     counted(sweep.cells.size(), "check"), text, duration(sweep.seconds),
                     counted(sweep.jobs, "worker"));
}

// The params with one value, "A = 1, B = 2".
std::string fixed_parameters(const Sweep& sweep) {
  std::string text;
  const std::vector<ParameterValues> shown = shown_parameters(sweep);
  for (const ParameterValues& each : sweep.values) {
    const bool in_table = std::any_of(shown.begin(), shown.end(),
                                      [&](const ParameterValues& other) { return other.name == each.name; });
    if (!in_table)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", one_line(each.name), each.values.front());
  }
  return text;
}

std::string describe_columns(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const SweepColumn& column : sweep.columns)
    names.push_back(fmt::format("{} ({})", column.model, column.algorithm));
  return join(names, ", ");
}

Json json_cell(const Sweep& sweep, std::size_t number) {
  const SweepCell& cell = sweep.cells[number];
  const auto& [model, algorithm] = sweep.column_of(number);
  const bool checked = cell.status == CellStatus::checked;
  Json violation = nullptr;
  if (!cell.message.empty())
    violation = {{"message", cell.message}, {"file", cell.file}, {"line", cell.line}};
  return {{"parameters", to_json(sweep.sets[sweep.set_of(number)])},
          {"model", model},
          {"algorithm", cell.algorithm.empty() ? algorithm : cell.algorithm},
          {"verdict", checked ? Json(json_word(name(cell.verdict))) : Json(nullptr)},
          {"status", json_word(checked ? "checked" : outcome(cell))},
          {"reason", text_or_null(cell.reason)},
          {"stopped_by", text_or_null(cell.stopped_by)},
          {"bounds", cell.bounds},
          {"violation", std::move(violation)},
          {"seconds", cell.seconds},
          {"counts", checked ? to_json(cell.counts) : Json(nullptr)},
          {"reproduce", cell_command(sweep, number)}};
}

std::uint64_t blocked(const Counts& counts) {
  return counts.blocked_assume + counts.blocked_await + counts.blocked_idle + counts.blocked_sleep_set +
         counts.blocked_race + counts.blocked_loop_bound;
}

constexpr std::string_view page_head = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>@TITLE@</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; }
th, td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th { position: sticky; top: 0; background: #fff; }
td.verdict { text-align: left; }
.safe { background: #e2f3e5; } .violation { background: #fadcd9; } .undecided, .vacuous { background: #fdf1cf; }
.safe_within_bounds { background: #eef6dc; } .error { background: #e6dcf5; } .not_run, .left_out { color: #777; }
code { font-size: 90%; }
</style>
)";

}  // namespace

std::string sweep_text(const Sweep& sweep, const Style& style) {
  const Groups groups = group(sweep);
  const std::size_t parameters = shown_parameters(sweep).size();
  std::string text = fmt::format("{}: {} under {}\n", one_line(sweep.file),
                                 counted(sweep.cells.size(), "check"), describe_columns(sweep));
  if (const std::string fixed = fixed_parameters(sweep); !fixed.empty())
    text += fmt::format("  parameters  {}\n", fixed);
  text += '\n';
  const bool one_set = sweep.sets.size() == 1;
  Lines wide = one_set ? Lines{} : wide_lines(sweep, groups);
  if (!one_set && table_width(wide) <= style.width) {
    text += aligned(std::move(wide), parameters, true);
  } else {
    text += aligned(long_lines(sweep, groups), parameters, false);
  }
  text += violations_text(sweep, groups, style);
  text += bounds_text(sweep, style);
  text += reasons_text(sweep, CellStatus::left_out, "Left out", style);
  text += reasons_text(sweep, CellStatus::wrong, "Errors", style);
  const int code = exit_code(sweep);
  const Colour colour = code == 0 ? Colour::green : code == 3 ? Colour::yellow : Colour::red;
  return text +
         fmt::format("\n{}{}{}\n", style.paint.begin(colour), sums_text(sweep), style.paint.end(colour));
}

std::string sweep_csv(const Sweep& sweep) {
  std::vector<std::string> head;
  for (const ParameterValues& each : sweep.values) head.push_back(each.name);
  head.insert(head.end(), {"model", "algorithm", "verdict", "executions", "blocked", "transitions", "seconds",
                           "stopped_by", "file", "line", "message"});
  std::string text = csv_line(head);
  for (std::size_t number = 0; number < sweep.cells.size(); ++number) {
    const SweepCell& cell = sweep.cells[number];
    const auto& [model, algorithm] = sweep.column_of(number);
    const bool checked = cell.status == CellStatus::checked;
    std::vector<std::string> line;
    for (const ParameterValues& each : sweep.values)
      line.push_back(std::to_string(sweep.sets[sweep.set_of(number)].at(each.name)));
    const auto count = [&](std::uint64_t value) { return checked ? std::to_string(value) : std::string(); };
    line.insert(
        line.end(),
        {model, cell.algorithm.empty() ? algorithm : cell.algorithm, json_word(outcome(cell)),
         count(cell.counts.executions), count(blocked(cell.counts)), count(cell.counts.transitions),
         checked ? fmt::format("{:.6f}", cell.seconds) : "", cell.stopped_by, cell.file,
         cell.line == 0 ? "" : std::to_string(cell.line), cell.message.empty() ? cell.reason : cell.message});
    text += csv_line(line);
  }
  return text;
}

std::string sweep_json(const Sweep& sweep) {
  Json json = json_head("sweep");
  json["file"] = sweep.file;
  json["exit_code"] = exit_code(sweep);
  json["interrupted"] = sweep.interrupted;
  json["parameters"] = Json::object();
  for (const ParameterValues& each : sweep.values) json["parameters"][each.name] = each.values;
  json["columns"] = Json::array();
  for (const SweepColumn& column : sweep.columns)
    json["columns"].push_back({{"model", column.model}, {"algorithm", column.algorithm}});
  json["seconds"] = sweep.seconds;
  json["workers"] = sweep.jobs;
  json["sums"] = Json::object();
  for (const auto& [word, count] : sums(sweep)) json["sums"][json_word(word)] = count;
  json["checks"] = Json::array();
  for (std::size_t number = 0; number < sweep.cells.size(); ++number)
    json["checks"].push_back(json_cell(sweep, number));
  return json_text(json);
}

std::string sweep_html(const Sweep& sweep) {
  const Groups groups = group(sweep);
  const std::vector<ParameterValues> parameters = shown_parameters(sweep);
  std::string text(page_head);
  constexpr std::string_view mark = "@TITLE@";
  text.replace(text.find(mark), mark.size(), escaped(one_line(sweep.file)));
  text += fmt::format("<h1>{}</h1>\n<p>{}</p>\n", escaped(one_line(sweep.file)), escaped(sums_text(sweep)));
  if (const std::string fixed = fixed_parameters(sweep); !fixed.empty())
    text += fmt::format("<p>{}</p>\n", escaped(fixed));
  text += fmt::format("<table>\n<thead>\n<tr>{}",
                      parameters.empty() ? "" : fmt::format("<th colspan=\"{}\"></th>", parameters.size()));
  for (const SweepColumn& column : sweep.columns)
    text += fmt::format("<th colspan=\"3\">{} {}</th>", escaped(column.model), escaped(column.algorithm));
  text += "</tr>\n<tr>";
  for (const ParameterValues& each : parameters) text += fmt::format("<th>{}</th>", escaped(each.name));
  for (std::size_t i = 0; i < sweep.columns.size(); ++i)
    text += "<th>verdict</th><th>executions</th><th>time</th>";
  text += "</tr>\n</thead>\n<tbody>\n";
  for (std::size_t set = 0; set < sweep.sets.size(); ++set) {
    text += "<tr>";
    for (const ParameterValues& each : parameters)
      text += fmt::format("<td>{}</td>", sweep.sets[set].at(each.name));
    for (std::size_t column = 0; column < sweep.columns.size(); ++column) {
      const SweepCell& cell = sweep.cell(set, column);
      const std::size_t number = set * sweep.columns.size() + column;
      const std::string note = cell.message.empty() ? cell.reason : cell.message;
      text += fmt::format("<td class=\"verdict {}\" title=\"{}\">{}</td><td>{}</td><td>{}</td>",
                          json_word(outcome(cell)), escaped(one_line(note)),
                          escaped(verdict_text(cell, groups.of_cell[number])), executions_text(cell),
                          time_text(cell));
    }
    text += "</tr>\n";
  }
  text += "</tbody>\n</table>\n";
  if (!groups.list.empty()) {
    text += "<h2>Violations</h2>\n<ol>\n";
    for (const Group& each : groups.list) {
      text += fmt::format("<li>{}: {} ({})<br><code>{}</code></li>\n", escaped(place_of(each)),
                          escaped(one_line(each.message)), counted(each.cells, "check"),
                          escaped(cell_command(sweep, each.first)));
    }
    text += "</ol>\n";
  }
  return text + fmt::format("<p>heddle {}</p>\n</html>\n", version());
}

}  // namespace heddle::cli
