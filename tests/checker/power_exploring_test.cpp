// Exploring under POWER through the public interface: the interactive machine, graphs of traces in commit
// order, the shortest trace.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/graph.h"
#include "heddle/heddle.h"
#include "heddle/machine.h"
#include "heddle/minimise.h"

namespace {

using heddle::GraphRelation;
using heddle::Machine;
using heddle::MachineEnd;
using heddle::Program;
using heddle::TransitionKind;
using Texts = std::vector<std::string>;

Program compile(const std::string& text) {
  auto program = Program::from_source(text, "test.hed");
  REQUIRE(program);
  return *program;
}

Machine start(const std::string& text) {
  auto machine = Machine::start(compile(text), {.model = "power"});
  REQUIRE(machine);
  return std::move(*machine);
}

Texts actions(const Machine& machine) {
  Texts result;
  for (const auto& transition : machine.transitions())
    result.push_back(std::to_string(transition.effect.thread) + ": " + transition.effect.action);
  return result;
}

Texts reasons(const Machine& machine) {
  Texts result;
  for (const auto& transition : machine.disabled())
    result.push_back(transition.effect.action + ": " + transition.why);
  return result;
}

bool has(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void take(Machine& machine, const std::string& action) {
  const auto list = actions(machine);
  const auto found = std::find(list.begin(), list.end(), action);
  REQUIRE_MESSAGE(found != list.end(), action);
  CHECK(machine.step(static_cast<std::size_t>(found - list.begin())));
}

constexpr const char* message_passing = R"(
shared x: int;
shared y: int;
thread p { x = 1; y = 1; }
thread q { let a = y; let b = x; }
exists q.a == 1 && q.b == 0;
)";

// "rf p q": an edge, with the threads of its events.
std::multiset<std::string> edges(const heddle::ExecutionGraph& graph) {
  std::multiset<std::string> result;
  const auto thread = [&](std::size_t event) {
    const auto& e = graph.events[event];
    const std::string name = e.thread < 0 ? "start" : graph.threads[static_cast<std::size_t>(e.thread)];
    return name + "." + e.location;
  };
  for (const auto& edge : graph.edges)
    result.insert(std::string(name(edge.relation)) + " " + thread(edge.from) + " " + thread(edge.to));
  return result;
}

TEST_CASE("under POWER the weak outcome of message passing can be reached by hand, and undone") {
  auto machine = start(message_passing);
  CHECK(actions(machine) == Texts{"0: x = 1 (po 1)", "0: y = 1 (po 2)", "1: read y = 0 (po 1, rf initial)",
                                  "1: read x = 0 (po 2, rf initial)"});
  for (const auto& transition : machine.transitions()) CHECK(transition.kind == TransitionKind::commit);
  take(machine, "0: y = 1 (po 2)");
  CHECK(machine.state().memory[0].value == 0);
  CHECK(machine.state().memory[1].value == 1);
  CHECK(has(actions(machine), "1: read y = 1 (po 1, rf p line 4)"));
  CHECK(has(actions(machine), "1: read y = 0 (po 1, rf initial)"));
  take(machine, "1: read y = 1 (po 1, rf p line 4)");
  take(machine, "1: read x = 0 (po 2, rf initial)");
  CHECK(machine.status().end == MachineEnd::running);
  take(machine, "0: x = 1 (po 1)");
  const auto status = machine.status();
  CHECK(status.end == MachineEnd::complete);
  REQUIRE(status.conditions.size() == 1);
  CHECK(status.conditions[0].satisfied == 1);
  CHECK(edges(graph_of(machine.trace())) == std::multiset<std::string>{"po p.x p.y", "po q.y q.x",
                                                                       "rf p.y q.y", "rf start.x q.x",
                                                                       "co start.x p.x", "fr q.x p.x"});
  CHECK(machine.back(3) == 3);
  CHECK(machine.depth() == 1);
  CHECK(machine.ahead() == 3);
  CHECK(machine.go_to(4));
  CHECK(machine.status().end == MachineEnd::complete);
}

TEST_CASE("under POWER a local that waits for a load has no value") {
  auto machine = start(R"(
shared x: int;
shared y: int;
thread p {
  let a = x;
  let b = a + 1;
  y = b;
  let c = 7;
}
)");
  const auto locals = machine.state().threads[0].locals;
  REQUIRE(locals.size() == 3);
  CHECK(locals[0].pending);
  CHECK(locals[1].pending);
  CHECK(locals[1].text() == "pending");
  CHECK(locals[2].text() == "7");
  const auto unknown = machine.evaluate("p.b");
  REQUIRE(!unknown);
  CHECK(unknown.error().front().message.find("p.b has no value yet") != std::string::npos);
  CHECK(machine.evaluate("p.c")->number == 7);
  CHECK(has(reasons(machine), "y = b: its data depends on 'x' on line 5"));
  take(machine, "0: read x = 0 (po 1, rf initial)");
  CHECK(machine.evaluate("p.b")->number == 1);
  take(machine, "0: y = 1 (po 2)");
  CHECK(machine.state().threads[0].state == "finished");
}

TEST_CASE("under POWER the machine reports what must be committed first, and what the axioms forbid") {
  auto machine = start(R"(
shared x: int;
shared y: int;
shared z: int[2];
thread p { x = 1; fence; y = 1; fence lw; x = 2; }
thread q { let a = y; if a == 1 { z[0] = 1; } let b = z[a]; }
thread r { let c = x; let d = x; }
)");
  auto why = reasons(machine);
  CHECK(has(why, "y = 1: a fence keeps it behind 'x = 1' on line 5"));
  CHECK(has(why,
            "x = 2: a fence keeps it behind 'x = 1' on line 5; a lightweight fence keeps it behind 'y = "
            "1' on line 5"));
  CHECK(has(why, "x: program order of one location keeps it behind 'x' on line 7"));
  bool needs = false;
  for (const auto& reason : why)
    needs = needs || reason.find("needs the load on line 6") != std::string::npos;
  CHECK(needs);
  take(machine, "0: x = 1 (po 1)");
  take(machine, "0: y = 1 (po 2)");
  take(machine, "0: x = 2 (po 3, co after p line 5 po 1)");
  take(machine, "2: read x = 2 (po 1, rf p line 5 po 3)");
  why = reasons(machine);
  CHECK(has(why, "x (rf initial): forbidden: coherence, the thread knows of a newer value"));
  take(machine, "1: read y = 1 (po 1, rf p line 5)");
  CHECK(has(actions(machine), "1: z[0] = 1 (po 2)"));

  auto passing = start(R"(
shared x: int;
shared y: int;
thread p { x = 1; fence lw; y = 1; }
thread q { let a = y; let b = x ^ a ^ a; fence; let c = x; }
)");
  take(passing, "0: x = 1 (po 1)");
  take(passing, "0: y = 1 (po 2)");
  take(passing, "1: read y = 1 (po 1, rf p line 4)");
  take(passing, "1: read x = 0 (po 2, rf initial)");
  CHECK(has(reasons(passing), "x (rf initial): forbidden: observation"));
}

TEST_CASE("under POWER locks, choices and condition variables are commits like any other") {
  auto machine = start(R"(
shared x: int;
mutex m;
thread p { lock m; x += 1; unlock m; }
thread q { let a = choose(0..100); lock m; x += a; unlock m; }
)");
  const auto& list = machine.transitions();
  const auto choice = std::find_if(list.begin(), list.end(), [](const auto& transition) {
    return transition.kind == TransitionKind::choice && transition.effect.read == 5;
  });
  REQUIRE(choice != list.end());
  CHECK(choice->high == 100);
  CHECK(machine.step(static_cast<std::size_t>(choice - list.begin()), 99));
  CHECK(machine.evaluate("q.a")->number == 99);
  take(machine, "1: lock m (po 2, rf initial)");
  REQUIRE(machine.state().locks.size() == 1);
  CHECK(machine.state().locks[0].holder == "q");
  bool waits = false;
  for (const auto& reason : reasons(machine))
    waits = waits || reason.find("which q holds") != std::string::npos;
  CHECK(waits);
  const auto run = machine.run("q");
  CHECK(run->reached);
  CHECK(machine.run("p")->reached);
  CHECK(machine.status().end == MachineEnd::complete);
  CHECK(machine.state().memory[0].value == 100);
}

// All final states reachable by the machine's transitions.
void walk(Machine& machine, std::set<Texts>& states) {
  if (machine.transitions().empty()) {
    if (machine.status().end != MachineEnd::complete) return;
    Texts values;
    const auto state = machine.state();
    for (const auto& value : state.memory) values.push_back(value.text());
    for (const auto& thread : state.threads) {
      for (const auto& local : thread.locals) values.push_back(local.text());
    }
    states.insert(values);
    return;
  }
  for (std::size_t i = 0; i < machine.transitions().size(); ++i) {
    REQUIRE(machine.step(i));
    walk(machine, states);
    machine.back(1);
  }
}

TEST_CASE("under POWER the walks of the machine end where the checks end") {
  for (const std::string text :
       {message_passing,
        "shared x: int; shared y: int; thread p { let a = x; y = a + 1; }"
        "thread q { let b = y; x = 1; }",
        "shared x: int; thread p { x = 1; x = 2; } thread q { let a = fetch_add(x, 5); let b = x; }",
        "shared x: int; shared y: int; thread p { x = 1; fence lw; y = 1; }"
        "thread q { await y == 1; fence isync; let a = x; }",
        "shared x: int; mutex m; thread p { lock m; x = 1; unlock m; let a = x; }"
        "thread q { lock m; x = 2; unlock m; let c = choose(0..2); }"}) {
    CAPTURE(text);
    const auto program = compile(text);
    const auto result = check(program, {.model = "power", .keep_going = true, .collect_outcomes = true});
    REQUIRE(result);
    std::set<Texts> expected;
    for (const auto& outcome : result->outcomes) {
      Texts values;
      for (const auto& value : outcome.values) values.push_back(value.text());
      expected.insert(values);
    }
    auto machine = Machine::start(program, {.model = "power"});
    REQUIRE(machine);
    std::set<Texts> found;
    walk(*machine, found);
    CHECK(found == expected);
  }
}

constexpr const char* buffering = R"(
shared x: int;
shared y: int;
shared z: int;
thread r { for i in 0..3 { z = i; } }
thread p { x = 1; let a = y; if a == 0 { y = 2; } }
thread q { y = 1; let b = x; assert b == 1 || y != 2; }
)";

// Whether some walk of at most `steps` steps reaches a violation.
bool violation_within(Machine& machine, std::size_t steps) {
  if (machine.status().end == MachineEnd::violation) return true;
  if (steps == 0) return false;
  for (std::size_t i = 0; i < machine.transitions().size(); ++i) {
    REQUIRE(machine.step(i));
    const bool found = violation_within(machine, steps - 1);
    machine.back(1);
    if (found) return true;
  }
  return false;
}

TEST_CASE("under POWER no walk of the machine is shorter than the shortest trace") {
  const auto program = compile(buffering);
  const heddle::CheckOptions options{.model = "power"};
  const auto result = check(program, options);
  REQUIRE(result);
  REQUIRE(result->violation);
  const auto shortest = minimise(program, options, *result->violation);
  REQUIRE(shortest);
  REQUIRE(shortest->shortest);
  CHECK(shortest->violation.message == result->violation->message);
  CHECK(shortest->transitions + 1 == shortest->violation.trace.steps.size());
  for (const auto& step : shortest->violation.trace.steps) CHECK(step.location != "z");
  auto machine = Machine::start(program, {.model = "power"});
  REQUIRE(machine);
  CHECK(machine->load(shortest->violation.trace));
  CHECK(machine->forward(100) == shortest->transitions);
  CHECK(machine->status().message == result->violation->message);
  machine->back(100);
  CHECK_FALSE(violation_within(*machine, shortest->transitions - 1));
}

TEST_CASE("the graph of a trace under POWER has dependencies and fences") {
  const auto program = compile(R"(
shared x: int;
shared y: int;
shared z: int[2];
thread p { x = 1; fence; y = 1; fence lw; z[0] = 1; fence st; z[1] = 1; }
thread q {
  let a = y;
  z[a] = a;
  if a == 1 { fence isync; let b = x; }
  x = a + 1;
}
forbid q.a == 1;
)");
  const auto result = check(program, {.model = "power"});
  REQUIRE(result);
  REQUIRE(result->violation);
  const auto found = edges(graph_of(result->violation->trace));
  for (const char* edge :
       {"sync p.x p.y", "lwsync p.y p.z[0]", "eieio p.z[0] p.z[1]", "rf p.y q.y", "addr q.y q.z[1]",
        "data q.y q.z[1]", "ctrl+isync q.y q.x", "data q.y q.x", "po p.x p.y"}) {
    CHECK_MESSAGE(found.count(edge) > 0, edge);
  }
  // Every write but the oldest of each location comes after another one.
  const auto graph = graph_of(result->violation->trace);
  for (const auto& edge : graph.edges) {
    if (edge.relation != GraphRelation::coherence) continue;
    CHECK(graph.events[edge.from].location == graph.events[edge.to].location);
    CHECK(graph.events[edge.from].writes);
    CHECK(graph.events[edge.to].writes);
  }
}

}  // namespace
