// Random programs and random walks over their states, for tests that compare a part of a machine or of an
// algorithm with its definition.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "generate.hpp"

namespace heddle::differential {

enum class Buffers : std::uint8_t { unbounded, some_bounded };

// Calls `use(machine, again, random)` with two machines of each random program under each operational model.
template <typename Use>
void for_each_random_machine(std::uint64_t first, std::uint64_t programs, Buffers buffers, Use&& use) {
  for (std::uint64_t number = first; number < first + programs; ++number) {
    const auto program = Program::from_source(print(generate(default_seed(), number).program), "random.hed",
                                              {.parameters = {}, .unroll = spin_rounds});
    if (!program) continue;
    for (const auto* model : {"sc", "tso", "pso"}) {
      CheckOptions options;
      options.model = model;
      options.keep_going = number % 2 == 0;
      if (buffers == Buffers::some_bounded && number % 4 == 3) options.buffer_bound = number % 3;
      const auto image = state_of(*program).image();
      const checker::Search search(*image, options);
      checker::with_machine(search, [&]<checker::Interleaving Machine>(Machine& machine) {
        Machine again(*image, search.machine_options());
        std::mt19937_64 random(number);
        use(machine, again, random);
      });
    }
  }
}

// The transitions that the machine can take now; of a `choose` one for each value.
template <checker::Interleaving Machine>
std::vector<checker::Choice> transitions(Machine& machine) {
  using namespace checker;  // NOLINT
  std::vector<Choice> result;
  machine.choosing().for_each([&](ThreadId t) {
    const auto& m = machine.threads().mailbox(t);
    for (auto value = m.value; value < m.expected; ++value)
      result.push_back({.type = StepType::choice, .thread = t, .value = value});
  });
  machine.enabled().for_each([&](ProcessId process) {
    Choice choice{.type = StepType::operation, .thread = process};
    if constexpr (Machine::has_buffers) {
      if (process >= machine.thread_count()) {
        choice = {.type = StepType::flush,
                  .thread = machine.model().of_process(process).thread,
                  .location = machine.pending(process).location};
      }
    }
    result.push_back(choice);
  });
  return result;
}

}  // namespace heddle::differential
