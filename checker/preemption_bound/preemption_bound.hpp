// `--preemption-bound k` for trust: paper 3 (Marmanis, Kokologiannakis, Vafeiadis, "Reconciling
// preemption bounding with DPOR", TACAS'23; the algorithm is called Buster).
//
// What a preemption is. A run of a graph preempts where it switches away from a thread that could continue
// and that does continue later (section 3.1, the optimistic definition). It is monotone: a prefix of a graph
// has a prefix of each of its runs. preemptions(G) is the least number over all runs of G. The executions
// within the bound are those with preemptions(G) <= k.
//
//   thread 0: x = 1; a = y        The reads see a = 1 and b = 1, so each write comes before both reads.
//   thread 1: y = 1; b = x        Whichever thread starts must be left before its read and come back:
//                                 preemptions(G) = 1.
//
// Slack. To reach every execution within the bound, trust must pass through graphs that need some preemptions
// more (section 4, theorem 1): at most N - 2 for N threads. Section 5 lowers this to the number of threads
// "that have no deletable events". The proof needs the number of threads that were extended by events which a
// later revisit will delete (proposition 1, lemma 2), and that is at most the number of threads that *have*
// deletable events, so that is the number used here. An event cannot be deleted any more once it is in the
// po | rf prefix of a write that has revisited: it is settled.
//
// Violations count as they end: the trace is what the failing thread needs, and no other thread has further
// events in it. So trust also extends a graph beyond k + slack if a thread that has not stopped needs no more
// than k preemptions so far, and the graph no more than k + N - 1 (and one for each unlock, below). Why that
// is enough: let V be the events of a violation within k, and let the threads run on from V to their ends,
// from the left to the right, each event seeing the newest of what is there. The result is a graph F, which
// unbounded trust reaches by one sequence of graphs. For each such graph G, a part D of F stays; what is in G
// and not in D will be deleted (proposition 1).
// - If nothing will be deleted, the failing thread has only events of V in G. What it needs is a part of V,
//   so by monotonicity it needs no more than k preemptions, and so does the part of V that is in G. The
//   events of F beyond V run after that, each thread's in one piece: at most N - 1 preemptions more.
// - Otherwise a write w is missing that will revisit. It is in V: a read of F beyond V sees a write of V, or
//   one of the threads that ran on before, which is there when the read is added. The thread of w has no
//   events in G but those before w, so it needs no more than k preemptions. Again the other threads' events
//   that are to be deleted or beyond V run last, in one piece per thread (lemma 2).
// - Where a thread waits for a mutex, the thread that unlocks it is left for it, as trust adds the left-most
//   thread's event: one preemption more for each unlock.
//
// TSO and PSO (the paper leaves them open). The run is one of the operational machine, where stores reach
// memory on their own. So only the other operations are steps of a thread, and a thread that waits for
// nothing but its own buffers could continue. `naive` counts preemptions in the same way
// (interleavings/preemptions.hpp).
//
// How the number is found. Deciding preemptions(G) <= k is NP-complete, and trust asks for every graph that
// it extends. So what is known of the graph is kept up to date as the graph changes:
// - torn_pairs.hpp (SC without mutexes): a lower and an upper bound of the number;
// - witness_run.hpp (all other cases): one run with few preemptions.
// Both decide exactly where that is not enough. PreemptionBound is all that trust sees of them: a listener
// that is told each change of the graph, and three queries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "checker/preemption_bound/ordered_graph.hpp"
#include "checker/preemption_bound/torn_pairs.hpp"
#include "checker/preemption_bound/witness_run.hpp"
#include "checker/state/event.hpp"

namespace heddle::checker {

// Life cycle: `before_add`, then the graph adds the event, then `add`; `remove` in reverse order, before the
// graph removes the event; `cut` before the graph sets events aside, `mend` after it has restored them.
// Without a bound all of these do nothing, and all queries return true.
template <typename Graph>
class PreemptionBound {
  static_assert(OrderedGraph<Graph>);

 public:
  using Set = typename Graph::Set;

  // `mutexes`: the program has some.
  PreemptionBound(const Graph& graph, std::optional<std::uint32_t> bound, bool mutexes)
      : graph_(graph),
        bound_(bound.value_or(0)),
        active_(bound.has_value()),
        by_pairs_(active_ && !Graph::buffers_stores && !mutexes),
        pairs_(graph),
        run_(graph) {}

  // Whether there is a bound.
  [[nodiscard]] bool active() const { return active_; }

  void before_add() {
    if (by_pairs_) pairs_.before_add();
  }
  void add(EventId event) {
    change([&](auto& known) { known.add(event); });
  }
  // Removes the newest event.
  void remove(EventId event) {
    change([&](auto& known) { known.remove(event); });
  }
  // No event that stays needs any of `gone`, and none of `gone` needs one that was inserted after it.
  void cut(const Set& gone) {
    change([&](auto& known) { known.cut(gone); });
  }
  void mend(const Set& gone) {
    change([&](auto& known) { known.mend(gone); });
  }

  // Whether the graph is within the bound, so that it counts.
  [[nodiscard]] bool within() { return !active_ || at_most(bound_); }
  // The same for a part of the graph that is closed under its order. A violation may be reported if its
  // causes are within the bound.
  [[nodiscard]] bool within(const Set& part) {
    if (!active_) return true;
    return by_pairs_ ? pairs_.at_most(bound_, part) : run_.at_most(bound_, part);
  }
  // Whether an execution or a violation within the bound may result from the graph, so that trust must extend
  // it. `settled`: the events that no revisit can delete any more.
  [[nodiscard]] bool must_extend(const Set& settled) {
    if (!active_ || at_most(bound_ + slack(settled))) return true;
    return at_most(bound_ + violation_slack()) && may_fail_within();
  }

  [[nodiscard]] std::size_t memory_used() const { return pairs_.memory_used() + run_.memory_used(); }

 private:
  template <typename Change>
  void change(Change&& change) {
    if (!active_) return;
    if (by_pairs_) {
      change(pairs_);
    } else {
      change(run_);
    }
  }
  [[nodiscard]] bool at_most(std::uint32_t bound) {
    return by_pairs_ ? pairs_.at_most(bound) : run_.at_most(bound);
  }
  [[nodiscard]] std::uint32_t slack(const Set& settled) const;
  [[nodiscard]] std::uint32_t violation_slack() const;
  [[nodiscard]] bool may_fail_within();

  const Graph& graph_;
  std::uint32_t bound_;
  bool active_;
  bool by_pairs_;  // pairs_ is kept up to date, otherwise run_
  TornPairs<Graph> pairs_;
  WitnessRun<Graph> run_;
};

// How many preemptions more than the bound a graph may have that leads to a graph within the bound.
// O(threads).
template <typename Graph>
std::uint32_t PreemptionBound<Graph>::slack(const Set& settled) const {
  const auto threads = graph_.thread_count();
  if (threads <= 2) return 0;
  std::uint32_t deletable = 0;
  for (ThreadId t = 0; t < threads; ++t) {
    const EventId last = graph_.thread(t).last;
    if (last != no_event && !settled.contains(static_cast<ProcessId>(last))) ++deletable;
  }
  return std::min(threads - 2, deletable);
}

// The same for a graph that leads to a violation within the bound. O(threads + events).
template <typename Graph>
std::uint32_t PreemptionBound<Graph>::violation_slack() const {
  std::uint32_t begun = 0;
  for (ThreadId t = 0; t < graph_.thread_count(); ++t) begun += graph_.thread(t).last != no_event;
  std::uint32_t unlocks = 0;
  for (const EventId id : graph_.order()) unlocks += graph_[id].op == Op::unlock;
  return std::min(begun, graph_.thread_count() - 1) + unlocks;
}

// Whether a thread that has not stopped may find a violation within the bound.
template <typename Graph>
bool PreemptionBound<Graph>::may_fail_within() {
  bool may_fail = false;
  const auto going = graph_.in_state(ThreadState::ready) | graph_.in_state(ThreadState::waiting);
  going.for_each([&](ThreadId t) { may_fail = may_fail || within(graph_.causes(t)); });
  return may_fail;
}

}  // namespace heddle::checker
