// See coverage.hpp.
#include "cli/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "cli/text.hpp"
#include "heddle/source.h"

namespace heddle::cli {
namespace {

// A line has the count of its most frequent statement.
struct Line {
  std::uint64_t count = 0;
  std::string source;  // of its first statement
};
struct File {
  std::string name;
  std::map<std::uint32_t, Line> lines;
  std::vector<CoveredPlace> branches;
  std::vector<CoveredPlace> never;
};

bool same_place(const CoveredPlace& a, const CoveredPlace& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.source == b.source;
}

// Asserts and conditions that no execution reached, and arms that none took. If none reached an `if`, only
// the `if` itself is listed.
bool never_reached(const CoveredPlace& place, const std::vector<CoveredPlace>& all) {
  if (place.count > 0) return false;
  if (place.kind == CoverageKind::assertion || place.kind == CoverageKind::condition) return true;
  const auto place_of = [&](const CoveredPlace& other) { return same_place(other, place); };
  const bool is_branch = place.kind == CoverageKind::branch;
  const auto partner = std::find_if(all.begin(), all.end(), [&](const CoveredPlace& other) {
    return place_of(other) && (other.kind == CoverageKind::branch) != is_branch;
  });
  if (!is_branch) return partner != all.end();
  // The arms of a `?:` are listed on their own.
  if (partner != all.end()) return partner->count > 0;
  return std::any_of(all.begin(), all.end(),
                     [&](const CoveredPlace& other) { return place_of(other) && other.count > 0; });
}

std::vector<File> files_covered(const Program& program, const CheckResult& result) {
  std::vector<File> files;
  for (std::string& name : files_of(program)) {
    std::error_code error;
    const bool built_in = name.starts_with("std/") && !std::filesystem::exists(name, error);
    if (!built_in) files.push_back({.name = std::move(name), .lines = {}, .branches = {}, .never = {}});
  }
  for (const CoveredPlace& place : result.coverage) {
    const auto file =
        std::find_if(files.begin(), files.end(), [&](const File& each) { return each.name == place.file; });
    if (file == files.end()) continue;
    if (place.kind == CoverageKind::branch) {
      file->branches.push_back(place);
    } else {
      const auto [line, fresh] = file->lines.try_emplace(place.line);
      if (fresh) line->second.source = place.source;
      line->second.count = std::max(line->second.count, place.count);
    }
    if (never_reached(place, result.coverage)) file->never.push_back(place);
  }
  std::erase_if(files, [](const File& file) { return file.lines.empty(); });
  return files;
}

std::string_view what_never(const CoveredPlace& place) {
  switch (place.kind) {
    case CoverageKind::condition: return "never evaluated";
    case CoverageKind::branch: break;
    default: return "never reached";
  }
  if (place.arm == "then" || place.arm == "round") return "never true";
  return "never false";
}

std::uint64_t reached(const File& file) {
  return static_cast<std::uint64_t>(std::count_if(file.lines.begin(), file.lines.end(),
                                                  [](const auto& line) { return line.second.count > 0; }));
}

}  // namespace

std::string format_coverage(const Program& program, const CheckResult& result, const Style& style) {
  const std::vector<File> files = files_covered(program, result);
  const std::string_view so_far = result.finished ? "" : " so far";
  std::string text = fmt::format("\nCoverage{} (visits by the search, not executions):\n", so_far);
  std::string never;
  for (const File& file : files) {
    text += fmt::format("  {}: {} of {}\n", one_line(file.name), grouped(reached(file)),
                        counted(file.lines.size(), "line"));
    std::size_t count_width = 1;
    std::size_t line_width = 1;
    for (const auto& [number, line] : file.lines) {
      count_width = std::max(count_width, grouped(line.count).size());
      line_width = std::max(line_width, std::to_string(number).size());
    }
    for (const auto& [number, line] : file.lines) {
      const std::string head = fmt::format("  {}  {}  ", pad_left(grouped(line.count), count_width + 2),
                                           pad_left(std::to_string(number), line_width));
      const std::size_t room = style.width > head.size() + 16 ? style.width - head.size() : 16;
      const Colour colour = line.count == 0 ? Colour::yellow : Colour::none;
      text += fmt::format("{}{}{}{}\n", style.paint.begin(colour), head, shorten(one_line(line.source), room),
                          style.paint.end(colour));
    }
    for (const CoveredPlace& place : file.never) {
      const std::string line = fmt::format("{}:{}:{}: {}: {}", one_line(place.file), place.line, place.column,
                                           one_line(place.source), what_never(place));
      never += fmt::format("  {}\n", wrap(line, style.width, 4));
    }
  }
  text += never.empty()
              ? fmt::format("\nEvery assertion, branch and condition was reached.\n")
              : fmt::format("\nAssertions, branches and conditions that no execution{} reached:\n{}", so_far,
                            never);
  return text;
}

Json coverage_json(const Program& program, const CheckResult& result) {
  Json lines = Json::array();
  Json branches = Json::array();
  Json never = Json::array();
  const auto entry = [](const CoveredPlace& place) {
    return Json{
        {"file", place.file}, {"line", place.line}, {"column", place.column}, {"source", place.source}};
  };
  for (const File& file : files_covered(program, result)) {
    for (const auto& [number, line] : file.lines)
      lines.push_back({{"file", file.name}, {"line", number}, {"count", line.count}});
    for (const CoveredPlace& place : file.branches) {
      Json branch = entry(place);
      branch["arm"] = place.arm;
      branch["count"] = place.count;
      branches.push_back(std::move(branch));
    }
    for (const CoveredPlace& place : file.never) {
      Json missing = entry(place);
      missing["kind"] = std::string(name(place.kind));
      missing["arm"] = text_or_null(place.arm);
      never.push_back(std::move(missing));
    }
  }
  return {
      {"lines", std::move(lines)}, {"branches", std::move(branches)}, {"never_reached", std::move(never)}};
}

std::string coverage_lcov(const Program& program, const CheckResult& result) {
  std::string text;
  for (const File& file : files_covered(program, result)) {
    text += fmt::format("TN:\nSF:{}\n", file.name);
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < file.branches.size(); ++i) {
      const CoveredPlace& arm = file.branches[i];
      const auto line = file.lines.find(arm.line);
      const bool executed = line != file.lines.end() && line->second.count > 0;
      text += fmt::format("BRDA:{},{},{},{}\n", arm.line, i / 2, i % 2,
                          executed ? std::to_string(arm.count) : std::string("-"));
      if (arm.count > 0) ++taken;
    }
    if (!file.branches.empty()) text += fmt::format("BRF:{}\nBRH:{}\n", file.branches.size(), taken);
    for (const auto& [number, line] : file.lines) text += fmt::format("DA:{},{}\n", number, line.count);
    text += fmt::format("LF:{}\nLH:{}\nend_of_record\n", file.lines.size(), reached(file));
  }
  return text;
}

}  // namespace heddle::cli
