// Each model allows everything that the stronger ones allow: on every example, every small program and every
// reference program, with its own parameters and with those of its expect lines, the final states of SC are
// among those of TSO, these among those of PSO, and these among those of POWER. Searches that hit a limit are
// ignored.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::tests::Source;

using States = std::set<std::vector<std::int64_t>>;

std::optional<States> final_states(const heddle::Program& program, const std::string& model) {
  // (Invariants mean nothing under POWER.)
  const auto& models = heddle::models();
  const auto info = std::ranges::find(models, model, &heddle::ModelInfo::name);
  if (!heddle::why_not(program, model, info->default_algorithm).empty()) return std::nullopt;
  heddle::CheckOptions options;
  options.model = model;
  options.keep_going = true;
  options.collect_outcomes = true;
  options.max_executions = heddle::tests::sized<std::uint64_t>(1'000, 5'000);
  options.timeout = heddle::tests::sized(0.1, 0.25);
  const auto result = heddle::check(program, options);
  CHECK_MESSAGE(result, heddle::tests::first_error(result));
  if (!result || !result->stopped_by.empty()) return std::nullopt;
  States states;
  for (const auto& outcome : result->outcomes) {
    std::vector<std::int64_t> state;
    for (const auto& value : outcome.values) state.push_back(value.value);
    states.insert(std::move(state));
  }
  return states;
}

struct Tally {
  std::size_t compared = 0;
  std::size_t with_power = 0;
  std::size_t weaker_under_power = 0;
};

void compare(const heddle::Program& program, Tally& tally) {
  const std::array<std::string, 4> models{"sc", "tso", "pso", "power"};
  std::optional<States> stronger;
  for (const std::string& model : models) {
    CAPTURE(model);
    auto weaker = final_states(program, model);
    if (!weaker) return;
    if (stronger) {
      ++tally.compared;
      CHECK(std::includes(weaker->begin(), weaker->end(), stronger->begin(), stronger->end()));
      if (model == "power") {
        ++tally.with_power;
        tally.weaker_under_power += weaker->size() > stronger->size() ? 1 : 0;
      }
    }
    stronger = std::move(weaker);
  }
}

}  // namespace

TEST_CASE("the final states of every program satisfy SC <= TSO <= PSO <= POWER") {
  Tally tally;
  for (const char* folder : {"examples", "tests/programs/expect", "tests/programs/reference"}) {
    for (const Source& source : heddle::tests::programs_in(folder)) {
      CAPTURE(source.name);
      heddle::tests::Variants variants(source);
      std::set<heddle::Parameters> settings{{}};
      for (const auto& expectation : variants.get({}).expectations()) settings.insert(expectation.parameters);
      for (const auto& parameters : settings) {
        CAPTURE(heddle::tests::text(parameters));
        compare(variants.get(parameters), tally);
      }
    }
  }
  MESSAGE(tally.compared, " comparisons, ", tally.with_power, " with POWER, which allows more than PSO in ",
          tally.weaker_under_power);
  CHECK(tally.with_power > 100);
  CHECK(tally.weaker_under_power > 10);
}
