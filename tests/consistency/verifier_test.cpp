// Compares the verifiers with the oracle on random instances. HEDDLE_CONSISTENCY_INSTANCES sets their number
// per model.
#include "checker/verifier/verifier.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "tests/consistency/oracle.hpp"
#include "tests/environment.hpp"

namespace {

using namespace heddle::consistency;         // NOLINT
using namespace heddle::consistency::tests;  // NOLINT

std::uint32_t instances() {
  const auto usual = heddle::tests::sized<std::uint64_t>(5'000, 20'000);
  return static_cast<std::uint32_t>(
      heddle::tests::number_from_environment("HEDDLE_CONSISTENCY_INSTANCES", usual));
}

std::string text(const Instance& instance) {
  std::string result;
  for (ThreadId t = 0; t < instance.threads(); ++t) {
    result += "thread " + std::to_string(t) + ":";
    for (auto e = instance.first[t]; e < instance.first[t + 1]; ++e) {
      const auto& event = instance.events[e];
      result += " " + std::to_string(e) + "[";
      if ((event.effect & Effect::orders_stores) != 0) result += "st";
      if ((event.effect & Effect::drains) != 0) result += "F";
      if ((event.effect & Effect::reads) != 0) {
        result += "R" + std::to_string(event.location) + "<-" +
                  (event.source == no_event ? "init" : std::to_string(event.source));
      }
      if ((event.effect & Effect::writes) != 0) result += "W" + std::to_string(event.location);
      if ((event.effect & Effect::direct) != 0) result += "!";
      result += "]";
    }
    result += "\n";
  }
  for (const auto& last : instance.final_writes) {
    result += "finally " + std::to_string(last.location) + " has " +
              (last.write == no_event ? "init" : std::to_string(last.write)) + "\n";
  }
  if (instance.buffer_bound != Instance::unbounded)
    result += "room for " + std::to_string(instance.buffer_bound) + "\n";
  return result;
}

const char* name(Model model) { return model == Model::sc ? "sc" : model == Model::tso ? "tso" : "pso"; }

struct Tally {
  std::uint32_t realisable = 0;
  std::uint32_t unrealisable = 0;
};

// Compares every verifier, with and without closure, with the oracle.
void compare(Verifier& verifier, const Instance& instance, Model model, Tally& tally) {
  const bool expected = realisable(instance, model);
  ++(expected ? tally.realisable : tally.unrealisable);
  CAPTURE(text(instance));
  CAPTURE(name(model));
  for (const auto closure : {UseClosure::never, UseClosure::first, UseClosure::when_stuck}) {
    CAPTURE(static_cast<int>(closure));
    REQUIRE_EQ(verifier.verify(instance, model, closure), expected);
    if (expected) REQUIRE(replays(instance, model, verifier.witness()));
    REQUIRE_EQ(verifier.verify_naive(instance, model, closure), expected);
    if (expected) REQUIRE(replays(instance, model, verifier.witness()));
  }
  if (instance.buffer_bound == 0) return;
  Closure closure;
  const bool closed = closure.compute(instance, model, {});
  if (expected) REQUIRE(closed);
}

void run(Model model, const Shape& shape, std::uint32_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Verifier verifier;
  Tally tally;
  // At least half of the instances must be unrealisable: spoilt ones are added until they are.
  while (tally.realisable < count / 2 || tally.unrealisable < count / 2) {
    const bool spoil = tally.realisable >= count / 2 || tally.unrealisable <= tally.realisable;
    compare(verifier, random_instance(random, model, shape, spoil), model, tally);
  }
  MESSAGE(std::string(name(model)), ": ", tally.realisable, " realisable, ", tally.unrealisable, " not");
}

}  // namespace

TEST_CASE("verifiers agree with all runs of the machine under SC") {
  run(Model::sc, {.store_fences = false}, instances(), 1);
}

TEST_CASE("verifiers agree with all runs of the machine under TSO") {
  run(Model::tso, {.store_fences = false}, instances(), 2);
}

TEST_CASE("verifiers agree with all runs of the machine under PSO") {
  run(Model::pso, {.store_fences = false}, instances(), 3);
}

TEST_CASE("verifiers agree with all runs of the machine under PSO with store-store fences") {
  run(Model::pso, {}, instances(), 4);
}

TEST_CASE("verifiers agree with all runs of the machine on plain loads, stores and fences under PSO") {
  run(Model::pso, {.locked = false, .store_fences = false, .final_writes = false}, instances(), 5);
}

TEST_CASE("verifiers agree with all runs of the machine on chains of read-modify-writes") {
  const Shape shape{.locations = 2, .locked_share = 4, .fences = false, .store_fences = false};
  run(Model::tso, shape, instances(), 7);
  run(Model::pso, shape, instances(), 8);
}

TEST_CASE("verifiers agree with all runs of the machine with bounded store buffers") {
  const Shape shape{.threads = 3, .locations = 2, .fences = false, .largest_bound = 2};
  run(Model::tso, shape, instances(), 9);
  run(Model::pso, shape, instances(), 10);
}

TEST_CASE("a store may have to reach memory before a chain of updates under PSO") {
  // The fence maps of the two orders of the exchange and the first update are equal.
  Instance instance;
  instance.locations = 2;
  instance.events = {{Effect::read_modify_write, 0, 1},         // x: from the store of the next thread
                     {Effect::store, 0, no_event},              // x
                     {Effect::read_modify_write, 0, 0},         // x: from the first update
                     {Effect::load, 1, 4},                      // y: from the exchange
                     {Effect::read_modify_write, 1, no_event},  // y
                     {Effect::store, 1, no_event},
                     {Effect::store, 0, no_event},
                     {Effect::read_modify_write, 0, 2}};  // x: from the second update
  instance.first = {0, 1, 4, 8};
  Verifier verifier;
  REQUIRE(realisable(instance, Model::pso));
  CHECK(verifier.verify(instance, Model::pso));
  CHECK(replays(instance, Model::pso, verifier.witness()));
  CHECK_FALSE(verifier.verify(instance, Model::tso));
}

TEST_CASE("closure decides all instances of two threads") {
  std::mt19937_64 random(6);
  Closure closure;
  for (const auto model : {Model::sc, Model::tso, Model::pso}) {
    for (std::uint32_t i = 0; i < instances() / 4; ++i) {
      Shape shape{.threads = 2, .store_fences = false, .final_writes = false};
      if (i % 3 == 0) shape.largest_bound = 2;
      auto instance = random_instance(random, model, shape, i % 4 != 0);
      if (instance.buffer_bound == 0) continue;
      CAPTURE(text(instance));
      CAPTURE(name(model));
      REQUIRE_EQ(closure.compute(instance, model, {}), realisable(instance, model));
    }
  }
}
