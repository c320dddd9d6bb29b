// The public interactive machine (include/heddle/machine.h).
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/machine.h"

namespace {

using heddle::Machine;
using heddle::MachineEnd;
using heddle::Program;
using heddle::TransitionKind;

constexpr const char* store_buffering = R"(
shared x: int;
shared y: int;
thread p {
  x = 1;
  let a = y;
}
thread q {
  y = 1;
  let b = x;
}
exists p.a == 0 && q.b == 0;
)";

Program compile(const std::string& text) {
  auto program = Program::from_source(text, "test.hed");
  REQUIRE(program);
  return *program;
}

Machine start(const std::string& text, const std::string& model) {
  auto machine = Machine::start(compile(text), {.model = model});
  REQUIRE(machine);
  return std::move(*machine);
}

std::vector<std::string> actions(const Machine& machine) {
  std::vector<std::string> result;
  for (const auto& transition : machine.transitions())
    result.push_back(std::to_string(transition.effect.thread) + ": " + transition.effect.action);
  return result;
}

std::vector<std::string> reasons(const Machine& machine) {
  std::vector<std::string> result;
  for (const auto& transition : machine.disabled()) result.push_back(transition.why);
  return result;
}

using Texts = std::vector<std::string>;

// Takes the transition with the given action.
void take(Machine& machine, const std::string& action) {
  const auto list = actions(machine);
  const auto found = std::find(list.begin(), list.end(), action);
  REQUIRE_MESSAGE(found != list.end(), action);
  CHECK(machine.step(static_cast<std::size_t>(found - list.begin())));
}

std::int64_t value(const Machine& machine, const std::string& expression) {
  const auto result = machine.evaluate(expression);
  REQUIRE_MESSAGE(result, expression);
  return result->number;
}

TEST_CASE("the machine walks through store buffering under TSO and back") {
  auto machine = start(store_buffering, "tso");
  CHECK(actions(machine) ==
        Texts{"0: read y = 0", "1: read x = 0", "0: x = 1 reaches memory", "1: y = 1 reaches memory"});
  take(machine, "0: read y = 0");
  take(machine, "1: read x = 0");
  CHECK(value(machine, "x") == 0);
  take(machine, "0: x = 1 reaches memory");
  CHECK(value(machine, "x") == 1);
  CHECK(machine.status().end == MachineEnd::running);
  take(machine, "1: y = 1 reaches memory");
  CHECK(machine.transitions().empty());
  const auto status = machine.status();
  CHECK(status.end == MachineEnd::complete);
  REQUIRE(status.conditions.size() == 1);
  CHECK(status.conditions[0].satisfied == 1);
  CHECK(machine.trace().steps.size() == 6);  // two of the rows are stores entering a buffer

  CHECK(machine.back(3) == 3);
  CHECK(machine.depth() == 1);
  CHECK(machine.ahead() == 3);
  CHECK(value(machine, "x") == 0);
  CHECK(machine.trace().steps.size() == 3);
  CHECK(machine.forward(9) == 3);
  CHECK(machine.status().end == MachineEnd::complete);
  CHECK(machine.go_to(0));
  CHECK(machine.go_to(5).error().front().message == "only 4 transitions are known");
  CHECK(machine.depth() == 0);
  take(machine, "1: read x = 0");
  CHECK(machine.ahead() == 0);
}

TEST_CASE("under SC the same program has no buffers") {
  auto machine = start(store_buffering, "sc");
  CHECK(actions(machine) == Texts{"0: x = 1", "1: y = 1"});
  CHECK(machine.step(2).error().front().message == "there are only 2 transitions");
}

TEST_CASE("disabled transitions say what they wait for") {
  auto fence = start("shared x: int; shared y: int; thread p { x = 1; y = 2; fence; let a = x; }", "tso");
  CHECK(reasons(fence) == Texts{"waits until its stores have reached memory on line 1: x = 1, y = 2",
                                "stays in the buffer behind x = 1"});
  auto store_fence =
      start("shared x: int; shared y: int; thread p { x = 1; fence st; y = true ? 2 : 3; }", "pso");
  CHECK(reasons(store_fence) == Texts{"finished", "a fence between the stores keeps it behind x = 1"});
  auto mutex = start("mutex m; thread p { lock m; unlock m; } thread q { lock m; unlock m; }", "pso");
  take(mutex, "0: lock m");
  CHECK(reasons(mutex) == Texts{"waits at line 1 for m, which p holds"});
  CHECK(mutex.state().locks[0].holder == "p");
}

TEST_CASE("a full store buffer delays the next store") {
  auto machine = Machine::start(compile("shared x: int; shared y: int; thread p { x = 1; y = 1; }"),
                                {.model = "tso", .buffer_bound = 1});
  REQUIRE(machine);
  CHECK(reasons(*machine) == Texts{"waits for room in its store buffer on line 1: x = 1"});
  CHECK_FALSE(Machine::start(compile("thread p { }"), {.model = "sc", .buffer_bound = 1}));
  CHECK_FALSE(Machine::start(compile("thread p { }"), {.model = "no such model"}));
}

TEST_CASE("a failed await can be evaluated again once its condition holds") {
  auto machine = start("shared x: int; thread p { await x == 1; } thread q { x = 1; }", "sc");
  take(machine, "0: read x = 0");
  CHECK(actions(machine) == Texts{"1: x = 1"});
  CHECK(reasons(machine) == Texts{"waits at line 1: await x == 1"});
  take(machine, "1: x = 1");
  REQUIRE(machine.transitions().size() == 1);
  CHECK(machine.transitions()[0].kind == TransitionKind::retry);
  CHECK(machine.status().end == MachineEnd::running);
  CHECK(machine.step(0));
  take(machine, "0: read x = 1");
  CHECK(machine.status().end == MachineEnd::complete);
  const auto trace = machine.trace();
  CHECK(machine.load(trace));
  CHECK(machine.depth() == 0);
  CHECK(machine.forward(100) == 4);
  CHECK(machine.status().end == MachineEnd::complete);
}

TEST_CASE("the ways in which an execution can end are distinguished") {
  auto deadlock = start("shared x: int; thread p { await x == 1; }", "tso");
  deadlock.random(1);
  CHECK(deadlock.status().end == MachineEnd::deadlock);
  CHECK(deadlock.status().message == "deadlock: p waits at line 1: await x == 1");
  auto assumption = start("shared x: int; thread p { assume x == 1; }", "tso");
  assumption.random(1);
  CHECK(assumption.status().end == MachineEnd::stuck);
  auto assertion =
      start("shared x: int; thread p { assert x == 1, \"too early\"; } thread q { x = 1; }", "tso");
  take(assertion, "0: read x = 0");
  CHECK(assertion.status().end == MachineEnd::violation);
  CHECK(assertion.status().message == "assertion failed: too early");
  CHECK(assertion.back() == 1);
  CHECK(assertion.status().end == MachineEnd::running);
  auto final = start("shared x: int; thread p { x = 1; } final { assert x == 2; }", "pso");
  final.random(1);
  CHECK(final.status().message == "assertion failed: assert x == 2");
  CHECK(final.trace().steps.back().kind == heddle::StepKind::failure);
  auto condition = start("shared x: int; thread p { x = 1; } forbid x == 1;", "sc");
  condition.random(1);
  CHECK(condition.status().message == "a final state satisfies 'forbid x == 1'");
}

TEST_CASE("one thread runs alone up to a line") {
  auto machine = start(R"(shared x: int;
shared y: int;
thread p {
  x = 1;
  fence;
  let a = y;
  let b = x;
}
thread q { await y == 1; }
)",
                       "tso");
  auto result = machine.run("p", 7);
  CHECK(result->reached);
  CHECK(result->steps == 2);
  CHECK(actions(machine)[0] == "0: read x = 1");
  result = machine.run("p");
  CHECK(result->reached);
  CHECK(result->steps == 1);
  CHECK(machine.run("p", 7)->why == "p has finished");
  CHECK(machine.run("nobody").error().front().message == "there is no thread 'nobody'");
  CHECK(machine.run("q")->why == "q waits at line 9: await y == 1");
}

TEST_CASE("choices are listed, and values beyond the list can be taken") {
  auto machine = start("thread p { let a = choose(0..3); let b = choose(0..1000); }", "sc");
  CHECK(actions(machine) == Texts{"0: choose 0", "0: choose 1", "0: choose 2"});
  CHECK(machine.step(0, 7).error().front().message == "the choice is from 0..3, which 7 is not in");
  CHECK(machine.step(2));
  CHECK(machine.transitions().size() == 64);
  CHECK(machine.step(0, 999));
  CHECK(value(machine, "p.a * 1000 + p.b") == 2999);
  const auto trace = machine.trace();
  CHECK(machine.load(trace));
  CHECK(machine.forward(2) == 2);
  CHECK(value(machine, "p.b") == 999);
}

TEST_CASE("an atomic block is one transition, and at a choice in it nothing else is possible") {
  auto machine = start(
      "shared x: int; shared y: int;\n"
      "thread p { atomic { await x == 0; x = 1; let k = choose(0..2); y = k; } }\n"
      "thread q { atomic { await y == 1; x = 5; } }\n"
      "thread r { let a = x; }\n",
      "tso");
  CHECK(actions(machine) == Texts{"0: atomic: read x = 0, ...", "2: read x = 0"});
  take(machine, "0: atomic: read x = 0, ...");
  CHECK(actions(machine) == Texts{"0: choose 0", "0: choose 1"});
  CHECK(value(machine, "x") == 1);
  machine.back(1);
  CHECK(value(machine, "x") == 0);
  CHECK(actions(machine) == Texts{"0: atomic: read x = 0, ...", "2: read x = 0"});
  take(machine, "0: atomic: read x = 0, ...");
  take(machine, "0: choose 1");
  CHECK(actions(machine) == Texts{"1: atomic: read y = 1, ...", "2: read x = 1"});
  take(machine, "1: atomic: read y = 1, ...");
  const auto trace = machine.trace();
  CHECK(trace.steps.size() == 6);
  CHECK(machine.load(trace));
  CHECK(machine.forward(9) == 3);
  CHECK(value(machine, "x * 10 + y") == 51);
}

TEST_CASE("expressions are evaluated in the state") {
  const auto machine = start(R"(
param N = 3;
const K = N * 2;
shared x: int = 5;
shared flags: bool[2] = true;
mutex m;
thread w[i: 0..2] { let me = i; x = 1; }
)",
                             "sc");
  const auto text = [&](const char* expression) {
    const auto result = machine.evaluate(expression);
    return result ? result->text() : result.error().front().message;
  };
  CHECK(text("x + N * K") == "23");
  CHECK(text("flags[1]") == "true");
  CHECK(text("flags[0] && x == 5") == "true");
  CHECK(text("w[1].me") == "1");
  CHECK(text("x > 4 ? -x : ~x") == "-5");
  CHECK(text("flags[x - 3]") == "index 2 is out of bounds: 'flags' has 2 elements");
  CHECK(text("1 / (x - 5)") == "division by zero");
  CHECK(text("y") == "unknown name 'y'");
  CHECK(text("") == "expected an expression, found the end of the file");
  CHECK(text("x x") == "expected the end of the expression");
  CHECK(text("m") == "the mutex 'm' has no value");
  CHECK(text("fetch_add(x, 1)").find("fetch_add") != std::string::npos);
}

TEST_CASE("a violation's trace can be loaded and followed") {
  const std::string text = R"(
shared flag: int[2];
shared inside: int;
thread p[me: 0..2] {
  flag[me] = 1;
  await flag[1 - me] == 0;
  assert fetch_add(inside, 1) == 0, "two inside";
  fetch_add(inside, -1);
  flag[me] = 0;
}
)";
  const auto program = compile(text);
  for (const auto& model : heddle::models()) {
    for (const auto& algorithm : heddle::algorithms()) {
      if (algorithm.runs_endless || !heddle::why_not(model.name, algorithm.name).empty()) continue;
      CAPTURE(model.name);
      CAPTURE(algorithm.name);
      heddle::CheckOptions options;
      options.model = model.name;
      options.algorithm = algorithm.name;
      const auto result = heddle::check(program, options);
      REQUIRE(result);
      if (!result->violation) continue;
      auto machine = Machine::start(program, {.model = std::string(model.name)});
      REQUIRE(machine);
      const auto& trace = result->violation->trace;
      CHECK(machine->load(trace));
      machine->forward(1000);
      const auto status = machine->status();
      CHECK(status.message == result->violation->message);
      const auto replayed = machine->trace();
      REQUIRE(replayed.steps.size() == trace.steps.size());
      for (std::size_t i = 0; i < trace.steps.size(); ++i)
        CHECK(replayed.steps[i].action == trace.steps[i].action);
      auto other =
          Machine::start(compile("shared z: int; thread p { z = 1; }"), {.model = std::string(model.name)});
      CHECK_FALSE(other->load(trace));
      CHECK(other->depth() == 0);
    }
  }
}

TEST_CASE("random walks are repeatable, and end in states that a check finds") {
  const auto program = compile(R"(
shared x: int;
shared y: int;
mutex m;
thread p { x = 1; y = 1; lock m; x += 1; unlock m; }
thread q { let a = y; let b = x; lock m; x += 2; unlock m; if (cas(y, 1, 5)) { x = 7; } }
)");
  for (const std::string model : {"sc", "tso", "pso", "power"}) {
    CAPTURE(model);
    heddle::CheckOptions options;
    options.model = model;
    options.collect_outcomes = true;
    const auto result = heddle::check(program, options);
    REQUIRE(result);
    auto machine = Machine::start(program, {.model = model});
    REQUIRE(machine);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      CHECK(machine->go_to(0));
      const auto taken = machine->random(seed);
      const auto first = machine->trace();
      REQUIRE(machine->status().end == MachineEnd::complete);
      CHECK(machine->go_to(taken / 2));
      CHECK(machine->go_to(0));
      CHECK(machine->random(seed) == taken);
      CHECK(machine->trace().steps.back().action == first.steps.back().action);
      const auto known =
          std::any_of(result->outcomes.begin(), result->outcomes.end(), [&](const heddle::Outcome& outcome) {
            return std::all_of(
                outcome.values.begin(), outcome.values.end(),
                [&](const heddle::NamedValue& v) { return value(*machine, v.name) == v.value; });
          });
      CHECK(known);
    }
  }
}

}  // namespace
