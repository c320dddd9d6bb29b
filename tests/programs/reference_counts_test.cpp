// Compares execution counts with those of established tools: reference/*.hed are the programs, counts.tsv the
// numbers.
//
// `source` and `trust` must find exactly the listed number of complete executions (one per Shasha-Snir graph,
// or per trace of source-DPOR, which are equal here), `rf` the listed number of reads-from classes, `dpor` at
// least as many, all of them the listed verdict, and `naive` and `sdpor` the verdict on the smallest rows.
// HEDDLE_REFERENCE_LIMIT sets the largest count that is tried (default 10,000, or 52,000 in full). Rows without
// a count only say that there is an error somewhere: a search that gives up before finding one does not
// contradict them. Where a tool's count differs from what is expected here, `corrections` gives the expected
// count and the reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::tests::Source;

constexpr double patience = 120;  // seconds for one check whose count is compared
// Limits where only the verdict is compared: rows with more executions are not tried, and a search that takes
// more executions or seconds is abandoned.
constexpr std::uint64_t verdict_limit = 100;
const auto execution_limit = heddle::tests::sized<std::uint64_t>(10'000, 100'000);
const double verdict_patience = heddle::tests::sized(0.2, 1.0);

// One row of counts.tsv.
struct Row {
  std::string program;
  heddle::Parameters parameters;
  std::string model;
  std::string equivalence;
  std::optional<std::uint64_t> complete;  // nothing: the tool stopped at the first error
  std::string verdict;                    // "safe", "error", or empty
};

template <typename Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  REQUIRE_MESSAGE((error == std::errc() && end == text.data() + text.size()),
                  "not a number: ", std::string(text));
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

heddle::Parameters parse_parameters(const std::string& text) {
  heddle::Parameters parameters;
  if (text == "-") {
    return parameters;
  }
  for (const std::string& setting : split(text, ' ')) {
    const auto equals = setting.find('=');
    REQUIRE(equals != std::string::npos);
    parameters[setting.substr(0, equals)] =
        number<std::int64_t>(std::string_view(setting).substr(equals + 1));
  }
  return parameters;
}

std::vector<Row> read_table() {
  std::vector<Row> rows;
  std::ifstream file(HEDDLE_SOURCE_DIR "/tests/programs/counts.tsv");
  REQUIRE(file);
  bool titles = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (titles) {
      titles = false;
      continue;
    }
    const auto cells = split(line, '\t');
    REQUIRE_EQ(cells.size(), 8);
    Row row{cells[0], parse_parameters(cells[1]), cells[2], cells[3], {}, cells[5] == "-" ? "" : cells[5]};
    if (cells[4] != "-") {
      row.complete = number<std::uint64_t>(cells[4]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Tool counts that differ from what the model allows.
struct Correction {
  const char* program;
  heddle::Parameters parameters;
  const char* model;
  std::uint64_t listed;
  std::uint64_t expected;
};

// Nidhugg counts 42 and 380 executions that the axioms of POWER do not allow. An enumeration of all
// candidates that shares nothing with the checker (tests/power_oracle) finds exactly as many as the checker;
// with one round, and on all other rows that it can enumerate, it agrees with Nidhugg, too.
const std::vector<Correction>& corrections() {
  static const std::vector<Correction> list{
      {"dekker-bounded", {{"ROUNDS", 2}, {"LOOP", 1}, {"fenced", 0}}, "power", 6'345, 6'303},
      {"peterson-bounded", {{"ROUNDS", 2}, {"LOOP", 1}, {"fenced", 0}}, "power", 51'396, 51'016},
  };
  return list;
}

void correct(Row& row) {
  for (const Correction& correction : corrections()) {
    if (row.program != correction.program || row.parameters != correction.parameters ||
        row.model != correction.model) {
      continue;
    }
    REQUIRE_EQ(row.complete, correction.listed);
    row.complete = correction.expected;
  }
}

// What a tool, or one of our algorithms, counts as one execution.
enum class Equivalence : std::uint8_t { trace, reads_from };

Equivalence equivalence_of(std::string_view algorithm) {
  return algorithm == "rf" ? Equivalence::reads_from : Equivalence::trace;
}

// The rows that one of our algorithms must match, joining those of the two names for traces.
std::vector<Row> rows_for(Equivalence equivalence) {
  std::map<std::tuple<std::string, heddle::Parameters, std::string>, Row> joined;
  for (Row& row : read_table()) {
    if ((row.equivalence == "rf") != (equivalence == Equivalence::reads_from)) continue;
    correct(row);
    auto [place, is_new] = joined.try_emplace({row.program, row.parameters, row.model}, row);
    if (!is_new) {
      REQUIRE_EQ(place->second.complete, row.complete);
      if (place->second.verdict.empty()) {
        place->second.verdict = row.verdict;
      }
    }
  }
  std::vector<Row> rows;
  for (auto& [key, row] : joined) {
    rows.push_back(std::move(row));
  }
  return rows;
}

std::uint64_t limit() {
  return heddle::tests::number_from_environment("HEDDLE_REFERENCE_LIMIT",
                                                heddle::tests::sized<std::uint64_t>(10'000, 52'000));
}

bool works(std::string_view model, std::string_view algorithm) {
  const auto named = [](std::string_view name) {
    return [name](const auto& entry) { return entry.name == name; };
  };
  return std::ranges::any_of(heddle::models(), named(model)) &&
         std::ranges::any_of(heddle::algorithms(), named(algorithm)) &&
         heddle::why_not(model, algorithm).empty();
}

// The reference programs, compiled once for each set of parameters.
class Programs {
 public:
  const heddle::Program& get(const Row& row) {
    auto place = programs_.find(row.program);
    if (place == programs_.end()) {
      const std::string path = HEDDLE_SOURCE_DIR "/tests/programs/reference/" + row.program + ".hed";
      // Loops of these programs end by themselves; the bound only has to be large enough.
      place = programs_.try_emplace(row.program, Source{path, heddle::tests::read_file(path)}, 1000).first;
    }
    return place->second.get(row.parameters);
  }

 private:
  std::map<std::string, heddle::tests::Variants> programs_;
};

void check_verdict(const Row& row, const heddle::CheckResult& result) {
  if (row.verdict.empty()) {
    return;
  }
  CHECK_EQ(heddle::name(result.verdict),
           heddle::name(row.verdict == "safe" ? heddle::Verdict::safe : heddle::Verdict::violation));
}

// Runs one row; nothing if no count is compared and the check gave up.
std::optional<heddle::CheckResult> run(const heddle::Program& program, const Row& row,
                                       std::string_view algorithm) {
  const bool compares_counts = row.complete && algorithm != "naive" && algorithm != "sdpor";
  heddle::CheckOptions options;
  options.model = row.model;
  options.algorithm = algorithm;
  options.keep_going = compares_counts;
  options.timeout = compares_counts ? patience : verdict_patience;
  if (!compares_counts) {
    options.max_executions = execution_limit;
  }
  const auto result = heddle::check(program, options);
  CHECK_MESSAGE(result, heddle::tests::first_error(result));
  if (!result || (!compares_counts && result->verdict == heddle::Verdict::undecided)) {
    return std::nullopt;
  }
  return *result;
}

template <typename Check>
void for_each_row(std::string_view algorithm, std::uint64_t up_to, Check&& check) {
  Programs programs;
  std::size_t tried = 0;
  for (const Row& row : rows_for(equivalence_of(algorithm))) {
    if (row.complete.value_or(0) > up_to || !works(row.model, algorithm)) {
      continue;
    }
    CAPTURE(row.program);
    CAPTURE(heddle::tests::text(row.parameters));
    CAPTURE(row.model);
    CAPTURE(algorithm);
    check(programs.get(row), row);
    ++tried;
  }
  MESSAGE(std::string(algorithm), ": ", tried, " rows of counts.tsv");
}

void compare_verdicts(std::string_view algorithm, std::uint64_t up_to) {
  for_each_row(algorithm, up_to, [&](const heddle::Program& program, const Row& row) {
    const auto result = run(program, row, algorithm);
    if (result) check_verdict(row, *result);
  });
}

enum class Counted : std::uint8_t { once_each, at_least_once };

void compare_counts(std::string_view algorithm, std::uint64_t up_to, Counted counted) {
  for_each_row(algorithm, up_to, [&](const heddle::Program& program, const Row& row) {
    const auto result = run(program, row, algorithm);
    if (!result) {
      return;
    }
    if (row.complete && counted == Counted::once_each) {
      CHECK_EQ(result->counts.executions, *row.complete);
    }
    if (row.complete && counted == Counted::at_least_once) {
      CHECK_GE(result->counts.executions, *row.complete);
    }
    check_verdict(row, *result);
  });
}

}  // namespace

TEST_CASE("every reference program compiles with its default parameters") {
  for (const Source& source : heddle::tests::programs_in("tests/programs/reference")) {
    const auto program = heddle::Program::from_source(source.text, source.name);
    CHECK_MESSAGE(program, heddle::tests::first_error(program));
  }
}

TEST_CASE("every row of the reference table has its program") {
  std::set<std::string> names;
  for (const Source& source : heddle::tests::programs_in("tests/programs/reference")) {
    names.insert(heddle::tests::base_name(source.name));
  }
  const auto rows = read_table();
  CHECK_GT(rows.size(), 700);
  for (const Row& row : rows) CHECK_MESSAGE(names.contains(row.program), row.program);
}

TEST_CASE("source finds exactly the executions of the reference table") {
  compare_counts("source", limit(), Counted::once_each);
}

TEST_CASE("trust finds exactly the executions of the reference table") {
  compare_counts("trust", limit(), Counted::once_each);
}

TEST_CASE("rsmc finds exactly the executions of the reference table") {
  compare_counts("rsmc", limit() / 20, Counted::once_each);
}

TEST_CASE("rf finds exactly the reads-from classes of the reference table") {
  compare_counts("rf", limit() / 5, Counted::once_each);
}

TEST_CASE("dpor finds no fewer executions than the reference table lists") {
  compare_counts("dpor", limit() / 5, Counted::at_least_once);
}

TEST_CASE("sdpor agrees with the verdicts of the reference table") {
  compare_verdicts("sdpor", verdict_limit);
}

TEST_CASE("naive agrees with the verdicts of the reference table") {
  compare_verdicts("naive", verdict_limit);
}
