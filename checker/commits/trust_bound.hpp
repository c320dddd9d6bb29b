// How trust keeps within a preemption bound: which graphs are cut off, which count, and what is known of
// their preemptions. See buster.hpp for what a preemption is.
#pragma once

#include <algorithm>
#include <bit>

#include "checker/commits/linearise.hpp"
#include "checker/commits/trust.hpp"

namespace heddle::checker {

// Does the graph have too many preemptions to be extended?
template <typename Model, unsigned Words>
bool Trust<Model, Words>::beyond_slack() {
  const auto bound = *search_.options().preemption_bound;
  if (!by_pairs_) {
    over_ = over_ || !witness_.at_most(bound);
    if (!over_) return false;
  }
  const auto at_most = [&](std::uint32_t most) {
    return by_pairs_ ? pairs_.at_most(most) : witness_.at_most(most);
  };
  if ((by_pairs_ && at_most(bound)) || at_most(bound + slack())) return false;
  return !at_most(bound + failure_slack()) || !may_fail_within_bound();
}

// May a thread that has not stopped find a violation that is within the bound? See buster.hpp.
template <typename Model, unsigned Words>
bool Trust<Model, Words>::may_fail_within_bound() {
  auto going = graph_.in_state(ThreadState::ready) | graph_.in_state(ThreadState::waiting);
  for (; going != 0; going &= going - 1) {
    if (within_bound(causes(graph_, static_cast<ThreadId>(std::countr_zero(going))))) return true;
  }
  return false;
}

// How many preemptions more than the bound a graph may have that is extended for the sake of violations.
template <typename Model, unsigned Words>
std::uint32_t Trust<Model, Words>::failure_slack() const {
  std::uint32_t begun = 0;
  for (ThreadId t = 0; t < graph_.thread_count(); ++t) begun += graph_.thread(t).last != no_event;
  std::uint32_t unlocks = 0;
  for (const EventId id : graph_.order()) unlocks += graph_[id].op == Op::unlock;
  return std::min(begun, graph_.thread_count() - 1) + unlocks;
}

// How many preemptions more than the bound a graph on the way may have; see buster.hpp.
template <typename Model, unsigned Words>
std::uint32_t Trust<Model, Words>::slack() const {
  const auto threads = graph_.thread_count();
  if (threads <= 2) return 0;
  std::uint32_t deletable = 0;
  for (ThreadId t = 0; t < threads; ++t) {
    const EventId last = graph_.thread(t).last;
    if (last != no_event && !settled_.contains(static_cast<ProcessId>(last))) ++deletable;
  }
  return std::min(threads - 2, deletable);
}

// Does the graph count?
template <typename Model, unsigned Words>
bool Trust<Model, Words>::within_bound() {
  if (!bounded_) return true;
  const auto bound = *search_.options().preemption_bound;
  return by_pairs_ ? pairs_.at_most(bound) : !over_ && witness_.at_most(bound);
}

// May a violation that these events lead to be reported?
template <typename Model, unsigned Words>
bool Trust<Model, Words>::within_bound(const Set& events) {
  if (!bounded_) return true;
  const auto bound = *search_.options().preemption_bound;
  return by_pairs_ ? pairs_.at_most(bound, events) : preemptions_.at_most(bound, events);
}

// Does something to what is known of the graph's preemptions.
template <typename Model, unsigned Words>
template <typename Use>
void Trust<Model, Words>::with_known(Use&& use) {
  if (!bounded_) return;
  if (by_pairs_) {
    use(pairs_);
  } else {
    use(witness_);
  }
}

// The events that the node's revisit takes out of the graph.
template <typename Model, unsigned Words>
auto Trust<Model, Words>::gone(const Node& node) const -> Set {
  Set result = node.deleted;
  result.insert(static_cast<ProcessId>(node.revisited));
  return result;
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::cut(const Node& node) {
  with_known([&](auto& known) { known.cut(gone(node)); });
  graph_.cut(node.walk, node.revisited, node.deleted);
}

template <typename Model, unsigned Words>
void Trust<Model, Words>::mend(const Node& node) {
  graph_.mend();
  with_known([&](auto& known) { known.mend(gone(node)); });
}

}  // namespace heddle::checker
