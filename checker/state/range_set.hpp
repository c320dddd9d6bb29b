// Sets of events as lists of ranges: for execution graphs whose events are numbered thread by thread.
//
// Under SC the events before another one are a beginning of each thread. An exploration gives neighbouring numbers to
// neighbouring events of a thread as long as that thread runs, so such a set has few ranges, however many members.
// A set without that shape takes up to 4 bytes for each of the program's events, which is 32 times what bits take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "checker/state/bit_set.hpp"

namespace heddle::checker {

// In place of a number of words.
inline constexpr unsigned by_ranges = std::numeric_limits<unsigned>::max();

// Operations with one other set take time in the ranges of both; those with one member, in the ranges of the set, and
// at its end O(1).
template <>
class BitSet<by_ranges> {
 public:
  static constexpr ProcessId capacity = std::numeric_limits<std::int32_t>::max();

  void insert(ProcessId p) { add({p, p + 1}); }
  void erase(ProcessId p) {
    const auto at = ending_after(p);
    if (at == ranges_.end() || at->begin > p) return;
    if (at->begin == p && at->end == p + 1) {
      ranges_.erase(at);
    } else if (at->begin == p) {
      ++at->begin;
    } else if (at->end == p + 1) {
      --at->end;
    } else {
      const Range later{p + 1, at->end};
      at->end = p;
      ranges_.insert(at + 1, later);
    }
  }
  void insert_if(ProcessId p, bool member) {
    if (member) insert(p);
  }
  void assign(ProcessId p, bool member) { member ? insert(p) : erase(p); }
  [[nodiscard]] bool contains(ProcessId p) const {
    const auto at = ending_after(p);
    return at != ranges_.end() && at->begin <= p;
  }

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t members = 0;
    for (const Range& range : ranges_) members += range.end - range.begin;
    return members;
  }
  // The smallest member; the set must not be empty.
  [[nodiscard]] ProcessId first() const { return ranges_.front().begin; }
  // The smallest number that is no member.
  [[nodiscard]] ProcessId first_absent() const {
    return empty() || ranges_.front().begin > 0 ? 0 : ranges_.front().end;
  }
  [[nodiscard]] bool intersects(const BitSet& other) const {
    auto b = other.ranges_.begin();
    for (auto a = ranges_.begin(); a != ranges_.end() && b != other.ranges_.end();) {
      if (a->end <= b->begin) {
        ++a;
      } else if (b->end <= a->begin) {
        ++b;
      } else {
        return true;
      }
    }
    return false;
  }
  // Calls `visit(p)` for every member in ascending order. `visit` must not change the set.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Range& range : ranges_) {
      for (ProcessId p = range.begin; p != range.end; ++p) visit(p);
    }
  }

  BitSet& operator|=(const BitSet& other) {
    if (ranges_.empty()) return *this = other;
    if (other.ranges_.size() == 1) {
      add(other.ranges_.front());
      return *this;
    }
    std::vector<Range> all(ranges_.size() + other.ranges_.size());
    std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(), all.begin(),
               [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::size_t kept = 0;
    for (const Range& range : all) {
      if (kept > 0 && range.begin <= all[kept - 1].end) {
        all[kept - 1].end = std::max(all[kept - 1].end, range.end);
      } else {
        all[kept++] = range;
      }
    }
    all.resize(kept);
    ranges_ = std::move(all);
    return *this;
  }
  BitSet& operator&=(const BitSet& other) { return *this -= *this - other; }
  BitSet& operator-=(const BitSet& other) {
    if (!intersects(other)) return *this;
    std::vector<Range> left;
    auto gone = other.ranges_.begin();
    for (Range range : ranges_) {
      while (gone != other.ranges_.end() && gone->end <= range.begin) ++gone;
      for (auto at = gone; at != other.ranges_.end() && at->begin < range.end; ++at) {
        if (range.begin < at->begin) left.push_back({range.begin, at->begin});
        range.begin = at->end;
        if (range.begin >= range.end) break;
      }
      if (range.begin < range.end) left.push_back(range);
    }
    ranges_ = std::move(left);
    return *this;
  }
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  friend bool operator==(const BitSet&, const BitSet&) = default;

  // Beyond the object itself, with what the heap adds.
  [[nodiscard]] std::size_t memory_used() const {
    return ranges_.capacity() == 0 ? 0 : std::max<std::size_t>(ranges_.capacity() * sizeof(Range) + 8, 32);
  }

 private:
  struct Range {
    ProcessId begin = 0;
    ProcessId end = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  // The range with the member, else the next one. (Most questions are about the newest events.)
  template <typename List>
  [[nodiscard]] static auto find(List& list, ProcessId p) {
    if (list.empty() || list.back().end <= p) return list.end();
    if (list.back().begin <= p) return list.end() - 1;
    return std::upper_bound(list.begin(), list.end(), p,
                            [](ProcessId value, const Range& range) { return value < range.end; });
  }
  [[nodiscard]] std::vector<Range>::iterator ending_after(ProcessId p) { return find(ranges_, p); }
  [[nodiscard]] std::vector<Range>::const_iterator ending_after(ProcessId p) const {
    return find(ranges_, p);
  }

  void add(Range added) {
    auto from = added.begin == 0 ? ranges_.begin() : ending_after(added.begin - 1);
    if (from != ranges_.end() && from->begin <= added.begin && from->end >= added.end) return;
    auto to = from;
    for (; to != ranges_.end() && to->begin <= added.end; ++to) {
      added.begin = std::min(added.begin, to->begin);
      added.end = std::max(added.end, to->end);
    }
    if (from == to) {
      ranges_.insert(from, added);
    } else {
      *from = added;
      ranges_.erase(from + 1, to);
    }
  }

  std::vector<Range> ranges_;  // ascending, not empty, with gaps between them
};

}  // namespace heddle::checker
