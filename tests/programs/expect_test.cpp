// Runs every `expect` line of the examples and of tests/programs/expect, with every model and algorithm that
// it names (or, if it names no algorithm, with every algorithm that works with the model). Lines for models
// and algorithms that are not in the registries are skipped and counted. `naive` gives up on programs with
// too many interleavings.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "heddle/heddle.h"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::ExpectedOutcome;

constexpr std::uint64_t naive_limit = 20'000;  // executions
constexpr double patience = 120;               // seconds for one check of any other algorithm

struct Tally {
  std::uint64_t checks = 0;
  std::uint64_t without_model = 0;
  std::uint64_t without_algorithm = 0;
  std::uint64_t too_many_interleavings = 0;
};

bool has_model(std::string_view name) {
  return std::ranges::any_of(heddle::models(), [&](const auto& model) { return model.name == name; });
}

bool has_algorithm(std::string_view name) {
  return std::ranges::any_of(heddle::algorithms(),
                             [&](const auto& algorithm) { return algorithm.name == name; });
}

// Outcomes that count executions need all of them, also behind a violation.
bool needs_whole_space(ExpectedOutcome outcome) {
  switch (outcome) {
    case ExpectedOutcome::safe:
    case ExpectedOutcome::violation:
    case ExpectedOutcome::deadlock: return false;
    case ExpectedOutcome::never:
    case ExpectedOutcome::sometimes:
    case ExpectedOutcome::always:
    case ExpectedOutcome::executions:
    case ExpectedOutcome::outcomes: break;
  }
  return true;
}

void run(const heddle::Program& program, const heddle::Expectation& expectation, const std::string& model,
         std::string_view algorithm, Tally& tally) {
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = needs_whole_space(expectation.outcome);
  options.collect_outcomes = expectation.outcome == ExpectedOutcome::outcomes;
  options.timeout = patience;
  const bool naive = algorithm == "naive";
  if (naive) {
    options.max_executions = naive_limit;
  }
  CAPTURE(program.name());
  CAPTURE(expectation.line);
  CAPTURE(expectation.source);
  CAPTURE(model);
  CAPTURE(algorithm);
  const auto result = heddle::check(program, options);
  CHECK_MESSAGE(result, (result.errors().empty() ? std::string() : result.errors().front().text));
  if (!result) {
    return;
  }
  if (naive && result->verdict == heddle::Verdict::undecided) {
    ++tally.too_many_interleavings;
    return;
  }
  ++tally.checks;
  CHECK_EQ(heddle::mismatch(expectation, *result), "");
}

void run(const std::string& path, Tally& tally) {
  CAPTURE(path);
  const auto program = heddle::Program::from_file(path);
  REQUIRE_MESSAGE(program, (program.errors().empty() ? std::string() : program.errors().front().text));
  CHECK_MESSAGE(!program->expectations().empty(), "a program without an expect line tests nothing");
  std::map<heddle::Parameters, heddle::Program> variants;
  for (const auto& expectation : program->expectations()) {
    auto variant = variants.find(expectation.parameters);
    if (variant == variants.end()) {
      const auto compiled = heddle::Program::from_file(path, {.parameters = expectation.parameters});
      REQUIRE_MESSAGE(compiled, (compiled.errors().empty() ? std::string() : compiled.errors().front().text));
      variant = variants.emplace(expectation.parameters, *compiled).first;
    }
    for (const std::string& model : expectation.models) {
      if (!has_model(model)) {
        ++tally.without_model;
        continue;
      }
      for (const std::string& algorithm : expectation.algorithms) {
        if (!has_algorithm(algorithm)) {
          ++tally.without_algorithm;
        } else {
          const std::string refusal = heddle::why_not(model, algorithm);
          if (refusal.empty()) {
            run(variant->second, expectation, model, algorithm, tally);
          } else {
            ++tally.without_algorithm;
          }
        }
      }
      if (!expectation.algorithms.empty()) {
        continue;
      }
      for (const auto& algorithm : heddle::algorithms()) {
        if (heddle::why_not(model, algorithm.name).empty()) {
          run(variant->second, expectation, model, algorithm.name, tally);
        }
      }
    }
  }
}

void run_folder(const std::string& folder) {
  Tally tally;
  const auto files = heddle::tests::program_files(folder);
  REQUIRE_FALSE(files.empty());
  for (const std::string& path : files) {
    run(path, tally);
  }
  MESSAGE(folder, ": ", files.size(), " programs, ", tally.checks, " checks; skipped: ", tally.without_model,
          " for a model and ", tally.without_algorithm, " for an algorithm that is not there, ",
          tally.too_many_interleavings, " with too many interleavings for naive");
}

}  // namespace

TEST_CASE("every expect line of the examples holds") { run_folder("examples"); }

TEST_CASE("every expect line of the small programs holds") { run_folder("tests/programs/expect"); }
