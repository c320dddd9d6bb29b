// Sets of loads of threads that run ahead of them, each in one word (compiler::Dependencies).
//
// The compiled code copies these words, joins them, and compares them with 0, the empty set. A set of the first 63
// loads of a thread has a bit for each of them. Any other set has the highest bit and a number: it is kept in a table,
// once. So threads with few loads pay nothing for those with many. For these a union is a search in another table,
// which has all unions so far.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/image.hpp"

namespace heddle::checker {

using LoadSet = std::uint64_t;

// Compiled code keeps its address, so it is neither copied nor moved.
class LoadSets : public compiler::LoadSetTable {
 public:
  LoadSets() : compiler::LoadSetTable{&join_in} {}
  LoadSets(const LoadSets&) = delete;
  LoadSets& operator=(const LoadSets&) = delete;

  // The set of the load with this number, from 0.
  [[nodiscard]] LoadSet of(std::uint32_t load) {
    if (load < direct) return LoadSet{1} << load;
    const std::size_t place = load - direct;
    while (singles_.size() <= place) {
      Words words((position(direct + static_cast<std::uint32_t>(singles_.size())) / 64) + 1, 0);
      insert(words, direct + static_cast<std::uint32_t>(singles_.size()));
      singles_.push_back(number_of(std::move(words)));
    }
    return singles_[place];
  }
  [[nodiscard]] LoadSet join(LoadSet a, LoadSet b) { return is_direct(a | b) ? a | b : join_numbered(a, b); }
  // Calls `visit(load)` for its loads, in order.
  template <typename Visit>
  void for_each(LoadSet set, Visit&& visit) const {
    if (is_direct(set)) return for_each_bit(set, 0, visit);
    const Words& words = words_of(set);
    for_each_bit(words[0], 0, visit);
    for (std::size_t i = 1; i < words.size(); ++i)
      for_each_bit(words[i], static_cast<std::uint32_t>(64 * i - 1), visit);
  }
  [[nodiscard]] bool contains(LoadSet set, std::uint32_t load) const {
    const std::uint32_t at = position(load);
    if (is_direct(set)) return at < direct && (set >> at & 1) != 0;
    const Words& words = words_of(set);
    return at / 64 < words.size() && (words[at / 64] >> (at % 64) & 1) != 0;
  }
  [[nodiscard]] bool includes(LoadSet set, LoadSet part) const {
    if (is_direct(set | part)) return (part & ~set) == 0;
    bool all = true;
    for_each(part, [&](std::uint32_t load) { all = all && contains(set, load); });
    return all;
  }
  [[nodiscard]] std::size_t memory_used() const {
    constexpr std::size_t node = 8 * sizeof(void*);
    return words_ * sizeof(std::uint64_t) + (sets_.size() + unions_.size()) * node;
  }

  // A set that loads join and leave one by one.
  class Changing {
   public:
    void insert(std::uint32_t load) {
      if (words_.size() <= position(load) / 64) words_.resize(position(load) / 64 + 1, 0);
      LoadSets::insert(words_, load);
    }
    void erase(std::uint32_t load) {
      words_[position(load) / 64] &= ~(std::uint64_t{1} << (position(load) % 64));
    }
    [[nodiscard]] bool contains(std::uint32_t load) const {
      const std::uint32_t at = position(load);
      return at / 64 < words_.size() && (words_[at / 64] >> (at % 64) & 1) != 0;
    }
    // Whether it has all loads of the other set.
    [[nodiscard]] bool includes(const LoadSets& sets, LoadSet part) const {
      if (is_direct(part)) return (part & ~words_[0]) == 0;
      const Words& words = sets.words_of(part);
      for (std::size_t i = 0; i < words.size(); ++i) {
        if ((words[i] & ~(i < words_.size() ? words_[i] : 0)) != 0) return false;
      }
      return true;
    }

   private:
    std::vector<std::uint64_t> words_{0};
  };

 private:
  using Words = std::vector<std::uint64_t>;
  static constexpr std::uint32_t direct = 63;  // loads
  static constexpr LoadSet numbered = LoadSet{1} << 63;

  [[nodiscard]] static bool is_direct(LoadSet set) { return (set & numbered) == 0; }
  // In `Words`, where the highest bit of the first word is not used.
  [[nodiscard]] static std::uint32_t position(std::uint32_t load) { return load < direct ? load : load + 1; }
  static void insert(Words& words, std::uint32_t load) {
    words[position(load) / 64] |= std::uint64_t{1} << (position(load) % 64);
  }
  // `first`: the load of the word's lowest bit.
  template <typename Visit>
  static void for_each_bit(std::uint64_t word, std::uint32_t first, Visit&& visit) {
    for (; word != 0; word &= word - 1) visit(first + static_cast<std::uint32_t>(std::countr_zero(word)));
  }

  [[nodiscard]] const Words& words_of(LoadSet set) const { return *sets_[set & ~numbered]; }
  [[nodiscard]] LoadSet number_of(Words words) {
    const auto [place, is_new] = numbers_.try_emplace(std::move(words), numbered | sets_.size());
    if (is_new) {
      sets_.push_back(&place->first);
      words_ += place->first.size();
    }
    return place->second;
  }
  [[gnu::noinline]] LoadSet join_numbered(LoadSet a, LoadSet b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    if (a > b) std::swap(a, b);
    const auto known = unions_.find({a, b});
    if (known != unions_.end()) return known->second;
    Words words = words_of(b);  // the numbered one, or one of two
    const auto add = [&](std::size_t i, std::uint64_t more) {
      if (words.size() <= i) words.resize(i + 1, 0);
      words[i] |= more;
    };
    if (is_direct(a)) {
      add(0, a);
    } else {
      const Words& others = words_of(a);
      for (std::size_t i = 0; i < others.size(); ++i) add(i, others[i]);
    }
    return unions_.emplace(std::pair(a, b), number_of(std::move(words))).first->second;
  }
  static std::uint64_t join_in(compiler::LoadSetTable* table, std::uint64_t a, std::uint64_t b) {
    return static_cast<LoadSets*>(table)->join(a, b);
  }

  struct Hash {
    std::size_t operator()(const std::pair<LoadSet, LoadSet>& sets) const {
      const std::uint64_t mixed = (sets.first * 0x9e3779b97f4a7c15) ^ sets.second;
      return mixed ^ (mixed >> 29);
    }
  };
  std::map<Words, LoadSet> numbers_;
  std::vector<const Words*> sets_;  // by number: keys of `numbers_`
  std::unordered_map<std::pair<LoadSet, LoadSet>, LoadSet, Hash> unions_;
  std::vector<LoadSet> singles_;  // of the loads from `direct` on
  std::size_t words_ = 0;         // of all sets
};

}  // namespace heddle::checker
