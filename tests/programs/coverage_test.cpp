// CheckOptions::coverage: what is counted, and that all algorithms agree on the points that no execution
// reaches.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "tests/every_pair.hpp"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::CheckResult;
using heddle::CoverageKind;
using heddle::CoveredPlace;
using heddle::Program;
using heddle::tests::for_each_pair;

Program compiled(const std::string& text, const heddle::CompileOptions& options = {}) {
  const auto program = Program::from_source(text, "covered.hed", options);
  REQUIRE_MESSAGE(program, heddle::tests::first_error(program));
  return *program;
}

CheckResult covered(const Program& program, const std::string& model, const std::string& algorithm) {
  const auto result =
      heddle::check(program, {.model = model, .algorithm = algorithm, .keep_going = true, .coverage = true});
  REQUIRE(result);
  REQUIRE(result->finished);
  return *result;
}

// How often the search reached the only point of that kind on the line.
std::uint64_t count(const CheckResult& result, CoverageKind kind, std::uint32_t line,
                    const std::string& arm = {}) {
  std::vector<std::uint64_t> found;
  for (const CoveredPlace& place : result.coverage) {
    if (place.kind == kind && place.line == line && place.arm == arm) found.push_back(place.count);
  }
  CAPTURE(line);
  CAPTURE(arm);
  REQUIRE(found.size() == 1);
  return found.front();
}

// The places that the search reached.
std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> reached(
    const CheckResult& result) {
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> places;
  for (const CoveredPlace& place : result.coverage) {
    if (place.count > 0)
      places.insert({place.file, place.line, place.column, std::string(name(place.kind)) + place.arm});
  }
  return places;
}

TEST_CASE("a point that needs a weak model is reached under it, and under no stronger one") {
  const Program program = compiled(
      "shared data: int;\n"
      "shared ready: int;\n"
      "thread writer { data = 1; ready = 1; }\n"
      "thread reader {\n"
      "  if ready == 1 {\n"
      "    let d = data;\n"
      "    if d == 0 {\n"
      "      assert d == 1;\n"
      "    }\n"
      "  }\n"
      "}\n");
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const CheckResult result = covered(program, model, algorithm);
    const bool weak = model == "pso" || model == "power";
    CHECK((count(result, CoverageKind::assertion, 8) > 0) == weak);
    CHECK((count(result, CoverageKind::branch, 7, "then") > 0) == weak);
    CHECK(count(result, CoverageKind::branch, 7, "else") > 0);
    CHECK(count(result, CoverageKind::branch, 5, "then") > 0);
    CHECK(count(result, CoverageKind::branch, 5, "else") > 0);
    CHECK(count(result, CoverageKind::statement, 6) > 0);
  });
}

TEST_CASE("code after a false assume, or after a bound that cuts, is not reached") {
  const Program program = compiled(
      "shared x: int;\n"
      "thread p {\n"
      "  x = 1;\n"
      "  assume x == 5;\n"
      "  assert false;\n"
      "}\n"
      "thread q {\n"
      "  while true { let r = x; }\n"
      "  x = 2;\n"
      "}\n"
      "final {\n"
      "  assert false;\n"
      "}\n"
      "exists x == 1;\n",
      {.parameters = {}, .unroll = 2});
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const CheckResult result = covered(program, model, algorithm);
    CHECK_FALSE(result.violation);
    CHECK(count(result, CoverageKind::statement, 3) > 0);
    CHECK(count(result, CoverageKind::statement, 4) > 0);
    CHECK(count(result, CoverageKind::assertion, 5) == 0);
    CHECK(count(result, CoverageKind::statement, 9) == 0);
    CHECK(count(result, CoverageKind::assertion, 12) == 0);
    CHECK(count(result, CoverageKind::condition, 14) == 0);
  });
}

TEST_CASE("code that depends on what a false assumption cuts off is not reached") {
  const Program program = compiled(
      "shared x: int;\n"
      "shared y: int;\n"
      "thread p {\n"
      "  let a = x;\n"
      "  assume a == 1;\n"
      "  y = 1;\n"
      "}\n"
      "thread q {\n"
      "  if y == 1 {\n"
      "    assert false;\n"
      "  }\n"
      "}\n");
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const CheckResult result = covered(program, model, algorithm);
    CHECK_FALSE(result.violation);
    CHECK(count(result, CoverageKind::statement, 5) > 0);
    CHECK(count(result, CoverageKind::statement, 6) == 0);
    CHECK(count(result, CoverageKind::statement, 9) > 0);
    CHECK(count(result, CoverageKind::branch, 9, "then") == 0);
    CHECK(count(result, CoverageKind::assertion, 10) == 0);
  });
}

TEST_CASE("counts are exact if there is one execution, however often snapshots are restored") {
  const Program program = compiled(
      "shared x: int;\n"
      "fn twice(n: int) -> int {\n"
      "  return n > 2 ? n + 1 : 2 * n;\n"
      "}\n"
      "fn unused() {\n"
      "  x = 7;\n"
      "}\n"
      "thread p {\n"
      "  for i in 0..3 {\n"
      "    x = i;\n"
      "  }\n"
      "  var n = x;\n"
      "  while n < 5 {\n"
      "    n = twice(n);\n"
      "    n = twice(n);\n"
      "  }\n"
      "  assert n == 5;\n"
      "}\n"
      "exists x == 2;\n");
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    // naive distinguishes flushes, and rf repeats some steps.
    if (algorithm == "naive" || algorithm == "rf") return;
    const CheckResult result = covered(program, model, algorithm);
    REQUIRE(result.counts.executions == 1);
    CHECK(count(result, CoverageKind::statement, 9) == 1);
    CHECK(count(result, CoverageKind::statement, 10) == 3);
    CHECK(count(result, CoverageKind::statement, 12) == 1);
    // n is 2, then 4, then 5.
    CHECK(count(result, CoverageKind::branch, 13, "round") == 1);
    CHECK(count(result, CoverageKind::branch, 13, "leave") == 1);
    CHECK(count(result, CoverageKind::statement, 3) == 2);
    CHECK(count(result, CoverageKind::branch, 3, "then") == 1);
    CHECK(count(result, CoverageKind::branch, 3, "else") == 1);
    CHECK(count(result, CoverageKind::statement, 6) == 0);
    CHECK(count(result, CoverageKind::assertion, 17) == 1);
    CHECK(count(result, CoverageKind::condition, 19) == 1);
  });
}

TEST_CASE("a branch decided at compile time is no branch, unless it is open in some calls") {
  const Program program = compiled(
      "param FENCED = 0;\n"
      "shared x: int;\n"
      "fn put(v: int) {\n"
      "  if v == 1 { x = 1; }\n"
      "}\n"
      "thread p {\n"
      "  if FENCED == 1 { fence; }\n"
      "  put(0);\n"
      "  let r = x;\n"
      "  put(r);\n"
      "}\n");
  const CheckResult result = covered(program, "sc", "source");
  const auto in_line = [&](std::uint32_t line) {
    return std::ranges::count_if(result.coverage, [&](const CoveredPlace& place) {
      return place.kind == CoverageKind::branch && place.line == line;
    });
  };
  CHECK(in_line(7) == 0);
  CHECK(in_line(4) == 2);
  CHECK(count(result, CoverageKind::branch, 4, "then") == 0);
  CHECK(count(result, CoverageKind::branch, 4, "else") == 2);
}

TEST_CASE("each check has its own counts, and finds the same as without coverage") {
  const Program program =
      compiled("shared x: int;\nthread p[i: 0..3] {\n  x = i;\n  let r = x;\n  assert r == i;\n}\n");
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const CheckResult first = covered(program, model, algorithm);
    const CheckResult again = covered(program, model, algorithm);
    const auto plain = heddle::check(program, {.model = model, .algorithm = algorithm, .keep_going = true});
    REQUIRE(plain);
    CHECK(plain->coverage.empty());
    CHECK(plain->counts.executions == first.counts.executions);
    CHECK(plain->counts.transitions == first.counts.transitions);
    REQUIRE(first.coverage.size() == again.coverage.size());
    for (std::size_t i = 0; i < first.coverage.size(); ++i)
      CHECK(first.coverage[i].count == again.coverage[i].count);
  });
}

TEST_CASE("all algorithms agree on the points that no execution of an example reaches") {
  const std::uint64_t most = heddle::tests::sized<std::uint64_t>(500, 2'000);
  const double patience = heddle::tests::sized(0.05, 0.2);
  std::size_t compared = 0;
  for (const auto& source : heddle::tests::programs_in("examples")) {
    CAPTURE(source.name);
    const auto program = Program::from_source(source.text, source.name);
    REQUIRE(program);
    for (const auto& model : heddle::models()) {
      const std::string model_name(model.name);
      CAPTURE(model_name);
      std::optional<CheckResult> first;
      for (const auto& algorithm : heddle::algorithms()) {
        if (algorithm.runs_endless) continue;
        const std::string algorithm_name(algorithm.name);
        CAPTURE(algorithm_name);
        const auto result = heddle::check(*program, {.model = model_name,
                                                     .algorithm = algorithm_name,
                                                     .max_executions = first ? most : most / 10,
                                                     .timeout = patience,
                                                     .keep_going = true,
                                                     .coverage = true});
        // naive comes first: programs that it cannot finish are too large here.
        if (!result || !result->finished) {
          if (!first) break;
          continue;
        }
        if (!first) {
          first = *result;
          continue;
        }
        CHECK(reached(*result) == reached(*first));
        ++compared;
      }
    }
  }
  MESSAGE(compared, " comparisons");
  CHECK(compared > 20);
}

}  // namespace
