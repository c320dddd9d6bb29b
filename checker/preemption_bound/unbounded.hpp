// What an execution graph is told to keep instead of a PreemptionBound (preemption_bound.hpp) if its runs may have any number of
// preemptions: nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "checker/state/event.hpp"

namespace heddle::checker {

template <typename Graph>
struct Unbounded {
  using Set = typename Graph::Set;
  Unbounded(const Graph& /*graph*/, std::optional<std::uint32_t> /*bound*/, bool /*mutexes*/) {}
  [[nodiscard]] static bool active() { return false; }
  static void before_add() {}
  static void add(EventId /*event*/) {}
  static void remove(EventId /*event*/) {}
  static void cut(const Set& /*gone*/) {}
  static void mend(const Set& /*gone*/) {}
  [[nodiscard]] static bool within() { return true; }
  [[nodiscard]] static bool within(const Set& /*part*/) { return true; }
  [[nodiscard]] static bool must_extend(const Set& /*settled*/) { return true; }
  [[nodiscard]] static std::size_t memory_used() { return 0; }
};

}  // namespace heddle::checker
