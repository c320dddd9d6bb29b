// naive over commits: all runs of a commit machine, except that partial traces that were reached before are
// not explored again. The oracle for small programs (paper 2, section 2).
//
// Two runs lead to the same state if they commit the same events with the same parameters, in whatever order,
// since what is fetched follows from what is committed. At each state every event that cb allows is committed
// with every parameter that the model allows. A preemption bound cuts the states that need more preemptions
// (preemption_bounded.hpp).
#include <cstdint>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/exploration.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/preemption_bounded.hpp"
#include "checker/commits/widening.hpp"
#include "checker/state/sequence_table.hpp"

namespace heddle::checker::commits {

namespace {

template <typename Machine>
class Naive : CommitExploration<Machine> {
  using Base = CommitExploration<Machine>;

 public:
  Naive(Machine& machine, Search& search, const GraphObserver& observer) : Base(machine, search, observer) {}

  // False if the machine is too narrow for the program.
  bool run() {
    arrive();
    while (!nodes_.empty() && !search_.stopped()) {
      if (machine_.full()) return false;
      Node& node = nodes_.back();
      if (commit_next(node)) {
        node.committed = true;
        search_.transition(machine_.depth(), [&] { return memory_used(); });
        arrive();
      } else if (!begin_next(node)) {
        nodes_.pop_back();
        if (!nodes_.empty()) machine_.undo();
      }
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  using Base::machine_;
  using Base::search_;

  // A state.
  struct Node {
    std::vector<EventName> enabled;
    std::size_t begun = 0;  // of `enabled`
    Branches<Machine> newest;
    bool committed = false;  // the newest one, with some parameter
  };

  // The store of a read-modify-write is never dropped here: `begin_next` counts a run that lacks it.
  bool commit_next(Node& node) {
    return node.newest.commit_next(machine_, [&](std::int64_t parameter) {
      return !node.newest.event.conditional || parameter != dropped;
    });
  }

  // Begins the node's next event; false if there is none.
  bool begin_next(Node& node) {
    if (node.begun > 0 && !node.committed) {
      if (!node.newest.event.conditional) Base::refuse_no_parameter();
      // The only place of the store of a read-modify-write is taken: no complete execution comes from here.
      ++search_.counts.blocked_race;
      ++search_.counts.runs;
      return false;
    }
    if (node.begun == node.enabled.size()) return false;
    node.newest.begin(machine_, node.enabled[node.begun++]);
    node.committed = false;
    return true;
  }

  // Opens the node of the state that was just reached, unless it is a known one.
  void arrive() {
    this->stop_at_limits();
    if (search_.stopped()) return;
    if constexpr (BoundsPreemptions<Machine>) {
      if (!machine_.within_bound()) {
        ++search_.counts.blocked_preemption_bound;
        machine_.undo();
        return;
      }
    }
    machine_.key(key_);
    if (visited_.insert(key_).known) {
      ++search_.counts.revisits;
      machine_.undo();
      return;
    }
    ++search_.counts.states;
    this->note_failures();
    Node& node = nodes_.emplace_back();
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) node.enabled.push_back(name);
    });
    if (node.enabled.empty()) this->end_run();
  }

  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t bytes = machine_.memory_used() + nodes_.capacity() * sizeof(Node) + visited_.memory_used();
    for (const Node& node : nodes_) bytes += node.enabled.capacity() * sizeof(EventName);
    return bytes;
  }

  SequenceTable visited_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> key_;  // scratch
};

}  // namespace

void run_naive(Search& search, const GraphObserver& observer) {
  with_commit_machine(search, [&]<typename Narrowest>() {
    using Machine = IfAhead<PreemptionBounded, Narrowest>;
    explore_widening<Machine, last_width_of_second_opinion<Machine>()>(
        search, [&](auto& machine) { return Naive(machine, search, observer).run(); });
  });
}

}  // namespace heddle::checker::commits
