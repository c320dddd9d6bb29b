// What `sdpor` remembers of the states of partial traces (sealed_past.hpp) that it has met.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "checker/state/sequence_table.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker::commits {

// Threads as a mask. Some of many threads share a bit: then more is explored than necessary.
[[nodiscard]] constexpr std::uint64_t bit_of(ThreadId thread) { return std::uint64_t{1} << (thread % 64); }

// The writes to a location that come after a state. Masks of threads (bit_of): those of the writes, and all that events of the
// prefixes of these writes belong to.
struct WritesAfter {
  std::uint64_t writers = 0;
  std::uint64_t prefixes = 0;

  WritesAfter& operator|=(const WritesAfter& other) {
    writers |= other.writers;
    prefixes |= other.prefixes;
    return *this;
  }
};

// The known states, and the writes after each. These are complete when the search leaves a state; it cannot reach the
// state again before that, since everything that it commits meanwhile takes threads further, and they count their rounds.
class KnownStates {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(std::span<const std::uint64_t> key) const {
    return states_.find(key);
  }
  // A new state.
  [[nodiscard]] std::uint32_t insert(std::span<const std::uint64_t> key) {
    entries_.emplace_back();
    return states_.insert(key).number;
  }
  // `writes_after`: by location. Once for each state.
  void complete(std::uint32_t state, std::span<const WritesAfter> writes_after) {
    entries_[state].begin = writes_.size();
    for (Location location = 0; location < writes_after.size(); ++location) {
      if (writes_after[location].writers != 0) writes_.push_back({location, writes_after[location]});
    }
    entries_[state].count = static_cast<std::uint32_t>(writes_.size() - entries_[state].begin);
  }
  // Calls `visit(location, writes_after)` for the locations with writes after the state.
  template <typename Visit>
  void for_each_write_after(std::uint32_t state, Visit&& visit) const {
    const Entry& entry = entries_[state];
    for (std::uint32_t i = 0; i < entry.count; ++i) {
      const Write& write = writes_[entry.begin + i];
      visit(write.location, write.after);
    }
  }
  [[nodiscard]] std::uint64_t memory_used() const {
    return states_.memory_used() + entries_.size() * sizeof(Entry) + writes_.size() * sizeof(Write);
  }

 private:
  struct Entry {
    std::uint64_t begin = 0;
    std::uint32_t count = 0;
  };
  struct Write {
    Location location = none;
    WritesAfter after;
  };
  SequenceTable states_;
  std::deque<Entry> entries_;  // by state
  std::deque<Write> writes_;
};

}  // namespace heddle::checker::commits
