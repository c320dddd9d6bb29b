// Bit sets of every width against std::set, on random operations.
#include "checker/state/bit_set.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <vector>

namespace heddle::checker {
namespace {

template <typename Set>
std::set<ProcessId> members(const Set& set) {
  std::set<ProcessId> result;
  ProcessId last = 0;
  set.for_each([&](ProcessId p) {
    CHECK((result.empty() || p > last));
    result.insert(last = p);
  });
  return result;
}

template <typename Set>
void check_queries(const Set& set, const std::set<ProcessId>& expected, ProcessId range) {
  REQUIRE(members(set) == expected);
  CHECK(set.empty() == expected.empty());
  CHECK(set.count() == expected.size());
  if (!expected.empty()) CHECK(set.first() == *expected.begin());
  for (ProcessId p = 0; p < range; ++p) CHECK(set.contains(p) == (expected.count(p) != 0));
  if constexpr (requires { set.first_absent(); }) {
    ProcessId absent = 0;
    while (expected.count(absent) != 0) ++absent;
    CHECK(set.first_absent() == absent);
  }
}

template <typename Set>
void compare(ProcessId range) {
  std::mt19937 random(range);
  std::vector<Set> sets(3);
  std::vector<std::set<ProcessId>> expected(3);
  for (int step = 0; step < 2000; ++step) {
    const auto i = random() % 3;
    const auto j = random() % 3;
    Set& a = sets[i];
    auto& e = expected[i];
    const auto& other = expected[j];
    const auto p = static_cast<ProcessId>(random() % range);
    std::set<ProcessId> result;
    switch (random() % 9) {
      case 0:
      case 1:
      case 2:
        a.insert(p);
        e.insert(p);
        break;
      case 3:
        a.erase(p);
        e.erase(p);
        break;
      case 4:
        a.insert_if(p, step % 2 == 0);
        if (step % 2 == 0) e.insert(p);
        break;
      case 5:
        a |= sets[j];
        e.insert(other.begin(), other.end());
        break;
      case 6:
        a &= sets[j];
        std::set_intersection(e.begin(), e.end(), other.begin(), other.end(),
                              std::inserter(result, result.end()));
        expected[i] = result;
        break;
      case 7:
        a = a - Set(sets[j]);
        std::set_difference(e.begin(), e.end(), other.begin(), other.end(),
                            std::inserter(result, result.end()));
        expected[i] = result;
        break;
      default:
        a = step % 10 == 0 ? Set() : Set(sets[j]);
        expected[i] = step % 10 == 0 ? std::set<ProcessId>() : std::set<ProcessId>(expected[j]);
    }
    check_queries(sets[i], expected[i], range);
    CHECK((sets[0] == sets[1]) == (expected[0] == expected[1]));
    CHECK(sets[0].intersects(sets[1]) == std::any_of(expected[0].begin(), expected[0].end(),
                                                     [&](ProcessId q) { return expected[1].count(q) != 0; }));
  }
}

}  // namespace

TEST_CASE("bit sets of every width are sets") {
  compare<BitSet<1>>(64);
  compare<BitSet<3>>(192);
  compare<BitSet<64>>(200);
  compare<BitSet<growing>>(300);
}

TEST_CASE("a full bit set has no absent member") {
  BitSet<2> set;
  for (ProcessId p = 0; p < 128; ++p) set.insert(p);
  CHECK(set.first_absent() == 128);
  CHECK(set.count() == 128);
}

}  // namespace heddle::checker
