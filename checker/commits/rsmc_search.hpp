// The search of rsmc; rsmc.cpp says what it does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/named_steps.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Paper 2's c . e[*] . r[e], for the load r at whose node it is kept.
struct Continuation {
  std::vector<NamedStep> before;  // cb-before `writer`, in the fixed order
  NamedStep writer;
  bool any_place = false;  // e[*]: with each place that the model allows
  bool then_read = true;   // commit r, reading from the writer
  friend bool operator==(const Continuation&, const Continuation&) = default;
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
    return hash;
  }
};

// explore() of one event, as far as it does not depend on the machine's width.
struct RsmcFrame {
  EventName name;
  std::uint32_t depth = 0;  // steps before it: P[name]
  std::optional<std::int64_t> parameter;
  bool committed = false;  // with some parameter
  bool trying_writer = false;
  std::uint32_t writer_depth = 0;
  std::optional<std::int64_t> writer_place;
  std::size_t taken = 0;  // continuations
  std::unordered_set<Continuation, ContinuationHash> known;
  std::vector<const Continuation*> continuations;  // Q[name], in order of coming
  std::uint64_t bytes = 0;                         // that they take

  [[nodiscard]] std::uint32_t branch_depth() const { return trying_writer ? writer_depth : depth; }
};

template <typename Machine>
class Rsmc {
 public:
  using MachineType = Machine;
  template <typename Wider>
  using On = Rsmc<Wider>;
  static constexpr unsigned next_width = Machine::next_width;
  using Set = typename Machine::Set;

  Rsmc(Machine& machine, Search& search, const GraphObserver& observer)
      : machine_(machine), search_(search), end_(search), observer_(observer) {}

  // Goes on where a search on a narrower machine stopped.
  template <typename Narrower>
  Rsmc(Machine& machine, Rsmc<Narrower>&& other) : Rsmc(machine, other.search_, other.observer_) {
    RunAgain again(machine_, other.machine_.run());
    for (auto& old : other.nodes_) {
      again.to(old.depth);
      Node& node = nodes_.emplace_back();
      static_cast<RsmcFrame&>(node) = std::move(static_cast<RsmcFrame&>(old));
      machine_.prepare(node.name, node.event);
      if (node.parameter) node.parameter = translated(other.machine_, machine_, node.name, *node.parameter);
      if (node.trying_writer) {
        again.to(old.writer_depth);
        const EventName writer = node.continuations[node.taken - 1]->writer.event;
        machine_.prepare(writer, node.writer);
        if (node.writer_place)
          node.writer_place = translated(other.machine_, machine_, writer, *node.writer_place);
      }
    }
    again.to_end();
    owners_ = std::move(other.owners_);
    continuation_bytes_ = other.continuation_bytes_;
  }

  // False if an execution has more events than the machine has room for; then a wider one may go on.
  bool run() {
    if (nodes_.empty() && !arrived_) {
      arrived_ = true;
      if (!machine_.failures().empty()) end_.failure(machine_);
      arrive();
    }
    while (!nodes_.empty() && !search_.stopped()) {
      if (machine_.full()) return false;
      if (!advance(nodes_.back())) {
        continuation_bytes_ -= nodes_.back().bytes;
        nodes_.pop_back();
        if (!nodes_.empty()) undo_to(nodes_.back().branch_depth());
      }
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  template <typename>
  friend class Rsmc;
  static constexpr std::uint32_t nobody = none;

  struct Node : RsmcFrame {
    typename Machine::Prepared event;
    typename Machine::Prepared writer;
  };

  void arrive();
  bool advance(Node& node);
  bool try_writer(Node& node);
  void traverse(Node& node, const Continuation& continuation);
  void detect_races(EventName writer, const typename Machine::Prepared& event);
  void detect_race(EventName writer, const typename Machine::Prepared& event, const Set& before, Node& node,
                   std::uint32_t step);
  // With `found_`: nearly all that are found are known, so they are not worth an allocation.
  void add_continuation(Node& node) {
    if (node.known.contains(found_)) return;
    const auto place = node.known.insert(found_).first;
    node.continuations.push_back(&*place);
    constexpr std::uint64_t links = 4 * sizeof(void*);  // of the table, and the one in `continuations`
    const std::uint64_t bytes = sizeof(Continuation) + links + place->before.capacity() * sizeof(NamedStep);
    node.bytes += bytes;
    continuation_bytes_ += bytes;
  }
  void set_before(const Set& events, std::uint32_t from);
  bool commit(const typename Machine::Prepared& event, std::int64_t parameter, std::uint32_t owner);
  bool repeat(const NamedStep& item);
  [[nodiscard]] std::uint64_t memory_used() const {
    return machine_.memory_used() + nodes_.capacity() * sizeof(Node) +
           owners_.capacity() * sizeof(owners_[0]) + continuation_bytes_;
  }
  void undo_to(std::uint32_t depth) {
    while (machine_.depth() > depth) machine_.undo();
    owners_.resize(depth);
  }

  Machine& machine_;
  Search& search_;
  DerivedEnd<Machine> end_;
  const GraphObserver& observer_;
  std::vector<Node> nodes_;
  Continuation found_;                                     // scratch
  std::vector<std::pair<EventName, std::uint32_t>> left_;  // scratch
  std::vector<std::uint32_t> owners_;     // by step: the node whose explore committed it, or nobody
  std::uint64_t continuation_bytes_ = 0;  // of all nodes
  bool arrived_ = false;
};

template <typename Machine>
bool Rsmc<Machine>::commit(const typename Machine::Prepared& event, std::int64_t parameter,
                           std::uint32_t owner) {
  if (!machine_.commit(event, parameter)) return false;
  owners_.push_back(owner);
  // Here and not on arrival: what is committed again before a writer may fail as well.
  if (!machine_.failures().empty()) end_.failure(machine_);
  search_.transition(machine_.depth(), [&] { return memory_used(); });
  return true;
}

// Explores the run that has just been made.
template <typename Machine>
void Rsmc<Machine>::arrive() {
  stop_at_limits(machine_, search_);
  if (search_.stopped()) return;
  if (const auto name = next_event(machine_, [&](EventName lock) { return !machine_.waits(lock); })) {
    Node& node = nodes_.emplace_back();
    node.name = *name;
    node.depth = machine_.depth();
    machine_.prepare(*name, node.event);
    node.parameter = machine_.first_parameter(node.event);
    if (machine_.op(*name) != Op::load && machine_.op(*name) != Op::choose) detect_races(*name, node.event);
    return;
  }
  machine_.for_each_enabled([&](EventName waiting) {
    typename Machine::Prepared event;
    machine_.prepare(waiting, event);
    detect_races(waiting, event);
  });
  if (end_.finish(machine_) && observer_) observer_(machine_.plain_graph());
  if (!nodes_.empty()) undo_to(nodes_.back().branch_depth());
}

// Takes the next branch of the node; false if there is none left.
template <typename Machine>
bool Rsmc<Machine>::advance(Node& node) {
  const auto self = static_cast<std::uint32_t>(nodes_.size() - 1);
  while (node.parameter) {
    const std::int64_t parameter = *node.parameter;
    node.parameter = machine_.next_parameter(node.event, parameter);
    if (!commit(node.event, parameter, self)) continue;
    node.committed = true;
    arrive();
    return true;
  }
  if (!node.committed)
    throw std::logic_error("internal error: an event that can be committed has no parameter");
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

// Commits c; try_writer then commits e and r.
template <typename Machine>
void Rsmc<Machine>::traverse(Node& node, const Continuation& continuation) {
  for (const NamedStep& item : continuation.before) {
    if (!repeat(item)) throw std::logic_error("internal error: part of an allowed run is not allowed");
  }
  machine_.prepare(continuation.writer.event, node.writer);
  node.trying_writer = true;
  node.writer_depth = machine_.depth();
  node.writer_place = continuation.any_place
                          ? machine_.first_parameter(node.writer)
                          : machine_.resolve(continuation.writer.event, continuation.writer.place);
}

template <typename Machine>
bool Rsmc<Machine>::try_writer(Node& node) {
  const auto self = static_cast<std::uint32_t>(nodes_.size() - 1);
  const Continuation& continuation = *node.continuations[node.taken - 1];
  while (node.writer_place) {
    const std::int64_t place = *node.writer_place;
    node.writer_place = continuation.any_place ? machine_.next_parameter(node.writer, place) : std::nullopt;
    if (!commit(node.writer, place, nobody)) continue;
    if (!continuation.then_read) {
      arrive();
      return true;
    }
    if (const auto source = machine_.written_by(machine_.depth() - 1)) {
      machine_.prepare(node.name, node.event);
      if (commit(node.event, *source, self)) {
        arrive();
        return true;
      }
      ++search_.counts.blocked_race;
      ++search_.counts.runs;
    }
    undo_to(node.writer_depth);
  }
  return false;
}

template <typename Machine>
bool Rsmc<Machine>::repeat(const NamedStep& item) {
  typename Machine::Prepared event;
  machine_.prepare(item.event, event);
  return commit(event, parameter_of(machine_, item), nobody);
}

// Which committed reads could read from the event, had it come first?
template <typename Machine>
void Rsmc<Machine>::detect_races(EventName writer, const typename Machine::Prepared& event) {
  const auto location = machine_.location(writer);
  std::optional<Set> before;
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (owners_[step] == nobody || machine_.location_at(step) != location) continue;
    if (!machine_.reads_at(step)) continue;
    if (!before) before = machine_.commit_before(event);
    if (before->contains(machine_.first_event(step))) continue;
    detect_race(writer, event, *before, nodes_[owners_[step]], step);
  }
}

template <typename Machine>
void Rsmc<Machine>::detect_race(EventName writer, const typename Machine::Prepared& event, const Set& before,
                                Node& node, std::uint32_t step) {
  if (!machine_.updates(writer)) {
    if (machine_.op(node.name) == Op::lock) return;  // its owner's unlock comes later in any case
    set_before(before, node.depth);
    found_.writer = {writer, {}, 0};
    found_.any_place = found_.then_read = true;
    return add_continuation(node);
  }
  // A read-modify-write is committed with its source, which need not be cb-before it otherwise.
  found_.any_place = false;
  found_.then_read = machine_.op(node.name) != Op::lock;
  if (!found_.then_read) {
    set_before(before, node.depth);
    found_.writer = {writer, machine_.name_of(machine_.place(step)), 0};
    return add_continuation(node);
  }
  const auto read = machine_.first_event(step);
  for (auto place = machine_.first_parameter(event); place; place = machine_.next_parameter(event, *place)) {
    Set needed = before;
    if (*place >= 0) needed |= machine_.committed_before(*place);
    if (needed.contains(read)) continue;
    set_before(needed, node.depth);
    found_.writer = {writer, machine_.name_of(*place), 0};
    add_continuation(node);
  }
}

// Lets `found_` begin with the events of the set that were committed at depth `from` or later, in a fixed
// order: the first by name of those whose predecessors have all come, and so on.
template <typename Machine>
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

// Begins with the width of `Machine`.
template <typename Machine>
void run_rsmc_on(Search& search, const GraphObserver& observer) {
  Machine machine(search.image(), search.machine_options());
  Rsmc<Machine> rsmc(machine, search, observer);
  run_widening(rsmc, search);
}

// In a file of its own, for the sake of compile time: rsmc_power.cpp.
extern template void run_rsmc_on<PowerMachine<1>>(Search& search, const GraphObserver& observer);

}  // namespace heddle::checker
