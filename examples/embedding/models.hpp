// Models that the tests of both frameworks check.
#pragma once

#include <heddle/builder.h>

// Two threads, each of which writes one variable and reads the other.
inline heddle::Result<heddle::Program> store_buffering(bool fenced) {
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
