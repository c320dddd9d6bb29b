// The operational machine: a program's state under a store-buffer model, stepped forward and undone in place.
// interleaving.hpp has the contract.
//
// Everything a thread does that no other process can notice happens at once, as part of the transition before
// it: local computation, entering a store into a buffer, passing a fence. So a fence is never a transition;
// the thread just cannot continue until its buffers are empty.
//
// `execute` pushes one Step with what undoing needs (the memory cell, the thread's block, the buffer
// entries), and `undo` pops it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/interleavings/interleaving.hpp"
#include "checker/interleavings/lookers.hpp"
#include "checker/interleavings/pending_races.hpp"
#include "checker/interleavings/sharing.hpp"
#include "checker/interleavings/updates.hpp"
#include "checker/search/data_races.hpp"
#include "checker/state/ending.hpp"
#include "checker/state/last_look.hpp"
#include "checker/state/machine_options.hpp"
#include "checker/state/rows.hpp"
#include "checker/state/step.hpp"
#include "checker/state/threads.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// `Words` is the width of its sets of processes: see with_width().
template <OperationalModel MemoryModel, unsigned Words>
class Machine {
 public:
  using Model = MemoryModel;
  using Set = BitSet<Words>;
  static constexpr bool has_buffers = Model::has_buffers;

  Machine(const Image& image, const MachineOptions& options)
      : image_(image),
        options_(options),
        notes_use_(options.sharing != nullptr ? options.sharing : options.sharing_of_guards),
        waits_at_assumptions_(options.assumptions_hold &&
                              std::all_of(image.invariants.begin(), image.invariants.end(),
                                          [](const auto& invariant) { return invariant.threads.empty(); })),
        threads_(image),
        model_(threads_.count(), static_cast<std::uint32_t>(image.locations.size()), options.buffer_bound),
        choices_(options.choices_wait ? threads_.count() : 0),
        lookers_(threads_.count()) {
    for (const auto& location : image.locations) memory_.push_back(location.initial);
    if (threads_.count() > Set::capacity) throw std::logic_error("internal error: too many threads");
    Step initial;
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      threads_.start(t, image.threads[t]);
      settle(t, initial);
    }
    watch();
  }

  [[nodiscard]] ThreadId thread_count() const { return threads_.count(); }
  [[nodiscard]] ProcessId process_count() const { return model_.processes(); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] const Step& step(std::uint32_t index) const { return steps_[index]; }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<std::int64_t>& memory() const { return memory_; }
  [[nodiscard]] const Threads& threads() const { return threads_; }
  // Blocks with equal bytes have equal numbers, of all threads. The first call comes at depth 0; from then
  // on the machine keeps each block that it has been in, but each only once.
  [[nodiscard]] std::uint32_t block_number(ThreadId thread) { return threads_.number(thread); }
  // The value of a mutex that the thread holds.
  [[nodiscard]] static std::int64_t holder(ThreadId thread) { return std::int64_t{thread} + 1; }
  [[nodiscard]] const Image& image() const { return image_; }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Model& model() { return model_; }
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes =
        threads_.memory_used() + steps_.capacity() * sizeof(Step) + memory_.capacity() * sizeof(std::int64_t);
    if constexpr (has_buffers) bytes += model_.memory_used();
    return bytes;
  }

  // Processes that can take their next transition. Threads at a `choose` are not among them: see `choosing`.
  [[nodiscard]] const Set& enabled() { return alone_.empty() ? enabled_but_for_blocks() : nobody_; }
  // Threads whose next operation is a `choose`. It touches nothing shared, so a search takes it first.
  [[nodiscard]] const Set& choosing() const {
    return alone_.empty() ? choosing_ : broken_ ? nobody_ : alone_;
  }
  // Whether a thread is at a `choose` in the middle of an atomic block: then nothing else is possible. And what would be
  // enabled if it were not.
  [[nodiscard]] bool in_block() const { return !alone_.empty() && !broken_; }
  // Whether a thread has stopped in the middle of an atomic block, by an assumption, a bound or a violation. As the
  // block is one step, this is no state of the program: the run ends here.
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const Set& enabled_but_for_blocks() {
    if (!stale_.empty()) [[unlikely]]
      look_again();
    return enabled_;
  }
  // True if the thread could take its next operation, possibly after flushes of its own buffers.
  [[nodiscard]] bool can_go_on(ThreadId thread) const {
    const auto& m = threads_.mailbox(thread);
    switch (m.op) {
      case Op::load:
      case Op::try_lock: return true;
      case Op::store:
        if constexpr (has_buffers) return m.in_atomic != 0 || !model_.buffers_stores();
        return true;
      case Op::lock: return memory_[m.location] == 0;
      // A thread that unlocks a mutex that it does not hold has failed and stays there.
      case Op::unlock: return memory_[m.location] == holder(thread);
      default: return is_read_modify_write(m.op);
    }
  }
  // True if the thread's next operation belongs to an await, or comes before an assumption, and can be taken only where it
  // does not stop the thread.
  [[nodiscard]] bool awaits(ProcessId process) const { return waiting_.contains(process); }
  // Whether a thread that awaits something would continue if its next operation read this value. `block`: the thread's, as it
  // was at that operation; without it, as it is.
  [[nodiscard]] bool goes_on(ThreadId thread, std::int64_t value, const std::byte* block = nullptr) {
    auto& m = threads_.mailbox(thread);
    const Threads::Trial trial(threads_, image_, thread);
    if (block != nullptr) copy_block(threads_.block(thread), block, threads_.size(thread));
    m.value = effect_of_reading(m.op, value, m.value, m.expected, thread).result;
    compiler::resume(threads_.block(thread));
    // (Then it continues at once, until it depends on others again, or has passed the condition and comes to another one.)
    while (options_.sharing != nullptr && m.in_await != 0 && m.expected == 0 && loads_own(thread)) {
      lookers_.add(thread, m.location);  // a search that is wrong must see no deadlock where there is none
      m.value = seen(thread, m.location);
      compiler::resume(threads_.block(thread));
    }
    return !fails_at_once(m);
  }
  // With MachineOptions::choices_wait: threads at the choice of an `either`, of which some are enabled. They are among
  // those that await something. (waiting_choices.hpp has the functions.)
  [[nodiscard]] const Set& at_choices() const { return at_choices_; }
  [[nodiscard]] const std::vector<Alternative>& alternatives(ThreadId thread) const {
    return choices_[thread].alternatives;
  }
  // The numbers, as bits, of the alternatives that the thread can take now. Valid after `enabled()`.
  [[nodiscard]] std::uint64_t open_alternatives(ThreadId thread) const { return choices_[thread].open; }
  // Whether the thread, which waited at a choice, is at an operation of a guard that depends on others.
  [[nodiscard]] bool is_in_guard(ThreadId thread) { return is_at_guard(thread) && !is_at_own_guard(thread); }
  // What the operation at which the alternative waits would do now, as `pending`.
  [[nodiscard]] Access pending(ThreadId thread, std::uint32_t alternative);
  // The block that the thread would have before that operation.
  [[nodiscard]] const std::byte* block_at_guard(ThreadId thread, std::uint32_t alternative) const {
    return choices_[thread].blocks.data() + alternative * threads_.size(thread);
  }
  // Whether the thread with this block passes the operation, if that reads this value. `is_now`: whether what the thread itself has
  // written is what it was then; else it passes if it may.
  [[nodiscard]] bool opens(ThreadId thread, const std::byte* block_at_guard, std::int64_t value, bool is_now);
  // Takes an open alternative: one transition up to what follows the operation.
  void take_alternative(ThreadId thread, std::uint32_t alternative);

  // Where nothing is enabled: the threads that still await something look, load by load, and stop.
  void evaluate_waits() {
    if (broken_) return;
    const Set waiting = waiting_;
    waiting.for_each([&](ProcessId thread) {
      if (at_choices_.contains(thread)) choose_first(thread);
      while (awaits(thread)) execute(thread);
    });
  }
  // True if the thread must wait for its own buffers before its next operation is known.
  [[nodiscard]] bool waits_at_fence(ThreadId thread) const {
    const auto& m = threads_.mailbox(thread);
    return has_buffers &&
           (m.op == Op::fence || (m.op == Op::store && (m.in_atomic != 0 || !can_go_on(thread))));
  }
  // The violations that threads found in the newest step, or before the first one.
  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
  // Calls `visit(race)` for each pair of pending accesses that race now.
  template <typename Visit>
  void for_each_race(Visit&& visit) {
    for (ThreadId t = 0; t < thread_count(); ++t)
      for_each_pending_race(
          *this, t, none, [t](ThreadId other) { return other < t; }, visit);
  }
  // Whether the program has invariants. Then a step is observed if it can change what they look at: if it writes
  // a location that one names, or is a step of a thread of which one names a local, or of its buffers. (Choices
  // belong to the step before them.) And the same of the next transition of a process.
  [[nodiscard]] bool has_invariants() const { return has_invariants_; }
  [[nodiscard]] bool is_observed(const Step& step) const {
    if (step.type == StepType::choice) return false;
    return observed_threads_[step.thread] || (step.access.writes && observed_[step.access.location]);
  }
  [[nodiscard]] bool is_observed(ProcessId process, const Access& access) const {
    ThreadId thread = process;
    if constexpr (has_buffers) {
      if (process >= thread_count()) thread = model_.of_process(process).thread;
    }
    return observed_threads_[thread] || (access.writes && observed_[access.location]);
  }
  // Whether a thread is at a `choose` that belongs to the step before it. Such a state is not judged. A thread at the entry
  // of an `either` is where it would be if it had chosen an alternative and waited at its guard.
  [[nodiscard]] bool has_yet_to_choose() const {
    if (choosing_.empty()) [[likely]]
      return false;
    bool result = false;
    choosing_.for_each(
        [&](ThreadId t) { result = result || threads_.mailbox(t).in_either != InEither::entry; });
    return result;
  }
  // How often a store had to wait for room in a bounded buffer.
  [[nodiscard]] std::uint64_t forced_flushes() const { return forced_; }

  // The effect that the process's next transition would have now.
  [[nodiscard]] Access pending(ProcessId process) {
    if constexpr (has_buffers) {
      if (process >= thread_count()) {
        const auto& buffer = model_.of_process(process);
        return {.location = buffer.writes[buffer.head].location, .writes = true};
      }
    }
    const auto& m = threads_.mailbox(process);
    switch (m.op) {
      case Op::load:
        return {.location = m.location, .reads = true, .forwarded = forwarded(process, m.location)};
      case Op::store:
      case Op::unlock: return {.location = m.location, .writes = true};
      case Op::lock: return {.location = m.location, .reads = true, .writes = true};
      case Op::choose: return {};
      default:
        return {.location = m.location,
                .reads = true,
                .writes = would_write(m.op, m.expected, memory_[m.location])};
    }
  }

  // Whether the thread's next operation is the first one of an atomic block.
  [[nodiscard]] bool begins_block(ProcessId process) const {
    return process < thread_count() && threads_.mailbox(process).in_atomic == 1;
  }
  // Calls `visit(access)` for what the thread's next transition, an atomic block, would do now, with all values of each
  // `choose` in it; if it is not enabled, for the part of its condition that does not hold. O(all these steps).
  template <typename Visit>
  void for_each_in_block(ThreadId thread, Visit&& visit);
  // Evaluates the condition with which the atomic block begins, at which the thread is, with the values that
  // `read(location)` gives, and calls `visit(access)` for what it looks at. True if it holds, or if there is none.
  template <typename Read, typename Visit>
  bool evaluate_block(ThreadId thread, Read&& read, Visit&& visit);

  // Takes the next transition of an enabled process.
  void execute(ProcessId process) {
    auto& step = steps_.emplace_back();
    step.process = process;
    failures_.clear();
    if constexpr (has_buffers) {
      if (process >= thread_count()) return flush(model_.of_process(process), step);
    }
    operate(process, step);
    if (step.block != InBlock::no) [[unlikely]]
      run_block(process);
    if (options_.sharing != nullptr) take_local(process);
  }
  // With MachineOptions::sharing: whether the thread's next operation is one on a location of its own, which is possible
  // and which no other thread can notice. (Before the first transition there is none that it could be part of.)
  [[nodiscard]] bool is_local(ThreadId thread);

  // Resumes a thread of `choosing` with one value of its `choose`.
  void choose(ThreadId thread, std::int64_t value) {
    begin_choice(thread, value, steps_.emplace_back());
    if (options_.sharing != nullptr) take_local(thread);
  }
  void begin_choice(ThreadId thread, std::int64_t value, Step& step) {
    auto& m = threads_.mailbox(thread);
    failures_.clear();
    step.type = StepType::choice;
    step.op = Op::choose;
    step.process = step.thread = thread;
    step.site = m.site;
    step.read = value;
    if (m.in_atomic == later_in_block) [[unlikely]] {
      step.block = InBlock::later;
      alone_.erase(thread);
    }
    // (`progress` has no effect, so traces have no step for it.)
    if (log_ != nullptr && !image_.sites[step.site].is_progress) log(RowType::choice, step);
    const bool in_block = step.block != InBlock::no;
    advance(thread, step, value);
    if (in_block) [[unlikely]]
      run_block(thread);
  }

  // Lets a waiting thread evaluate the condition of its `await` again, or choose again in an `either`. Only `states` and
  // replays do this: in another search, another execution evaluates it later.
  void retry(ThreadId thread, std::int64_t answer) {
    auto& step = steps_.emplace_back();
    failures_.clear();
    step.type = StepType::retry;
    step.op = Op::await_failed;
    step.process = step.thread = thread;
    step.site = threads_.mailbox(thread).site;
    step.read = answer;
    advance(thread, step, answer);
  }

  // Undoes the newest transition.
  void undo() {
    while (steps_.back().continues()) [[unlikely]] undo_step();
    const ThreadId thread = steps_.back().thread;
    const bool in_block = steps_.back().block != InBlock::no;
    undo_step();
    if (in_block) [[unlikely]]
      find_alone(thread);
  }
  // Why nothing is enabled. The awaits of waiting threads are evaluated again: if the condition holds now,
  // the first evaluation was only too early.
  [[nodiscard]] RunEnd end() {
    EndingOfThreads result;
    if (broken_) {
      const ThreadId t = alone_.first();
      result.add(t, threads_.mailbox(t).op, threads_.mailbox(t).site, [] { return false; });
      return result.end();
    }
    for (ThreadId t = 0; t < thread_count(); ++t) {
      const auto holds = [&] { return await_holds(t, [this](Location x) { return memory_[x]; }); };
      const auto& m = threads_.mailbox(t);
      const bool certain =
          image_.threads[t].is_daemon
              ? !result.add_daemon(t, m.op, m.site, holds,
                                   [&] { return !options_.daemons_look_last || looked_last(t); })
              : !result.add(t, m.op, m.site, holds);
      if (certain) break;
    }
    return result.end();
  }
  [[nodiscard]] Ending ending() { return end().ending; }

  // Evaluates the await at which the thread waits again, with the values that `read(location)` gives, and
  // restores the thread. `answer`: what the thread is asked, see compiler::any_alternative.
  template <typename Read>
  [[nodiscard]] bool await_holds(ThreadId thread, Read&& read,
                                 std::int64_t answer = compiler::any_alternative) {
    auto& m = threads_.mailbox(thread);
    const auto site = m.site;
    const Threads::Trial trial(threads_, image_, thread);
    m.value = answer;
    compiler::resume(threads_.block(thread));
    while (m.in_await != 0) {
      m.value = effect_of_reading(m.op, read(m.location), m.value, m.expected, thread).result;
      compiler::resume(threads_.block(thread));
    }
    return m.op != Op::await_failed || m.site != site;
  }

  // Whether the thread, which is at the entry of an `either` or in the guard of an alternative, would take one if left
  // alone.
  [[nodiscard]] bool finds_alternative(ThreadId thread);

  [[nodiscard]] Schedule schedule() const {
    Schedule result;
    if (add_past_) add_past_(result);
    for (const auto& step : steps_) add_to(result, step);
    return result;
  }
  static void add_to(Schedule& schedule, const Step& step) {
    if (step.continues_block()) return;
    schedule.push_back({.type = step.type,
                        .thread = step.thread,
                        .location = step.access.location,
                        .value = has_value(step.type) ? step.read : 0});
  }

  // For searches along long paths, which keep the first steps elsewhere: forgets this many of them, and takes them
  // back before it has undone all others. Depths and indices count from the first step that it has. `add_past` appends
  // the forgotten ones to a schedule. O(steps that it has), both.
  void forget_first(std::uint32_t count) { steps_.erase(steps_.begin(), steps_.begin() + count); }
  void take_back(const std::vector<Step>& first) {
    steps_.insert(steps_.begin(), first.begin(), first.end());
  }
  void begin_schedules_with(std::function<void(Schedule&)> add_past) { add_past_ = std::move(add_past); }

  // Takes the transition; false if it is not possible now.
  [[nodiscard]] bool follow(const Choice& choice) {
    ProcessId process = choice.thread;
    if (choice.type == StepType::choice) {
      if (!choosing().contains(choice.thread)) return false;
      choose(choice.thread, choice.value);
      return true;
    }
    if (choice.type == StepType::retry) {
      if (threads_.mailbox(choice.thread).op != Op::await_failed) return false;
      retry(choice.thread, choice.value);
      return true;
    }
    if constexpr (has_buffers) {
      if (choice.type == StepType::flush) {
        const auto* const buffer = model_.find(choice.thread, choice.location);
        if (buffer == nullptr || buffer->empty()) return false;
        process = buffer->process;
        if (pending(process).location != choice.location) return false;
      }
    }
    // (At the end of a run, a block that waits looks, too: `evaluate_waits`.)
    const bool looks =
        choice.type == StepType::operation && begins_block(process) && awaits(process) && !in_block();
    if (!looks && !enabled().contains(process)) return false;
    execute(process);
    return true;
  }

  // Appends every operation, buffering and flush from now on to `rows`; null ends that.
  void set_log(Rows* rows) { log_ = rows; }

  // Sets the log and restarts the threads, so that the log includes their actions before the first
  // transition.
  void restart_with_log(Rows* rows) {
    set_log(rows);
    model_ =
        Model(threads_.count(), static_cast<std::uint32_t>(image_.locations.size()), options_.buffer_bound);
    enabled_ = {};
    choosing_ = {};
    alone_ = {};
    broken_ = false;
    waiting_ = {};
    at_choices_ = {};
    lookers_ = Lookers<Set>(threads_.count());
    failures_.clear();
    watches_ = watches_races_ = false;
    Step initial;
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      threads_.start(t, image_.threads[t]);
      settle(t, initial);
    }
    watch();
  }

 private:
  // What the thread would load.
  [[nodiscard]] std::int64_t seen(ThreadId thread, Location location) {
    if constexpr (has_buffers) {
      if (const auto* const write = model_.newest(thread, location)) return write->value;
    }
    return memory_[location];
  }
  [[nodiscard]] bool forwarded(ThreadId thread, Location location) {
    if constexpr (has_buffers) return model_.newest(thread, location) != nullptr;
    return false;
  }
  [[nodiscard]] bool drained(ThreadId thread) const {
    if constexpr (has_buffers) return model_.drained(thread);
    return true;
  }

  static constexpr std::uint8_t later_in_block = 2;  // Mailbox::in_atomic

  [[nodiscard]] bool looked_last(ThreadId thread);
  void undo_step() {
    Step& step = steps_.back();
    const ThreadId thread = step.thread;
    if constexpr (has_buffers) {
      for (auto i = step.buffered; i > 0; --i) model_.undo_append(thread);
      if (step.resumed) model_.set_barrier(thread, step.barrier_before);
      if (step.type == StepType::flush) model_.undo_flush(model_.of_process(step.process));
      if (step.access.forwarded)
        model_.find(thread, step.access.location)->writes[step.entry].last_forward = step.previous_forward;
    }
    if (step.resumed) threads_.restore(thread);
    if (step.access.writes) step.written = std::exchange(memory_[step.access.location], step.overwritten);
    failures_.clear();
    if (step.continues()) [[unlikely]]
      refresh_others(step);
    else
      refresh(thread, step);
    steps_.pop_back();
  }
  // Makes the rest of the atomic block that the newest step began, or that it has continued after a `choose`.
  void run_block(ThreadId thread);
  void find_alone(ThreadId thread);
  // Makes the operations on locations of its own that come next.
  void take_local(ThreadId thread);
  [[nodiscard]] bool loads_own(ThreadId thread) const;
  void note_use(const Step& step) {
    if (options_.sharing != nullptr && step.access.reads)
      options_.sharing->note_read(step.thread, step.access.location);
    if (!step.access.writes) return;
    notes_use_->note_write(step.thread, step.access.location);
    if (options_.sharing == nullptr && notes_use_->is_wrong()) throw Sharing::Wrong{};
  }
  void operate(ThreadId thread, Step& step);
  static void write(Step& step, std::int64_t& cell, std::int64_t value);
  template <typename Buffer>
  void flush(Buffer& buffer, Step& step);
  void advance(ThreadId thread, Step& step, std::int64_t result);
  // Runs the thread up to its next transition or until it must wait: actions that no other process can
  // notice.
  void settle(ThreadId thread, Step& step);
  void fail(ThreadId thread, const Mailbox& m);
  // Data races are failures of the step that made the second access pending.
  void note_races(ThreadId thread, std::uint32_t buffered);
  // Notes what is wrong at the start.
  void watch() {
    watches_races_ = has_plain_locations(image_);
    if (watches_races_) for_each_race([&](const DataRace& race) { failures_.push_back({.race = race}); });
    has_invariants_ = !image_.invariants.empty();
    watches_ = watches_races_ || has_invariants_;
    if (!has_invariants_) return;
    observed_.assign(memory_.size(), false);
    observed_threads_.assign(thread_count(), false);
    for (const auto& invariant : image_.invariants) {
      for (const auto location : invariant.locations) observed_[location] = true;
      for (const auto thread : invariant.threads) observed_threads_[thread] = true;
    }
    note_invariants();
  }
  // Invariants that do not hold now are failures of the newest step.
  void note_invariants();
  // Updates `enabled` and `choosing` after `step` of the thread was executed or undone.
  void refresh(ThreadId thread, const Step& step);
  bool is_possible(ThreadId thread) const;
  void refresh_thread(ThreadId thread);
  void refresh_others(const Step& step);
  void refresh_wait(ThreadId thread);
  bool look(ThreadId thread);
  bool look_at_choice(ThreadId thread);
  bool waits_at_choice(ThreadId thread);
  bool find_alternatives(ThreadId thread, std::vector<std::int64_t>& path);
  bool is_at_guard(ThreadId thread) const;
  bool is_at_own_guard(ThreadId thread);
  void choose_first(ThreadId thread);
  void refresh_waiting(const Step& step);
  // Lets the threads of `stale_` evaluate what they wait for: only when a search asks what is enabled, as it often
  // goes back at once.
  void look_again();
  void log(RowType type, const Step& step);
  void log(RowType type, ThreadId thread, const Mailbox& m);

  const Image& image_;
  MachineOptions options_;
  Sharing* notes_use_;  // of who uses which location; or null
  // Not if invariants name locals: a load changes one even if the thread stops then.
  bool waits_at_assumptions_;
  Threads threads_;
  Model model_;
  std::vector<std::int64_t> memory_;
  std::vector<Step> steps_;
  std::function<void(Schedule&)> add_past_;
  Set enabled_;
  Set choosing_;
  Set alone_;            // the thread that is at a `choose` in an atomic block, or has stopped in one
  bool broken_ = false;  // the latter
  Set nobody_;           // empty
  Set waiting_;  // threads at an operation of an await, before an assumption or at a choice, see MachineOptions
  Set at_choices_;  // those at a choice
  // Of a thread that waits at a choice, by thread.
  struct WaitingChoice {
    std::uint64_t open = 0;
    std::vector<Alternative> alternatives;
    std::vector<std::byte> blocks;  // by alternative: block_at_guard
  };
  std::vector<WaitingChoice> choices_;
  Lookers<Set> lookers_;
  Set stale_;  // waiting threads for which `enabled_` is not yet known
  std::uint64_t forced_ = 0;
  std::vector<Failure> failures_;
  bool watches_ = false;  // for races or invariants
  bool watches_races_ = false;
  bool has_invariants_ = false;
  std::vector<bool> observed_;  // by location, and by thread: what invariants look at
  std::vector<bool> observed_threads_;
  Rows* log_ = nullptr;
};

// For the end of a run, where all buffers are empty.
template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::looked_last(ThreadId thread) {
  std::vector<Look> looks;  // newest first
  std::vector<std::uint32_t> last_write(memory_.size(), none);
  for (auto position = depth(); position > 0; --position) {
    const Step& step = steps_[position - 1];
    if (step.thread == thread && step.type == StepType::operation && step.access.reads) {
      const auto write = last_write[step.access.location];
      bool last = write == none;
      if constexpr (has_buffers) {
        if (step.access.forwarded)
          last = write != none && steps_[write].type == StepType::flush && steps_[write].thread == thread &&
                 steps_[write].entry == step.entry;
      }
      // (What a `trylock` has read is whether the mutex was free.)
      const auto value = step.op != Op::try_lock ? step.read : step.access.writes ? 0 : 1;
      looks.push_back({step.access.location, value, last});
    }
    if (step.access.writes && last_write[step.access.location] == none)
      last_write[step.access.location] = position - 1;
  }
  return waits_in_first_alternative(threads_.mailbox(thread)) &&
         last_look_saw_last_writes(
             [&](std::uint32_t i) { return i < looks.size() ? looks[i] : Look{}; },
             [&](auto&& read) { return await_holds(thread, read, compiler::own_alternative); });
}

// Calls `use.template operator()<Words>()` with the narrowest sets that hold all processes of the program.
template <OperationalModel Model, typename Use>
void with_width(const Image& image, Use&& use) {
  // The most that any program can have under the model; wider sets than that are not compiled.
  constexpr auto most = Model::most_processes(most_threads, std::numeric_limits<std::uint32_t>::max());
  const auto processes = Model::most_processes(image.threads.size(), image.locations.size());
  if (processes <= BitSet<1>::capacity) return use.template operator()<1>();
  if constexpr (most > BitSet<16>::capacity) {
    if (processes > BitSet<16>::capacity) return use.template operator()<growing>();
  }
  if constexpr (most > BitSet<1>::capacity) use.template operator()<16>();
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::operate(ThreadId thread, Step& step) {
  auto& m = threads_.mailbox(thread);
  step.op = m.op;
  step.thread = thread;
  step.site = m.site;
  step.access.location = m.location;
  step.block = static_cast<InBlock>(m.in_atomic);
  auto& cell = memory_[m.location];
  std::int64_t result = cell;
  switch (m.op) {
    case Op::load:
      step.access.reads = true;
      if constexpr (has_buffers) {
        if (auto* const write = model_.newest(thread, m.location)) {
          result = write->value;
          step.access.forwarded = true;
          step.entry = static_cast<std::uint32_t>(write - model_.find(thread, m.location)->writes.data());
          step.previous_forward = write->last_forward;
          write->last_forward = depth() - 1;
        }
      }
      break;
    case Op::store:
      if constexpr (has_buffers) forced_ += m.in_atomic == 0;
      write(step, cell, m.value);
      break;
    case Op::lock:
      step.access.reads = true;
      write(step, cell, holder(thread));
      break;
    case Op::unlock: write(step, cell, 0); break;
    case Op::try_lock:
      step.access.reads = true;
      result = cell == 0;
      if (cell == 0) write(step, cell, holder(thread));
      break;
    default:
      step.access.reads = true;
      step.discarded = m.discarded != 0;
      if (would_write(m.op, m.expected, cell)) write(step, cell, modified(m.op, cell, m.value));
      break;
  }
  step.read = result;
  log(RowType::operation, step);
  if (notes_use_ != nullptr) [[unlikely]]
    note_use(step);
  advance(thread, step, result);
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::write(Step& step, std::int64_t& cell, std::int64_t value) {
  step.access.writes = true;
  step.overwritten = cell;
  step.written = value;
  cell = value;
}

template <OperationalModel Model, unsigned Words>
template <typename Buffer>
inline void Machine<Model, Words>::flush(Buffer& buffer, Step& step) {
  step.type = StepType::flush;
  step.op = Op::store;
  step.thread = buffer.thread;
  step.entry = model_.flush(buffer, depth() - 1);
  const auto& entry = buffer.writes[step.entry];
  step.site = entry.site;
  step.access.location = entry.location;
  write(step, memory_[entry.location], entry.value);
  log(RowType::flush, step);
  if (notes_use_ != nullptr) [[unlikely]]
    note_use(step);
  const auto& m = threads_.mailbox(step.thread);
  const bool continues = (m.op == Op::fence && model_.drained(step.thread)) ||
                         (m.op == Op::store && model_.has_room(step.thread, m.location));
  if (continues) {
    const ThreadId thread = step.thread;
    step.resumed = true;
    step.barrier_before = model_.barrier(thread);
    threads_.save(thread);
    settle(thread, step);
    if (options_.sharing != nullptr) take_local(thread);
  } else {
    refresh(step.thread, step);
    if (watches_) [[unlikely]]
      note_invariants();
  }
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::advance(ThreadId thread, Step& step, std::int64_t result) {
  if (!step.continues()) {
    step.resumed = true;
    if constexpr (has_buffers) step.barrier_before = model_.barrier(thread);
    threads_.save(thread);
  }
  auto& m = threads_.mailbox(thread);
  m.value = result;
  if (m.effect != compiler::UpdateEffect::not_asked) [[unlikely]]
    m.effect = effect_of_newest(steps_, image_);
  compiler::resume(threads_.block(thread));
  settle(thread, step);
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::settle(ThreadId thread, Step& step) {
  void* const block = threads_.block(thread);
  for (auto& m = threads_.mailbox(thread);;) {
    if (m.op == Op::fence) {
      if constexpr (has_buffers) {
        if (!model_.pass(thread, m.fence)) break;
        step.passed_fence |= m.fence == Fence::full;
      }
      log(RowType::fence, thread, m);
    } else if (has_buffers && m.op == Op::store && m.in_atomic == 0) {
      if constexpr (has_buffers) {
        if (!model_.buffers_stores()) break;
        if (!model_.has_room(thread, m.location)) {
          ++forced_;
          break;
        }
        model_.append(thread, m);
        if (model_.processes() > Set::capacity)
          throw std::logic_error("internal error: too many store buffers");
        if (++step.buffered == options_.most_stores_in_a_step) [[unlikely]]
          throw StoresForEver{thread};
      }
      log(RowType::buffered, thread, m);
    } else if (m.op == Op::assert_failed && options_.resume_after_assert) {
      fail(thread, m);
    } else {
      break;
    }
    compiler::resume(block);
  }
  const auto& m = threads_.mailbox(thread);
  if (m.in_atomic == later_in_block && m.op != Op::choose && can_go_on(thread)) [[unlikely]]
    return refresh_others(step);  // `run_block` follows
  if (is_failure(m.op) || (m.op == Op::unlock && memory_[m.location] != holder(thread))) fail(thread, m);
  if (!watches_) [[likely]]
    return refresh(thread, step);
  if (watches_races_) note_races(thread, step.buffered);
  refresh(thread, step);
  if (m.in_atomic != later_in_block && !step.local) note_invariants();
}

template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] inline void Machine<Model, Words>::note_invariants() {
  if (!has_invariants_ || has_yet_to_choose()) return;
  for (const auto& invariant : image_.invariants) {
    if (!invariant.holds(memory_.data(), threads_.blocks())) failures_.push_back({.site = invariant.site});
  }
}

template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] inline void Machine<Model, Words>::note_races(ThreadId thread, std::uint32_t buffered) {
  for_each_pending_race(
      *this, thread, buffered, [](ThreadId) { return true; },
      [&](const DataRace& race) { failures_.push_back({.race = race}); });
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::fail(ThreadId thread, const Mailbox& m) {
  failures_.push_back({.thread = thread, .op = m.op, .site = m.site});
  log(RowType::failure, thread, m);
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::refresh(ThreadId thread, const Step& step) {
  refresh_thread(thread);
  if constexpr (has_buffers) {
    for (const auto index : model_.owned(thread)) {
      const auto& buffer = model_.buffer(index);
      enabled_.assign(buffer.process, model_.can_flush(buffer));
    }
  }
  refresh_others(step);
}

// What the step changes for threads that wait.
template <OperationalModel Model, unsigned Words>
[[gnu::always_inline]] inline void Machine<Model, Words>::refresh_others(const Step& step) {
  if (step.access.writes && !waiting_.empty()) [[unlikely]]
    refresh_waiting(step);
  if (is_of_mutex(step.op)) {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      const auto& m = threads_.mailbox(t);
      if (m.op == Op::lock && m.location == step.access.location) refresh_thread(t);
    }
  }
}

// Whether the thread's next operation is possible, whatever the thread waits for.
template <OperationalModel Model, unsigned Words>
[[gnu::always_inline]] inline bool Machine<Model, Words>::is_possible(ThreadId thread) const {
  const auto& m = threads_.mailbox(thread);
  const bool drains = (m.op != Op::load && m.op != Op::store) || m.in_atomic != 0;
  return can_go_on(thread) && (!drains || drained(thread));
}

template <OperationalModel Model, unsigned Words>
[[gnu::always_inline]] inline void Machine<Model, Words>::refresh_thread(ThreadId thread) {
  enabled_.assign(thread, is_possible(thread));
  const auto& m = threads_.mailbox(thread);
  choosing_.assign(thread, m.op == Op::choose);
  if ((m.in_await | m.before_assume) != 0 || waiting_.contains(thread) ||
      (options_.choices_wait && m.op == Op::choose)) [[unlikely]]
    refresh_wait(thread);
}

// (Out of line, as few programs wait.)
template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] void Machine<Model, Words>::refresh_wait(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  const bool may_wait = m.in_await != 0 ? options_.awaits_hold || m.in_atomic != 0
                                        : waits_at_assumptions_ && m.before_assume != 0 && m.in_atomic == 0;
  const bool at_choice = waits_at_choice(thread);
  at_choices_.assign(thread, at_choice);
  if (at_choice) choosing_.erase(thread);
  // (A look at a plain variable can race, even if it comes too early.)
  const bool waits = at_choice || (may_wait && !image_.locations[m.location].is_plain);
  waiting_.assign(thread, waits);
  stale_.assign(thread, waits);
  if (waits) return;
  lookers_.begin(thread);
  lookers_.end(thread);
}

template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] void Machine<Model, Words>::refresh_waiting(const Step& step) {
  if (step.written == step.overwritten) return;
  lookers_.for_each(step.access.location, [this](ThreadId t) { stale_.insert(t); });
}

template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] void Machine<Model, Words>::look_again() {
  const Set stale = std::exchange(stale_, {});
  stale.for_each([this](ThreadId t) {
    enabled_.assign(t, at_choices_.contains(t) ? look_at_choice(t) : is_possible(t) && look(t));
  });
}

// Evaluates what the thread waits for: a single operation, or the condition of a block.
template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::look(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  const auto note = [&](Location x) {
    lookers_.add(thread, x);
    if (options_.sharing != nullptr) options_.sharing->note_read(thread, x);
  };
  bool goes_on = false;
  lookers_.begin(thread);
  if (m.in_atomic != 0) {
    goes_on = evaluate_block(
        thread, [this](Location x) { return memory_[x]; },
        [&](const Access& access) { note(access.location); });
  } else {
    note(m.location);
    goes_on = this->goes_on(thread, seen(thread, m.location));
  }
  lookers_.end(thread);
  return goes_on;
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::log(RowType type, const Step& step) {
  if (log_ == nullptr) return;
  log_->push_back({.type = type,
                   .op = step.op,
                   .reads = step.access.reads,
                   .writes = step.access.writes,
                   .block = step.block,
                   .thread = step.thread,
                   .location = step.access.location,
                   .site = step.site,
                   .read = step.read,
                   .written = step.written});
}

template <OperationalModel Model, unsigned Words>
inline void Machine<Model, Words>::log(RowType type, ThreadId thread, const Mailbox& m) {
  if (log_ == nullptr) return;
  log_->push_back({.type = type,
                   .op = m.op,
                   .writes = type == RowType::buffered,
                   .fence = m.fence,
                   .thread = thread,
                   .location = type == RowType::buffered ? m.location : none,
                   .site = m.site,
                   .written = m.value});
}

}  // namespace heddle::checker

#include "checker/interleavings/atomic_blocks.hpp"
#include "checker/interleavings/local_steps.hpp"
#include "checker/interleavings/waiting_choices.hpp"
