// heddle test --update; see test_report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/files.hpp"
#include "cli/test_report.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{16} << 20;

// The actual numbers for one expectation.
struct Found {
  std::set<std::uint64_t> counts;
  std::size_t failures = 0;  // results that a new number corrects
  bool explored = true;      // false: one of its checks gave no number
};

// The number at the end of the expectation that begins in `line` (from 1) of the text. The keyword is the
// first `executions` or `outcomes` from there on that is followed by a number.
bool find_number(const std::string& text, std::uint32_t line, std::size_t& begin, std::size_t& end) {
  std::size_t from = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    from = text.find('\n', from);
    if (from == std::string::npos) return false;
    ++from;
  }
  for (;;) {
    const std::size_t place = std::min(text.find("executions", from), text.find("outcomes", from));
    if (place == std::string::npos) return false;
    begin = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", place);
    if (begin == std::string::npos) return false;
    begin = text.find_first_not_of(" \t\r\n", begin);
    if (begin == std::string::npos) return false;
    end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    if (end > begin) return true;
    from = begin;
  }
}

void update_file(const std::string& file, const std::map<std::uint32_t, Found>& lines, TestUpdate& update) {
  const auto read = read_file(file, largest_file);
  if (const auto* const error = std::get_if<FileError>(&read)) {
    update.errors.push_back({.file = file, .message = error->message, .hint = {}, .text = {}});
    return;
  }
  std::string text = std::get<std::string>(read);
  std::string changes;
  std::size_t updated = 0;
  for (const auto& [line, found] : lines) {
    if (found.failures == 0) continue;
    const std::string place = fmt::format("{}:{}", one_line(file), line);
    if (found.counts.size() != 1 || !found.explored) {
      std::vector<std::string> counts;
      for (const std::uint64_t count : found.counts) counts.push_back(grouped(count));
      update.text += fmt::format("not updated {}: its checks found {}{}\n", place, join(counts, " and "),
                                 found.explored ? "" : " and one found no number");
      continue;
    }
    std::size_t begin = 0;
    std::size_t end = 0;
    if (!find_number(text, line, begin, end)) {
      update.text += fmt::format("not updated {}: there is no number in the text\n", place);
      continue;
    }
    const std::string number = std::to_string(*found.counts.begin());
    changes += fmt::format("updated {}: {} -> {}\n", place, text.substr(begin, end - begin), number);
    text.replace(begin, end - begin, number);
    updated += found.failures;
  }
  if (updated == 0) return;
  if (std::string error = write_file(file, text); !error.empty()) {
    update.errors.push_back({.file = file, .message = std::move(error), .hint = {}, .text = {}});
    return;
  }
  update.text += changes;
  update.updated += updated;
}

}  // namespace

TestUpdate update_counts(const std::vector<TestResult>& results) {
  std::map<std::string, std::map<std::uint32_t, Found>> files;
  for (const TestResult& result : results) {
    if (result.line == 0 || result.status == TestStatus::left_out) continue;
    Found& found = files[result.place][result.line];
    if (result.found) {
      found.counts.insert(*result.found);
      if (result.status == TestStatus::failed) ++found.failures;
    } else {
      found.explored = false;
    }
  }
  TestUpdate update;
  for (const auto& [file, lines] : files) update_file(file, lines, update);
  return update;
}

}  // namespace heddle::cli
