// The algorithms over commit machines. Each is described in the .cpp file of its name.
#pragma once

#include <functional>

#include "checker/commits/plain_graph.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Is told every complete execution.
using GraphObserver = std::function<void(const PlainGraph& graph)>;

// Explores the program of the search.
void run_trust(Search& search);
void run_rsmc(Search& search);
// The same, and `observer` is told every complete execution, unless it is empty.
void run_trust(Search& search, const GraphObserver& observer);
void run_rsmc(Search& search, const GraphObserver& observer);
// trust on Recommits: under POWER, and to test revisits in place under the other models.
void run_trust_recommitting(Search& search, const GraphObserver& observer);

// The algorithms that have a namesake over interleavings. All but `rf` run on every commit machine: under SC,
// TSO and PSO that is a second opinion for tests.
namespace commits {
void run_naive(Search& search, const GraphObserver& observer);
void run_dpor(Search& search, const GraphObserver& observer);    // backtracking.cpp
void run_source(Search& search, const GraphObserver& observer);  // backtracking.cpp
void run_sdpor(Search& search, const GraphObserver& observer);   // backtracking.cpp
void run_rf(Search& search, const GraphObserver& observer);      // backtracking.cpp; POWER only
}  // namespace commits

}  // namespace heddle::checker
