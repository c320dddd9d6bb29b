// All algorithms against the oracle, with bounded store buffers and bounded preemptions.
#include <doctest/doctest.h>

#include "campaign.hpp"

namespace heddle::differential {

TEST_SUITE_BEGIN("bounds");

TEST_CASE("with small store buffers every algorithm finds what every tso interleaving shows") {
  run({"tso buffers", 5000, 1'000'000, [](const Program& p) { return buffer_bounds_agree(p, "tso"); }});
}

TEST_CASE("with small store buffers every algorithm finds what every pso interleaving shows") {
  run({"pso buffers", 5000, 1'000'000, [](const Program& p) { return buffer_bounds_agree(p, "pso"); }});
}

TEST_CASE("with few preemptions every algorithm finds what such sc interleavings show") {
  run({"sc preemptions", 1000, 4'000'000, [](const Program& p) { return preemption_bounds_agree(p, "sc"); }});
}

TEST_CASE("with few preemptions every algorithm finds what such tso interleavings show") {
  run({"tso preemptions", 1000, 5'000'000,
       [](const Program& p) { return preemption_bounds_agree(p, "tso"); }});
}

TEST_CASE("with few preemptions every algorithm finds what such pso interleavings show") {
  run({"pso preemptions", 1000, 6'000'000,
       [](const Program& p) { return preemption_bounds_agree(p, "pso"); }});
}

TEST_SUITE_END();

}  // namespace heddle::differential
