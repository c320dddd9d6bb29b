// Programs on which the algorithms once disagreed, each with the cause.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "generate.hpp"
#include "properties.hpp"

namespace heddle::differential {

namespace {

struct Regression {
  const char* cause;
  const char* text;
};

const std::vector<Regression>& regressions() {
  static const std::vector<Regression> list{
      {"a failed assertion at a thread's end could not be resumed",
       "shared y: int = 2;\n"
       "thread p0 { assert y == 0; }\n"
       "thread p1 { y = 1; }\n"},
      {"dpor let the unlock between two locks go first",
       "mutex m;\n"
       "thread p0 { lock m; unlock m; }\n"
       "thread p1 { lock m; }\n"},
      {"the same with trylock",
       "mutex m;\n"
       "thread p0 { let r0 = trylock m ? 1 : 0; unlock m; }\n"
       "thread p1 { lock m; }\n"},
      {"sdpor forgot the lock that waits at a known state",
       "shared x: int = 0;\n"
       "mutex m;\n"
       "thread p0 { lock m; }\n"
       "thread p1 { lock m; unlock m; let r0 = x; lock m; unlock m; }\n"},
      {"a choice left the sleep set to whatever memory held",
       "shared x: int = 0;\n"
       "thread p0 { var r0: int = 0; while r0 < 1 { x -= 0; r0 += 1; } }\n"
       "thread p1 { let r0 = choose(0..1); }\n"},
      {"sdpor: a choice cut the graph of operations",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "mutex m;\n"
       "thread p0 { y = 0; }\n"
       "thread p1 { let r0 = trylock m ? 1 : 0; let r1 = x; let r2 = choose(0..1); y += 1; }\n"},
      {"an unlock of somebody else's mutex was done all the same",
       "mutex n;\n"
       "thread p0 { lock n; unlock n; unlock n; lock n; }\n"
       "thread p1 { lock n; }\n"},
      {"trust overlooked an order of writes around a lock",
       "shared y: int = 0;\n"
       "mutex m;\n"
       "thread p0 { y = 0; lock m; }\n"
       "thread p1 { lock m; unlock m; y = 0; }\n"},
      {"trust under power went through the parameters that an event has in another run",
       "shared x: int = 0;\n"
       "thread p0 { let r0 = exchange(x, 0); }\n"
       "thread p1 { var r0: int = 0; r0 = x; r0 = fetch_or(x, 0); let r1 = fetch_and(x, 0); }\n"
       "thread p2 { let r0 = exchange(x, 0); x = 0; }\n"
       "thread p3 { x = 0; }\n"},
      {"trust counted graphs twice that have forwarded loads beside updates",
       "shared x: int = 0;\n"
       "thread p0 { x = 0; x = 0; x += 0; }\n"
       "thread p1 { let r0 = fetch_add(x, 0); }\n"},
      {"preemptions: a backtrack point on a choice was lost",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "thread p0 { let r0 = choose(0..1); let r1 = x; x = 1; }\n"
       "thread p1 { y = x; }\n"},
      {"preemptions: a store was to be flushed that was not buffered yet",
       "shared x: int = 0;\n"
       "thread p0 { let r0 = x; let r1 = x; }\n"
       "thread p1 { x = 0; let r0 = x; x = 1; }\n"},
      {"preemptions: the switch was free only behind a flush",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "thread p0 { x = 1; y |= x; }\n"
       "thread p1 { let r0 = exchange(x, 0); }\n"},
      {"preemptions: the switch was free only before a flush that the thread waited for",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "thread p0 { let r1 = fetch_or(x, 0); y = 0; let r2 = cas(x, 0, 0) ? 1 : 0; let r3 = x; }\n"
       "thread p1 { x = 1; let r0 = fetch_add(x, 1); }\n"},
      {"preemptions: sdpor forgot races of the running thread behind a known state",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "shared z: int = 0;\n"
       "thread p0 { let r1 = y; let r2 = x; }\n"
       "thread p1 { z = 0; let r1 = exchange(x, 1); }\n"},
      {"preemptions: a thread that the violation leaves for good counted as preempted",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "thread p0 { x = 1; y = 1; }\n"
       "thread p1 { let r0 = x; let r1 = y; assert !(r0 == 1 && r1 == 0); }\n"},
      {"preemptions: trust gave up a graph in which another thread could yet fail",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "thread p0 { let r0 = exchange(x, 1); let r1 = exchange(y, 1); }\n"
       "thread p1 { let r0 = x; let r1 = y; let r2 = x; assert !(r0 == 1 && r1 == 0); }\n"},
      {"preemptions: behind a fence the thread had to wait for a mutex, and to leave it was free",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "shared z: int = 0;\n"
       "mutex m;\n"
       "thread p0 { let r0 = y; let r1 = fetch_add(z, 1); x = 1; fence; lock m; unlock m; }\n"
       "thread p1 { lock m; y = 1; let r0 = z; let r1 = x; unlock m; }\n"},
      {"preemptions: each of the threads that could go on cost one, and only the first was taken",
       "shared x: int = 0;\n"
       "shared y: int = 0;\n"
       "thread p0 { let r0 = fetch_add(x, 1); let r1 = x; }\n"
       "thread p1 { let r0 = fetch_add(y, 1); let r1 = y; assert x == 0 || r1 == 0; }\n"
       "thread p2 { let r0 = x; let r1 = y; }\n"},
      {"dpor and source under power counted traces in which an await had read a write that was no longer the "
       "newest",
       "shared x: int;\n"
       "shared z: int = 3;\n"
       "mutex m;\n"
       "fn get() { while fetch_sub(z, 2) < 2 { } }\n"
       "thread p0 { while fetch_sub(z, 2) < 0 { } x = 0; fetch_add(z, 0); }\n"
       "thread p1 { fetch_add(z, 1); await z >= 1; }\n"
       "thread p2 { x = x + 0; get(); lock m; z = 1; }\n"},
      {"sdpor under power gave up a run that stood for a deadlock, since its await had read such a write",
       "shared x: int;\n"
       "shared z: int = 1;\n"
       "mutex m;\n"
       "thread p0 { while fetch_add(z, 1) >= 1 { fetch_sub(z, 1); if x == 2 { fence; } } }\n"
       "thread p1 { var r = 0; while fetch_sub(z, 2) != 2 { fetch_add(z, 2); fence; } r = x; }\n"
       "thread p2 { var r = 0; lock m; x = r; unlock m; await z == 2; }\n"},
  };
  return list;
}

}  // namespace

TEST_CASE("programs on which the algorithms once disagreed agree under every model and bound") {
  CompileOptions options;
  options.unroll = spin_rounds;
  for (const auto& [cause, text] : regressions()) {
    INFO(cause << "\n" << text);
    const auto program = Program::from_source(text, "regression.hed", options);
    REQUIRE(program);
    for (const auto& model : models()) {
      const std::string name(model.name);
      CHECK(algorithms_agree(*program, name).difference == "");
      CHECK(preemption_bounds_agree(*program, name).difference == "");
      if (model.has_buffers) CHECK(buffer_bounds_agree(*program, name).difference == "");
    }
    CHECK(models_are_ordered(*program).difference == "");
  }
}

}  // namespace heddle::differential
