// One part of a search that several processes explore: what one of them does.
//
// The process explores the part alone, with one thread. Now and then it asks whether others wait for work; if so,
// it gives away the rest of its shallowest nodes, one part for each, and stops there. What is left comes back as
// parts that anyone can explore. Findings and parts are in serial order, as in crew.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "checker/search/part.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Explores a part with this search, on a machine of its own. False if that has turned out to be too narrow.
// A crew's threads call it at once.
using ExplorePart = std::function<bool(Search&, const Part&)>;

struct Job {
  Part part = {};
  // Called every few milliseconds: how many parts to give away. 0: continue; `stop_now`: stop, with one part left.
  std::function<std::uint32_t(const Progress&)> parts_wanted = {};
  static constexpr std::uint32_t stop_now = std::numeric_limits<std::uint32_t>::max();

  // The result: parts that were not explored, in serial order.
  std::vector<Part> left = {};
};

// Explores the search's job and nothing else. What was found is then that of the search. False if the machine
// was too narrow: nothing was done, and the caller begins again on a wider one.
[[nodiscard]] bool explore_job(Search& search, const ExplorePart& explore);

}  // namespace heddle::checker
