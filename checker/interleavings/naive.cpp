// naive: every interleaving, without any reduction. The oracle for small programs.
//
// A depth-first walk that takes every enabled process at each state in turn. A thread at a `choose` touches
// nothing that another process could notice, so it goes first, with one branch per value.
//
// With a preemption bound k, a transition is left out if it brings back a thread whose interruption is
// preemption number k + 1 (preemptions.hpp). Flushes are free and do not change which thread is running.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/preemptions.hpp"
#include "checker/search/crew.hpp"
#include "checker/search/part.hpp"
#include "checker/search/sampling.hpp"

namespace heddle::checker {

namespace {

template <Interleaving Machine>
class Naive {
 public:
  using RunningThread = Running<typename Machine::Set>;

  struct Node {
    typename Machine::Set todo;
    ThreadId chooser = none;
    std::int64_t next_value = 0;
    std::int64_t end_value = 0;
    RunningThread running;
    std::uint32_t children = 0;  // entered so far

    [[nodiscard]] bool exhausted() const { return todo.empty() && next_value == end_value; }
  };

  Naive(Machine& machine, Search& search) : machine_(machine), search_(search) {}

  void run(const Part& part) {
    begin(part);
    search_.divide([this] { return split(nodes_, first_own_); });
    while (nodes_.size() > first_own_ && !search_.halted()) {
      if (const auto running = next_child()) {
        if (!arrive(*running)) machine_.undo();
      } else {
        nodes_.pop_back();
        if (!nodes_.empty()) machine_.undo();
      }
    }
    if (search_.halted()) search_.leave(rest_of(nodes_, first_own_));
    search_.counts.buffer_bound_flushes += machine_.forced_flushes() - flushes_before_;
    search_.note_memory(memory_used());
  }

  // -- Sampling, as SampledExploration has it.

  void begin() { made_ = false, static_cast<void>(arrive({})); }
  [[nodiscard]] std::size_t open_nodes() const { return nodes_.size(); }
  [[nodiscard]] const Node& newest() const { return nodes_.back(); }
  void reopen(const Node& node) {
    nodes_.push_back(node);
    made_ = false;
  }
  bool make_child() {
    if (search_.stopped()) return false;
    if (made_) machine_.undo();
    const auto running = next_child();
    made_ = running.has_value();
    if (made_) {
      running_ = *running;
    } else {
      nodes_.pop_back();
      made_ = !nodes_.empty();
    }
    return running.has_value();
  }
  void enter_child() { made_ = !arrive(running_); }

 private:
  // Goes to where the part begins. What is found on the way belongs to other parts. Throws NoSuchPart.
  void begin(const Part& part) {
    first_own_ = part.first_own;
    (void)arrive({});
    if (part.path.empty()) return;
    for (std::size_t position = 0; position < part.path.size(); ++position) {
      const bool last = position + 1 == part.path.size();
      if (nodes_.size() != position + 1) throw NoSuchPart();
      for (std::uint32_t child = 0; child < part.path[position]; ++child) {
        const auto running = next_child();
        if (!running) throw NoSuchPart();
        if (last || child + 1 < part.path[position]) {
          machine_.undo();
        } else if (!arrive(*running)) {
          throw NoSuchPart();
        }
      }
    }
    search_.restart();
    flushes_before_ = machine_.forced_flushes();
  }

  // Makes the newest node's next transition, unless there is none. Returns who is running then.
  std::optional<RunningThread> next_child() {
    Node& node = nodes_.back();
    RunningThread running = node.running;
    if (node.chooser != none && node.next_value < node.end_value) {
      machine_.choose(node.chooser, node.next_value++);
    } else {
      for (;; ++search_.counts.blocked_preemption_bound) {
        if (node.todo.empty()) return std::nullopt;
        const ProcessId process = first_of(node.todo);
        node.todo.erase(process);
        if (!running.take(machine_, process, search_.options().preemption_bound)) continue;
        machine_.execute(process);
        break;
      }
    }
    ++node.children;
    search_.transition(machine_.depth(), [&] { return memory_used(); });
    return running;
  }

  // Store buffers are numbered as they are first used, so the numbers depend on what was explored before. The
  // order of children must not.
  [[nodiscard]] ProcessId first_of(const typename Machine::Set& processes) {
    ProcessId first = processes.first();
    if constexpr (Machine::has_buffers) {
      if (first < machine_.thread_count()) return first;
      const auto place = [&](ProcessId process) {
        return std::pair(machine_.pending(process).location, machine_.model().of_process(process).thread);
      };
      processes.for_each([&](ProcessId process) {
        if (place(process) > place(first)) first = process;
      });
    }
    return first;
  }

  [[nodiscard]] std::uint64_t memory_used() const {
    return machine_.memory_used() + nodes_.capacity() * sizeof(Node);
  }

  // Opens the node of the state that was just reached. False if nothing can follow it: the run has ended.
  bool arrive(const RunningThread& running) {
    if (!machine_.failures().empty()) search_.failure(machine_);
    if (machine_.choosing().empty() && machine_.enabled().empty()) {
      search_.end(machine_);
      return false;
    }
    Node& node = nodes_.emplace_back();
    node.running = running;
    if (machine_.choosing().empty()) {
      node.todo = machine_.enabled();
    } else {
      node.chooser = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(node.chooser);
      node.next_value = m.value;
      node.end_value = m.expected;
    }
    return true;
  }

  Machine& machine_;
  Search& search_;
  std::vector<Node> nodes_;
  std::uint32_t first_own_ = 0;       // see Part
  std::uint64_t flushes_before_ = 0;  // on the way to the part
  RunningThread running_;             // after the child that make_child made
  bool made_ = false;                 // the newest node's child has been made and not entered
};

}  // namespace

void run_naive(Search& search) {
  (void)explore_parts(search, [](Search& mine, const Part& part) {
    with_machine(mine, waiting_options(mine),
                 [&](Interleaving auto& machine) { Naive(machine, mine).run(part); });
    return true;
  });
}

void sample_naive(Search& search, std::uint64_t seed, Samples& samples) {
  with_machine(search, waiting_options(search), [&](Interleaving auto& machine) {
    Naive exploration(machine, search);
    sample_paths(exploration, search, seed, samples);
  });
}

}  // namespace heddle::checker
