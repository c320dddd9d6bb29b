// heddle::why: answers agree with checks, and the changes that it proposes do what they promise when they are made
// in the text.
#include "heddle/why.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/environment.hpp"

namespace {

namespace fs = std::filesystem;
using heddle::Program;
using heddle::Why;
using heddle::WhyChange;
using heddle::WhyChangeKind;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Program compile(const std::string& text, const heddle::Parameters& parameters = {}) {
  return Program::from_source(text, "test.hed", {.parameters = parameters}).value();
}

// How many executions satisfy the program's `exists`.
std::uint64_t satisfied(const Program& program, const std::string& model) {
  heddle::CheckOptions options;
  options.model = model;
  options.keep_going = true;
  const auto result = heddle::check(program, options).value();
  REQUIRE(result.stopped_by.empty());
  std::uint64_t count = 0;
  for (const auto& condition : result.conditions) count = condition.satisfied;
  return count;
}

std::string fence(heddle::FenceType type) {
  switch (type) {
    case heddle::FenceType::full: return "fence";
    case heddle::FenceType::lightweight: return "fence lw";
    case heddle::FenceType::store_store: return "fence st";
    case heddle::FenceType::instruction: break;
  }
  return "fence isync";
}

std::size_t offset(const std::string& text, std::uint32_t line, std::uint32_t column) {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  return begin + column - 1;
}

// The text with the changes made; empty if one of them is no change of fences.
std::string changed(std::string text, std::vector<WhyChange> changes) {
  std::sort(changes.begin(), changes.end(), [](const WhyChange& a, const WhyChange& b) {
    return std::pair(a.line, a.column) > std::pair(b.line, b.column);
  });
  for (const WhyChange& change : changes) {
    const auto at = offset(text, change.line, change.column);
    switch (change.kind) {
      case WhyChangeKind::add_fence: text.insert(at, fence(change.fence) + "; "); break;
      case WhyChangeKind::weaken_fence: text.replace(at, change.source.size(), fence(change.fence)); break;
      case WhyChangeKind::remove_fence: text.replace(at, change.source.size(), ""); break;
      case WhyChangeKind::drop_dependency: return {};
    }
  }
  return text;
}

struct Tally {
  std::size_t allowed = 0;
  std::size_t forbidden = 0;
  std::size_t fences_added = 0;
  std::size_t fences_weakened = 0;
};

// Makes each proposed set of changes, and checks the program again.
void try_changes(const std::string& text, const heddle::Parameters& parameters, const std::string& model,
                 const Why& answer, Tally& tally) {
  for (const auto& set : answer.changes) {
    const std::string after = changed(text, set);
    if (after.empty()) continue;
    CAPTURE(after);
    const auto count = satisfied(compile(after, parameters), model);
    if (!answer.allowed) {
      ++tally.fences_weakened;
      CHECK_GT(count, 0);
      continue;
    }
    ++tally.fences_added;
    CHECK_EQ(count, 0);
    // No fence of the set is needless, none may be weaker.
    for (std::size_t i = 0; i < set.size(); ++i) {
      auto fewer = set;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK_GT(satisfied(compile(changed(text, fewer), parameters), model), 0);
      if (set[i].fence != heddle::FenceType::full) continue;
      auto weaker = set;
      weaker[i].fence = heddle::FenceType::lightweight;
      CHECK_GT(satisfied(compile(changed(text, weaker), parameters), model), 0);
    }
  }
}

void ask(const std::string& text, const heddle::Parameters& parameters, Tally& tally) {
  const Program program = compile(text, parameters);
  for (const auto& model : heddle::models()) {
    const std::string name(model.name);
    CAPTURE(name);
    const auto answer = heddle::why(program, "", {.model = name}).value();
    CHECK_EQ(answer.stopped_by, "");
    CHECK_EQ(answer.consistent, satisfied(program, name));
    CHECK_EQ(answer.allowed, answer.consistent > 0);
    answer.allowed ? ++tally.allowed : ++tally.forbidden;
    for (const auto& execution : answer.executions) CHECK_EQ(execution.cycle.empty(), answer.allowed);
    try_changes(text, parameters, name, answer, tally);
  }
}

}  // namespace

TEST_CASE("why counts the executions that a check counts, and its changes do what they promise") {
  Tally tally;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "tests/programs/expect")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("litmus_") && !name.starts_with("coherence_")) continue;
    CAPTURE(name);
    const std::string text = read(entry.path());
    std::size_t conditions = 0;
    std::set<heddle::Parameters> settings{{}};
    const Program program = compile(text);
    for (std::size_t at = text.find("\nexists"); at != std::string::npos; at = text.find("\nexists", at + 1))
      ++conditions;
    if (conditions != 1) continue;
    for (const auto& expectation : program.expectations()) settings.insert(expectation.parameters);
    for (const auto& parameters : settings) {
      std::string shown;
      for (const auto& [parameter, value] : parameters)
        shown += parameter + "=" + std::to_string(value) + " ";
      CAPTURE(shown);
      ask(text, parameters, tally);
    }
  }
  MESSAGE(tally.allowed, " allowed, ", tally.forbidden, " forbidden, ", tally.fences_added,
          " sets of fences added, ", tally.fences_weakened, " changed");
  CHECK_GT(tally.allowed, 20);
  CHECK_GT(tally.forbidden, 20);
  CHECK_GT(tally.fences_added, 20);
  CHECK_GT(tally.fences_weakened, 5);
}

TEST_CASE("why names the dependency without which POWER would allow message passing") {
  const Program program = compile(
      "shared x: int; shared y: int;\n"
      "thread p { x = 1; fence lw; y = 1; }\n"
      "thread q { let a = y; if a == 1 { fence isync; } let d = x; }\n");
  const auto answer = heddle::why(program, "q.a == 1 && q.d == 0", {.model = "power"}).value();
  REQUIRE_FALSE(answer.allowed);
  REQUIRE_FALSE(answer.executions.empty());
  std::vector<std::string> relations;
  for (const auto& edge : answer.executions.front().cycle) relations.push_back(edge.relation);
  std::sort(relations.begin(), relations.end());
  CHECK_EQ(relations, std::vector<std::string>{"ctrl+isync", "fence lw", "fr", "rf"});
  std::vector<std::string> texts;
  for (const auto& set : answer.changes) {
    REQUIRE_EQ(set.size(), 1);
    texts.push_back(set.front().text);
  }
  CHECK_EQ(texts,
           std::vector<std::string>{"remove 'fence lw' on line 2", "remove 'fence isync' on line 3",
                                    "drop the control dependency from 'y' on line 3 to 'x' on line 3"});
}

TEST_CASE("why weakens a fence no more than it must") {
  const Program program = compile(
      "shared x: int; shared y: int;\n"
      "thread p { x = 1; fence; let a = y; }\n"
      "thread q { y = 1; fence; let b = x; }\n");
  const auto changes = [&](const std::string& model) {
    std::vector<std::string> texts;
    const auto answer = heddle::why(program, "p.a == 0 && q.b == 0", {.model = model}).value();
    CHECK_FALSE(answer.allowed);
    for (const auto& set : answer.changes) {
      for (const auto& change : set) texts.push_back(change.text);
    }
    return texts;
  };
  CHECK_EQ(changes("power"), std::vector<std::string>{"weaken 'fence' on line 2 to 'fence lw'",
                                                      "weaken 'fence' on line 3 to 'fence lw'"});
  CHECK_EQ(changes("tso"), std::vector<std::string>{"remove 'fence' on line 2", "remove 'fence' on line 3"});
  CHECK_EQ(changes("sc"), std::vector<std::string>{});
}

TEST_CASE("why refuses conditions that are none, and says where they are wrong") {
  const Program program = compile("shared x: int; thread p { x = 1; let a = x; }\n");
  const auto refused = [&](const std::string& condition) {
    const auto answer = heddle::why(program, condition);
    REQUIRE_FALSE(answer);
    return to_text(answer.error());
  };
  CHECK_EQ(refused("z == 1").substr(0, 40), "condition:1:1: error: unknown name 'z'\n ");
  CHECK_EQ(refused("x == 1; shared z: int").substr(0, 6), "error:");
  CHECK_EQ(refused("").substr(0, 6), "error:");
  CHECK_EQ(refused("x ==").substr(0, 12), "condition:1:");
  CHECK_FALSE(heddle::why(program, "x == 1", {.model = "arm"}));
  CHECK(heddle::why(program, "p.a == 1"));
}

TEST_CASE("why says which limit it reached, and that loops were cut off") {
  const Program many = compile(
      "shared x: int; shared y: int;\n"
      "thread w[i: 0..6] { for k in 0..3 { let a = fetch_add(x, 1); let b = fetch_add(y, a); } }\n");
  const auto given_up = heddle::why(many, "x == 99").value();
  CHECK_FALSE(given_up.decided());
  CHECK_FALSE(given_up.stopped_by.empty());
  heddle::CompileOptions three_rounds;
  three_rounds.unroll = 3;
  const Program loop =
      Program::from_source("shared x: int; thread p { while x != 1 { x = 2; } } thread q { x = 1; }\n",
                           "loop.hed", three_rounds)
          .value();
  const auto cut = heddle::why(loop, "x == 1").value();
  CHECK(cut.allowed);
  CHECK_EQ(cut.bounds.size(), 1);
}

TEST_CASE("why agrees with the published outcomes of litmus tests, within a second each") {
  const std::string folder = heddle::tests::published_litmus_tests();
  if (folder.empty()) {
    MESSAGE("HEDDLE_LITMUS names no folder: left out");
    return;
  }
  struct Set {
    const char* folder;
    const char* name;  // of the model in the table
    const char* model;
  };
  heddle::CompileOptions for_power;
  for_power.model = "power";
  std::size_t compared = 0;
  double slowest = 0;
  for (const Set& set : {Set{"ppc", "SC", "sc"}, Set{"ppc", "TSO", "tso"}, Set{"ppc", "PSO", "pso"},
                         Set{"ppc", "POWER", "power"}, Set{"ppc-rmw", "POWER", "power"},
                         Set{"x86", "TSO", "tso"}, Set{"x86-rmw", "TSO", "tso"}}) {
    std::ifstream table(fs::path(folder) / (std::string(set.folder) + "-expected.tsv"));
    std::size_t number = 0;
    for (std::string line; std::getline(table, line);) {
      std::istringstream fields(line);
      std::string test, model, states, verdict;
      std::getline(fields, test, '\t');
      std::getline(fields, model, '\t');
      std::getline(fields, states, '\t');
      std::getline(fields, verdict, '\t');
      if (model != set.name || number++ % heddle::tests::sized(40U, 1U) != 0) continue;
      CAPTURE(test);
      CAPTURE(model);
      const auto path = fs::path(folder) / set.folder / (test + ".litmus");
      const auto program = Program::from_file(path.string(), for_power);
      if (!program || program->litmus()->kind == heddle::LitmusKind::none) continue;
      const auto answer = heddle::why(*program, "", {.model = set.model}).value();
      CHECK(answer.decided());
      const bool negated = program->litmus()->kind == heddle::LitmusKind::forall;
      const bool possible = verdict.ends_with("Sometimes") || verdict.ends_with(negated ? "Never" : "Always");
      CHECK_EQ(answer.allowed, possible);
      slowest = std::max(slowest, answer.seconds);
      ++compared;
    }
  }
  MESSAGE(compared, " tests compared, the slowest took ", slowest, " s");
  CHECK_GT(compared, heddle::tests::sized(100U, 7000U));
  CHECK_LT(slowest, 1);
}
