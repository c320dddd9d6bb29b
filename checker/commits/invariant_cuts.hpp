// Invariants over shared variables, judged on an execution graph: in every state of every run that the graph
// stands for.
//
// The runs of a graph are the orders of its events that extend the model's closed order (linearise.hpp), where a
// plain store has its place where it reaches memory. So the states between their steps are its *cuts*: sets of
// events that have everything that the order puts before one of them (predicate detection; Cooper and Marzullo,
// "Consistent detection of global predicates", 1991). Memory after a cut has the co-newest write of each location
// in it. The order has coherence in it, so only the writes of the locations that an invariant names matter: each
// set of these writes that is closed under the order restricted to them extends to a cut, by what is before them.
//
// Every state of the program is seen in a graph that ends a run of the search: a run can be extended from the
// state to its end, and its graph, or one with the same writes, is among those that the search ends. (Searches
// leave out graphs in which a read stops its thread that could have read something newer. Such a read writes
// nothing, so the same memory is met in graphs without it.)
//
// The number of cuts is the product of the numbers of writes by thread and location in the worst case.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/commits/linearise.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Holds buffers, so one object serves a whole search.
template <typename Graph>
class InvariantCuts {
 public:
  using Set = typename Graph::Set;

  explicit InvariantCuts(Search& search) : search_(search), blocks_(search.image().threads.size()) {}

  // Notes each invariant that does not hold after some cut of the graph.
  void judge(const Graph& graph) {
    for (const auto& invariant : search_.image().invariants) {
      if (search_.stopped()) return;
      judge(graph, invariant);
    }
  }

 private:
  // A cut is grown by one write after the other, in an order that extends the model's. So each comes once, and memory after it
  // has the write of each location that was added last.
  void judge(const Graph& graph, const compiler::InvariantImage& invariant) {
    memory_.clear();
    for (const auto& location : search_.image().locations) memory_.push_back(location.initial);
    find_writes(graph, invariant);
    cut_.clear();
    if (!holds(invariant)) return note(graph, invariant, no_event);
    std::uint32_t judged = 1;
    for (std::uint32_t next = 0;;) {
      while (next < writes_.size() && writes_[next].before.intersects(missing_)) ++next;
      if (next == writes_.size()) {
        if (cut_.empty()) break;
        next = cut_.back().write;
        memory_[writes_[next].location] = cut_.back().overwritten;
        missing_.insert(next++);
        cut_.pop_back();
        continue;
      }
      Write& write = writes_[next];
      const std::int64_t overwritten = std::exchange(memory_[write.location], write.value);
      if (!holds(invariant)) {
        note(graph, invariant, write.event);
        break;
      }
      missing_.erase(next);
      cut_.push_back({next++, overwritten});
      constexpr std::uint32_t between_looks = 1024;
      if (++judged % between_looks == 0 && !search_.may_go_on(0, [] { return std::uint64_t{0}; })) break;
    }
    search_.counts.cuts += judged;
  }
  void find_writes(const Graph& graph, const compiler::InvariantImage& invariant) {
    writes_.clear();
    Set found;
    graph.live().for_each([&](ProcessId p) {
      const auto& event = graph[static_cast<EventId>(p)];
      if (!event.writes() || !names(invariant, graph.location_of(event.location))) return;
      found.insert(p);
      writes_.push_back({.event = static_cast<EventId>(p),
                         .location = graph.location_of(event.location),
                         .value = event.value,
                         .rank = event.upto.count(),
                         .before = {}});
    });
    std::sort(writes_.begin(), writes_.end(), [](const Write& a, const Write& b) {
      return std::tie(a.rank, a.event) < std::tie(b.rank, b.event);
    });
    missing_ = {};
    for (std::uint32_t i = 0; i < writes_.size(); ++i) {
      const auto event = static_cast<std::size_t>(writes_[i].event);
      if (event >= number_.size()) number_.resize(event + 1);
      number_[event] = i;
      missing_.insert(i);
    }
    for (std::uint32_t i = 0; i < writes_.size(); ++i) {
      (graph[writes_[i].event].upto & found).for_each([&](ProcessId p) {
        if (number_[p] != i) writes_[i].before.insert(number_[p]);
      });
    }
  }
  // `last`: the write that broke the invariant, after those of the cut.
  void note(const Graph& graph, const compiler::InvariantImage& invariant, EventId last) {
    search_.note({.kind = ViolationKind::invariant, .site = invariant.site}, [&] {
      Set events;
      for (const Added& added : cut_) events |= graph[writes_[added.write].event].upto;
      if (last != no_event) events |= graph[last].upto;
      const Set live = graph.live();
      events = events - (events - live);
      add_choices(graph, events);
      return linearise(search_, graph, events, last);
    });
  }
  // A machine of interleavings judges no state in which a thread is at a `choose`.
  static void add_choices(const Graph& graph, Set& events) {
    for (bool more = true; more;) {
      more = false;
      graph.live().for_each([&](ProcessId p) {
        const auto& event = graph[static_cast<EventId>(p)];
        if (event.kind != EventKind::choice || events.contains(p)) return;
        Set missing = event.upto - events;
        missing.erase(p);
        if (!missing.empty()) return;
        events.insert(p);
        more = true;
      });
    }
  }
  // (No state is in the middle of an atomic block.)
  [[nodiscard]] bool holds(const compiler::InvariantImage& invariant) const {
    const auto mutex = search_.image().block_mutex;
    return (mutex && memory_[*mutex] != 0) || invariant.holds(memory_.data(), blocks_.data());
  }
  [[nodiscard]] bool names(const compiler::InvariantImage& invariant, Location location) const {
    if (location == search_.image().block_mutex) return true;
    for (const auto named : invariant.locations) {
      if (named == location) return true;
    }
    return false;
  }

  struct Write {
    EventId event = no_event;
    Location location = none;
    std::int64_t value = 0;
    std::uint32_t rank = 0;  // greater than that of all writes before it
    Set before;              // numbers of writes
  };
  struct Added {
    std::uint32_t write = 0;  // its number
    std::int64_t overwritten = 0;
  };
  Search& search_;
  std::vector<const std::byte*> blocks_;  // unused: invariants that name locals are refused
  std::vector<std::int64_t> memory_;
  std::vector<Write> writes_;          // those that the invariant can see
  std::vector<std::uint32_t> number_;  // in `writes_`, by event
  Set missing_;                        // numbers of writes that are not in the cut
  std::vector<Added> cut_;
};

}  // namespace heddle::checker
