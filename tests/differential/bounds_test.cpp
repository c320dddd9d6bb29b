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

TEST_CASE("a buffer with room for k stores holds back k of them, whatever the algorithm") {
  const auto program = Program::from_source(
      "shared x: int; shared y: int; shared w: int;\n"
      "thread p { x = 1; y = 1; x = 2; let a = w; }\n"
      "thread q { w = 1; fence; let b = x; let c = y; let d = x; }\n"
      "exists p.a == 0 && q.b == 0; exists p.a == 0 && q.b == 1 && q.c == 0; exists p.a == 0 && q.d == 1;\n",
      "k.hed");
  REQUIRE(program);
  // The least room for which each of them happens. Under pso the two stores to x share a buffer.
  const struct {
    const char* model;
    std::uint32_t least[3];
  } rows[] = {{"tso", {3, 2, 1}}, {"pso", {2, 1, 1}}};
  for (const auto& [model, least] : rows) {
    for (std::uint32_t bound = 0; bound <= 4; ++bound) {
      for (const auto& algorithm : algorithms()) {
        CheckOptions options{.model = model, .algorithm = std::string(algorithm.name), .keep_going = true};
        options.buffer_bound = bound;
        const auto result = check(*program, options);
        REQUIRE(result);
        CAPTURE(options.algorithm);
        CAPTURE(model);
        CAPTURE(bound);
        for (std::size_t i = 0; i < 3; ++i) {
          CAPTURE(i);
          CHECK((result->conditions[i].satisfied > 0) == (bound >= least[i]));
        }
        CHECK((result->verdict == Verdict::safe) == (result->counts.buffer_bound_flushes == 0));
        if (bound < least[0]) CHECK(result->counts.buffer_bound_flushes > 0);
      }
    }
  }
}

TEST_CASE("with few preemptions every algorithm finds what the interleavings with so few show") {
  run({"preemption bounds", 1500, 1'000'000,
       all_of({[](const Program& p) { return preemption_bounds_agree(p, "sc"); },
               [](const Program& p) { return preemption_bounds_agree(p, "tso"); },
               [](const Program& p) { return preemption_bounds_agree(p, "pso"); }})});
}

TEST_CASE(
    "under power, too: naive and trust find exactly the executions that some run with few preemptions has") {
  run({"preemption bounds of power", 1500, 3'000'000,
       [](const Program& p) { return preemption_bounds_agree(p, "power"); }, 20});
}

TEST_CASE("what sc does with few preemptions power does with as few") {
  run({"preemption bounds of sc and power", 1500, 4'000'000, bounded_models_are_ordered});
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
