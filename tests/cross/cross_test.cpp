// The part of the cross tester that always runs: files, and some random programs of its own. `./dev cross`
// runs for any length of time.
#include <doctest/doctest.h>

#include "corpus.hpp"
#include "differential/campaign.hpp"
#include "tests/environment.hpp"

namespace heddle::cross {

TEST_CASE("every pair of algorithm and model agrees on every file (every fifth one, unless in full)") {
  constexpr std::size_t every = 101;
  std::size_t skipped = 0;
  std::size_t examined = 0;
  const auto paths = corpus(every).paths;
  REQUIRE(paths.size() >= 10);
  for (std::size_t i = 0; i < paths.size(); i += tests::sized<std::size_t>(5, 1)) {
    const auto finding = examine_file(paths[i]);
    ++examined;
    if (finding.skipped) ++skipped;
    CHECK_MESSAGE(finding.difference.empty(), paths[i] << ":\n" << finding.difference);
  }
  MESSAGE(examined, " of ", paths.size(), " files, ", skipped, " too large in part, pairs: ", all_pairs());
}

TEST_CASE("every pair of algorithm and model agrees on random programs") {
  constexpr std::uint64_t far_from_the_others = 10'000'000;
  differential::run({"cross", 400, far_from_the_others, differential::all_pairs_agree});
}

}  // namespace heddle::cross
