// rsmc: every complete trace of a commit machine exactly once.
//
// Abdulla, Atig, Jonsson, Leonardsson, "Stateless model checking for POWER", CAV'16 (paper 2), figure 7;
// docs/algorithms.md, "Commit-order models". A model's runs are sequences of committed events with
// parameters, in any order that cb allows (power_machine.hpp; graph_machine.hpp for SC, TSO and PSO, whose cb
// is po | rf).
//
//   explore(run): select an enabled event e and branch over its parameters. A store is checked for races
//     first: each load r that was committed before it and is not cb-before it could read from it
//     (detect_races). The node where explore committed r gets one more branch for that:  c . e[*] . r[e],
//     with c the events since then that are cb-before e, in an order that depends only on cb.
//   A node takes its branches after its parameters, each once (traverse).
//
// Why each trace comes exactly once, also with the changes below: the traces that continue from a node are
// divided by the source of its load r. It is either a write that is already there, or a later writer e; then
// the trace also determines the events that are cb-before e and their parameters, and so the one branch of r
// that leads to it.
//
// How this differs from the paper
// - The recursion is a stack of nodes, and nodes are found by the step that they committed (`owners_`), which
//   is the paper's P. Events that traverse has committed have no node: other sources for them are other
//   branches of the node that is being traversed, or of one above.
// - A read-modify-write e is committed as a whole. As its source is one of its predecessors, the branch is
//   c . e[x] . r[e],  for each write x that it could read from without coming after r, with c the events that
//   are before e or before x.
// - Mutexes. A `lock` r can only take over a free mutex, so letting it read from another lock gains nothing.
//   The branch is c . e[x] alone, in which e takes the mutex instead of r; r then comes where the search
//   reaches it. Locks that are still waiting at the end of a run are checked for races, too.
// - `choose` is an event whose parameter is its value.
// - Where a branch is taken, the places of its stores are those of the trace without the other events.
//
// Waiting (WaitsInPlace; docs/algorithms.md, "Waiting in graphs", has the same rules for trust, and the proof). A read r
// that may stop its thread at once is selected only when the newest write lets the thread continue, or where nothing
// else is left and an older one does; sources that stop it are not tried. The executions in which r does not read at
// its node are those with a *mark* (r, f): f is a write that stops r. Let E be the run up to the node. From a write w,
// go back to the newest write of the location among E and what is cb-before w, and so on until one is in E; w *follows* f if
// this leads to f. A branch in which r reads from e is taken only if no write on this way from e stops r. If e stops r, but
// nothing on the way does, and e is the newest write then, the branch is c . e[*] with the mark (r, e): r is selected again
// when a write that follows e is the newest. If r was selected where nothing else was left, the newest write n of E stops it, and
// the mark is (r, n), without any other branch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "checker/commits/ahead_waits.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/commits/exploration.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/named_steps.hpp"
#include "checker/commits/way_back.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// (Asked here, because g++ 12 sometimes loses the answer if it comes to the question within a template.)
static_assert(RunsAhead<PowerMachine<16>> && RunsAhead<PowerMachine<growing>>);

namespace {

// The paper's c . e[*] . r[e], stored at the node of the load r.
struct Continuation {
  std::vector<NamedStep> before;  // c: cb-before the writer, in an order that is a function of the set
  NamedStep writer;               // e
  bool any_place = false;         // e[*]: with each place that the model allows
  bool then_read = true;          // commit r, reading from e
  std::int64_t alternative = 0;   // if r is a choice that waits: e opens this one
  friend bool operator==(const Continuation&, const Continuation&) = default;

  [[nodiscard]] std::uint64_t bytes() const {
    constexpr std::uint64_t links = 4 * sizeof(void*);  // of the table, and the one in Node::continuations
    return sizeof(Continuation) + links + before.capacity() * sizeof(NamedStep);
  }
};

struct ContinuationHash {
  std::size_t operator()(const Continuation& continuation) const {
    std::uint64_t hash = continuation.before.size();
    const auto add = [&](std::uint64_t word) {
      hash = (hash ^ word) * 0xff51afd7ed558ccd;
      hash ^= hash >> 29;
    };
    const auto add_step = [&](const NamedStep& item) {
      add(std::uint64_t{item.event.thread} << 32 | item.event.index);
      add(std::uint64_t{item.place.thread} << 32 | item.place.index);
      add(static_cast<std::uint64_t>(item.value));
    };
    for (const NamedStep& item : continuation.before) add_step(item);
    add_step(continuation.writer);
    add(static_cast<std::uint64_t>(continuation.alternative));
    return hash;
  }
};

template <WaitsInPlace Machine>
class Rsmc : CommitExploration<Machine> {
  using Base = CommitExploration<Machine>;

 public:
  using Set = typename Machine::Set;
  using Prepared = typename Machine::Prepared;

  Rsmc(Machine& machine, Search& search, const GraphObserver& observer) : Base(machine, search, observer) {
    // If growing the vector copied nodes, the copies would keep pointers into the originals.
    static_assert(std::is_nothrow_move_constructible_v<Node>);
    if constexpr (WaitsAtChoices<Machine>) machine.wait_at_choices();
    if constexpr (BeginsWithProbes<Machine>) machine.begin_with_probes();
  }

  // False if an execution has more events than the machine has room for.
  bool run() {
    this->note_failures();
    arrive();
    while (!nodes_.empty() && !search_.stopped()) {
      if (machine_.full()) return false;
      if (!advance(nodes_.back())) {
        continuation_bytes_ -= nodes_.back().bytes;
        nodes_.pop_back();
        undo_branch();
      }
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  using Base::machine_;
  using Base::search_;

  // The read waits for a write that follows this one, although it could have read at its node.
  struct Mark {
    EventName read;
    EventId first_after = no_event;  // the id of the first event after E
    EventId write = no_event;
  };

  // explore() of one event.
  struct Node {
    EventName name;
    std::uint32_t depth = 0;  // steps before it: P[name]
    std::size_t marks = 0;    // before it
    Branches<Machine> event;
    bool committed = false;  // with some parameter
    bool idle = false;       // a read that waits and cannot read the newest write, or of a settled guard
    bool marked = false;     // if idle: the branch in which it waits on has been taken, or there is none
    bool is_choice = false;
    std::int64_t home = 0;  // of a choice that waits
    // The continuation being traversed: its c is committed, the writer comes next.
    bool trying_writer = false;
    std::uint32_t writer_depth = 0;
    Branches<Machine> writer;
    std::size_t taken = 0;  // continuations
    std::unordered_set<Continuation, ContinuationHash> known;
    std::vector<const Continuation*> continuations;  // Q[name], in the order in which they were added
    std::uint64_t bytes = 0;                         // the memory that they take

    [[nodiscard]] std::uint32_t branch_depth() const { return trying_writer ? writer_depth : depth; }
  };

  void arrive();
  bool open_in_guard();
  void open(EventName name);
  bool advance(Node& node);
  bool commit_next(Node& node);
  bool read(Node& node, std::int64_t source);
  bool open_alternative(Node& node, std::int64_t source);
  void traverse(Node& node, const Continuation& continuation);
  bool commit_writer(Node& node, const Continuation& continuation);
  bool try_writer(Node& node);
  void detect_races(const Prepared& writer);
  void detect_race(const Prepared& writer, const Set& before, Node& node, std::uint32_t step);
  void detect_openings(const Prepared& writer, const Set& before, Node& node, std::uint32_t step);
  template <typename Accept>
  void add_updates(const Prepared& update, const Set& before, Node& node, EventId read, Accept&& accept);
  void add_continuation(Node& node);
  void set_before(const Set& events, std::uint32_t from);
  void committed(std::uint32_t owner);
  void repeat(const NamedStep& item);

  // The id of the first event after the run up to the node.
  [[nodiscard]] EventId first_after(const Node& node) const {
    return static_cast<EventId>(machine_.first_event(node.depth));
  }
  template <typename Found>
  [[nodiscard]] bool any_on_way_back(EventId write, EventId first_after, Found&& found) const;
  [[nodiscard]] bool follows_mark(const Mark& mark, EventId write) const {
    return any_on_way_back(write, mark.first_after, [&](EventId e) { return e == mark.write; });
  }
  // Whether the read, if there are marks for it, belongs to executions in which it reads from this write; and whether to those in
  // which it waits for ever and this is the newest write.
  [[nodiscard]] bool may_read(EventName name, EventId source) const;
  [[nodiscard]] bool may_wait_on(EventName name, EventId newest) const;
  [[nodiscard]] bool stops_on_the_way(const Node& node, EventId source);

  [[nodiscard]] std::uint32_t newest_node() const { return static_cast<std::uint32_t>(nodes_.size() - 1); }
  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t sets = 0;
    if constexpr (IndexesReads<Machine>) {
      for (const Node& node : nodes_)
        sets += machine_.memory_of(node.event.event) + machine_.memory_of(node.writer.event);
    }
    return sets + machine_.memory_used() + nodes_.capacity() * sizeof(Node) +
           marks_.capacity() * sizeof(Mark) + owners_.capacity() * sizeof(owners_[0]) + continuation_bytes_;
  }
  void undo_to(std::uint32_t depth) {
    while (machine_.depth() > depth) machine_.undo();
    owners_.resize(depth);
  }
  // Undoes the branch that the newest node has taken.
  void undo_branch() {
    if (nodes_.empty()) return;
    undo_to(nodes_.back().branch_depth());
    marks_.resize(nodes_.back().marks);
  }

  std::vector<Node> nodes_;
  std::vector<Mark> marks_;
  bool any_waited_ = false;               // some node was one of a read that waits
  std::vector<std::uint32_t> owners_;     // by step: the node whose explore committed it, or `none`
  std::uint64_t continuation_bytes_ = 0;  // of all nodes
  Continuation found_;                    // scratch
  std::vector<std::pair<EventName, std::uint32_t>> left_;  // scratch
};

// A step has just been committed, by the explore of a node or by a continuation (`none`).
template <WaitsInPlace Machine>
void Rsmc<Machine>::committed(std::uint32_t owner) {
  owners_.push_back(owner);
  // Here and not in `arrive`: a step that is committed again before a writer may fail as well.
  this->note_failures();
  search_.transition(machine_.depth(), [&] { return memory_used(); });
}

// Explores the run that has just been made.
template <WaitsInPlace Machine>
void Rsmc<Machine>::arrive() {
  this->stop_at_limits();
  if (search_.stopped() || machine_.full()) return;
  if (open_in_guard()) return;
  const auto ready = [&](EventName name) { return !machine_.awaits(name) && !machine_.waits(name); };
  if (const auto name = next_event(machine_, ready)) return open(*name);
  const bool waiting = machine_.anyone_awaits();
  if (waiting) {
    const auto may = [&](EventName name, EventId source) { return may_read(name, source); };
    if (const auto name = machine_.next_awaited(may)) return open(*name);
    if (const auto name = machine_.next_undecided(may)) return open(*name);
  }
  this->for_each_waiting([&](const Prepared& lock) { detect_races(lock); });
  const auto may_wait = [&](EventName name, EventId newest) { return may_wait_on(name, newest); };
  if (!waiting || machine_.evaluate_waits(may_wait)) this->end_run();
  if (waiting) machine_.forget_evaluations();
  undo_branch();
}

// After a choice that waited, or a step of a settled guard or of the home of a probe, the next step of that guard comes at once: opens
// its node. False if the newest step is none of these, or its guard has been passed.
template <WaitsInPlace Machine>
bool Rsmc<Machine>::open_in_guard() {
  if constexpr (WaitsAtChoices<Machine>) {
    if (nodes_.empty() || owners_.empty() || owners_.back() != newest_node() ||
        !machine_.awaits(nodes_.back().event.event))
      return false;
    const std::uint32_t newest = machine_.depth() - 1;
    const std::int64_t parameter = nodes_.back().is_choice ? machine_.chosen(newest) : machine_.place(newest);
    const auto next = machine_.next_in_guard(nodes_.back().event.event, parameter);
    if (!next) return false;
    open(*next);
    Node& node = nodes_.back();
    machine_.continue_guard(nodes_[nodes_.size() - 2].event.event, parameter, node.event.event);
    node.idle = node.marked = machine_.is_settled(node.event.event);
    return true;
  }
  return false;
}

template <WaitsInPlace Machine>
void Rsmc<Machine>::open(EventName name) {
  Node& node = nodes_.emplace_back();
  node.name = name;
  node.depth = machine_.depth();
  node.marks = marks_.size();
  node.event.begin(machine_, name);
  node.is_choice = machine_.op(name) == Op::choose;
  if constexpr (WaitsAtChoices<Machine>) node.home = machine_.home(node.event.event);
  if (machine_.op(name) != Op::load && machine_.op(name) != Op::choose) detect_races(node.event.event);
}

// Takes the next branch of the node; false if there is none left.
template <WaitsInPlace Machine>
bool Rsmc<Machine>::advance(Node& node) {
  if (commit_next(node)) {
    node.committed = true;
    committed(newest_node());
    arrive();
    return true;
  }
  if (!node.committed && !node.idle) Base::refuse_no_parameter();
  if (node.idle && !std::exchange(node.marked, true)) {
    const auto newest = static_cast<EventId>(*machine_.first_parameter(node.event.event));
    marks_.push_back({node.name, first_after(node), newest});
    arrive();
    return true;
  }
  for (;;) {
    if (node.trying_writer) {
      if (try_writer(node)) return true;
      node.trying_writer = false;
      undo_to(node.depth);
    }
    if (node.taken == node.continuations.size()) return false;
    traverse(node, *node.continuations[node.taken++]);
  }
}

template <WaitsInPlace Machine>
bool Rsmc<Machine>::commit_next(Node& node) {
  const Prepared& event = node.event.event;
  if (!machine_.awaits(event)) return node.event.commit_next(machine_);
  any_waited_ = true;
  bool is_settled = false;
  if constexpr (WaitsAtChoices<Machine>) is_settled = machine_.is_settled(event);
  return node.event.commit_next(machine_, [&](std::int64_t parameter) {
    if constexpr (WaitsAtChoices<Machine>) {
      if (!machine_.may_take(event, parameter)) return false;
    }
    if (node.is_choice) return true;
    const bool taken =
        may_read(node.name, static_cast<EventId>(parameter)) && !machine_.stops(event, parameter);
    if (!is_settled && parameter == machine_.first_parameter(event)) node.idle = !taken;
    return taken;
  });
}

// Commits c; `try_writer` commits e and r.
template <WaitsInPlace Machine>
void Rsmc<Machine>::traverse(Node& node, const Continuation& continuation) {
  for (const NamedStep& item : continuation.before) repeat(item);
  const auto& writer = continuation.writer;
  node.trying_writer = true;
  node.writer_depth = machine_.depth();
  node.writer.begin(machine_, writer.event);
  if (!continuation.any_place) node.writer.next = machine_.resolve(writer.event, writer.place);
}

template <WaitsInPlace Machine>
bool Rsmc<Machine>::commit_writer(Node& node, const Continuation& continuation) {
  if (continuation.any_place) return node.writer.commit_next(machine_);
  const auto place = std::exchange(node.writer.next, std::nullopt);
  return place && machine_.commit(node.writer.event, *place);
}

// Commits e with its next place, and r. False if there is no place left.
template <WaitsInPlace Machine>
bool Rsmc<Machine>::try_writer(Node& node) {
  const Continuation& continuation = *node.continuations[node.taken - 1];
  while (commit_writer(node, continuation)) {
    committed(none);
    if (!continuation.then_read) {
      arrive();
      return true;
    }
    if (const auto source = machine_.written_by(machine_.depth() - 1)) {
      if (node.is_choice ? open_alternative(node, *source) : read(node, *source)) {
        arrive();
        return true;
      }
    }
    undo_to(node.writer_depth);
  }
  return false;
}

// The node's read reads from the writer, which has just been committed, or waits on. False if neither is possible, or
// is to be found in another branch.
template <WaitsInPlace Machine>
bool Rsmc<Machine>::read(Node& node, std::int64_t source) {
  Prepared& event = node.event.event;
  machine_.prepare(node.name, event);
  if (machine_.awaits(event)) {
    const auto write = static_cast<EventId>(source);
    if (stops_on_the_way(node, write)) return false;
    if (machine_.stops(event, source)) {
      if (machine_.newer(source) != no_event) return false;
      marks_.push_back({node.name, first_after(node), write});
      return true;
    }
    if (!may_read(node.name, write)) return false;
  }
  // The races of its write, which reads from a source that was not there when the node was opened: if other reads wait,
  // they are not all found in the branches of these.
  if (any_waited_ && machine_.updates(node.name)) detect_races(event);
  if (machine_.commit(event, source)) {
    committed(newest_node());
    return true;
  }
  ++search_.counts.blocked_race;
  ++search_.counts.runs;
  return false;
}

// The node's choice takes the alternative that the writer, which has just been committed, opens. False if the writer does not.
template <WaitsInPlace Machine>
bool Rsmc<Machine>::open_alternative(Node& node, std::int64_t source) {
  if constexpr (WaitsAtChoices<Machine>) {
    const std::int64_t alternative = node.continuations[node.taken - 1]->alternative;
    Prepared& event = node.event.event;
    machine_.prepare(node.name, event);
    machine_.open(event, node.home, first_after(node), static_cast<EventId>(source));
    if (!machine_.may_take(event, alternative) || !machine_.commit(event, alternative)) return false;
    committed(newest_node());
    return true;
  }
  return false;
}

// Whether it holds for a write on the way from this one back to the events before the id (way_back.hpp).
template <WaitsInPlace Machine>
template <typename Found>
bool Rsmc<Machine>::any_on_way_back(EventId write, EventId first_after, Found&& found) const {
  if (write < first_after) return false;
  EventId newest = write;
  while (machine_.newer(newest) != no_event) newest = machine_.newer(newest);
  return checker::any_on_way_back(
      machine_, newest, write, [&](EventId e) { return e < first_after; }, found);
}

template <WaitsInPlace Machine>
bool Rsmc<Machine>::may_read(EventName name, EventId source) const {
  return std::all_of(marks_.begin(), marks_.end(),
                     [&](const Mark& mark) { return mark.read != name || follows_mark(mark, source); });
}

template <WaitsInPlace Machine>
bool Rsmc<Machine>::may_wait_on(EventName name, EventId newest) const {
  return std::all_of(marks_.begin(), marks_.end(), [&](const Mark& mark) {
    return mark.read != name || mark.write == newest || follows_mark(mark, newest);
  });
}

// Whether a write on the way from the source to the run before the node stops the node's read.
template <WaitsInPlace Machine>
bool Rsmc<Machine>::stops_on_the_way(const Node& node, EventId source) {
  return any_on_way_back(source, first_after(node),
                         [&](EventId write) { return machine_.stops(node.event.event, write); });
}

template <WaitsInPlace Machine>
void Rsmc<Machine>::repeat(const NamedStep& item) {
  Prepared event;
  machine_.prepare(item.event, event);
  if (!machine_.commit(event, parameter_of(machine_, item)))
    throw std::logic_error("internal error: part of an allowed run is not allowed");
  committed(none);
}

// Finds the committed reads that could have read from the event if it had come first.
template <WaitsInPlace Machine>
void Rsmc<Machine>::detect_races(const Prepared& writer) {
  bool any_choice_waits = false;
  if constexpr (WaitsAtChoices<Machine>) any_choice_waits = machine_.any_choice_waits();
  if constexpr (IndexesReads<Machine>) {
    // (An event is a step here, and its id the number of the step.)
    const Set before = machine_.commit_before(writer);
    (machine_.rivals(writer) - before).for_each([&](ProcessId step) {
      if (owners_[step] != none && machine_.reads_at(step))
        detect_race(writer, before, nodes_[owners_[step]], step);
    });
    if (!any_choice_waits) return;
  }
  const auto location = machine_.location(writer.name);
  std::optional<Set> before;
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (owners_[step] == none) continue;
    bool is_choice = false;
    if constexpr (WaitsAtChoices<Machine>)
      is_choice = any_choice_waits && machine_.op_at(step) == Op::choose &&
                  machine_.is_home(static_cast<EventId>(machine_.first_event(step)));
    if (!is_choice) {
      if (IndexesReads<Machine> || machine_.location_at(step) != location || !machine_.reads_at(step))
        continue;
    }
    if (!before) before = machine_.commit_before(writer);
    if (before->contains(machine_.first_event(step))) continue;
    Node& node = nodes_[owners_[step]];
    if (is_choice) {
      detect_openings(writer, *before, node, step);
    } else {
      detect_race(writer, *before, node, step);
    }
  }
}

// Adds the branches in which the writer opens another alternative of the choice, which is this step.
template <WaitsInPlace Machine>
void Rsmc<Machine>::detect_openings(const Prepared& writer, const Set& before, Node& node,
                                    std::uint32_t step) {
  if constexpr (WaitsAtChoices<Machine>) {
    const auto choice = static_cast<EventId>(machine_.first_event(step));
    const Prepared& event = node.event.event;
    for (auto next = machine_.first_parameter(event); next; next = machine_.next_parameter(event, *next)) {
      found_.alternative = *next;
      const auto opens = [&](std::int64_t place) {
        return machine_.may_open(writer, place, choice, found_.alternative);
      };
      if (machine_.updates(writer.name)) {
        add_updates(writer, before, node, choice,
                    [&](std::int64_t place) { return machine_.would_update(writer, place) && opens(place); });
      } else if (opens(no_event)) {
        set_before(before, node.depth);
        found_.writer = {writer.name, {}, 0};
        found_.any_place = found_.then_read = true;
        add_continuation(node);
      }
    }
    found_.alternative = 0;
  }
}

// Adds the branches that the writer offers to the node of a read, which is this step.
template <WaitsInPlace Machine>
void Rsmc<Machine>::detect_race(const Prepared& writer, const Set& before, Node& node, std::uint32_t step) {
  if (node.idle) return;
  if (!machine_.updates(writer.name)) {
    if (machine_.op(node.name) == Op::lock) return;  // its owner's unlock comes later in any case
    set_before(before, node.depth);
    found_.writer = {writer.name, {}, 0};
    found_.any_place = found_.then_read = true;
    return add_continuation(node);
  }
  // A read-modify-write is committed with its source, which need not be cb-before it otherwise.
  if (machine_.op(node.name) == Op::lock) {
    found_.any_place = found_.then_read = false;
    set_before(before, node.depth);
    found_.writer = {writer.name, machine_.name_of(machine_.place(step)), 0};
    return add_continuation(node);
  }
  add_updates(writer, before, node, static_cast<EventId>(machine_.first_event(step)),
              [](std::int64_t) { return true; });
}

// Adds a branch for each source of the read-modify-write that is accepted and does not need the read.
template <WaitsInPlace Machine>
template <typename Accept>
void Rsmc<Machine>::add_updates(const Prepared& update, const Set& before, Node& node, EventId read,
                                Accept&& accept) {
  found_.any_place = false;
  found_.then_read = true;
  for (auto place = machine_.first_parameter(update); place;
       place = machine_.next_parameter(update, *place)) {
    if (!may_read(update.name, static_cast<EventId>(*place)) || !accept(*place)) continue;
    Set needed = before;
    if (*place >= 0) needed |= machine_.committed_before(*place);
    if (needed.contains(static_cast<ProcessId>(read))) continue;
    set_before(needed, node.depth);
    found_.writer = {update.name, machine_.name_of(*place), 0};
    add_continuation(node);
  }
}

// Adds `found_`. Nearly all continuations found are known, and so not worth an allocation.
template <WaitsInPlace Machine>
void Rsmc<Machine>::add_continuation(Node& node) {
  if (node.known.contains(found_)) return;
  const auto place = node.known.insert(found_).first;
  node.continuations.push_back(&*place);
  node.bytes += place->bytes();
  continuation_bytes_ += place->bytes();
}

// Makes `found_` begin with the events of the set that were committed at depth `from` or later, in a fixed
// order: repeatedly the first by name of those whose predecessors have all come.
template <WaitsInPlace Machine>
void Rsmc<Machine>::set_before(const Set& events, std::uint32_t from) {
  left_.clear();
  found_.before.clear();
  Set kept;
  Set waiting;
  for (std::uint32_t step = from; step < machine_.depth(); ++step) {
    if (!events.contains(machine_.first_event(step))) continue;
    left_.emplace_back(machine_.step(step), step);
    waiting.insert(machine_.first_event(step));
  }
  std::sort(left_.begin(), left_.end());
  while (!left_.empty()) {
    for (auto entry = left_.begin();; ++entry) {
      const auto id = machine_.first_event(entry->second);
      Set earlier = machine_.committed_before(static_cast<std::int64_t>(id));
      earlier.erase(id);
      if (earlier.intersects(waiting)) continue;
      found_.before.push_back(named_step(machine_, entry->second, [&](ProcessId place) {
        return place < machine_.first_event(from) || kept.contains(place);
      }));
      for (auto e = id; e < machine_.first_event(entry->second + 1); ++e) kept.insert(e);
      waiting.erase(id);
      left_.erase(entry);
      break;
    }
  }
}

}  // namespace

void run_rsmc(Search& search) { run_rsmc(search, {}); }

void run_rsmc(Search& search, const GraphObserver& observer) {
  with_commit_machine(search, [&]<typename Machine>() {
    explore_widening<IfAhead<AheadWaits, Machine>>(
        search, [&](auto& machine) { return Rsmc(machine, search, observer).run(); });
  });
}

}  // namespace heddle::checker
