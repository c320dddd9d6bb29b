// All algorithms find the same: on every example and every small program, with its own parameters and with
// those of each of its expect lines, under every model, they report the same set of final states and agree on
// whether there is a violation. Searches that hit a limit are ignored.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::tests::Source;

const auto naive_limit = heddle::tests::sized<std::uint64_t>(1'000, 10'000);  // executions
const auto other_limit = heddle::tests::sized<std::uint64_t>(2'000, 20'000);
const double patience = heddle::tests::sized(0.2, 1.0);  // seconds
// Seconds where threads run ahead: there, most programs are either small or far too large.
const double little_patience = heddle::tests::sized(0.05, 0.2);

bool runs_ahead(std::string_view model) {
  return std::ranges::any_of(heddle::models(),
                             [&](const auto& info) { return info.name == model && info.out_of_order; });
}

// The findings on which algorithms must agree.
struct Findings {
  std::set<std::vector<std::int64_t>> final_states;
  bool violation = false;
  bool operator==(const Findings&) const = default;
};

// Reads-from classes combine executions that differ only in the final value of a location.
bool keeps_final_states(std::string_view algorithm) { return algorithm != "rf"; }

bool stops_its_thread(heddle::ViolationKind kind) {
  switch (kind) {
    case heddle::ViolationKind::index_out_of_bounds:
    case heddle::ViolationKind::division_by_zero:
    case heddle::ViolationKind::empty_choice:
    case heddle::ViolationKind::unlock_not_owner: return true;
    case heddle::ViolationKind::assertion:
    case heddle::ViolationKind::deadlock:
    case heddle::ViolationKind::forall:
    case heddle::ViolationKind::forbid:
    case heddle::ViolationKind::data_race:
    case heddle::ViolationKind::invariant:
    case heddle::ViolationKind::livelock:
    case heddle::ViolationKind::starvation:
    case heddle::ViolationKind::temporal:
    case heddle::ViolationKind::not_robust: break;
  }
  return false;
}

std::optional<Findings> explore(const heddle::Program& program, std::string_view model,
                                std::string_view algorithm) {
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = true;
  options.collect_outcomes = true;
  options.max_executions = algorithm == "naive" ? naive_limit : other_limit;
  options.timeout = runs_ahead(model) ? little_patience : patience;
  const auto result = heddle::check(program, options);
  CHECK_MESSAGE(result, heddle::tests::first_error(result));
  if (!result || !result->stopped_by.empty()) return std::nullopt;
  Findings findings;
  findings.violation = result->violation.has_value();
  if (result->violation && stops_its_thread(result->violation->kind)) return findings;
  for (const auto& outcome : result->outcomes) {
    std::vector<std::int64_t> state;
    for (const auto& named : outcome.values) state.push_back(named.value);
    findings.final_states.insert(std::move(state));
  }
  return findings;
}

// Compares each algorithm with the first one that finished. Returns the number of comparisons.
std::size_t compare(const heddle::Program& program, std::string_view model) {
  std::optional<Findings> first;
  std::string_view first_algorithm;
  std::size_t comparisons = 0;
  for (const auto& algorithm : heddle::algorithms()) {
    if (!heddle::why_not(program, model, algorithm.name).empty() || !keeps_final_states(algorithm.name) ||
        algorithm.runs_endless)
      continue;
    CAPTURE(algorithm.name);
    CAPTURE(first_algorithm);
    auto findings = explore(program, model, algorithm.name);
    if (!findings) continue;
    if (!first) {
      first = std::move(findings);
      first_algorithm = algorithm.name;
      continue;
    }
    ++comparisons;
    CHECK_EQ(findings->violation, first->violation);
    CHECK_EQ(findings->final_states.size(), first->final_states.size());
    CHECK(*findings == *first);
  }
  return comparisons;
}

void compare_all(const std::vector<Source>& sources) {
  std::size_t comparisons = 0;
  for (const Source& source : sources) {
    heddle::tests::Variants variants(source);
    std::set<heddle::Parameters> settings{{}};
    for (const auto& expectation : variants.get({}).expectations()) settings.insert(expectation.parameters);
    for (const auto& parameters : settings) {
      for (const auto& model : heddle::models()) {
        CAPTURE(source.name);
        CAPTURE(heddle::tests::text(parameters));
        CAPTURE(model.name);
        comparisons += compare(variants.get(parameters), model.name);
      }
    }
  }
  MESSAGE(comparisons, " comparisons");
}

}  // namespace

TEST_CASE("all algorithms find the same final states and verdicts in the examples") {
  compare_all(heddle::tests::programs_in("examples"));
  compare_all(heddle::tests::programs_in("examples/protocols"));
}

TEST_CASE("all algorithms find the same final states and verdicts in the small programs") {
  compare_all(heddle::tests::programs_in("tests/programs/expect"));
}

TEST_CASE("all algorithms find the same final states and verdicts in the reference programs") {
  compare_all(heddle::tests::programs_in("tests/programs/reference"));
}
