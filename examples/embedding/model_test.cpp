// Models as unit tests: a failure shows the trace.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <heddle/builder.h>
#include <heddle/testing.h>

namespace {

heddle::Result<heddle::Program> store_buffering(bool fenced) {
  heddle::ProgramBuilder p(fenced ? "SB+fences" : "SB");
  const auto x = p.shared("x"), y = p.shared("y");
  const auto left = p.thread("left", [&](auto& t) {
    t.store(x, 1);
    if (fenced) t.fence();
    t.load(y, "a");
  });
  const auto right = p.thread("right", [&](auto& t) {
    t.store(y, 1);
    if (fenced) t.fence();
    t.load(x, "b");
  });
  p.exists(left["a"] == 0 && right["b"] == 0);
  return p.compile();
}

}  // namespace

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
