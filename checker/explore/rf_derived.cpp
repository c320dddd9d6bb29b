// rf under `power`: every reads-from class exactly once.
//
// The search is that of `source` (derived_backtracking.hpp), over classes instead of traces: reads branch
// over their sources, stores over nothing. Its argument holds for classes as it does for traces, for a part
// of a possible class is possible, and in a possible class any enabled event can go last. What final memories
// a class leaves open is found at its end, by trying each thread's last write of a location as the last of
// all.
#include "checker/explore/rf_derived.hpp"

#include "checker/explore/derived_algorithms.hpp"
#include "checker/explore/derived_backtracking.hpp"

namespace heddle::checker {

namespace {

template <typename Machine>
void run_to_the_end(DerivedBacktracking<Machine, DerivedRule::unless>& exploration, Search& search) {
  if (exploration.run()) return;
  if constexpr (Machine::words < widest_machine) {
    using Wider = typename Machine::template Widened<widest_machine>;
    Wider machine(search.image(), search.machine_options());
    machine.watch(search);
    DerivedBacktracking<Wider, DerivedRule::unless> wider(machine, std::move(exploration));
    run_to_the_end(wider, search);
  } else {
    search.stop("an execution of more than 1,000 events");
  }
}

}  // namespace

void run_rf_derived(Search& search, const GraphObserver& observer) {
  PowerClasses<1> machine(search.image(), search.machine_options());
  machine.watch(search);
  DerivedBacktracking<PowerClasses<1>, DerivedRule::unless> exploration(machine, search, observer);
  run_to_the_end(exploration, search);
}

}  // namespace heddle::checker
