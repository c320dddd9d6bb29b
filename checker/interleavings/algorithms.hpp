// The algorithms over interleavings, and the machine of the requested model for each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/interleavings/machine.hpp"
#include "checker/interleavings/models.hpp"
#include "checker/interleavings/sharing.hpp"
#include "checker/search/sampling.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Every machine fulfils the contract that the algorithms are written against, whatever the width of its sets.
static_assert(Interleaving<Machine<SequentialConsistency, 1>>);
static_assert(Interleaving<Machine<TotalStoreOrder, 1>> && Interleaving<Machine<TotalStoreOrder, 16>>);
static_assert(Interleaving<Machine<PartialStoreOrder, 1>> &&
              Interleaving<Machine<PartialStoreOrder, growing>>);

// Each explores the program of the search; the .cpp file of its name describes it.
void run_naive(Search& search);
void run_dpor(Search& search);
void run_source(Search& search);
void run_sdpor(Search& search);
void run_states(Search& search);
// Not an algorithm of the registry: CheckOptions::random asks for it.
void run_random(Search& search);
void run_rf(Search& search);

// Samples random paths of the search (sampling.hpp) until there are enough, or it is stopped.
void sample_naive(Search& search, std::uint64_t seed, Samples& samples);

// Calls `use(machine)` with a fresh machine of the image and the model, with sets wide enough for the program. Throws
// NoImplementation if the model is not operational.
template <typename Use>
void with_machine(const Image& image, std::string_view model, const MachineOptions& options, Use&& use) {
  const bool found = OperationalModels::visit(model, [&]<typename Model>() {
    with_width<Model>(image, [&]<unsigned Words>() {
      Machine<Model, Words> machine(image, options);
      use(machine);
    });
  });
  if (!found) throw NoImplementation(model);
}
// The same with the image and the model of the search.
template <typename Use>
void with_machine(const Search& search, const MachineOptions& options, Use&& use) {
  with_machine(search.image(), search.options().model, options, use);
}
template <typename Use>
void with_machine(const Search& search, Use&& use) {
  with_machine(search, search.machine_options(), use);
}

// with_machine for an exploration: adds the machine's counts to the search's.
template <typename Use>
void explore_with(Search& search, const MachineOptions& options, Use&& use) {
  with_machine(search, options, [&](Interleaving auto& machine) {
    use(machine);
    search.counts.buffer_bound_flushes += machine.forced_flushes();
  });
}
template <typename Use>
void explore(Search& search, Use&& use) {
  explore_with(search, search.machine_options(), use);
}

// The options of a machine in which threads look at what they await, or assume, only when it holds. (With a preemption
// bound they may look too early: what counts as a preemption does not depend on values.)
[[nodiscard]] inline MachineOptions waiting_options(const Search& search) {
  auto options = search.machine_options();
  options.awaits_hold = options.assumptions_hold = !options.preemption_bound;
  return options;
}

// The same as `explore` with such a machine, in which they also wait at the choices of an `either`. Begins again where what was assumed of
// these turns out to be wrong.
template <typename Use>
void explore_choosing(Search& search, MachineOptions options, Use&& use) {
  options.choices_wait = options.awaits_hold;
  std::optional<Sharing> sharing;
  for (std::uint32_t searches = 1;; ++searches) {
    try {
      return explore_with(search, options, use);
    } catch (const SharingWanted&) {
      options.sharing_of_guards = &sharing.emplace(search.image());
    } catch (const Sharing::Wrong&) {
      // (A program with an array that each search finds shared one element further is not worth it.)
      constexpr std::uint32_t most = 100;
      options.choices_wait = options.choices_wait && searches < most;
      sharing->learn();
    } catch (const DaemonInGuard&) {
      options.daemons_choose_first = true;
      sharing->learn();
    }
    search.restart();
  }
}

}  // namespace heddle::checker
