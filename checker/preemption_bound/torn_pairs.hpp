// The least number of preemptions of a graph, kept between two bounds while the graph grows and shrinks: for
// graphs where every event but a choice is a step of its thread and leaving a thread is never free (SC
// without mutexes). For all others see witness_run.hpp; preemption_bound.hpp says what a preemption is.
//
// A *pair* is two neighbours in a thread. A run cuts a pair if steps of other threads come between the two;
// each such pair costs one preemption. What is not cut is a *stretch*: consecutive steps of a thread that run
// together. So preemptions(G) is the least number of pairs that have to be cut for the stretches to have an
// order: none may need itself by way of others.
//
//   thread 0: x = 1; a = y            thread 1: b = x; y = 1          a = 1, b = 1
//
//   x=1 comes before b=x, b=x before y=1, and y=1 before a=y. So the pair of thread 0 is *torn*: steps of
//   another thread come between its two steps in each run. preemptions(G) = 1.
//
//   thread 0: x = 1; a = y            thread 1: y = 1; b = x          a = 1, b = 1
//
//   Neither pair is torn. But a=y needs y=1, and b=x needs x=1, so the two stretches need each other: one of
//   the pairs, either one, has to be cut. preemptions(G) = 1.
//
// Of each graph this is known:
// - torn: all torn pairs. Their number is a lower bound.
// - cuts: pairs whose cutting is enough, among them all that are torn. Their number is an upper bound.
// Both stay what they are when the graph grows, as runs of the larger graph contain runs of the smaller
// one, except that the new event
// - tears each pair whose first step it needs and whose second step needs it (tear_pairs_across,
//   join_thread);
// - may leave the stretches without an order. No order is kept: when an event comes that needs some steps,
//   and that others need, it is enough that the former can be moved before the latter. So take all that it
//   needs; with each step the rest of its stretch; all that these need; and so on (complete_stretches). If
//   that never arrives at what needs the event, these stretches can run first, in the order that they have,
//   then the event's own, then all others. A stretch that would arrive there is cut at the point up to which
//   it is needed.
// Removing events that no other needs leaves torn pairs and cuts as they are, but for those events.
//
// If the bound in question lies between the two numbers, which is rare, the graph is decided as a whole
// (`decide`): the stretches between torn pairs are put in order as far as they have one. For those that are
// stuck a search tries which one to cut, with as many cuts as the bound leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Graph>
class TornPairs {
 public:
  using Set = typename Graph::Set;

  explicit TornPairs(const Graph& graph) : graph_(graph), steps_(graph.thread_count()) {}

  // To be called before and after an event is added to the graph. Updates are deferred until the next add or
  // query; often none is needed. An update takes O(threads + events overtaken) mostly.
  void before_add() { update(); }
  void add(EventId id) { new_ = id; }
  // To be called before the newest event is removed. O(1).
  void remove(EventId id);
  // To be called before these events, which no other needs, are removed, and after they have been restored.
  // O(1) for each of them.
  void cut(const Set& gone);
  void mend(const Set& gone);

  // Whether some run of the graph has at most `bound` preemptions. O(1) mostly. If the known bounds do not
  // tell, linear in the number of events mostly, and exponential in the number of threads at worst.
  [[nodiscard]] bool at_most(std::uint32_t bound) {
    if (known_.least > bound) return false;
    if (new_ != no_event) {
      // An event that comes before no other can run last.
      if (known_.most < bound && overtaken_by(graph_, new_) == no_event) return true;
      update();
    }
    return known_.most <= bound || (known_.least <= bound && decide(bound));
  }
  // The same for a part of the graph that is closed under its order. Never O(1).
  [[nodiscard]] bool at_most(std::uint32_t bound, const Set& part);

  // The known bounds: no run of the graph has fewer preemptions than `least`, and some run has at most
  // `most`. `least` is at least the number of torn pairs.
  [[nodiscard]] std::uint32_t least() {
    update();
    return known_.least;
  }
  [[nodiscard]] std::uint32_t most() {
    update();
    return known_.most;
  }

  // Where sets allocate, O(events). With a large bound it grows with the product of events and preemptions.
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t sets = 0;
    if constexpr (requires(const Set& set) { set.memory_used(); }) {
      for (const Known& known : earlier_)
        sets += known.torn.memory_used() + known.cuts.memory_used() + known.joined.memory_used();
    }
    return sets + first_.capacity() * sizeof(EventId) + earlier_.capacity() * sizeof(Known) +
           stretches_.capacity() * sizeof(Stretch) + failed_.capacity() * sizeof(Failed);
  }

 private:
  using Event = typename Graph::Event;
  // What is known of one graph. A pair goes by its second step unless stated otherwise.
  struct Known {
    Set torn;
    Set cuts;
    Set joined;               // by first step: pairs that are not cut
    std::uint32_t least = 0;  // no run has fewer preemptions
    std::uint32_t most = 0;   // some run has no more: the number of cuts
  };
  struct Stretch {
    Set needs;  // events of other stretches before its last step
    Set own;    // its steps
    EventId last = no_event;
  };
  struct Failed {
    Set left;
    std::uint32_t budget = 0;
  };

  [[nodiscard]] const Event& event(ProcessId id) const { return graph_[static_cast<EventId>(id)]; }
  [[nodiscard]] EventId step_before(EventId id) const { return checker::step_before(graph_, id); }

  // Updates.
  void update() {
    if (new_ == no_event) return;
    earlier_.push_back(known_);
    take_in(std::exchange(new_, no_event));
  }
  void take_in(EventId id);
  void tear_pairs_across(const Event& event);
  [[nodiscard]] Set join_thread(EventId id);
  void extend_stretch(EventId id, Set& before, Set avoided);
  void complete_stretches(Set& before, const Set& avoided);
  [[nodiscard]] Set needed_of_others(const Event& event) const;
  [[nodiscard]] EventId first_of_stretch(EventId step) const;
  [[nodiscard]] EventId end_of_begun_stretch(ThreadId t, const Set& before) const;
  void tear(EventId first, EventId second);
  void separate(EventId first, EventId second);
  void set_first(ProcessId second, EventId first) {
    if (first_.size() <= second) first_.resize(second + 1, no_event);
    first_[second] = first;
  }
  void restore() {
    known_ = earlier_.back();
    earlier_.pop_back();
  }

  // Decisions.
  bool decide(std::uint32_t bound);
  void start_stretches();
  void add_stretches(Set steps, EventId last);
  bool run_stretches(std::size_t from);
  bool search_cuts(std::size_t from, std::uint32_t budget);
  [[nodiscard]] std::pair<EventId, EventId> stuck_pair(const Stretch& stretch) const;
  [[nodiscard]] std::uint32_t least_cuts(std::size_t from);

  const Graph& graph_;
  Known known_;
  std::vector<Known> earlier_;  // before each event that was taken in, and each cut
  EventId new_ = no_event;      // in the graph, not yet taken in
  std::vector<Set> steps_;      // by thread
  Set seconds_;                 // all pairs
  std::vector<EventId> first_;  // by second step
  // In a decision:
  std::vector<Stretch> stretches_;  // that have not run, one part for each open choice of the search
  Set left_;                        // the steps of those of the last part
  Set found_;                       // the cuts of a search that succeeded
  std::vector<Failed> failed_;
};

// -- Updates

template <typename Graph>
void TornPairs<Graph>::take_in(EventId id) {
  const Event& event = graph_[id];
  if (event.kind == EventKind::choice) return;
  const EventId overtaken = overtaken_by(graph_, id);
  Set avoided;  // what needs the event first of all
  if (overtaken != no_event) {
    avoided.insert(static_cast<ProcessId>(overtaken));
    tear_pairs_across(event);
  }
  // What has to run before the event's stretch.
  Set before = join_thread(id);
  if (!before.empty()) extend_stretch(id, before, avoided);
  steps_[event.thread].insert(static_cast<ProcessId>(id));
  if (overtaken == no_event) return;
  before |= event.upto;
  complete_stretches(before, avoided);
}

// The event, which comes before others, tears all pairs whose first step it needs. O(pairs whose second step
// needs it).
template <typename Graph>
void TornPairs<Graph>::tear_pairs_across(const Event& event) {
  Set torn;
  // (Without a branch on each pair: most would be mispredicted.)
  ((graph_.overtaken() & seconds_) - known_.torn).for_each([&](ProcessId second) {
    torn.insert_if(second, event.upto.contains(static_cast<ProcessId>(first_[second])));
  });
  torn.for_each([&](ProcessId second) { tear(first_[second], static_cast<EventId>(second)); });
}

// Makes a pair of the event and its thread's last step. If that is not torn, returns what the event needs of
// other threads.
template <typename Graph>
auto TornPairs<Graph>::join_thread(EventId id) -> Set {
  const EventId last = step_before(id);
  if (last == no_event) return {};
  seconds_.insert(static_cast<ProcessId>(id));
  set_first(static_cast<ProcessId>(id), last);
  known_.joined.insert(static_cast<ProcessId>(last));
  const Set needed = needed_of_others(graph_[id]);
  if (!needed.contains(static_cast<ProcessId>(last))) return needed;
  tear(last, id);
  return {};
}

// Extends the thread's last stretch by the event if possible. `before`, what the event needs, becomes what
// has to run before that stretch then.
template <typename Graph>
void TornPairs<Graph>::extend_stretch(EventId id, Set& before, Set avoided) {
  const EventId last = first_[static_cast<std::size_t>(id)];
  if ((before - graph_[last].upto).empty()) {
    before = {};  // the stretch needs it anyway
    return;
  }
  const auto first = static_cast<ProcessId>(first_of_stretch(last));
  if (before.contains(first)) {
    before = {};
    return separate(last, id);  // the stretch would need itself
  }
  avoided.insert(first);
  complete_stretches(before, avoided);
}

// Adds to `before`, which is closed under the graph's order, the rest of all stretches that it has a part of,
// and what that needs. Stretches that need what is avoided are cut instead, at the point up to which they are
// needed. O(stretches) mostly.
template <typename Graph>
void TornPairs<Graph>::complete_stretches(Set& before, const Set& avoided) {
  for (Set begun = before & known_.joined; !begun.empty();) {
    const ThreadId t = event(begun.first()).thread;
    begun -= steps_[t];
    const EventId end = end_of_begun_stretch(t, before);
    if (end == no_event) continue;
    const Set& wanted = graph_[end].upto;
    if (!wanted.intersects(avoided)) {
      begun |= (wanted - before) & known_.joined;
      before |= wanted;
      continue;
    }
    EventId second = end;
    EventId first = step_before(end);
    for (; !before.contains(static_cast<ProcessId>(first)); first = step_before(first)) second = first;
    separate(first, second);
  }
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

template <typename Graph>
EventId TornPairs<Graph>::first_of_stretch(EventId step) const {
  while (!known_.cuts.contains(static_cast<ProcessId>(step))) {
    const EventId earlier = step_before(step);
    if (earlier == no_event) break;
    step = earlier;
  }
  return step;
}

// The last step of the thread's stretch of which some steps, but not all, are in `before`; none if there is
// no such stretch.
template <typename Graph>
EventId TornPairs<Graph>::end_of_begun_stretch(ThreadId t, const Set& before) const {
  const Set rest = steps_[t] - before;
  if (rest.empty()) return no_event;
  const Set cuts = rest & known_.cuts;
  if (cuts.empty()) return graph_.thread(t).last;
  ProcessId next = cuts.first();  // the first step of the next stretch
  cuts.for_each([&](ProcessId other) {
    if (event(next).upto.contains(other)) next = other;
  });
  const EventId end = step_before(static_cast<EventId>(next));
  return before.contains(static_cast<ProcessId>(end)) ? no_event : end;
}

template <typename Graph>
void TornPairs<Graph>::tear(EventId first, EventId second) {
  if (known_.torn.contains(static_cast<ProcessId>(second))) return;
  known_.torn.insert(static_cast<ProcessId>(second));
  known_.least = std::max(known_.least, known_.torn.count());
  if (!known_.cuts.contains(static_cast<ProcessId>(second))) separate(first, second);
}

template <typename Graph>
void TornPairs<Graph>::separate(EventId first, EventId second) {
  known_.cuts.insert(static_cast<ProcessId>(second));
  known_.joined.erase(static_cast<ProcessId>(first));
  ++known_.most;
}

template <typename Graph>
void TornPairs<Graph>::remove(EventId id) {
  if (std::exchange(new_, no_event) != no_event) return;
  steps_[graph_[id].thread].erase(static_cast<ProcessId>(id));
  seconds_.erase(static_cast<ProcessId>(id));
  restore();
}

template <typename Graph>
void TornPairs<Graph>::cut(const Set& gone) {
  update();
  earlier_.push_back(known_);
  gone.for_each([&](ProcessId id) {
    steps_[event(id).thread].erase(id);
    if (!seconds_.contains(id)) return;
    known_.joined.erase(static_cast<ProcessId>(first_[id]));
  });
  seconds_ -= gone;
  known_.torn -= gone;
  known_.cuts -= gone;
  known_.least = known_.torn.count();
  known_.most = known_.cuts.count();
}

template <typename Graph>
void TornPairs<Graph>::mend(const Set& gone) {
  gone.for_each([&](ProcessId id) {
    if (event(id).kind == EventKind::choice) return;
    steps_[event(id).thread].insert(id);
    set_first(id, step_before(static_cast<EventId>(id)));
    if (first_[id] != no_event) seconds_.insert(id);
  });
  restore();
}

// -- Decisions

// Puts the stretches in order, or as many as possible and then searches. The result is known from now on.
template <typename Graph>
bool TornPairs<Graph>::decide(std::uint32_t bound) {
  start_stretches();
  for (ThreadId t = 0; t < steps_.size(); ++t) {
    if (steps_[t].empty()) continue;
    const EventId last = graph_.thread(t).last;
    add_stretches(steps_[t], graph_[last].kind == EventKind::choice ? step_before(last) : last);
  }
  if (!run_stretches(0) && !search_cuts(0, bound - known_.torn.count())) {
    known_.least = bound + 1;
    return false;
  }
  const Set before = known_.cuts;
  known_.cuts = known_.torn | found_;
  known_.most = known_.cuts.count();
  (before - known_.cuts).for_each([&](ProcessId second) {
    known_.joined.insert(static_cast<ProcessId>(first_[second]));
  });
  found_.for_each([&](ProcessId second) { known_.joined.erase(static_cast<ProcessId>(first_[second])); });
  return true;
}

template <typename Graph>
bool TornPairs<Graph>::at_most(std::uint32_t bound, const Set& part) {
  update();
  const auto count = (known_.torn & part).count();
  if (count > bound) return false;
  start_stretches();
  for (ThreadId t = 0; t < steps_.size(); ++t) {
    const Set steps = steps_[t] & part;
    if (steps.empty()) continue;
    EventId last = graph_.thread(t).last;
    while (!steps.contains(static_cast<ProcessId>(last))) last = step_before(last);
    add_stretches(steps, last);
  }
  return run_stretches(0) || search_cuts(0, bound - count);
}

template <typename Graph>
void TornPairs<Graph>::start_stretches() {
  stretches_.clear();
  failed_.clear();
  left_ = found_ = {};
}

// Adds the stretches between torn pairs of these steps of a thread, the last of which is given.
template <typename Graph>
void TornPairs<Graph>::add_stretches(Set steps, EventId last) {
  left_ |= steps;
  while (steps.intersects(known_.torn)) {
    Stretch stretch{.needs = graph_[last].upto, .own = {}, .last = last};
    for (bool begins = false; !begins; last = step_before(last)) {
      stretch.own.insert(static_cast<ProcessId>(last));
      begins = known_.torn.contains(static_cast<ProcessId>(last));
    }
    stretch.needs -= stretch.own;
    stretches_.push_back(stretch);
    steps -= stretch.own;
  }
  if (!steps.empty()) stretches_.push_back({graph_[last].upto - steps, steps, last});
}

// Runs all stretches that can run, from this one on, until there are none. True if nothing is left.
template <typename Graph>
bool TornPairs<Graph>::run_stretches(std::size_t from) {
  for (auto to = stretches_.size(); to > from;) {
    auto kept = from;
    for (auto i = from; i < to; ++i) {
      if (stretches_[i].needs.intersects(left_)) {
        stretches_[kept++] = stretches_[i];
      } else {
        left_ -= stretches_[i].own;
      }
    }
    if (kept == to) {
      stretches_.resize(to);
      return false;
    }
    to = kept;
  }
  return true;
}

// The stretches from this one on are stuck. Cuts one of them after the longest part that can run, and
// continues. Trying each stretch in this way is enough: some stretch must be cut, and a later cut never does
// worse.
template <typename Graph>
bool TornPairs<Graph>::search_cuts(std::size_t from, std::uint32_t budget) {
  if (budget == 0 || budget < least_cuts(from)) return false;
  const Set left = left_;
  const bool tried = std::any_of(failed_.begin(), failed_.end(), [&](const Failed& failed) {
    return failed.budget >= budget && failed.left == left;
  });
  if (tried) return false;
  const auto to = stretches_.size();
  for (auto i = from; i < to; ++i) {
    left_ = left;
    const auto [first, second] = stuck_pair(stretches_[i]);
    if (first == no_event) continue;
    for (auto j = from; j < to; ++j) stretches_.push_back(stretches_[j]);
    const Set& runs = graph_[first].upto;
    left_ -= stretches_[i].own & runs;
    stretches_[to + i - from].own -= runs;
    const bool done = run_stretches(to) || search_cuts(to, budget - 1);
    stretches_.resize(to);
    if (!done) continue;
    found_.insert(static_cast<ProcessId>(second));
    return true;
  }
  failed_.push_back({left, budget});
  return false;
}

// The pair of a stuck stretch up to whose first step it can run; none if it cannot run at all.
template <typename Graph>
std::pair<EventId, EventId> TornPairs<Graph>::stuck_pair(const Stretch& stretch) const {
  const Set others = left_ - stretch.own;
  EventId second = no_event;
  for (EventId at = stretch.last; at != no_event && stretch.own.contains(static_cast<ProcessId>(at));
       at = step_before(at)) {
    if (!graph_[at].upto.intersects(others)) return {at, second};
    second = at;
  }
  return {no_event, no_event};
}

// At least this many of the stuck stretches, from this one on, have to be cut: of stretches that need each
// other pairwise, all but one. O(stretches^2). (Without it Treiber's stack with a bound of 2 takes 12 %
// more.)
template <typename Graph>
std::uint32_t TornPairs<Graph>::least_cuts(std::size_t from) {
  std::uint32_t least = 0;
  const auto need_each_other = [](const Stretch& a, const Stretch& b) {
    return a.needs.intersects(b.own) && b.needs.intersects(a.own);
  };
  // Gathers such stretches at `from`.
  for (std::size_t to = 0; from < stretches_.size(); from = to) {
    to = from + 1;
    for (auto i = to; i < stretches_.size(); ++i) {
      const bool all =
          std::all_of(stretches_.begin() + static_cast<std::ptrdiff_t>(from),
                      stretches_.begin() + static_cast<std::ptrdiff_t>(to),
                      [&](const Stretch& stretch) { return need_each_other(stretch, stretches_[i]); });
      if (all) std::swap(stretches_[i], stretches_[to++]);
    }
    least += static_cast<std::uint32_t>(to - from) - 1;
  }
  return std::max(least, 1U);
}

}  // namespace heddle::checker
