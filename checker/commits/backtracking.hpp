// dpor, source and sdpor over a derived execution model: depth-first search over its commits, with
// backtracking where paper 2 sees a race: a read that was committed before a write to its location, though it
// need not be.
//
// At a node one event is selected and committed with every parameter that the model allows. Nothing is lost
// by that if the event is a store (it may go anywhere behind the earlier events, whenever it is committed) or
// a `choose`; if it is a read, what is lost are the executions in which it sees a write that is not there
// yet. So stores go first, and where a write e turns out to race with the read r of a node, one event that
// starts the commit-before prefix of e (or e itself) is tried at the node, too (DerivedRule).
//
// Sleep sets say what need not be explored twice: behind a node's later candidates its earlier ones, reads
// all, may not see a write that was there at the node. A sleeping read goes on with later writes only; where
// all that is left are sleeping reads without such a source, the run is given up. So two paths differ in what
// they commit first where they part, or in its parameter, and every complete trace comes exactly once.
//
// Why no trace is lost. Let m be a node, and t a trace, or part of one, that goes on from it and that no
// sleeping read forbids. If some candidate of m has its parameter in t already at m, it can go first in t,
// and t is behind the first candidate of which that is true. If it is true of none, all candidates are reads
// that see later writes in t. Take the selected one, r, and of the rest of t, in an order that cb allows, the
// part v before the first write e to r's location. Nothing hinders r from being committed before v, with a
// source that is there at m, and no sleeping read forbids that; so some run behind r commits v, and there e
// is enabled (whether it is committed or not, which is why races are looked for at given up runs, too). It
// has added an event q that can start e's prefix: q is in t, what it needs is there at m, and so is what it
// reads. That is a contradiction. Where every event that is enabled sleeps, all of them are candidates from
// the start.
//
// `sdpor` remembers partial traces instead of using sleep sets (with them none would come twice). At a known
// one it stops, and lets the writes that are known to lie behind it race with the reads of the path: it
// keeps, by location, the threads that the prefixes of these writes belong to, and every event of such a
// thread becomes a candidate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

enum class DerivedRule : std::uint8_t {
  first,     // dpor: the first event of the prefix
  unless,    // source: the same, unless some event that can start the prefix is a candidate already
  stateful,  // sdpor: as dpor, with known partial traces in the place of sleep sets
};

// A node, as far as it does not depend on the machine's width.
struct BacktrackFrame {
  std::uint32_t depth = 0;                // steps before it
  std::vector<EventName> enabled;         // sdpor: all that could be candidates
  std::vector<EventName> candidates;      // in the order in which they are explored
  std::vector<std::uint32_t> woken;       // what was asleep before it, in this order
  std::size_t next = 0;                   // candidates that were begun
  bool must_commit = false;               // the first candidate has a parameter in any case
  bool committed = false;                 // some candidate, with some parameter
  std::optional<std::int64_t> parameter;  // of the newest candidate: the next one to be tried
};

template <typename Machine, DerivedRule rule>
class DerivedBacktracking {
 public:
  using MachineType = Machine;
  template <typename Wider>
  using On = DerivedBacktracking<Wider, rule>;
  static constexpr unsigned next_width = widest_machine;
  using Set = typename Machine::Set;
  static constexpr bool stateful = rule == DerivedRule::stateful;

  DerivedBacktracking(Machine& machine, Search& search, const GraphObserver& observer)
      : machine_(machine),
        search_(search),
        observer_(observer),
        end_(search),
        locations_(search.image().locations.size()),
        asleep_(search.image().threads.size()) {
    // Trying coherence orders may take long.
    if constexpr (requires { machine.watch(search); }) machine.watch(search);
  }

  // Goes on where a search on a narrower machine stopped.
  template <typename Narrower>
  DerivedBacktracking(Machine& machine, DerivedBacktracking<Narrower, rule>&& other)
      : DerivedBacktracking(machine, other.search_, other.observer_) {
    RunAgain again(machine_, other.machine_.run());
    for (used_ = 0; used_ < other.used_; ++used_) {
      auto& old = other.nodes_[used_];
      again.to(old.depth);
      Node& node = nodes_.emplace_back();
      static_cast<BacktrackFrame&>(node) = std::move(static_cast<BacktrackFrame&>(old));
      node.state = old.state;
      node.behind = std::move(old.behind);
      if (node.next == 0) continue;
      const EventName name = node.candidates[node.next - 1];
      machine_.prepare(name, node.event);
      if (node.parameter) node.parameter = translated(other.machine_, machine_, name, *node.parameter);
    }
    again.to_end();
    asleep_ = std::move(other.asleep_);
    known_ = std::move(other.known_);
    summaries_ = std::move(other.summaries_);
    arrived_ = true;
  }

  // False if an execution has more events than the machine has room for; then a wider one may go on.
  bool run() {
    if (!arrived_) {
      arrived_ = true;
      arrive();
    }
    while (used_ > 0 && !search_.stopped()) {
      if (machine_.full()) return false;
      while (machine_.depth() > nodes_[used_ - 1].depth) machine_.undo();
      advance(nodes_[used_ - 1]);
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  template <typename, DerivedRule>
  friend class DerivedBacktracking;

  struct Node : BacktrackFrame {
    typename Machine::Prepared event;   // of the newest candidate
    std::uint32_t state = 0;            // sdpor: number of the partial trace
    std::vector<std::uint64_t> behind;  // sdpor: by location, threads of the prefixes of the writes behind it
  };

  // How the events that can be committed are preferred: see the beginning of the file. Locks last: they are
  // the only ones that may have to wait.
  enum Rank : std::uint8_t { choices, stores, reads, locks, sleeping };

  [[nodiscard]] Rank rank(EventName name) {
    switch (machine_.op(name)) {
      case Op::choose: return choices;
      case Op::store:
      case Op::unlock: return stores;
      default: break;
    }
    if (barrier(name) != 0) return sleeping;
    return machine_.op(name) == Op::lock ? locks : reads;
  }

  // 0 of an event that is awake; else 1 more than the depth whose writes it may not see.
  [[nodiscard]] std::uint32_t barrier(EventName name) const {
    const auto& thread = asleep_[name.thread];
    return name.index < thread.size() ? thread[name.index] : 0;
  }
  void set_barrier(EventName name, std::uint32_t barrier) {
    auto& thread = asleep_[name.thread];
    if (name.index >= thread.size()) thread.resize(2 * std::size_t{name.index} + 8, 0);
    thread[name.index] = barrier;
  }
  [[nodiscard]] bool forbidden(EventName name, std::int64_t parameter) const {
    const auto barrier = this->barrier(name);
    return barrier != 0 &&
           (parameter < 0 || parameter < static_cast<std::int64_t>(machine_.first_event(barrier - 1)));
  }

  Node& open() {
    if (used_ == nodes_.size()) nodes_.emplace_back();
    Node& node = nodes_[used_++];
    node.depth = machine_.depth();
    node.candidates.clear();
    node.woken.clear();
    node.next = 0;
    node.must_commit = node.committed = false;
    node.parameter.reset();
    return node;
  }

  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t bytes = machine_.memory_used() + nodes_.capacity() * sizeof(Node) + known_->memory_used() +
                          summaries_.size() * states_per_chunk * locations_ * sizeof(std::uint64_t);
    for (const Node& node : nodes_) {
      bytes += (node.enabled.capacity() + node.candidates.capacity()) * sizeof(EventName) +
               node.woken.capacity() * sizeof(std::uint32_t) + node.behind.capacity() * sizeof(std::uint64_t);
    }
    return bytes;
  }
  [[nodiscard]] std::uint64_t* summary(std::uint32_t state) const {
    return summaries_[state / states_per_chunk].get() + state % states_per_chunk * locations_;
  }
  void arrive();
  void advance(Node& node);
  void begin_next(Node& node);
  void leave(Node& node);
  bool meet_known();
  void end_run();
  void detect_races(EventName writer, const typename Machine::Prepared& event);
  void detect_waiting_races();
  void add_candidate(Node& node, EventName writer, const Set& before);
  void add(Node& node, EventName name) {
    if (std::find(node.candidates.begin(), node.candidates.end(), name) == node.candidates.end())
      node.candidates.push_back(name);
  }
  [[nodiscard]] bool may_race(EventName writer, EventName read) const {
    // The unlock of a lock's owner comes after it in any case.
    return machine_.op(read) != Op::lock || machine_.op(writer) != Op::unlock;
  }

  Machine& machine_;
  Search& search_;
  const GraphObserver& observer_;
  DerivedEnd<Machine> end_;
  std::size_t locations_;
  std::vector<Node> nodes_;  // one for each step, and one more; those from used_ on keep their memory
  std::size_t used_ = 0;
  std::vector<std::vector<std::uint32_t>> asleep_;  // by thread and index: see barrier
  bool arrived_ = false;
  // sdpor: known partial traces, and, by number and location, what Node::behind was in the end. A trace is
  // not met again before that: whatever is committed behind it is longer.
  std::unique_ptr<SequenceTable> known_ = std::make_unique<SequenceTable>();
  static constexpr std::uint32_t states_per_chunk = 64;
  std::vector<std::unique_ptr<std::uint64_t[]>> summaries_;
  std::vector<std::uint64_t> key_;
};

// The run has just been extended.
template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::arrive() {
  stop_at_limits(machine_, search_);
  if constexpr (stateful) {
    if (!search_.stopped() && meet_known()) return;
  }
  if (!machine_.failures().empty()) end_.failure(machine_);
  if (search_.stopped()) return;
  Node& node = open();
  if constexpr (stateful) {
    node.state = static_cast<std::uint32_t>(known_->size() - 1);
    node.behind.assign(locations_, 0);
    node.enabled.clear();
    ++search_.counts.states;
  }
  auto best = sleeping;
  machine_.for_each_enabled([&](EventName name) {
    if (machine_.waits(name)) return;
    if constexpr (stateful) node.enabled.push_back(name);
    const Rank its = rank(name);
    if (its > best || (its == best && its != sleeping)) return;
    if (its < best) node.candidates.clear();
    best = its;
    node.candidates.push_back(name);
  });
  node.must_commit = best != sleeping;
  if (node.candidates.empty()) end_run();
}

// Nothing is left to be committed.
template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::end_run() {
  detect_waiting_races();
  nodes_[used_ - 1].committed = true;
  if (end_.finish(machine_) && observer_) observer_(machine_.plain_graph());
}

// Takes the next branch of the node, or leaves it.
template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::advance(Node& node) {
  for (;;) {
    while (node.parameter) {
      const std::int64_t parameter = *node.parameter;
      node.parameter = machine_.next_parameter(node.event, parameter);
      if (forbidden(node.event.name, parameter) || !machine_.commit(node.event, parameter)) continue;
      node.committed = true;
      search_.transition(machine_.depth(), [&] { return memory_used(); });
      arrive();
      return;
    }
    if (search_.stopped()) return;
    if (node.next == 1 && node.must_commit && !node.committed)
      throw std::logic_error("internal error: an event that can be committed has no parameter");
    if (node.next == node.candidates.size()) return leave(node);
    begin_next(node);
  }
}

template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::begin_next(Node& node) {
  if (!stateful && node.next > 0) {
    const EventName explored = node.candidates[node.next - 1];
    node.woken.push_back(barrier(explored));
    set_barrier(explored, node.depth + 1);
  }
  const EventName name = node.candidates[node.next++];
  machine_.prepare(name, node.event);
  node.parameter = machine_.first_parameter(node.event);
  if (machine_.op(name) != Op::load && machine_.op(name) != Op::choose) detect_races(name, node.event);
}

template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::leave(Node& node) {
  for (std::size_t i = 0; i < node.woken.size(); ++i) set_barrier(node.candidates[i], node.woken[i]);
  if (!node.committed) {
    detect_waiting_races();
    ++search_.counts.blocked_sleep_set;
    ++search_.counts.runs;
  }
  --used_;
  if constexpr (stateful) {
    std::copy(node.behind.begin(), node.behind.end(), summary(node.state));
    if (used_ == 0) return;
    auto& above = nodes_[used_ - 1].behind;
    for (std::size_t i = 0; i < locations_; ++i) above[i] |= node.behind[i];
  }
}

// If the partial trace is a known one: the writes behind it race with the reads of the path.
template <typename Machine, DerivedRule rule>
bool DerivedBacktracking<Machine, rule>::meet_known() {
  machine_.key(key_);
  const auto [state, known] = known_->insert(key_);
  if (!known) {
    if (state / states_per_chunk == summaries_.size())
      summaries_.push_back(std::make_unique<std::uint64_t[]>(states_per_chunk * locations_));
    return false;
  }
  ++search_.counts.revisits;
  ++search_.counts.runs;
  const std::uint64_t* const behind = summary(state);
  if (used_ > 0) {
    auto& above = nodes_[used_ - 1].behind;
    for (std::size_t i = 0; i < locations_; ++i) above[i] |= behind[i];
  }
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    const EventName name = machine_.step(step);
    if (!machine_.reads(name)) continue;
    Node& node = nodes_[step];
    for (const EventName other : node.enabled) {
      if (((behind[machine_.location(name)] >> other.thread) & 1) != 0) add(node, other);
    }
  }
  return true;
}

template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::detect_waiting_races() {
  machine_.for_each_enabled([&](EventName waiting) {
    if (!machine_.waits(waiting)) return;
    typename Machine::Prepared event;
    machine_.prepare(waiting, event);
    detect_races(waiting, event);
  });
}

// Which committed reads could read from the event, had it come first?
template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::detect_races(EventName writer,
                                                      const typename Machine::Prepared& event) {
  const auto location = machine_.location(writer);
  std::optional<Set> before;
  if constexpr (stateful) {
    before = machine_.commit_before(event);
    std::uint64_t threads = std::uint64_t{1} << writer.thread;
    for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
      if (before->contains(machine_.first_event(step)))
        threads |= std::uint64_t{1} << machine_.step(step).thread;
    }
    nodes_[used_ - 1].behind[location] |= threads;
  }
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    const EventName read = machine_.step(step);
    if (machine_.location(read) != location || !machine_.reads(read) || !may_race(writer, read)) continue;
    if (!before) before = machine_.commit_before(event);
    if (!before->contains(machine_.first_event(step))) add_candidate(nodes_[step], writer, *before);
  }
}

// `before`: what must be committed before the writer.
template <typename Machine, DerivedRule rule>
void DerivedBacktracking<Machine, rule>::add_candidate(Node& node, EventName writer, const Set& before) {
  const auto contains = [&](const std::vector<EventName>& names, EventName name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EventName first = writer;
  for (auto step = machine_.depth(); step-- > node.depth;) {
    if (!before.contains(machine_.first_event(step))) continue;
    first = machine_.step(step);
    // A candidate was enabled at the node, so it can start the prefix that it is in.
    if (rule == DerivedRule::unless && contains(node.candidates, first)) return;
  }
  if (rule == DerivedRule::unless && contains(node.candidates, writer)) return;
  add(node, first);
}

}  // namespace heddle::checker
