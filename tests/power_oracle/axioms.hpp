// The axioms of POWER (Alglave, Maranget, Tautschnig, "Herding cats", TOPLAS 2014), evaluated from scratch.
//
// Written down from the definitions: relations are sets of pairs, combined by union, composition and closure,
// and nothing is kept from one candidate to the next. It shares nothing with the checker.
#pragma once

#include "tests/power_oracle/relation.hpp"

namespace heddle::power_oracle {

// A candidate execution. Initial writes are no events: nothing leads to one, so that none is part of a cycle.
struct Candidate {
  explicit Candidate(unsigned count)
      : events(count),
        po(count),
        same_thread(count),
        same_location(count),
        address(count),
        data(count),
        control(count),
        control_isync(count),
        sync(count),
        lwsync(count),
        eieio(count),
        rmw(count),
        rf(count),
        co(count) {}

  unsigned events;
  Set reads = 0;
  Set writes = 0;
  Set read_initial = 0;  // reads of initial writes
  // Of the program. The fences relate all pairs that stand around one, whatever they are.
  Relation po, same_thread, same_location, address, data, control, control_isync, sync, lwsync, eieio, rmw;
  // Of the execution. `co` is transitive.
  Relation rf, co;
};

// What the axioms are about.
struct Derived {
  Relation coherence;  // (po-loc | rf | co | fr)+
  Relation fre, prop, hb_star;
  bool consistent;
};

// All of it is monotonic in rf, read_initial and co: a candidate some of whose sources or coherence edges are
// missing is inconsistent only if it stays so whatever they are.
[[nodiscard]] Derived derive(const Candidate& candidate);

}  // namespace heddle::power_oracle
