// The reads of a `final` block where an execution leaves open which write of a location is the last: `rf`
// counts them as reads of a last thread.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "checker/search/search.hpp"
#include "checker/state/rows.hpp"

namespace heddle::checker {

// Holds buffers, so one of them serves a whole search.
class FinalReads {
 public:
  // The first location that the `final` block reads on this memory, not having written it before, for which
  // `open(location)` holds; `none` if there is no such location or no such block.
  template <typename Open>
  [[nodiscard]] std::uint32_t first_open(const Image& image, const std::vector<std::int64_t>& memory,
                                         Open&& open) {
    if (!image.final_block) return none;
    memory_ = memory;
    rows_.clear();
    stored_.clear();
    // On memory that there may never be: this only asks what is read.
    const Uncounted trial(image);
    run_final_block(image, memory_, true, &rows_);
    for (const auto& row : rows_) {
      if (row.reads && open(row.location) && !stored_.contains(row.location)) return row.location;
      if (row.writes) stored_.insert(row.location);
    }
    return none;
  }

 private:
  std::vector<std::int64_t> memory_;
  Rows rows_;
  std::set<Location> stored_;
};

}  // namespace heddle::checker
