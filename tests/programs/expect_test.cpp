// Runs every `expect` line of the examples, of tests/programs/expect and of the language reference, with
// every model and algorithm that it names (or, if it names no algorithm, with every algorithm that supports
// the model). Lines for models and algorithms that are not in the registries are skipped and counted. `naive`
// gives up on programs with too many interleavings.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::ExpectedOutcome;
using heddle::tests::Source;

const auto naive_limit = heddle::tests::sized<std::uint64_t>(2'000, 20'000);  // executions
constexpr double patience = 120;  // seconds for one check of any other algorithm
// Seconds for the oracle, and for an algorithm that is not its model's default where threads run ahead: the
// programs were made for machines that keep program order.
const double little_patience = heddle::tests::sized(0.1, 1.0);

struct Tally {
  std::uint64_t checks = 0;
  std::uint64_t without_model = 0;
  std::uint64_t without_algorithm = 0;
  std::uint64_t too_many = 0;
};

// Whether the algorithm is the default where threads run ahead; true for all algorithms where they do not.
bool suits(std::string_view model, std::string_view algorithm) {
  return std::ranges::none_of(heddle::models(), [&](const auto& info) {
    return info.name == model && info.out_of_order && info.default_algorithm != algorithm;
  });
}

bool has_model(std::string_view name) {
  return std::ranges::any_of(heddle::models(), [&](const auto& model) { return model.name == name; });
}

bool is_about_liveness(ExpectedOutcome outcome) {
  return outcome == ExpectedOutcome::terminates || outcome == ExpectedOutcome::livelock ||
         outcome == ExpectedOutcome::starves;
}

// The algorithms to run an expectation with: those it names, else all; in either case only those that support
// the model and the program. Loops are cut unless the expectation names an algorithm that does not.
std::vector<std::string> algorithms_for(const heddle::Program& program,
                                        const heddle::Expectation& expectation, const std::string& model,
                                        Tally& tally) {
  std::vector<std::string> names = expectation.algorithms;
  const bool live = is_about_liveness(expectation.outcome);
  if (names.empty()) {
    for (const auto& algorithm : heddle::algorithms()) {
      if (live ? algorithm.decides_liveness : !algorithm.runs_endless) names.emplace_back(algorithm.name);
    }
  }
  const auto refused =
      std::erase_if(names, [&](const auto& name) { return !heddle::why_not(program, model, name).empty(); });
  if (!expectation.algorithms.empty()) tally.without_algorithm += refused;
  return names;
}

// Outcomes that count executions need all of them, even after a violation.
bool needs_whole_space(ExpectedOutcome outcome) {
  switch (outcome) {
    case ExpectedOutcome::safe:
    case ExpectedOutcome::safe_within_bounds:
    case ExpectedOutcome::vacuous:
    case ExpectedOutcome::violation:
    case ExpectedOutcome::deadlock:
    case ExpectedOutcome::race:
    case ExpectedOutcome::terminates:
    case ExpectedOutcome::livelock:
    case ExpectedOutcome::starves: return false;
    case ExpectedOutcome::never:
    case ExpectedOutcome::sometimes:
    case ExpectedOutcome::always:
    case ExpectedOutcome::executions:
    case ExpectedOutcome::outcomes: break;
  }
  return true;
}

void run(const heddle::Program& program, const heddle::Expectation& expectation, const std::string& model,
         const std::string& algorithm, Tally& tally) {
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = needs_whole_space(expectation.outcome);
  options.live = is_about_liveness(expectation.outcome);
  options.collect_outcomes = expectation.outcome == ExpectedOutcome::outcomes;
  options.timeout = patience;
  const bool naive = algorithm == "naive";
  const bool may_give_up = naive || !suits(model, algorithm);
  if (naive) options.max_executions = naive_limit;
  if (may_give_up) options.timeout = little_patience;  // blocked executions do not count
  CAPTURE(program.name());
  CAPTURE(expectation.line);
  CAPTURE(expectation.source);
  CAPTURE(model);
  CAPTURE(algorithm);
  const auto result = heddle::check(program, options);
  CHECK_MESSAGE(result, heddle::tests::first_error(result));
  if (!result) return;
  if (may_give_up && result->verdict == heddle::Verdict::undecided) {
    ++tally.too_many;
    return;
  }
  ++tally.checks;
  CHECK_EQ(heddle::mismatch(expectation, *result), "");
}

void run(const Source& source, Tally& tally) {
  CAPTURE(source.name);
  heddle::tests::Variants variants(source);
  const auto expectations = variants.get({}).expectations();
  CHECK_MESSAGE(!expectations.empty(), "a program without an expect line tests nothing");
  for (const auto& expectation : expectations) {
    const heddle::Program& program = variants.get(expectation.parameters);
    for (const std::string& model : expectation.models) {
      if (!has_model(model)) {
        ++tally.without_model;
        continue;
      }
      for (const auto& algorithm : algorithms_for(program, expectation, model, tally)) {
        run(program, expectation, model, algorithm, tally);
      }
    }
  }
}

void run_all(const std::vector<Source>& sources) {
  Tally tally;
  REQUIRE_FALSE(sources.empty());
  for (const Source& source : sources) run(source, tally);
  MESSAGE(sources.size(), " programs, ", tally.checks, " checks; skipped: ", tally.without_model,
          " for a model and ", tally.without_algorithm, " for an algorithm that is not there, ",
          tally.too_many, " that took too long");
}

}  // namespace

TEST_CASE(
    "every expect line about the standard library holds: its modules are safe, and each fence that a model "
    "needs is missed") {
  run_all(heddle::tests::programs_in("tests/stdlib"));
}

TEST_CASE(
    "every expect line about clients that come for ever, of the standard library and of the examples' locks, "
    "holds: who "
    "gets through, who starves") {
  run_all(heddle::tests::programs_in("tests/stdlib/live"));
  run_all(heddle::tests::programs_in("tests/programs/live"));
}

TEST_CASE("every expect line of the examples holds") {
  run_all(heddle::tests::programs_in("examples"));
  run_all(heddle::tests::programs_in("examples/protocols"));
}

TEST_CASE("every expect line of the programs that are compared with SPIN holds") {
  run_all(heddle::tests::programs_in("bench/spin"));
}

TEST_CASE("every expect line of the small programs holds") {
  run_all(heddle::tests::programs_in("tests/programs/expect"));
}

TEST_CASE("every program in the tutorial is complete and its expect lines hold") {
  run_all(heddle::tests::programs_of_document("docs/tutorial.md"));
}

TEST_CASE("every program in the language reference is complete and its expect lines hold") {
  run_all(heddle::tests::programs_of_document("docs/language.md"));
}
