// rf under `power`: every reads-from class exactly once.
//
// The search is that of `source` (derived_backtracking.hpp), over classes instead of traces: reads branch
// over their sources, stores over nothing. Its argument holds for classes as it does for traces, for a part
// of a possible class is possible, and in a possible class any enabled event can go last. What final memories
// a class leaves open is found at its end, by trying each thread's last write of a location as the last of
// all.
#include "checker/commits/classes.hpp"

#include "checker/commits/algorithms.hpp"
#include "checker/commits/backtracking.hpp"
#include "checker/commits/commit_machine.hpp"

namespace heddle::checker {

static_assert(LeavesMemoryOpen<PowerClasses<1>> && RunsAhead<PowerClasses<1>>);

void run_rf_derived(Search& search, const GraphObserver& observer) {
  PowerClasses<1> machine(search.image(), search.machine_options());
  DerivedBacktracking<PowerClasses<1>, DerivedRule::unless> exploration(machine, search, observer);
  run_widening(exploration, search);
}

}  // namespace heddle::checker
