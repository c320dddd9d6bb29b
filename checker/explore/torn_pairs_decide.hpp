// How many preemptions a graph needs, decided from scratch where what is kept up to date does not tell: the
// rest of torn_pairs.hpp.
#pragma once

#include "checker/explore/torn_pairs.hpp"

namespace heddle::checker {

// Finds the thread's blocks among the events up to `last`.
template <typename Graph>
void TornPairs<Graph>::add_blocks(EventId last) {
  while (last != no_event) {
    const EventId end = last;
    EventId first = last;
    bool begins = false;
    for (; last != no_event && !begins; last = graph_[last].po_previous) {
      if (graph_[last].kind == EventKind::choice) continue;
      first = last;
      begins = known_.torn.contains(static_cast<ProcessId>(first));
    }
    blocks_.push_back({graph_[end].upto, first, end});
    blocks_.back().needs.erase(static_cast<ProcessId>(first));
    left_.insert(static_cast<ProcessId>(first));
  }
}

// Runs all blocks that can run, from this one on, until there are none. True if nothing is left.
template <typename Graph>
bool TornPairs<Graph>::run_blocks(std::size_t from) {
  for (auto to = blocks_.size(); to > from;) {
    auto kept = from;
    for (auto i = from; i < to; ++i) {
      if (blocks_[i].needs.intersects(left_)) {
        blocks_[kept++] = blocks_[i];
      } else {
        left_.erase(static_cast<ProcessId>(blocks_[i].first));
      }
    }
    if (kept == to) {
      blocks_.resize(to);
      return false;
    }
    to = kept;
  }
  return true;
}

// Decides by putting blocks in order. What comes out is known from now on.
template <typename Graph>
bool TornPairs<Graph>::decide(std::uint32_t bound) {
  blocks_.clear();
  failed_.clear();
  left_ = found_ = {};
  for (ThreadId t = 0; t < graph_.thread_count(); ++t) add_blocks(graph_.thread(t).last);
  if (run_blocks(0) || (known_.count < bound && search(0, bound - known_.count))) {
    known_.cuts = known_.torn | found_;
    known_.most = known_.cuts.count();
    known_.all = false;
    known_.joined = {};
    for (const Set& steps : steps_) {
      steps.for_each([&](ProcessId id) {
        const EventId before = step_before(event(id));
        if (before != no_event && !known_.cuts.contains(id))
          known_.joined.insert(static_cast<ProcessId>(before));
      });
    }
    return true;
  }
  known_.least = bound + 1;
  return false;
}

template <typename Graph>
bool TornPairs<Graph>::at_most(std::uint32_t bound, const Set& events) {
  const auto count = (known_.torn & events).count();
  if (count > bound) return false;
  blocks_.clear();
  failed_.clear();
  left_ = {};
  for (ThreadId t = 0; t < graph_.thread_count(); ++t) {
    EventId last = graph_.thread(t).last;
    while (last != no_event && !events.contains(static_cast<ProcessId>(last)))
      last = graph_[last].po_previous;
    add_blocks(last);
  }
  return run_blocks(0) || search(0, bound - count);
}

// The rest is stuck. Cuts a block, in such a way that as much of it as possible runs: that one of the blocks
// must be cut so is no restriction.
template <typename Graph>
bool TornPairs<Graph>::search(std::size_t from, std::uint32_t budget) {
  if (budget == 0) return false;
  const Set left = left_;
  const bool tried = std::any_of(failed_.begin(), failed_.end(), [&](const Failed& failed) {
    return failed.budget >= budget && failed.left == left;
  });
  if (tried) return false;
  const auto to = blocks_.size();
  for (auto i = from; i < to; ++i) {
    left_ = left;
    left_.erase(static_cast<ProcessId>(blocks_[i].first));
    if (graph_[blocks_[i].first].upto.intersects(left_)) continue;
    EventId rest = blocks_[i].last;
    for (EventId at = rest; graph_[at].upto.intersects(left_); at = step_before(graph_[at])) rest = at;
    for (auto j = from; j < to; ++j) blocks_.push_back(blocks_[j]);
    Block& cut = blocks_[to + i - from];
    cut.first = rest;
    cut.needs.erase(static_cast<ProcessId>(rest));
    left_.insert(static_cast<ProcessId>(rest));
    const bool done = run_blocks(to) || search(to, budget - 1);
    blocks_.resize(to);
    if (!done) continue;
    found_.insert(static_cast<ProcessId>(rest));
    return true;
  }
  failed_.push_back({left, budget});
  return false;
}

}  // namespace heddle::checker
