#include "checker/commits/load_sets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace {

using heddle::checker::LoadSet;
using heddle::checker::LoadSets;

std::set<std::uint32_t> members(const LoadSets& sets, LoadSet set) {
  std::set<std::uint32_t> result;
  sets.for_each(set, [&](std::uint32_t load) { CHECK(result.insert(load).second); });
  return result;
}

}  // namespace

TEST_CASE("sets of loads are those of the standard library, and equal sets are equal words") {
  std::mt19937 random(1);
  LoadSets sets;
  std::vector<LoadSet> ours{0};
  std::vector<std::set<std::uint32_t>> theirs{{}};
  for (int round = 0; round < 3000; ++round) {
    const auto a = random() % ours.size();
    const auto b = random() % ours.size();
    if (random() % 3 == 0) {
      const std::uint32_t bounds[] = {4, 70, 300};
      const auto load = static_cast<std::uint32_t>(random() % bounds[random() % 3]);
      ours.push_back(sets.of(load));
      theirs.push_back({load});
    } else {
      ours.push_back(sets.join(ours[a], ours[b]));
      theirs.push_back(theirs[a]);
      theirs.back().insert(theirs[b].begin(), theirs[b].end());
    }
    CHECK(members(sets, ours.back()) == theirs.back());
    CHECK((ours[a] == ours[b]) == (theirs[a] == theirs[b]));
    CHECK(sets.includes(ours[a], ours[b]) ==
          std::includes(theirs[a].begin(), theirs[a].end(), theirs[b].begin(), theirs[b].end()));
    const auto load = static_cast<std::uint32_t>(random() % 130);
    CHECK(sets.contains(ours[a], load) == theirs[a].contains(load));
    LoadSets::Changing changing;
    for (const std::uint32_t each : theirs[a]) changing.insert(each);
    CHECK(changing.includes(sets, ours[b]) == sets.includes(ours[a], ours[b]));
    CHECK(changing.contains(load) == theirs[a].contains(load));
    if (theirs[a].empty()) continue;
    changing.erase(*theirs[a].begin());
    CHECK_FALSE(changing.includes(sets, ours[a]));
  }
  CHECK(sets.memory_used() > 0);
}
