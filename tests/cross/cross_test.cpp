// The part of the cross tester that always runs: all files, and some random programs of its own. `./dev
// cross` runs for any length of time.
#include <doctest/doctest.h>

#include "corpus.hpp"
#include "differential/campaign.hpp"

namespace heddle::cross {

TEST_CASE("every pair of algorithm and model agrees on every file") {
  constexpr std::size_t every = 101;
  std::size_t skipped = 0;
  const auto paths = corpus(every).paths;
  REQUIRE(paths.size() >= 10);
  for (const auto& path : paths) {
    const auto finding = examine_file(path);
    if (finding.skipped) ++skipped;
    CHECK_MESSAGE(finding.difference.empty(), path << ":\n" << finding.difference);
  }
  MESSAGE(paths.size(), " files, ", skipped, " too large in part, pairs: ", all_pairs());
}

TEST_CASE("every pair of algorithm and model agrees on random programs") {
  constexpr std::uint64_t far_from_the_others = 10'000'000;
  differential::run({"cross", 400, far_from_the_others, differential::all_pairs_agree});
}

}  // namespace heddle::cross
