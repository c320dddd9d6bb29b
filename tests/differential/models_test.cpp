// All algorithms against the oracle, under each model.
#include <doctest/doctest.h>

#include "campaign.hpp"

namespace heddle::differential {

TEST_SUITE_BEGIN("models");

TEST_CASE("under sc every algorithm finds what every interleaving shows") {
  run({"sc", 2000, 0, [](const Program& p) { return algorithms_agree(p, "sc"); }});
}

TEST_CASE("under tso every algorithm finds what every interleaving shows") {
  run({"tso", 5000, 1'000'000, [](const Program& p) { return algorithms_agree(p, "tso"); }});
}

TEST_CASE("under pso every algorithm finds what every interleaving shows") {
  run({"pso", 5000, 1'000'000, [](const Program& p) { return algorithms_agree(p, "pso"); }});
}

TEST_CASE("a weaker model has all the outcomes and violations of a stronger one") {
  run({"models", 1000, 3'000'000, models_are_ordered});
}

TEST_SUITE_END();

}  // namespace heddle::differential
