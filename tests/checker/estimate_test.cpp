// Estimates from random paths, against the counts of finished searches.
#include "heddle/estimate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using heddle::CheckOptions;
using heddle::Estimate;
using heddle::Program;

Program load(const std::string& file, const heddle::Parameters& parameters, const std::string& model) {
  auto program = Program::from_file(HEDDLE_SOURCE_DIR "/" + file, {.parameters = parameters, .model = model});
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  return *program;
}

CheckOptions with(const std::string& model, const std::string& algorithm) {
  CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = true;
  return options;
}

Estimate sampled(const Program& program, const CheckOptions& options, std::uint64_t seed,
                 std::uint64_t paths) {
  const auto result = heddle::estimate(
      program, options, {.seconds = 600, .seed = seed, .measure_speed = false, .most_paths = paths});
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

struct Case {
  std::string file;
  heddle::Parameters parameters;
};

// Trees with choices, updates that revisit, locks that idle, awaits that are deferred, blocked runs.
const std::vector<Case> cases{
    {"tests/programs/reference/inc.hed", {{"N", 3}}},
    {"tests/programs/reference/casw.hed", {{"N", 3}}},
    {"tests/programs/reference/lastzero.hed", {{"N", 4}}},
    {"tests/programs/reference/fib2.hed", {{"K", 2}}},
    {"tests/programs/reference/mcs.hed", {}},
    {"tests/programs/reference/peterson-assume.hed", {}},
    {"examples/philosophers.hed", {}},
    {"examples/ticket_lock.hed", {}},
};

}  // namespace

TEST_CASE("the mean of many paths is the number of executions") {
  std::size_t compared = 0;
  for (const Case& each : cases) {
    for (const std::string model : {"sc", "tso", "pso", "power"}) {
      const Program program = load(each.file, each.parameters, model);
      for (const std::string algorithm : {"trust", "naive"}) {
        if (!heddle::why_no_estimate(model, algorithm).empty()) continue;
        CheckOptions options = with(model, algorithm);
        options.max_executions = 200'000;
        const auto exact = heddle::check(program, options);
        REQUIRE(exact);
        if (!exact->finished) continue;
        CAPTURE(each.file);
        CAPTURE(model);
        CAPTURE(algorithm);
        options.max_executions.reset();
        // Means of means: their spread tells how far they may be off.
        constexpr int rounds = 20;
        double sum = 0, squares = 0;
        for (std::uint64_t seed = 0; seed < rounds; ++seed) {
          const double mean = sampled(program, options, seed, 200).executions;
          sum += mean;
          squares += mean * mean;
        }
        const double mean = sum / rounds;
        const double spread = std::sqrt(std::max(0.0, squares / rounds - mean * mean) / (rounds - 1));
        const auto truth = static_cast<double>(exact->counts.executions);
        CHECK(std::abs(mean - truth) <= 5 * spread + 1e-6 * truth);
        // A test that allowed anything would be none.
        CHECK(spread <= 0.5 * truth + 1e-9);
        ++compared;
      }
    }
  }
  CHECK(compared >= 40);
}

TEST_CASE("blocked runs are estimated, too") {
  const Program program = load("tests/programs/reference/peterson-assume.hed", {}, "sc");
  const CheckOptions options = with("sc", "trust");
  const auto exact = heddle::check(program, options);
  REQUIRE(exact);
  const auto truth = static_cast<double>(exact->counts.blocked_assume);
  REQUIRE(truth > 0);
  const Estimate estimate = sampled(program, options, 1, 20'000);
  REQUIRE(estimate.blocked);
  CHECK(*estimate.blocked == doctest::Approx(truth).epsilon(0.1));
}

TEST_CASE("sampling can be stopped at any moment") {
  for (const auto& [model, algorithm] :
       {std::pair("sc", "trust"), {"tso", "trust"}, {"power", "trust"}, {"sc", "naive"}, {"pso", "naive"}}) {
    CAPTURE(model);
    CAPTURE(algorithm);
    const Program program = load("tests/programs/reference/inc.hed", {{"N", 7}}, model);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const double seconds = 0.003 + 0.0005 * static_cast<double>(seed);
      const auto result = heddle::estimate(program, with(model, algorithm),
                                           {.seconds = seconds, .seed = seed, .measure_speed = false});
      // A slow machine may sample nothing in that time.
      if (result) CHECK(result->executions >= 0);
    }
  }
}

TEST_CASE("with a number of paths, an estimate is always the same") {
  const Program program = load("tests/programs/reference/casw.hed", {{"N", 6}}, "tso");
  const Estimate first = sampled(program, with("tso", "trust"), 7, 500);
  const Estimate second = sampled(program, with("tso", "trust"), 7, 500);
  CHECK(first.paths >= 500);
  CHECK(first.paths == second.paths);
  CHECK(first.executions == second.executions);
  CHECK(first.executions != sampled(program, with("tso", "trust"), 8, 500).executions);
}

TEST_CASE("a search that is over before is counted, not estimated") {
  const Program program = load("tests/programs/reference/inc.hed", {{"N", 2}}, "sc");
  const auto result = heddle::estimate(program, with("sc", "source"));
  REQUIRE(result);
  CHECK(result->exact);
  CHECK(result->executions == 4);
}

TEST_CASE("graph algorithms without a tree of their own get the number of graphs") {
  const Program program = load("tests/programs/reference/casw.hed", {{"N", 4}}, "sc");
  const Estimate of_trust = sampled(program, with("sc", "trust"), 3, 1000);
  for (const std::string algorithm : {"dpor", "source", "rsmc"}) {
    const Estimate estimate = sampled(program, with("sc", algorithm), 3, 1000);
    CHECK(estimate.algorithm == algorithm);
    CHECK(estimate.executions == of_trust.executions);
    CHECK(!estimate.blocked);
  }
  for (const std::string algorithm : {"sdpor", "rf"}) {
    CHECK(!heddle::why_no_estimate("sc", algorithm).empty());
    CHECK(!heddle::estimate(program, with("sc", algorithm)));
  }
}

TEST_CASE("there is no estimate where the algorithm that is sampled cannot judge the program") {
  const auto program = Program::from_source(
      "shared x: int; thread p { var a = 0; a = x; } thread q { x = 1; } invariant p.a == 0 || x == 1;",
      "local.hed");
  REQUIRE(program);
  for (const std::string algorithm : {"source", "dpor"}) {
    CAPTURE(algorithm);
    const auto result = heddle::estimate(*program, with("sc", algorithm), {.measure_speed = false});
    REQUIRE(!result);
    CHECK(heddle::to_text(result.error()).find("there is no estimate for the algorithm") !=
          std::string::npos);
    CHECK(heddle::estimate(*program, with("sc", algorithm))->exact);
  }
}
