// What a report says where a check ran out of time or memory.
#include "cli/advice.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

CheckResult undecided(std::string algorithm, std::string stopped_by = "timeout") {
  CheckResult result;
  result.verdict = Verdict::undecided;
  result.model = "sc";
  result.algorithm = std::move(algorithm);
  result.stopped_by = std::move(stopped_by);
  result.seconds = 10;
  result.counts.executions = 3'000;
  return result;
}

Estimate expecting(double executions) {
  return {.model = "sc",
          .algorithm = "trust",
          .executions = executions,
          .interval = Estimate::Interval{executions / 2, 2 * executions}};
}

cli::Advice advice_of(const CheckResult& result, const std::optional<Estimate>& expected = {},
                      const std::string& algorithm = {}) {
  CheckOptions options;
  options.algorithm = algorithm;
  const auto advice = cli::advise(options, result, expected);
  REQUIRE(advice);
  return *advice;
}

const char* const many_orders = R"(
  shared x: int;
  thread p[i: 0..14] { let a = x; x = a + i; }
)";

}  // namespace

TEST_CASE("only a check that ran out of time or memory gets advice") {
  CHECK(cli::needs_advice(undecided("trust")));
  CHECK(cli::needs_advice(undecided("states", "memory limit")));
  CHECK_FALSE(cli::needs_advice(undecided("trust", "interrupted")));
  CHECK_FALSE(cli::needs_advice(undecided("trust", "execution limit")));
  CHECK_FALSE(cli::needs_advice(CheckResult{}));
}

TEST_CASE("where an estimate says when the search would end, more time is the advice") {
  const auto advice = advice_of(undecided("trust"), expecting(90'000));
  REQUIRE(advice.reached.size() == 1);
  CHECK(advice.reached[0].share == doctest::Approx(1.0 / 30));
  CHECK(advice.reached[0].text == "trust explored 3.3 % of the executions, by an estimate");
  CHECK(advice.next == "--timeout 500: at this rate trust needs about 5 min 00 s");
}

TEST_CASE("where it would take too long, states that become rarer are the advice") {
  auto result = undecided("trust");
  result.given_up.push_back(
      {.algorithm = "sdpor", .transitions = 1'000'000, .states = 400'000, .new_states = 0.1});
  const auto advice = advice_of(result, expecting(1e15));
  REQUIRE(advice.reached.size() == 2);
  CHECK(advice.reached[0].text == "trust explored less than 0.1 % of the executions, by an estimate");
  CHECK(advice.reached[1].text ==
        "sdpor met 400,000 states, and 10 % of its later transitions led to new ones (40 % of all)");
  CHECK(advice.next.find("--algorithm sdpor --timeout 100: ") == 0);
  // If as many are new as before, there is no end in sight.
  result.given_up[0].new_states = 0.4;
  CHECK(advice_of(result, expecting(1e15)).next.find("a smaller program") == 0);
}

TEST_CASE("an algorithm that was named is not the only one") {
  CHECK(advice_of(undecided("naive"), expecting(1e15), "naive").next.find("--algorithm auto") == 0);
  CHECK(advice_of(undecided("states", "memory limit"), {}, "trust").next.find("--algorithm trust") == 0);
  CHECK(advice_of(undecided("trust"), expecting(10)).reached[0].text ==
        "trust explored 3,000 executions; how many there are is not known");
}

TEST_CASE("the report of a check that timed out says how far it got and what to try") {
  TemporaryFolder folder;
  const std::string file = folder.file("orders.hed", many_orders);
  const Finished text = run_heddle({"check", file, "--timeout", "0.5"});
  CAPTURE(text.output);
  CHECK(text.exit_code == 3);
  CHECK(contains(text.output, "\nHow far: trust explored "));
  CHECK(contains(text.output, "\nTry "));

  const Finished run = run_heddle({"check", file, "--timeout", "0.5", "--algorithm", "naive", "--json"});
  const auto json = nlohmann::json::parse(run.output);
  CHECK(json["advice"]["reached"][0]["algorithm"] == "naive");
  CHECK(json["advice"]["try"].get<std::string>().find("--algorithm auto") == 0);
  const Finished safe = run_heddle({"check", folder.file("sb.hed", safe_program), "--json"});
  CHECK(nlohmann::json::parse(safe.output)["advice"].is_null());
}

}  // namespace heddle::test
