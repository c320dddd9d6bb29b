// Runs of images whose atomic blocks are critical sections (Image::block_mutex).
#pragma once

#include "checker/search/search.hpp"
#include "checker/state/rows.hpp"

namespace heddle::checker {

// From a run of such an image, the one of the search, to the run of the image whose blocks are steps. A block comes where it
// ended: what other threads did meanwhile accesses none of its variables. One in which a thread stopped without a violation
// belongs to no execution. The search's model has steps (it does not run ahead). Throws std::logic_error if the schedule is
// none of the image. O(schedule).
[[nodiscard]] Schedule run_of_steps(const Search& search, const Schedule& schedule);

}  // namespace heddle::checker
