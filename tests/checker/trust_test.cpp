// The graph engine on programs whose executions can be counted by hand.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "heddle/heddle.h"

namespace {

heddle::CheckResult explore(const std::string& text, heddle::CheckOptions options = {}) {
  const auto program = heddle::Program::from_source(text, "test.hed");
  REQUIRE(program);
  options.algorithm = "trust";
  options.keep_going = true;
  auto result = heddle::check(*program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

const std::string reads_and_writes =
    "shared x: int; shared y: int;\n"
    "thread p { let a = x; let b = y; }\n"
    "thread q { y = 1; y = 2; }\n";

}  // namespace

TEST_CASE(
    "with no preemption allowed, the executions of rr+ww are those that run one thread after the other") {
  const auto bounded = explore(reads_and_writes, {.preemption_bound = 0});
  CHECK(bounded.counts.executions == 2);
  CHECK(bounded.verdict == heddle::Verdict::safe_within_bounds);
  const auto free = explore(reads_and_writes, {.preemption_bound = 1});
  CHECK(free.counts.executions == 3);
  CHECK(free.verdict == heddle::Verdict::safe);
}

TEST_CASE("a violation beyond the preemption bound is reported only on request") {
  const std::string text = reads_and_writes + "forbid p.b == 1;\n";
  CHECK(!explore(text, {.preemption_bound = 0}).violation);
  CHECK(explore(text, {.preemption_bound = 1}).violation);
  // Three threads: a slack of one lets the search reach executions beyond the bound.
  const std::string three = text + "thread r { let c = x; }\n";
  const auto silent = explore(three, {.preemption_bound = 0});
  CHECK(!silent.violation);
  CHECK(silent.counts.beyond_bound > 0);
  CHECK(explore(three, {.preemption_bound = 0, .report_beyond_bound = true}).violation);
}

TEST_CASE("executions that outgrow the first sets are explored, too") {
  const auto result = explore(
      "shared x: int; shared y: int;\n"
      "thread p { for i in 0..70 { x = i; } let a = y; }\n"
      "thread q { y = 1; let b = x; }\n");
  // q reads one of 71 values of x; p reads y before or after the store. Under sc, y = 0 is possible only with
  // x = 69.
  CHECK(result.counts.executions == 72);
  CHECK(result.verdict == heddle::Verdict::safe);
}

TEST_CASE("no execution is blocked at a mutex that is free later") {
  const auto result = explore(
      "mutex m; shared x: int;\n"
      "thread w[i: 0..4] { lock m; x += 1; unlock m; }\n"
      "final { assert x == 4; }\n");
  CHECK(result.counts.executions == 24);
  CHECK(result.counts.representatives == 1);
  CHECK(result.counts.runs == 1);
  CHECK(result.verdict == heddle::Verdict::safe);
}

TEST_CASE("a deadlock of two mutexes is found with a trace") {
  const auto result = explore(
      "mutex a; mutex b;\n"
      "thread p { lock a; lock b; unlock b; unlock a; }\n"
      "thread q { lock b; lock a; unlock a; unlock b; }\n");
  CHECK(result.counts.executions == 2);
  REQUIRE(result.violation);
  CHECK(result.violation->kind == heddle::ViolationKind::deadlock);
  CHECK(result.violation->trace.steps.size() == 2);
}

TEST_CASE("a trace under tso shows when stores reach memory") {
  const auto result = explore(
      "shared x: int; shared y: int;\n"
      "thread p { x = 1; let a = y; }\n"
      "thread q { y = 1; let b = x; }\n"
      "forbid p.a == 0 && q.b == 0;\n",
      {.model = "tso"});
  CHECK(result.counts.executions == 4);
  REQUIRE(result.violation);
  int flushes = 0;
  for (const auto& step : result.violation->trace.steps) {
    if (step.kind == heddle::StepKind::flush) ++flushes;
  }
  CHECK(flushes == 2);
}

TEST_CASE("memory stays small however many executions there are") {
  const auto result = explore("shared x: int;\nthread w[i: 0..6] { let r = x; x = r + 1; }\n");
  CHECK(result.counts.executions == 518'400);
  CHECK(result.counts.peak_memory < 1'000'000);
}
