#include "checker/interleavings/local_futures.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace heddle::checker {

TEST_CASE("what may follow a local state may follow those before it, whichever is noted first") {
  LocalFutures futures(2);
  futures.add_step(0, 0, 1);
  futures.add(0, 1, 7);
  futures.add(0, 2, 8);
  CHECK(futures.may_follow(0, 0, 7));
  CHECK_FALSE(futures.may_follow(0, 0, 8));
  futures.add_step(0, 1, 2);
  CHECK(futures.may_follow(0, 0, 8));
  CHECK(futures.may_follow(0, 1, 8));
  CHECK_FALSE(futures.may_follow(0, 2, 7));
  CHECK_FALSE(futures.may_follow(1, 0, 7));   // another thread
  CHECK_FALSE(futures.may_follow(0, 9, 7));   // a local state at which nothing was seen
  CHECK_FALSE(futures.may_follow(0, 0, 99));  // an operation that was not seen
}

TEST_CASE("rounds of a loop, and more operations than a word has bits") {
  LocalFutures futures(1);
  constexpr std::uint32_t states = 300;
  for (std::uint32_t state = 0; state < states; ++state) {
    futures.add(0, state, state);
    futures.add_step(0, state, state + 1);
  }
  for (std::uint32_t state = 0; state < states; state += 13) {
    for (std::uint32_t operation = 0; operation < states; ++operation)
      CHECK(futures.may_follow(0, state, operation) == (operation >= state));
  }
  futures.add_step(0, states, 0);
  for (std::uint32_t operation = 0; operation < states; ++operation)
    CHECK(futures.may_follow(0, states, operation));
}

TEST_CASE("after too much work everything may follow") {
  LocalFutures futures(1);
  std::uint32_t state = 0;
  while (!futures.may_follow(0, state, 0) || state == 0) {
    REQUIRE(state < 100'000);
    futures.add(0, state, state);
    futures.add_step(0, state, state + 1);
    ++state;
  }
  CHECK(futures.may_follow(0, 0, state + 1));
  CHECK(futures.memory_used() == 0);
  futures.add(0, 0, 0);
  futures.add_step(0, 0, 1);
}

}  // namespace heddle::checker
