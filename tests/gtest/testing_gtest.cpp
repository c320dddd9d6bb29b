// include/heddle/testing.h with GoogleTest: the macros accept expectations that hold, and a failure shows the
// result.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "heddle/testing.h"

namespace {

heddle::Result<heddle::Program> lost_update() {
  return heddle::Program::from_source(
      "shared n: int; thread p { n += 1; } thread q { n += 1; } final { assert n == 2, \"lost\"; }"
      "exists n == 1;",
      "lost.hed");
}

heddle::Result<heddle::Program> stuck() {
  return heddle::Program::from_source("shared x: int; thread p { await x == 1; }", "stuck.hed");
}

TEST(Macros, AcceptWhatHolds) {
  CHECK_VIOLATION(lost_update(), heddle::sc, "lost");
  CHECK_DEADLOCK(stuck(), heddle::tso);
  const auto relaxed = heddle::Program::from_source(
      "shared x: int; shared y: int; thread p { x = 1; y = 1; } thread q { let a = y; let b = x; }"
      "exists q.a == 1 && q.b == 0;",
      "mp.hed");
  CHECK_SAFE(relaxed, heddle::sc);
  CHECK_NEVER(relaxed, heddle::tso);
  CHECK_SOMETIMES(relaxed, heddle::pso);
  CHECK_SOMETIMES(relaxed, heddle::power);
  CHECK_ALWAYS(
      heddle::Program::from_source("shared x: int; thread p { x = 1; } exists x == 1;", "always.hed"),
      heddle::tso);
}

TEST(Macros, AFailureShowsTheTrace) {
  EXPECT_NONFATAL_FAILURE(CHECK_SAFE(lost_update(), heddle::sc), "expected safe, found violation");
  EXPECT_NONFATAL_FAILURE(CHECK_SAFE(lost_update(), heddle::sc), "read n = 0");
  EXPECT_NONFATAL_FAILURE(CHECK_SAFE(stuck(), heddle::sc), "deadlock");
}

TEST(Macros, AProgramThatDoesNotCompileIsAFailure) {
  EXPECT_NONFATAL_FAILURE(CHECK_SAFE(heddle::Program::from_source("shared x int;", "broken.hed"), heddle::sc),
                          "broken.hed:1");
}

}  // namespace
