// One search explored by several threads. See part.hpp for how it is divided, and why the findings are those of
// the serial search.
//
// Each thread explores one part after the other, each with a Search and a machine of its own; compiled code is
// all that is shared. A thread with nothing to do raises a flag; the others look at it every few dozen
// transitions, and one of them gives away the rest of its shallowest node. Nothing else happens per transition.
//
// The calling thread is one of the crew. It alone calls CheckOptions::progress and watches the limits.
//
// A search that ends at a violation, or because it was found to be too large, cancels all that comes later in
// serial order, and nothing else. So the result is that of the serial search, counts included.
#pragma once

#include "checker/search/job.hpp"
#include "checker/search/part.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Explores all of the search, with as many threads as its options say; false if a machine was too narrow where
// the serial search would have met that. Exceptions of `explore` leave it.
[[nodiscard]] bool explore_parts(Search& search, const ExplorePart& explore);

}  // namespace heddle::checker
