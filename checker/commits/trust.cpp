// trust (trust.hpp) under SC, TSO and PSO.
#include "checker/commits/trust.hpp"

#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/graph_machine.hpp"
#include "checker/commits/widening.hpp"
#include "checker/preemption_bound/preemption_bound.hpp"

namespace heddle::checker {

namespace {

template <typename Model>
using BoundedMachine = GraphMachine<Model, 1, PreemptionBound>;

static_assert(BoundsPreemptions<BoundedMachine<SequentialConsistencyAxioms>>);
static_assert(BoundsPreemptions<BoundedMachine<TotalStoreOrderAxioms>>);
static_assert(BoundsPreemptions<BoundedMachine<PartialStoreOrderAxioms>>);

}  // namespace

void run_trust(Search& search) { run_trust(search, {}); }

void run_trust(Search& search, const GraphObserver& observer) {
  const auto& model = search.options().model;
  const bool found =
      AxiomaticModels::visit(axioms_of(model, search.options().buffer_bound), [&]<typename Model>() {
        explore_parts_widening<BoundedMachine<Model>>(search,
                                                      [&](auto& machine, Search& mine, const Part& part) {
                                                        return Trust(machine, mine, observer).run(part);
                                                      });
      });
  if (!found) throw NoImplementation(model);
}

void sample_trust(Search& search, std::uint64_t seed, Samples& samples) {
  const auto& model = search.options().model;
  const bool found = AxiomaticModels::visit(
      axioms_of(model, search.options().buffer_bound),
      [&]<typename Model>() { sample_trust_on<BoundedMachine<Model>>(search, seed, samples); });
  if (!found) throw NoImplementation(model);
}

}  // namespace heddle::checker
