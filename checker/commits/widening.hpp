// Explorations begin on a machine whose sets have few words. If an execution turns out to have more events
// than these have room for, the exploration starts again on the next wider machine: a depth-first search
// reaches long executions early, so little work is repeated.
//
// A machine M names the width of the next one in words, M::next_width, and its type, M::Widened<words>; the
// widest machine names its own width. Nearly all programs need sets of one word. Sets of the second width cost what
// their largest member requires (bit_set.hpp). Those of the third one allocate, and hold any number of events.
// M::serves says, where a machine has it, whether it can run a program at all (ServesSomePrograms).
#pragma once

#include <concepts>
#include <limits>
#include <string>

#include "checker/commits/commit_machine.hpp"
#include "checker/search/crew.hpp"
#include "checker/search/part.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// No width: there is a wider machine as long as a machine names one.
inline constexpr unsigned any_width = std::numeric_limits<unsigned>::max() - 1;

template <typename M>
concept ServesSomePrograms = requires(const Image& image) {
  { M::serves(image) } -> std::same_as<bool>;
};

// `explore.template operator()<M>()` explores the program of the search on a fresh machine M; it returns false
// if the machine has become full. There is none wider than `Last`.
template <typename Machine, unsigned Last = any_width, typename Explore>
void widen(Search& search, Explore&& explore) {
  bool serves = true;
  if constexpr (ServesSomePrograms<Machine>) serves = Machine::serves(search.image());
  if (serves && explore.template operator()<Machine>()) return;
  if constexpr (Machine::next_width != Machine::words && Machine::words != Last) {
    if (serves) search.restart();
    widen<typename Machine::template Widened<Machine::next_width>, Last>(search, explore);
  } else {
    search.stop(std::string(Machine::out_of_room));
  }
}

// `explore(machine)`: the same.
template <typename Machine, unsigned Last = any_width, typename Explore>
void explore_widening(Search& search, Explore&& explore) {
  widen<Machine, Last>(search, [&]<typename M>() {
    M machine(search.image(), search.machine_options());
    const bool had_room = explore(machine);
    if constexpr (BoundsBuffers<M>) search.counts.buffer_bound_flushes += machine.forced_flushes();
    return had_room;
  });
}

// The same for a search that may be divided: `explore(machine, search, part)` explores a part.
template <typename Machine, typename Explore>
void explore_parts_widening(Search& search, Explore&& explore) {
  widen<Machine>(search, [&]<typename M>() {
    return explore_parts(search, [&](Search& mine, const Part& part) {
      M machine(mine.image(), mine.machine_options());
      return explore(machine, mine, part);
    });
  });
}

}  // namespace heddle::checker
