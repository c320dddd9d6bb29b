// Breadth-first search for a violation, layer by layer: layer n holds the states whose shortest schedule has
// n transitions.
//
// A node is a state together with the thread that took the last step (and, under a preemption bound, the
// preemptions so far), since the cost of the next step in context switches depends on them. Among the paths
// to a node within its layer the one with the fewest switches is kept. So the first violation found is a
// shortest one, and the best one of its layer has the fewest switches: a longer path to a known node can only
// lead to longer schedules.
//
// The machine moves from node to node over the common part of their paths, so neighbours in a layer, which
// mostly have the same parent, cost a step or two.
#include "checker/interleavings/shortest.hpp"

#include <vector>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/preemptions.hpp"
#include "checker/search/breadth_first.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

namespace {

template <Interleaving Machine>
struct InterleavingNode : BreadthFirstNode {
  Running<typename Machine::Set> running;
};

template <Interleaving Machine>
class BreadthFirst : BreadthFirstTree<Machine, InterleavingNode<Machine>> {
 public:
  using Node = InterleavingNode<Machine>;
  using Base = BreadthFirstTree<Machine, Node>;

  BreadthFirst(Machine& machine, const Search& search, const WantedEnd& wanted)
      : Base(machine, search, wanted) {}

  Shortest run() {
    Node root;
    const auto [number, known] = table_.find(machine_, way(root));
    this->keep(root, number, known);
    this->note_failures(root);
    std::size_t begin = 0;
    for (std::uint32_t depth = 0; begin < nodes_.size() && this->best_depth() > depth; ++depth) {
      const std::size_t end = nodes_.size();
      for (std::size_t i = begin; i < end; ++i) {
        if (this->limit_reached(table_.memory_used())) return this->result();
        visit(static_cast<std::uint32_t>(i));
      }
      begin = end;
    }
    return this->result();
  }

 private:
  using Base::machine_;
  using Base::nodes_;
  using Base::search_;

  void visit(std::uint32_t index) {
    this->go_to(index);
    if (!machine_.choosing().empty()) {
      const auto thread = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(thread);
      const auto low = m.value;
      const auto high = m.expected;
      for (auto value = low; value < high; ++value) {
        Node child = this->child_of(index);
        machine_.choose(thread, value);
        arrive(child);
      }
    } else if (machine_.enabled().empty()) {
      note_end(nodes_[index]);
    } else {
      extend(index);
    }
  }

  void extend(std::uint32_t index) {
    const auto todo = machine_.enabled();
    todo.for_each([&](ProcessId process) {
      Node child = this->child_of(index);
      if (!child.running.take(machine_, process, search_.options().preemption_bound)) return;
      machine_.execute(process);
      arrive(child);
    });
  }

  // The machine has just taken the step to the child; undoes it.
  void arrive(Node& child) {
    auto first = machine_.depth() - 1;
    while (machine_.step(first).continues()) --first;
    const Step& step = machine_.step(first);
    child.choice = {.type = step.type,
                    .thread = step.thread,
                    .location = step.access.location,
                    .value = step.type == StepType::choice ? step.read : 0};
    if (step.type != StepType::flush) this->count_switch(child, step.thread);
    this->note_failures(child);
    const auto [number, known] = table_.find(machine_, way(child));
    this->keep(child, number, known);
    machine_.undo();
  }

  // The part of a node's path that belongs to the node, in addition to the state.
  [[nodiscard]] const std::vector<std::uint64_t>& way(const Node& node) {
    way_.assign(1, node.last);
    if (search_.options().preemption_bound) node.running.append_to(way_, machine_);
    return way_;
  }

  // Nothing is enabled: judges the execution as a check would.
  void note_end(const Node& node) {
    Search probe(search_.image(), search_.options());
    probe.end(machine_);
    Base::note_end(node, probe);
  }

  StateTable<Machine> table_;
  std::vector<std::uint64_t> way_;  // scratch
};

}  // namespace

Shortest find_shortest(const Search& search, const WantedEnd& wanted) {
  Shortest result;
  with_machine(search,
               [&](Interleaving auto& machine) { result = BreadthFirst(machine, search, wanted).run(); });
  return result;
}

}  // namespace heddle::checker
