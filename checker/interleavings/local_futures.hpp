// What a thread and its store buffers may still do from each local state of the thread, as far as a search has seen.
//
// Local states have the numbers of Interleaving::block_number, operations those of the search. What may follow a local state is
// what was added to it, and all that may follow the local states to which the thread went from there. So the sets are kept closed:
// an operation that is new to a local state is passed on to those before it.
//
// A thread that has as many operations as local states, all different, would take quadratic time. So the sets are given up
// after a fixed amount of work; from then on everything may follow everything.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

class LocalFutures {
 public:
  using State = std::uint32_t;
  using Operation = std::uint32_t;

  explicit LocalFutures(ThreadId threads) : threads_(threads) {}

  // The operation may follow the thread's local state. Amortised O(1) for each local state that learns of it.
  void add(ThreadId thread, State state, Operation operation) {
    if (!active()) return;
    Thread& of = threads_[thread];
    make_room(of, state);
    const std::uint32_t bit = bit_of(of, operation);
    if (of.insert(state, bit))
      pass_on(of, state, 1, [&](State before, State /*after*/) { return of.insert(before, bit); });
  }

  // The thread has gone from one local state to another. Amortised as `add`, for each operation that is new to one.
  void add_step(ThreadId thread, State from, State to) {
    if (!active()) return;
    Thread& of = threads_[thread];
    make_room(of, std::max(from, to));
    if (!of.known_steps.insert((std::uint64_t{from} << 32) | to).second) return;
    of.steps.push_back(
        {from, std::exchange(of.newest_step_to[to], static_cast<std::uint32_t>(of.steps.size()))});
    pass_on(of, to, of.words, [&](State before, State after) { return of.join(before, after); });
  }

  // Whether the search has seen the operation after this local state, or has given up. O(1).
  [[nodiscard]] bool may_follow(ThreadId thread, State state, Operation operation) const {
    if (threads_.empty()) return true;
    const Thread& of = threads_[thread];
    return operation < of.bits.size() && of.bits[operation] != none && of.contains(state, of.bits[operation]);
  }

  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes = 0;
    for (const Thread& of : threads_) {
      bytes += of.sets.capacity() * sizeof(std::uint64_t) +
               (of.bits.capacity() + of.newest_step_to.capacity()) * sizeof(std::uint32_t) +
               of.steps.capacity() * sizeof(Step) +
               of.known_steps.bucket_count() * (sizeof(std::uint64_t) + 1);
    }
    return bytes;
  }

 private:
  static constexpr std::uint64_t most_work = std::uint64_t{1} << 26;  // some tenths of a second
  static constexpr std::size_t most_words = std::size_t{1} << 23;     // 64 MiB

  struct Step {
    State from = 0;
    std::uint32_t next = none;  // another step to the same local state
  };
  struct Thread {
    std::vector<std::uint32_t> bits;  // by operation: its number among those of the thread
    std::uint32_t operations = 0;
    std::size_t words = 1;                      // of each set
    std::vector<std::uint64_t> sets;            // by local state
    std::vector<std::uint32_t> newest_step_to;  // by local state
    std::vector<Step> steps;
    boost::unordered_flat_set<std::uint64_t> known_steps;

    [[nodiscard]] bool contains(State state, std::uint32_t bit) const {
      return state < newest_step_to.size() && ((sets[state * words + bit / 64] >> (bit % 64)) & 1) != 0;
    }
    bool insert(State state, std::uint32_t bit) {
      auto& word = sets[state * words + bit / 64];
      const auto before = std::exchange(word, word | std::uint64_t{1} << (bit % 64));
      return word != before;
    }
    bool join(State to, State from) {
      bool changed = false;
      for (std::size_t i = 0; i < words; ++i) {
        auto& word = sets[to * words + i];
        const auto before = std::exchange(word, word | sets[from * words + i]);
        changed = changed || word != before;
      }
      return changed;
    }
    template <typename Visit>
    void for_each_before(State state, Visit&& visit) const {
      for (auto step = newest_step_to[state]; step != none; step = steps[step].next) visit(steps[step].from);
    }
  };

  [[nodiscard]] bool active() {
    if (work_ <= most_work && words_ <= most_words) return !threads_.empty();
    threads_.clear();
    return false;
  }
  // Lets the local states before this one learn from those after them: `learn(before, after)` returns whether that was
  // new to the former.
  template <typename Learn>
  void pass_on(const Thread& of, State state, std::size_t cost, Learn&& learn) {
    open_.assign(1, state);
    while (!open_.empty()) {
      const State after = open_.back();
      open_.pop_back();
      of.for_each_before(after, [&](State before) {
        if (learn(before, after)) open_.push_back(before);
      });
      work_ += cost;
    }
  }
  void make_room(Thread& of, State state) {
    if (state < of.newest_step_to.size()) return;
    words_ += (state + std::size_t{1} - of.newest_step_to.size()) * of.words;
    of.newest_step_to.resize(state + std::size_t{1}, none);
    of.sets.resize(of.newest_step_to.size() * of.words);
  }
  [[nodiscard]] std::uint32_t bit_of(Thread& of, Operation operation) {
    if (operation >= of.bits.size()) of.bits.resize(operation + std::size_t{1}, none);
    std::uint32_t& bit = of.bits[operation];
    if (bit != none) return bit;
    bit = of.operations++;
    if (bit == 64 * of.words) widen(of);
    return bit;
  }
  void widen(Thread& of) {
    words_ += of.sets.size();
    std::vector<std::uint64_t> wider(2 * of.sets.size());
    for (std::size_t i = 0; i < of.sets.size(); ++i)
      wider[i / of.words * 2 * of.words + i % of.words] = of.sets[i];
    of.sets = std::move(wider);
    of.words *= 2;
  }

  std::vector<Thread> threads_;  // none: given up
  std::uint64_t work_ = 0;       // local states passed, each as often as it has words
  std::size_t words_ = 0;        // of all sets
  std::vector<State> open_;      // scratch
};

}  // namespace heddle::checker
