#include "cli/expected_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "cli/commands.hpp"

namespace heddle::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool same_word(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace

std::string canonical_state(std::string_view state) {
  std::vector<std::string_view> values;
  for (const std::string_view part : split(state, ";")) {
    if (const std::string_view value = trimmed(part); !value.empty()) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  std::string text;
  for (const std::string_view value : values) text += fmt::format("{}{};", text.empty() ? "" : " ", value);
  return text;
}

Result<ExpectedTests> read_expected(const std::string& path, std::string_view model) {
  std::ifstream in(path);
  if (!in) return std::vector{about_file(path, std::strerror(errno))};
  if (std::filesystem::is_directory(path)) return std::vector{about_file(path, "is a directory")};
  ExpectedTests tests;
  std::string line;
  std::uint32_t number = 0;
  const auto at = [&](std::string message) {
    return std::vector{about_file(path, std::move(message), number)};
  };
  while (std::getline(in, line)) {
    ++number;
    std::vector<std::string_view> columns = split(line, "\t");
    if (number == 1 && columns[0] == "test") continue;
    const bool no_states = columns.size() >= 4 && columns[2] == "0";  // every execution ends without one
    if (no_states && columns.size() == 4) columns.emplace_back();
    if (columns.size() != 5) {
      return at(fmt::format("expected 5 columns (test, model, number of states, verdict, states), not {}",
                            columns.size()));
    }
    if (!same_word(columns[1], model)) continue;
    ExpectedTest test;
    test.verdict = trimmed(columns[3]);
    for (const std::string_view state : split(columns[4], "|")) test.states.insert(canonical_state(state));
    if (no_states) test.states.erase("");
    if (std::to_string(test.states.size()) != columns[2]) {
      return at(fmt::format("the row has {} different states, not {}", test.states.size(), columns[2]));
    }
    if (!tests.emplace(std::string(columns[0]), std::move(test)).second) {
      return at(fmt::format("the table has the test '{}' twice", columns[0]));
    }
  }
  if (in.bad()) return std::vector{about_file(path, "cannot be read")};
  if (tests.empty())
    return std::vector{about_file(path, fmt::format("has no rows about the model '{}'", model))};
  return tests;
}

}  // namespace heddle::cli
