// heddle::why on random programs: it enumerates executions from the threads alone, so under each model the
// consistent ones must be as many as the algorithms visit.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "campaign.hpp"
#include "heddle/why.h"

namespace heddle::differential {

namespace {

std::uint64_t consistent_in_total = 0;
std::uint64_t excluded_in_total = 0;

Finding as_many_as(const Program& program, const std::string& model, const std::string& algorithm) {
  const auto answer = why(program, "1 == 1", {.model = model, .most_executions = 1, .timeout = 0.5});
  if (!answer) return {.difference = "why is refused: " + to_text(answer.error())};
  if (!answer->stopped_by.empty()) return {.skipped = true, .difference = {}};
  CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = true;
  options.timeout = 5;
  const auto result = check(program, options);
  if (!result) return {.difference = "check is refused: " + to_text(result.error())};
  if (!result->stopped_by.empty()) return {.skipped = true, .difference = {}};
  consistent_in_total += answer->consistent;
  excluded_in_total += answer->candidates - answer->consistent;
  if (answer->consistent == result->counts.executions) return {};
  return {.difference = "under " + model + " why finds " + std::to_string(answer->consistent) +
                        " executions of " + std::to_string(answer->candidates) + ", " + algorithm + " " +
                        std::to_string(result->counts.executions) + "\n"};
}

}  // namespace

TEST_SUITE_BEGIN("why");

TEST_CASE("under every model why finds as many executions of random programs as the algorithms") {
  consistent_in_total = excluded_in_total = 0;
  run({"why", 250, 50'000'000,
       all_of({[](const Program& p) { return as_many_as(p, "sc", "trust"); },
               [](const Program& p) { return as_many_as(p, "tso", "trust"); },
               [](const Program& p) { return as_many_as(p, "pso", "trust"); },
               [](const Program& p) { return as_many_as(p, "power", "rsmc"); }}),
       30});
  MESSAGE(consistent_in_total, " consistent executions, ", excluded_in_total, " excluded");
  CHECK_GT(consistent_in_total, 1000);
  if (!is_short()) CHECK_GT(excluded_in_total, 100);
}

TEST_SUITE_END();

}  // namespace heddle::differential
