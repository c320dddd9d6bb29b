// Compares all algorithms with the oracle, with bounded store buffers and bounded preemptions.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "campaign.hpp"

namespace heddle::differential {

TEST_SUITE_BEGIN("bounds");

TEST_CASE("with small store buffers every algorithm finds what the interleavings show") {
  run({"buffer bounds", 5000, 0,
       all_of({[](const Program& p) { return buffer_bounds_agree(p, "tso"); },
               [](const Program& p) { return buffer_bounds_agree(p, "pso"); }})});
}

TEST_CASE("with few preemptions every algorithm finds what the interleavings with so few show") {
  run({"preemption bounds", 1500, 1'000'000,
       all_of({[](const Program& p) { return preemption_bounds_agree(p, "sc"); },
               [](const Program& p) { return preemption_bounds_agree(p, "tso"); },
               [](const Program& p) { return preemption_bounds_agree(p, "pso"); }})});
}

TEST_CASE("both bounds together leave what the interleavings within both show") {
  std::vector<Property> properties;
  for (const char* const model : {"tso", "pso"}) {
    for (const std::uint32_t bound : {0U, 1U})
      properties.push_back([=](const Program& p) { return preemption_bounds_agree(p, model, bound); });
  }
  run({"both bounds", 500, 2'000'000, all_of(properties)});
}

TEST_SUITE_END();

}  // namespace heddle::differential
