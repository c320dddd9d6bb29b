// Numbers sequences of words from 0 in the order in which they first come.
//
// The words are stored in chunks that never move: a table that grows to gigabytes needs neither a second copy
// of itself nor a pause to make one.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace heddle::checker {

struct NumberFound {
  std::uint32_t number = 0;
  bool known = false;  // before it was looked for
};

class SequenceTable {
 public:
  SequenceTable() : index_(0, Hash{this}, Equal{this}) {}
  SequenceTable(const SequenceTable&) = delete;
  SequenceTable& operator=(const SequenceTable&) = delete;

  using Found = NumberFound;
  // O(length).
  Found insert(std::span<const std::uint64_t> words) {
    const Sought sought{header(words), words.data()};
    if (const auto place = index_.find(sought); place != index_.end()) return {*place, true};
    std::uint64_t* const sequence = room_for(words.size() + 1);
    sequence[0] = sought.header;
    std::copy(words.begin(), words.end(), sequence + 1);
    const auto number = static_cast<std::uint32_t>(sequences_.size());
    sequences_.push_back(sequence);
    index_.insert(number);
    left_ -= words.size() + 1;
    return {number, false};
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::span<const std::uint64_t> words) const {
    const auto place = index_.find(Sought{header(words), words.data()});
    return place == index_.end() ? std::nullopt : std::optional(*place);
  }
  [[nodiscard]] std::size_t size() const { return sequences_.size(); }
  // Valid as long as the table. O(1).
  [[nodiscard]] std::span<const std::uint64_t> words(std::uint32_t number) const {
    return {sequences_[number] + 1, static_cast<std::uint32_t>(sequences_[number][0])};
  }
  [[nodiscard]] std::size_t memory_used() const {
    return allocated_ * sizeof(std::uint64_t) + sequences_.capacity() * sizeof(sequences_[0]) +
           chunks_.capacity() * sizeof(chunks_[0]) + index_.bucket_count() * (sizeof(std::uint32_t) + 1);
  }

 private:
  // Before the words of a sequence stands half of their hash and how many they are, which is all that most
  // look-ups see of them.
  static constexpr unsigned length_bits = 32;
  // (Two words at a time, since each multiplication waits for the one before it.)
  [[nodiscard]] static std::uint64_t header(std::span<const std::uint64_t> words) {
    std::uint64_t even = 0x9e3779b97f4a7c15;
    std::uint64_t odd = words.size();
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      even = mixed(even, words[i]);
      odd = mixed(odd, words[i + 1]);
    }
    if (words.size() % 2 != 0) even = mixed(even, words.back());
    return (mixed(even, odd) >> length_bits << length_bits) | words.size();
  }
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    return hash ^ hash >> 29;
  }
  // At the end of the newest chunk; it is in use once `left_` says so.
  [[nodiscard]] std::uint64_t* room_for(std::size_t words) {
    constexpr std::size_t smallest = 512;
    constexpr std::size_t largest = std::size_t{1} << 17;
    if (words > left_) {
      left_ = std::max(words, std::clamp(allocated_, smallest, largest));
      chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(left_));
      end_ = chunks_.back().get() + left_;
      allocated_ += left_;
    }
    return end_ - left_;
  }
  struct Sought {
    std::uint64_t header;
    const std::uint64_t* words;
  };
  [[nodiscard]] Sought sequence(std::uint32_t number) const {
    return {sequences_[number][0], sequences_[number] + 1};
  }
  struct Hash {
    using is_transparent = void;
    const SequenceTable* table;
    std::size_t operator()(const Sought& sought) const { return sought.header >> length_bits; }
    std::size_t operator()(std::uint32_t number) const { return (*this)(table->sequence(number)); }
  };
  struct Equal {
    using is_transparent = void;
    const SequenceTable* table;
    bool operator()(const Sought& x, const Sought& y) const {
      const auto length = static_cast<std::uint32_t>(x.header);
      return x.header == y.header && std::equal(x.words, x.words + length, y.words);
    }
    bool operator()(const Sought& x, std::uint32_t y) const { return (*this)(x, table->sequence(y)); }
    bool operator()(std::uint32_t x, const Sought& y) const { return (*this)(y, x); }
    bool operator()(std::uint32_t x, std::uint32_t y) const { return (*this)(table->sequence(x), y); }
  };

  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::uint64_t* end_ = nullptr;           // of the newest chunk
  std::size_t left_ = 0;                   // words of it that are not in use
  std::size_t allocated_ = 0;              // words of all chunks
  std::vector<std::uint64_t*> sequences_;  // by number
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> index_;
};

}  // namespace heddle::checker
