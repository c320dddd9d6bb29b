// The interactive machine: a program under a model, taken through one execution step by step, and back.
//
//   auto machine = heddle::Machine::start(*program, {.model = "tso"});
//   for (const auto& transition : machine->transitions()) std::cout << transition.effect.action << '\n';
//   if (auto error = machine->step(0); !error.empty()) std::cout << error;
//   machine->back(1);
//
// A transition is a thread's next visible operation, a value of its `choose`, a store that leaves its buffer
// for memory, or a second look at an `await` that was false. Everything that no other thread can notice
// (local computation, a store that enters a buffer, a fence that has nothing to wait for) happens as part of
// the transition before it, as in the checks.
//
// Under POWER threads fetch ahead, and a transition is the commit of a fetched event with its parameter: the
// write that a load reads from, the place of a store in coherence order, the value of a `choose`
// (Step::commit of Transition::effect). Only commits that the model allows are transitions. There is no one
// memory: the newest write of each location in coherence order stands for it. An `await` whose loads are
// committed and whose condition was false stays where it is.
//
// Results and errors are values; nothing here throws except std::bad_alloc. A machine belongs to one thread
// at a time; machines are independent of each other.
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
  choice,     // a thread goes on with one value of its `choose`
  flush,      // the store at the head of a buffer reaches memory
  retry,      // a thread evaluates the condition of its `await` again, which holds by now
  commit,     // POWER: an event that the thread has fetched gets its source or its place
};

// What a thread or a store buffer does next.
struct Transition {
  TransitionKind kind = TransitionKind::operation;
  // What happens if it is taken now, with the values that it will read and write. Of a disabled transition:
  // what the thread waits to do.
  Step effect = {};
  std::string why = {};  // why it cannot be taken; empty if it can
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
  std::vector<ThreadEnd> threads;  // what each is about to do, its top-level locals, its store buffer
};

enum class MachineEnd : std::uint8_t {
  running,
  complete,   // all threads have finished and `final`, `forall`, `forbid` have nothing against it
  stuck,      // an assume was false or a loop bound was hit: a check would not count this execution
  deadlock,   // nothing can happen any more, though somebody waits
  violation,  // a thread, the `final` block or a condition found one
};

// Where the execution stands.
struct MachineStatus {
  MachineEnd end = MachineEnd::running;
  std::string message;  // one sentence; empty while running
  // Complete executions: each condition of the program, and whether it holds here (satisfied 0 or 1 of 1).
  std::vector<ConditionCount> conditions;
  // Violations that the same step or the same final state shows beside the one in `message`.
  std::vector<std::string> also = {};
};

// Why Machine::run stopped.
struct RunResult {
  std::size_t steps = 0;  // transitions taken
  bool reached = false;   // the thread stands at the line (without a line: it has finished)
  std::string why;        // not reached: what keeps it
};

struct MachineOptions {
  std::string model = "sc";
  std::optional<std::uint32_t> buffer_bound = {};  // entries a store buffer; models with store buffers only
  // A thread whose assertion is false goes on, as in checks with CheckOptions::keep_going.
  bool resume_after_assert = false;
};

// An expression's value in one state.
struct Value {
  std::int64_t number = 0;
  bool boolean = false;
  std::string symbol = {};                 // as in NamedValue
  [[nodiscard]] std::string text() const;  // as in NamedValue
};

class Machine {
 public:
  // Every thread stands at its first visible operation. Keeps the program's code alive.
  static Result<Machine> start(const Program& program, const MachineOptions& options = {});
  ~Machine();
  Machine(Machine&& other) noexcept;
  Machine& operator=(Machine&& other) noexcept;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const std::string& model() const;

  // What can happen now, threads first, then store buffers; the order depends on the state alone. The
  // reference holds until the machine moves.
  [[nodiscard]] const std::vector<Transition>& transitions() const;
  // What cannot happen now, and why: every thread that is held up or has ended, every store in a buffer that
  // must stay there. POWER: every fetched event that must wait, and every source and place that is forbidden.
  [[nodiscard]] std::vector<Transition> disabled() const;

  // The functions that move return an empty text, or one sentence that says why they did not; then nothing
  // has changed. Taking a step forgets the steps that were taken back before it, unless it is the same step
  // again.

  // Takes transitions()[index]; `value` replaces the value of a choice.
  [[nodiscard]] std::string step(std::size_t index, std::optional<std::int64_t> value = {});
  // Goes to the state after `depth` transitions: back, or forward again along what was taken back or loaded.
  [[nodiscard]] std::string go_to(std::size_t depth);
  // Takes back up to `count` transitions; returns how many.
  std::size_t back(std::size_t count = 1);
  // The opposite, along what was taken back or loaded.
  std::size_t forward(std::size_t count = 1);
  // Goes back to the start and makes the trace what `forward` follows. The trace must be one of this program
  // under this model; else the machine stays at the start and the sentence says at which step they part.
  [[nodiscard]] std::string load(const Trace& trace);

  // Lets one thread go on alone until its next operation stands in the line (at least one step; without a
  // line: until it has ended). Its store buffer is flushed only where it must wait for that. Stops at a
  // `choose`. At most a million steps.
  [[nodiscard]] RunResult run(std::string_view thread, std::optional<std::uint32_t> line = {});
  // Takes transitions at random, until none is left or `most` were taken. The same seed takes the same ones
  // from the same state on every machine. Returns how many.
  std::size_t random(std::uint64_t seed, std::size_t most = 10'000);

  // Transitions taken since the start, and how many more `forward` can take.
  [[nodiscard]] std::size_t depth() const;
  [[nodiscard]] std::size_t ahead() const;

  [[nodiscard]] MachineState state() const;
  [[nodiscard]] MachineStatus status() const;
  // What has happened so far, in the form of a violation's trace. After a complete execution the `final`
  // block's operations stand at its end.
  [[nodiscard]] Trace trace() const;
  // The value of an expression of the language in this state: shared variables as memory has them, locals as
  // `p.a`, params, constants. Stores in buffers are not seen. Mistakes in it are errors with a place.
  [[nodiscard]] Result<Value> evaluate(std::string_view expression) const;

  class Core;  // internal

 private:
  explicit Machine(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

[[nodiscard]] std::string_view name(MachineEnd end);

}  // namespace heddle
