// dpor, source and sdpor under `power`: the searches of derived_backtracking.hpp, which says what they do and
// why they are complete.
//
// What each guarantees: every violation and final state; dpor and source complete each (po, rf, co) trace
// exactly once, sdpor meets each partial trace and so each complete one once. What they do in vain shows as
// sleep-set-blocked runs, or as re-visited states.
#include "checker/commits/backtracking.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/commits/power_machine.hpp"

namespace heddle::checker {

namespace {

template <DerivedRule rule>
void run(Search& search, const GraphObserver& observer) {
  PowerMachine<1> machine(search.image(), search.machine_options());
  DerivedBacktracking<PowerMachine<1>, rule> exploration(machine, search, observer);
  run_widening(exploration, search);
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
