// Equal threads of an execution graph, of which GraphMachine makes one permutation only.
//
// A run represents all that permutations of equal threads (MachineOptions::twins) make of it. Each thread of
// a class but the first has a *twin*, the one before it. Two threads are *tied* as long as their events are equal:
// reads of the same writes, choices of the same value. The first two events of them that differ are ordered: by the
// values of choices, else by the places of writes and sources in coherence order. In the runs of this machine no
// thread has an event before the one of its twin to which it is tied. One permutation of each execution is such a
// run, up to those that exchange threads that are tied to their ends. Algorithms need not know of this: the event of the
// twin belongs to the prefix (cb) of the other one. docs/algorithms.md proves that this makes no cycles, that prefixes
// of such runs are such runs, and that the next event can still come last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/state/event.hpp"

namespace heddle::checker {

template <typename ExecutionGraph>
class TiedThreads {
 public:
  using Set = typename ExecutionGraph::Set;

  // `twins`: by thread, `none` or the one before it of its class. Empty if no threads are equal.
  TiedThreads(const ExecutionGraph& graph, std::span<const ThreadId> twins)
      : graph_(graph), twins_(twins.begin(), twins.end()) {}

  [[nodiscard]] bool any() const { return !twins_.empty(); }
  // Whether other threads are equal to this one. O(threads).
  [[nodiscard]] bool has_equal(ThreadId t) const {
    return any() && (twins_[t] != none || std::ranges::find(twins_, t) != twins_.end());
  }
  // How many executions the graph stands for.
  [[nodiscard]] std::uint64_t permutations() const {
    std::uint64_t result = 1;
    if (twins_.empty()) return result;
    std::vector<std::uint32_t> place(twins_.size(), 1);  // in the class, from 1
    std::vector<std::uint32_t> alike(twins_.size(), 1);  // that the thread is tied to, with it
    for (ThreadId t = 0; t < twins_.size(); ++t) {
      const ThreadId other = twins_[t];
      if (other == none) continue;
      place[t] = place[other] + 1;
      if (tied(t) && graph_.thread(t).length == graph_.thread(other).length) alike[t] = alike[other] + 1;
      result = result * place[t] / alike[t];
    }
    return result;
  }
  // Whether the thread has to let its twin go first.
  [[nodiscard]] bool held_back(ThreadId t) const {
    if (twins_.empty()) [[likely]]
      return false;
    const ThreadId other = twins_[t];
    return other != none && tied(t) && graph_.thread(other).length <= graph_.thread(t).length;
  }
  // The event of the thread's twin with the same index as the thread's next one, if the threads are tied and there is
  // one. O(events of the twin).
  [[nodiscard]] EventId next_twin_of(ThreadId t) const {
    const ThreadId other = twins_[t];
    if (other == none || !tied(t)) return no_event;
    return find(other, graph_.thread(t).length);
  }
  // Adds what an event whose twin is this one must not be co-before: its write, or else its source.
  void keep_after(EventId twin, Set& bounds) const {
    const EventId floor = graph_[twin].writes() ? twin : graph_[twin].source;
    if (!is_initial(floor)) bounds.insert(static_cast<ProcessId>(floor));
  }
  // The same for a read that is in the graph.
  [[gnu::noinline]] void keep_after_twin_of(EventId read, Set& bounds) const {
    const auto& event = graph_[read];
    const ThreadId other = twins_[event.thread];
    const EventId before = event.po_previous;
    if (other == none || (before != no_event && !graph_[before].tied)) return;
    keep_after(find(other, event.index), bounds);
  }

 private:
  // Whether all events of the thread so far equal those of its twin.
  [[nodiscard]] bool tied(ThreadId t) const {
    const EventId last = graph_.thread(t).last;
    return last == no_event || graph_[last].tied;
  }
  [[nodiscard]] EventId find(ThreadId t, std::uint32_t index) const {
    if (index >= graph_.thread(t).length) return no_event;
    EventId id = graph_.thread(t).last;
    while (graph_[id].index != index || !graph_[id].in_program()) id = graph_[id].po_previous;
    return id;
  }

  const ExecutionGraph& graph_;
  std::vector<ThreadId> twins_;
};

}  // namespace heddle::checker
