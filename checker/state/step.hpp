// One executed transition: what it did, and what undoing it needs.
#pragma once

#include <cstdint>

#include "checker/state/bit_set.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

using compiler::Fence;
using compiler::Image;
using compiler::InEither;
using compiler::Mailbox;
using compiler::Op;
using compiler::Probe;
using compiler::Uncounted;

using Location = std::uint32_t;
using ThreadId = std::uint32_t;
// Of a program.
inline constexpr std::uint32_t most_threads = 256;

inline constexpr std::uint32_t none = 0xffffffff;

enum class StepType : std::uint8_t {
  operation,  // a thread's next visible operation
  flush,      // the oldest write of a store buffer reaches memory
  choice,     // a thread continues with one value of `choose`
  retry,      // a thread evaluates its `await` again, or chooses again in an `either`: see Machine::retry
  commit,     // commit machines: a fetched event becomes part of the trace; see power_machine.hpp
};

// Whether a thread is given a value that a schedule has to tell.
[[nodiscard]] constexpr bool has_value(StepType type) {
  return type == StepType::choice || type == StepType::retry;
}

// The shared-memory effect of a transition, executed or pending.
struct Access {
  Location location = none;  // `none`: touches no location (choices)
  bool reads = false;
  bool writes = false;
  // A load that its own thread's store buffer answers: memory plays no part in it.
  bool forwarded = false;
};

// Where a step is in an atomic block. The steps of a block are one transition, `execute` makes them all and `undo` undoes
// them all; or several, if the thread meets a `choose` in the block.
enum class InBlock : std::uint8_t {
  no,
  first,
  later,  // also of a choice in a block, which begins a transition
};

struct Step {
  StepType type = StepType::operation;
  Op op = Op::load;  // flush: Op::store
  Access access;
  ProcessId process = 0;
  ThreadId thread = 0;
  std::uint32_t site = 0;
  std::int64_t read = 0;     // value read; choice: the value chosen
  std::int64_t written = 0;  // value written
  // Undo: memory before, and how much of the snapshot stack and of the buffers to pop.
  std::int64_t overwritten = 0;
  std::uint32_t buffered = 0;  // entries that the thread buffered after the operation
  std::uint32_t entry = none;  // flush: index of the flushed entry; forwarded load: the entry read
  std::uint32_t previous_forward = none;
  std::uint32_t barrier_before = 0;
  bool resumed = false;       // the thread ran: its block was saved; not if the step continues another one
  bool passed_fence = false;  // the thread went past a full fence after the operation
  InBlock block = InBlock::no;
  bool discarded = false;     // a read-modify-write whose result is not used
  bool local = false;         // on a location of the thread's own, made as part of the transition before
  bool after_choice = false;  // of a guard, made together with the choice of its alternative

  // Whether a step of an atomic block came before it in the same transition. A schedule names the first one only.
  [[nodiscard]] bool continues_block() const { return block == InBlock::later && type != StepType::choice; }
  // Whether it belongs to the transition of the step before it.
  [[nodiscard]] bool continues() const { return local || after_choice || continues_block(); }
};

// What a read-modify-write writes, if it does.
[[nodiscard]] inline std::int64_t modified(Op op, std::int64_t old, std::int64_t operand) {
  const auto a = static_cast<std::uint64_t>(old);
  const auto b = static_cast<std::uint64_t>(operand);
  switch (op) {
    case Op::fetch_add:
    case Op::add_if_equal:
    case Op::add_if_at_least:
    case Op::add_if_at_most: return static_cast<std::int64_t>(a + b);
    case Op::fetch_sub: return static_cast<std::int64_t>(a - b);
    case Op::fetch_and: return static_cast<std::int64_t>(a & b);
    case Op::fetch_or: return static_cast<std::int64_t>(a | b);
    case Op::fetch_xor: return static_cast<std::int64_t>(a ^ b);
    case Op::fetch_max: return old > operand ? old : operand;
    case Op::fetch_min: return old < operand ? old : operand;
    default: return operand;  // exchange, exchange_if_equal, compare_exchange
  }
}

// Whether the operation writes if it reads `value`.
[[nodiscard]] inline bool would_write(Op op, std::int64_t expected, std::int64_t value) {
  switch (op) {
    case Op::load: return false;
    case Op::compare_exchange:
    case Op::exchange_if_equal:
    case Op::add_if_equal: return value == expected;
    case Op::add_if_at_least: return value >= expected;
    case Op::add_if_at_most: return value <= expected;
    case Op::lock:
    case Op::try_lock: return value == 0;
    default: return true;
  }
}

// What an operation of the thread that reads does with the value read.
struct ReadEffect {
  bool writes = false;
  std::int64_t written = 0;
  std::int64_t result = 0;  // what the thread is told
};
[[nodiscard]] inline ReadEffect effect_of_reading(Op op, std::int64_t read, std::int64_t operand,
                                                  std::int64_t expected, ThreadId thread) {
  const bool writes = would_write(op, expected, read);
  if (op == Op::lock || op == Op::try_lock)
    return {.writes = writes, .written = writes ? std::int64_t{thread} + 1 : 0, .result = writes};
  return {.writes = writes, .written = writes ? modified(op, read, operand) : 0, .result = read};
}

// Of a thread that has just read something: whether it is at an `await` that has failed because of it, so that another value
// might have let it pass; and whether it is there, at a failed assumption, or at the end of an idle round. `standing`: the
// request at which it is, as in a Mailbox.
[[nodiscard]] inline bool fails_to_await(const auto& standing) {
  return standing.op == Op::await_failed && (standing.expected & compiler::failed_without_load) == 0;
}
[[nodiscard]] inline bool fails_at_once(const compiler::Mailbox& m) {
  return fails_to_await(m) || m.op == Op::assume_failed || m.op == Op::idle_round;
}

[[nodiscard]] inline bool is_read_modify_write(Op op) {
  return op >= Op::exchange && op <= Op::add_if_at_most;
}

[[nodiscard]] inline bool is_of_mutex(Op op) { return op >= Op::lock && op <= Op::try_lock; }

// Operations by which a thread reports a violation that it has found itself.
[[nodiscard]] inline bool is_failure(Op op) { return op >= Op::assert_failed && op <= Op::empty_choice; }

// Two conflicting accesses to a plain location that nothing orders.
struct RacingAccess {
  ThreadId thread = none;
  std::uint32_t site = none;
  bool writes = false;
  friend bool operator==(const RacingAccess&, const RacingAccess&) = default;
};
struct DataRace {
  Location location = none;  // `none`: no race
  RacingAccess first;        // the one with the smaller site, or the smaller thread at the same site
  RacingAccess second;
  friend bool operator==(const DataRace&, const DataRace&) = default;
};
[[nodiscard]] inline DataRace make_race(Location location, RacingAccess a, RacingAccess b) {
  const bool in_order = a.site != b.site ? a.site < b.site : a.thread < b.thread;
  return in_order ? DataRace{location, a, b} : DataRace{location, b, a};
}

// A violation that a thread found itself; or a race of two threads, which has no op and no site; or an invariant
// that does not hold, which has its site.
struct Failure {
  ThreadId thread = 0;
  Op op = Op::done;
  std::uint32_t site = none;
  DataRace race = {};
  [[nodiscard]] bool is_race() const { return race.location != none; }
  [[nodiscard]] bool is_invariant() const { return op == Op::done && !is_race(); }
};

}  // namespace heddle::checker
