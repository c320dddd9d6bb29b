// trust under `power`: every trace of the derived execution model exactly once, in polynomial memory.
//
// The algorithm is that of trust.cpp (its conditions there), with prefixes in commit-before in the place of
// program order and reads-from, as in "HMC: Model checking for hardware memory models" (Kokologiannakis and
// Vafeiadis, ASPLOS'20): under POWER the events before a write in program order need not be kept when the
// write becomes the source of an earlier read, and in a load-buffering cycle cannot be. What the algorithm
// asks of a model holds for the derived one (paper 2, theorem on deadlock freedom): it is closed under
// cb-prefixes, and an event that cb allows can always go last, or read from the newest write.
//
// - The next event is a function of the graph: the first by kind and name of those that cb allows.
// - Every event has a stamp, its place in the order of insertion, which a revisited read keeps. The order of
//   the machine's steps is another one: there the read comes behind its new source.
// - A revisit (cut, try_place) takes the run back to the first step that goes, commits those that stay again,
//   then the write, at every place, and then the read. `mend` commits what was there before.
// - A successful read-modify-write is one step; it revisits once for each source, with what its source needs
//   in its prefix. A revisited one that writes again revisits in its turn.
// - A lock whose mutex is taken is added as a read that is stuck (StuckLock); the machine knows nothing of
//   it. An unlock may revisit it as it may revisit any read; a lock that takes the mutex away from another
//   one leaves that one stuck. Where the mutex is free in the end, or has another owner, the execution with
//   the lock is another one: the run counts as blocked.
// - Memory: nodes, and the steps that each revisit on the stack has cut away.
#include "checker/commits/trust_derived.hpp"
#include "checker/commits/algorithms.hpp"

namespace heddle::checker {

void run_trust_derived(Search& search, const GraphObserver& observer) {
  PowerMachine<1> machine(search.image(), search.machine_options());
  DerivedTrust<PowerMachine<1>> trust(machine, search, observer);
  run_widening(trust, search);
}

}  // namespace heddle::checker
