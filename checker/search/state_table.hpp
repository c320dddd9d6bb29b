// The table of visited states: states as words, found by hash and compared in full.
//
// A state is the memory, the buffered writes and a number per thread for its local state (paper 5, section 3,
// abstract states). The paper finds that number by deltas, since it cannot see a thread's local state; our
// thread blocks are that state, byte by byte, so numbers are given by content: two threads' blocks have one
// number exactly if they are equal. That finds every repetition that the delta scheme finds, and those that
// it misses.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace heddle::checker {

// A set of word sequences. Each is numbered by its position in the order of insertion.
//
// The words are stored in chunks that never move: a table that grows to gigabytes needs neither a second copy
// of itself nor a pause to make one.
class SequenceTable {
 public:
  SequenceTable() : index_(0, Hash{this}, Equal{this}) {}
  SequenceTable(const SequenceTable&) = delete;
  SequenceTable& operator=(const SequenceTable&) = delete;

  struct Found {
    std::uint32_t number = 0;
    bool known = false;
  };
  // O(length).
  Found insert(std::span<const std::uint64_t> words) {
    std::uint64_t* const sequence = room_for(words.size() + 1);
    sequence[0] = header(words);
    std::copy(words.begin(), words.end(), sequence + 1);
    sequences_.push_back(sequence);
    const auto number = static_cast<std::uint32_t>(sequences_.size() - 1);
    const auto [place, inserted] = index_.insert(number);
    if (inserted) {
      left_ -= words.size() + 1;
      return {number, false};
    }
    sequences_.pop_back();
    return {*place, true};
  }
  [[nodiscard]] std::size_t size() const { return sequences_.size(); }
  [[nodiscard]] std::size_t memory_used() const {
    return allocated_ * sizeof(std::uint64_t) + sequences_.capacity() * sizeof(sequences_[0]) +
           chunks_.capacity() * sizeof(chunks_[0]) + index_.bucket_count() * (sizeof(std::uint32_t) + 1);
  }

 private:
  // Before the words of a sequence stands half of their hash and how many they are, which is all that most
  // look-ups see of them.
  static constexpr unsigned length_bits = 32;
  [[nodiscard]] static std::uint64_t header(std::span<const std::uint64_t> words) {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const auto word : words) {
      hash = (hash ^ word) * 0xff51afd7ed558ccd;
      hash ^= hash >> 29;
    }
    return (hash >> length_bits << length_bits) | words.size();
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
  struct Hash {
    const SequenceTable* table;
    std::size_t operator()(std::uint32_t number) const { return *table->sequences_[number] >> length_bits; }
  };
  struct Equal {
    const SequenceTable* table;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      const auto* const x = table->sequences_[a];
      const auto* const y = table->sequences_[b];
      const auto length = static_cast<std::uint32_t>(*x);
      return *x == *y && std::memcmp(x + 1, y + 1, length * sizeof *x) == 0;
    }
  };

  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::uint64_t* end_ = nullptr;           // of the newest chunk
  std::size_t left_ = 0;                   // words of it that are not in use
  std::size_t allocated_ = 0;              // words of all chunks
  std::vector<std::uint64_t*> sequences_;  // by number
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> index_;
};

// The states of a machine.
template <typename Machine>
class StateTable {
 public:
  // Whether the machine's state is in the table; if not, it is added. `path` is part of the state: it
  // distinguishes states that are otherwise equal.
  bool known(Machine& machine, std::span<const std::uint64_t> path) { return find(machine, path).known; }
  // The same, with the state's number: states are numbered from 0 in the order in which they come.
  SequenceTable::Found find(Machine& machine, std::span<const std::uint64_t> path) {
    words_.clear();
    for (const auto value : machine.memory()) words_.push_back(static_cast<std::uint64_t>(value));
    for (std::uint32_t t = 0; t < machine.thread_count(); ++t) words_.push_back(local_state(machine, t));
    if constexpr (Machine::has_buffers) add_buffers(machine);
    words_.insert(words_.end(), path.begin(), path.end());
    return states_.insert(words_);
  }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] std::size_t memory_used() const { return states_.memory_used() + locals_.memory_used(); }

 private:
  [[nodiscard]] std::uint64_t local_state(const Machine& machine, std::uint32_t thread) {
    block_.resize(machine.threads().size(thread) / sizeof(std::uint64_t));
    std::memcpy(block_.data(), machine.threads().block(thread), machine.threads().size(thread));
    return locals_.insert(block_).number;
  }

  // Per thread and buffer: how many entries, then each. Of a store-store barrier only what it still orders
  // matters.
  void add_buffers(const Machine& machine) {
    auto& model = machine.model();
    for (std::uint32_t t = 0; t < machine.thread_count(); ++t) {
      for (const auto index : model.owned(t)) {
        const auto& buffer = model.of_process(machine.thread_count() + index);
        if (buffer.empty()) continue;
        words_.push_back((std::uint64_t{index} << 32) | buffer.size());
        for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
          const auto& write = buffer.writes[i];
          words_.push_back(write.location);
          words_.push_back(static_cast<std::uint64_t>(write.value));
          words_.push_back(model.flushed_before(write, t));
        }
      }
      words_.push_back(model.flushed_before_next(t));
    }
  }

  SequenceTable states_;
  SequenceTable locals_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> block_;
};

}  // namespace heddle::checker
