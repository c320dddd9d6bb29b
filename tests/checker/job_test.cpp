// A check divided among processes: whoever explores which part, in whatever order, the sum is the serial result.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/job.h"

namespace {

using heddle::CheckOptions;
using heddle::CheckResult;
using heddle::Division;
using heddle::Program;
using heddle::SearchPart;
using heddle::Tally;

Program load(const std::string& text) {
  auto program = Program::from_source(text, "test.hed");
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  return *program;
}

Division divide(const Program& program, const CheckOptions& options) {
  const auto division = Division::of(program, options);
  REQUIRE_MESSAGE(division, heddle::to_text(division.error()));
  // As another process would read it.
  auto read = Division::from_text(division->text());
  REQUIRE_MESSAGE(read, heddle::to_text(read.error()));
  CHECK(read->id() == division->id());
  return *read;
}

struct Whole {
  CheckResult result;
  int parts = 0;
};

// Explores parts in random order, each up to a random number of polls.
Whole explore_divided(const Division& division, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<SearchPart> open{Division::whole()};
  std::vector<Tally> tallies;
  int parts = 0;
  std::string stopped_by;
  while (!open.empty()) {
    std::swap(open[random() % open.size()], open.back());
    const SearchPart part = open.back();
    open.pop_back();
    ++parts;
    const std::uint32_t wanted =
        random() % 4 == 0 ? Division::stop : 1 + static_cast<std::uint32_t>(random() % 20);
    int polls = static_cast<int>(random() % 3);
    const auto explored = division.explore(
        part.text, [&](const heddle::Progress&) { return polls-- > 0 || parts > 300 ? 0 : wanted; });
    REQUIRE_MESSAGE(explored, heddle::to_text(explored.error()));
    tallies.push_back(explored->found);
    if (explored->over) {
      stopped_by = explored->stopped_by;
      break;
    }
    open.insert(open.end(), explored->left.begin(), explored->left.end());
  }
  std::shuffle(tallies.begin(), tallies.end(), random);
  Tally total;
  for (const Tally& tally : tallies) add(total, tally);
  auto result = division.result(total, {.stopped_by = stopped_by});
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return {*result, parts};
}

std::string description_of(const CheckResult& result) {
  std::string text = std::string(name(result.verdict)) + (result.finished ? " finished\n" : "\n");
  const heddle::Counts& c = result.counts;
  for (const std::uint64_t count :
       {c.executions, c.blocked_assume, c.blocked_await, c.blocked_idle, c.blocked_sleep_set,
        c.blocked_loop_bound, c.blocked_race, c.blocked_preemption_bound, c.beyond_bound,
        c.buffer_bound_flushes, c.transitions, c.states, c.runs, c.max_depth})
    text += std::to_string(count) + ' ';
  for (const auto& bound : result.bounds) text += '\n' + bound;
  for (const auto& place : result.blocked)
    text += '\n' + place.source + ' ' + std::to_string(place.executions);
  for (const auto& violation : result.violations) {
    text += '\n' + violation.message + ' ' + std::to_string(violation.count);
    for (const auto& step : violation.trace.steps) text += "; " + step.action;
  }
  for (const auto& witness : result.witnesses) {
    text += '\n' + witness.condition;
    for (const auto& step : witness.trace.steps) text += "; " + step.action;
  }
  for (const auto& condition : result.conditions)
    text += '\n' + condition.source + ' ' + std::to_string(condition.satisfied) + ' ' +
            std::to_string(condition.total);
  for (const auto& outcome : result.outcomes) {
    text += "\n" + std::to_string(outcome.executions);
    for (const auto& value : outcome.values) text += ' ' + value.name + '=' + value.text();
  }
  return text;
}

const char* const counted_program =
    "shared x: int; shared y: int; mutex m;\n"
    "thread w[i: 0..6] { let a = x; x = a + 1; if a > 3 { lock m; y = a; unlock m; } assert a != 5; }\n"
    "thread r { let b = y; assume b != 4; }\n"
    "exists x == 1; exists x == 2 && y == 4; exists x == 99;\n";

}  // namespace

TEST_CASE("parts explored anywhere and in any order add up to the serial result") {
  const Program program = load(counted_program);
  int parts = 0;
  for (const auto& [model, algorithm] :
       {std::pair("sc", "trust"), {"tso", "trust"}, {"pso", "trust"}, {"power", "trust"}}) {
    CAPTURE(model);
    CheckOptions options{.model = model, .algorithm = algorithm, .keep_going = true};
    options.collect_outcomes = options.witnesses = true;
    const bool small = std::string_view(model) == "power";
    const Program& checked = small ? load(
                                         "shared x: int; shared y: int;\n"
                                         "thread w[i: 0..3] { let a = x; x = a + 1; y = a; let b = y; }\n"
                                         "exists x == 1;\n")
                                   : program;
    const auto alone = heddle::check(checked, options);
    REQUIRE(alone);
    const Division division = divide(checked, options);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Whole whole = explore_divided(division, seed);
      CHECK(description_of(whole.result) == description_of(*alone));
      parts += whole.parts;
    }
  }
  CHECK(parts > 100);
}

TEST_CASE("searches are divided, bounds included") {
  const Program program = load(
      "shared x: int; shared y: int;\n"
      "thread w[i: 0..3] { x = i; let a = y; y = a + 1; if a > 1 { assert x != 2; } }\n");
  for (const char* const algorithm : {"naive", "trust"}) {
    for (const char* const model : {"sc", "tso", "pso"}) {
      CAPTURE(algorithm);
      CAPTURE(model);
      CheckOptions options{.model = model, .algorithm = algorithm, .keep_going = true};
      options.preemption_bound = 2;
      options.collect_outcomes = true;
      if (std::string_view(model) != "sc") options.buffer_bound = 1;
      const auto alone = heddle::check(program, options);
      REQUIRE(alone);
      CHECK((alone->counts.buffer_bound_flushes > 0) == (std::string_view(model) == "tso"));
      const Whole whole = explore_divided(divide(program, options), 5);
      CHECK(description_of(whole.result) == description_of(*alone));
    }
  }
}

TEST_CASE("a divided search judges liveness, too") {
  const Program program = load("shared x: int; thread p { x = 1; } thread q { while x == 0 { let a = x; } }");
  CheckOptions options{.algorithm = "trust"};
  for (const bool live : {false, true}) {
    options.live = live;
    const auto alone = heddle::check(program, options);
    REQUIRE(alone);
    CHECK((alone->verdict == heddle::Verdict::undecided) == live);
    CHECK(description_of(explore_divided(divide(program, options), 3).result) == description_of(*alone));
  }
}

TEST_CASE("a violation ends a divided search that is not to continue") {
  const Program program = load(counted_program);
  const Whole whole = explore_divided(divide(program, {.algorithm = "trust"}), 2);
  CHECK(whole.result.verdict == heddle::Verdict::violation);
  CHECK_FALSE(whole.result.finished);
  REQUIRE(whole.result.violation);
  CHECK_FALSE(whole.result.violation->trace.steps.empty());
}

TEST_CASE("what cannot be divided is refused with the reason") {
  const Program program = load(counted_program);
  const auto refused = [&](const CheckOptions& options) {
    const auto division = Division::of(program, options);
    return division ? std::string() : division.error().front().message;
  };
  CHECK(refused({.algorithm = "dpor"}).find("does not divide") != std::string::npos);
  CHECK(refused({.model = "power", .algorithm = "naive"}).find("does not divide") != std::string::npos);
  CHECK(refused({.algorithm = "trust", .max_executions = 5}).find("executions") != std::string::npos);
  CheckOptions with_coverage{.algorithm = "trust"};
  with_coverage.coverage = true;
  CHECK(refused(with_coverage).find("coverage") != std::string::npos);
}

TEST_CASE("damaged descriptions, parts and tallies are refused") {
  const Division division = divide(load(counted_program), {.algorithm = "trust"});
  std::string other = division.text();
  other.replace(other.find("\"heddle\":\"") + 10, 1, "9");
  const auto of_other_version = Division::from_text(other);
  REQUIRE_FALSE(of_other_version);
  CHECK(of_other_version.error().front().message.find("and this is heddle") != std::string::npos);
  other = division.text();
  other.replace(other.find("a + 1"), 5, "a + 2");
  const auto of_other_program = Division::from_text(other);
  REQUIRE_FALSE(of_other_program);
  CHECK(of_other_program.error().front().message.find("not the one that was sent") != std::string::npos);
  for (const char* const text : {"", "{}", "[]", "null", "{\"document\":\"division\"}", "\xff"})
    CHECK_FALSE(Division::from_text(text));

  const auto quietly = [](const heddle::Progress&) { return 0U; };
  for (const std::string part :
       {"", "x", "0", "1:", "0:1.", "0:.1", "0:99999999999", "7:1.2", "0:1,2", "0:900", "0:1.900",
        "1:1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"}) {
    CAPTURE(part);
    CHECK_FALSE(division.explore(part, quietly));
  }
  const std::pair<const char*, std::uint64_t> sums[] = {{"unknown", 1},
                                                        {"state/1,2", 1},
                                                        {"state/x", 1},
                                                        {"satisfied/9", 1},
                                                        {"blocked/abc", 1},
                                                        {"nothing/1", 1},
                                                        {"blocked/18446744073709551615", 1}};
  for (const auto& [key, value] : sums) {
    CAPTURE(key);
    Tally tally;
    tally.sums[key] = value;
    CHECK_FALSE(division.result(tally, {}));
  }
  Tally tally;
  tally.firsts["violation/1"] = {"", "{\"kind\":77}"};
  CHECK_FALSE(division.result(tally, {}));
  tally.firsts["violation/1"] = {"", "no JSON"};
  CHECK_FALSE(division.result(tally, {}));
}

TEST_CASE("imports travel with the program") {
  const auto program = Program::from_file(HEDDLE_SOURCE_DIR "/examples/ticket_lock.hed");
  REQUIRE(program);
  const auto division = Division::of(*program, {.algorithm = "trust"});
  REQUIRE(division);
  const auto read = Division::from_text(division->text());
  REQUIRE_MESSAGE(read, heddle::to_text(read.error()));
  // A file that was not sent is not read, even if it is there.
  const auto importing =
      Program::from_source("import \"./peterson.hed\";\nthread t { }\n", HEDDLE_SOURCE_DIR "/examples/x.hed");
  CHECK_FALSE(importing);
}
