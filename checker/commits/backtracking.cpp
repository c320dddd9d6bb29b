// dpor, source, sdpor and rf over a commit machine: depth-first search over its commits, with backtracking
// where paper 2 sees a race: a read that was committed before a write to its location, although it did not
// have to be.
//
// What each guarantees: every violation and final state. dpor and source complete each (po, rf, co) trace
// exactly once, sdpor at most once. Redundant work shows as sleep-set-blocked runs.
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
// Waiting. A read that may stop its thread at once, as that of an await, takes only sources that let the thread continue, and
// the newest write; if the newest write stops the thread, it is selected only where nothing else is left. So a run looks too
// early only where threads have missed their chance. This leaves out the traces in which such a read has stopped its thread and its
// source is not the newest write of its location: nothing depends on the read, and the trace without it is explored. (Some of these are
// met nevertheless, where the read is tried as a candidate and newer writes follow. How many depends on the order of the candidates,
// so they count as redundant, as runs that sleep sets end; but for sdpor, where such a run can stand for a state.) For the others the
// argument above holds: a read that has stopped its thread in t can come last in t, or be left out of v, and a source that is the
// newest write in t and exists at m is the newest write at m. Sleeping reads count as something left, since t has them with a source
// that they may see, and a thread that waits brings no such source. Where coherence is open, any write that may be the last
// one counts as the newest.
//
// Alternatives (TriesAlternatives). `dpor`, `source` and `sdpor` take the choice of an `either` whose alternatives begin with guards, and the
// loads of the guard, as one read of several locations: its parameters are the alternatives with the sources of the loads, and all that
// was said of a read that may stop its thread holds for it. So the loads come directly after the choice, in nodes of their own that
// have no other candidates. Where no guard holds for the newest writes, the choice comes last, and then it may also take its home
// with these, which stops the thread. If it sleeps, some load must read a write that it may see; or the thread must stop, and might
// not have stopped when the choice went to sleep. A write races with the choice if some guard can come to look at its location after loads
// that read what was there at the node. That is enough: if the choice passes in a trace t with later writes, let e be the source of
// the first load that reads one; if it stops in t, but some guard holds at the node, let e be the first later write to a location that
// the guards can come to there. In both cases v, the part before e of t without the choice and what is after it, can follow the choice.
//
// A choice is *early* if events before it in its thread are not committed: then loads of its guard may not be enabled, or not known
// to pass. It is selected only if all others sleep, or as the start of a prefix, and made first, and the thread waits then; nothing is left
// of it for later candidates. Under `rf` all choices are made in this way.
//
// `sdpor` is `dpor` that also ends a run where all that may come next has been explored from another past
// (sealed_past.hpp), without sleeping reads or with the same ones. The writes that came next there then race with the reads of
// this run. What starts their prefixes here is not known: only, for each location, to which threads the prefixes belonged. So
// every enabled event becomes a candidate at the node of a read, unless commit-before puts the read before all later writes
// anyway. (These are reads, locks and choices that wait; stores and other choices are selected before reads.) Where that would bring in threads that had
// no part in the prefixes, the run is explored instead, as `dpor` would.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checker/commits/ahead_waits.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/commits/classes.hpp"
#include "checker/commits/exploration.hpp"
#include "checker/commits/known_states.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/packed_numbers.hpp"
#include "checker/commits/sealed_past.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker::commits {

namespace {

static_assert(LeavesMemoryOpen<PowerClasses<1>> && RunsAhead<PowerClasses<1>>);
static_assert(TriesAlternatives<AheadWaits<PowerMachine<1>>>);

enum class CandidateRule : std::uint8_t {
  first,     // dpor: the first event of the prefix
  unless,    // source, rf: the same, unless some event that can start the prefix is a candidate already
  stateful,  // sdpor: as dpor; runs end at known states
};

// The sleeping reads.
class SleepSet {
 public:
  explicit SleepSet(std::size_t threads) : barriers_(threads) {}
  static constexpr std::uint32_t for_ever = 0xffffffff;
  // 0 for an event that is awake; otherwise 1 more than the depth whose writes it may not see, or `for_ever`.
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

template <WaitsInPlace Machine>
class Backtracking : CommitExploration<Machine> {
  using Base = CommitExploration<Machine>;

 public:
  using Set = typename Machine::Set;
  using Prepared = typename Machine::Prepared;
  static constexpr bool tries_alternatives = TriesAlternatives<Machine> && !LeavesMemoryOpen<Machine>;

  Backtracking(CandidateRule rule, Machine& machine, Search& search, const GraphObserver& observer)
      : Base(machine, search, observer),
        rule_(rule),
        locations_(search.image().locations.size()),
        asleep_(search.image().threads.size()),
        forgets_(stateful() && !observer && may_forget(search.image())),
        state_words_(search.image()) {
    if constexpr (LeavesMemoryOpen<Machine>) machine.watch(search);
    if constexpr (tries_alternatives) {
      machine.wait_at_choices();
      machine.leave_updates_free();
    }
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
    bool committed = false;             // some candidate, with some parameter, and all of its guard
    // With `tries_alternatives`, if the newest candidate is a choice that waits, or something of its guard:
    bool with_guard = false;      // the former; it is taken with its guard
    bool in_guard = false;        // the latter
    bool may_stop = false;        // the thread may wait here for ever, and when the choice went to sleep,
    bool might_not_stop = false;  // it might not
    std::optional<EventId> first_new;  // some load must read from this write or a newer one
    std::vector<Location> looked_at;   // by the guards of the choice, once that is known
    bool knows_looked_at = false;
    // sdpor, with `forgets_`:
    std::optional<std::uint32_t> state;     // as `state_`
    std::vector<EventName> enabled;         // all events that could be candidates
    std::vector<WritesAfter> writes_after;  // by location, so far
  };

  // The order of preference of the enabled events: see the beginning of the file. What may have to wait comes last.
  enum Rank : std::uint8_t {
    choices,
    stores,
    reads,
    locks,
    missed_chances,
    early_choices,
    sleeping,
    hopeless_waits
  };

  [[nodiscard]] bool stateful() const { return rule_ == CandidateRule::stateful; }
  [[nodiscard]] Rank rank(EventName name) {
    switch (machine_.op(name)) {
      case Op::choose:
        if (!waits_at_choice(name)) return choices;
        break;
      case Op::store:
      case Op::unlock: return stores;
      default: break;
    }
    if (asleep_.barrier(name) != 0) return sleeping;
    if (machine_.op(name) == Op::choose) return rank_of_choice(name);
    if (machine_.op(name) == Op::lock) return locks;
    return machine_.awaits(name) ? rank_of_awaiting(name) : reads;
  }
  // A read can continue its thread for sure if no write that may be the last one stops it.
  [[nodiscard]] Rank rank_of_awaiting(EventName name) {
    Prepared event;
    machine_.prepare(name, event);
    bool may_stop = false;
    bool may_continue = false;
    for (auto source = machine_.first_parameter(event); source && !(may_stop && may_continue);
         source = machine_.next_parameter(event, *source)) {
      const bool stops = machine_.stops(event, *source);
      const bool newest = may_be_last(name, *source);
      if (newest && !stops && !LeavesMemoryOpen<Machine>) return reads;  // it is the only one
      may_continue = may_continue || !stops;
      may_stop = may_stop || (stops && newest);
    }
    if (!may_stop) return reads;
    return may_continue ? missed_chances : hopeless_waits;
  }
  [[nodiscard]] Rank rank_of_choice([[maybe_unused]] EventName name) {
    if constexpr (tries_alternatives) {
      if (machine_.is_early(name)) return early_choices;
      if (machine_.alternative_now(name)) return reads;
      return machine_.may_pass(name) ? missed_chances : hopeless_waits;
    }
    return choices;
  }
  [[nodiscard]] bool waits_at_choice([[maybe_unused]] EventName name) const {
    if constexpr (tries_alternatives) return machine_.waits_at_choice(name);
    return false;
  }
  // Whether the write may be the last one of the location of this read, as far as the run tells.
  [[nodiscard]] bool may_be_last(EventName read, std::int64_t write) const {
    if constexpr (LeavesMemoryOpen<Machine>) return machine_.may_be_last(machine_.location(read), write);
    return machine_.newer(write) == no_event;
  }
  [[nodiscard]] bool is_useless(const Prepared& event, std::int64_t parameter) {
    return machine_.awaits(event) && machine_.reads(event.name) && !may_be_last(event.name, parameter) &&
           machine_.stops(event, parameter);
  }
  // True if the event sleeps as far as this source is concerned.
  [[nodiscard]] bool forbidden(EventName name, std::int64_t parameter) const {
    const auto barrier = asleep_.barrier(name);
    if (barrier == SleepSet::for_ever) return true;
    return barrier != 0 && (parameter < 0 || parameter < first_new(barrier));
  }
  // The first write that this barrier (other than 0 and `for_ever`) lets a read see.
  [[nodiscard]] EventId first_new(std::uint32_t barrier) const {
    return static_cast<EventId>(machine_.first_event(barrier - 1));
  }
  [[nodiscard]] bool may_race(EventName writer, EventName read) const {
    // The unlock of a lock's owner comes after it in any case.
    return machine_.op(read) != Op::lock || machine_.op(writer) != Op::unlock;
  }

  Node& open();
  void arrive();
  void begin_choice(Node& node);
  [[nodiscard]] bool open_in_guard();
  [[nodiscard]] bool may_take(const Node& node, std::int64_t parameter);
  // Whether a write to the location may race with the step. (One to what is read in a guard races with the choice.)
  [[nodiscard]] bool reads_at(std::uint32_t step, Location location) {
    if constexpr (tries_alternatives) {
      if (machine_.any_choice_waits()) return looks_at(step, location);
    }
    return machine_.location_at(step) == location && machine_.reads_at(step);
  }
  [[nodiscard]] bool looks_at(std::uint32_t step, Location location);
  [[nodiscard]] bool has_missed_alternative(ThreadId t);
  void choose_candidates(Node& node);
  void advance(Node& node);
  void begin_next(Node& node);
  void leave(Node& node);
  [[nodiscard]] std::optional<std::size_t> set_key();
  [[nodiscard]] std::uint64_t withheld_places(const auto& past, EventName name, Location location) const;
  void add_sleeping_choice(const auto& past, EventName choice, PackedNumbers& numbers);
  bool meet_known();
  void pass_up(std::span<const WritesAfter> writes_after);
  bool race_in_other_past(std::uint32_t state);
  [[nodiscard]] bool has_missed_chance();
  void detect_races(const Prepared& writer);
  void detect_waiting_races() {
    this->for_each_waiting([&](const Prepared& lock) { detect_races(lock); });
  }
  void count_redundant_run() {
    ++search_.counts.blocked_sleep_set;
    ++search_.counts.runs;
  }
  void note_write(EventName writer, const Set& before);
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
  KnownStates known_;
  bool forgets_;                        // ends runs at known states
  std::optional<std::uint32_t> state_;  // the number of the newest state, if it is new and its past is sealed
  std::vector<std::uint64_t> key_;      // scratch
  StateWords state_words_;
  LivePlaces live_;                                          // scratch
  std::vector<std::pair<std::uint32_t, EventName>> starts_;  // scratch
};

template <WaitsInPlace Machine>
auto Backtracking<Machine>::open() -> Node& {
  if (used_ == nodes_.size()) nodes_.emplace_back();
  Node& node = nodes_[used_++];
  node.depth = machine_.depth();
  node.candidates.clear();
  node.woken.clear();
  node.begun = 0;
  node.must_commit = node.committed = node.with_guard = node.in_guard = false;
  node.newest.next.reset();
  if (forgets_) {
    node.state.reset();
    node.writes_after.assign(locations_, {});
    node.enabled.clear();
  }
  return node;
}

// The run has just been extended.
template <WaitsInPlace Machine>
void Backtracking<Machine>::arrive() {
  this->stop_at_limits();
  if constexpr (SealsPasts<Machine>) {
    if (forgets_ && !search_.stopped() && meet_known()) return;
  }
  this->note_failures();
  if (search_.stopped()) return;
  Node& node = open();
  if (stateful()) ++search_.counts.states;
  if (forgets_) node.state = state_;
  choose_candidates(node);
  if (!node.candidates.empty()) return;
  detect_waiting_races();
  nodes_[used_ - 1].committed = true;
  // (Equal states may differ in what a thread that waits has read.)
  if (stateful() || !has_missed_chance()) return this->end_run();
  this->count_coverage();
  count_redundant_run();
}

// Whether a thread has stopped at the read of a write that can no longer be the last one of its location.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::has_missed_chance() {
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (machine_.standing_op(t) != Op::await_failed || !fails_to_await(machine_.standing(t))) continue;
    const EventId last = machine_.last_event(t);
    if (last == no_event) continue;
    if (has_missed_alternative(t)) return true;
    const auto step = machine_.step_of(last);
    if (machine_.reads_at(step) && machine_.awaits(nodes_[step].newest.event) &&
        !may_be_last(machine_.step(step), machine_.place(step)))
      return true;
  }
  return false;
}

// The same of a thread that has stopped at a guard: whether one of its loads has seen such a write, or another alternative holds.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::has_missed_alternative(ThreadId t) {
  if constexpr (tries_alternatives) {
    if (machine_.standing(t).in_either == compiler::InEither::no) return false;
    for (EventId id = machine_.last_event(t); nodes_[machine_.step_of(id)].in_guard;
         id = machine_.po_previous(id)) {
      const auto step = machine_.step_of(id);
      if (machine_.reads_at(step) && !may_be_last(machine_.step(step), machine_.place(step))) return true;
    }
    return machine_.await_holds(t);
  }
  return false;
}

// The newest candidate is a choice that waits.
template <WaitsInPlace Machine>
void Backtracking<Machine>::begin_choice(Node& node) {
  if constexpr (tries_alternatives) {
    const EventName name = node.newest.event.name;
    const auto barrier = asleep_.barrier(name);
    if (machine_.is_early(name) || barrier == SleepSet::for_ever) return;
    node.with_guard = true;
    node.first_new.reset();
    if (barrier != 0) node.first_new = first_new(barrier);
    node.may_stop = !machine_.alternative_now(name);
    node.might_not_stop = node.first_new && machine_.alternative_before(name, *node.first_new);
    node.knows_looked_at = false;
  }
}

// If the thread of the newest step is in a guard, opens the node of its next event there; otherwise false.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::open_in_guard() {
  if constexpr (tries_alternatives) {
    const Node& before = nodes_[used_ - 1];
    const EventName name = before.newest.event.name;
    if (!before.with_guard && !before.in_guard) return false;
    const auto next = machine_.next_inside(name.thread);
    if (!next) return false;
    const auto step = machine_.depth() - 1;
    bool may_stop = before.may_stop;
    const bool might_not_stop = before.might_not_stop;
    auto first_new = before.first_new;
    if (machine_.op(name) == Op::choose) {
      may_stop = may_stop && machine_.chosen(step) == machine_.home(before.newest.event);
    } else {
      const auto source = machine_.place(step);
      may_stop = may_stop && may_be_last(name, source);
      if (first_new && source >= *first_new) first_new.reset();
    }
    this->stop_at_limits();
    this->note_failures();
    Node& node = open();
    node.candidates.push_back(*next);
    node.in_guard = true;
    node.may_stop = may_stop;
    node.might_not_stop = might_not_stop;
    node.first_new = first_new;
    return true;
  }
  return false;
}

// Whether a choice that waits, or something of its guard, may have this parameter.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::may_take(const Node& node, std::int64_t parameter) {
  if constexpr (tries_alternatives) {
    const Prepared& event = node.newest.event;
    if (machine_.op(event.name) == Op::choose) {
      const bool stops = node.may_stop && parameter == machine_.home(event);
      const bool may_be_new =
          !node.first_new || node.might_not_stop || machine_.has_guard(event.name, parameter);
      return (stops && may_be_new) || machine_.may_pass(event.name, parameter, node.first_new);
    }
    const bool is_new = !node.first_new || parameter >= *node.first_new;
    if (machine_.stops(event, parameter))
      return node.may_stop && (is_new || node.might_not_stop) && may_be_last(event.name, parameter);
    return is_new || machine_.stays_inside(event, parameter);
  }
  return false;
}

// Whether the step is a choice that waited at guards that can come to look at the location, or a read of it that is in none of these.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::looks_at(std::uint32_t step, Location location) {
  Node& node = nodes_[step];
  if (!node.with_guard)
    return !node.in_guard && machine_.location_at(step) == location && machine_.reads_at(step);
  auto& known = node.looked_at;
  const auto knows = [&](Location x) { return std::find(known.begin(), known.end(), x) != known.end(); };
  if (!node.knows_looked_at) {
    known.clear();
    machine_.for_each_looked_at(static_cast<EventId>(machine_.first_event(step)), [&](Location x) {
      if (!knows(x)) known.push_back(x);
    });
    node.knows_looked_at = true;
  }
  return knows(location);
}

// One event is enough at first, unless all enabled events sleep.
template <WaitsInPlace Machine>
void Backtracking<Machine>::choose_candidates(Node& node) {
  auto best = hopeless_waits;
  machine_.for_each_enabled([&](EventName name) {
    if (machine_.waits(name)) return;
    if (forgets_) node.enabled.push_back(name);
    const Rank its = rank(name);
    const bool first = node.candidates.empty();
    if (!first && (its > best || (its == best && its != sleeping))) return;
    if (its < best) node.candidates.clear();
    best = its;
    node.candidates.push_back(name);
  });
  node.must_commit = best != sleeping;
}

// Takes the next branch of the node, or leaves it.
template <WaitsInPlace Machine>
void Backtracking<Machine>::advance(Node& node) {
  for (;;) {
    const auto allowed = [&](std::int64_t parameter) {
      if (node.with_guard || node.in_guard) return may_take(node, parameter);
      return !forbidden(node.newest.event.name, parameter) && !is_useless(node.newest.event, parameter);
    };
    if (node.newest.commit_next(machine_, allowed)) {
      search_.transition(machine_.depth(), [&] { return memory_used(); });
      if (open_in_guard()) return;
      nodes_[used_ - 1].committed = true;
      for (std::size_t i = used_ - 1; nodes_[i].in_guard; --i) nodes_[i - 1].committed = true;
      return arrive();
    }
    if (search_.stopped()) return;
    if (node.begun == 1 && node.must_commit && !node.committed) Base::refuse_no_parameter();
    if (node.begun == node.candidates.size()) return leave(node);
    begin_next(node);
  }
}

// Continues with the next candidate; the one before it goes to sleep.
template <WaitsInPlace Machine>
void Backtracking<Machine>::begin_next(Node& node) {
  if (node.begun > 0) {
    const EventName explored = node.candidates[node.begun - 1];
    node.woken.push_back(asleep_.barrier(explored));
    // (An early choice has been explored with whatever may come.)
    const bool early = machine_.op(explored) == Op::choose && !node.with_guard;
    asleep_.set_barrier(explored, early ? SleepSet::for_ever : node.depth + 1);
  }
  const EventName name = node.candidates[node.begun++];
  node.newest.begin(machine_, name);
  node.with_guard = false;
  if (waits_at_choice(name) && !node.in_guard) begin_choice(node);
  if (machine_.op(name) != Op::load && machine_.op(name) != Op::choose) detect_races(node.newest.event);
}

template <WaitsInPlace Machine>
void Backtracking<Machine>::leave(Node& node) {
  for (std::size_t i = 0; i < node.woken.size(); ++i) asleep_.set_barrier(node.candidates[i], node.woken[i]);
  if (!node.committed && !node.in_guard) {
    detect_waiting_races();
    count_redundant_run();
  }
  --used_;
  if (!forgets_) return;
  if (node.state) known_.complete(*node.state, node.writes_after);
  pass_up(node.writes_after);
}

// What comes after a state comes after the one before it.
template <WaitsInPlace Machine>
void Backtracking<Machine>::pass_up(std::span<const WritesAfter> writes_after) {
  if (used_ == 0) return;
  auto& above = nodes_[used_ - 1].writes_after;
  for (std::size_t i = 0; i < locations_; ++i) above[i] |= writes_after[i];
}

// Sets the key to that of the state (SealedPast), followed by the choices that sleep, and the reads whose sleep forbids them a write that
// they could still take, with these writes; every other sleeping read is as good as awake. Returns the length without these choices
// and reads, or nothing if the past is not sealed. Reads are counted, because a read-modify-write can be one request or two.
template <WaitsInPlace Machine>
std::optional<std::size_t> Backtracking<Machine>::set_key() {
  SealedPast<Machine> past(machine_, state_words_, live_);
  if (!past.key(key_)) return std::nullopt;
  const std::size_t length = key_.size();
  PackedNumbers numbers(key_);
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    std::uint32_t count = 0;
    for (auto i = machine_.first_open(t); i < machine_.requests(t).size(); ++i) {
      const EventName name{t, i};
      if (waits_at_choice(name) && asleep_.barrier(name) != 0) add_sleeping_choice(past, name, numbers);
      if (!machine_.reads(name)) continue;
      ++count;
      if (asleep_.barrier(name) == 0) continue;
      const auto withheld = withheld_places(past, name, machine_.location(name));
      if (withheld == 0) continue;
      for (const std::uint64_t number : {std::uint64_t{t}, std::uint64_t{count}, withheld})
        numbers.add(number);
    }
  }
  return length;
}

// The writes to the location that its sleep forbids to a read, or to the guard of a choice, as bits by place.
template <WaitsInPlace Machine>
std::uint64_t Backtracking<Machine>::withheld_places(const auto& past, EventName name,
                                                     Location location) const {
  std::uint64_t withheld = 0;
  std::uint64_t bit = 1;
  past.for_each_place(name.thread, location, [&](EventId place) {
    if (forbidden(name, place)) withheld |= bit;
    bit <<= 1;
  });
  return withheld;
}

// (Even where nothing is withheld, it may not take an alternative without a guard.)
template <WaitsInPlace Machine>
void Backtracking<Machine>::add_sleeping_choice(const auto& past, EventName choice, PackedNumbers& numbers) {
  if constexpr (tries_alternatives) {
    const auto barrier = asleep_.barrier(choice);
    numbers.add(choice.thread);
    numbers.add(0);  // no read
    if (barrier == SleepSet::for_ever) return numbers.add(1);
    numbers.add(machine_.alternative_before(choice, first_new(barrier)) ? 2 : 3);
    for (Location location = 0; location < locations_; ++location)
      numbers.add(withheld_places(past, choice, location));
  }
}

// True if all that may come after the run has been explored. Otherwise the number of its state is known, if there is one.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::meet_known() {
  state_.reset();
  const auto awake = set_key();
  if (!awake) return false;
  // (A state that was explored without sleeping reads was explored with all that these leave out.)
  auto known = known_.find(std::span(key_).first(*awake));
  if (!known && key_.size() > *awake) known = known_.find(key_);
  if (!known) {
    state_ = known_.insert(key_);
    return false;
  }
  if (!race_in_other_past(*known)) return false;
  ++search_.counts.revisits;
  ++search_.counts.runs;
  this->note_failures();  // of the newest step, which no other run need have made
  this->count_coverage();
  return true;
}

// Lets the writes after a known state race with the reads of the path. Their prefixes have other events here than where the
// state is known from, so any enabled event may start one. False, and nothing is done, if fewer candidates were needed there:
// then the state is not worth merging.
template <WaitsInPlace Machine>
bool Backtracking<Machine>::race_in_other_past(std::uint32_t state) {
  std::uint64_t here = 0;  // threads with events in this past
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) here |= bit_of(machine_.step(step).thread);
  const SealedPast<Machine> past(machine_, state_words_, live_);
  starts_.clear();
  bool needs_more = false;
  known_.for_each_write_after(state, [&](Location location, const WritesAfter& after) {
    if (needs_more) return;
    const auto before =
        past.before_later_writes(location, [&](ThreadId t) { return (after.writers & bit_of(t)) != 0; });
    for (std::uint32_t step = 0; step < machine_.depth() && !needs_more; ++step) {
      if (!reads_at(step, location) || before.contains(machine_.first_event(step))) continue;
      for (const EventName other : nodes_[step].enabled) {
        if (contains(nodes_[step].candidates, other)) continue;
        needs_more = needs_more || (after.prefixes & bit_of(other.thread)) == 0;
        starts_.emplace_back(step, other);
      }
    }
  });
  if (needs_more) return false;
  for (const auto& [step, event] : starts_) add_candidate(nodes_[step], event);
  if (used_ == 0) return true;
  known_.for_each_write_after(state, [&](Location location, const WritesAfter& after) {
    nodes_[used_ - 1].writes_after[location] |= {after.writers, after.prefixes | here};
  });
  return true;
}

// Finds the committed reads that could have read from the event if it had come first.
template <WaitsInPlace Machine>
void Backtracking<Machine>::detect_races(const Prepared& writer) {
  const auto location = machine_.location(writer.name);
  std::optional<Set> before;
  if (forgets_) {
    before = machine_.commit_before(writer);
    note_write(writer.name, *before);
  }
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (!reads_at(step, location) || !may_race(writer.name, machine_.step(step))) continue;
    if (!before) before = machine_.commit_before(writer);
    if (!before->contains(machine_.first_event(step)))
      add_start_of_prefix(nodes_[step], writer.name, *before);
  }
}

template <WaitsInPlace Machine>
void Backtracking<Machine>::note_write(EventName writer, const Set& before) {
  std::uint64_t threads = bit_of(writer.thread);
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (before.contains(machine_.first_event(step))) threads |= bit_of(machine_.step(step).thread);
  }
  nodes_[used_ - 1].writes_after[machine_.location(writer)] |= {bit_of(writer.thread), threads};
}

// Adds to the candidates of a read's node an event that starts the writer's prefix, or the writer itself.
// `before`: what must be committed before the writer.
template <WaitsInPlace Machine>
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

template <WaitsInPlace Machine>
std::uint64_t Backtracking<Machine>::memory_used() const {
  std::uint64_t bytes = machine_.memory_used() + nodes_.capacity() * sizeof(Node) + known_.memory_used();
  for (const Node& node : nodes_) {
    bytes += (node.enabled.capacity() + node.candidates.capacity()) * sizeof(EventName) +
             node.looked_at.capacity() * sizeof(Location) + node.woken.capacity() * sizeof(std::uint32_t) +
             node.writes_after.capacity() * sizeof(WritesAfter);
  }
  return bytes;
}

template <typename Machine>
void explore_backtracking(CandidateRule rule, Search& search, const GraphObserver& observer) {
  explore_widening<Machine, last_width_of_second_opinion<Machine>()>(
      search, [&](auto& machine) { return Backtracking(rule, machine, search, observer).run(); });
}

void run_backtracking(CandidateRule rule, Search& search, const GraphObserver& observer) {
  with_commit_machine(search, [&]<typename Machine>() {
    explore_backtracking<IfAhead<AheadWaits, Machine>>(rule, search, observer);
  });
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
  explore_backtracking<AheadWaits<PowerClasses<1>>>(CandidateRule::unless, search, observer);
}

}  // namespace heddle::checker::commits
