// naive: every interleaving, without any reduction. The oracle for small programs.
//
// A depth-first walk that takes every enabled process at each state in turn. A thread at a `choose` touches
// nothing that another process could notice, so it goes first, with one branch per value.
//
// With a preemption bound k, a transition is left out if it brings back a thread whose interruption is
// preemption number k + 1 (preemptions.hpp). Flushes are free and do not change which thread is running.
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/preemptions.hpp"

namespace heddle::checker {

namespace {

template <Interleaving Machine>
class Naive {
 public:
  Naive(Machine& machine, Search& search) : machine_(machine), search_(search) {}

  void run() {
    arrive({});
    while (!nodes_.empty() && !search_.stopped()) {
      Node& node = nodes_.back();
      auto running = node.running;
      if (node.chooser != none && node.next_value < node.end_value) {
        machine_.choose(node.chooser, node.next_value++);
      } else if (!node.todo.empty()) {
        const auto process = node.todo.first();
        node.todo.erase(process);
        if (!running.take(machine_, process, search_.options().preemption_bound)) {
          ++search_.counts.blocked_preemption_bound;
          continue;
        }
        machine_.execute(process);
      } else {
        nodes_.pop_back();
        if (!nodes_.empty()) machine_.undo();
        continue;
      }
      search_.transition(machine_.depth(), [&] { return memory_used(); });
      arrive(running);
    }
    search_.note_memory(memory_used());
  }

 private:
  struct Node {
    typename Machine::Set todo;
    ThreadId chooser = none;
    std::int64_t next_value = 0;
    std::int64_t end_value = 0;
    Running<typename Machine::Set> running;
  };

  [[nodiscard]] std::uint64_t memory_used() const {
    return machine_.memory_used() + nodes_.capacity() * sizeof(Node);
  }

  // Opens the node of the state that was just reached.
  void arrive(const Running<typename Machine::Set>& running) {
    if (!machine_.failures().empty()) search_.failure(machine_);
    Node& node = nodes_.emplace_back();
    node.running = running;
    if (!machine_.choosing().empty()) {
      node.chooser = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(node.chooser);
      node.next_value = m.value;
      node.end_value = m.expected;
    } else if (machine_.enabled().empty()) {
      search_.end(machine_);
    } else {
      node.todo = machine_.enabled();
    }
  }

  Machine& machine_;
  Search& search_;
  std::vector<Node> nodes_;
};

}  // namespace

void run_naive(Search& search) {
  explore(search, [&](Interleaving auto& machine) { Naive(machine, search).run(); });
}

}  // namespace heddle::checker
