// The least number of preemptions of a graph that grows and shrinks: the bound of `--preemption-bound` where
// every event is a step of its thread and leaving a thread is never free (SC without mutexes). For the other
// cases see witness_run.hpp; preemption_bound.hpp says what a preemption is.
//
// There a run costs one preemption for each pair of neighbours in a thread between which others run. So
// preemptions(G) is the least number of pairs that have to be cut for the uncut rest of the threads, taken as
// blocks, to have an order. Three sets of pairs are kept up to date as the graph grows:
//
// - torn: a pair is torn if some step of another thread is ordered behind its first and before its second
//   step. All torn pairs have to be cut. An event e that comes before others makes new order only from what
//   is before e to what is behind e: the pairs that it tears are those with the first step before e and the
//   second behind it.
// - cuts: pairs whose cutting is enough. Some order of the blocks is known to exist, but none is kept: all
//   that a new event e asks for is that what it needs can be moved before what needs it. So take what e
//   needs, and with a step the rest of its block, and all that this needs, and so on. If that does not arrive
//   at what needs e, nor at e's own block, these blocks go to the front, in the order that they have, then
//   e's block, then all others. Where a block would arrive there, it is cut instead.
// - circle: pairs that are not torn, one of which has to be cut nevertheless. They are those of the blocks
//   that were on the way when such a cut was made: whole, they need themselves, in this graph and in all that
//   grow from it.
//
// Taking away events that no other needs leaves torn pairs and cuts as they are, but for those events. Where
// the bound lies between what is known at least and at most, the graph is looked at as a whole (`decide`):
// the blocks between torn pairs are put in order. If some remain, which need each other in a circle, one more
// cut is needed; which one is searched, with as many cuts as the bound leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Graph>
class TornPairs {
 public:
  using Set = typename Graph::Set;

  // Is going to be asked for this bound most of the time.
  TornPairs(const Graph& graph, std::uint32_t bound)
      : graph_(graph),
        bound_(bound),
        most_slack_(std::max(graph.thread_count(), 2U) - 2),
        steps_(graph.thread_count()),
        first_(Graph::capacity, no_event) {}
  // The same for the same graph with room for more events.
  template <typename Narrower>
  TornPairs(const Graph& graph, const TornPairs<Narrower>& other);

  // To be called before and after an event is added to the graph. What it changes is found out when the next
  // one is about to come, or when the answer depends on it: often it does not. O(threads + events that it
  // overtakes) then, mostly.
  void before_add() { update(); }
  void add(EventId id) { new_ = id; }
  // To be called before the event is removed, which is the newest one.
  void remove(EventId id);
  // To be called before these events, which no other needs, are taken away, and when they are back again.
  void cut(const Set& gone);
  void mend(const Set& gone);

  // Has any run of the graph at most so many preemptions? O(1) mostly; when that does not tell, linear in the
  // number of events mostly, and exponential in that of threads at worst.
  [[nodiscard]] bool at_most(std::uint32_t bound) {
    if (known_.least > bound) return false;
    if (new_ != no_event) {
      // An event that comes before no other can run last.
      if (known_.most < bound && overtaken(graph_[new_]) == no_event) return true;
      update();
    }
    return known_.most <= bound || (known_.least <= bound && decide(bound));
  }
  // The same for a part of the graph that is closed under its order.
  [[nodiscard]] bool at_most(std::uint32_t bound, const Set& events);

  [[nodiscard]] std::size_t memory_used() const {
    return earlier_.capacity() * sizeof(Known) + blocks_.capacity() * sizeof(Block) +
           failed_.capacity() * sizeof(Failed);
  }

 private:
  template <typename>
  friend class TornPairs;
  using Event = typename Graph::Event;
  struct Known {
    Set torn;                 // the second steps of torn pairs
    Set cuts;                 // and these with others
    Set joined;               // the first steps of pairs that are not cut
    Set circle;               // first steps of pairs that are not torn, one of which has to be cut
    std::uint32_t pairs = 0;  // of neighbours in threads
    std::uint32_t count = 0;  // of them that are torn
    std::uint32_t least = 0;  // no run has fewer preemptions
    std::uint32_t most = 0;   // the number of cuts
    bool all = false;         // the cuts are not known, so take all pairs
  };
  // Events of a thread that run together.
  struct Block {
    Set needs;  // events before its last one
    Set own;    // its steps
    EventId last = no_event;
  };
  struct Failed {
    Set left;
    std::uint32_t budget = 0;
  };

  [[nodiscard]] const Event& event(ProcessId id) const { return graph_[static_cast<EventId>(id)]; }
  [[nodiscard]] EventId step_before(const Event& event) const {
    EventId id = event.po_previous;
    while (id != no_event && graph_[id].kind == EventKind::choice) id = graph_[id].po_previous;
    return id;
  }
  // The next event of the location; none if the event is the last one.
  [[nodiscard]] EventId overtaken(const Event& event) const {
    if (event.kind == EventKind::choice) return no_event;
    return event.kind == EventKind::read ? graph_[event.source].co_next : event.co_next;
  }
  void update() {
    if (new_ == no_event) return;
    earlier_.push_back(known_);
    take_in(std::exchange(new_, no_event));
  }
  void take_in(EventId id);
  void take_back() {
    known_ = earlier_.back();
    earlier_.pop_back();
  }
  [[nodiscard]] Set needed_of_others(const Event& event) const;
  void separate(EventId behind, EventId before) {
    known_.cuts.insert(static_cast<ProcessId>(behind));
    known_.joined.erase(static_cast<ProcessId>(before));
    ++known_.most;
  }
  void insert_torn(EventId behind, EventId before) {
    if (known_.torn.contains(static_cast<ProcessId>(behind))) return;
    known_.torn.insert(static_cast<ProcessId>(behind));
    ++known_.count;
    if (known_.circle.contains(static_cast<ProcessId>(before))) known_.circle = {};
    known_.least = std::max(known_.least, known_.count + (known_.circle.empty() ? 0 : 1));
    if (!known_.cuts.contains(static_cast<ProcessId>(behind))) separate(behind, before);
  }
  // For a pair of a block that needs itself unless a pair that begins with one of the events is cut.
  void insert_cut(EventId behind, EventId before, const Set& circle) {
    if (known_.circle.empty()) known_.circle = circle & known_.joined;
    known_.least = std::max(known_.least, known_.count + 1);
    separate(behind, before);
  }
  void go_on_with_block(EventId id, EventId earlier, const Set& needed, Set& before, Set avoided);
  void close(Set& before, const Set& avoided, const Set& thread);

  void add_blocks(Set steps, EventId last);
  bool run_blocks(std::size_t from);
  bool decide(std::uint32_t bound);
  [[nodiscard]] std::uint32_t least_cuts(std::size_t from);
  bool search(std::size_t from, std::uint32_t budget);

  const Graph& graph_;
  std::uint32_t bound_;
  std::uint32_t most_slack_;
  Known known_;
  std::vector<Known> earlier_;  // before each event that was taken in, and each cut
  EventId new_ = no_event;      // added to the graph, not looked at yet
  std::vector<Set> steps_;      // by thread
  Set seconds_;                 // the second steps of all pairs
  std::vector<EventId> first_;  // by second step: the first one
  std::vector<Block> blocks_;   // that have not run, one stretch per open choice of `search`
  Set left_;                    // the steps of those of the last stretch
  Set found_;                   // the cuts of a search that succeeded
  std::vector<Failed> failed_;
};

template <typename Graph>
template <typename Narrower>
TornPairs<Graph>::TornPairs(const Graph& graph, const TornPairs<Narrower>& other)
    : graph_(graph),
      bound_(other.bound_),
      most_slack_(other.most_slack_),
      new_(other.new_),
      first_(other.first_) {
  first_.resize(Graph::capacity, no_event);
  constexpr auto words = Set::capacity / 64;
  const auto widened = [](const auto& known) {
    return Known{.torn = known.torn.template widened<words>(),
                 .cuts = known.cuts.template widened<words>(),
                 .joined = known.joined.template widened<words>(),
                 .circle = known.circle.template widened<words>(),
                 .pairs = known.pairs,
                 .count = known.count,
                 .least = known.least,
                 .most = known.most,
                 .all = known.all};
  };
  known_ = widened(other.known_);
  for (const auto& known : other.earlier_) earlier_.push_back(widened(known));
  seconds_ = other.seconds_.template widened<words>();
  for (const auto& steps : other.steps_) steps_.push_back(steps.template widened<words>());
}

template <typename Graph>
void TornPairs<Graph>::take_in(EventId id) {
  const Event& event = graph_[id];
  if (event.kind == EventKind::choice) return;
  const EventId overtaken = this->overtaken(event);
  Set avoided;
  bool blocks_behind = true;  // what needs the event is whole blocks
  if (overtaken != no_event) {
    avoided.insert(static_cast<ProcessId>(overtaken));
    // (Without a branch on each pair: most would be mispredicted.)
    const Set& behind = graph_.overtaken();
    Set torn;
    Set begun;  // with their first steps neither behind nor before the event
    ((behind & seconds_) - known_.torn).for_each([&](ProcessId second) {
      const auto first = static_cast<ProcessId>(first_[second]);
      const bool across = event.upto.contains(first);
      torn.insert_if(second, across);
      begun.insert_if(second, !across & !behind.contains(first));
    });
    torn.for_each([&](ProcessId second) { insert_torn(static_cast<EventId>(second), first_[second]); });
    blocks_behind = (begun - known_.cuts).empty();
  }
  const EventId earlier = step_before(event);
  Set needed;
  if (earlier != no_event) {
    ++known_.pairs;
    seconds_.insert(static_cast<ProcessId>(id));
    first_[static_cast<std::size_t>(id)] = earlier;
    known_.joined.insert(static_cast<ProcessId>(earlier));
    needed = needed_of_others(event);
    if (needed.contains(static_cast<ProcessId>(earlier))) {
      insert_torn(id, earlier);
      needed = {};
    }
  }
  // (Beyond the bound, the slack may allow for all pairs to be cut. Then there is nothing to do.)
  if (known_.all || (known_.least > bound_ && known_.pairs <= bound_ + most_slack_)) {
    known_.all = true;
    known_.most = known_.pairs;
  }
  Set before;
  if (!known_.all && !needed.empty()) go_on_with_block(id, earlier, needed, before, avoided);
  steps_[event.thread].insert(static_cast<ProcessId>(id));
  if (known_.all || blocks_behind) return;
  before |= event.upto;
  close(before, avoided, {});
}

// What the event needs, but for what it needs because its thread does.
template <typename Graph>
auto TornPairs<Graph>::needed_of_others(const Event& event) const -> Set {
  Set needed;
  const auto add = [&](EventId other) {
    if (graph_[other].thread != event.thread) needed |= graph_[other].upto;
  };
  if (event.kind == EventKind::read) {
    add(event.source);
  } else {
    add(event.co_previous);
    graph_[event.co_previous].readers.for_each([&](ProcessId reader) { add(static_cast<EventId>(reader)); });
  }
  return needed;
}

// Lets the thread's last block go on with the new event, if it can; `before` is what has to go before it
// then.
template <typename Graph>
void TornPairs<Graph>::go_on_with_block(EventId id, EventId earlier, const Set& needed, Set& before,
                                        Set avoided) {
  if ((needed - graph_[earlier].upto).empty()) return;
  EventId first = earlier;
  while (!known_.cuts.contains(static_cast<ProcessId>(first))) {
    const EventId before_it = step_before(graph_[first]);
    if (before_it == no_event) break;
    first = before_it;
  }
  if (needed.contains(static_cast<ProcessId>(first)))
    return insert_cut(id, earlier, steps_[event(static_cast<ProcessId>(id)).thread]);
  before = needed;
  avoided.insert(static_cast<ProcessId>(first));
  close(before, avoided, steps_[event(static_cast<ProcessId>(id)).thread]);
}

// Closes the set, which is closed under the graph's order, under blocks. Cuts those that lead to what is
// avoided, which may be due to blocks of the thread with these steps.
template <typename Graph>
void TornPairs<Graph>::close(Set& before, const Set& avoided, const Set& thread) {
  for (Set left = before & known_.joined; !left.empty();) {
    const ThreadId t = event(left.first()).thread;
    left -= steps_[t];
    const Set rest = steps_[t] - before;
    if (rest.empty()) continue;
    // The end of the block that is begun, before the first cut.
    EventId end = graph_.thread(t).last;
    const Set cuts = rest & known_.cuts;
    if (!cuts.empty()) {
      ProcessId first = cuts.first();
      cuts.for_each([&](ProcessId other) {
        if (event(first).upto.contains(other)) first = other;
      });
      end = step_before(event(first));
      if (before.contains(static_cast<ProcessId>(end))) continue;
    }
    const Set& wanted = graph_[end].upto;
    if (wanted.intersects(avoided)) {
      EventId behind = end;
      EventId at = end;
      for (; !before.contains(static_cast<ProcessId>(at)); at = step_before(graph_[at])) behind = at;
      insert_cut(behind, at, before | wanted | thread);
    } else {
      left |= (wanted - before) & known_.joined;
      before |= wanted;
    }
  }
}

template <typename Graph>
void TornPairs<Graph>::remove(EventId id) {
  if (std::exchange(new_, no_event) != no_event) return;
  steps_[graph_[id].thread].erase(static_cast<ProcessId>(id));
  seconds_.erase(static_cast<ProcessId>(id));
  take_back();
}

template <typename Graph>
void TornPairs<Graph>::cut(const Set& gone) {
  update();
  earlier_.push_back(known_);
  gone.for_each([&](ProcessId id) {
    steps_[event(id).thread].erase(id);
    const EventId before = step_before(event(id));
    if (before == no_event || event(id).kind == EventKind::choice) return;
    known_.joined.erase(static_cast<ProcessId>(before));
    --known_.pairs;
  });
  seconds_ -= gone;
  known_.torn -= gone;
  known_.cuts -= gone;
  known_.circle = {};
  known_.least = known_.count = known_.torn.count();
  known_.most = known_.all ? known_.pairs : known_.cuts.count();
}

template <typename Graph>
void TornPairs<Graph>::mend(const Set& gone) {
  gone.for_each([&](ProcessId id) {
    if (event(id).kind == EventKind::choice) return;
    steps_[event(id).thread].insert(id);
    first_[id] = step_before(event(id));
    if (first_[id] != no_event) seconds_.insert(id);
  });
  take_back();
}

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
