// The toy model and the toy algorithm of docs/extending.md work as the page says. Their code comes from the
// page (extract.cmake); everything else is the checker's.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {
namespace {

// `between` is put between the two operations of each thread.
std::string store_buffering(const std::string& between) {
  return "shared x: int; shared y: int; thread p { x = 1; " + between + " let a = y; } thread q { y = 1; " +
         between + " let b = x; } exists p.a == 0 && q.b == 0;";
}
std::string message_passing(const std::string& between) {
  return "shared x: int; shared y: int; thread p { x = 1; " + between +
         " y = 1; } thread q { let a = y; let b = x; } exists q.a == 1 && q.b == 0;";
}
const std::string load_buffering =
    "shared x: int; shared y: int; thread p { let a = x; y = 1; } thread q { let b = y; x = 1; } "
    "exists p.a == 1 && q.b == 1;";
const std::string coherence =
    "shared x: int; thread p { x = 1; x = 2; } thread q { let a = x; let b = x; } exists q.a == 2 && q.b == "
    "1;";
const std::string choices =
    "shared x: int; mutex m; thread p { let c = choose(0..3); lock m; x = x + c; unlock m; } "
    "thread q { lock m; x = x * 2 + 1; unlock m; } exists x == 5;";

CheckResult run(const std::string& text, std::string_view model, std::string_view algorithm) {
  CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.collect_outcomes = true;
  return check(Program::from_source(text, "toy.hed").value(), options).value();
}

std::set<std::vector<std::int64_t>> final_states(const CheckResult& result) {
  std::set<std::vector<std::int64_t>> states;
  for (const Outcome& outcome : result.outcomes) {
    std::vector<std::int64_t> values;
    for (const NamedValue& value : outcome.values) values.push_back(value.value);
    states.insert(values);
  }
  return states;
}

struct Litmus {
  std::string text;
  bool under_loose;
  bool under_pso;
};
const std::vector<Litmus> litmus{
    {store_buffering(""), true, true},
    {store_buffering("fence;"), false, false},
    {message_passing(""), true, true},
    {message_passing("fence st;"), true, false},
    {message_passing("fence lw;"), true, false},
    {message_passing("fence;"), false, false},
    {load_buffering, false, false},
    {coherence, false, false},
};

TEST_CASE("the toy model allows what its axioms say, in both of its forms") {
  for (const Litmus& test : litmus) {
    INFO(test.text);
    for (const char* algorithm : {"trust", "naive"}) {
      INFO(algorithm);
      const CheckResult loose = run(test.text, "loose", algorithm);
      CHECK(loose.verdict == Verdict::safe);
      CHECK((loose.conditions.front().satisfied > 0) == test.under_loose);
      CHECK((run(test.text, "pso", algorithm).conditions.front().satisfied > 0) == test.under_pso);
    }
    CHECK(final_states(run(test.text, "loose", "trust")) == final_states(run(test.text, "loose", "naive")));
  }
}

TEST_CASE("the toy algorithm finds the final states that naive finds, and claims nothing") {
  for (const char* model : {"sc", "tso", "pso", "loose"}) {
    INFO(model);
    for (const std::string& text :
         {litmus[0].text, litmus[2].text, litmus[3].text, load_buffering, choices}) {
      INFO(text);
      const CheckResult walks = run(text, model, "walks");
      CHECK(walks.verdict == Verdict::undecided);
      CHECK(walks.stopped_by == "random walks");
      CHECK(final_states(walks) == final_states(run(text, model, "naive")));
    }
  }
}

TEST_CASE("the toy algorithm finds a violation, with a trace") {
  const CheckResult result =
      run("shared x: int; thread p { x = 1; } thread q { assert x == 0; }", "tso", "walks");
  REQUIRE(result.violation);
  CHECK(result.violation->kind == ViolationKind::assertion);
  CHECK_FALSE(result.violation->trace.steps.empty());
}

TEST_CASE("the registry has a cell for each pair with a toy, and a reason where one does not work") {
  CHECK(models().size() == 5);
  CHECK(algorithms().size() == 9);
  CHECK(why_not("loose", "trust").empty());
  CHECK(why_not("loose", "walks").empty());
  CHECK(why_not("power", "walks") ==
        "the algorithm 'walks' does not work with the model 'power'; these do: naive, dpor, source, sdpor, "
        "rsmc, "
        "trust, rf");
  CHECK(why_not("loose", "rf") ==
        "the algorithm 'rf' does not work with the model 'loose'; these do: walks, naive, dpor, source, "
        "sdpor, states, rsmc, "
        "trust");
  CHECK_FALSE(Program::from_source("shared x: int; thread p { x = 1; } expect lose: safe;", "toy.hed"));
  CHECK(Program::from_source("shared x: int; thread p { x = 1; } expect loose by walks: safe;", "toy.hed"));
}

}  // namespace
}  // namespace heddle
