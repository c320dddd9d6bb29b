// `states` by several threads against `states` by one.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "campaign.hpp"
#include "generate.hpp"
#include "random_program.hpp"
#include "tests/environment.hpp"

namespace heddle::differential {

namespace {

// All that does not depend on how the threads take turns.
std::string describe(const CheckResult& result) {
  const Counts& counts = result.counts;
  std::string text;
  for (const std::uint64_t count :
       {counts.states, counts.transitions, counts.revisits, counts.executions, counts.runs,
        counts.blocked_assume, counts.blocked_await, counts.blocked_loop_bound, counts.buffer_bound_flushes})
    text += std::to_string(count) + " ";
  text += name(result.verdict);
  for (const auto& violation : result.violations)
    text += "; " + violation.message + " after " + std::to_string(violation.trace.steps.size());
  for (const auto& outcome : result.outcomes) {
    text += "; " + std::to_string(outcome.executions) + " with";
    for (const auto& value : outcome.values) text += " " + std::to_string(value.value);
  }
  for (const auto& condition : result.conditions) text += "; " + std::to_string(condition.satisfied);
  return text;
}

std::string states(const Program& program, const CheckOptions& options) {
  const auto result = check(program, options);
  REQUIRE_MESSAGE(result, to_text(result.error()));
  REQUIRE(result->stopped_by.empty());
  CHECK(result->threads <= options.threads);
  return describe(*result);
}

// `buffer_bound`: under the models that have buffers.
void compare(const std::string& text, std::uint32_t buffer_bound, int rounds) {
  const auto program = Program::from_source(text, "crew.hed");
  REQUIRE_MESSAGE(program, text);
  for (const char* model : {"sc", "tso", "pso"}) {
    CheckOptions options{.model = model, .algorithm = "states", .keep_going = true, .collect_outcomes = true};
    if (std::string_view(model) != "sc") options.buffer_bound = buffer_bound;
    const std::string alone = states(*program, options);
    for (int round = 0; round < rounds; ++round) {
      options.threads = 2 + static_cast<std::uint32_t>(round % 3);
      INFO(options.threads << " threads under " << model << ":\n" << text);
      CHECK(states(*program, options) == alone);
    }
  }
}

}  // namespace

TEST_CASE("several threads find the states that one finds, each once") {
  const std::size_t programs = tests::sized(60, 400);
  for (std::uint64_t number = 0; number < programs; ++number)
    compare(print(generate(default_seed() + 7, number).program), 2, 2);
}

TEST_CASE("several threads share long paths, choices and alternatives") {
  // Paths of thousands of states.
  compare(
      "shared x: int; thread p { for i in 0..150 { fetch_add(x, 1); } }\n"
      "thread q { for i in 0..150 { fetch_add(x, 1); } }\n",
      1, 3);
  compare(
      "shared x: int; shared y: int; mutex m;\n"
      "thread p { for i in 0..12 { lock m; x = (y + 1) % 2; unlock m; let a = choose(0..2); y = a; } }\n"
      "daemon thread q { while true {\n"
      "  either { await x == 1; y = 1; } or { await x > 0; lock m; y = 0; unlock m; }\n"
      "  or { atomic { await y == 1; x = 0; } } } }\n"
      "thread r { while choose(0..3) != 0 { x = 1; } }\n"
      "final { assert x != 1 || y != 0; }\n",
      1, 3);
  // Thread q begins with a load of a location that only q writes, and fills its buffer before the first transition.
  compare(
      "shared x: int = 1; shared y: int; thread p { y = x; let a = x; }\n"
      "thread q { let a = x; y = 1; x = 1; let b = x; y = b; }\n",
      2, tests::sized(50, 500));
  // Equal threads, and a violation late in the search.
  compare(
      "shared x: int; mutex m;\n"
      "thread p[i: 0..4] { lock m; x = x + 1; unlock m; fetch_add(x, 2); }\n"
      "thread q { await x == 12; assert false; }\n",
      2, 3);
}

TEST_CASE("with several threads limits hold, and a run without end is known where there is no other") {
  const auto program = Program::from_source(
      "param K = 4; shared x: int; thread p { while true { x = (x + 1) % K; } } thread q { while true { x = "
      "0; } }",
      "crew.hed");
  REQUIRE(program);
  CheckOptions options{.algorithm = "states", .threads = 3};
  auto result = check(*program, options);
  REQUIRE(result);
  CHECK(result->verdict == Verdict::safe);
  CHECK(result->endless);
  const auto large = Program::from_source(
      "thread p[i: 0..5] { for j in 0..40 { a[i] = j; } } shared a: int[5]; "
      "thread q { for i in 0..5 { let seen = a[i]; } }",
      "crew.hed");
  REQUIRE(large);
  options.timeout = 0.2;
  result = check(*large, options);
  REQUIRE(result);
  CHECK(result->stopped_by == "timeout");
  CHECK(!result->grows.empty());
  CHECK(result->threads == 3);
  options.timeout.reset();
  options.max_memory = 16 << 20;
  result = check(*large, options);
  REQUIRE(result);
  CHECK(result->stopped_by == "memory limit");
  options.max_memory.reset();
  options.progress = [](const Progress& progress) { return progress.states < 10'000; };
  result = check(*large, options);
  REQUIRE(result);
  CHECK(result->stopped_by == "interrupted");
}

}  // namespace heddle::differential
