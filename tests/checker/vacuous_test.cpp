// Verdicts of checks that a bound cut short, or without a complete execution, and the places responsible.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "heddle/heddle.h"

namespace {

using heddle::BlockedAt;
using heddle::BlockedBy;
using heddle::CheckResult;
using heddle::Verdict;

CheckResult check(const std::string& text, heddle::CheckOptions options = {}, std::uint32_t unroll = 16) {
  const auto program = heddle::Program::from_source(text, "test.hed", {.parameters = {}, .unroll = unroll});
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  auto result = heddle::check(*program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

void under_every_pair(const std::function<void(const heddle::CheckOptions&)>& test) {
  for (const auto& model : heddle::models()) {
    for (const auto& algorithm : heddle::algorithms()) {
      if (algorithm.runs_endless || !heddle::why_not(model.name, algorithm.name).empty()) continue;
      CAPTURE(model.name);
      CAPTURE(algorithm.name);
      test({.model = std::string(model.name), .algorithm = std::string(algorithm.name)});
    }
  }
}

std::uint64_t sum(const CheckResult& result, BlockedBy by) {
  std::uint64_t count = 0;
  for (const BlockedAt& place : result.blocked) count += place.by == by ? place.executions : 0;
  return count;
}

const std::string never_holds =
    "shared x: int;\n"
    "thread p { x = 1; assume x == 5; assert false; }\n"
    "thread q { x = 2; }\n"
    "exists x == 7;\n";

const std::string server =
    "shared x: int;\n"
    "thread server {\n"
    "  while true { x += 1; }\n"
    "}\n";

}  // namespace

TEST_CASE("a check in which an assume blocks every execution is vacuous, and its place is reported") {
  under_every_pair([](const heddle::CheckOptions& options) {
    const CheckResult result = check(never_holds, options);
    CHECK(result.verdict == Verdict::vacuous);
    CHECK(heddle::exit_code(result.verdict) == 3);
    CHECK(result.counts.executions == 0);
    REQUIRE(result.blocked.size() == 1);
    const BlockedAt& place = result.blocked.front();
    CHECK(place.by == BlockedBy::assume);
    CHECK(place.thread == "p");
    CHECK(place.file == "test.hed");
    CHECK(place.line == 2);
    CHECK(place.column == 19);
    CHECK(place.source == "assume x == 5");
    CHECK(place.executions == result.counts.blocked_assume);
  });
}

TEST_CASE("a server loop that the bound cuts in every execution makes a check vacuous") {
  under_every_pair([](const heddle::CheckOptions& options) {
    const CheckResult result = check(server, options, 1);
    CHECK(result.verdict == Verdict::vacuous);
    REQUIRE(result.blocked.size() == 1);
    CHECK(result.blocked.front().by == BlockedBy::loop_bound);
    CHECK(result.blocked.front().line == 3);
    CHECK(result.blocked.front().source == "while true");
    REQUIRE(result.bounds.size() == 1);
    CHECK(result.bounds.front() == "the loop bound 1 cut off 1 execution; --unroll 2 raises it");
  });
}

TEST_CASE("a violation and a limit come before vacuous, and vacuous before a bound") {
  under_every_pair([](const heddle::CheckOptions& options) {
    CHECK(check(never_holds + "thread r { assert false; }\n", options).verdict == Verdict::violation);
    heddle::CheckOptions stopped = options;
    stopped.progress = [](const heddle::Progress&) { return false; };
    CHECK(check(never_holds, stopped).verdict == Verdict::undecided);
    CHECK(check(never_holds + "thread r { while true { x = 3; } }\n", options, 2).verdict ==
          Verdict::vacuous);
  });
}

TEST_CASE("a check with one complete execution among blocked ones is not vacuous") {
  under_every_pair([](const heddle::CheckOptions& options) {
    const CheckResult assumed =
        check("shared x: int; thread p { let a = x; assume a == 1; } thread q { x = 1; }", options);
    CHECK(assumed.verdict == Verdict::safe);
    CHECK(assumed.counts.executions > 0);
    const CheckResult cut =
        check("shared x: int;\nthread p { while x == 0 { x = 0; } }\nthread q { x = 1; }", options, 2);
    CHECK(cut.verdict == Verdict::safe_within_bounds);
    CHECK(cut.counts.executions > 0);
    CHECK(std::all_of(cut.blocked.begin(), cut.blocked.end(), [](const BlockedAt& place) {
      return place.by == BlockedBy::loop_bound && place.thread == "p" && place.line == 2 &&
             place.source == "while x == 0";
    }));
  });
}

TEST_CASE("the places of blocked executions add up to the counts") {
  const std::string text =
      "shared x: int; shared y: int; shared z: int;\n"
      "thread p { let a = x; assume a != 1; await z == 1; }\n"
      "thread q { x = choose(0..2); z = 1; }\n"
      "thread r { while z == 0 { y = 2; } }\n";
  under_every_pair([&](const heddle::CheckOptions& options) {
    const CheckResult result = check(text, options, 1);
    CHECK(sum(result, BlockedBy::assume) == result.counts.blocked_assume);
    CHECK(sum(result, BlockedBy::await) == result.counts.blocked_await);
    CHECK(sum(result, BlockedBy::loop_bound) == result.counts.blocked_loop_bound);
    CHECK(result.counts.blocked_assume > 0);
    CHECK(result.counts.blocked_loop_bound > 0);
    CHECK(std::is_sorted(result.blocked.begin(), result.blocked.end(),
                         [](const BlockedAt& a, const BlockedAt& b) { return a.executions > b.executions; }));
  });
}

TEST_CASE("a final block that a bound cuts short judges nothing") {
  const std::string text =
      "shared x: int;\n"
      "thread p { x = choose(1..4); }\n"
      "final { while x > 1 { x -= 1; } assert x == 7; }\n";
  under_every_pair([&](const heddle::CheckOptions& options) {
    const CheckResult result = check(text, options, 1);
    CHECK(result.verdict == Verdict::violation);
    const std::string harmless =
        "shared x: int;\nthread p { x = choose(1..4); }\nfinal { while x > 1 { x -= 1; } }\nexists x == 2;\n";
    const CheckResult cut = check(harmless, options, 1);
    CHECK(cut.verdict == Verdict::safe_within_bounds);
    CHECK(cut.counts.executions == 2);  // x = 1 and x = 2; 3 takes more rounds
    CHECK(cut.counts.blocked_loop_bound == 1);
    REQUIRE(cut.blocked.size() == 1);
    CHECK(cut.blocked.front().thread == "final");
    CHECK(cut.blocked.front().line == 3);
    REQUIRE(cut.conditions.size() == 1);
    CHECK(cut.conditions.front().total == 2);
    CHECK(cut.conditions.front().satisfied == 0);  // not the half of a final state
  });
}

TEST_CASE("a `for` beyond the limit of rounds says that no option raises it") {
  const CheckResult result =
      check("shared n: int = 2000000;\nthread p { let most = n; var s = 0; for i in 0..most { s = i; } }\n");
  CHECK(result.verdict == Verdict::vacuous);
  REQUIRE(result.blocked.size() == 1);
  CHECK(result.blocked.front().by == BlockedBy::round_limit);
  CHECK(result.blocked.front().source == "for i in 0..most");
  CHECK(result.bounds.front() == "the limit of rounds cut off 1 execution; no option raises it");
}

TEST_CASE("a loop that does nothing but pass fences is cut, as one that does nothing is") {
  for (const char* const body : {"", "fence;", "fence lw;"}) {
    CAPTURE(body);
    const auto program = heddle::Program::from_source(
        std::string("shared x: int; thread p { while true { ") + body + " } } thread q { x = 1; }",
        "test.hed");
    REQUIRE(program);
    for (const char* const model : {"sc", "tso", "pso"}) {
      const auto result = heddle::check(*program, {.model = model, .algorithm = "states"});
      REQUIRE(result);
      CHECK(result->verdict == heddle::Verdict::vacuous);
      CHECK(result->counts.blocked_loop_bound == 1);
    }
  }
}

TEST_CASE("an expect line is met by what its word says and by nothing weaker") {
  using heddle::ExpectedOutcome;
  const auto met = [](ExpectedOutcome outcome, const CheckResult& result, std::uint64_t count = 0) {
    heddle::Expectation expectation;
    expectation.outcome = outcome;
    expectation.count = count;
    return heddle::mismatch(expectation, result);
  };
  heddle::CheckOptions all{.collect_outcomes = true};
  const CheckResult vacuous = check(never_holds, all);
  for (const auto outcome : {ExpectedOutcome::safe, ExpectedOutcome::safe_within_bounds,
                             ExpectedOutcome::never, ExpectedOutcome::always, ExpectedOutcome::sometimes}) {
    CHECK(met(outcome, vacuous) == "expected " + std::string(heddle::name(outcome)) +
                                       ", found vacuous (test.hed:2:19: assume x == 5)");
  }
  CHECK(met(ExpectedOutcome::vacuous, vacuous).empty());
  CHECK(met(ExpectedOutcome::executions, vacuous, 0).empty());
  CHECK(met(ExpectedOutcome::outcomes, vacuous, 0).empty());

  const CheckResult cut =
      check("shared x: int;\nthread p { while x == 0 { x = 0; } }\nthread q { x = 1; }", {}, 2);
  CHECK(met(ExpectedOutcome::safe, cut).starts_with("expected safe, found safe within bounds (the loop "));
  CHECK(met(ExpectedOutcome::safe_within_bounds, cut).empty());
  CHECK(met(ExpectedOutcome::vacuous, cut).starts_with("expected vacuous, found safe within bounds"));

  const CheckResult whole = check("shared x: int; thread p { x = 1; }");
  CHECK(met(ExpectedOutcome::safe, whole).empty());
  CHECK(met(ExpectedOutcome::safe_within_bounds, whole).empty());

  // Every execution deadlocks: a violation, but no final state for `never` either.
  const CheckResult stuck =
      check("shared x: int; thread p { await x == 1; } exists x == 1;", {.keep_going = true});
  CHECK(met(ExpectedOutcome::never, stuck) == "expected never, found no final state");
}
