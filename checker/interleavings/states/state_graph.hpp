// The graph of all states of a program, and the runs in it that are fair.
//
// A run is fair if every process (thread or store buffer) that is enabled from some point on takes a step again
// (weak fairness; of store buffers: memory fairness, as in Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis,
// "Making weak memory models fair", OOPSLA'21). All questions are of one form: whether a fair run, from
// some state of the set `starts` on, stays for ever in the set `inside`, and takes none of the edges that are left out.
//   - Some thread never ends: `starts` has all states, `inside` those in which the thread has not ended.
//   - Nor does it make progress: the edges past its `progress` are left out.
//   - `eventually c` fails: `starts` has the initial state, `inside` the states without c.
//   - `c leads to d` fails: `starts` has the states with c, `inside` those without d.
// A finite graph has such a run if the starts reach inside that set a state without any edge, in which the run ends,
// or a strongly connected component of that set, of edges that are not left out, with at least one edge, where
//   each process is disabled in some state of the component, or some edge inside it is a step of the process.
// From this a run is made that goes round the component for ever, by each of these states and edges. Conversely the
// states that a run visits again and again are in one component. If a process fails the condition, every run that
// stays in the component passes over it for ever, though it is always enabled. Larger components only have more such
// states and edges, so maximal ones suffice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

enum class MoveKind : std::uint8_t {
  transition,   // of an enabled process
  choice,       // one value of a `choose`
  progress,     // past a `progress`
  alternative,  // of an `either` at whose entry the thread is, with the first load of its guard if it has one
  look_again,   // of a thread in the middle of the condition of an `await`: it fails and begins again
  begin_again,  // of a thread that has failed already
};

// One way to leave a state.
struct Move {
  ProcessId process = 0;
  MoveKind kind = MoveKind::transition;
  bool waits = false;      // the thread is still at the same `either`, and so has not made a step
  std::int64_t value = 0;  // of a choice; or the alternative

  [[nodiscard]] bool is_step_of(ProcessId of) const { return process == of && !waits; }
};

class StateGraph {
 public:
  using State = std::uint32_t;
  struct Edge {
    State from = 0;
    State to = 0;
    Move move;
  };
  struct Question {
    std::vector<bool> starts;  // by state, as is
    std::vector<bool> inside;
    std::uint64_t without_progress_of = 0;  // the threads whose progress is left out, as a set of bits
    bool may_end = false;                   // whether a run that ends answers it, too
  };
  // What happens again and again in a fair component.
  struct Round {
    State start = 0;               // the member that the question reaches first
    std::uint64_t running = 0;     // threads that take steps in it, themselves or by their buffers
    std::uint64_t progresses = 0;  // threads that make progress in it
  };
  // A run to a component and once round it; or one that ends.
  struct Lasso {
    std::vector<Move> stem;
    std::vector<Move> cycle;  // empty: the run ends
    std::size_t since = 0;    // where in the stem the start is
    std::uint64_t key = 0;
    std::uint64_t running = 0;  // as in Round
  };

  // States are numbered from 0, the initial one, in the order in which they are added.
  // `ready`: the threads that are at an `either` and would take an alternative if left alone. `in_block`:
  // it is no state of the program, but one in the middle of an atomic block, and no process is disabled there.
  void add_state(std::uint64_t ready, bool in_block) {
    ++count_;
    ready_.push_back(ready);
    in_block_.push_back(in_block);
  }
  void add_edge(State from, State to, const Move& move) { edges_.push_back({from, to, move}); }
  // To be called once, when all edges are there.
  void close();

  [[nodiscard]] State size() const { return count_; }
  // Threads that make progress somewhere.
  [[nodiscard]] std::uint64_t progressing() const { return progressing_; }
  [[nodiscard]] std::size_t memory_used() const {
    return edges_.capacity() * sizeof(Edge) + ready_.capacity() * sizeof(std::uint64_t) +
           in_block_.capacity() / 8;
  }

  // Runs that answer the question, the nearest first: one to the nearest end, and for each key one to the nearest
  // component that goes by it. `key(round)`: 0 if the component is none that matters. `owner(process)`: its thread.
  // O(states + edges), and O(processes * size of the component) for each lasso.
  template <typename Owner, typename Key>
  [[nodiscard]] std::vector<Lasso> fair_runs(const Question& question, ProcessId processes, Owner&& owner,
                                             Key&& key);

 private:
  static constexpr State unknown = 0xffffffff;
  static constexpr std::size_t no_edge = ~std::size_t{0};

  // The way to each state by a breadth-first search; of states that are not reached, `distance` is `unknown`.
  struct Ways {
    std::vector<std::uint32_t> distance;
    std::vector<std::size_t> by;  // the last edge; none for where the search begins
  };

  [[nodiscard]] std::pair<std::size_t, std::size_t> edges_of(State state) const {
    return {first_edge_[state], first_edge_[state + 1]};
  }
  [[nodiscard]] bool follows(const Question& question, const Edge& edge) const {
    return question.inside[edge.to] && (edge.move.kind != MoveKind::progress ||
                                        (question.without_progress_of >> edge.move.process & 1) == 0);
  }
  [[nodiscard]] Ways ways_inside(const Question& question) const;
  void find_components(const Question& question);
  void add_stem(const Ways& ways, State state, Lasso& lasso) const;
  void add_nearest_end(const Ways& ways, std::vector<Lasso>& runs) const;
  [[nodiscard]] std::vector<std::size_t> path(const Question& question, State from, std::uint32_t component,
                                              const std::vector<bool>& goal) const;
  template <typename Owner>
  [[nodiscard]] std::optional<Round> fair_round(const Question& question, const Ways& ways,
                                                const std::vector<State>& members, ProcessId processes,
                                                Owner&& owner) const;
  [[nodiscard]] std::vector<Move> cycle(const Question& question, const std::vector<State>& members,
                                        State start, ProcessId processes) const;
  // Whether the process is enabled in the state.
  [[nodiscard]] bool enabled(State state, ProcessId process) const {
    if (is_ready(state, process)) return true;
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      if (edges_[e].move.is_step_of(process)) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_ready(State state, ProcessId process) const {
    return in_block_[state] || (process < 64 && (ready_[state] >> process & 1) != 0);
  }

  State count_ = 0;
  std::vector<std::uint64_t> ready_;  // by state
  std::vector<bool> in_block_;        // by state
  std::uint64_t progressing_ = 0;
  std::vector<Edge> edges_;              // by state, once closed
  std::vector<std::size_t> first_edge_;  // by state
  Ways ways_;                            // from the initial state
  std::vector<State> nearest_;           // the states by their distances
  std::vector<std::uint32_t> component_;
  std::uint32_t components_ = 0;
};

inline void StateGraph::close() {
  first_edge_.assign(std::size_t{count_} + 1, 0);
  for (const Edge& edge : edges_) {
    ++first_edge_[edge.from + 1];
    if (edge.move.kind == MoveKind::progress) progressing_ |= std::uint64_t{1} << edge.move.process;
  }
  for (std::size_t s = 1; s < first_edge_.size(); ++s) first_edge_[s] += first_edge_[s - 1];
  std::vector<Edge> sorted(edges_.size());
  std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
  for (const Edge& edge : edges_) sorted[next[edge.from]++] = edge;
  edges_ = std::move(sorted);

  ways_.distance.assign(count_, unknown);
  ways_.by.assign(count_, no_edge);
  nearest_.assign(1, 0);
  ways_.distance[0] = 0;
  for (std::size_t at = 0; at < nearest_.size(); ++at) {
    const State state = nearest_[at];
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      const State to = edges_[e].to;
      if (ways_.distance[to] != unknown) continue;
      ways_.distance[to] = ways_.distance[state] + 1;
      ways_.by[to] = e;
      nearest_.push_back(to);
    }
  }
}

// Ways that lead anywhere to a start, and from there inside. Starts come into the queue at their distances.
inline StateGraph::Ways StateGraph::ways_inside(const Question& question) const {
  Ways ways;
  ways.distance.assign(count_, unknown);
  ways.by.assign(count_, no_edge);
  std::vector<State> queue;
  std::size_t at = 0;
  for (std::size_t start = 0; start < nearest_.size() || at < queue.size();) {
    State state = 0;
    if (start < nearest_.size() &&
        (at == queue.size() || ways_.distance[nearest_[start]] <= ways.distance[queue[at]])) {
      state = nearest_[start++];
      if (!question.starts[state] || !question.inside[state] || ways.distance[state] != unknown) continue;
      ways.distance[state] = ways_.distance[state];
    } else {
      state = queue[at++];
    }
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      const State to = edges_[e].to;
      if (!follows(question, edges_[e]) || ways.distance[to] != unknown) continue;
      ways.distance[to] = ways.distance[state] + 1;
      ways.by[to] = e;
      queue.push_back(to);
    }
  }
  return ways;
}

inline void StateGraph::add_stem(const Ways& ways, State state, Lasso& lasso) const {
  std::vector<Move>& stem = lasso.stem;
  for (; ways.by[state] != no_edge; state = edges_[ways.by[state]].from)
    stem.push_back(edges_[ways.by[state]].move);
  const std::size_t inside = stem.size();
  for (; ways_.by[state] != no_edge; state = edges_[ways_.by[state]].from)
    stem.push_back(edges_[ways_.by[state]].move);
  lasso.since = stem.size() - inside;
  std::reverse(stem.begin(), stem.end());
}

inline void StateGraph::add_nearest_end(const Ways& ways, std::vector<Lasso>& runs) const {
  State ending = unknown;
  for (State state = 0; state < count_; ++state) {
    if (ways.distance[state] == unknown || first_edge_[state] != first_edge_[state + 1]) continue;
    if (ending == unknown || ways.distance[state] < ways.distance[ending]) ending = state;
  }
  if (ending != unknown) add_stem(ways, ending, runs.emplace_back());
}

// Tarjan's algorithm, without recursion.
inline void StateGraph::find_components(const Question& question) {
  component_.assign(count_, unknown);
  components_ = 0;
  std::vector<State> index(count_, unknown);
  std::vector<State> low(count_, 0);
  std::vector<State> open;
  std::vector<std::pair<State, std::size_t>> calls;  // a state and its next edge
  State next = 0;
  for (State root = 0; root < count_; ++root) {
    if (index[root] != unknown || !question.inside[root]) continue;
    calls.emplace_back(root, first_edge_[root]);
    index[root] = low[root] = next++;
    open.push_back(root);
    while (!calls.empty()) {
      const State state = calls.back().first;
      if (calls.back().second < first_edge_[state + 1]) {
        const Edge& edge = edges_[calls.back().second++];
        const State to = edge.to;
        if (!follows(question, edge)) continue;
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

// The edges of a shortest path in the component from the state to a state with `goal`. There must be one.
inline std::vector<std::size_t> StateGraph::path(const Question& question, State from,
                                                 std::uint32_t component,
                                                 const std::vector<bool>& goal) const {
  std::vector<std::size_t> by(count_, no_edge);
  std::vector<bool> seen(count_, false);
  std::vector<State> queue{from};
  seen[from] = true;
  State found = from;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    found = queue[at];
    if (goal[found]) break;
    const auto [first, end] = edges_of(found);
    for (auto e = first; e < end; ++e) {
      const State to = edges_[e].to;
      if (seen[to] || component_[to] != component || !follows(question, edges_[e])) continue;
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
std::optional<StateGraph::Round> StateGraph::fair_round(const Question& question, const Ways& ways,
                                                        const std::vector<State>& members,
                                                        ProcessId processes, Owner&& owner) const {
  std::vector<bool> steps(processes, false);
  std::vector<bool> disabled(processes, false);
  Round round{.start = members.front()};
  bool any = false;
  std::vector<bool> here(processes, false);
  for (const State state : members) {
    if (ways.distance[state] < ways.distance[round.start]) round.start = state;
    std::fill(here.begin(), here.end(), false);
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      const Move& move = edges_[e].move;
      here[move.process] = here[move.process] || !move.waits;
      if (component_[edges_[e].to] != component_[state] || !follows(question, edges_[e])) continue;
      any = any || !move.waits || question.may_end;
      if (move.waits) continue;
      steps[move.process] = true;
      round.running |= std::uint64_t{1} << owner(move.process);
      if (move.kind == MoveKind::progress) round.progresses |= std::uint64_t{1} << move.process;
    }
    for (ProcessId p = 0; p < processes; ++p) disabled[p] = disabled[p] || (!here[p] && !is_ready(state, p));
  }
  if (!any) return std::nullopt;
  for (ProcessId p = 0; p < processes; ++p) {
    if (!steps[p] && !disabled[p]) return std::nullopt;
  }
  return round;
}

// Once round the component, first by the states and edges that make it fair.
inline std::vector<Move> StateGraph::cycle(const Question& question, const std::vector<State>& members,
                                           State start, ProcessId processes) const {
  const std::uint32_t component = component_[start];
  std::vector<bool> goal(count_, false);
  std::vector<std::size_t> round;
  State at = start;
  const auto go = [&] {
    const auto way = path(question, at, component, goal);
    round.insert(round.end(), way.begin(), way.end());
    if (!way.empty()) at = edges_[way.back()].to;
  };
  const auto edge_from = [&](State state, auto&& wanted) -> std::size_t {
    const auto [first, end] = edges_of(state);
    for (auto e = first; e < end; ++e) {
      const Edge& edge = edges_[e];
      if (component_[edge.to] == component && follows(question, edge) && wanted(edge.move)) return e;
    }
    return no_edge;
  };
  const auto take = [&](std::size_t edge) {
    round.push_back(edge);
    at = edges_[edge].to;
  };
  for (ProcessId p = 0; p < processes; ++p) {
    const bool met = !enabled(at, p) || std::any_of(round.begin(), round.end(), [&](std::size_t e) {
      return edges_[e].move.is_step_of(p) || !enabled(edges_[e].from, p);
    });
    if (met) continue;
    const auto is_step = [p](const Move& move) { return move.is_step_of(p); };
    std::fill(goal.begin(), goal.end(), false);
    for (const State state : members)
      goal[state] = !enabled(state, p) || edge_from(state, is_step) != no_edge;
    go();
    if (enabled(at, p)) take(edge_from(at, is_step));
  }
  if (round.empty()) take(edge_from(at, [](const Move&) { return true; }));
  std::fill(goal.begin(), goal.end(), false);
  goal[start] = true;
  go();
  std::vector<Move> moves;
  for (const auto edge : round) moves.push_back(edges_[edge].move);
  return moves;
}

template <typename Owner, typename Key>
std::vector<StateGraph::Lasso> StateGraph::fair_runs(const Question& question, ProcessId processes,
                                                     Owner&& owner, Key&& key) {
  const Ways ways = ways_inside(question);
  find_components(question);
  std::vector<std::vector<State>> members(components_);
  for (State state = 0; state < count_; ++state) {
    if (ways.distance[state] != unknown) members[component_[state]].push_back(state);
  }
  std::map<std::uint64_t, Round> nearest;  // by key
  for (const auto& component : members) {
    if (component.empty()) continue;
    const auto round = fair_round(question, ways, component, processes, owner);
    const std::uint64_t of = round ? key(*round) : 0;
    if (of == 0) continue;
    const auto [known, fresh] = nearest.emplace(of, *round);
    if (!fresh && ways.distance[round->start] < ways.distance[known->second.start]) known->second = *round;
  }
  std::vector<Lasso> runs;
  if (question.may_end) add_nearest_end(ways, runs);
  for (const auto& [of, round] : nearest) {
    Lasso& lasso = runs.emplace_back();
    lasso.key = of;
    lasso.running = round.running;
    add_stem(ways, round.start, lasso);
    lasso.cycle = cycle(question, members[component_[round.start]], round.start, processes);
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Lasso& a, const Lasso& b) { return a.stem.size() < b.stem.size(); });
  return runs;
}

}  // namespace heddle::checker
