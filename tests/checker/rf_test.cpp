// rf on programs whose classes can be counted by hand.
#include <doctest/doctest.h>

#include <string>

#include "heddle/heddle.h"

namespace {

heddle::CheckResult run(const char* source, const char* model, bool outcomes = false) {
  const auto program = heddle::Program::from_source(source, "test.hed");
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = "rf";
  options.keep_going = true;
  options.collect_outcomes = outcomes;
  const auto result = heddle::check(*program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

constexpr const char* models[] = {"sc", "tso", "pso"};

}  // namespace

TEST_CASE("paper 4 figure 8 has four classes under TSO and PSO") {
  const auto* const program = R"(
    shared x: int; shared y: int;
    thread p { x = 1; let a = y; }
    thread q { y = 1; let b = x; }
  )";
  CHECK_EQ(run(program, "sc").counts.executions, 3);
  CHECK_EQ(run(program, "tso").counts.executions, 4);
  CHECK_EQ(run(program, "pso").counts.executions, 4);
}

TEST_CASE("writes that are never read are one class, and all its final states are found") {
  const auto* const program = R"(
    shared x: int;
    thread p[i: 1..4] { x = i; }
    exists x == 2;
    forall x != 3;
  )";
  for (const auto* model : models) {
    const auto result = run(program, model, true);
    CHECK_EQ(result.counts.executions, 1);
    CHECK_EQ(result.outcomes.size(), 3);
    REQUIRE_EQ(result.conditions.size(), 2);
    CHECK_EQ(result.conditions[0].satisfied, 1);
    CHECK_EQ(result.conditions[1].satisfied, 2);
    CHECK_EQ(result.conditions[1].total, 3);
    REQUIRE(result.violation);
    CHECK_EQ(result.violation->kind, heddle::ViolationKind::forall);
  }
}

TEST_CASE("a final block reads like a last thread") {
  const auto* const program = R"(
    shared x: int; shared y: int;
    thread p { x = 1; y = 1; }
    thread q { x = 2; y = 2; }
    final { if x == 1 { assert y != 2, "crossed"; } }
  )";
  // x from q; x from p with y from p or q. The models do not differ here.
  for (const auto* model : {"sc", "tso", "pso", "power"}) {
    const auto result = run(program, model);
    CHECK_EQ(result.counts.executions, 3);
    REQUIRE(result.violation);
    CHECK_NE(result.violation->message.find("crossed"), std::string::npos);
  }
}

TEST_CASE("an await that fails in only some final memories is a deadlock") {
  const auto* const program = R"(
    shared x: int;
    thread p { x = 1; }
    thread q { x = 2; }
    thread r { await x == 1; }
  )";
  for (const auto* model : models) {
    const auto result = run(program, model);
    REQUIRE(result.violation);
    CHECK_EQ(result.violation->kind, heddle::ViolationKind::deadlock);
    CHECK_EQ(result.counts.executions, 1);
  }
}

TEST_CASE("locks taken in opposite orders deadlock") {
  const auto* const program = R"(
    mutex a; mutex b;
    thread p { lock a; lock b; unlock b; unlock a; }
    thread q { lock b; lock a; unlock a; unlock b; }
  )";
  for (const auto* model : models) {
    const auto result = run(program, model);
    CHECK_EQ(result.counts.executions, 2);
    REQUIRE(result.violation);
    CHECK_EQ(result.violation->kind, heddle::ViolationKind::deadlock);
  }
}

TEST_CASE("a mutex that is never unlocked keeps all but one thread waiting") {
  const auto result = run("mutex m; shared x: int; thread p[i: 0..3] { lock m; x = i; }", "sc");
  CHECK_EQ(result.counts.executions, 0);
  CHECK_EQ(result.counts.runs, 3);
  REQUIRE(result.violation);
  CHECK_EQ(result.violation->kind, heddle::ViolationKind::deadlock);
}

TEST_CASE("every value of a choice is a separate class") {
  const auto* const program = R"(
    shared x: int;
    thread p { let a = choose(0..3); x = a; let b = choose(a..3); }
    thread q { let r = x; }
  )";
  // Pairs a <= b < 3: six, each with the read before or after the write.
  for (const auto* model : models) CHECK_EQ(run(program, model).counts.executions, 12);
}

TEST_CASE("no class is one in which a thread has not seen what overwrites what stops it") {
  // The waiters pass at the one write. Where they look before it, they wait on.
  const auto* const once = R"(
    shared x: int; shared y: int;
    thread p { x = 1; }
    thread q { y = 1; await x == 1; y = 2; }
    thread r[i: 0..2] { await x == 1; let a = y; }
  )";
  // What stops a waiter is the last write of some runs, of others not: `await` may wait for ever.
  const auto* const either_way = R"(
    shared x: int;
    thread p { x = 1; }
    thread q { x = 2; }
    thread r { await x == 1; }
  )";
  for (const auto* model : models) {
    CAPTURE(model);
    const auto passing = run(once, model);
    CHECK_EQ(passing.counts.executions, 9);  // each `a` is 0, 1 or 2
    CHECK_EQ(passing.counts.blocked_await, 0);
    CHECK_FALSE(passing.violation);
    const auto waiting = run(either_way, model);
    CHECK_EQ(waiting.counts.executions, 1);
    REQUIRE(waiting.violation);
    CHECK_EQ(waiting.violation->kind, heddle::ViolationKind::deadlock);
  }
}

TEST_CASE("a violation comes with a trace that shows it") {
  const auto program = heddle::Program::from_source(R"(
    shared x: int; shared y: int;
    thread p { x = 1; y = 1; }
    thread q { let a = y; let b = x; assert a == 0 || b == 1, "reordered"; }
  )",
                                                    "test.hed");
  REQUIRE(program);
  heddle::CheckOptions options;
  options.algorithm = "rf";
  options.model = "tso";
  CHECK_EQ(heddle::check(*program, options)->verdict, heddle::Verdict::safe);
  options.model = "pso";
  const auto result = heddle::check(*program, options);
  REQUIRE(result);
  REQUIRE(result->violation);
  CHECK_NE(result->violation->message.find("reordered"), std::string::npos);
  CHECK_FALSE(result->violation->trace.steps.empty());
}
