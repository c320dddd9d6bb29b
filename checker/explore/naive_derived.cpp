// naive for a derived execution model: all its runs, with partial traces that were met before not explored
// again. The oracle for small programs under POWER (paper 2, section 2).
//
// Two runs lead to the same state if they commit the same events with the same parameters, in whatever order,
// for what is fetched follows from what is committed. At each state every event that cb allows is committed
// with every parameter that the model allows.
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/execution/power_machine.hpp"
#include "checker/explore/algorithms.hpp"
#include "checker/explore/derived_end.hpp"

namespace heddle::checker {

namespace {

template <typename Machine>
class NaiveDerived {
 public:
  NaiveDerived(Machine& machine, Search& search, std::unordered_set<std::string>& visited,
               const GraphObserver& observer)
      : machine_(machine), search_(search), visited_(visited), observer_(observer), end_(search) {}

  // False if the machine is too narrow for the program.
  bool run() {
    arrive();
    while (!nodes_.empty() && !search_.stopped()) {
      Node& node = nodes_.back();
      if (!node.parameter) {
        if (!node.committed && node.next > 0) {
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
      const std::int64_t parameter = *node.parameter;
      node.parameter = machine_.next_parameter(node.event, parameter);
      if (machine_.full()) return false;
      if (!machine_.commit(node.event, parameter)) continue;
      node.committed = true;
      search_.transition(machine_.depth(), [&] {
        return machine_.memory_used() + nodes_.capacity() * sizeof(Node) + bytes_ +
               visited_.size() * (sizeof(std::string) + 2 * sizeof(void*));
      });
      arrive();
    }
    return true;
  }

 private:
  struct Node {
    std::vector<EventName> enabled;
    std::size_t next = 0;
    typename Machine::Prepared event;
    std::optional<std::int64_t> parameter;
    bool committed = true;
  };

  // Opens the node of the state that was just reached, unless it is a known one.
  void arrive() {
    if (machine_.too_many_loads()) return search_.stop("a thread with 64 loads or more in one execution");
    machine_.key(key_);
    if (!visited_.insert(key_).second) {
      ++search_.counts.revisits;
      machine_.undo();
      return;
    }
    bytes_ += key_.capacity();
    ++search_.counts.states;
    if (machine_.failed()) end_.failure(machine_);
    Node& node = nodes_.emplace_back();
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) node.enabled.push_back(name);
    });
    if (node.enabled.empty() && end_.finish(machine_) && observer_) observer_(machine_.plain_graph());
  }

  Machine& machine_;
  Search& search_;
  std::unordered_set<std::string>& visited_;
  const GraphObserver& observer_;
  DerivedEnd<Machine> end_;
  std::vector<Node> nodes_;
  std::string key_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

void run_naive_derived(Search& search) { run_naive_derived(search, {}); }

void run_naive_derived(Search& search, const GraphObserver& observer) {
  std::unordered_set<std::string> visited;
  PowerMachine<1> machine(search.image(), search.machine_options());
  if (NaiveDerived(machine, search, visited, observer).run()) return;
  search.stop("more than 64 events in one execution: too many for 'naive'");
}

}  // namespace heddle::checker
