// The graph of all states of a program, and the runs without an end in it that are fair.
//
// A run is fair if every process (thread or store buffer) that is enabled from some point on takes a step again
// (weak fairness; of store buffers: memory fairness, as in Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis,
// "Making weak memory models fair", OOPSLA'21). A finite graph has a fair run that ends no thread exactly if one
// of its strongly connected components does: the states that a run visits again and again are in one component,
// and in it
//   (1) some thread that should end has not ended (in all of its states, since an end is for ever), and
//   (2) each process is disabled in some state of the component, or some edge inside it is a step of the process.
// From (2) a run is made that goes round the component for ever, by each of these states and edges. If a process
// fails (2), every run that stays in the component passes over it for ever, though it is always enabled. Larger
// components only have more such states and edges, so maximal ones suffice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

enum class MoveKind : std::uint8_t {
  transition,   // of an enabled process
  choice,       // one value of a `choose`
  look_again,   // of a thread in the middle of the condition of an `await`: it fails and begins again
  begin_again,  // of a thread that has failed already
};

// One way to leave a state.
struct Move {
  ProcessId process = 0;
  MoveKind kind = MoveKind::transition;
  std::int64_t value = 0;  // of a choice
};

class StateGraph {
 public:
  using State = std::uint32_t;
  struct Edge {
    State from = 0;
    State to = 0;
    Move move;
  };
  // A run into a component and once round it.
  struct Lasso {
    std::vector<Move> stem;
    std::vector<Move> cycle;
    std::uint64_t unfinished = 0;  // threads that should end and do not, as a set of bits
    std::uint64_t running = 0;     // threads that take steps in the component, themselves or by their buffers
  };

  // States are numbered from 0, the initial one, in the order in which they are added. `unfinished`: threads
  // that should end and are still there; empty if nothing is claimed about runs through this state.
  void add_state(std::uint64_t unfinished) { unfinished_.push_back(unfinished); }
  void add_edge(State from, State to, const Move& move) { edges_.push_back({from, to, move}); }
  [[nodiscard]] std::size_t memory_used() const {
    return unfinished_.capacity() * sizeof(std::uint64_t) + edges_.capacity() * sizeof(Edge);
  }

  // A lasso for each component with a fair run that ends no thread, at most one for each set of unfinished
  // threads; the nearest to the initial state first. `owner(process)`: its thread. O(states + edges), plus
  // O(processes * size) for each component found.
  template <typename Owner>
  [[nodiscard]] std::vector<Lasso> fair_lassos(ProcessId processes, Owner&& owner);

 private:
  static constexpr State unknown = 0xffffffff;

  [[nodiscard]] std::pair<std::size_t, std::size_t> edges_of(State state) const {
    return {first_edge_[state], first_edge_[state + 1]};
  }
  void sort_edges();
  void find_components();
  [[nodiscard]] std::vector<std::size_t> path(State from, std::uint32_t component,
                                              const std::vector<bool>& goal) const;
  template <typename Owner>
  [[nodiscard]] std::optional<Lasso> lasso_of(const std::vector<State>& members, std::uint32_t component,
                                              ProcessId processes, Owner&& owner) const;
  [[nodiscard]] std::vector<Move> moves(const std::vector<std::size_t>& edges) const {
    std::vector<Move> result;
    for (const auto edge : edges) result.push_back(edges_[edge].move);
    return result;
  }
  // Whether the process is enabled in the state.
  [[nodiscard]] bool enabled(State state, ProcessId process) const {
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      if (edges_[e].move.process == process) return true;
    }
    return false;
  }

  std::vector<std::uint64_t> unfinished_;
  std::vector<Edge> edges_;              // by state, once sorted
  std::vector<std::size_t> first_edge_;  // by state
  std::vector<std::uint32_t> component_;
  std::uint32_t components_ = 0;
};

inline void StateGraph::sort_edges() {
  first_edge_.assign(unfinished_.size() + 1, 0);
  for (const Edge& edge : edges_) ++first_edge_[edge.from + 1];
  for (std::size_t s = 1; s < first_edge_.size(); ++s) first_edge_[s] += first_edge_[s - 1];
  std::vector<Edge> sorted(edges_.size());
  std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
  for (const Edge& edge : edges_) sorted[next[edge.from]++] = edge;
  edges_ = std::move(sorted);
}

// Tarjan's algorithm, without recursion.
inline void StateGraph::find_components() {
  const auto count = static_cast<State>(unfinished_.size());
  component_.assign(count, unknown);
  components_ = 0;
  std::vector<State> index(count, unknown);
  std::vector<State> low(count, 0);
  std::vector<State> open;
  std::vector<std::pair<State, std::size_t>> calls;  // a state and its next edge
  State next = 0;
  for (State root = 0; root < count; ++root) {
    if (index[root] != unknown) continue;
    calls.emplace_back(root, first_edge_[root]);
    index[root] = low[root] = next++;
    open.push_back(root);
    while (!calls.empty()) {
      const State state = calls.back().first;
      if (calls.back().second < first_edge_[state + 1]) {
        const State to = edges_[calls.back().second++].to;
        if (index[to] == unknown) {
          index[to] = low[to] = next++;
          open.push_back(to);
          calls.emplace_back(to, first_edge_[to]);
        } else if (component_[to] == unknown) {
          low[state] = std::min(low[state], index[to]);
        }
        continue;
      }
      calls.pop_back();
      if (!calls.empty()) low[calls.back().first] = std::min(low[calls.back().first], low[state]);
      if (low[state] != index[state]) continue;
      for (State member = unknown; member != state;) {
        member = open.back();
        open.pop_back();
        component_[member] = components_;
      }
      ++components_;
    }
  }
}

// The edges of a shortest path from the state to a state with `goal`, inside the component (`unknown`: in the
// whole graph). There must be one.
inline std::vector<std::size_t> StateGraph::path(State from, std::uint32_t component,
                                                 const std::vector<bool>& goal) const {
  constexpr std::size_t no_edge = ~std::size_t{0};
  std::vector<std::size_t> by(unfinished_.size(), no_edge);
  std::vector<bool> seen(unfinished_.size(), false);
  std::vector<State> queue{from};
  seen[from] = true;
  State found = from;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    found = queue[at];
    if (goal[found]) break;
    const auto [first, end] = edges_of(found);
    for (auto e = first; e < end; ++e) {
      const State to = edges_[e].to;
      if (seen[to] || (component != unknown && component_[to] != component)) continue;
      seen[to] = true;
      by[to] = e;
      queue.push_back(to);
    }
  }
  std::vector<std::size_t> result;
  for (State state = found; state != from; state = edges_[by[state]].from) result.push_back(by[state]);
  std::reverse(result.begin(), result.end());
  return result;
}

template <typename Owner>
std::optional<StateGraph::Lasso> StateGraph::lasso_of(const std::vector<State>& members,
                                                      std::uint32_t component, ProcessId processes,
                                                      Owner&& owner) const {
  std::vector<bool> steps(processes, false);
  std::vector<bool> disabled(processes, false);
  Lasso lasso;
  lasso.unfinished = unfinished_[members.front()];
  bool any = false;
  for (const State state : members) {
    if (unfinished_[state] == 0) return std::nullopt;
    std::vector<bool> here(processes, false);
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      here[edges_[e].move.process] = true;
      if (component_[edges_[e].to] != component) continue;
      any = true;
      steps[edges_[e].move.process] = true;
      lasso.running |= std::uint64_t{1} << owner(edges_[e].move.process);
    }
    for (ProcessId p = 0; p < processes; ++p) disabled[p] = disabled[p] || !here[p];
  }
  if (!any) return std::nullopt;
  for (ProcessId p = 0; p < processes; ++p) {
    if (!steps[p] && !disabled[p]) return std::nullopt;
  }
  // The member that is nearest to the initial state.
  std::vector<bool> goal(unfinished_.size(), false);
  for (const State state : members) goal[state] = true;
  const auto stem = path(0, unknown, goal);
  const State start = stem.empty() ? 0 : edges_[stem.back()].to;
  lasso.stem = moves(stem);
  // Round: first by the states and edges that make it fair.
  std::vector<std::size_t> round;
  State at = start;
  const auto go = [&](const std::vector<bool>& to) {
    const auto way = path(at, component, to);
    round.insert(round.end(), way.begin(), way.end());
    if (!way.empty()) at = edges_[way.back()].to;
  };
  for (ProcessId p = 0; p < processes; ++p) {
    const bool met = !enabled(at, p) || std::any_of(round.begin(), round.end(), [&](std::size_t e) {
      return edges_[e].move.process == p || !enabled(edges_[e].from, p);
    });
    if (met) continue;
    std::fill(goal.begin(), goal.end(), false);
    const auto edge_here = [&](State state) -> std::optional<std::size_t> {
      const auto [first, end] = edges_of(state);
      for (auto e = first; e < end; ++e) {
        if (edges_[e].move.process == p && component_[edges_[e].to] == component) return e;
      }
      return std::nullopt;
    };
    for (const State state : members) goal[state] = !enabled(state, p) || edge_here(state);
    go(goal);
    if (!enabled(at, p)) continue;
    const auto edge = edge_here(at);
    round.push_back(*edge);
    at = edges_[*edge].to;
  }
  if (round.empty()) {
    const auto [first, end] = edges_of(at);
    for (auto e = first; e < end && round.empty(); ++e) {
      if (component_[edges_[e].to] == component) round.push_back(e);
    }
    at = edges_[round.back()].to;
  }
  std::fill(goal.begin(), goal.end(), false);
  goal[start] = true;
  go(goal);
  lasso.cycle = moves(round);
  return lasso;
}

template <typename Owner>
std::vector<StateGraph::Lasso> StateGraph::fair_lassos(ProcessId processes, Owner&& owner) {
  sort_edges();
  find_components();
  std::vector<std::vector<State>> members(components_);
  for (State state = 0; state < unfinished_.size(); ++state) {
    if (unfinished_[state] != 0) members[component_[state]].push_back(state);
  }
  std::vector<Lasso> lassos;
  for (std::uint32_t c = 0; c < components_; ++c) {
    if (members[c].empty()) continue;
    auto lasso = lasso_of(members[c], c, processes, owner);
    if (!lasso) continue;
    const auto same = std::find_if(lassos.begin(), lassos.end(),
                                   [&](const Lasso& known) { return known.unfinished == lasso->unfinished; });
    if (same == lassos.end()) {
      lassos.push_back(std::move(*lasso));
    } else if (lasso->stem.size() < same->stem.size()) {
      *same = std::move(*lasso);
    }
  }
  std::stable_sort(lassos.begin(), lassos.end(),
                   [](const Lasso& a, const Lasso& b) { return a.stem.size() < b.stem.size(); });
  return lassos;
}

}  // namespace heddle::checker
