// What the backtracking search keeps about threads that wait at the choice of an `either` (MachineOptions::choices_wait).
//
// The next transition of such a thread is one of several, each of which reads what its guard reads, and is enabled where that lets the thread
// continue. Where the search takes the thread, it takes all that are open and do not sleep. So:
// - Alternatives sleep and wake one by one. The thread sleeps where all that are open do.
// - An alternative that was closed where another one was taken would have been taken later, or earlier. So a write that would have opened
//   it races with the choice; and where the thread takes an alternative, each closed one takes part in the race of an await
//   (head of backtracking.hpp), as it does at the end of a path.
// - One that slept there was taken before, but not after what would wake it. So that races with the choice, too.
// docs/algorithms.md, "Alternatives in interleavings", has the argument.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/interleavings/interleaving.hpp"

namespace heddle::checker {

template <Interleaving Machine>
class ChoicesOnPath {
 public:
  explicit ChoicesOnPath(Machine& machine) : machine_(machine), asleep_(machine.thread_count()) {}

  // -- Sleep. By depth of a state: which alternatives sleep there. Those of the next state are made from those of the one before it,
  // while `asleep_` has them.

  // The search is to take a step from the state. `asleep`: the processes that sleep during it.
  template <typename Set>
  void begin_step(std::uint32_t depth, const Set& asleep) {
    machine_.at_choices().for_each([&](ThreadId t) {
      const Alternatives& at = state(depth, t);
      asleep_[t] = asleep.contains(t) ? at.open : at.asleep;
    });
  }
  // The thread has made a step.
  void stepped(ThreadId thread) { asleep_[thread] = 0; }
  // Wakes the alternatives of other threads for which `commutes(thread, alternative)` is false.
  template <typename Commutes>
  void wake(Commutes&& commutes) {
    machine_.at_choices().for_each([&](ThreadId t) {
      for (auto left = asleep_[t]; left != 0; left &= left - 1) {
        const auto alternative = static_cast<std::uint32_t>(std::countr_zero(left));
        if (!commutes(t, alternative)) asleep_[t] &= ~bit(alternative);
      }
    });
  }
  // The search has come to the state. Adds the threads to `sleep` that sleep.
  template <typename Set>
  void arrive(std::uint32_t depth, Set& sleep) {
    for (ThreadId t = 0; t < asleep_.size(); ++t) state(depth, t) = {};
    machine_.at_choices().for_each([&](ThreadId t) {
      Alternatives& at = state(depth, t);
      at.open = machine_.open_alternatives(t);
      at.asleep = asleep_[t] & at.open;
      sleep.assign(t, at.open != 0 && at.asleep == at.open);
    });
  }
  // The open alternatives that sleep, as bits.
  [[nodiscard]] std::uint64_t asleep(std::uint32_t depth, ThreadId thread) {
    return state(depth, thread).asleep;
  }
  // Wakes all of the thread but these.
  void wake_others(std::uint32_t depth, ThreadId thread, std::uint64_t asleep) {
    state(depth, thread).asleep &= asleep;
  }
  // The open alternatives that are awake, as bits.
  [[nodiscard]] std::uint64_t awake(std::uint32_t depth, ThreadId thread) {
    const Alternatives& at = state(depth, thread);
    return at.open & ~at.asleep;
  }
  // A state at a `choose`, of which the next states are made.
  void keep(std::uint32_t depth) {
    machine_.at_choices().for_each([&](ThreadId t) { state(depth, t) = {.open = 0, .asleep = asleep_[t]}; });
  }
  void continue_from(std::uint32_t depth) {
    machine_.at_choices().for_each([&](ThreadId t) { asleep_[t] = state(depth, t).asleep; });
  }

  // -- Closed alternatives.

  // An alternative with a guard that was closed, or slept, where its thread took another one.
  struct Closed {
    std::uint32_t position = 0;  // of the choice
    ThreadId thread = 0;
    Location location = none;
    bool drains = false;          // whether it would have had to wait for buffers of the thread
    bool wakes_at_reads = false;  // whether it slept, and writes
    std::size_t block = 0;        // where `blocks_` has Machine::block_at_guard
  };

  // The thread is about to take an alternative, by the step at `position`.
  void take(ThreadId thread, std::uint32_t position) {
    const std::uint64_t open = machine_.open_alternatives(thread);
    const std::uint64_t taken = awake(position, thread);
    const auto& alternatives = machine_.alternatives(thread);
    for (std::uint32_t i = 0; i < alternatives.size(); ++i) {
      if (is_open(taken, i) || alternatives[i].kind != Alternative::Kind::guarded) continue;
      closed_.push_back({.position = position,
                         .thread = thread,
                         .location = alternatives[i].location,
                         .drains = !can_look(thread, alternatives[i]),
                         .wakes_at_reads = is_open(open, i) && alternatives[i].op != Op::load,
                         .block = blocks_.size()});
      const std::byte* const block = machine_.block_at_guard(thread, i);
      blocks_.insert(blocks_.end(), block, block + machine_.threads().size(thread));
    }
  }
  // The path has this depth again.
  void forget(std::uint32_t depth) {
    while (!closed_.empty() && closed_.back().position >= depth) {
      blocks_.resize(closed_.back().block);
      closed_.pop_back();
    }
  }
  [[nodiscard]] const std::vector<Closed>& closed() const { return closed_; }
  // Whether the step could have opened it, or have woken it.
  [[nodiscard]] bool could_open(const Closed& closed, const Step& step) {
    if (step.thread == closed.thread) return closed.drains && step.type == StepType::flush;
    if (step.access.location != closed.location || step.access.forwarded) return false;
    if (!step.access.writes) return closed.wakes_at_reads;
    return machine_.opens(closed.thread, blocks_.data() + closed.block, step.written, false);
  }

  // Calls `visit(alternative, guard)` for each closed alternative of a thread that waits, whose guard it could look at.
  template <typename Visit>
  void for_each_closed(ThreadId thread, Visit&& visit) {
    const std::uint64_t open = machine_.open_alternatives(thread);
    const auto& alternatives = machine_.alternatives(thread);
    for (std::uint32_t i = 0; i < alternatives.size(); ++i) {
      const Alternative& it = alternatives[i];
      if (!is_open(open, i) && it.kind == Alternative::Kind::guarded && can_look(thread, it)) visit(i, it);
    }
  }

  [[nodiscard]] std::size_t memory_used() const {
    return states_.capacity() * sizeof(Alternatives) + closed_.capacity() * sizeof(Closed) +
           blocks_.capacity();
  }

 private:
  struct Alternatives {  // as bits
    std::uint64_t open = 0;
    std::uint64_t asleep = 0;
  };
  [[nodiscard]] Alternatives& state(std::uint32_t depth, ThreadId thread) {
    const std::size_t index = std::size_t{depth} * asleep_.size() + thread;
    if (index >= states_.size()) states_.resize(2 * (index + 1));
    return states_[index];
  }
  [[nodiscard]] static constexpr std::uint64_t bit(std::uint32_t alternative) {
    return std::uint64_t{1} << alternative;
  }
  [[nodiscard]] static bool is_open(std::uint64_t open, std::uint32_t alternative) {
    return (open & bit(alternative)) != 0;
  }
  [[nodiscard]] bool can_look(ThreadId thread, const Alternative& alternative) {
    if constexpr (Machine::has_buffers) return alternative.op == Op::load || machine_.model().drained(thread);
    return true;
  }

  Machine& machine_;
  std::vector<std::uint64_t> asleep_;  // by thread
  std::vector<Alternatives> states_;   // by depth and thread
  std::vector<Closed> closed_;         // of the path
  std::vector<std::byte> blocks_;
};

}  // namespace heddle::checker
