// dpor, source, sdpor and rf over a commit machine: depth-first search over its commits, with backtracking
// where paper 2 sees a race: a read that was committed before a write to its location, although it did not
// have to be.
//
// What each guarantees: every violation and final state. dpor and source complete each (po, rf, co) trace
// exactly once; sdpor reaches each partial trace once, and so each complete one. Redundant work shows as
// sleep-set-blocked runs, or as re-visited states.
//
// At a node one event is selected and committed with every parameter that the model allows. This loses
// nothing if the event is a store (it may take any place after the earlier events, whenever it is committed)
// or a `choose`; if it is a read, it loses the executions in which the read sees a write that does not exist
// yet. So stores come first, and where a write e turns out to race with the read r of a node, one event that
// starts the commit-before prefix of e (or e itself) is tried at the node, too (CandidateRule).
//
// Sleep sets say what need not be explored twice: while a node's later candidates are explored, its earlier
// ones, all reads, may not see a write that existed at the node. A sleeping read can only take later writes;
// where only sleeping reads without such a source are left, the run is abandoned. So two paths differ in the
// first commit after they part, or in its parameter, and every complete trace comes exactly once.
//
// Why no trace is lost. Let m be a node, and t a trace, or part of one, that continues from m and that no
// sleeping read forbids. If some candidate of m has its parameter in t already at m, it can come first in t,
// and t is explored with the first candidate of which that is true. If it is true of none, all candidates are
// reads that see later writes in t. Take the selected one, r, and of the rest of t, in an order that cb
// allows, the part v before the first write e to r's location. Nothing prevents r from being committed before
// v, with a source that exists at m, and no sleeping read forbids that; so some run after r commits v, and
// there e is enabled (whether or not it is committed, which is why abandoned runs are searched for races,
// too). It has added an event q that can start e's prefix: q is in t, and what it needs and what it reads
// exist at m. That is a contradiction. Where every enabled event sleeps, all of them are candidates from the
// start.
//
// `sdpor` stores partial traces instead of using sleep sets (with them none would be reached twice). At a
// known trace it stops, and lets the writes that are known to come after it race with the reads of the path:
// it stores, by location, the threads that the prefixes of these writes belong to, and every event of such a
// thread becomes a candidate.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/classes.hpp"
#include "checker/commits/exploration.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/sealed_past.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"
#include "checker/state/sequence_table.hpp"

namespace heddle::checker::commits {

namespace {

static_assert(LeavesMemoryOpen<PowerClasses<1>> && RunsAhead<PowerClasses<1>>);

enum class CandidateRule : std::uint8_t {
  first,     // dpor: the first event of the prefix
  unless,    // source, rf: the same, unless some event that can start the prefix is a candidate already
  stateful,  // sdpor: as dpor, with known partial traces instead of sleep sets
};

// The sleeping reads.
class SleepSet {
 public:
  explicit SleepSet(std::size_t threads) : barriers_(threads) {}
  // 0 for an event that is awake; otherwise 1 more than the depth whose writes it may not see.
  [[nodiscard]] std::uint32_t barrier(EventName name) const {
    const auto& thread = barriers_[name.thread];
    return name.index < thread.size() ? thread[name.index] : 0;
  }
  void set_barrier(EventName name, std::uint32_t barrier) {
    auto& thread = barriers_[name.thread];
    if (name.index >= thread.size()) thread.resize(2 * std::size_t{name.index} + 8, 0);
    thread[name.index] = barrier;
  }

 private:
  std::vector<std::vector<std::uint32_t>> barriers_;  // by thread and index
};

// sdpor: the known partial traces and, for each, by location, the threads that the prefixes of the writes
// after it belong to. These sets are complete when the search leaves a trace; it cannot reach the trace again
// before that, since everything that it commits meanwhile makes longer ones.
class KnownTraces {
 public:
  explicit KnownTraces(std::size_t locations) : locations_(locations) {}

  [[nodiscard]] SequenceTable::Found insert(const std::vector<std::uint64_t>& key) {
    const auto found = traces_.insert(key);
    if (!found.known && found.number / traces_per_chunk == chunks_.size())
      chunks_.push_back(std::make_unique<std::uint64_t[]>(traces_per_chunk * locations_));
    return found;
  }
  // By location: a mask of threads. Some of many threads share a bit: then more is explored than necessary.
  [[nodiscard]] std::uint64_t* threads_after(std::uint32_t trace) const {
    return chunks_[trace / traces_per_chunk].get() + trace % traces_per_chunk * locations_;
  }
  [[nodiscard]] std::uint32_t newest() const { return static_cast<std::uint32_t>(traces_.size() - 1); }
  [[nodiscard]] std::uint64_t memory_used() const {
    return traces_.memory_used() + chunks_.size() * traces_per_chunk * locations_ * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint32_t traces_per_chunk = 64;
  std::size_t locations_;
  SequenceTable traces_;
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
};

// The masks of `KnownTraces`.
constexpr std::uint64_t all_threads = ~std::uint64_t{0};
[[nodiscard]] constexpr unsigned bit_of(ThreadId thread) { return thread % 64; }

template <typename Machine>
class Backtracking : CommitExploration<Machine> {
  using Base = CommitExploration<Machine>;

 public:
  using Set = typename Machine::Set;
  using Prepared = typename Machine::Prepared;

  Backtracking(CandidateRule rule, Machine& machine, Search& search, const GraphObserver& observer)
      : Base(machine, search, observer),
        rule_(rule),
        locations_(search.image().locations.size()),
        asleep_(search.image().threads.size()),
        known_(locations_),
        forgets_(stateful() && !observer && SealedPast<Machine>::may_forget(search.image())) {
    if constexpr (LeavesMemoryOpen<Machine>) machine.watch(search);
  }

  // False if an execution has more events than the machine has room for.
  bool run() {
    arrive();
    while (used_ > 0 && !search_.stopped()) {
      if (machine_.full()) return false;
      while (machine_.depth() > nodes_[used_ - 1].depth) machine_.undo();
      advance(nodes_[used_ - 1]);
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  using Base::machine_;
  using Base::search_;

  struct Node {
    std::uint32_t depth = 0;            // steps before it
    std::vector<EventName> candidates;  // in the order of exploration
    std::vector<std::uint32_t> woken;   // the barriers that they had before, in this order
    std::size_t begun = 0;              // candidates
    Branches<Machine> newest;           // the newest candidate
    bool must_commit = false;           // the first candidate has a parameter in any case
    bool committed = false;             // some candidate, with some parameter
    // sdpor:
    std::uint32_t trace = 0;                   // number of the partial trace
    std::vector<EventName> enabled;            // all events that could be candidates
    std::vector<std::uint64_t> threads_after;  // as in KnownTraces, so far
  };

  // The order of preference of the enabled events: see the beginning of the file. Locks are last: only they
  // may have to wait.
  enum Rank : std::uint8_t { choices, stores, reads, locks, sleeping };

  [[nodiscard]] bool stateful() const { return rule_ == CandidateRule::stateful; }
  [[nodiscard]] Rank rank(EventName name) const {
    switch (machine_.op(name)) {
      case Op::choose: return choices;
      case Op::store:
      case Op::unlock: return stores;
      default: break;
    }
    if (asleep_.barrier(name) != 0) return sleeping;
    return machine_.op(name) == Op::lock ? locks : reads;
  }
  // True if the event sleeps as far as this source is concerned.
  [[nodiscard]] bool forbidden(EventName name, std::int64_t parameter) const {
    const auto barrier = asleep_.barrier(name);
    return barrier != 0 &&
           (parameter < 0 || parameter < static_cast<std::int64_t>(machine_.first_event(barrier - 1)));
  }
  [[nodiscard]] bool may_race(EventName writer, EventName read) const {
    // The unlock of a lock's owner comes after it in any case.
    return machine_.op(read) != Op::lock || machine_.op(writer) != Op::unlock;
  }

  Node& open();
  void arrive();
  void choose_candidates(Node& node);
  void advance(Node& node);
  void begin_next(Node& node);
  void leave(Node& node);
  [[nodiscard]] bool set_key();
  bool meet_known();
  void pass_up(const std::uint64_t* threads_after);
  void detect_races(const Prepared& writer);
  void detect_waiting_races() {
    this->for_each_waiting([&](const Prepared& lock) { detect_races(lock); });
  }
  void note_threads_before(EventName writer, const Set& before);
  void add_start_of_prefix(Node& node, EventName writer, const Set& before);
  static void add_candidate(Node& node, EventName name) {
    if (!contains(node.candidates, name)) node.candidates.push_back(name);
  }
  [[nodiscard]] static bool contains(const std::vector<EventName>& names, EventName name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  [[nodiscard]] std::uint64_t memory_used() const;

  CandidateRule rule_;
  std::size_t locations_;
  std::vector<Node> nodes_;  // one for each step, and one more; those from used_ on keep their memory
  std::size_t used_ = 0;
  SleepSet asleep_;
  KnownTraces known_;
  bool forgets_;                    // equal states are merged where they are recognised (sealed_past.hpp)
  std::vector<std::uint64_t> key_;    // scratch
  std::vector<std::uint64_t> after_;  // scratch
};

template <typename Machine>
auto Backtracking<Machine>::open() -> Node& {
  if (used_ == nodes_.size()) nodes_.emplace_back();
  Node& node = nodes_[used_++];
  node.depth = machine_.depth();
  node.candidates.clear();
  node.woken.clear();
  node.begun = 0;
  node.must_commit = node.committed = false;
  node.newest.next.reset();
  return node;
}

// The run has just been extended.
template <typename Machine>
void Backtracking<Machine>::arrive() {
  this->stop_at_limits();
  if (stateful() && !search_.stopped() && meet_known()) return;
  this->note_failures();
  if (search_.stopped()) return;
  Node& node = open();
  if (stateful()) {
    node.trace = known_.newest();
    node.threads_after.assign(locations_, 0);
    node.enabled.clear();
    ++search_.counts.states;
  }
  choose_candidates(node);
  if (!node.candidates.empty()) return;
  detect_waiting_races();
  nodes_[used_ - 1].committed = true;
  this->end_run();
}

// One event is enough at first, unless all enabled events sleep.
template <typename Machine>
void Backtracking<Machine>::choose_candidates(Node& node) {
  auto best = sleeping;
  machine_.for_each_enabled([&](EventName name) {
    if (machine_.waits(name)) return;
    if (stateful()) node.enabled.push_back(name);
    const Rank its = rank(name);
    if (its > best || (its == best && its != sleeping)) return;
    if (its < best) node.candidates.clear();
    best = its;
    node.candidates.push_back(name);
  });
  node.must_commit = best != sleeping;
}

// Takes the next branch of the node, or leaves it.
template <typename Machine>
void Backtracking<Machine>::advance(Node& node) {
  for (;;) {
    const auto allowed = [&](std::int64_t parameter) {
      return !forbidden(node.newest.event.name, parameter);
    };
    if (node.newest.commit_next(machine_, allowed)) {
      node.committed = true;
      search_.transition(machine_.depth(), [&] { return memory_used(); });
      return arrive();
    }
    if (search_.stopped()) return;
    if (node.begun == 1 && node.must_commit && !node.committed) Base::refuse_no_parameter();
    if (node.begun == node.candidates.size()) return leave(node);
    begin_next(node);
  }
}

// Continues with the next candidate; the one before it goes to sleep.
template <typename Machine>
void Backtracking<Machine>::begin_next(Node& node) {
  if (!stateful() && node.begun > 0) {
    const EventName explored = node.candidates[node.begun - 1];
    node.woken.push_back(asleep_.barrier(explored));
    asleep_.set_barrier(explored, node.depth + 1);
  }
  const EventName name = node.candidates[node.begun++];
  node.newest.begin(machine_, name);
  if (machine_.op(name) != Op::load && machine_.op(name) != Op::choose) detect_races(node.newest.event);
}

template <typename Machine>
void Backtracking<Machine>::leave(Node& node) {
  for (std::size_t i = 0; i < node.woken.size(); ++i) asleep_.set_barrier(node.candidates[i], node.woken[i]);
  if (!node.committed) {
    detect_waiting_races();
    ++search_.counts.blocked_sleep_set;
    ++search_.counts.runs;
  }
  --used_;
  if (!stateful()) return;
  std::copy(node.threads_after.begin(), node.threads_after.end(), known_.threads_after(node.trace));
  pass_up(node.threads_after.data());
}

// What comes after a partial trace comes after the one that it extends.
template <typename Machine>
void Backtracking<Machine>::pass_up(const std::uint64_t* threads_after) {
  if (used_ == 0) return;
  auto& above = nodes_[used_ - 1].threads_after;
  for (std::size_t i = 0; i < locations_; ++i) above[i] |= threads_after[i];
}

// The key of the state, which other pasts may lead to as well (true), or that of the partial trace.
template <typename Machine>
bool Backtracking<Machine>::set_key() {
  bool sealed = false;
  if constexpr (RunsAhead<Machine> && !LeavesMemoryOpen<Machine>) {
    if (forgets_) sealed = SealedPast(machine_).key(key_);
  }
  if (!sealed) machine_.key(key_);
  key_.push_back(sealed ? 1 : 0);
  return sealed;
}

// True if the partial trace is known; the writes after it then race with the reads of the path.
template <typename Machine>
bool Backtracking<Machine>::meet_known() {
  const bool other_past = set_key();
  const auto [trace, known] = known_.insert(key_);
  if (!known) return false;
  ++search_.counts.revisits;
  ++search_.counts.runs;
  after_.assign(known_.threads_after(trace), known_.threads_after(trace) + locations_);
  if (other_past) {
    this->note_failures();  // of the newest step, which the other run need not have made
    for (auto& threads : after_) threads = threads == 0 ? 0 : all_threads;
  }
  const auto* const after = after_.data();
  pass_up(after);
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (!machine_.reads_at(step)) continue;
    const std::uint64_t threads = after[machine_.location_at(step)];
    for (const EventName other : nodes_[step].enabled) {
      if (((threads >> bit_of(other.thread)) & 1) != 0) add_candidate(nodes_[step], other);
    }
  }
  return true;
}

// Finds the committed reads that could have read from the event if it had come first.
template <typename Machine>
void Backtracking<Machine>::detect_races(const Prepared& writer) {
  const auto location = machine_.location(writer.name);
  std::optional<Set> before;
  if (stateful()) {
    before = machine_.commit_before(writer);
    note_threads_before(writer.name, *before);
  }
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (machine_.location_at(step) != location || !machine_.reads_at(step)) continue;
    if (!may_race(writer.name, machine_.step(step))) continue;
    if (!before) before = machine_.commit_before(writer);
    if (!before->contains(machine_.first_event(step)))
      add_start_of_prefix(nodes_[step], writer.name, *before);
  }
}

template <typename Machine>
void Backtracking<Machine>::note_threads_before(EventName writer, const Set& before) {
  std::uint64_t threads = std::uint64_t{1} << bit_of(writer.thread);
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (before.contains(machine_.first_event(step)))
      threads |= std::uint64_t{1} << bit_of(machine_.step(step).thread);
  }
  nodes_[used_ - 1].threads_after[machine_.location(writer)] |= threads;
}

// Adds to the candidates of a read's node an event that starts the writer's prefix, or the writer itself.
// `before`: what must be committed before the writer.
template <typename Machine>
void Backtracking<Machine>::add_start_of_prefix(Node& node, EventName writer, const Set& before) {
  const bool unless = rule_ == CandidateRule::unless;
  EventName first = writer;
  for (auto step = machine_.depth(); step-- > node.depth;) {
    if (!before.contains(machine_.first_event(step))) continue;
    first = machine_.step(step);
    // A candidate was enabled at the node, so it can start the prefix that it is in.
    if (unless && contains(node.candidates, first)) return;
  }
  if (unless && contains(node.candidates, writer)) return;
  add_candidate(node, first);
}

template <typename Machine>
std::uint64_t Backtracking<Machine>::memory_used() const {
  std::uint64_t bytes = machine_.memory_used() + nodes_.capacity() * sizeof(Node) + known_.memory_used();
  for (const Node& node : nodes_) {
    bytes += (node.enabled.capacity() + node.candidates.capacity()) * sizeof(EventName) +
             node.woken.capacity() * sizeof(std::uint32_t) +
             node.threads_after.capacity() * sizeof(std::uint64_t);
  }
  return bytes;
}

template <typename Machine>
void explore_backtracking(CandidateRule rule, Search& search, const GraphObserver& observer) {
  explore_widening<Machine, last_width_of_second_opinion<Machine>()>(
      search, [&](auto& machine) { return Backtracking(rule, machine, search, observer).run(); });
}

void run_backtracking(CandidateRule rule, Search& search, const GraphObserver& observer) {
  with_commit_machine(search,
                      [&]<typename Machine>() { explore_backtracking<Machine>(rule, search, observer); });
}

}  // namespace

void run_dpor(Search& search, const GraphObserver& observer) {
  run_backtracking(CandidateRule::first, search, observer);
}
void run_source(Search& search, const GraphObserver& observer) {
  run_backtracking(CandidateRule::unless, search, observer);
}
void run_sdpor(Search& search, const GraphObserver& observer) {
  run_backtracking(CandidateRule::stateful, search, observer);
}
// Every reads-from class exactly once: the search of `source` over classes instead of traces, in which reads
// branch over their sources and stores do not branch. Its argument holds for classes as for traces, because a
// part of a possible class is possible, and in a possible class any enabled event can go last.
void run_rf(Search& search, const GraphObserver& observer) {
  explore_backtracking<PowerClasses<1>>(CandidateRule::unless, search, observer);
}

}  // namespace heddle::checker::commits
