// A set of short tuples of small integers, packed into words: the visited lower sets of a verifier.
//
// Open addressing over one arena of words; clearing increments a counter, so a set that is used again and
// again allocates nothing once it has grown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::consistency {

class KeySet {
 public:
  // Forgets all keys; from now on a key has `words` words.
  void reset(std::size_t words) {
    words_ = words;
    arena_.clear();
    count_ = 0;
    if (slots_.empty()) slots_.resize(64);
    if (++generation_ == 0) {
      std::fill(slots_.begin(), slots_.end(), Slot{});
      generation_ = 1;
    }
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t memory_used() const {
    return slots_.capacity() * sizeof(Slot) + arena_.capacity() * sizeof(std::uint64_t);
  }

  // True if the key was not there yet.
  bool insert(const std::uint64_t* key) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(key);
    if (slot.generation == generation_) return false;
    slot = {generation_, static_cast<std::uint32_t>(count_++)};
    arena_.insert(arena_.end(), key, key + words_);
    return true;
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
  };

  [[nodiscard]] std::size_t hash(const std::uint64_t* key) const {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < words_; ++i) {
      h = (h ^ key[i]) * 0xff51afd7ed558ccd;
      h ^= h >> 32;
    }
    return h;
  }
  Slot& find(const std::uint64_t* key) {
    const auto mask = slots_.size() - 1;
    for (auto i = hash(key) & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.generation != generation_ ||
          std::equal(key, key + words_, arena_.data() + slot.index * words_)) {
        return slot;
      }
    }
  }
  void grow() {
    slots_.assign(2 * slots_.size(), {});
    generation_ = 1;
    for (std::size_t i = 0; i < count_; ++i)
      find(arena_.data() + i * words_) = {generation_, static_cast<std::uint32_t>(i)};
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> arena_;
  std::size_t words_ = 1;
  std::size_t count_ = 0;
  std::uint32_t generation_ = 0;
};

// Packs numbers below 2^bits one after another; a number never spans two words.
class KeyWriter {
 public:
  void reset() {
    words_.assign(1, 0);
    used_ = 0;
  }
  void put(std::uint64_t value, unsigned bits) {
    if (bits == 0) return;
    if (used_ + bits > 64) {
      words_.push_back(0);
      used_ = 0;
    }
    words_.back() |= value << used_;
    used_ += bits;
  }
  [[nodiscard]] const std::uint64_t* data() const { return words_.data(); }
  [[nodiscard]] std::size_t words() const { return words_.size(); }

 private:
  std::vector<std::uint64_t> words_;
  unsigned used_ = 0;
};

}  // namespace heddle::consistency
