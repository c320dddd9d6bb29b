// Compares the oracle with herd7: the final states of litmus tests under POWER.
#include <doctest/doctest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "checker/api/state.hpp"
#include "tests/environment.hpp"
#include "tests/power_oracle/oracle.hpp"

namespace heddle::power_oracle {

namespace {

// A state of the table, "1:r1=0; [z]=1;", keyed by the observed names.
using State = std::map<std::string, std::int64_t>;

State parse_state(const std::string& text) {
  State state;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) continue;
    const auto begin = part.find_first_not_of(' ');
    state[part.substr(begin, equals - begin)] = std::stoll(part.substr(equals + 1));
  }
  return state;
}

std::set<State> parse_states(const std::string& text) {
  std::set<State> states;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('|', begin), text.size());
    states.insert(parse_state(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return states;
}

// Whether a state has the name of a location as a value. The oracle knows only the addresses themselves.
bool has_addresses(const std::string& states) {
  for (auto equals = states.find('='); equals != std::string::npos; equals = states.find('=', equals + 1)) {
    if (std::isalpha(static_cast<unsigned char>(states[equals + 1])) != 0) return true;
  }
  return false;
}

struct Tally {
  std::size_t agree = 0;
  std::size_t skipped = 0;
  std::size_t refused = 0;
};

void judge_test(const std::string& path, const std::string& expected, Tally& tally) {
  CAPTURE(path);
  CompileOptions compile;
  compile.model = "power";
  compile.unroll = 3;
  const auto program = Program::from_file(path, compile);
  if (!program) {
    ++tally.refused;
    return;
  }
  const lang::Program& tree = state_of(*program).tree;
  Judgement judgement;
  try {
    judgement = judge(tree, {.unroll = compile.unroll, .violations = false});
  } catch (const TooLarge&) {
    ++tally.skipped;
    return;
  }
  std::set<State> found;
  for (const auto& [values, count] : judgement.outcomes) {
    State state;
    for (std::size_t i = 0; i < values.size(); ++i) state[tree.litmus->observed[i].name] = values[i];
    found.insert(state);
  }
  CHECK(found == parse_states(expected));
  ++tally.agree;
}

// Judges every `every`-th test that has a line for POWER in the table.
void judge_folder(const std::string& folder, const std::string& table, std::size_t every) {
  std::ifstream file(table);
  REQUIRE(file);
  Tally tally;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (cells.size() != 5 || cells[1] != "POWER" || has_addresses(cells[4])) continue;
    if (number++ % every != 0) continue;
    judge_test(folder + "/" + cells[0] + ".litmus", cells[4], tally);
  }
  MESSAGE(folder, ": ", tally.agree, " judged, ", tally.skipped, " too large, ", tally.refused, " refused");
  CHECK(tally.agree > 0);
  CHECK(tally.skipped * 20 <= tally.agree);
}

// HEDDLE_RANDOM_PROGRAMS selects the long run: all tests.
std::size_t sample(std::size_t usual) { return std::getenv("HEDDLE_RANDOM_PROGRAMS") == nullptr ? usual : 1; }

// Of one set of the published litmus tests.
void judge_published(const std::string& set, std::size_t every) {
  const std::string litmus = tests::published_litmus_tests();
  if (litmus.empty()) {
    MESSAGE("left out: HEDDLE_LITMUS names no folder");
    return;
  }
  judge_folder(litmus + "/" + set, litmus + "/" + set + "-expected.tsv", every);
}

}  // namespace

TEST_CASE("the oracle finds the states that herd7 finds for the project's litmus tests") {
  judge_folder(HEDDLE_SOURCE_DIR "/tests/litmus", HEDDLE_SOURCE_DIR "/tests/litmus/expected.tsv", 1);
}

TEST_CASE("the oracle finds the states that herd7 finds for published litmus tests") {
  judge_published("ppc", sample(20));
}

TEST_CASE("the oracle finds the states that herd7 finds for litmus tests with lwarx and stwcx.") {
  judge_published("ppc-rmw", sample(4));
}

}  // namespace heddle::power_oracle
