// Models as unit tests with doctest: a failure shows the trace.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <heddle/testing.h>

#include "models.hpp"

TEST_CASE("store buffering") {
  CHECK_NEVER(store_buffering(false), heddle::sc);
  CHECK_SOMETIMES(store_buffering(false), heddle::tso);
  CHECK_NEVER(store_buffering(true), heddle::tso);
  CHECK_NEVER(store_buffering(true), heddle::pso);
}

TEST_CASE("a program from text") {
  const auto program = heddle::Program::from_source(
      "shared n: int; thread w[i: 0..2] { fetch_add(n, 1); } final { assert n == 2; }", "counter");
  CHECK_SAFE(program, heddle::pso);
}
