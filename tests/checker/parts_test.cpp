// One search by several threads, and searches that are saved and continued.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "heddle/checkpoint.h"
#include "heddle/heddle.h"

namespace {

using heddle::CheckOptions;
using heddle::CheckResult;
using heddle::Program;

Program load(const std::string& text) {
  auto program = Program::from_source(text, "test.hed");
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  return *program;
}

CheckResult explore(const Program& program, const CheckOptions& options) {
  const auto result = heddle::check(program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

void check_equal(const CheckResult& alone, const CheckResult& shared) {
  CHECK(shared.verdict == alone.verdict);
  CHECK(shared.finished == alone.finished);
  CHECK(shared.counts.executions == alone.counts.executions);
  CHECK(shared.counts.blocked_await == alone.counts.blocked_await);
  CHECK(shared.counts.blocked_assume == alone.counts.blocked_assume);
  CHECK(shared.counts.transitions == alone.counts.transitions);
  CHECK(shared.counts.runs == alone.counts.runs);
  CHECK(shared.counts.max_depth == alone.counts.max_depth);
  REQUIRE(shared.violations.size() == alone.violations.size());
  for (std::size_t i = 0; i < alone.violations.size(); ++i) {
    CHECK(shared.violations[i].message == alone.violations[i].message);
    CHECK(shared.violations[i].count == alone.violations[i].count);
    CHECK(shared.violations[i].trace.steps.size() == alone.violations[i].trace.steps.size());
  }
  REQUIRE(shared.outcomes.size() == alone.outcomes.size());
  for (std::size_t i = 0; i < alone.outcomes.size(); ++i) {
    CHECK(shared.outcomes[i].executions == alone.outcomes[i].executions);
    CHECK(shared.outcomes[i].values.front().value == alone.outcomes[i].values.front().value);
  }
  REQUIRE(shared.conditions.size() == alone.conditions.size());
  for (std::size_t i = 0; i < alone.conditions.size(); ++i)
    CHECK(shared.conditions[i].satisfied == alone.conditions[i].satisfied);
}

// Each thread reads and writes: N!^2 executions.
std::string lost_updates(int threads) {
  return "shared x: int; shared y: int; mutex m;\n"
         "thread w[i: 0.." +
         std::to_string(threads) +
         "] { let a = x; x = a + 1; lock m; y = y + i; unlock m; }\n"
         "exists x == 1;\nexists x == 2;\n";
}

// The only bad executions come late in serial order.
const std::string late_violation =
    "shared x: int; shared y: int;\n"
    "thread w[i: 0..6] { let a = x; x = a + 1; if a == 5 { y = 1; } }\n"
    "thread r { let a = y; let b = x; assert a == 0 || b < 6; }\n";

// Programs are large enough for the other threads to join: they do so after five milliseconds.
constexpr const char* models[] = {"sc", "tso", "pso", "power"};

}  // namespace

TEST_CASE("several threads report what one reports") {
  const Program program = load(lost_updates(4));
  for (const std::string model : models) {
    for (const std::string algorithm : {"trust", "naive"}) {
      if (!heddle::why_one_thread(model, algorithm).empty() || (algorithm == "naive" && model != "sc"))
        continue;
      CAPTURE(model);
      CAPTURE(algorithm);
      CheckOptions options{.model = model, .algorithm = algorithm, .keep_going = true};
      options.collect_outcomes = options.witnesses = true;
      const CheckResult alone = explore(program, options);
      CHECK(alone.threads == 1);
      options.threads = 3;
      const CheckResult shared = explore(program, options);
      CHECK(shared.threads == 3);
      check_equal(alone, shared);
    }
  }
}

TEST_CASE("threads join whenever the caller has cores to spare") {
  const Program program = load(lost_updates(4));
  CheckOptions options{.algorithm = "trust", .keep_going = true};
  const CheckResult alone = explore(program, options);
  int calls = 0;
  options.threads_now = [&calls] { return ++calls < 3 ? 1U : 4U; };
  const CheckResult shared = explore(program, options);
  CHECK(calls >= 3);
  CHECK(shared.threads == 4);
  check_equal(alone, shared);
}

TEST_CASE("several threads report the violation that comes first in serial order") {
  const Program program = load(late_violation);
  for (const std::string model : models) {
    CAPTURE(model);
    CheckOptions options{.model = model, .algorithm = "trust"};
    const CheckResult alone = explore(program, options);
    REQUIRE(alone.violation);
    options.threads = 3;
    check_equal(alone, explore(program, options));
    options.any_violation = true;
    const CheckResult any = explore(program, options);
    REQUIRE(any.violation);
    CHECK(any.violation->message == alone.violation->message);
    CHECK(!any.finished);
  }
}

TEST_CASE("a search by several threads that is saved when it is stopped can be continued") {
  const Program program = load(lost_updates(5));
  CheckOptions options{.model = "tso", .algorithm = "trust", .keep_going = true, .collect_outcomes = true};
  const CheckResult whole = explore(program, options);
  std::string saved;
  int stops = 0;
  for (;;) {
    CheckOptions piece = options;
    piece.threads = 2;
    piece.resume = saved;
    saved.clear();
    piece.save = [&](const std::string& text) { saved = text; };
    piece.timeout = whole.seconds / 4 + 0.02;
    const CheckResult result = explore(program, piece);
    if (saved.empty()) {
      check_equal(whole, result);
      break;
    }
    CHECK(result.stopped_by == "timeout");
    CHECK(result.verdict == heddle::Verdict::undecided);
    const auto info = heddle::describe_checkpoint(saved);
    REQUIRE(info);
    CHECK(info->executions == result.counts.executions);
    CHECK(info->options.algorithm == "trust");
    ++stops;
  }
  CHECK(stops > 0);
}

TEST_CASE("every kind of violation is saved") {
  const Program program = load(
      "shared x: plain int; shared y: int; mutex m; mutex n;\n"
      "thread p { x = 1; lock m; lock n; y = 1; unlock n; unlock m; }\n"
      "thread q { let a = x; lock n; lock m; assert y == 0; unlock m; unlock n; assert a == 0; }\n"
      "forbid y == 1;\n");
  CheckOptions options{.model = "tso", .algorithm = "trust", .keep_going = true};
  const CheckResult whole = explore(program, options);
  CHECK(whole.violations.size() == 5);
  CheckResult result;
  for (std::uint64_t executions = 1;; ++executions) {
    CheckOptions piece = options;
    piece.max_executions = executions;
    std::string saved;
    piece.save = [&](const std::string& text) { saved = text; };
    result = explore(program, piece);
    if (saved.empty()) break;
    options.resume = saved;
  }
  check_equal(whole, result);
  CHECK(std::any_of(result.violations.begin(), result.violations.end(),
                    [](const auto& violation) { return violation.race.size() == 2; }));
}

TEST_CASE("a search is saved as often as requested, and each text continues it") {
  const Program program = load(lost_updates(5));
  CheckOptions options{.algorithm = "trust", .keep_going = true};
  const CheckResult whole = explore(program, options);
  std::string last;
  int saves = 0;
  options.threads = 2;
  options.save_period = whole.seconds / 10;
  options.save = [&](const std::string& text) {
    last = text;
    ++saves;
  };
  check_equal(whole, explore(program, options));
  CHECK(saves > 1);
  options.save = nullptr;
  options.resume = last;
  check_equal(whole, explore(program, options));
}

TEST_CASE("only texts that fit are continued") {
  const Program program = load(lost_updates(3));
  std::string saved;
  CheckOptions options{.algorithm = "trust", .max_executions = 2};
  options.save = [&](const std::string& text) { saved = text; };
  explore(program, options);
  REQUIRE(!saved.empty());
  const auto refused = [&](const Program& with, CheckOptions other, const std::string& reason) {
    const auto result = heddle::check(with, other);
    REQUIRE(!result);
    CHECK_MESSAGE(heddle::to_text(result.error()).find(reason) != std::string::npos,
                  heddle::to_text(result.error()));
  };
  CheckOptions again{.algorithm = "trust"};
  again.resume = saved;
  refused(load(lost_updates(2)), again, "another program");
  again.model = "tso";
  refused(program, again, "'model' was \"sc\"");
  again.model = "sc";
  again.keep_going = true;
  refused(program, again, "'keep_going' was false");
  again.keep_going = false;
  again.algorithm = "source";
  refused(program, again, "does not divide");
  again.algorithm = "trust";
  for (const std::size_t place : {std::size_t{5}, saved.size() / 2, saved.size() - 5}) {
    again.resume = saved;
    again.resume[place] = again.resume[place] == '1' ? '2' : '1';
    CAPTURE(place);
    CHECK(!heddle::check(program, again));
  }
  for (const std::size_t size : {std::size_t{1}, saved.size() / 2, saved.size() - 2}) {
    again.resume = saved.substr(0, size);
    CHECK(!heddle::check(program, again));
  }
}

TEST_CASE("pairs whose parts depend on each other explore with one thread, and say why") {
  const Program program = load(lost_updates(2));
  for (const std::string algorithm : {"dpor", "source", "sdpor", "rsmc", "rf"}) {
    CHECK(!heddle::why_one_thread("sc", algorithm).empty());
    CheckOptions options{.algorithm = algorithm, .threads = 2};
    const auto result = heddle::check(program, options);
    REQUIRE(!result);
    CHECK(heddle::to_text(result.error()).find("one thread") != std::string::npos);
    options.threads = 0;
    CHECK(explore(program, options).threads == 1);
  }
  CHECK(heddle::why_one_thread("sc", "states").empty());
  CHECK(!heddle::why_not_divided("sc", "states").empty());
  CHECK(!heddle::why_one_thread("power", "naive").empty());
  CHECK(heddle::why_one_thread("power", "trust").empty());
}
