// What dpor and sdpor add to a backtrack set on a race: the rule of Flanagan and Godefroid (POPL'05) in the
// form of paper 1, algorithm 1, lines 14 to 19; dpor.cpp says how it is used and where it differs.
#pragma once

#include <cstdint>

#include "checker/interleavings/backtracking.hpp"

namespace heddle::checker {

struct FlanaganGodefroid {
  template <Interleaving Machine, typename Node>
  void add(const Machine& machine, const HappensBefore<Machine>& order, Node& node, const Race& race) const {
    ProcessId chosen = race.process;
    const auto* const clock = order.clock(race.row);
    for (auto i = race.earlier + 1; i < race.later; ++i) {
      const auto candidate = machine.step(i).process;
      // If locks race, steps between them that happen after the earlier one cannot come before it.
      if (clock[candidate] > static_cast<std::int32_t>(i) && !order.ordered(race.earlier, order.row(i))) {
        chosen = candidate;
        break;
      }
    }
    if (node.enabled.contains(chosen)) {
      node.backtrack.insert(chosen);
    } else {
      node.backtrack |= node.enabled;
    }
  }
};

}  // namespace heddle::checker
