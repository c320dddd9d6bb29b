// include/heddle/testing.h: the macros with doctest, and the output of a failure.
#include <doctest/doctest.h>

#include <string>

#include "heddle/heddle.h"
#include "heddle/testing.h"

namespace {

using heddle::ExpectedOutcome;
using heddle::Program;

heddle::Result<Program> lost_update() {
  return Program::from_source(
      "shared n: int; thread p { n += 1; } thread q { n += 1; } final { assert n == 2, \"lost\"; }",
      "lost.hed");
}
heddle::Result<Program> store_buffering() {
  return Program::from_source(
      "shared x: int; shared y: int; thread p { x = 1; let a = y; } thread q { y = 1; let b = x; }"
      "exists p.a == 0 && q.b == 0;",
      "sb.hed");
}

TEST_CASE("the macros accept expectations that hold") {
  CHECK_VIOLATION(lost_update(), heddle::sc, "lost");
  CHECK_SAFE(store_buffering(), heddle::tso);
  CHECK_NEVER(store_buffering(), heddle::sc);
  CHECK_SOMETIMES(store_buffering(), heddle::pso);
  CHECK_ALWAYS(Program::from_source("shared x: int; thread p { x = 1; } exists x == 1;", "always.hed"),
               heddle::tso);
  CHECK_DEADLOCK(Program::from_source("shared x: int; thread p { await x == 1; }", "stuck.hed"), heddle::sc);
}

TEST_CASE("a failed expectation shows the trace") {
  const auto text = heddle::expectation(lost_update(), heddle::sc, ExpectedOutcome::safe);
  CHECK(text.find("lost.hed under sc: expected safe, found violation: assertion failed: lost") == 0);
  CHECK(text.find("read n = 0") != std::string::npos);
  CHECK(text.find("memory: n = 1") != std::string::npos);
  CHECK(heddle::expectation(store_buffering(), heddle::tso, ExpectedOutcome::never) ==
        "sb.hed under tso: expected never, found sometimes\n");
}

TEST_CASE("a vacuous check and one cut by a bound fail a test that expects safe") {
  const auto vacuous = Program::from_source(
      "shared x: int; thread p { x = 1; assume x == 5; assert false; } exists x == 7;", "vac.hed");
  CHECK(heddle::expectation(vacuous, heddle::sc, ExpectedOutcome::safe) ==
        "vac.hed under sc: expected safe, found vacuous (vac.hed:1:34: assume x == 5)\n");
  CHECK(heddle::expectation(vacuous, heddle::sc, ExpectedOutcome::never).find("found vacuous") !=
        std::string::npos);
  const auto cut = Program::from_source(
      "shared x: int; shared n: int; thread p { while x == 0 { n += 1; } } thread q { x = 1; }", "cut.hed");
  CHECK(heddle::expectation(cut, heddle::sc, ExpectedOutcome::safe)
            .find("cut.hed under sc: expected safe, found safe within bounds (the loop bound 16 cut off") ==
        0);
  CHECK_SAFE_WITHIN_BOUNDS(cut, heddle::sc);
  // Finitely many states: the loop need not be cut.
  const auto decided = Program::from_source(
      "shared x: int; thread p { while x == 0 { x = 0; } } thread q { x = 1; }", "decided.hed");
  CHECK(heddle::expectation(decided, heddle::sc, ExpectedOutcome::safe).empty());
  CHECK_SAFE_WITHIN_BOUNDS(store_buffering(), heddle::sc);
}

TEST_CASE("wrong programs and options are failures, too") {
  const auto broken = Program::from_source("shared x int;", "broken.hed");
  CHECK(heddle::expectation(broken, heddle::sc, ExpectedOutcome::safe).find("broken.hed:1") == 0);
  CHECK(heddle::expectation(lost_update(), "no model", ExpectedOutcome::safe).find("there is no model") !=
        std::string::npos);
}

}  // namespace
