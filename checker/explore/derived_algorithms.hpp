// What stands for the algorithms of the interleaving and graph engines under `power`: the same ideas over the
// derived execution model. Each is described in a .cpp file.
#pragma once

#include "checker/explore/algorithms.hpp"

namespace heddle::checker {

// `observer` is told every complete execution, unless it is empty.
void run_dpor_derived(Search& search, const GraphObserver& observer);    // derived_backtracking.cpp
void run_source_derived(Search& search, const GraphObserver& observer);  // derived_backtracking.cpp
void run_sdpor_derived(Search& search, const GraphObserver& observer);   // derived_backtracking.cpp
void run_trust_derived(Search& search, const GraphObserver& observer);
void run_rf_derived(Search& search, const GraphObserver& observer);

}  // namespace heddle::checker
