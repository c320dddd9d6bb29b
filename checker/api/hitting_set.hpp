// A cheapest set that contains an element of each clause (a weighted minimum hitting set), by branch and
// bound. Sets can be ruled out together with all that contain them.
//
// A node of the search has chosen some elements and banned others. It branches on the clause that is not hit
// and has the fewest elements left: one of them is chosen, and those before it are banned, so that no set is
// visited twice. Clauses that are not hit and share no element give the lower bound. Before the search, clauses
// that contain another one go, and elements that hit no clause that a cheaper element does not hit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::hitting_set {

using Element = std::uint32_t;
using Set = std::vector<Element>;  // sorted

struct Problem {
  std::vector<std::uint64_t> weights;  // by element; not 0
  std::vector<Set> clauses;            // the result contains an element of each
  std::vector<Set> ruled_out;          // the result contains none of them
};

// The cheapest set, the first one found of several; nothing if there is none, in particular if a clause is
// empty. Exponential in the number of clauses in the worst case.
[[nodiscard]] std::optional<Set> cheapest(const Problem& problem);

}  // namespace heddle::hitting_set
