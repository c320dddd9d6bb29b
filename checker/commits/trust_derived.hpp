// trust over a derived execution model; trust_derived.cpp says what it does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/named_steps.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// A step to be committed again.
struct Recommit : NamedStep {
  std::uint64_t stamp = 0;  // see DerivedTrust
};

// A lock that sees its mutex taken: it stays there unless an unlock revisits it.
struct StuckLock {
  EventName event;
  EventName source;  // the write that has taken the mutex
  std::uint64_t stamp = 0;
};

enum class TrustStage : std::uint8_t {
  add,       // with the parameter at hand
  added,     // take that back
  stuck,     // take the stuck lock back
  revisits,  // begin them
  walk,      // look for the next read to revisit
  revisit,   // at the next place of the write
  next,      // go on to the next parameter
};
// In the order of insertion: a step of the run, or a stuck lock.
struct Inserted {
  std::uint64_t stamp = 0;
  std::uint32_t index = 0;
  bool stuck = false;
};
// A node, as far as it does not depend on the machine's width.
struct TrustFrame {
  EventName name;
  TrustStage stage = TrustStage::add;
  bool forced = false;        // a revisited read: no parameter but the one it has
  bool writes = false;        // with the parameter at hand
  bool begun = false;         // there is a parameter at hand
  bool revisited_by = false;  // a store: all its revisits have been begun
  std::uint64_t stamp = 0;    // place in the order of insertion
  EventName place;            // of the parameter
  std::int64_t value = 0;     // of choices
  // Revisits.
  std::vector<Inserted> walk;  // newest first
  std::size_t walked = 0;
  EventName revisited;
  std::uint32_t kept_depth = 0;  // steps that the cut has left where they were
  std::uint32_t base_depth = 0;  // steps behind which the event is committed
  EventName event_place;         // of the event in the cut run
  bool has_place = false;
  std::vector<Recommit> cut;  // the steps from kept_depth on, as they were
  std::vector<StuckLock> stuck;
};

template <typename Machine>
class DerivedTrust {
 public:
  using MachineType = Machine;
  template <typename Wider>
  using On = DerivedTrust<Wider>;
  static constexpr unsigned next_width = widest_machine;
  using Set = typename Machine::Set;

  DerivedTrust(Machine& machine, Search& search, const GraphObserver& observer)
      : machine_(machine), search_(search), observer_(observer), end_(search) {}

  // Goes on where a search on a narrower machine stopped.
  template <typename Narrower>
  DerivedTrust(Machine& machine, DerivedTrust<Narrower>&& other)
      : DerivedTrust(machine, other.search_, other.observer_) {
    RunAgain(machine_, other.machine_.run()).to_end();
    for (std::size_t i = 0; i < other.used_; ++i) {
      auto& old = other.nodes_[i];
      Node& node = nodes_.emplace_back();
      static_cast<TrustFrame&>(node) = std::move(static_cast<TrustFrame&>(old));
      node.prefix = old.prefix.template widened<Machine::words>();
      node.deleted = old.deleted.template widened<Machine::words>();
      node.version = 0;
    }
    used_ = other.used_;
    stamps_ = std::move(other.stamps_);
    stuck_ = std::move(other.stuck_);
    clock_ = other.clock_;
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
      advance(used_ - 1);
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  template <typename>
  friend class DerivedTrust;
  using Stage = TrustStage;

  struct Node : TrustFrame {
    typename Machine::Prepared event;
    std::uint64_t version = 0;  // of the run for which it was prepared; 0: for none
    Set prefix;
    Set deleted;
  };

  Node& open(EventName name, std::uint64_t stamp) {
    if (used_ == nodes_.size()) nodes_.emplace_back();
    Node& node = nodes_[used_++];
    node.name = name;
    node.stage = Stage::add;
    node.forced = node.writes = node.begun = node.revisited_by = false;
    node.stamp = stamp;
    node.version = 0;
    return node;
  }

  [[nodiscard]] Op op(EventName name) const { return machine_.op(name); }
  [[nodiscard]] bool stores(EventName name) const { return op(name) == Op::store || op(name) == Op::unlock; }
  // Would the read-modify-write write, if it read from the write?
  [[nodiscard]] bool writes_behind(EventName name, std::int64_t write) const {
    return machine_.updates(name) && would_write(op(name), machine_.request(name).expected,
                                                 machine_.value_of(static_cast<PowerId>(write)));
  }
  [[nodiscard]] bool is_stuck(EventName name) const {
    return std::any_of(stuck_.begin(), stuck_.end(), [&](const StuckLock& s) { return s.event == name; });
  }
  // The write that has taken the lock's mutex.
  [[nodiscard]] PowerId source_of(const StuckLock& lock) {
    return static_cast<PowerId>(machine_.resolve(lock.event, lock.source));
  }

  [[nodiscard]] std::uint64_t memory_used() const {
    std::size_t revisits = 0;
    for (const Node& node : nodes_) {
      revisits += node.walk.capacity() * sizeof(Inserted) + node.cut.capacity() * sizeof(Recommit) +
                  node.stuck.capacity() * sizeof(StuckLock);
    }
    return machine_.memory_used() + nodes_.capacity() * sizeof(Node) +
           stamps_.capacity() * sizeof(stamps_[0]) + revisits;
  }
  void arrive();
  void advance(std::size_t at);
  void prepare(Node& node);
  [[nodiscard]] std::int64_t parameter(const Node& node) {
    return op(node.name) == Op::choose ? node.value : machine_.resolve(node.name, node.place);
  }
  bool next_parameter(Node& node);
  bool add(Node& node);
  bool commit(const typename Machine::Prepared& event, std::int64_t parameter, std::uint64_t stamp);
  void undo_to(std::uint32_t depth) {
    while (machine_.depth() > depth) machine_.undo();
    stamps_.resize(depth);
  }
  void start_revisits(Node& node);
  bool find_revisit(Node& node);
  [[nodiscard]] bool maximal(const Inserted& inserted, const Set& deleted);
  [[nodiscard]] EventName name_of(const Inserted& inserted) const {
    return inserted.stuck ? stuck_[inserted.index].event : machine_.step(inserted.index);
  }
  void insert(const Inserted& inserted, Set& set) const {
    if (inserted.stuck) return;
    for (auto id = machine_.first_event(inserted.index); id < machine_.first_event(inserted.index + 1); ++id)
      set.insert(id);
  }
  void cut(Node& node);
  bool try_place(std::size_t at);
  void mend(Node& node);
  void again(const Recommit& item);
  template <typename Keep>
  [[nodiscard]] Recommit recommit(std::uint32_t step, Keep&& keep) const;

  Machine& machine_;
  Search& search_;
  const GraphObserver& observer_;
  DerivedEnd<Machine> end_;
  std::vector<Node> nodes_;  // those from used_ on keep their memory
  std::size_t used_ = 0;
  std::vector<std::uint64_t> stamps_;  // by step: when its event was inserted
  std::vector<StuckLock> stuck_;
  std::vector<Recommit> kept_;  // scratch
  std::uint64_t clock_ = 0;
  std::uint64_t version_ = 1;  // counts cuts and mends
  bool arrived_ = false;
};

}  // namespace heddle::checker

#include "checker/commits/trust_derived_steps.hpp"
