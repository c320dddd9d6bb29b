// Breadth-first search for a violation under POWER, layer by layer, as shortest.cpp does it for
// interleavings: a transition is a commit, and a state the set of what is committed with its parameters, in
// whatever order it was (PowerMachine::key).
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/explore/derived_end.hpp"
#include "checker/explore/derived_machines.hpp"
#include "checker/explore/shortest.hpp"

namespace heddle::checker {

namespace {

template <typename Machine>
class BreadthFirstCommits {
 public:
  BreadthFirstCommits(Machine& machine, const Search& search, std::size_t most_steps,
                      const std::function<bool(const FoundViolation&)>& wanted)
      : machine_(machine), search_(search), most_steps_(most_steps), wanted_(wanted) {}

  Shortest run() {
    Node root;
    arrive(root);
    std::size_t begin = 0;
    for (std::size_t depth = 0; begin < nodes_.size() && depth < best_.depth && depth < most_steps_;
         ++depth) {
      const std::size_t end = nodes_.size();
      for (std::size_t i = begin; i < end; ++i) {
        if (limit_reached()) return result();
        extend(static_cast<std::uint32_t>(i));
      }
      begin = end;
    }
    // The last layer has no one to extend it; its states may be ends.
    for (; begin < nodes_.size() && nodes_[begin].depth < best_.depth; ++begin) {
      if (limit_reached()) return result();
      go_to(static_cast<std::uint32_t>(begin));
      if (enabled().empty()) note_end(nodes_[begin]);
    }
    return result();
  }

 private:
  struct Node {
    std::uint32_t parent = none;
    std::uint32_t depth = 0;
    std::uint32_t switches = 0;
    ThreadId last = none;
    Choice choice;
  };
  struct Best {
    std::size_t depth = std::numeric_limits<std::size_t>::max();
    std::uint32_t switches = 0;
    FoundViolation violation;
  };

  [[nodiscard]] std::vector<EventName> enabled() {
    std::vector<EventName> names;
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) names.push_back(name);
    });
    return names;
  }

  void extend(std::uint32_t index) {
    go_to(index);
    const auto names = enabled();
    if (names.empty()) return note_end(nodes_[index]);
    for (const EventName name : names) {
      typename Machine::Prepared event;
      machine_.prepare(name, event);
      const bool choice = machine_.op(name) == jit::Op::choose;
      for (auto parameter = machine_.first_parameter(event); parameter;
           parameter = machine_.next_parameter(event, *parameter)) {
        if (machine_.full()) throw std::logic_error("internal error: a run is longer than a known one");
        const std::int64_t value = choice ? *parameter : encoded(machine_.name_of(*parameter));
        if (!machine_.commit(event, *parameter)) continue;
        Node child = nodes_[index];
        child.parent = index;
        ++child.depth;
        if (child.last != none && child.last != name.thread) ++child.switches;
        child.last = name.thread;
        child.choice = {
            .type = StepType::commit, .thread = name.thread, .location = name.index, .value = value};
        arrive(child);
        machine_.undo();
      }
    }
  }

  // The machine is at the node's state, which may be a known one.
  void arrive(const Node& node) {
    if (machine_.failed()) {
      note(node, {.kind = Search::kind_of(machine_.failed_op()),
                  .site = machine_.failed_site(),
                  .in_final = false,
                  .schedule = {}});
    }
    machine_.key(key_);
    key_ += static_cast<char>(node.last & 255U);
    const auto [place, fresh] = known_.try_emplace(key_, static_cast<std::uint32_t>(nodes_.size()));
    if (fresh) {
      bytes_ += key_.capacity() + sizeof(*place) + 2 * sizeof(void*);
      nodes_.push_back(node);
    } else if (Node& old = nodes_[place->second]; old.depth == node.depth && node.switches < old.switches) {
      old = node;
    }
  }

  // Nothing is left to be committed: what a check would say about the execution.
  void note_end(const Node& node) {
    Search probe(search_.image(), search_.options());
    DerivedEnd<Machine>(probe).finish(machine_);
    if (probe.violation()) note(node, *probe.violation());
  }

  void note(const Node& node, FoundViolation violation) {
    if (std::pair<std::size_t, std::uint32_t>(node.depth, node.switches) >=
        std::pair(best_.depth, best_.switches)) {
      return;
    }
    if (!wanted_(violation)) return;
    violation.schedule = machine_.run();
    best_ = {node.depth, node.switches, std::move(violation)};
  }

  // Takes the machine from node to node over the common part of their paths.
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
    constexpr std::uint32_t interval = 64;
    if (++visited_ % interval != 0) return false;
    const auto& options = search_.options();
    const auto memory = bytes_ + nodes_.capacity() * sizeof(Node) + machine_.memory_used();
    if (search_.seconds() > options.timeout.value_or(default_minimise_timeout)) stopped_by_ = "timeout";
    if (memory > options.max_memory.value_or(default_minimise_memory) || nodes_.size() >= none - 1)
      stopped_by_ = "memory limit";
    const Progress progress{0, 0, visited_, machine_.depth(), search_.seconds()};
    if (options.progress && !options.progress(progress)) stopped_by_ = "interrupted";
    return !stopped_by_.empty();
  }

  Shortest result() {
    Shortest result;
    result.stopped_by = stopped_by_;
    result.states = nodes_.size();
    if (best_.depth == std::numeric_limits<std::size_t>::max()) return result;
    result.switches = best_.switches;
    result.found = std::move(best_.violation);
    return result;
  }

  Machine& machine_;
  const Search& search_;
  std::size_t most_steps_;
  const std::function<bool(const FoundViolation&)>& wanted_;
  std::unordered_map<std::string, std::uint32_t> known_;  // node by state and last thread
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> path_;    // nodes from the root to where the machine is
  std::vector<std::uint32_t> target_;  // scratch
  std::string key_;                    // scratch
  std::uint64_t bytes_ = 0;
  Best best_;
  std::uint64_t visited_ = 0;
  std::string stopped_by_;
};

}  // namespace

Shortest find_shortest_commits(const Search& search, std::size_t most_steps,
                               const std::function<bool(const FoundViolation&)>& wanted) {
  Shortest result;
  with_power_machine(most_steps, search, [&](auto& machine) {
    result = BreadthFirstCommits(machine, search, most_steps, wanted).run();
  });
  return result;
}

}  // namespace heddle::checker
