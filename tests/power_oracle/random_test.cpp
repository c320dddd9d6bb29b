// Compares every algorithm under POWER with the oracle, on random programs.
#include <doctest/doctest.h>

#include "differential/campaign.hpp"
#include "tests/power_oracle/compare.hpp"

namespace heddle::power_oracle {

namespace {

differential::Finding agrees(const Program& program) {
  const Comparison comparison = compare(program);
  return {.skipped = !comparison.skipped.empty(),
          .violation = comparison.judgement.violation(),
          .difference = comparison.difference};
}

}  // namespace

TEST_CASE("under POWER every algorithm finds what the axioms allow in random programs, and no more") {
  differential::run({"power oracle", 1000, 70'000'000, agrees, 10});
}

}  // namespace heddle::power_oracle
