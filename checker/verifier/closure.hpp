// closure: orderings that every run of an instance must have (paper 4, section 4.3).
//
// Starting from program order, the rules add what the reads-from map forces: a write comes before the reads
// of other threads that see it, and no other write to the location gets between a write and its readers. If
// the orderings form a cycle, no run exists; this finds most unrealisable instances without any search, and
// all of them where there are two threads. Otherwise a search may be confined to the order.
//
// Rules 4 and 5 (section 4.4, atomic blocks) need no code: an atomic block is one event here, so an
// event before a part of it is before all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "checker/verifier/instance.hpp"

namespace heddle::consistency {

class Closure {
 public:
  // `instance.buffer_bound` is not 0. False if no run exists, or if `stop()`, asked once in a while, is true. O(n^2 / 64) for each of at most
  // n^2 orderings; O(n^3) in practice.
  [[nodiscard]] bool compute(const Instance& instance, Model model, const std::function<bool()>& stop);

  // For each node the bits of the nodes before it: 2 * event is a thread event, 2 * event + 1 its write
  // reaching memory (direct writes have no such node). Valid after `compute` returned true.
  [[nodiscard]] const std::vector<std::uint64_t>& before() const { return before_; }
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t memory_used() const {
    return (after_.capacity() + before_.capacity()) * sizeof(std::uint64_t);
  }

 private:
  [[nodiscard]] bool program_order(const Instance& instance, Model model);
  [[nodiscard]] bool thread_order(const Instance& instance, Model model, ThreadId thread);
  [[nodiscard]] EventId last_to_leave(const Instance& instance, Model model, EventId e) const;
  [[nodiscard]] bool apply_rules(const Instance& instance);
  [[nodiscard]] bool add(std::size_t first, std::size_t second);
  [[nodiscard]] std::size_t add_to_rows(const std::vector<std::uint64_t>& nodes,
                                        std::vector<std::uint64_t>& matrix,
                                        const std::vector<std::uint64_t>& set) const;
  [[nodiscard]] bool ordered(std::size_t first, std::size_t second) const {
    return (after_[first * words_ + second / 64] >> (second % 64) & 1) != 0;
  }
  // Counts work, in words; false if it is time to stop.
  [[nodiscard]] bool may_spend(std::size_t words);
  [[nodiscard]] std::size_t memory_node(EventId write) const { return memory_node_[write]; }

  std::size_t words_ = 0;
  std::vector<std::uint64_t> after_, before_;
  std::vector<std::size_t> memory_node_;        // by event
  std::vector<ThreadId> thread_;                // by event
  std::vector<EventId> own_before_;             // reads: the thread's newest write to the location before it
  std::vector<std::vector<EventId>> writes_;    // by location
  std::vector<EventId> pending_;                // scratch: the thread's stores since it last drained
  std::vector<std::uint64_t> earlier_, later_;  // scratch of `add`: words() each
  bool changed_ = false;
  std::size_t spent_ = 0;  // words of work since `stop` was asked
  const std::function<bool()>* stop_ = nullptr;
};

}  // namespace heddle::consistency
