#include "checker/interleavings/operations_after.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace heddle::checker {
namespace {

std::vector<Location> locations_after(const OperationsAfter& operations, OperationsAfter::State state) {
  std::vector<Location> result;
  operations.for_each_after(
      state, [&](const OperationsAfter::Operation& operation) { result.push_back(operation.location); });
  return result;
}

using Locations = std::vector<Location>;

}  // namespace

TEST_CASE("what follows a state follows those before it") {
  OperationsAfter operations;
  operations.enter();
  operations.add({.process = 0, .location = 1});
  operations.enter();
  operations.add({.process = 1, .location = 2});
  operations.add({.process = 1, .location = none});  // not on memory
  operations.enter();
  operations.leave(2);
  operations.leave(1);
  operations.enter();
  operations.add({.process = 0, .location = 3});
  operations.leave(3);
  operations.leave(0);
  CHECK(locations_after(operations, 2).empty());
  CHECK(locations_after(operations, 1) == Locations{2});
  CHECK(locations_after(operations, 3) == Locations{3});
  CHECK(locations_after(operations, 0) == Locations{1, 2, 3});
}

TEST_CASE(
    "a path that ends at a known state has its operations, and a state that is entered again keeps its own") {
  OperationsAfter operations;
  operations.enter();
  operations.enter();
  operations.add({.process = 0, .location = 1});
  operations.leave(1);
  operations.enter();
  operations.add_after(1);
  operations.leave(2);
  operations.enter();
  operations.add({.process = 0, .location = 2});
  operations.leave(1);
  operations.leave(0);
  CHECK(locations_after(operations, 2) == Locations{1});
  CHECK(locations_after(operations, 1) == Locations{1, 2});
  CHECK(locations_after(operations, 0) == Locations{1, 2});
}

TEST_CASE("reads, writes and processes are kept apart, and a location may have any number") {
  OperationsAfter operations;
  operations.enter();
  for (const bool writes : {false, true}) {
    for (const ProcessId process : {0U, 9U}) operations.add({process, 1'000'000, writes});
  }
  operations.add({0, 1'000'000, true});  // a second time
  operations.leave(0);
  CHECK(locations_after(operations, 0).size() == 4);
}

TEST_CASE("more operations than a word has bits") {
  constexpr Location states = 300;
  OperationsAfter operations;
  for (Location state = 0; state < states; ++state) {
    operations.enter();
    operations.add({.process = 0, .location = state});
  }
  for (Location state = states; state-- > 0;) operations.leave(state);
  for (Location state = 0; state < states; state += 13) {
    Locations expected;
    for (Location later = state; later < states; ++later) expected.push_back(later);
    CHECK(locations_after(operations, state) == expected);
  }
}

TEST_CASE("very many operations all follow each state") {
  constexpr auto most = static_cast<Location>(OperationsAfter::most_operations);
  OperationsAfter operations;
  operations.enter();
  operations.add({.process = 0, .location = 0});
  operations.enter();
  for (Location location = 1; location < most; ++location)
    operations.add({.process = 0, .location = location});
  operations.leave(1);
  CHECK(locations_after(operations, 1).size() == most - 1);
  operations.enter();
  operations.add({.process = 0, .location = most});
  operations.add_after(1);
  operations.leave(2);
  operations.leave(0);
  CHECK(locations_after(operations, 1).size() == most + 1);
  CHECK(locations_after(operations, 2).size() == most + 1);
}

}  // namespace heddle::checker
