// Breadth-first search for a violation under POWER, layer by layer, as interleavings/shortest.cpp does for
// interleavings: a transition is a commit, and a state is the set of committed events with their parameters,
// in whatever order (PowerMachine::key). A preemption bound cuts states as in naive.
#include "checker/commits/shortest.hpp"

#include <stdexcept>
#include <vector>

#include "checker/commits/machines.hpp"
#include "checker/commits/preemption_bounded.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/search/breadth_first.hpp"
#include "checker/state/sequence_table.hpp"

namespace heddle::checker {

namespace {

template <typename Machine>
class BreadthFirstCommits : BreadthFirstTree<Machine, BreadthFirstNode> {
 public:
  using Node = BreadthFirstNode;
  using Base = BreadthFirstTree<Machine, Node>;

  BreadthFirstCommits(Machine& machine, const Search& search, std::size_t most_steps, const WantedEnd& wanted)
      : Base(machine, search, wanted), most_steps_(most_steps) {}

  Shortest run() {
    Node root;
    arrive(root);
    std::size_t begin = 0;
    for (std::uint32_t depth = 0; begin < nodes_.size() && depth < this->best_depth() && depth < most_steps_;
         ++depth) {
      const std::size_t end = nodes_.size();
      for (std::size_t i = begin; i < end; ++i) {
        if (this->limit_reached(known_.memory_used())) return this->result();
        extend(static_cast<std::uint32_t>(i));
      }
      begin = end;
    }
    // The last layer is not extended; its states may be ends.
    for (; begin < nodes_.size() && nodes_[begin].depth < this->best_depth(); ++begin) {
      if (this->limit_reached(known_.memory_used())) return this->result();
      this->go_to(static_cast<std::uint32_t>(begin));
      if (enabled().empty()) note_end(nodes_[begin]);
    }
    return this->result();
  }

 private:
  using Base::machine_;
  using Base::nodes_;
  using Base::search_;

  [[nodiscard]] std::vector<EventName> enabled() {
    std::vector<EventName> names;
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) names.push_back(name);
    });
    return names;
  }

  void extend(std::uint32_t index) {
    this->go_to(index);
    const auto names = enabled();
    if (names.empty()) return note_end(nodes_[index]);
    for (const EventName name : names) {
      typename Machine::Prepared event;
      machine_.prepare(name, event);
      const bool choice = machine_.op(name) == Op::choose;
      for (auto parameter = machine_.first_parameter(event); parameter;
           parameter = machine_.next_parameter(event, *parameter)) {
        if (event.conditional && *parameter == dropped) break;
        if (machine_.full()) throw std::logic_error("internal error: a run is longer than a known one");
        const std::int64_t value = choice ? *parameter : encoded(machine_.name_of(*parameter));
        if (!machine_.commit(event, *parameter)) continue;
        if (!machine_.within_bound()) {
          machine_.undo();
          continue;
        }
        if (machine_.limit().empty()) {
          Node child = this->child_of(index);
          this->count_switch(child, name.thread);
          child.choice = {
              .type = StepType::commit, .thread = name.thread, .location = name.index, .value = value};
          arrive(child);
        } else {
          this->stop(std::string(machine_.limit()));
        }
        machine_.undo();
      }
    }
  }

  // The machine is in the node's state, which may be known; the thread that went last is part of it.
  void arrive(const Node& node) {
    this->note_failures(node);
    machine_.key(key_);
    key_.push_back(node.last);
    const auto [number, known] = known_.insert(key_);
    this->keep(node, number, known);
  }

  // Nothing is left to commit: counts the execution as a check would.
  void note_end(const Node& node) {
    Search probe(search_.image(), search_.options());
    RunEnds<Machine>(probe).finish(machine_);
    Base::note_end(node, probe);
  }

  std::size_t most_steps_;
  SequenceTable known_;
  std::vector<std::uint64_t> key_;  // scratch
};

}  // namespace

Shortest find_shortest_commits(const Search& search, std::size_t most_steps, const WantedEnd& wanted) {
  Shortest result;
  with_power_machine<PreemptionBounded>(most_steps, search, [&](auto& machine) {
    result = BreadthFirstCommits(machine, search, most_steps, wanted).run();
  });
  return result;
}

}  // namespace heddle::checker
