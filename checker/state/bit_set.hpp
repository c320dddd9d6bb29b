// Sets of processes, or of events, as bit masks. A process is a thread or a store buffer that can flush; see
// machine.hpp.
//
//   BitSet<1>          one word, in a register: enough for nearly every program
//   BitSet<N>          up to 64 * N members without allocating; costs what its largest member requires, not N
//   BitSet<growing>    any number of members
//   BitSet<by_ranges>  the same, as ranges of numbers (range_set.hpp)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace heddle::checker {

using ProcessId = std::uint32_t;

template <unsigned Words>
class BitSet {
 public:
  static constexpr ProcessId capacity = 64 * Words;

  BitSet() {}  // NOLINT(modernize-use-equals-default): words_ is meant to have no values
  BitSet(const BitSet& other) noexcept { assign_words(other); }
  BitSet& operator=(const BitSet& other) noexcept {
    assign_words(other);
    return *this;
  }

  void insert(ProcessId p) {
    while (used_ <= p / 64) words_[used_++] = 0;
    words_[p / 64] |= std::uint64_t{1} << (p % 64);
  }
  void erase(ProcessId p) {
    if (p / 64 < used_) words_[p / 64] &= ~(std::uint64_t{1} << (p % 64));
  }
  void insert_if(ProcessId p, bool member) {
    if (member) insert(p);
  }
  void assign(ProcessId p, bool member) { member ? insert(p) : erase(p); }
  [[nodiscard]] bool contains(ProcessId p) const {
    return p / 64 < used_ && ((words_[p / 64] >> (p % 64)) & 1) != 0;
  }

  [[nodiscard]] bool empty() const {
    return std::all_of(words_, words_ + used_, [](std::uint64_t word) { return word == 0; });
  }
  [[nodiscard]] std::uint32_t count() const {
    std::uint32_t members = 0;
    for (std::uint32_t i = 0; i < used_; ++i) members += static_cast<std::uint32_t>(std::popcount(words_[i]));
    return members;
  }
  // The smallest member; the set must not be empty.
  [[nodiscard]] ProcessId first() const {
    std::uint32_t i = 0;
    while (words_[i] == 0) ++i;
    return 64 * i + static_cast<ProcessId>(std::countr_zero(words_[i]));
  }
  // The smallest number that is no member; `capacity` if all are.
  [[nodiscard]] ProcessId first_absent() const {
    std::uint32_t i = 0;
    while (i < used_ && ~words_[i] == 0) ++i;
    return 64 * i + (i < used_ ? static_cast<ProcessId>(std::countr_one(words_[i])) : 0);
  }
  [[nodiscard]] bool intersects(const BitSet& other) const {
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < common(other); ++i) any |= words_[i] & other.words_[i];
    return any != 0;
  }
  // Calls `visit(p)` for every member in ascending order. `visit` must not change the set.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t i = 0; i < used_; ++i) {
      for (auto word = words_[i]; word != 0; word &= word - 1)
        visit(64 * i + static_cast<ProcessId>(std::countr_zero(word)));
    }
  }

  BitSet& operator|=(const BitSet& other) {
    for (std::uint32_t i = 0; i < common(other); ++i) words_[i] |= other.words_[i];
    for (; used_ < other.used_; ++used_) words_[used_] = other.words_[used_];
    return *this;
  }
  BitSet& operator&=(const BitSet& other) {
    used_ = common(other);
    for (std::uint32_t i = 0; i < used_; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  BitSet& operator-=(const BitSet& other) {
    for (std::uint32_t i = 0; i < common(other); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  friend bool operator==(const BitSet& a, const BitSet& b) {
    const auto zero = [](std::uint64_t word) { return word == 0; };
    const std::uint32_t both = a.common(b);
    return std::equal(a.words_, a.words_ + both, b.words_) &&
           std::all_of(a.words_ + both, a.words_ + a.used_, zero) &&
           std::all_of(b.words_ + both, b.words_ + b.used_, zero);
  }

 private:
  [[nodiscard]] std::uint32_t common(const BitSet& other) const { return std::min(used_, other.used_); }
  void assign_words(const BitSet& other) {
    used_ = other.used_;
    std::copy_n(other.words_, used_, words_);
  }

  std::uint32_t used_ = 0;
  std::uint64_t words_[Words];  // those from used_ on have no value
};

template <>
class BitSet<1> {
 public:
  static constexpr ProcessId capacity = 64;

  void insert(ProcessId p) { word_ |= std::uint64_t{1} << p; }
  void erase(ProcessId p) { word_ &= ~(std::uint64_t{1} << p); }
  // Without a branch.
  void insert_if(ProcessId p, bool member) { word_ |= std::uint64_t{member} << p; }
  void assign(ProcessId p, bool member) { member ? insert(p) : erase(p); }
  [[nodiscard]] bool contains(ProcessId p) const { return ((word_ >> p) & 1) != 0; }

  [[nodiscard]] bool empty() const { return word_ == 0; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(word_)); }
  // The smallest member; the set must not be empty.
  [[nodiscard]] ProcessId first() const { return static_cast<ProcessId>(std::countr_zero(word_)); }
  // The smallest number that is no member; `capacity` if all are.
  [[nodiscard]] ProcessId first_absent() const { return static_cast<ProcessId>(std::countr_one(word_)); }
  [[nodiscard]] bool intersects(const BitSet& other) const { return (word_ & other.word_) != 0; }
  // Calls `visit(p)` for every member in ascending order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (auto word = word_; word != 0; word &= word - 1)
      visit(static_cast<ProcessId>(std::countr_zero(word)));
  }

  BitSet& operator|=(const BitSet& other) {
    word_ |= other.word_;
    return *this;
  }
  BitSet& operator&=(const BitSet& other) {
    word_ &= other.word_;
    return *this;
  }
  BitSet& operator-=(const BitSet& other) {
    word_ &= ~other.word_;
    return *this;
  }
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  friend bool operator==(const BitSet&, const BitSet&) = default;

 private:
  std::uint64_t word_ = 0;
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
  // The smallest number that is no member.
  [[nodiscard]] ProcessId first_absent() const {
    std::size_t i = 0;
    while (i < words_.size() && ~words_[i] == 0) ++i;
    return static_cast<ProcessId>(64 * i) +
           (i < words_.size() ? static_cast<ProcessId>(std::countr_one(words_[i])) : 0);
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

  // Beyond the object itself.
  [[nodiscard]] std::size_t memory_used() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> words_;  // as many as the largest member so far requires
};

}  // namespace heddle::checker
