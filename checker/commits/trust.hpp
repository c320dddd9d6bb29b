// trust: every consistent execution graph of a program exactly once, in polynomial memory.
//
// Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order
// reduction", POPL'22; with a bound of preemptions: Marmanis, Kokologiannakis, Vafeiadis, "Reconciling
// preemption bounding with DPOR", TACAS'23, algorithm 1. Under POWER: Kokologiannakis, Vafeiadis, "HMC: Model
// checking for hardware memory models", ASPLOS'20.
//
// The search extends one graph by the next event, which is a function of the graph:
//   a read    reads from every write that the model allows,
//   a write   takes every place in coherence order that the model allows, and then, for every earlier
//             read that it could have been the source of, *revisits* that read: the events that came after
//             the read and that the write does not depend on are deleted, the read reads from the write.
// Several graphs lead to the same revisit; only one of them may take it. It is the one in which every deleted
// event e is *maximal*: it saw the newest write that existed. Let P consist of the events added no later than
// e and of the prefix of the revisiting write. Then e is maximal if no read in P reads from e, and if the
// write of e, or the write that e reads from, has no co-later write in P.
//
// The model must be closed under prefixes, and an event that may come next must always be able to come last
// in coherence order, or to read from the newest write.
//
// How this differs from the paper
// - One graph is changed and changed back; the paper copies it for each revisit. Deleted events are set aside
//   (`cut`) and restored (`mend`). The stack of nodes replaces recursion.
// - Whether an event is maximal does not depend on the read that is revisited. So one walk back through the
//   order of insertion finds all revisits of a write; it ends at the first event that is not maximal.
// - A successful read-modify-write is one event, whose read and write parts are never separated. It revisits
//   once for each source, with what its source needs in its prefix. If another event has already taken its
//   source, it cannot be added but may still revisit: that event, or an earlier read.
// - A revisited read is added again by a node of its own, at its old position in the order of insertion. If
//   it turns out to write (a CAS that succeeds now, say), that write has its own revisits.
// - `choose` has one value that counts as maximal, the first; but see "Alternatives".
// - A read that is added with another source than the newest write, and that stops its thread at once (an
//   assumption that fails, say), can never be revisited or deleted. The graph is counted as blocked and not
//   extended. Violations of other threads in it occur in graphs without this read, too (but those may take
//   more preemptions, so with a bound it may be extended). An `await` that fails without a load of its own is no such
//   stop: the thread waits for ever, and the graph leads to a deadlock, or to a complete execution if it is a daemon.
//
// Under SC, TSO and PSO the next event is that of the left-most thread that can continue, and prefixes are
// those of po | rf. Because deleted events are maximal, no remaining event depends on them, so the closed
// order of the remaining events needs no repair (GraphMachine).
//
// Under POWER prefixes are those of commit-before, as in HMC: the events before a write in program order need
// not be kept when the write becomes the source of an earlier read, and in a load-buffering cycle cannot be.
// The conditions hold: see "Stateless model checking for POWER" (CAV'16), theorem 3 (deadlock freedom). There
// `cut` and `mend` commit the remaining events again (Recommits).
//
// Mutexes. A lock is added only when its mutex is free, as the next owner: no execution is explored in which
// a thread has seen a mutex taken and waits forever. The other orders of owners come from revisits: a lock
// whose source another lock (or trylock) has taken replaces that one. A lock cannot read from a lock, so the
// lock that is revisited is *deferred*: at its old position in the order of insertion an event marks that the
// thread's lock comes after the lock that revisited it. This event orders nothing and is not part of the
// execution. Its thread continues, before all others, as soon as that owner has unlocked the mutex; it never
// takes an earlier place again, which would lead back to old graphs. The new owner cannot be deleted while
// the event remains (it is a reader of it); the event itself never prevents a revisit that deletes it. Where
// no thread can continue, each thread that still waits for a mutex may revisit once, without being added.
// Under POWER a lock is a read that awaits a free mutex (see below). With a preemption bound, where nothing waits, and where
// Recommits is an oracle, a lock whose mutex is taken is added as a read that is stuck. If its mutex becomes free it is part of other
// executions, so the run counts as blocked.
//
// Waiting (DefersReads; docs/algorithms.md proves it). A read that may stop its thread at once, as that of
// an await, is added only when the newest write lets the thread continue; sources that stop it are not tried.
// If a write that stops it revisits it, the read is deferred, as a lock is: a mark at its old position says
// which write that was. The mark is maximal if that write is the newest one, or if the newest one is a source
// that is reached from the mark. The thread reads again when a newer write that is reached from the mark lets it
// continue, so no run is spent on looking too early. Any other write stops it from then on, whatever the value.
// Only where all threads have ended or wait, which is a deadlock, reads of older writes that would have let a
// thread continue are tried, and a thread that does not take one is marked in the same way.
//
// Alternatives (RevisitsChoices). The choice of an `either` waits in the same way, until some guard holds. One
// alternative is its home: with the newest writes it is maximal. The others are taken with writes that are there, or
// a later write revisits the choice; then the events of the guard, which come directly after the choice, stay as
// they are. A probe, which reads several locations before its thread does anything else, begins with such a choice between the
// newest writes and other ones (BeginsWithProbes).
//
// Violations are reported as schedules of the operational machine where there is one (linearise.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/commit_machine.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/search/part.hpp"
#include "checker/search/sampling.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

template <RevisitMachine Machine>
class Trust {
 public:
  using Set = typename Machine::Set;
  enum class Stage : std::uint8_t {
    add,       // add the event with the current parameter
    added,     // take it out of the graph
    revisits,  // let it revisit: an update for each parameter, a store once, after its last place
    next,      // turn to the next parameter
  };

  // One choice point: an event that the search adds in all possible ways, one after the other. Its children
  // are the graphs that it extends the current one to; locks that are idle one after the other share them.
  struct Node {
    typename Machine::Prepared event;
    std::int64_t parameter = 0;
    EventId id = no_event;              // while it is in the graph; else what `insert` needs
    EventId revisited = no_event;       // while the graph is cut: the read
    EventId own_id = no_event;          // meanwhile: the id without the cut
    std::optional<std::int64_t> place;  // in the cut graph
    std::uint32_t walk = 0;             // revisits: position in the order of insertion
    std::uint32_t children = 0;         // entered so far
    Set prefix;                         // revisits: the events that stay in any case
    Set deleted;                        // revisits: the events walked over that are not in the prefix
    Op op = Op::load;
    Stage stage = Stage::add;
    bool forced = false;      // a revisited read: its source and its position in the order are given
    bool idle = false;        // a lock that waits in a graph where no thread can continue
    bool updates = false;     // a read-modify-write that writes with the current parameter
    bool all_tried = false;   // a store has tried all its places
    bool revisiting = false;  // the event has been added to the cut graph

    [[nodiscard]] bool is_store() const { return op == Op::store || op == Op::unlock; }
    // The parameters of the event are neighbours in coherence order.
    [[nodiscard]] bool has_plain_place() const {
      return op == Op::load || (is_store() && !event.conditional);
    }
    [[nodiscard]] bool may_update() const { return op != Op::load && op != Op::choose && !is_store(); }
    [[nodiscard]] bool exhausted() const { return forced && !idle && !updates && !is_store(); }
  };

  Trust(Machine& machine, Search& search, const GraphObserver& observer)
      : machine_(machine),
        search_(search),
        observer_(observer),
        ends_(search),
        oldest_first_(search.options().robust) {
    if constexpr (RevisitsChoices<Machine>) machine.wait_at_choices();
    if constexpr (BeginsWithProbes<Machine>) machine.begin_with_probes();
  }

  // Explores a part. False if an execution has more events than the machine has room for: then the search must
  // start again on a wider one. Throws NoSuchPart.
  bool run(const Part& part) {
    if (part.path.empty()) {
      note_failures();
    } else {
      way_ = &part;
    }
    search_.divide([this] { return way_ != nullptr ? std::nullopt : split(nodes_, first_own_); });
    arrive();
    if (way_ != nullptr) enter_way();
    while (nodes_.size() != first_own_ && !search_.halted()) {
      if (machine_.full()) return false;
      advance();
    }
    if (way_ != nullptr) {
      if (!search_.halted()) throw NoSuchPart();
      search_.restart();
      search_.leave(part);
      return true;
    }
    if (search_.halted()) search_.leave(rest_of(nodes_, first_own_));
    if constexpr (BoundsPreemptions<Machine>)
      search_.counts.blocked_preemption_bound += machine_.withheld() - withheld_before_;
    if constexpr (BoundsBuffers<Machine>)
      search_.counts.buffer_bound_flushes += machine_.forced_flushes() - flushes_before_;
    search_.note_memory(memory_used());
    return true;
  }

  // -- Sampling, as SampledExploration has it.

  void begin() {
    if (search_.stopped()) return;
    note_failures();
    arrive();
  }
  [[nodiscard]] std::size_t open_nodes() const { return nodes_.size(); }
  [[nodiscard]] const Node& newest() const { return nodes_.back(); }
  void reopen(const Node& node) { nodes_.push_back(node); }
  bool make_child();
  void enter_child() {
    // A search that is stopped makes no child.
    if (child_ != Advance::left) enter(child_);
  }

 private:
  // -- Extending the graph. (The `inline` functions are called in one place, for every event. The compiler
  // inlines them into `run` only if it must.)

  inline void arrive();
  void open_in_guard(EventName next);
  bool open_undecided();
  bool end_waiting();
  Node& open(EventName name);
  // What the newest node did: it was left; it extended the graph; it revisited a read, which is not yet open.
  enum class Advance : std::uint8_t { left, extended, revisited };
  inline void advance();
  inline Advance next_child();
  inline void enter(Advance advance);
  void leave();
  inline bool add(Node& node);
  bool wait(Node& node);
  inline bool count_hopeless_read(const Node& node);
  bool next_parameter(Node& node);
  void remove(Node& node) { machine_.remove(node.event, node.id); }

  // -- Revisits.

  void start_revisits(Node& node);
  bool next_revisit(Node& node);
  bool revisit(Node& node);
  bool find_revisit(Node& node);
  [[nodiscard]] bool maximal(EventId id, const Node& node) const;
  void mend(Node& node);

  // -- The search.

  [[nodiscard]] bool leads_on();
  void enter_way();
  void begin_part();
  void transition() {
    search_.transition(machine_.depth(), [&] { return memory_used(); });
  }
  void count_recommitted(std::uint32_t steps) {
    for (; steps > 0; --steps) transition();
  }
  void note_failures() {
    if (!machine_.failures().empty()) ends_.failure(machine_);
  }
  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t sets = 0;
    if constexpr (IndexesReads<Machine>) {
      for (const Node& node : nodes_)
        sets += machine_.memory_of(node.event) + node.prefix.memory_used() + node.deleted.memory_used();
    }
    return sets + machine_.memory_used() + nodes_.capacity() * sizeof(Node);
  }

  Machine& machine_;
  Search& search_;
  const GraphObserver& observer_;
  RunEnds<Machine> ends_;
  // Executions that SC does not have tend to be those with old sources and places. The order in which a node
  // takes them does not matter for anything else.
  bool oldest_first_;
  std::vector<Node> nodes_;
  std::uint32_t first_own_ = 0;        // see Part
  const Part* way_ = nullptr;          // until its beginning is reached
  std::size_t way_position_ = 0;       // of the newest node
  std::uint64_t withheld_before_ = 0;  // on the way
  std::uint64_t flushes_before_ = 0;
  Advance child_ = Advance::left;  // how make_child made it
};

template <RevisitMachine Machine>
[[gnu::always_inline]] inline void Trust<Machine>::advance() {
  const Advance advance = next_child();
  if (advance == Advance::left) return;
  ++nodes_.back().children;
  const bool on_way = way_ != nullptr;
  if (on_way && !leads_on()) return;
  enter(advance);
  if (on_way) enter_way();
}

template <RevisitMachine Machine>
bool Trust<Machine>::make_child() {
  if (machine_.full()) search_.stop(std::string(Machine::out_of_room));
  const std::size_t before = nodes_.size();
  do {
    child_ = next_child();
  } while (child_ == Advance::left && nodes_.size() == before && !search_.stopped());
  return child_ != Advance::left;
}

// Whether the newest child is one on the way to the part. Those before it belong to other parts, and so does
// the last one that was entered.
template <RevisitMachine Machine>
bool Trust<Machine>::leads_on() {
  const std::uint32_t children = way_->path[way_position_];
  if (nodes_.size() != way_position_ + 1 || nodes_.back().children > children) throw NoSuchPart();
  if (nodes_.back().children < children) return false;
  if (way_position_ + 1 == way_->path.size()) {
    begin_part();
    return false;
  }
  ++way_position_;
  return true;
}

// The newest node is one on the way.
template <RevisitMachine Machine>
void Trust<Machine>::enter_way() {
  if (search_.stopped()) return;
  if (nodes_.size() != way_position_ + 1) throw NoSuchPart();
  if (way_position_ + 1 == way_->path.size() && way_->path.back() == 0) begin_part();
}

// What was found on the way belongs to other parts.
template <RevisitMachine Machine>
void Trust<Machine>::begin_part() {
  first_own_ = way_->first_own;
  way_ = nullptr;
  search_.restart();
  if constexpr (BoundsPreemptions<Machine>) withheld_before_ = machine_.withheld();
  if constexpr (BoundsBuffers<Machine>) flushes_before_ = machine_.forced_flushes();
}

template <RevisitMachine Machine>
[[gnu::always_inline]] inline void Trust<Machine>::enter(Advance advance) {
  if (advance == Advance::extended) return arrive();
  const EventId source = machine_.write_of(nodes_.back().id);
  Node& read = open(machine_.revisited());
  read.id = machine_.stand_in();
  if constexpr (RevisitsChoices<Machine>) {
    if (read.op == Op::choose)
      return machine_.open(read.event, machine_.home_of_revisited(), read.id, source);
  }
  read.forced = true;
  read.parameter = source;
}

// The graph was extended: opens the node of the next event, or ends the execution.
template <RevisitMachine Machine>
[[gnu::always_inline]] inline void Trust<Machine>::arrive() {
  if (!machine_.limit().empty()) search_.stop(std::string(machine_.limit()));
  if (search_.stopped()) return;
  if constexpr (RevisitsChoices<Machine>) {
    if (!nodes_.empty() && machine_.awaits(nodes_.back().event)) [[unlikely]] {
      if (const auto next = machine_.next_in_guard(nodes_.back().event, nodes_.back().parameter))
        return open_in_guard(*next);
    }
  }
  if (const auto next = machine_.next_event()) {
    if constexpr (BoundsPreemptions<Machine>) {
      if (!machine_.must_extend()) {
        ++search_.counts.blocked_preemption_bound;
        return;
      }
    }
    open(*next);
    return;
  }
  bool waits = false;
  if constexpr (DefersReads<Machine>) {
    waits = machine_.anyone_awaits();
    if (waits && open_undecided()) return;
  }
  if (machine_.lost_race()) {
    ++search_.counts.blocked_race;
    ++search_.counts.runs;
    return;
  }
  if (waits) {
    if (!end_waiting()) return;
  } else if (ends_.finish(machine_) && observer_) {
    observer_(machine_.plain_graph());
  }
  if (const auto waiting = machine_.next_waiting(0)) open(*waiting).idle = true;
}

// Opens the node of an event of a guard, which comes directly after the newest event.
template <RevisitMachine Machine>
[[gnu::noinline]] void Trust<Machine>::open_in_guard(EventName next) {
  if constexpr (RevisitsChoices<Machine>) {
    Node& node = open(next);
    const Node& before = nodes_[nodes_.size() - 2];
    machine_.continue_guard(before.event, before.parameter, node.event);
  }
}

// Where nothing comes next and some thread awaits something: if one has missed its chance, opens its node and returns true.
template <RevisitMachine Machine>
[[gnu::noinline]] bool Trust<Machine>::open_undecided() {
  if constexpr (DefersReads<Machine>) {
    const auto undecided = machine_.next_undecided(
        [&](EventName read, EventId source) { return machine_.may_read(read, source); });
    if (undecided) open(*undecided);
    return undecided.has_value();
  }
  return false;
}

// Ends a run in which threads wait for ever. False if the machine has no room for their last reads.
template <RevisitMachine Machine>
[[gnu::noinline]] bool Trust<Machine>::end_waiting() {
  if constexpr (DefersReads<Machine>) {
    if (!machine_.evaluate_waits(
            [&](EventName read, EventId newest) { return machine_.may_wait_on(read, newest); }))
      return false;
    if (ends_.finish(machine_) && observer_) observer_(machine_.plain_graph());
    machine_.forget_evaluations();
  }
  return true;
}

template <RevisitMachine Machine>
auto Trust<Machine>::open(EventName name) -> Node& {
  Node& node = nodes_.emplace_back();
  node.op = machine_.op(name);
  machine_.prepare(name, node.event);
  node.parameter = *machine_.first_parameter(node.event);
  if (oldest_first_ && node.has_plain_place()) {
    while (const auto older = machine_.next_parameter(node.event, node.parameter)) node.parameter = *older;
  }
  return node;
}

// Undoes the newest node's last action and does the next one, until the graph has been extended or the node
// is left.
template <RevisitMachine Machine>
[[gnu::always_inline]] inline auto Trust<Machine>::next_child() -> Advance {
  Node& node = nodes_.back();
  while (!search_.stopped()) {
    if (node.stage == Stage::added) {
      remove(node);
      node.stage = Stage::next;
      if (node.updates) start_revisits(node);
    }
    if (node.stage == Stage::revisits) {
      if (next_revisit(node)) return Advance::revisited;
      node.stage = Stage::next;
    }
    if (node.stage == Stage::next && !next_parameter(node)) {
      if (!node.is_store() || node.all_tried) {
        leave();
        return Advance::left;
      }
      node.all_tried = true;
      start_revisits(node);
      continue;
    }
    if (add(node)) return Advance::extended;
  }
  return Advance::left;
}

template <RevisitMachine Machine>
void Trust<Machine>::leave() {
  const Node& node = nodes_.back();
  machine_.release(node.event);
  std::optional<EventName> next;
  if (node.idle) next = machine_.next_waiting(node.event.name.thread + 1);
  const std::uint32_t children = node.children;
  nodes_.pop_back();
  if (!next) return;
  Node& idle = open(*next);
  idle.idle = true;
  idle.children = children;
}

// Continues with the next value, source or place in coherence order.
template <RevisitMachine Machine>
bool Trust<Machine>::next_parameter(Node& node) {
  if (node.forced || node.all_tried) return false;
  if (oldest_first_ && node.has_plain_place()) {
    const EventId newer = machine_.newer(node.parameter);
    if (newer != no_event) node.parameter = newer;
    return newer != no_event;
  }
  const auto next = machine_.next_parameter(node.event, node.parameter);
  if (next) node.parameter = *next;
  return next.has_value();
}

// Adds the event with the current parameter. Returns whether the graph was extended.
template <RevisitMachine Machine>
[[gnu::always_inline]] inline bool Trust<Machine>::add(Node& node) {
  node.stage = Stage::added;
  node.updates = false;
  if constexpr (DefersReads<Machine>) {
    if (machine_.awaits(node.event)) {
      if (wait(node)) return true;
      if (node.stage == Stage::next) return false;
    }
  }
  if (node.op == Op::lock && !machine_.would_update(node.event, node.parameter)) {
    if (machine_.defer(node.event, node.parameter, node.id)) {
      if constexpr (Machine::deferral_is_step) transition();
      return true;
    }
  } else if (machine_.insert(node.event, node.parameter, node.id)) {
    node.updates = node.may_update() && machine_.write_of(node.id) != no_event;
    note_failures();
    if (count_hopeless_read(node)) return false;
    transition();
    return true;
  }
  // An update whose source is taken can only revisit.
  node.updates = machine_.would_update(node.event, node.parameter);
  node.stage = Stage::next;
  if (node.updates) start_revisits(node);
  return false;
}

// For a read that awaits a value: returns true if the graph was extended without it, by a deferral. Turns to
// the next parameter if this one leads nowhere; else the read is to be added.
template <RevisitMachine Machine>
[[gnu::noinline]] bool Trust<Machine>::wait(Node& node) {
  if constexpr (DefersReads<Machine>) {
    bool goes_on = true;
    if constexpr (RevisitsChoices<Machine>) {
      goes_on = machine_.may_take(node.event, node.parameter);
      if (node.op == Op::choose) {
        if (!goes_on) node.stage = Stage::next;
        return false;
      }
    }
    goes_on = goes_on && machine_.may_read(node.event.name, static_cast<EventId>(node.parameter)) &&
              !machine_.stops(node.event, node.parameter);
    if (goes_on) return false;
    if (machine_.newer(node.parameter) != no_event || !machine_.defer(node.event, node.parameter, node.id)) {
      node.stage = Stage::next;
      return false;
    }
    transition();
  }
  return true;
}

// Counts the run as blocked and returns true if the read was not maximal when it was added and has stopped
// its thread. Then it stays forever, because it can be neither revisited nor deleted, and nothing complete
// results from this graph.
template <RevisitMachine Machine>
[[gnu::always_inline]] inline bool Trust<Machine>::count_hopeless_read(const Node& node) {
  if (!machine_.stopped_by(node.id)) [[likely]]
    return false;
  if (node.forced || node.updates || node.op == Op::choose || node.is_store()) return false;
  if (machine_.newer(node.parameter) == no_event) return false;
  const ThreadId t = node.event.name.thread;
  search_.blocked(t, machine_.standing_op(t), machine_.standing_site(t));
  ++search_.counts.runs;
  return true;
}

// Called while the event is not in the graph.
template <RevisitMachine Machine>
void Trust<Machine>::start_revisits(Node& node) {
  node.stage = Stage::revisits;
  node.prefix = machine_.commit_before(node.event);
  if (node.updates && !is_initial(static_cast<EventId>(node.parameter)))
    node.prefix |= machine_.committed_before(node.parameter);
  node.deleted = {};
  node.walk = static_cast<std::uint32_t>(machine_.order().size());
  // (The walk is not worth it if there is nothing to revisit.)
  if constexpr (IndexesReads<Machine>) {
    bool any_choice_waits = false;
    if constexpr (RevisitsChoices<Machine>) any_choice_waits = machine_.any_choice_waits();
    if (!any_choice_waits && (machine_.rivals(node.event) - node.prefix).empty()) node.walk = 0;
  }
}

// Makes the next graph in which the node's event is the source of an earlier read, which is to be added next.
template <RevisitMachine Machine>
bool Trust<Machine>::next_revisit(Node& node) {
  if (node.revisiting) {
    node.revisiting = false;
    remove(node);
    node.place = machine_.next_place(node.event, *node.place);
  }
  do {
    if (node.revisited == no_event) continue;
    if (revisit(node)) return true;
    mend(node);
    if (search_.stopped()) return false;
  } while (find_revisit(node));
  return false;
}

// Adds the node's event to the cut graph, at the next place that the model allows.
template <RevisitMachine Machine>
bool Trust<Machine>::revisit(Node& node) {
  for (; node.place; node.place = machine_.next_place(node.event, *node.place)) {
    if (!machine_.insert(node.event, *node.place, node.id)) continue;
    node.revisiting = true;
    transition();
    note_failures();
    if constexpr (BoundsPreemptions<Machine>) machine_.settle_prefix(machine_.write_of(node.id));
    return true;
  }
  return false;
}

// Walks back through the order of insertion to the next read that the event may revisit, and cuts the graph.
// Everything walked over would be deleted, so the walk ends at the first event that is not maximal.
template <RevisitMachine Machine>
bool Trust<Machine>::find_revisit(Node& node) {
  while (node.walk > 0) {
    const EventId id = machine_.order()[--node.walk];
    if (id == node.id || node.prefix.contains(static_cast<ProcessId>(id))) continue;
    if (!maximal(id, node)) {
      node.walk = 0;
      return false;
    }
    if (machine_.may_revisit(node.event, node.parameter, id, node.deleted)) {
      node.revisited = id;
      count_recommitted(machine_.cut(node.event, node.parameter, node.walk, id, node.deleted));
      if constexpr (DefersReads<Machine>) {
        node.own_id = node.id;
        node.id = machine_.close_gaps(node.event, node.id, node.deleted);
      }
      node.place = machine_.first_place(node.event, node.parameter);
      return true;
    }
    machine_.include(id, node.deleted);
  }
  return false;
}

template <RevisitMachine Machine>
void Trust<Machine>::mend(Node& node) {
  count_recommitted(machine_.mend());
  if constexpr (DefersReads<Machine>) node.id = node.own_id;
  machine_.include(std::exchange(node.revisited, no_event), node.deleted);
}

// A maximal event can be removed and added again later: it saw the newest of all writes that stay or came
// before it.
template <RevisitMachine Machine>
bool Trust<Machine>::maximal(EventId id, const Node& node) const {
  const Set& deleted = node.deleted;
  const auto gone = [&](EventId write) {
    return write == no_event || deleted.contains(static_cast<ProcessId>(write));
  };
  if constexpr (DefersReads<Machine>) {
    if (machine_.defers_read(id)) return machine_.is_maximal_deferral(id, deleted);
  }
  if (machine_.is_decision(id)) return machine_.is_default(id);
  const EventId write = machine_.write_of(id);
  if constexpr (RevisitsChoices<Machine>) {
    if (machine_.any_choice_waits() && !machine_.is_default(id)) return false;
  }
  if (write == no_event) return gone(machine_.newer(machine_.source_of(id)));
  if (!gone(machine_.newer(write))) return false;
  if constexpr (DefersReads<Machine>) return !machine_.any_reads_on(write, node.event.name, deleted);
  return (machine_.readers(write) - deleted).empty();
}

// Samples random paths on the second width of the machine: there is no search that could begin again.
template <RevisitMachine Narrowest>
void sample_trust_on(Search& search, std::uint64_t seed, Samples& samples) {
  using Machine = typename Narrowest::template Widened<Narrowest::next_width>;
  Machine machine(search.image(), search.machine_options());
  const GraphObserver nobody;
  Trust exploration(machine, search, nobody);
  sample_paths(exploration, search, seed, samples);
}

}  // namespace heddle::checker
