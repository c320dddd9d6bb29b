// Long paths of `states`: the packed form, and searches that pack and unpack them.
#include "checker/interleavings/states/packed_path.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::differential {

namespace {

using checker::MoveKind;
using checker::PackedPath;
using checker::Step;
using checker::StepType;

// What undoing a step and a schedule need.
bool is_same(const Step& a, const Step& b) {
  return a.type == b.type && a.op == b.op && a.access.location == b.access.location &&
         a.access.writes == b.access.writes && a.access.forwarded == b.access.forwarded &&
         a.process == b.process && a.thread == b.thread && a.overwritten == b.overwritten &&
         a.read == b.read && a.buffered == b.buffered && a.entry == b.entry &&
         a.previous_forward == b.previous_forward && a.barrier_before == b.barrier_before &&
         a.resumed == b.resumed && a.block == b.block;
}
bool is_same(const PackedPath::Place& a, const PackedPath::Place& b) {
  return a.state == b.state && a.steps == b.steps && a.alternatives == b.alternatives && a.last == b.last &&
         a.reduced == b.reduced && a.has_entered == b.has_entered;
}

class RandomPath {
 public:
  std::uint32_t number() { return static_cast<std::uint32_t>(random_()) >> (random_() % 32); }
  bool coin() { return random_() % 2 != 0; }
  PackedPath::Place place() {
    return {.state = number(),
            .steps = coin() ? 1 : number() % 5,
            .alternatives = coin() ? 0 : number(),
            .last = static_cast<MoveKind>(random_() % 6),
            .reduced = coin(),
            .has_entered = coin()};
  }
  Step step() {
    Step step;
    step.type = static_cast<StepType>(random_() % 5);
    step.op = static_cast<checker::Op>(random_() % 20);
    step.process = step.thread = number() % 100;
    step.access.location = coin() ? number() : checker::none;
    step.access.writes = coin();
    step.access.forwarded = coin();
    step.resumed = coin();
    step.block = static_cast<checker::InBlock>(random_() % 3);
    if (step.type == StepType::flush) step.process = number();
    if (step.access.writes) step.overwritten = value();
    if (has_value(step.type)) step.read = value();
    if (coin()) return step;
    step.buffered = number();
    step.entry = coin() ? number() : checker::none;
    step.previous_forward = coin() ? number() : checker::none;
    step.barrier_before = number();
    return step;
  }

 private:
  std::int64_t value() {
    if (random_() % 8 == 0) return std::numeric_limits<std::int64_t>::min();
    if (random_() % 8 == 0) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(random_()) >> (random_() % 64);
  }
  std::mt19937_64 random_{7};
};

}  // namespace

TEST_CASE("a packed path comes back as it was") {
  RandomPath random;
  PackedPath path;
  std::vector<std::vector<PackedPath::Place>> places(40);
  std::vector<std::vector<Step>> steps(40);
  std::vector<Step> all;
  for (std::size_t part = 0; part < places.size(); ++part) {
    for (int i = 0; i < 50; ++i) {
      places[part].push_back(random.place());
      for (std::uint32_t s = 0; s < places[part].back().steps; ++s) steps[part].push_back(random.step());
    }
    all.insert(all.end(), steps[part].begin(), steps[part].end());
    path.push(places[part], steps[part]);
  }
  std::size_t visited = 0;
  path.for_each_step([&](const Step& step) { CHECK(is_same(step, all[visited++])); });
  CHECK(visited == all.size());
  for (std::size_t part = places.size(); part-- > 0;) {
    REQUIRE(path.parts() > 0);
    std::vector<PackedPath::Place> places_again;
    std::vector<Step> steps_again;
    path.pop(places_again, steps_again);
    REQUIRE(places_again.size() == places[part].size());
    REQUIRE(steps_again.size() == steps[part].size());
    for (std::size_t i = 0; i < places_again.size(); ++i) CHECK(is_same(places_again[i], places[part][i]));
    for (std::size_t i = 0; i < steps_again.size(); ++i) CHECK(is_same(steps_again[i], steps[part][i]));
  }
  CHECK(path.parts() == 0);
}

TEST_CASE("a search comes back to the places of a long path as it left them") {
  const auto program = Program::from_source(
      "shared x: int = 0;\n"
      "shared y: int = 0;\n"
      "shared go: int = 0;\n"
      "mutex m;\n"
      "thread a {\n"
      "  for i in 0..36 { lock m; x = (y + 1) % 2; unlock m; let r = choose(0..1); y = r; go = i % 3; }\n"
      "}\n"
      "daemon thread b {\n"
      "  for i in 0..12 {\n"
      "    either { await go == 1; y = 1; }\n"
      "    or { await x > 0; lock m; y = 0; unlock m; }\n"
      "    or { atomic { x += y; x = x % 2; } }\n"
      "  }\n"
      "}\n",
      "long.hed");
  REQUIRE(program);
  struct Expected {
    std::string model;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
  };
  // (By a search that packs nothing.)
  for (const auto& expected :
       std::vector<Expected>{{"sc", 44375, 85879}, {"tso", 204844, 475601}, {"pso", 233511, 575095}}) {
    CAPTURE(expected.model);
    CheckOptions options{.model = expected.model};
    options.algorithm = "states";
    const auto result = check(*program, options);
    REQUIRE(result);
    CHECK(result->verdict == Verdict::safe);
    CHECK(result->counts.states == expected.states);
    CHECK(result->counts.transitions == expected.transitions);
  }
}

TEST_CASE("a violation at the end of a long path has a trace from the start") {
  const auto program = Program::from_source(
      "shared x: int = 0;\n"
      "thread a { for i in 0..3000 { let r = choose(0..1); x = i; } x = -1; }\n"
      "thread b { await x == -1; assert false; }\n",
      "long.hed");
  REQUIRE(program);
  for (const std::string model : {"sc", "tso", "pso"}) {
    CAPTURE(model);
    CheckOptions options{.model = model};
    options.algorithm = "states";
    const auto result = check(*program, options);
    REQUIRE(result);
    REQUIRE(result->violation);
    CHECK(result->violation->kind == ViolationKind::assertion);
    CHECK(result->violation->trace.steps.size() > 3000);
  }
}

}  // namespace heddle::differential
