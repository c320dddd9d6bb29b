// Breadth-first search for a violation, layer by layer: a layer holds the states that so many transitions and
// no fewer lead to.
//
// A node is a state together with the thread that took the last step (and, under a preemption bound, the
// preemptions so far), since what comes next costs a context switch or not depending on it. Of the ways to a
// node within its layer the one with the fewest switches is kept. That makes the first violation met the
// shortest one, and the best of its layer the one with the fewest switches: a way that reaches a node in a
// later layer than another way does can only lead to longer schedules.
//
// Nodes are numbered like the states in the table. The machine is taken from node to node over the common
// part of their paths, so neighbours in a layer, which mostly have the same parent, cost a step or two.
#include "checker/explore/shortest.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "checker/explore/algorithms.hpp"
#include "checker/explore/preemptions.hpp"
#include "checker/explore/state_table.hpp"

namespace heddle::checker {

namespace {

template <typename Machine>
class BreadthFirst {
 public:
  BreadthFirst(Machine& machine, const Search& search,
               const std::function<bool(const FoundViolation&)>& wanted)
      : machine_(machine), search_(search), wanted_(wanted) {}

  Shortest run() {
    Node root;
    static_cast<void>(table_.find(machine_, way(root)));
    nodes_.push_back(root);
    note_failure(root);
    std::size_t begin = 0;
    for (std::uint32_t depth = 0; begin < nodes_.size() && best_.depth > depth; ++depth) {
      const std::size_t end = nodes_.size();
      for (std::size_t i = begin; i < end; ++i) {
        if (limit_reached()) return result();
        visit(static_cast<std::uint32_t>(i));
      }
      begin = end;
    }
    return result();
  }

 private:
  struct Node {
    std::uint32_t parent = none;
    std::uint32_t depth = 0;
    std::uint32_t switches = 0;
    Running<typename Machine::Set> running;
    ThreadId last = none;  // who took the last step that was no flush
    Choice choice;
  };
  struct Best {
    std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t switches = 0;
    FoundViolation violation;
  };

  void visit(std::uint32_t index) {
    go_to(index);
    if (!machine_.choosing().empty()) {
      const auto thread = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(thread);
      const auto low = m.value;
      const auto high = m.expected;
      for (auto value = low; value < high; ++value) {
        Node child = child_of(index);
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
      Node child = child_of(index);
      if (!child.running.take(machine_, process, search_.options().preemption_bound)) return;
      machine_.execute(process);
      arrive(child);
    });
  }

  [[nodiscard]] Node child_of(std::uint32_t index) const {
    Node child = nodes_[index];
    child.parent = index;
    ++child.depth;
    return child;
  }

  // The machine has just taken the step to the child; takes it back.
  void arrive(Node& child) {
    const Step& step = machine_.step(machine_.depth() - 1);
    child.choice = {.type = step.type,
                    .thread = step.thread,
                    .location = step.access.location,
                    .value = step.type == StepType::choice ? step.read : 0};
    if (step.type != StepType::flush) {
      if (child.last != none && child.last != step.thread) ++child.switches;
      child.last = step.thread;
    }
    note_failure(child);
    const auto [number, known] = table_.find(machine_, way(child));
    if (!known) {
      nodes_.push_back(child);
    } else if (nodes_[number].depth == child.depth && child.switches < nodes_[number].switches) {
      nodes_[number] = child;
    }
    machine_.undo();
  }

  // What of the way to a node belongs to it beside the state.
  [[nodiscard]] const std::vector<std::uint64_t>& way(const Node& node) {
    way_.assign(1, node.last);
    if (search_.options().preemption_bound) {
      way_.push_back(node.running.preemptions);
      node.running.left_at_fence.for_each([&](ProcessId p) { way_.push_back(p); });
      way_.push_back(way_.size());
    }
    return way_;
  }

  void note_failure(const Node& node) {
    if (machine_.failed_thread() == none) return;
    note(node, {.kind = Search::kind_of(machine_.failed_op()),
                .site = machine_.failed_site(),
                .in_final = false,
                .schedule = {}});
  }

  // Nothing is enabled: what a check would say about the execution.
  void note_end(const Node& node) {
    Search probe(search_.image(), search_.options());
    probe.end(machine_);
    if (probe.violation()) note(node, *probe.violation());
  }

  void note(const Node& node, FoundViolation violation) {
    if (std::pair(node.depth, node.switches) >= std::pair(best_.depth, best_.switches)) return;
    if (!wanted_(violation)) return;
    violation.schedule = machine_.schedule();
    best_ = {node.depth, node.switches, std::move(violation)};
  }

  // Takes the machine from node `at_` to another one.
  void go_to(std::uint32_t index) {
    target_.clear();
    for (std::uint32_t i = index; nodes_[i].parent != none; i = nodes_[i].parent) target_.push_back(i);
    const auto wanted = target_.size();
    std::size_t common = 0;
    while (common < path_.size() && common < wanted && path_[common] == target_[wanted - 1 - common])
      ++common;
    for (; path_.size() > common; path_.pop_back()) machine_.undo();
    for (; common < wanted; ++common) {
      const auto next = target_[wanted - 1 - common];
      if (!machine_.follow(nodes_[next].choice))
        throw std::logic_error("internal error: a state cannot be reached again");
      path_.push_back(next);
    }
  }

  [[nodiscard]] bool limit_reached() {
    constexpr std::uint32_t interval = 256;
    if (++visited_ % interval != 0) return false;
    const auto& options = search_.options();
    const auto memory = table_.memory_used() + nodes_.capacity() * sizeof(Node) + machine_.memory_used();
    if (search_.seconds() > options.timeout.value_or(default_minimise_timeout)) stopped_by_ = "timeout";
    if (memory > options.max_memory.value_or(default_minimise_memory)) stopped_by_ = "memory limit";
    if (nodes_.size() >= none - 1) stopped_by_ = "memory limit";
    const Progress progress{0, 0, visited_, machine_.depth(), search_.seconds()};
    if (options.progress && !options.progress(progress)) stopped_by_ = "interrupted";
    return !stopped_by_.empty();
  }

  Shortest result() {
    Shortest result;
    result.stopped_by = stopped_by_;
    result.states = nodes_.size();
    if (best_.depth == std::numeric_limits<std::uint32_t>::max()) return result;
    result.switches = best_.switches;
    result.found = std::move(best_.violation);
    return result;
  }

  Machine& machine_;
  const Search& search_;
  const std::function<bool(const FoundViolation&)>& wanted_;
  StateTable<Machine> table_;
  std::vector<Node> nodes_;            // by number of their state
  std::vector<std::uint32_t> path_;    // nodes from the root to where the machine is
  std::vector<std::uint32_t> target_;  // scratch: nodes from where it goes to the root
  std::vector<std::uint64_t> way_;     // scratch
  Best best_;
  std::uint64_t visited_ = 0;
  std::string stopped_by_;
};

}  // namespace

std::optional<Shortest> find_shortest(const Search& search,
                                      const std::function<bool(const FoundViolation&)>& wanted) {
  std::optional<Shortest> result;
  with_machine(search, [&](auto& machine) { result = BreadthFirst(machine, search, wanted).run(); });
  return result;
}

}  // namespace heddle::checker
