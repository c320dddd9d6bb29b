// rsmc: every complete trace of a derived execution model exactly once.
//
// Abdulla, Atig, Jonsson, Leonardsson, "Stateless model checking for POWER", CAV'16 (paper 2), figure 7;
// algorithms.md, "rsmc". The models' runs are sequences of committed events with parameters, in any order
// that cb allows (execution/power_machine.hpp, and graph_machine.hpp for SC, TSO and PSO, whose cb is po|rf).
//
//   explore(run): select an enabled event e and branch over its parameters. A store is checked for races
//     first: each load r that was committed before it and need not be could read from it (detect_races). At
//     the node where explore committed r, one more branch is noted for that:  c . e[*] . r[e],  with c the
//     events since then that are cb-before e, in an order that depends on nothing but cb.
//   A node takes its branches after its parameters, each once (traverse).
//
// Why each trace comes exactly once, also with the additions below: the traces that go on from a node are
// divided by the source of its load r, by what is already there, or else by the writer e and by what is
// cb-before e together with the parameters, restricted to these events. Both are functions of the trace.
//
// How this differs from the paper
// - The recursion is a stack of nodes, and nodes are found by the step that they committed (`owners_`), which
//   is the paper's P. Events that traverse has committed have no node: other sources for them are other
//   branches of the same node as the one that is being traversed, or of one above.
// - A read-modify-write e is committed as a whole. As its source is one of its predecessors, the branch is
//   c . e[x] . r[e], for each write x that it could read from without coming after r, with c the events that
//   are before e or before x.
// - Mutexes. A `lock` r can only take over a free mutex, so nothing is gained by letting it read from another
//   lock. The branch is c . e[x] alone, with the mutex taken by e in the place of r; r then comes where the
//   search meets it. Locks that are still waiting at the end of a run look for races, too.
// - `choose` is an event whose parameter is its value.
// - Where a branch is taken, the places of its stores are those of the trace without the other events.
#include "checker/commits/algorithms.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/rsmc_search.hpp"

namespace heddle::checker {

void run_rsmc(Search& search) { run_rsmc(search, {}); }

void run_rsmc(Search& search, const GraphObserver& observer) {
  with_derived_model(search, [&]<typename Machine>() { run_rsmc_on<Machine>(search, observer); });
}

}  // namespace heddle::checker
