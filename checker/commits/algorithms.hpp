// The algorithms over commit machines. The .cpp file of its name describes each.
#pragma once

#include <functional>

#include "checker/commits/plain_graph.hpp"
#include "checker/search/sampling.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Called with every complete execution.
using GraphObserver = std::function<void(const PlainGraph& graph)>;

// Explores the program of the search.
void run_trust(Search& search);
void run_rsmc(Search& search);
// The same; calls `observer`, unless it is empty, with every complete execution.
void run_trust(Search& search, const GraphObserver& observer);
void run_rsmc(Search& search, const GraphObserver& observer);
// trust on Recommits: under POWER, and to test revisits in place under the other models.
void run_trust_recommitting(Search& search, const GraphObserver& observer);

// Sample random paths of the same searches (sampling.hpp) until there are enough, or the search is stopped.
void sample_trust(Search& search, std::uint64_t seed, Samples& samples);
void sample_trust_recommitting(Search& search, std::uint64_t seed, Samples& samples);

// The algorithms that have a namesake over interleavings. All but `rf` run on every commit machine: under SC,
// TSO and PSO they are a second opinion for tests.
namespace commits {
void run_naive(Search& search, const GraphObserver& observer);
void run_dpor(Search& search, const GraphObserver& observer);    // backtracking.cpp
void run_source(Search& search, const GraphObserver& observer);  // backtracking.cpp
void run_sdpor(Search& search, const GraphObserver& observer);   // backtracking.cpp
void run_rf(Search& search, const GraphObserver& observer);      // backtracking.cpp; POWER only
// Random runs (CheckOptions::random).
void run_random(Search& search);
}  // namespace commits

}  // namespace heddle::checker
