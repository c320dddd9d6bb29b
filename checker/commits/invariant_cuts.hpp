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

#include <cstdint>
#include <set>
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
  void judge(const Graph& graph, const compiler::InvariantImage& invariant) {
    memory_.clear();
    for (const auto& location : search_.image().locations) memory_.push_back(location.initial);
    writes_ = Set();
    graph.live().for_each([&](ProcessId p) {
      const auto& event = graph[static_cast<EventId>(p)];
      if (event.writes() && names(invariant, graph.location_of(event.location))) writes_.insert(p);
    });
    seen_.clear();
    if (!invariant.holds(memory_.data(), blocks_.data())) return note(graph, invariant, Set(), no_event);
    extend(graph, invariant, Set());
  }
  // Judges the cuts that have one more write, and those beyond. False after a violation.
  bool extend(const Graph& graph, const compiler::InvariantImage& invariant, const Set& cut) {
    if (!search_.may_go_on(0, [&] { return seen_.size() * (sizeof(Set) + 32); })) return false;
    std::vector<ProcessId> next;
    (writes_ - cut).for_each([&](ProcessId p) {
      Set before = graph[static_cast<EventId>(p)].upto;
      before.erase(p);
      Set missing = writes_ - cut;
      missing.erase(p);
      if (!before.intersects(missing)) next.push_back(p);
    });
    for (const ProcessId p : next) {
      Set longer = cut;
      longer.insert(p);
      if (!seen_.insert(members(longer)).second) continue;
      const auto& event = graph[static_cast<EventId>(p)];
      auto& cell = memory_[graph.location_of(event.location)];
      const auto overwritten = cell;
      cell = event.value;
      if (!invariant.holds(memory_.data(), blocks_.data())) {
        note(graph, invariant, cut, static_cast<EventId>(p));
        return false;
      }
      if (!extend(graph, invariant, longer)) return false;
      cell = overwritten;
    }
    return true;
  }
  // `last`: the write that broke the invariant, after those of the cut.
  void note(const Graph& graph, const compiler::InvariantImage& invariant, const Set& cut, EventId last) {
    search_.note({.kind = ViolationKind::invariant, .site = invariant.site}, [&] {
      Set events;
      cut.for_each([&](ProcessId p) { events |= graph[static_cast<EventId>(p)].upto; });
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
  [[nodiscard]] static bool names(const compiler::InvariantImage& invariant, Location location) {
    for (const auto named : invariant.locations) {
      if (named == location) return true;
    }
    return false;
  }
  [[nodiscard]] static std::vector<ProcessId> members(const Set& set) {
    std::vector<ProcessId> result;
    set.for_each([&](ProcessId p) { result.push_back(p); });
    return result;
  }

  Search& search_;
  std::vector<const std::byte*> blocks_;  // unused: invariants that name locals are refused
  std::vector<std::int64_t> memory_;
  Set writes_;
  std::set<std::vector<ProcessId>> seen_;
};

}  // namespace heddle::checker
