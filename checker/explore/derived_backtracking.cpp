// dpor, source and sdpor under `power`: the searches of derived_backtracking.hpp, which says what they do and
// why they are complete.
//
// What each guarantees: every violation and final state; dpor and source complete each (po, rf, co) trace
// exactly once, sdpor meets each partial trace and so each complete one once. What they do in vain shows as
// sleep-set-blocked runs, or as re-visited states.
#include "checker/explore/derived_backtracking.hpp"
#include "checker/explore/derived_algorithms.hpp"
#include "checker/explore/derived_machines.hpp"

namespace heddle::checker {

namespace {

template <typename Machine, DerivedRule rule>
void run_to_the_end(DerivedBacktracking<Machine, rule>& exploration, Search& search) {
  if (exploration.run()) return;
  if constexpr (Machine::words < widest_machine) {
    using Wider = typename Machine::template Widened<widest_machine>;
    Wider machine(search.image(), search.machine_options());
    DerivedBacktracking<Wider, rule> wider(machine, std::move(exploration));
    run_to_the_end(wider, search);
  } else {
    search.stop("an execution of more than 1,000 events");
  }
}

template <DerivedRule rule>
void run(Search& search, const GraphObserver& observer) {
  PowerMachine<1> machine(search.image(), search.machine_options());
  DerivedBacktracking<PowerMachine<1>, rule> exploration(machine, search, observer);
  run_to_the_end(exploration, search);
}

}  // namespace

void run_dpor_derived(Search& search, const GraphObserver& observer) {
  run<DerivedRule::first>(search, observer);
}
void run_source_derived(Search& search, const GraphObserver& observer) {
  run<DerivedRule::unless>(search, observer);
}
void run_sdpor_derived(Search& search, const GraphObserver& observer) {
  run<DerivedRule::stateful>(search, observer);
}

}  // namespace heddle::checker
