// The depth-first search that `dpor` and `source` are: backtrack sets filled by races, and sleep sets.
//
// Every state on the path has a backtrack set (processes to take there), a done set and a sleep set. A race
// between a step e and the newest step says that taking the second before the first is another execution, so
// something must be added to the backtrack set of the state before e; what exactly is the algorithm's:
// `Policy::add`. Sleep sets (Godefroid) keep the processes whose next transition was explored from an earlier
// sibling; a process wakes when a step is taken that its transition depends on. A state where everything
// enabled is asleep is redundant.
//
// Locks: a lock and the unlock before it never race, the lock and the lock before that do
// (happens_before.hpp). A thread that waits for a mutex at the end of a path has not taken part in any race
// yet, so that is made up for there.
//
// A stateful algorithm (`Policy::stateful`) may end a path at a state that it knows: `Policy::prune`. Sleep
// sets do not go with that: what sleeps here may have been awake when the state was explored.
//
// A preemption bound cuts paths that sleep sets and races rely on. So with a bound there are no sleep sets,
// and each backtrack point is added a second time at the start of the block of steps that the racing thread
// ran without a switch, from where the switch costs no preemption (Coons, Musuvathi, McKinley, OOPSLA'13,
// section 4). What a switch costs also depends on whether the thread that is left must wait for a mutex,
// though that changes no order of dependent steps. So there are points at the unlock before a lock, too.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/explore/happens_before.hpp"
#include "checker/explore/preemptions.hpp"
#include "checker/explore/search.hpp"

namespace heddle::checker {

template <typename Machine, typename Policy>
class BacktrackingSearch {
 public:
  using Set = typename Machine::Set;

  struct Node {
    Set enabled;
    Set backtrack;
    Set done;
    Set sleep;
    ThreadId chooser = none;
    std::int64_t next_value = 0;
    std::int64_t end_value = 0;
    Running<Set> running;
  };

  BacktrackingSearch(Machine& machine, Search& search)
      : machine_(machine),
        search_(search),
        order_(machine),
        bounded_(search.options().preemption_bound.has_value()) {}

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const HappensBefore<Machine>& order() const { return order_; }
  [[nodiscard]] const Running<Set>& running() const { return nodes_[depth_ - 1].running; }
  [[nodiscard]] bool bounded() const { return bounded_; }
  [[nodiscard]] Counts& counts() { return search_.counts; }

  // Adds the process, or everything enabled if it is not, to the backtrack set of the state before step
  // `race`; with a preemption bound also to those of the block of steps around it.
  void add_conservatively(std::uint32_t race, ProcessId process) {
    add_process(nodes_[race], process);
    if (!bounded_) return;
    const Step& step = machine_.step(race);
    add_to_block(race, step.type == StepType::flush ? nodes_[race].running.thread : step.thread, process);
  }

  // Adds the process at the start of the block of steps that ends before `position`, in which only `thread`
  // ran: from there the switch costs no preemption. And before and behind each flush in it: what the
  // process reads or overwrites may have to be flushed first.
  void add_to_block(std::uint32_t position, ThreadId thread, ProcessId process) {
    auto start = position;
    for (; position > 0; --position) {
      const Step& before = machine_.step(position - 1);
      if (before.type == StepType::choice) continue;  // the state before it takes nothing else
      if (before.type == StepType::flush) {
        add_process(nodes_[position], process);
        add_process(nodes_[position - 1], process);
      } else if (before.thread != thread) {
        break;
      }
      start = position - 1;
    }
    add_process(nodes_[start], process);
  }

  void run() {
    arrive({}, {});
    while (depth_ > 0 && !search_.stopped()) {
      Node& node = nodes_[depth_ - 1];
      if (node.chooser != none) {
        if (node.next_value == node.end_value) {
          leave();
          continue;
        }
        machine_.choose(node.chooser, node.next_value++);
        step_taken();
        const Set sleep = node.sleep;  // `arrive` may move the nodes
        const auto running = node.running;
        arrive(sleep, running);
        continue;
      }
      const Set todo = node.backtrack - node.done - node.sleep;
      if (todo.empty()) {
        leave();
        continue;
      }
      take(node, pick(node, todo));
    }
    search_.note_memory(memory_used());
  }

 private:
  // Where preemptions are counted, prefers to go on with the running thread, or with a flush that it waits
  // for.
  [[nodiscard]] ProcessId pick(const Node& node, const Set& todo) const {
    const ThreadId running = node.running.thread;
    if (!bounded_ || running == none) return todo.first();
    if (todo.contains(running)) return running;
    if constexpr (Machine::has_buffers) {
      for (const auto index : machine_.model().owned(running)) {
        const ProcessId buffer = machine_.model().buffer(index).process;
        if (todo.contains(buffer)) return buffer;
      }
    }
    return todo.first();
  }

  void take(Node& node, ProcessId process) {
    auto running = node.running;
    const Set asleep = node.sleep | node.done;
    node.done.insert(process);
    if (bounded_ && !running.take(machine_, process, search_.options().preemption_bound)) {
      ++search_.counts.blocked_preemption_bound;
      return;
    }
    machine_.execute(process);
    step_taken();
    const auto last = machine_.depth() - 1;
    for (const auto race : order_.races()) add(race, last, process, order_.row(last));
    if (bounded_) waiting_would_be_free(last);
    if (bounded_ || Policy::stateful) return arrive({}, running);
    const Access access = machine_.step(last).access;
    const ThreadId thread = machine_.step(last).thread;
    Set sleep;
    asleep.for_each([&](ProcessId p) {
      if (p != process && independent(p, access, thread)) sleep.insert(p);
    });
    arrive(sleep, running);
  }

  // Does the next transition of a process that was enabled before the step commute with it? A thread and its
  // own buffers always do where both were enabled: the load reads the write, buffered or flushed.
  [[nodiscard]] bool independent(ProcessId process, const Access& access, ThreadId thread) {
    if (access.location == none || access.forwarded) return true;
    if constexpr (Machine::has_buffers) {
      if (process < machine_.thread_count() ? process == thread
                                            : machine_.model().of_process(process).thread == thread) {
        return true;
      }
    }
    const Access other = machine_.pending(process);
    return other.location != access.location || other.forwarded || !(other.writes || access.writes);
  }

  // Opens the node of the state that was just reached.
  void arrive(const Set& sleep, const Running<Set>& running) {
    if (!machine_.failures().empty()) search_.failure(machine_);
    if (depth_ == nodes_.size()) nodes_.emplace_back();
    Node& node = nodes_[depth_++];
    node = Node{};
    node.running = running;
    node.sleep = sleep;
    if (!machine_.choosing().empty()) {
      node.chooser = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(node.chooser);
      node.next_value = m.value;
      node.end_value = m.expected;
      return;
    }
    node.enabled = machine_.enabled();
    if constexpr (Policy::stateful) {
      if (policy_.prune(*this)) {
        ++search_.counts.runs;
        return;
      }
    }
    const Set awake = node.enabled - sleep;
    if (!awake.empty()) {
      node.backtrack.insert(pick(node, awake));
      return;
    }
    if (node.enabled.empty()) {
      search_.end(machine_);
    } else {
      ++search_.counts.runs;
      ++search_.counts.blocked_sleep_set;
    }
    waiting_locks_race();
  }

  void leave() {
    if (--depth_ == 0) return;
    order_.forget();
    machine_.undo();
  }

  void step_taken() {
    order_.record();
    search_.transition(machine_.depth(), [&] { return memory_used(); });
  }
  [[nodiscard]] std::uint64_t memory_used() const {
    return machine_.memory_used() + order_.memory_used() + policy_.memory_used() +
           nodes_.capacity() * sizeof(Node);
  }

  // Something must be taken before step `race` so that the transition of `process`, the path's step number
  // `position` with clock `row`, comes first.
  void add(std::uint32_t race, std::uint32_t position, ProcessId process, std::uint32_t row) {
    if (!bounded_) return policy_.add(machine_, order_, nodes_[race], race, position, process, row);
    add_conservatively(race, process);
  }

  // With a preemption bound, of a store buffer also its thread: what is to be flushed may not be buffered
  // yet, and the thread must do its own part without a preemption.
  void add_process(Node& node, ProcessId process) {
    if constexpr (Machine::has_buffers) {
      if (bounded_ && process >= machine_.thread_count()) {
        const ThreadId thread = machine_.model().of_process(process).thread;
        if (node.enabled.contains(thread)) node.backtrack.insert(thread);
      }
    }
    if (node.enabled.contains(process)) {
      node.backtrack.insert(process);
    } else {
      node.backtrack |= node.enabled;
    }
  }

  // With a preemption bound: had the thread that just took a mutex begun while the mutex was held, it would
  // have had to wait here, and the switch back would have cost nothing.
  void waiting_would_be_free(std::uint32_t last) {
    const Step& step = machine_.step(last);
    if (step.type != StepType::operation || step.op != jit::Op::lock) return;
    const auto release = order_.released(last);
    if (release != none && machine_.step(release).thread != step.thread)
      add_conservatively(release, step.process);
  }

  void waiting_locks_race() {
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      const auto& m = machine_.threads().mailbox(t);
      if (m.op != jit::Op::lock || machine_.memory()[m.location] == 0) continue;
      std::uint32_t row = 0;
      const auto race = order_.lock_race(t, m.location, row);
      if (race != none) add(race, machine_.depth(), t, row);
      order_.pop_row();
    }
  }

  Machine& machine_;
  Search& search_;
  HappensBefore<Machine> order_;
  std::vector<Node> nodes_;  // the first depth_ are in use: one per state on the path
  std::size_t depth_ = 0;
  bool bounded_;
  Policy policy_;
};

}  // namespace heddle::checker
