// The two contracts of this folder: `Interleaving`, which every algorithm here is written against, and
// `OperationalModel`, which a memory model fulfils to get a machine (machine.hpp turns any model into an
// Interleaving). An algorithm names no model, and a model names no algorithm.
//
// An Interleaving is a running program under a memory model. It is in one state at a time, moves forward by
// transitions and back by `undo`. Transitions are taken by *processes*: threads are processes 0 .. T-1, store
// buffers the processes from T on, numbered in the order of their creation. A process has at most one next
// transition: a thread's next visible operation, or the flush of a buffer's oldest entry. Actions that no
// other process can notice (local computation, entering a store into a buffer, passing a fence) belong to the
// transition before them.
//
// The life of a run:
//
//   Machine machine(image, options)      threads run to their first visible operation; depth() == 0
//   loop
//     failures()                         violations that threads found in the newest step (at first: before it)
//     if !choosing().empty()             some thread is at a `choose`: it goes first, since no other process
//       choose(thread, value)            can notice it; one value of [m.value, m.expected) of its mailbox
//     else if !enabled().empty()
//       execute(process)                 of `enabled()`
//     else
//       end()                            why nothing is enabled: complete, blocked, deadlock, violation
//   undo()                               back to the state before the newest step
//
// - `execute`, `choose`, `retry` and `follow` push one Step, or several if the transition is an atomic block
//   (Step::continues), and `undo` pops them. After `undo` every query
//   answers as before the step, except that `failures()` is empty: read it before the next step. Callers must
//   not undo at depth 0.
// - `execute` takes a member of `enabled()`, `choose` a member of `choosing()`; neither checks. `follow`
//   takes a step of a saved schedule; it returns false, without a change, if that is not possible now. A
//   schedule names a buffer by its thread and location, so it replays on every machine of the same model.
// - `pending(process)` is what the transition of an enabled process would do to memory now. For a thread that
//   waits for a mutex it is the access of its lock.
// - A run is maximal when both sets are empty. `end()` may evaluate awaits again; it does not change the
//   state.
// - Steps are numbered from 0. References to steps, to `failures()`, to `enabled()` and `choosing()` are
//   valid until the next step or `undo`. Copy the sets before a loop that takes steps. Memory, mailboxes and
//   blocks change in place: references to them are valid as long as the machine.
// - With buffers, `process_count()` may grow with a step (a store of a thread to a location that it had not
//   stored to); it does not shrink with `undo`, and a process keeps its number.
//
// Costs: a step and its `undo` take O(size of the thread's block) for the snapshot plus, with buffers,
// O(buffers of the thread); a lock or unlock O(threads) more. Steps allocate nothing at depths that the
// machine has reached before. All queries are O(1) except `end`, `schedule` (O(depth)) and `await_holds`
// (runs the thread).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/interleavings/store_buffers.hpp"
#include "checker/state/ending.hpp"
#include "checker/state/rows.hpp"
#include "checker/state/step.hpp"
#include "checker/state/threads.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// What Machine needs of a memory model. Models are constructed from the numbers of threads and locations of a
// program and the bound on the entries of a buffer.
template <typename Model>
concept OperationalModel =
    std::constructible_from<Model, std::uint32_t, std::uint32_t, std::optional<std::uint32_t>> &&
    requires(const Model& view, std::uint64_t count) {
  { Model::name } -> std::convertible_to<std::string_view>;     // what users call it
  { Model::summary } -> std::convertible_to<std::string_view>;  // for `heddle list`
  requires std::same_as<decltype(Model::has_buffers), const bool>;
  // Processes now, and the most that a program with these threads and locations can have (constexpr).
  { view.processes() } -> std::same_as<ProcessId>;
  { Model::most_processes(count, count) } -> std::same_as<std::uint64_t>;
  requires(!Model::has_buffers || StoreBufferModel<Model>);
};

// An alternative of an `either` at whose choice a thread waits. If its guard is the choice of another `either`, that one's alternatives
// are alternatives of this one.
struct Alternative {
  enum class Kind : std::uint8_t {
    guarded,  // waits for an operation of its guard that depends on others
    free,     // always open: has no guard, or one that holds whatever others do, or begins in another way
    closed,   // never open: its guard does not hold, whatever others do
  };
  Kind kind = Kind::free;
  Op op = Op::choose;  // of a guarded one: the operation, as in a Mailbox
  Location location = none;
  std::int64_t expected = 0;
  std::vector<std::int64_t> choices;  // that lead to it
  std::uint32_t own_loads = 0;        // between these and that operation
};

// What algorithms may use of a machine. `has_buffers` is the one option of the contract: code about store
// buffers is under `if constexpr (Machine::has_buffers)`, and then `model()` is a StoreBufferModel.
template <typename Machine>
concept Interleaving = requires(Machine& machine, const Machine& view, ProcessId process, ThreadId thread,
                                std::int64_t value, std::uint32_t index, const Choice& choice, Rows* rows,
                                const std::byte* block, bool is_now, std::int64_t (*read)(Location)) {
  typename Machine::Set;  // of processes: BitSet
  requires std::same_as<decltype(Machine::has_buffers), const bool>;

  // The program.
  { view.image() } -> std::same_as<const Image&>;
  { view.thread_count() } -> std::same_as<ThreadId>;
  { view.process_count() } -> std::same_as<ProcessId>;

  // The state.
  { view.memory() } -> std::same_as<const std::vector<std::int64_t>&>;  // by location
  { view.threads() } -> std::same_as<const Threads&>;                   // mailboxes and blocks
  { Machine::holder(thread) } -> std::same_as<std::int64_t>;            // the value of a mutex that it holds
  { machine.block_number(thread) } -> std::same_as<std::uint32_t>;      // by content; first at depth 0
  { machine.enabled() } -> std::same_as<const typename Machine::Set&>;  // without threads at a `choose`
  { view.choosing() } -> std::same_as<const typename Machine::Set&>;
  { view.has_yet_to_choose() } -> std::same_as<bool>;
  { machine.pending(process) } -> std::same_as<Access>;
  // For programs with invariants: whether a step, or the next transition of a process, can change what they look
  // at. Two of these never commute.
  { view.has_invariants() } -> std::same_as<bool>;
  { view.is_observed(view.step(index)) } -> std::same_as<bool>;
  { view.is_observed(process, Access{}) } -> std::same_as<bool>;
  // Atomic blocks are transitions with several accesses, of which `pending` is the first one. In the middle of a block, at
  // a `choose`, nothing but that is possible; where a thread has stopped in one, nothing.
  { view.in_block() } -> std::same_as<bool>;
  { view.broken() } -> std::same_as<bool>;
  { view.begins_block(process) } -> std::same_as<bool>;
  { machine.is_local(thread) } -> std::same_as<bool>;
  { machine.enabled_but_for_blocks() } -> std::same_as<const typename Machine::Set&>;
  machine.for_each_in_block(thread, [](const Access& /*access*/) {});
  {
    machine.evaluate_block(thread, read, [](const Access& /*access*/) {})
    } -> std::same_as<bool>;
  { view.can_go_on(thread) } -> std::same_as<bool>;
  { view.waits_at_fence(thread) } -> std::same_as<bool>;
  // Threads that wait for a condition, with MachineOptions::awaits_hold: not enabled where the next operation
  // would stop them. Where nothing is enabled, `evaluate_waits` takes these operations, until they stop.
  { view.awaits(process) } -> std::same_as<bool>;
  { machine.goes_on(thread, value) } -> std::same_as<bool>;
  { machine.goes_on(thread, value, block) } -> std::same_as<bool>;
  machine.evaluate_waits();
  // With MachineOptions::choices_wait, threads also wait at the choice of an `either`. They are enabled where some alternative is
  // open, and then `take_alternative` takes their transition, not `execute`.
  { view.at_choices() } -> std::same_as<const typename Machine::Set&>;
  { view.alternatives(thread) } -> std::same_as<const std::vector<Alternative>&>;
  { view.open_alternatives(thread) } -> std::same_as<std::uint64_t>;
  { machine.pending(thread, index) } -> std::same_as<Access>;
  { machine.is_in_guard(thread) } -> std::same_as<bool>;
  { view.block_at_guard(thread, index) } -> std::same_as<const std::byte*>;
  { machine.opens(thread, block, value, is_now) } -> std::same_as<bool>;
  machine.take_alternative(thread, index);
  { view.failures() } -> std::same_as<const std::vector<Failure>&>;
  { machine.end() } -> std::same_as<RunEnd>;
  { machine.await_holds(thread, read) } -> std::same_as<bool>;
  { machine.finds_alternative(thread) } -> std::same_as<bool>;

  // Steps.
  machine.execute(process);
  machine.choose(thread, value);
  machine.retry(thread, value);
  machine.undo();
  { machine.follow(choice) } -> std::same_as<bool>;
  { view.depth() } -> std::same_as<std::uint32_t>;
  { view.step(index) } -> std::same_as<const Step&>;
  { view.schedule() } -> std::same_as<Schedule>;  // of the steps so far
  // For searches that keep the first steps elsewhere.
  Machine::add_to(std::declval<Schedule&>(), view.step(index));
  machine.forget_first(index);
  machine.take_back(std::vector<Step>{});
  machine.begin_schedules_with([](Schedule& /*schedule*/) {});

  // Rows of a trace: every operation, buffered store, flush and fence is appended from now on.
  machine.set_log(rows);
  machine.restart_with_log(rows);  // at depth 0 only: with what comes before the first transition

  // Bytes held, and how often a bounded buffer had no room.
  { view.memory_used() } -> std::convertible_to<std::uint64_t>;
  { view.forced_flushes() } -> std::same_as<std::uint64_t>;

  typename Machine::Model;
  { machine.model() } -> std::same_as<typename Machine::Model&>;
  requires(!Machine::has_buffers || StoreBufferModel<typename Machine::Model>);
};

}  // namespace heddle::checker
