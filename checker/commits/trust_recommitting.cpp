// trust (trust.hpp) with revisits that commit the remaining events again: under POWER. Under the other models
// it is the oracle for revisits in place (trust.cpp), for executions of some 60 events.
#include "checker/commits/ahead_waits.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/preemption_bounded.hpp"
#include "checker/commits/recommits.hpp"
#include "checker/commits/trust.hpp"
#include "checker/commits/widening.hpp"

namespace heddle::checker {

namespace {

using Narrowest = Recommits<AheadWaits<PreemptionBounded<PowerMachine<1>>>>;

static_assert(RevisitsChoices<Narrowest> && BoundsPreemptions<Narrowest>);

}  // namespace

void run_trust_recommitting(Search& search, const GraphObserver& observer) {
  const auto explore = [&](auto& machine, Search& mine, const Part& part) {
    return Trust(machine, mine, observer).run(part);
  };
  if (search.options().model == power_model) return explore_parts_widening<Narrowest>(search, explore);
  with_commit_machine(search, [&]<typename Plain>() {
    using Machine = Recommits<Plain>;
    Machine machine(search.image(), search.machine_options());
    if (!explore(machine, search, Part{})) search.stop(std::string(Machine::out_of_room));
  });
}

void sample_trust_recommitting(Search& search, std::uint64_t seed, Samples& samples) {
  sample_trust_on<Narrowest>(search, seed, samples);
}

}  // namespace heddle::checker
