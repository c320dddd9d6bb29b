// The operations that follow each state of a depth-first search over executions that end: for sdpor.
//
// What follows a state is what is pending there, and what follows the states to which the search went from there. It is known when
// the search leaves the state, but for runs that begin with a process that sleeps there. Yi, Wang and Yang (ICFEM 2006) keep such a
// summary for each state; paper 5 finds it too large, and uses one graph for all states. But few states differ in it, and each set
// of operations is stored once. Of a program with very many operations everything may follow everything, because each
// state of a path has a set with a bit for each of them.
#pragma once

#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/state/sequence_table.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

class OperationsAfter {
 public:
  using State = std::uint32_t;

  struct Operation {
    ProcessId process = 0;
    Location location = none;
    bool writes = false;
  };

  // From one more on, all follow each state.
  static constexpr std::size_t most_operations = 4096;

  // The search comes to a state, which is the newest one of the path.
  void enter() {
    if (!too_many()) path_.resize(path_.size() + words_);
  }
  // The operation is pending in the newest state. Nothing happens if it has no location.
  void add(const Operation& operation) {
    if (operation.location == none) return;
    const std::uint32_t number = number_of(operation);
    if (!too_many()) newest()[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  // What follows this state, which the search has left, follows the newest one.
  void add_after(State state) {
    if (too_many()) return;
    const std::span<const std::uint64_t> after = operations_after(state);
    const std::span<std::uint64_t> here = newest();
    for (std::size_t i = 0; i < after.size(); ++i) here[i] |= after[i];
  }
  // The search leaves the newest state of the path, which has this number. What follows it follows the one before it, too. A state may
  // be entered again later.
  void leave(State state) {
    if (too_many()) return;
    if (state >= sets_.size()) sets_.resize(state + std::size_t{1}, none);
    if (sets_[state] != none) add_after(state);
    std::span<const std::uint64_t> set = newest();
    if (path_.size() > words_) {
      const std::span<std::uint64_t> before = std::span(path_).last(2 * words_).first(words_);
      for (std::size_t i = 0; i < words_; ++i) before[i] |= set[i];
    }
    while (!set.empty() && set.back() == 0) set = set.first(set.size() - 1);
    sets_[state] = table_.insert(set).number;
    path_.resize(path_.size() - words_);
  }

  // Calls `visit` for each operation that follows the state, which the search has left.
  template <typename Visit>
  void for_each_after(State state, Visit&& visit) const {
    if (too_many()) {
      for (const Operation& operation : operations_) visit(operation);
      return;
    }
    const auto set = operations_after(state);
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::uint64_t word = set[i]; word != 0; word &= word - 1)
        visit(operations_[64 * i + static_cast<std::size_t>(std::countr_zero(word))]);
    }
  }

  [[nodiscard]] std::size_t memory_used() const {
    // A hash table has one byte of metadata per bucket.
    return numbers_.bucket_count() * (2 * sizeof(std::uint64_t) + 1) +
           operations_.capacity() * sizeof(Operation) + table_.memory_used() +
           sets_.capacity() * sizeof(std::uint32_t) + path_.capacity() * sizeof(std::uint64_t);
  }

 private:
  [[nodiscard]] bool too_many() const { return operations_.size() > most_operations; }
  [[nodiscard]] std::uint32_t number_of(const Operation& operation) {
    const auto key = (std::uint64_t{operation.process} << 34) | (std::uint64_t{operation.location} << 1) |
                     (operation.writes ? 1U : 0U);
    const auto next = static_cast<std::uint32_t>(operations_.size());
    const auto [place, inserted] = numbers_.try_emplace(key, next);
    if (inserted) {
      operations_.push_back(operation);
      if (too_many()) {
        path_ = {};
      } else if (next == 64 * words_) {
        widen();
      }
    }
    return place->second;
  }
  void widen() {
    std::vector<std::uint64_t> wider(2 * path_.size());
    for (std::size_t i = 0; i < path_.size(); ++i) wider[i / words_ * 2 * words_ + i % words_] = path_[i];
    path_ = std::move(wider);
    words_ *= 2;
  }
  [[nodiscard]] std::span<std::uint64_t> newest() { return std::span(path_).last(words_); }
  [[nodiscard]] std::span<const std::uint64_t> operations_after(State state) const {
    return table_.words(sets_[state]);
  }

  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<Operation> operations_;  // by number
  SequenceTable table_;                // of sets: words of bits, the last one not 0
  std::vector<std::uint32_t> sets_;    // by state: a number of the table; `none` until the search leaves it
  std::size_t words_ = 1;              // of a set on the path
  std::vector<std::uint64_t> path_;    // the sets of its states
};

}  // namespace heddle::checker
