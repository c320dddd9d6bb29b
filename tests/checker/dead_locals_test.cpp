// Locals that a thread does not read again, in which `states` sees no difference (compiler/dead_slots.hpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "heddle/heddle.h"

namespace heddle {

namespace {

CheckResult run(const std::string& text, CheckOptions options = {}) {
  const auto program = Program::from_source(text, "dead.hed");
  REQUIRE_MESSAGE(program, text);
  options.algorithm = "states";
  auto result = check(*program, options);
  REQUIRE(result);
  REQUIRE(result->stopped_by.empty());
  return *std::move(result);
}

std::uint64_t states(const std::string& text) { return run(text).counts.states; }

// Of a thread that ends or waits, or does so in the middle of a violation's trace.
std::int64_t local(const Trace& trace, const std::string& thread, const std::string& name) {
  for (const ThreadEnd& end : trace.ends) {
    if (end.thread != thread) continue;
    for (const NamedValue& value : end.locals) {
      if (value.name == name) return value.value;
    }
  }
  FAIL("no such local");
  return 0;
}

// r reads y, because operations on what only one thread uses are no steps.
const char* const toggle =
    "shared x: int; shared y: int;\nthread q { while true { x = 1; x = 0; } }\nthread r { while true { let "
    "seen = y; } }\n";

}  // namespace

TEST_SUITE_BEGIN("dead_locals");

TEST_CASE("a local counts from its assignment to the last place where it is read") {
  const auto of = [](const std::string& rounds) {
    return states(std::string(toggle) + "thread p { var a = 0; while true { " + rounds + " } }");
  };
  // q has 2 places, which decide what x is, and y has 2 values. p has 1 state before it loads and 2 before it stores.
  CHECK(of("a = x; y = a;") == 2 * 2 * (1 + 2));
  CHECK(of("y = a; a = x;") == 2 * 2 * (1 + 2));
  // Where p loads, a is what it was and y, too; where y = 1 comes next, a may be another value.
  CHECK(of("a = a ^ x; y = 1; y = a;") == 2 * (2 + 2 * 2 + 2));
  // Before the load of x, which that of y follows at once; in the first branch, where y is 1; in the second one, where it is 0.
  CHECK(of("a = x; if y == 1 { y = a; } else { y = 1; }") == 2 * (2 + 2 + 1));
}

TEST_CASE("an element of an array counts until it is written at a place that is known") {
  const std::string head = std::string(toggle) + "thread p { var a: int[2]; var i = 0; while true { ";
  CHECK(states(head + "a[0] = x; y = a[0]; y = 0; i = 0; } }") == 2 * (1 + 2 + 2));
  CHECK(states(head + "a[i] = x; y = a[0]; y = 0; i = 0; } }") == 2 * (2 + 2 + 2));
  CHECK(states(head + "a[0] = x; y = a[i]; y = 0; i = 0; } }") == 2 * (1 + 2 + 2));
}

TEST_CASE("a constant index outside of a local array is a violation, whatever it is") {
  for (const std::int64_t index : {-1, 2, 5, 100'000'000}) {
    for (const char* const use : {"b[K] = 1;", "x = b[K];"}) {
      for (const char* const algorithm : {"states", "trust"}) {
        const auto program = Program::from_source(
            std::string("param K = 0; shared x: int; thread p { var b: int[2]; ") + use + " x = b[0]; }",
            "index.hed", {.parameters = {{"K", index}}});
        REQUIRE(program);
        const auto result = check(*program, {.algorithm = algorithm});
        REQUIRE(result);
        REQUIRE(result->violation);
        CHECK(result->violation->kind == ViolationKind::index_out_of_bounds);
      }
    }
  }
}

TEST_CASE("threads of many operations, which are compiled to switches, forget their locals, too") {
  constexpr int rounds = 60;  // more than compiler::Options::coroutine_operations in all
  std::string body;
  for (int i = 0; i < rounds; ++i) body += "a = x; y = a; ";
  CHECK(states(std::string(toggle) + "thread p { var a = 0; while true { " + body + "} }") ==
        rounds * 2 * 2 * (1 + 2));
}

TEST_CASE("what others read counts: invariants, claims, final conditions") {
  const std::string text = "shared x: int; thread p { var a = 0; a = 1; x = 1; x = 2; }\n";
  CHECK(run(text + "invariant !(p.a == 1 && x == 1);").verdict == Verdict::violation);
  CHECK(run(text + "forbid p.a == 1;").verdict == Verdict::violation);
  CHECK(run(text + "forall p.a == 1;").verdict == Verdict::safe);
  CHECK(run(text + "x == 1 leads to p.a == 0;").verdict == Verdict::violation);
  CHECK(run(text + "x == 1 leads to p.a == 1;").verdict == Verdict::safe);
}

TEST_CASE("outcomes and traces show the values that locals have had") {
  const std::string text = "shared x: int; thread p { let a = 7; x = a; x = 0; }\n";
  const CheckResult all = run(text, {.collect_outcomes = true});
  REQUIRE(all.outcomes.size() == 1);
  CHECK(
      std::ranges::any_of(all.outcomes[0].values, [](const NamedValue& value) { return value.value == 7; }));
  const CheckResult failed = run(text + "thread q { if x == 7 { await x == 0; assert false; } }");
  REQUIRE(failed.violation);
  CHECK(local(failed.violation->trace, "p", "a") == 7);
  const CheckResult found = run(text + "exists x == 0;", {.witnesses = true});
  REQUIRE(found.witnesses.size() == 1);
  CHECK(local(found.witnesses[0].trace, "p", "a") == 7);
}

TEST_SUITE_END();

}  // namespace heddle
