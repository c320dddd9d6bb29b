// The interactive machine: a program under a model, taken through one execution step by step, and back.
//
//   auto machine = heddle::Machine::start(*program, {.model = "tso"});
//   for (const auto& transition : machine->transitions()) std::cout << transition.effect.action << '\n';
//   if (auto done = machine->step(0); !done) std::cout << heddle::to_text(done.error());
//   machine->back(1);
//
// A transition is a thread's next visible operation, a value of its `choose`, a store that leaves its buffer
// for memory, or another evaluation of an `await` that was false. Everything that other threads cannot notice
// (local computation, a store that enters a buffer, a fence that has nothing to wait for) happens as part of
// the transition before it, as in the checks.
//
// Under out-of-order models (POWER) threads fetch ahead, and a transition is the commit of a fetched event
// with its parameter: the write that a load reads from, the place of a store in coherence order, the value of
// a `choose` (Step::commit of Transition::effect). Only commits that the model allows are transitions. There
// is no single memory: MachineState::memory has the newest write of each location in coherence order. An
// `await` whose condition was false when its loads were committed stays where it is.
//
// Results and errors are values; nothing throws except std::bad_alloc and Result::value(). A machine belongs
// to one thread at a time; machines are independent of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

enum class TransitionKind : std::uint8_t {
  operation,  // a thread's next visible operation
  choice,     // a thread takes one value of its `choose`
  flush,      // the store at the head of a buffer reaches memory
  retry,      // a thread evaluates the condition of its `await` again, which holds by now
  commit,     // out-of-order models: an event that the thread has fetched gets its source or its place
};

// What a thread or a store buffer does next.
struct Transition {
  TransitionKind kind = TransitionKind::operation;
  // The step that it takes, with the values that it will read and write. Disabled transitions: the step that
  // the thread waits to take.
  Step effect = {};
  std::string why = {};  // the reason why it cannot be taken; empty if it can
  // choice: the range of the `choose`, low <= value < high. Machine::transitions lists the first 64 values.
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct LockState {
  std::string mutex;
  std::string holder;  // name of the thread; empty: free
};

struct MachineState {
  std::vector<NamedValue> memory;  // shared variables
  std::vector<LockState> locks;
  std::vector<ThreadEnd> threads;  // each thread's next operation, top-level locals and store buffer
};

enum class MachineEnd : std::uint8_t {
  running,
  complete,   // all threads have finished, and `final`, `forall` and `forbid` hold
  stuck,      // an assume was false or a loop bound was hit: a check would count this execution as blocked
  deadlock,   // nothing can happen any more, but a thread waits
  violation,  // found by a thread, the `final` block or a condition
};

// The state of the execution as a whole.
struct MachineStatus {
  MachineEnd end = MachineEnd::running;
  std::string message;  // one sentence; empty while running
  // Complete executions: each condition of the program, and whether it holds here (satisfied 0 or 1 of 1).
  std::vector<ConditionCount> conditions;
  // Further violations of the same step or final state.
  std::vector<std::string> also = {};
};

// How far Machine::run came. Stopping before the goal is no error: the steps count.
struct RunResult {
  std::size_t steps = 0;  // transitions taken
  bool reached = false;   // the thread is at the line (without a line: it has finished)
  std::string why;        // not reached: what the thread waits for
};

struct MachineOptions {
  std::string model = "sc";
  std::optional<std::uint32_t> buffer_bound = {};  // entries a store buffer; models with store buffers only
  // Threads continue after a false assertion, as in checks with CheckOptions::keep_going.
  bool resume_after_assert = false;
};

struct TraceDetails;  // heddle/details.h

// The value of an expression in one state.
struct Value {
  std::int64_t number = 0;
  bool boolean = false;
  std::string symbol = {};                 // as in NamedValue
  [[nodiscard]] std::string text() const;  // as in NamedValue
};

class Machine {
 public:
  // At the start every thread is at its first visible operation. Keeps the program's code alive. Errors:
  // an unknown model, a buffer bound for a model without buffers, a program too large for the model's
  // machine.
  static Result<Machine> start(const Program& program, const MachineOptions& options = {});
  ~Machine();
  Machine(Machine&& other) noexcept;
  Machine& operator=(Machine&& other) noexcept;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const std::string& model() const;

  // The enabled transitions: threads first, then store buffers; the order depends on the state alone. The
  // reference is valid until the machine moves. O(1).
  [[nodiscard]] const std::vector<Transition>& transitions() const;
  // The disabled transitions, each with its reason: threads that wait or have ended, stores that must stay in
  // their buffers. Out-of-order models: fetched events that must wait, and forbidden sources and places.
  [[nodiscard]] std::vector<Transition> disabled() const;

  // On errors step(), go_to() and run() change nothing. Taking a step forgets the steps that were undone
  // before it, unless it is the first of them. Steps forward and back cost the same: a copy of one thread's
  // block, and the list of transitions.

  // Takes transitions()[index]; `value` replaces the value of a choice. Errors: no such transition, a value
  // outside of the choice's range.
  Result<void> step(std::size_t index, std::optional<std::int64_t> value = {});
  // Goes to the state after `depth` transitions: back, or forward along the steps that were undone or
  // loaded. Error: fewer are known.
  Result<void> go_to(std::size_t depth);
  // Undoes up to `count` transitions; returns how many.
  std::size_t back(std::size_t count = 1);
  // Takes up to `count` of the steps that were undone or loaded; returns how many. After the last step of a run
  // that repeats a cycle for ever comes the first of the cycle, until a bound of rounds cuts off a thread.
  std::size_t forward(std::size_t count = 1);
  // Goes back to the start and makes the trace the steps that `forward` takes. Error: the trace is none of
  // this program under this model; the message says at which step they part, and the machine stays at the
  // start.
  Result<void> load(const Trace& trace);

  // Runs one thread alone until its next operation is in the line (at least one step; without a line: until
  // it has ended), up to a `choose` or a million steps. Flushes its store buffer only where it must wait for
  // that. Error: no such thread.
  Result<RunResult> run(std::string_view thread, std::optional<std::uint32_t> line = {});
  // Takes transitions at random until none is left or `most` were taken; returns how many. Reproducible: the
  // same seed takes the same transitions from the same state, on every computer.
  std::size_t random(std::uint64_t seed, std::size_t most = 10'000);

  // Transitions taken since the start, and how many more are known.
  [[nodiscard]] std::size_t depth() const;
  [[nodiscard]] std::size_t ahead() const;
  // Whether a cycle was loaded, and nothing else was done since: then `forward` continues after the last step.
  [[nodiscard]] bool goes_round() const;

  [[nodiscard]] MachineState state() const;
  [[nodiscard]] MachineStatus status() const;
  // The steps so far, in the form of a violation's trace. After a complete execution it ends with the `final`
  // block's operations. Linear in the steps.
  [[nodiscard]] Trace trace() const;
  // The value of an expression of the language in this state, over shared variables in memory (not in store
  // buffers), locals as `p.a`, params and constants. Errors: mistakes in it, with their places.
  [[nodiscard]] Result<Value> evaluate(std::string_view expression) const;

 private:
  class Core;
  explicit Machine(std::unique_ptr<Core> core);
  friend TraceDetails details_of(const Program& program, const Trace& trace, const MachineOptions& options);
  std::unique_ptr<Core> core_;
};

[[nodiscard]] std::string_view name(MachineEnd end);

}  // namespace heddle
