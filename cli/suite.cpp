// See suite.hpp.
#include "cli/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

#include "cli/files.hpp"
#include "cli/option_values.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t largest_suite = std::uint64_t{16} << 20;

Diagnostic at(const std::string& file, std::uint32_t line, std::string message, std::string hint = {}) {
  Diagnostic result;
  result.file = file;
  result.line = line;
  result.text = line > 0 ? fmt::format("{}:{}: error: {}\n", file, line, message)
                         : fmt::format("{}: error: {}\n", file, message);
  if (!hint.empty()) result.text += fmt::format("  hint: {}\n", hint);
  result.message = std::move(message);
  result.hint = std::move(hint);
  return result;
}

// Words separated by white space; "..." is one word, without its quotes. Stops at a `#` outside quotes.
struct Word {
  std::string text;
  bool quoted = false;
};
std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else if (c == '#') {
      break;
    } else if (c == '"') {
      const std::size_t end = line.find('"', i + 1);
      if (end == std::string_view::npos) refuse("a quotation mark is missing at the end");
      words.push_back({std::string(line.substr(i + 1, end - i - 1)), true});
      i = end + 1;
    } else {
      const std::size_t end = std::min(line.find_first_of(" \t\r", i), line.size());
      words.push_back({std::string(line.substr(i, end - i)), false});
      i = end;
    }
  }
  return words;
}

void set_settings(const std::string& word, SuiteEntry& entry) {
  if (word == "-") return;
  const std::tuple<std::string_view, std::optional<std::uint32_t>&, std::uint64_t> bounds[] = {
      {"unroll", entry.bounds.unroll, 1},
      {"buffer-bound", entry.bounds.buffer_bound, 0},
      {"preemption-bound", entry.bounds.preemption_bound, 0}};
  for (const std::string& setting : split_names(word)) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string_view name = std::string_view(setting).substr(0, equals);
    const std::string_view value = std::string_view(setting).substr(std::min(equals + 1, setting.size()));
    const auto* const bound = std::find_if(std::begin(bounds), std::end(bounds),
                                           [&](const auto& each) { return std::get<0>(each) == name; });
    if (bound != std::end(bounds)) {
      std::get<1>(*bound) =
          static_cast<std::uint32_t>(whole_number(name, value, std::get<2>(*bound), 0xffffffff));
    } else if (name == "timeout") {
      entry.timeout = seconds_number(name, value);
    } else {
      define(setting, entry.expectation.parameters);
    }
  }
}

void set_outcome(const std::vector<Word>& words, Expectation& expectation) {
  std::size_t first = 4;
  std::string text = words[first].text;
  if (words.size() > first + 2 && words[first + 1].text == "within") {
    text += fmt::format(" {} {}", words[first + 1].text, words[first + 2].text);
    first += 2;
  }
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(ExpectedOutcome::starves); ++i)
    names.emplace_back(name(static_cast<ExpectedOutcome>(i)));
  const auto known = std::find(names.begin(), names.end(), text);
  if (known == names.end()) {
    refuse(fmt::format("unknown expectation '{}'", shown(text)),
           fmt::format("the expectations are {}", join(names, ", ")));
  }
  expectation.outcome = static_cast<ExpectedOutcome>(known - names.begin());
  const bool counts =
      expectation.outcome == ExpectedOutcome::executions || expectation.outcome == ExpectedOutcome::outcomes;
  const bool takes_text =
      expectation.outcome == ExpectedOutcome::violation || expectation.outcome == ExpectedOutcome::starves;
  const std::size_t rest = words.size() - first - 1;
  if (counts && rest == 0) refuse(fmt::format("'{}' needs a number", text));
  if (rest > (counts || takes_text ? 1u : 0u)) {
    refuse(fmt::format("'{}' comes after the expectation", shown(words.back().text)));
  }
  if (counts) expectation.count = whole_number(text, words[first + 1].text, 0, ~std::uint64_t{0});
  if (takes_text && rest == 1) {
    if (!words[first + 1].quoted) refuse("the text of a violation must be in quotation marks");
    expectation.text = words[first + 1].text;
  }
}

// Like name_list(), but an unknown name that is not a misspelling may be known to another version: the run
// leaves it out.
std::vector<std::string> expected_names(std::string_view what, std::string_view text,
                                        std::vector<std::string> known) {
  if (text != "all") {
    for (const std::string& name : split_names(text)) {
      if (near_miss(name, known).empty()) known.push_back(name);
    }
  }
  return name_list(what, text, known);
}

SuiteEntry entry_of(const std::vector<Word>& words, const std::filesystem::path& folder) {
  if (words.size() < 5) {
    refuse("a line is FILE SETTINGS MODELS ALGORITHMS EXPECTATION",
           "write - for an empty column, for example: peterson.hed - tso - violation");
  }
  SuiteEntry entry;
  entry.file = (folder / words[0].text).lexically_normal().string();
  set_settings(words[1].text, entry);
  entry.expectation.models = expected_names("model", words[2].text, model_names());
  if (words[3].text != "-") {
    entry.expectation.algorithms = expected_names("algorithm", words[3].text, algorithm_names());
  }
  set_outcome(words, entry.expectation);
  return entry;
}

bool is_test(const std::filesystem::path& path) {
  return path.extension() == ".hed" || path.extension() == ".litmus" || path.extension() == ".suite";
}

void add_suite(const std::string& path, std::vector<TestProgram>& tests, std::vector<Diagnostic>& errors) {
  const auto text = read_file(path, largest_suite);
  if (const auto* const error = std::get_if<FileError>(&text)) {
    errors.push_back(at(path, 0, error->message));
    return;
  }
  auto parsed = parse_suite(std::get<std::string>(text), path);
  if (auto* const found = std::get_if<std::vector<Diagnostic>>(&parsed)) {
    errors.insert(errors.end(), found->begin(), found->end());
    return;
  }
  for (SuiteEntry& entry : std::get<std::vector<SuiteEntry>>(parsed)) {
    if (tests.empty() || tests.back().suite != path || tests.back().file != entry.file) {
      tests.push_back({.file = entry.file, .suite = path, .entries = {}});
    }
    tests.back().entries.push_back(std::move(entry));
  }
}

void add_file(const std::string& path, std::vector<TestProgram>& tests, std::vector<Diagnostic>& errors) {
  if (std::filesystem::path(path).extension() == ".suite") {
    add_suite(path, tests, errors);
  } else {
    tests.push_back({.file = path, .suite = {}, .entries = {}});
  }
}

void add_folder(const std::string& path, std::vector<TestProgram>& tests, std::vector<Diagnostic>& errors) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::recursive_directory_iterator place(path, error);
  for (; !error && place != std::filesystem::recursive_directory_iterator(); place.increment(error)) {
    if (is_test(place->path()) && place->is_regular_file()) files.push_back(place->path().string());
  }
  if (error) errors.push_back(at(path, 0, "cannot read the folder: " + error.message()));
  if (!error && files.empty())
    errors.push_back(at(path, 0, "the folder has no .hed, .litmus or .suite file"));
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add_file(file, tests, errors);
}

}  // namespace

std::variant<std::vector<SuiteEntry>, std::vector<Diagnostic>> parse_suite(std::string_view text,
                                                                           const std::string& name) {
  constexpr std::size_t most_errors = 20;
  std::vector<SuiteEntry> entries;
  std::vector<Diagnostic> errors;
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  std::uint32_t number = 0;
  while (!text.empty() && errors.size() < most_errors) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    try {
      const std::vector<Word> words = words_of(line);
      if (words.empty()) continue;
      entries.push_back(entry_of(words, folder));
      entries.back().expectation.line = number;
      entries.back().expectation.source = line;
    } catch (const Refusal& refusal) {
      errors.push_back(at(name, number, refusal.error.message, refusal.error.hint));
    }
  }
  if (!errors.empty()) return errors;
  return entries;
}

std::variant<std::vector<TestProgram>, std::vector<Diagnostic>> collect_tests(
    const std::vector<std::string>& paths) {
  std::vector<TestProgram> tests;
  std::vector<Diagnostic> errors;
  for (const std::string& path : paths) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status)) {
      add_folder(path, tests, errors);
    } else if (!std::filesystem::exists(status)) {
      errors.push_back(at(path, 0, "there is no such file or folder"));
    } else {
      add_file(path, tests, errors);
    }
  }
  if (!errors.empty()) return errors;
  return tests;
}

}  // namespace heddle::cli
