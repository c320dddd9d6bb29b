// Treating loops that only wait as `await` changes no outcome.
#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "generate.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

struct Found {
  std::uint32_t spin_loops = 0;
  std::set<std::vector<std::int64_t>> outcomes;
};

// Nothing if there are too many executions.
std::optional<Found> find(const std::string& text, std::string_view model, bool unroll) {
  CompileOptions settings;
  settings.unroll = spin_rounds;
  settings.unroll_spin_loops = unroll;
  const auto program = Program::from_source(text, "spin.hed", settings);
  REQUIRE(program);
  CheckOptions options;
  options.model = model;
  options.keep_going = true;
  options.collect_outcomes = true;
  options.progress = [](const Progress& progress) { return progress.transitions < 200'000; };
  const auto result = check(*program, options);
  REQUIRE(result);
  if (result->verdict == Verdict::undecided) return std::nullopt;
  Found found;
  found.spin_loops = program->spin_loops();
  found.outcomes = final_states(*result);
  return found;
}

}  // namespace

// A round whose condition is false does nothing, so every end can also be reached without such rounds.
TEST_SUITE_BEGIN("waiting");

TEST_CASE("a loop that only waits has the same outcomes as an await") {
  std::size_t compared = 0;
  const std::size_t wanted = tests::sized(20, 60);
  for (std::uint64_t number = 0; compared < wanted; ++number) {
    REQUIRE(number < 20'000);
    const auto [profile, program] = generate(default_seed(), number);
    if (profile->name != "spin loops") continue;
    const std::string text = print(program);
    for (const auto& model : models()) {
      const auto waiting = find(text, model.name, false);
      if (!waiting || waiting->spin_loops == 0) break;
      const auto going_round = find(text, model.name, true);
      if (!going_round) break;
      INFO(model.name << ", program " << number << ":\n" << text);
      CHECK(going_round->spin_loops == 0);
      CHECK(going_round->outcomes == waiting->outcomes);
      if (model.name == models().back().name) ++compared;
    }
  }
}

TEST_CASE("a thread waits where it tries an update until that succeeds, so no run is blocked") {
  // Executions: one for each order of three threads. Under POWER, a `c` that no mutex protects may be read early, in the same order once,
  // twice and three times as many ways.
  struct Loop {
    const char* text;
    std::uint64_t under_power;
  };
  constexpr Loop loops[] = {
      {"while !trylock m { } c += 1; unlock m;", 6},
      {"while !cas(l, 0, 1) { } c += 1; fence; l = 0;", 36},
      {"while exchange(l, 1) != 0 { } c += 1; fence; l = 0;", 36},
      {"while fetch_add(l, 1) > 0 { fetch_sub(l, 1); } c += 1; fence; fetch_sub(l, 1);", 36},
      {"while true { let seen = l; if seen == 0 && cas(l, seen, seen + 1) { break; } } c += 1; fence; "
       "fetch_sub(l, 1);",
       36},
      {"var done = false; while !done { let seen = l; done = seen == 0 && cas(l, seen, seen + 1); } c += 1; "
       "fence; fetch_sub(l, 1);",
       36},
  };
  for (const auto& [loop, under_power] : loops) {
    const auto program = Program::from_source(
        std::string("shared l: int;\nshared c: int;\nmutex m;\nthread w[i: 0..3] { ") + loop + " }\n",
        "update.hed");
    REQUIRE(program);
    for (const auto& model : models()) {
      for (const std::string algorithm : {"trust", "rsmc", "dpor", "source"}) {
        CAPTURE(loop);
        CAPTURE(model.name);
        CAPTURE(algorithm);
        CheckOptions options{.model = std::string(model.name), .algorithm = algorithm};
        options.symmetry = false;
        const auto result = check(*program, options);
        REQUIRE(result);
        CHECK(result->verdict == Verdict::safe);
        CHECK(result->counts.executions == (model.out_of_order ? under_power : 6));
        CHECK(result->counts.blocked_await + result->counts.blocked_idle + result->counts.blocked_race == 0);
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace heddle::differential
