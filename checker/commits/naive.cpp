// naive for a derived execution model: all its runs, with partial traces that were met before not explored
// again. The oracle for small programs under POWER (paper 2, section 2).
//
// Two runs lead to the same state if they commit the same events with the same parameters, in whatever order,
// for what is fetched follows from what is committed. At each state every event that cb allows is committed
// with every parameter that the model allows.
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

namespace {

// A state's node, as far as it does not depend on the machine's width.
struct Frame {
  std::vector<EventName> enabled;
  std::size_t next = 0;
  std::optional<std::int64_t> parameter;  // of enabled[next - 1]
  bool committed = true;                  // enabled[next - 1], with some parameter
};

template <typename Machine>
class NaiveDerived {
 public:
  using MachineType = Machine;
  template <typename Wider>
  using On = NaiveDerived<Wider>;
  static constexpr unsigned next_width = Machine::next_width;

  NaiveDerived(Machine& machine, Search& search, SequenceTable& visited, const GraphObserver& observer)
      : machine_(machine), search_(search), visited_(visited), observer_(observer), end_(search) {}

  // Goes on where a search on a narrower machine stopped.
  template <typename Narrower>
  NaiveDerived(Machine& machine, NaiveDerived<Narrower>&& other)
      : NaiveDerived(machine, other.search_, other.visited_, other.observer_) {
    RunAgain again(machine_, other.machine_.run());
    for (std::uint32_t depth = 0; depth < other.nodes_.size(); ++depth) {
      again.to(depth);
      Node& node = nodes_.emplace_back();
      static_cast<Frame&>(node) = std::move(static_cast<Frame&>(other.nodes_[depth]));
      if (node.next == 0) continue;
      const EventName name = node.enabled[node.next - 1];
      machine_.prepare(name, node.event);
      if (node.parameter) node.parameter = translated(other.machine_, machine_, name, *node.parameter);
    }
    other.nodes_ = {};
  }

  // False if the machine is too narrow for the program; then a wider one may go on.
  bool run() {
    if (nodes_.empty()) arrive();
    while (!nodes_.empty() && !search_.stopped()) {
      Node& node = nodes_.back();
      if (!node.parameter) {
        if (!node.committed && node.next > 0) {
          // The place of the store of a read-modify-write is gone: nothing complete comes from here.
          if (node.event.conditional) {
            ++search_.counts.blocked_race;
            ++search_.counts.runs;
            node.next = node.enabled.size();
            node.committed = true;
            continue;
          }
          throw std::logic_error("internal error: an event that can be committed has no parameter");
        }
        if (node.next == node.enabled.size()) {
          nodes_.pop_back();
          if (!nodes_.empty()) machine_.undo();
          continue;
        }
        machine_.prepare(node.enabled[node.next++], node.event);
        node.parameter = machine_.first_parameter(node.event);
        node.committed = false;
        continue;
      }
      if (machine_.full()) return false;
      const std::int64_t parameter = *node.parameter;
      node.parameter = node.event.conditional ? std::nullopt : machine_.next_parameter(node.event, parameter);
      if (!machine_.commit(node.event, parameter)) continue;
      node.committed = true;
      search_.transition(machine_.depth(), [&] { return memory_used(); });
      arrive();
    }
    search_.note_memory(memory_used());
    return true;
  }

 private:
  template <typename>
  friend class NaiveDerived;
  struct Node : Frame {
    typename Machine::Prepared event;
  };

  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t bytes = machine_.memory_used() + nodes_.capacity() * sizeof(Node) + visited_.memory_used();
    for (const Node& node : nodes_) bytes += node.enabled.capacity() * sizeof(EventName);
    return bytes;
  }

  // Opens the node of the state that was just reached, unless it is a known one.
  void arrive() {
    stop_at_limits(machine_, search_);
    if (search_.stopped()) return;
    machine_.key(key_);
    if (visited_.insert(key_).known) {
      ++search_.counts.revisits;
      machine_.undo();
      return;
    }
    ++search_.counts.states;
    if (!machine_.failures().empty()) end_.failure(machine_);
    Node& node = nodes_.emplace_back();
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) node.enabled.push_back(name);
    });
    if (node.enabled.empty() && end_.finish(machine_) && observer_) observer_(machine_.plain_graph());
  }

  Machine& machine_;
  Search& search_;
  SequenceTable& visited_;  // of the whole search
  const GraphObserver& observer_;
  DerivedEnd<Machine> end_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> key_;
};

}  // namespace

void run_naive_derived(Search& search, const GraphObserver& observer) {
  SequenceTable visited;
  PowerMachine<1> machine(search.image(), search.machine_options());
  NaiveDerived naive(machine, search, visited, observer);
  run_widening(naive, search);
}

}  // namespace heddle::checker
