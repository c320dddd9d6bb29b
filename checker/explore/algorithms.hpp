// The algorithms of the interleaving engine, and how they get a machine for the model that was asked for.
#pragma once

#include <functional>
#include <string_view>

#include "checker/execution/machine.hpp"
#include "checker/execution/plain_graph.hpp"
#include "checker/explore/search.hpp"
#include "checker/models/operational.hpp"

namespace heddle::checker {

// Explores the program of the search; each is described in the .cpp file of its name.
void run_naive(Search& search);
void run_rsmc(Search& search);
void run_dpor(Search& search);
void run_source(Search& search);
void run_sdpor(Search& search);
void run_rf(Search& search);
void run_trust(Search& search);
// The same, and `observer` is told every complete execution.
using GraphObserver = std::function<void(const PlainGraph& graph)>;
void run_trust(Search& search, const GraphObserver& observer);
void run_rsmc(Search& search, const GraphObserver& observer);
void run_naive_derived(Search& search, const GraphObserver& observer);

// Calls `use(machine)` with a fresh machine of the model that the search's options name, with sets wide
// enough for the program. Throws TooManyProcesses if no machine is.
template <typename Use>
void with_machine(const Search& search, Use&& use) {
  constexpr unsigned narrow = 1;
  constexpr unsigned wide = 16;
  OperationalModels::for_each([&]<typename Model>() {
    if (search.options().model != Model::name) return;
    const auto& image = search.image();
    if (Model::most_processes(image.threads.size(), image.locations.size()) <= 64 * narrow) {
      Machine<Model, narrow> machine(image, search.machine_options());
      use(machine);
    } else {
      Machine<Model, wide> machine(image, search.machine_options());
      use(machine);
    }
  });
}

// with_machine for an exploration: the search keeps what the machine counted.
template <typename Use>
void explore(Search& search, Use&& use) {
  with_machine(search, [&](auto& machine) {
    use(machine);
    search.counts.buffer_bound_flushes += machine.forced_flushes();
  });
}

}  // namespace heddle::checker
