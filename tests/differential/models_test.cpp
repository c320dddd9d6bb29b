// Compares all algorithms with the oracle under each model, and the models with each other.
#include <doctest/doctest.h>

#include "campaign.hpp"

namespace heddle::differential {

TEST_SUITE_BEGIN("models");

TEST_CASE("under every model every algorithm finds what the interleavings show") {
  run({"models", 5000, 0,
       all_of({[](const Program& p) { return algorithms_agree(p, "sc"); },
               [](const Program& p) { return algorithms_agree(p, "tso"); },
               [](const Program& p) { return algorithms_agree(p, "pso"); }, models_are_ordered})});
}

TEST_SUITE_END();

}  // namespace heddle::differential
