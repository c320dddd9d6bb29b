// A set of processes as a bit mask. A process is a thread or a store buffer that can flush; see machine.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace heddle::checker {

using ProcessId = std::uint32_t;

// Holds processes 0 .. 64 * Words - 1. One word is enough for nearly every program and keeps the sets in
// registers.
template <unsigned Words>
class BitSet {
 public:
  static constexpr ProcessId capacity = 64 * Words;

  void insert(ProcessId p) { words_[word_of(p)] |= std::uint64_t{1} << (p % 64); }
  void erase(ProcessId p) { words_[word_of(p)] &= ~(std::uint64_t{1} << (p % 64)); }
  // Without a branch.
  void insert_if(ProcessId p, bool member) { words_[word_of(p)] |= std::uint64_t{member} << (p % 64); }
  void assign(ProcessId p, bool member) { member ? insert(p) : erase(p); }
  [[nodiscard]] bool contains(ProcessId p) const { return (words_[word_of(p)] >> (p % 64)) & 1; }

  [[nodiscard]] bool empty() const {
    std::uint64_t any = 0;
    for (const auto word : words_) any |= word;
    return any == 0;
  }

  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t members = 0;
    for (const auto word : words_) members += static_cast<std::uint32_t>(std::popcount(word));
    return members;
  }

  // The smallest member; the set must not be empty.
  [[nodiscard]] ProcessId first() const {
    for (unsigned i = 0; i < Words; ++i) {
      if (words_[i] != 0) return 64 * i + static_cast<ProcessId>(std::countr_zero(words_[i]));
    }
    return capacity;
  }

  // The smallest process that is not a member; `capacity` if all are.
  [[nodiscard]] ProcessId first_absent() const {
    for (unsigned i = 0; i < Words; ++i) {
      if (~words_[i] != 0) return 64 * i + static_cast<ProcessId>(std::countr_one(words_[i]));
    }
    return capacity;
  }

  [[nodiscard]] bool intersects(const BitSet& other) const {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < Words; ++i) any |= words_[i] & other.words_[i];
    return any != 0;
  }

  // The same members in a wider set.
  template <unsigned Wider>
  [[nodiscard]] BitSet<Wider> widened() const {
    static_assert(Wider >= Words);
    BitSet<Wider> result;
    for (unsigned i = 0; i < Words; ++i) result.words_[i] = words_[i];
    return result;
  }

  // Calls `visit(p)` for every member in ascending order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (unsigned i = 0; i < Words; ++i) {
      for (auto word = words_[i]; word != 0; word &= word - 1) {
        visit(64 * i + static_cast<ProcessId>(std::countr_zero(word)));
      }
    }
  }

  BitSet& operator|=(const BitSet& other) {
    for (unsigned i = 0; i < Words; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  BitSet& operator&=(const BitSet& other) {
    for (unsigned i = 0; i < Words; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  BitSet& operator-=(const BitSet& other) {
    for (unsigned i = 0; i < Words; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  // (The compiler's own would call memcmp.)
  friend bool operator==(const BitSet& a, const BitSet& b) {
    std::uint64_t different = 0;
    for (unsigned i = 0; i < Words; ++i) different |= a.words_[i] ^ b.words_[i];
    return different == 0;
  }

 private:
  template <unsigned>
  friend class BitSet;
  // (The compiler does not know that p < capacity.)
  [[nodiscard]] static constexpr ProcessId word_of(ProcessId p) { return Words == 1 ? 0 : p / 64; }
  std::array<std::uint64_t, Words> words_{};
};

// The number of words of a set that grows with its members: for programs with more processes than a set of a
// fixed width should have room for.
inline constexpr unsigned growing = 0;

template <>
class BitSet<growing> {
 public:
  static constexpr ProcessId capacity = std::numeric_limits<ProcessId>::max();

  void insert(ProcessId p) {
    if (p / 64 >= words_.size()) words_.resize(p / 64 + 1);
    words_[p / 64] |= std::uint64_t{1} << (p % 64);
  }
  void erase(ProcessId p) {
    if (p / 64 < words_.size()) words_[p / 64] &= ~(std::uint64_t{1} << (p % 64));
  }
  void insert_if(ProcessId p, bool member) {
    if (member) insert(p);
  }
  void assign(ProcessId p, bool member) { member ? insert(p) : erase(p); }
  [[nodiscard]] bool contains(ProcessId p) const {
    return p / 64 < words_.size() && ((words_[p / 64] >> (p % 64)) & 1) != 0;
  }

  [[nodiscard]] bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }

  // The smallest member; the set must not be empty.
  [[nodiscard]] ProcessId first() const {
    std::size_t i = 0;
    while (words_[i] == 0) ++i;
    return static_cast<ProcessId>(64 * i) + static_cast<ProcessId>(std::countr_zero(words_[i]));
  }

  // Calls `visit(p)` for every member in ascending order. `visit` must not change the set.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (auto word = words_[i]; word != 0; word &= word - 1)
        visit(static_cast<ProcessId>(64 * i) + static_cast<ProcessId>(std::countr_zero(word)));
    }
  }

  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t members = 0;
    for (const auto word : words_) members += static_cast<std::uint32_t>(std::popcount(word));
    return members;
  }
  [[nodiscard]] bool intersects(const BitSet& other) const {
    const auto common = std::min(words_.size(), other.words_.size());
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < common; ++i) any |= words_[i] & other.words_[i];
    return any != 0;
  }

  BitSet& operator|=(const BitSet& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  BitSet& operator-=(const BitSet& other) {
    const auto common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  BitSet& operator&=(const BitSet& other) {
    if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  friend bool operator==(const BitSet& a, const BitSet& b) {
    const auto common = std::min(a.words_.size(), b.words_.size());
    const auto empty_from = [&](const BitSet& set) {
      return std::all_of(set.words_.begin() + static_cast<std::ptrdiff_t>(common), set.words_.end(),
                         [](std::uint64_t word) { return word == 0; });
    };
    return std::equal(a.words_.begin(), a.words_.begin() + static_cast<std::ptrdiff_t>(common),
                      b.words_.begin()) &&
           empty_from(a) && empty_from(b);
  }

 private:
  std::vector<std::uint64_t> words_;  // as many as the largest member so far requires
};

}  // namespace heddle::checker
