// What dpor and sdpor add to a backtrack set on a race: the rule of Flanagan and Godefroid (POPL'05) as
// algorithm 1 of paper 1 has it; dpor.cpp says how it is used and where it differs.
#pragma once

#include <cstdint>

#include "checker/state/bit_set.hpp"

namespace heddle::checker {

struct FlanaganGodefroid {
  // Step `race` and the path's step number `position` of `process`, with clock `row`, race; `node` is the
  // state before `race`.
  template <typename Machine, typename Order, typename Node>
  void add(const Machine& machine, const Order& order, Node& node, std::uint32_t race, std::uint32_t position,
           ProcessId process, std::uint32_t row) const {
    ProcessId chosen = process;
    const auto* const clock = order.clock(row);
    for (auto i = race + 1; i < position; ++i) {
      const auto candidate = machine.step(i).process;
      // A step behind a lock that the racing lock waits for comes after `race` too: it cannot go before it.
      if (clock[candidate] > static_cast<std::int32_t>(i) && !order.ordered(race, order.row(i))) {
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
