// All consistent executions of given paths of the threads: every source of every read, every coherence order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/power_oracle/axioms.hpp"
#include "tests/power_oracle/paths.hpp"

namespace heddle::power_oracle {

// What a thread does in an execution: its path up to some event.
struct Part {
  const Path* path = nullptr;
  std::size_t events = 0;
  std::size_t constraints = 0;       // of the path, from its first
  const Term* false_term = nullptr;  // is 0 if given
};

// One execution.
struct Execution {
  std::vector<std::int64_t> memory;        // the last in coherence order
  std::vector<const std::int64_t*> reads;  // of each thread, by event
};

struct Budget {
  std::uint64_t nodes = 0;  // candidates that may still be looked at
  void spend() {
    if (nodes == 0) throw TooLarge("too many candidates");
    --nodes;
  }
};

struct Found {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;  // of executions that agree in all but coherence
};

// Calls `visit` for each execution, until it returns false. A candidate that misses sources or parts of the
// coherence order is given up as soon as what it has contradicts the axioms; what follows from it for the
// coherence order is added. `deduce`: false to leave that out.
Found for_each_execution(const std::vector<Part>& parts, const std::vector<std::int64_t>& initial,
                         Budget& budget, const std::function<bool(const Execution&)>& visit,
                         bool deduce = true);

}  // namespace heddle::power_oracle
