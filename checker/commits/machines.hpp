// How the algorithms over commit machines get the one of the requested model.
#pragma once

#include <cstddef>
#include <type_traits>

#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/commit_machine.hpp"
#include "checker/commits/graph_machine.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

static_assert(CommitMachine<PowerMachine<1>> && HasKey<PowerMachine<1>> && RunsAhead<PowerMachine<1>>);
static_assert(HoldsGraph<GraphMachine<SequentialConsistencyAxioms, 1>>);
static_assert(HoldsGraph<GraphMachine<TotalStoreOrderAxioms, 1>>);
static_assert(HoldsGraph<GraphMachine<PartialStoreOrderAxioms, 1>>);

// Calls `use(machine)` with a fresh machine that has room for a run of this many steps, each at most two
// events. Two widths, for uses that need not be fast on long runs. `Kind<M>`: what is made of the machine.
template <template <RunsAhead> typename Kind = std::type_identity_t, typename Use>
void with_power_machine(std::size_t steps, const Search& search, Use&& use) {
  auto options = search.machine_options();
  options.twins = {};  // the end that is looked for may tell equal threads apart
  const auto run = [&]<unsigned Words>() {
    Kind<PowerMachine<Words>> machine(search.image(), options);
    use(machine);
  };
  if (2 * steps + 2 <= PowerMachine<1>::Set::capacity) {
    run.template operator()<1>();
  } else {
    run.template operator()<growing>();
  }
}

// Where an algorithm is only a second opinion, under the models of graphs, it does without the machines for long
// executions: these are as much to compile as the others.
template <typename Machine>
constexpr unsigned last_width_of_second_opinion() {
  if constexpr (HoldsGraph<Machine>) return Machine::next_width;
  return any_width;
}

// Calls `use.template operator()<Machine>()` with the narrowest machine of the search's model. Throws
// NoImplementation if the model has no commit machine.
template <typename Use>
void with_commit_machine(const Search& search, Use&& use) {
  const auto& model = search.options().model;
  if (model == power_model) return use.template operator()<PowerMachine<1>>();
  const bool found =
      AxiomaticModels::visit(axioms_of(model, search.options().buffer_bound),
                             [&]<typename Model>() { use.template operator()<GraphMachine<Model, 1>>(); });
  if (!found) throw NoImplementation(model);
}

}  // namespace heddle::checker
