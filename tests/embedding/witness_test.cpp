// Executions that satisfy an `exists`, or end in a requested state.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/machine.h"
#include "heddle/minimise.h"
#include "tests/every_pair.hpp"

namespace {

using heddle::Program;
using heddle::Witness;
using heddle::tests::for_each_pair;

// The machine at the end of the witness.
heddle::Machine at_end(const Program& program, const std::string& model, const Witness& witness) {
  auto machine = heddle::Machine::start(program, {.model = model});
  REQUIRE(machine);
  REQUIRE(machine->load(witness.trace));
  machine->forward(machine->ahead());
  return std::move(*machine);
}

// The second condition holds under tso and weaker models only, the third never; the last store to x is open
// in a reads-from class.
const char* const store_buffering =
    "shared x: int;\nshared y: int;\nmutex m;\n"
    "thread p { lock m; unlock m; x = 1; let a = y; x = 3; }\n"
    "thread q { y = 1; let b = x; lock m; unlock m; x = 2; }\n"
    "exists p.a == 1 && q.b == 1 && x == 2;\n"
    "exists p.a == 0 && q.b == 0;\n"
    "exists x == 7;\n"
    "exists x == 3 && p.a == 1;\n";

TEST_CASE("each `exists` that holds has a witness, under every model and algorithm") {
  const auto program = Program::from_source(store_buffering, "sb.hed");
  REQUIRE(program);
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const auto plain = heddle::check(*program, {.model = model, .algorithm = algorithm});
    REQUIRE(plain);
    CHECK(plain->witnesses.empty());
    const auto result = heddle::check(*program, {.model = model, .algorithm = algorithm, .witnesses = true});
    REQUIRE(result);
    CHECK(result->finished);
    CHECK(result->counts.executions == plain->counts.executions);
    REQUIRE(result->witnesses.size() == (model == "sc" ? 2 : 3));
    std::uint32_t line = 0;
    for (const Witness& witness : result->witnesses) {
      CAPTURE(witness.condition);
      CHECK(witness.line > line);
      line = witness.line;
      const auto machine = at_end(*program, model, witness);
      const auto status = machine.status();
      CHECK(status.end == heddle::MachineEnd::complete);
      const auto holds = [&](const auto& each) {
        return each.source == witness.condition && each.satisfied == 1;
      };
      CHECK(std::count_if(status.conditions.begin(), status.conditions.end(), holds) == 1);
    }
  });
}

TEST_CASE("a witness can be minimised, under every model") {
  const auto program = Program::from_source(store_buffering, "sb.hed");
  REQUIRE(program);
  for (const auto& model : heddle::models()) {
    const std::string name(model.name);
    CAPTURE(name);
    const heddle::CheckOptions options{.model = name, .witnesses = true};
    const auto result = heddle::check(*program, options);
    REQUIRE(result);
    for (const Witness& witness : result->witnesses) {
      const auto shorter = heddle::minimise(*program, options, witness);
      REQUIRE(shorter);
      CHECK(shorter->shortest);
      CHECK(shorter->witness.condition == witness.condition);
      CHECK(shorter->witness.trace.steps.size() <= witness.trace.steps.size());
      const auto status = at_end(*program, name, shorter->witness).status();
      const auto holds = [&](const auto& each) {
        return each.source == witness.condition && each.satisfied == 1;
      };
      CHECK(std::count_if(status.conditions.begin(), status.conditions.end(), holds) == 1);
    }
  }
}

TEST_CASE("each final state has a witness, under every model and algorithm") {
  const auto program = Program::from_source(store_buffering, "sb.hed");
  REQUIRE(program);
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    heddle::CheckOptions options{.model = model, .algorithm = algorithm, .collect_outcomes = true};
    const auto all = heddle::check(*program, options);
    REQUIRE(all);
    CHECK(all->outcomes.size() >= 5);
    options.collect_outcomes = false;
    for (const heddle::Outcome& outcome : all->outcomes) {
      options.witness_of.clear();
      for (const auto& value : outcome.values) options.witness_of.emplace_back(value.name, value.value);
      const auto result = heddle::check(*program, options);
      REQUIRE(result);
      CHECK(result->outcomes.empty());
      REQUIRE(result->witnesses.size() == 1);
      CHECK(result->witnesses.front().condition.empty());
      const auto machine = at_end(*program, model, result->witnesses.front());
      for (const auto& value : outcome.values) CHECK(machine.evaluate(value.name)->number == value.value);
    }
  });
}

TEST_CASE("a state in which no execution ends has no witness, and an unknown variable is refused") {
  const auto program = Program::from_source(store_buffering, "sb.hed");
  REQUIRE(program);
  const auto none = heddle::check(*program, {.witness_of = {{"x", 7}}});
  REQUIRE(none);
  CHECK(none->finished);
  CHECK(none->witnesses.empty());
  const auto some = heddle::check(*program, {.witness_of = {{"x", 3}, {"q.b", 0}}});
  REQUIRE(some);
  CHECK(some->witnesses.size() == 1);
  for (const std::string name : {"z", "m", ""}) {
    const auto refused = heddle::check(*program, {.witness_of = {{name, 0}}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().message == "final states have no variable '" + name + "'");
  }
}

}  // namespace
