// Enumerates all consistent executions of given paths: every source of every read, every coherence order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/power_oracle/axioms.hpp"
#include "tests/power_oracle/paths.hpp"

namespace heddle::power_oracle {

// What a thread executes: a prefix of one of its paths.
struct Part {
  const Path* path = nullptr;
  std::size_t events = 0;
  std::size_t constraints = 0;       // of the path: the first `constraints` apply
  const Term* false_term = nullptr;  // must be 0, if given
};

// One execution.
struct Execution {
  std::vector<std::int64_t> memory;        // the last write in coherence order
  std::vector<const std::int64_t*> reads;  // of each thread, by event
  const Candidate* candidate = nullptr;
  const Derived* derived = nullptr;
  const std::vector<std::uint32_t>* locations = nullptr;  // by event
};

struct Budget {
  std::uint64_t nodes = 0;  // limit on the candidates still to be examined
  void spend() {
    if (nodes == 0) throw TooLarge("too many candidates");
    --nodes;
  }
};

struct Found {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;  // sets of executions that differ only in coherence
};

// Calls `visit` for each execution until it returns false. A candidate with missing sources or coherence
// edges is dropped as soon as it contradicts the axioms; coherence edges implied by the axioms are added,
// unless `deduce` is false.
Found for_each_execution(const std::vector<Part>& parts, const std::vector<std::int64_t>& initial,
                         Budget& budget, const std::function<bool(const Execution&)>& visit,
                         bool deduce = true);

}  // namespace heddle::power_oracle
