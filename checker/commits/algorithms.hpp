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
void run_naive_derived(Search& search, const GraphObserver& observer);
void run_dpor_derived(Search& search, const GraphObserver& observer);    // backtracking.cpp
void run_source_derived(Search& search, const GraphObserver& observer);  // backtracking.cpp
void run_sdpor_derived(Search& search, const GraphObserver& observer);   // backtracking.cpp
// trust on Recommits: under POWER, and to test revisits in place under the other models.
void run_trust_recommitting(Search& search, const GraphObserver& observer);
void run_rf_derived(Search& search, const GraphObserver& observer);  // classes.cpp

}  // namespace heddle::checker
