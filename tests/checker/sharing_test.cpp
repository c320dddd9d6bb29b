// Locations of one thread alone, of which `states` makes the operations as part of the transitions before (sharing.hpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

namespace {

CheckResult run(const std::string& text, const std::string& algorithm, const std::string& model,
                std::uint32_t threads = 1) {
  const auto program = Program::from_source(text, "sharing.hed");
  REQUIRE_MESSAGE(program, text);
  auto result = check(*program, {.model = model,
                                 .algorithm = algorithm,
                                 .keep_going = true,
                                 .collect_outcomes = true,
                                 .threads = threads});
  REQUIRE(result);
  REQUIRE(result->stopped_by.empty());
  return *std::move(result);
}

std::vector<std::vector<std::int64_t>> outcomes(const CheckResult& result) {
  std::vector<std::vector<std::int64_t>> all;
  for (const auto& outcome : result.outcomes) {
    auto& values = all.emplace_back();
    for (const auto& value : outcome.values) values.push_back(value.value);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("operations on locations of one thread are no states under sc") {
  // 1 and 3 steps on `own` for each thread; the states are those of the 2 stores to x.
  const auto result =
      run("shared own: int[2]; shared x: int; thread p[i: 0..2] { own[i] = 1; own[i] += 1; x = own[i] + i; }",
          "states", "sc");
  CHECK(result.counts.states == 5);
  CHECK(result.counts.executions == 2);
  // What no thread writes is every thread's own.
  CHECK(run("shared c: int = 3; shared x: int; thread p[i: 0..2] { let a = c; let b = c; x = i; }", "states",
            "sc")
            .counts.states == 5);
  // A condition that looks at one location of another thread is one step: here waiting is.
  const auto waits =
      run("shared sent: int; shared got: int; thread p { sent = 1; sent = 2; } "
          "thread q { await got != sent; got = 1; await sent != got; got = 2; }",
          "states", "sc");
  CHECK(waits.counts.states == 6);
  CHECK(waits.verdict == Verdict::safe);
}

TEST_CASE("what a search took for a thread's own and is not is found out") {
  const char* const programs[] = {
      // Only a late step of q uses y.
      "shared x: int; shared y: int; thread p { for i in 0..6 { y = i; x = i; } } "
      "thread q { await x == 5; let a = y; let b = y; }",
      // A thread that waits for what another one stores never gets to its load if that store comes unseen.
      "shared y: int; shared x: int; thread p { y = 1; y = 2; x = 1; } thread q { await y == 1; x = 2; }",
      // The same in a block, in a condition of two loads, in an alternative, and before an assumption.
      "shared y: int; shared x: int; thread p { y = 1; y = 2; x = 1; } "
      "daemon thread q { atomic { await y == 1 && x == 0; x = 2; } }",
      "shared y: int; shared x: int; thread p { y = 1; y = 2; x = 1; } daemon thread q { await x == 0 && y "
      "== 1; x = 2; }",
      "shared y: int; shared x: int; thread p { y = 1; y = 2; x = 1; } "
      "thread q { either { await y == 1; x = 2; } or { await x == 1; x = 3; } }",
      "shared y: int; shared x: int; thread p { y = 1; y = 2; x = 1; } thread q { assume y == 1; x = 2; }",
      // One of two equal threads.
      "shared y: int; shared x: int; thread p[i: 0..2] { let v = choose(0..2); if v == 1 { y = y + 1; } x = "
      "x + y; }",
      // A store of q to what p takes for its own comes after p has ended.
      "shared y: int; shared x: int; thread p { let a = y; let b = y; x = a + b; } "
      "thread q { if x == 0 { y = 1; } }",
      // Read-modify-writes, and a condition over the locations.
      "shared y: int; shared x: int; thread p { fetch_add(y, 1); let a = cas(y, 1, 2); x = 1; fetch_add(y, "
      "1); } "
      "thread q { if x == 1 { y = 7; } } exists y == 8;",
  };
  for (const char* const text : programs) {
    for (const char* const model : {"sc", "tso", "pso"}) {
      const auto expected = run(text, "naive", model);
      for (const std::uint32_t threads : {1U, 3U}) {
        INFO(model << ", " << threads << " threads: " << text);
        const auto result = run(text, "states", model, threads);
        CHECK(outcomes(result) == outcomes(expected));
        CHECK(result.verdict == expected.verdict);
        CHECK(result.violations.size() == expected.violations.size());
      }
    }
  }
}

TEST_CASE("invariants see the locations of one thread") {
  const auto shared =
      run("shared own: int; shared x: int; thread p { own = 1; own = 2; x = 1; } invariant own != 1;",
          "states", "sc");
  CHECK(shared.violations.size() == 1);
  const auto local =
      run("shared own: int; thread p { own = 1; var a = own; a = own + 1; own = a; } invariant p.a != 1;",
          "states", "sc");
  CHECK(local.violations.size() == 1);
  const auto failed = run("shared own: int; thread p { own = 1; assert own == 2; own = 3; }", "states", "sc");
  REQUIRE(failed.violations.size() == 1);
  CHECK(failed.violations[0].trace.steps.size() >= 2);  // it shows the operations themselves
}

TEST_CASE("a thread may use its own locations for ever") {
  const auto result =
      run("shared own: int; shared x: int; thread p { while true { own = (own + 1) % 5; } } "
          "thread q { x = 1; assert x == 2; }",
          "states", "sc");
  CHECK(result.violations.size() == 1);
}

TEST_CASE("a thread that awaits again and again what no thread writes is looked at once") {
  for (const char* const model : {"sc", "tso", "pso"}) {
    CAPTURE(model);
    const auto result = run("shared x: int; thread p { while true { await x == 0; } }", "states", model);
    CHECK(result.verdict == Verdict::safe);
    CHECK(result.counts.states == 1);
  }
}

}  // namespace heddle
