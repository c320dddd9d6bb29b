// trust (trust.hpp) where revisits commit again what stays: under POWER. Under the other models it is the oracle
// for revisits in place (trust.cpp), for executions of some 60 events.
#include "checker/commits/machines.hpp"
#include "checker/commits/recommits.hpp"
#include "checker/commits/trust.hpp"

namespace heddle::checker {

static_assert(RevisitMachine<Recommits<PowerMachine<1>>>);

void run_trust_recommitting(Search& search, const GraphObserver& observer) {
  if (search.options().model == power_model)
    return explore_trust<Recommits<PowerMachine<1>>>(search, observer);
  with_derived_model(search, [&]<typename Narrowest>() {
    using Machine = Recommits<Narrowest>;
    Machine machine(search.image(), search.machine_options());
    if (!Trust<Machine>(machine, search, observer).run()) search.stop(std::string(Machine::out_of_room));
  });
}

}  // namespace heddle::checker
