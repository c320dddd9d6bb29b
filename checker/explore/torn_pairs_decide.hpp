// How many preemptions a graph needs, decided from scratch where what is kept up to date does not tell: the
// rest of torn_pairs.hpp.
#pragma once

#include <utility>

#include "checker/explore/torn_pairs.hpp"

namespace heddle::checker {

// Finds the blocks of some steps of a thread, the last of which is given.
template <typename Graph>
void TornPairs<Graph>::add_blocks(Set steps, EventId last) {
  left_ |= steps;
  while (steps.intersects(known_.torn)) {
    Block block{.needs = graph_[last].upto, .own = {}, .last = last};
    for (bool begins = false; !begins; last = step_before(graph_[last])) {
      block.own.insert(static_cast<ProcessId>(last));
      begins = known_.torn.contains(static_cast<ProcessId>(last));
    }
    block.needs -= block.own;
    blocks_.push_back(block);
    steps -= block.own;
  }
  if (!steps.empty()) blocks_.push_back({graph_[last].upto - steps, steps, last});
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
        left_ -= blocks_[i].own;
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
  for (ThreadId t = 0; t < steps_.size(); ++t) {
    if (steps_[t].empty()) continue;
    const EventId last = graph_.thread(t).last;
    add_blocks(steps_[t], graph_[last].kind == EventKind::choice ? step_before(graph_[last]) : last);
  }
  if (!run_blocks(0) && (known_.count >= bound || !search(0, bound - known_.count))) {
    known_.least = bound + 1;
    return false;
  }
  const Set before = known_.cuts;
  known_.cuts = known_.torn | found_;
  known_.most = known_.cuts.count();
  known_.all = false;
  (before - known_.cuts).for_each([&](ProcessId id) {
    known_.joined.insert(static_cast<ProcessId>(step_before(event(id))));
  });
  found_.for_each([&](ProcessId id) { known_.joined.erase(static_cast<ProcessId>(step_before(event(id)))); });
  return true;
}

template <typename Graph>
bool TornPairs<Graph>::at_most(std::uint32_t bound, const Set& events) {
  update();
  const auto count = (known_.torn & events).count();
  if (count > bound) return false;
  blocks_.clear();
  failed_.clear();
  left_ = {};
  for (ThreadId t = 0; t < steps_.size(); ++t) {
    const Set steps = steps_[t] & events;
    if (steps.empty()) continue;
    EventId last = graph_.thread(t).last;
    while (!steps.contains(static_cast<ProcessId>(last))) last = step_before(graph_[last]);
    add_blocks(steps, last);
  }
  return run_blocks(0) || search(0, bound - count);
}

// At least so many of the stuck blocks, from this one on, have to be cut: of blocks that need each other
// pairwise, all but one.
template <typename Graph>
std::uint32_t TornPairs<Graph>::least_cuts(std::size_t from) {
  std::uint32_t least = 0;
  const auto need_each_other = [](const Block& a, const Block& b) {
    return a.needs.intersects(b.own) && b.needs.intersects(a.own);
  };
  // Gathers such blocks at `from`.
  for (std::size_t to = 0; from < blocks_.size(); from = to) {
    to = from + 1;
    for (auto i = to; i < blocks_.size(); ++i) {
      const bool all = std::all_of(blocks_.begin() + from, blocks_.begin() + to,
                                   [&](const Block& block) { return need_each_other(block, blocks_[i]); });
      if (all) std::swap(blocks_[i], blocks_[to++]);
    }
    least += static_cast<std::uint32_t>(to - from) - 1;
  }
  return std::max(least, 1U);
}

// The rest is stuck. Cuts a block, in such a way that as much of it as possible runs: that one of the blocks
// must be cut so is no restriction.
template <typename Graph>
bool TornPairs<Graph>::search(std::size_t from, std::uint32_t budget) {
  if (budget == 0 || budget < least_cuts(from)) return false;
  const Set left = left_;
  const bool tried = std::any_of(failed_.begin(), failed_.end(), [&](const Failed& failed) {
    return failed.budget >= budget && failed.left == left;
  });
  if (tried) return false;
  const auto to = blocks_.size();
  for (auto i = from; i < to; ++i) {
    const Set others = left - blocks_[i].own;
    EventId rest = no_event;
    EventId at = blocks_[i].last;
    while (at != no_event && blocks_[i].own.contains(static_cast<ProcessId>(at)) &&
           graph_[at].upto.intersects(others)) {
      rest = at;
      at = step_before(graph_[at]);
    }
    if (at == no_event || !blocks_[i].own.contains(static_cast<ProcessId>(at))) continue;
    for (auto j = from; j < to; ++j) blocks_.push_back(blocks_[j]);
    blocks_[to + i - from].own -= graph_[at].upto;
    left_ = left - (blocks_[i].own & graph_[at].upto);
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
