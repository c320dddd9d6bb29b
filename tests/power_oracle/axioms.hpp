// The axioms of POWER (Alglave, Maranget, Tautschnig, "Herding cats", TOPLAS 2014), evaluated from scratch.
//
// A direct transcription of the definitions: relations are sets of pairs, combined by union, composition and
// closure, and nothing is kept from one candidate to the next. Shares nothing with the checker.
#pragma once

#include "tests/power_oracle/relation.hpp"

namespace heddle::power_oracle {

// A candidate execution. Initial writes are not events: no relation leads to them, so they are in no cycle.
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
  // Of the program. The fence relations contain all pairs of events around a fence, of whatever kind.
  Relation po, same_thread, same_location, address, data, control, control_isync, sync, lwsync, eieio, rmw;
  // Of the execution. `co` is transitive.
  Relation rf, co;
};

// The relations that the axioms constrain.
struct Derived {
  Relation coherence;  // (po-loc | rf | co | fr)+
  Relation fre, prop, hb_star;
  Relation order;  // ppo | fences
  bool consistent;
};

// Everything is monotonic in rf, read_initial and co: if a candidate with some sources or coherence edges
// missing is inconsistent, so is every completion of it.
[[nodiscard]] Derived derive(const Candidate& candidate);

}  // namespace heddle::power_oracle
