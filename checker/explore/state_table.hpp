// The table of visited states: states as words in one arena, found by hash and compared in full.
//
// A state is the memory, the buffered writes and a number per thread for its local state (paper 5, section 3,
// abstract states). The paper finds that number by deltas, since it cannot see a thread's local state; our
// thread blocks are that state, byte by byte, so numbers are given by content: two threads' blocks have one
// number exactly if they are equal. That finds every repetition that the delta scheme finds, and those that
// it misses.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace heddle::checker {

// A set of word sequences. Each is numbered by its position in the order of insertion.
class SequenceTable {
 public:
  SequenceTable() : index_(0, Hash{this}, Equal{this}) {}
  SequenceTable(const SequenceTable&) = delete;
  SequenceTable& operator=(const SequenceTable&) = delete;

  struct Found {
    std::uint32_t number = 0;
    bool known = false;
  };
  // O(length). Amortised no allocation beyond the arena's growth.
  Found insert(std::span<const std::uint64_t> words) {
    const auto begin = arena_.size();
    arena_.insert(arena_.end(), words.begin(), words.end());
    begins_.push_back(begin);
    const auto number = static_cast<std::uint32_t>(begins_.size() - 1);
    const auto [place, inserted] = index_.insert(number);
    if (inserted) return {number, false};
    arena_.resize(begin);
    begins_.pop_back();
    return {*place, true};
  }
  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  // Bytes of the sequences themselves, and of all that finding them takes.
  [[nodiscard]] std::size_t sequence_bytes() const { return arena_.size() * sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t memory_used() const {
    return arena_.capacity() * sizeof(std::uint64_t) + begins_.capacity() * sizeof(std::size_t) +
           index_.bucket_count() * (sizeof(std::uint32_t) + 1);
  }

 private:
  [[nodiscard]] std::span<const std::uint64_t> words(std::uint32_t number) const {
    const auto end = number + 1 < begins_.size() ? begins_[number + 1] : arena_.size();
    return {arena_.data() + begins_[number], end - begins_[number]};
  }
  struct Hash {
    const SequenceTable* table;
    std::size_t operator()(std::uint32_t number) const {
      std::uint64_t hash = 0x9e3779b97f4a7c15;
      for (const auto word : table->words(number)) {
        hash = (hash ^ word) * 0xff51afd7ed558ccd;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  struct Equal {
    const SequenceTable* table;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      const auto x = table->words(a);
      const auto y = table->words(b);
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
    }
  };

  std::vector<std::uint64_t> arena_;
  std::vector<std::size_t> begins_;
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> index_;
};

// The states of a machine.
template <typename Machine>
class StateTable {
 public:
  // Is the machine's state in the table? If not, it is from now on. `path` is part of the state: what else is
  // to be told apart.
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
          words_.push_back(model.behind(write, t));
        }
      }
      words_.push_back(model.waiting_behind(t));
    }
  }

  SequenceTable states_;
  SequenceTable locals_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> block_;
};

}  // namespace heddle::checker
