// Explorations begin on a machine whose sets have few words. If an execution turns out to have more events
// than these have room for, the exploration starts again on the next wider machine: a depth-first search
// reaches long executions early, so little work is repeated.
//
// A machine M names the width of the next one in words, M::next_width, and its type, M::Widened<words>; the
// widest machine names its own width. Nearly all programs need sets of one word. Wider sets cost what their
// largest member requires, so a second width is enough (bit_set.hpp); POWER has a third one, which allocates.
#pragma once

#include <string>

#include "checker/search/search.hpp"

namespace heddle::checker {

// `explore(machine)` explores the program of the search on a fresh machine; it returns false if the machine
// has become full.
template <typename Machine, typename Explore>
void explore_widening(Search& search, Explore&& explore) {
  {
    Machine machine(search.image(), search.machine_options());
    if (explore(machine)) return;
  }
  if constexpr (Machine::next_width != Machine::words) {
    search.restart();
    explore_widening<typename Machine::template Widened<Machine::next_width>>(search, explore);
  } else {
    search.stop(std::string(Machine::out_of_room));
  }
}

}  // namespace heddle::checker
