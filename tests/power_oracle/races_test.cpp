// Data races under POWER: every algorithm against the axioms, on random programs with plain variables.
#include <doctest/doctest.h>

#include "checker/api/state.hpp"
#include "differential/campaign.hpp"
#include "differential/generate.hpp"
#include "differential/plain_programs.hpp"
#include "tests/power_oracle/oracle.hpp"

namespace heddle::power_oracle {

namespace {

struct Totals {
  std::uint64_t racy = 0;
  std::uint64_t free = 0;
};
Totals totals;

differential::Finding finds_races(const Program& original, bool many) {
  CompileOptions compile;
  compile.unroll = differential::spin_rounds;
  const std::string text = differential::with_plain_variables(original, many);
  const auto program = Program::from_source(text, "random.hed", compile);
  REQUIRE(program);
  Judgement judgement;
  try {
    judgement = judge(state_of(*program).tree, {.unroll = differential::spin_rounds, .violations = false});
  } catch (const TooLarge&) {
    return {.skipped = true, .difference = {}};
  }
  ++(judgement.race ? totals.racy : totals.free);
  for (const auto& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    if (!why_not("power", name).empty()) continue;
    const auto result =
        check(*program, {.model = "power", .algorithm = name, .timeout = 5, .keep_going = true});
    REQUIRE(result);
    if (!result->stopped_by.empty()) return {.skipped = true, .difference = {}};
    bool race = false;
    for (const Violation& violation : result->violations) race |= violation.kind == ViolationKind::data_race;
    // The oracle sees complete executions only.
    const Counts& counts = result->counts;
    const bool all_complete = counts.blocked_assume + counts.blocked_await + counts.blocked_loop_bound == 0 &&
                              counts.blocked_race == 0 && result->violations.size() == (race ? 1U : 0U);
    if (judgement.race ? !race : race && all_complete)
      return {.difference = name + (race ? " finds a race that is none\n" : " misses a race\n") + text};
  }
  return {};
}

}  // namespace

TEST_CASE("under POWER every algorithm finds a data race where the axioms leave two accesses unordered") {
  totals = {};
  differential::run({"power races", 400, 91'000'000,
                     differential::all_of({[](const Program& p) { return finds_races(p, false); },
                                           [](const Program& p) { return finds_races(p, true); }}),
                     12});
  MESSAGE(totals.racy, " with races, ", totals.free, " without");
  CHECK(totals.racy > 10);
  CHECK(totals.free > 10);
}

}  // namespace heddle::power_oracle
