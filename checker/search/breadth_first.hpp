// What the two breadth-first searches for a shortest violation share (interleavings/shortest.cpp and
// commits/shortest.cpp): the tree of nodes, numbered like the states in their table, the path from one node to
// another, the best violation so far, and the limits.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checker/search/shortest.hpp"

namespace heddle::checker {

struct BreadthFirstNode {
  std::uint32_t parent = none;
  std::uint32_t depth = 0;
  std::uint32_t switches = 0;
  ThreadId last = none;  // that took the last step that counts for switches
  Choice choice;         // that led here from the parent
};

// What the tree needs of a machine. Both contracts (Interleaving, CommitMachine) include it: one names the
// steps so far `schedule`, the other `run`.
template <typename Machine>
concept KeepsSchedule = requires(const Machine& view) {
  { view.schedule() } -> std::same_as<Schedule>;
};
template <typename Machine>
concept KeepsRun = requires(const Machine& view) {
  { view.run() } -> std::same_as<Schedule>;
};
template <typename Machine>
concept Walkable = (KeepsSchedule<Machine> || KeepsRun<Machine>)&&requires(Machine& machine,
                                                                           const Machine& view,
                                                                           const Choice& choice) {
  { machine.follow(choice) } -> std::same_as<bool>;
  machine.undo();
  { *view.failures().begin() } -> std::convertible_to<const Failure&>;
  { view.depth() } -> std::same_as<std::uint32_t>;
  { view.memory_used() } -> std::convertible_to<std::uint64_t>;
};

template <Walkable Machine, std::derived_from<BreadthFirstNode> Node>
class BreadthFirstTree {
 protected:
  BreadthFirstTree(Machine& machine, const Search& search, const WantedEnd& wanted)
      : machine_(machine), search_(search), wanted_(wanted) {}

  [[nodiscard]] Node child_of(std::uint32_t index) const {
    Node child = nodes_[index];
    child.parent = index;
    ++child.depth;
    return child;
  }
  static void count_switch(Node& node, ThreadId thread) {
    if (node.last != none && node.last != thread) ++node.switches;
    node.last = thread;
  }

  // Keeps the node of a state, given its number and whether it was known: of the paths to a state within its
  // layer, the one with the fewest switches.
  void keep(const Node& node, std::uint32_t number, bool known) {
    if (!known) {
      nodes_.push_back(node);
    } else if (nodes_[number].depth == node.depth && node.switches < nodes_[number].switches) {
      nodes_[number] = node;
    }
  }

  void note_failures(const Node& node) {
    for (const Failure& failure : machine_.failures()) note(node, Search::found_by(failure));
  }
  // Nothing can happen after the node; `probe` has judged that.
  void note_end(const Node& node, const Search& probe) {
    for (const auto& violation : probe.violations()) note(node, violation);
    if (wanted_.condition && probe.satisfied()[*wanted_.condition] > 0) keep_best(node, {});
  }
  [[nodiscard]] std::uint32_t best_depth() const { return best_depth_; }

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

  void stop(std::string why) { stopped_by_ = std::move(why); }
  // `table`: bytes of the table of states. Call it at every node: the path to the next one may be long.
  [[nodiscard]] bool limit_reached(std::uint64_t table) {
    constexpr double period = 0.002;
    ++visited_;
    const double now = search_.seconds();
    if (now - looked_at_ < period) return !stopped_by_.empty();
    looked_at_ = now;
    const auto& options = search_.options();
    const auto memory = table + nodes_.capacity() * sizeof(Node) + machine_.memory_used();
    if (now > options.timeout.value_or(default_minimise_timeout)) stopped_by_ = "timeout";
    if (memory > options.max_memory.value_or(default_minimise_memory) || nodes_.size() >= none - 1)
      stopped_by_ = "memory limit";
    const Progress progress{.transitions = visited_, .depth = machine_.depth(), .seconds = now};
    if (options.progress && !options.progress(progress)) stopped_by_ = "interrupted";
    return !stopped_by_.empty();
  }

  [[nodiscard]] Shortest result() {
    Shortest result;
    result.stopped_by = stopped_by_;
    result.states = nodes_.size();
    if (best_depth_ == unlimited) return result;
    result.switches = best_switches_;
    result.found = std::move(best_);
    return result;
  }

  static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
  Machine& machine_;
  const Search& search_;
  std::vector<Node> nodes_;

 private:
  void note(const Node& node, const FoundViolation& violation) {
    if (wanted_.violation && wanted_.violation(violation)) keep_best(node, violation);
  }
  void keep_best(const Node& node, FoundViolation found) {
    if (std::pair(node.depth, node.switches) >= std::pair(best_depth_, best_switches_)) return;
    if constexpr (KeepsSchedule<Machine>) {
      found.schedule = machine_.schedule();
    } else {
      found.schedule = machine_.run();
    }
    best_depth_ = node.depth;
    best_switches_ = node.switches;
    best_ = std::move(found);
  }

  const WantedEnd& wanted_;
  std::vector<std::uint32_t> path_;    // nodes from the root to where the machine is
  std::vector<std::uint32_t> target_;  // scratch
  std::uint32_t best_depth_ = unlimited;
  std::uint32_t best_switches_ = 0;
  FoundViolation best_;
  std::uint64_t visited_ = 0;
  double looked_at_ = 0;
  std::string stopped_by_;
};

}  // namespace heddle::checker
