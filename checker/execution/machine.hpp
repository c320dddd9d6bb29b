// The operational machine: a program's state under a store-buffer model, stepped forward and undone in place.
//
// A process is a thread (0 .. T-1) or a store buffer (from T on). A process has at most one next transition:
// a thread's next visible operation, or the flush of a buffer's oldest entry. Everything a thread does that
// no other process can notice happens at once, as part of the transition before it: local computation,
// entering a store into a buffer, passing a fence. So a fence is never a transition; the thread simply cannot
// go on until its buffers are empty.
//
// `execute` pushes one Step with what undoing needs (the memory cell, the thread's block, the buffer
// entries), `undo` pops it. Neither allocates once the vectors have grown to the depth of the search.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "checker/execution/ending.hpp"
#include "checker/execution/rows.hpp"
#include "checker/execution/step.hpp"
#include "checker/execution/threads.hpp"
#include "jit/runtime.hpp"

namespace heddle::checker {

struct MachineOptions {
  std::optional<std::uint32_t> buffer_bound;
  bool resume_after_assert = false;  // a failed assertion is noted (`failures`) and the thread goes on
};

// `Words` is the width of its sets of processes: see with_width().
template <typename Model, unsigned Words>
class Machine {
 public:
  using Set = ProcessSet<Words>;
  static constexpr bool has_buffers = Model::has_buffers;

  Machine(const jit::Image& image, const MachineOptions& options)
      : image_(image),
        options_(options),
        threads_(image),
        model_(threads_.count(), static_cast<std::uint32_t>(image.locations.size()), options.buffer_bound) {
    for (const auto& location : image.locations) memory_.push_back(location.initial);
    if (threads_.count() > Set::capacity) throw std::logic_error("internal error: too many threads");
    Step initial;
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      threads_.start(t, image.threads[t]);
      settle(t, initial);
    }
  }

  [[nodiscard]] ThreadId thread_count() const { return threads_.count(); }
  [[nodiscard]] ProcessId process_count() const { return model_.processes(); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] const Step& step(std::uint32_t index) const { return steps_[index]; }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<std::int64_t>& memory() const { return memory_; }
  [[nodiscard]] const Threads& threads() const { return threads_; }
  [[nodiscard]] const jit::Image& image() const { return image_; }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Model& model() { return model_; }
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes =
        threads_.memory_used() + steps_.capacity() * sizeof(Step) + memory_.capacity() * sizeof(std::int64_t);
    if constexpr (has_buffers) bytes += model_.memory_used();
    return bytes;
  }

  // Processes that can take their next transition. Threads at a `choose` are not among them: see `choosing`.
  [[nodiscard]] const Set& enabled() const { return enabled_; }
  // Threads whose next operation is a `choose`. It touches nothing shared, so a search takes it before all
  // else.
  [[nodiscard]] const Set& choosing() const { return choosing_; }
  // Could the thread take its next operation, perhaps after flushes of its own buffers?
  [[nodiscard]] bool can_go_on(ThreadId thread) const {
    const auto& m = threads_.mailbox(thread);
    switch (m.op) {
      case jit::Op::load:
      case jit::Op::try_lock: return true;
      case jit::Op::store:
        if constexpr (has_buffers) return !model_.buffers_stores();
        return true;
      case jit::Op::lock: return memory_[m.location] == 0;
      // Whether the thread holds the mutex is its own doing; one that does not stays where it is.
      case jit::Op::unlock: return memory_[m.location] == holder(thread);
      default: return is_read_modify_write(m.op);
    }
  }
  // Does the thread wait for its own buffers before it is known whether it has another operation?
  [[nodiscard]] bool waits_at_fence(ThreadId thread) const {
    const auto op = threads_.mailbox(thread).op;
    return has_buffers && (op == jit::Op::fence || (op == jit::Op::store && !can_go_on(thread)));
  }
  // The violations that threads found in the newest step, or before the first one.
  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
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
      case jit::Op::load:
        return {.location = m.location, .reads = true, .forwarded = forwarded(process, m.location)};
      case jit::Op::store:
      case jit::Op::unlock: return {.location = m.location, .writes = true};
      case jit::Op::compare_exchange:
        return {.location = m.location, .reads = true, .writes = memory_[m.location] == m.expected};
      case jit::Op::try_lock:
        return {.location = m.location, .reads = true, .writes = memory_[m.location] == 0};
      case jit::Op::choose: return {};
      default: return {.location = m.location, .reads = true, .writes = true};
    }
  }

  // Takes the next transition of an enabled process.
  void execute(ProcessId process) {
    auto& step = steps_.emplace_back();
    step.process = process;
    failures_.clear();
    if constexpr (has_buffers) {
      if (process >= thread_count()) return flush(model_.of_process(process), step);
    }
    operate(process, step);
  }

  // Goes on with a thread of `choosing` and one value of its `choose`.
  void choose(ThreadId thread, std::int64_t value) {
    auto& step = steps_.emplace_back();
    auto& m = threads_.mailbox(thread);
    failures_.clear();
    step.type = StepType::choice;
    step.op = jit::Op::choose;
    step.process = step.thread = thread;
    step.site = m.site;
    step.read = value;
    log(RowType::choice, step);
    advance(thread, step, value);
  }

  // Lets a thread that waits evaluate the condition of its `await` again. A search never does: there another
  // execution evaluates it later.
  void retry(ThreadId thread) {
    auto& step = steps_.emplace_back();
    failures_.clear();
    step.type = StepType::retry;
    step.op = jit::Op::await_failed;
    step.process = step.thread = thread;
    step.site = threads_.mailbox(thread).site;
    advance(thread, step, 0);
  }

  // Takes back the newest step.
  void undo() {
    const Step& step = steps_.back();
    const ThreadId thread = step.thread;
    if constexpr (has_buffers) {
      for (auto i = step.buffered; i > 0; --i) model_.undo_append(thread);
      if (step.resumed) model_.set_barrier(thread, step.barrier_before);
      if (step.type == StepType::flush) model_.undo_flush(model_.of_process(step.process));
      if (step.access.forwarded)
        model_.find(thread, step.access.location)->writes[step.entry].last_forward = step.previous_forward;
    }
    if (step.resumed) threads_.restore(thread);
    if (step.access.writes) memory_[step.access.location] = step.overwritten;
    failures_.clear();
    refresh(thread, step);
    steps_.pop_back();
  }

  // Why nothing is enabled. Threads that wait are looked at once more: an await whose condition holds by now
  // was only evaluated too early.
  [[nodiscard]] RunEnd end() {
    EndingOfThreads result;
    for (ThreadId t = 0; t < thread_count(); ++t) {
      const auto holds = [&] { return await_holds(t, [this](Location x) { return memory_[x]; }); };
      const auto& m = threads_.mailbox(t);
      if (!result.add(t, m.op, m.site, holds)) break;
    }
    return result.end();
  }
  [[nodiscard]] Ending ending() { return end().ending; }

  // Evaluates the await that the thread is stuck at once more, with the values that `read(location)` gives,
  // and puts the thread back.
  template <typename Read>
  [[nodiscard]] bool await_holds(ThreadId thread, Read&& read) {
    auto& m = threads_.mailbox(thread);
    const auto site = m.site;
    const jit::Uncounted trial(image_);
    threads_.save(thread);
    jit::resume(threads_.block(thread));
    while (m.op == jit::Op::load && m.in_await != 0) {
      m.value = read(m.location);
      jit::resume(threads_.block(thread));
    }
    const bool holds = m.op != jit::Op::await_failed || m.site != site;
    threads_.restore(thread);
    return holds;
  }

  [[nodiscard]] Schedule schedule() const {
    Schedule result;
    for (const auto& step : steps_) {
      result.push_back({.type = step.type,
                        .thread = step.thread,
                        .location = step.access.location,
                        .value = step.type == StepType::choice ? step.read : 0});
    }
    return result;
  }

  // Takes the transition that the schedule says; false if it is not possible now.
  [[nodiscard]] bool follow(const Choice& choice) {
    ProcessId process = choice.thread;
    if (choice.type == StepType::choice) {
      if (!choosing_.contains(choice.thread)) return false;
      choose(choice.thread, choice.value);
      return true;
    }
    if (choice.type == StepType::retry) {
      if (threads_.mailbox(choice.thread).op != jit::Op::await_failed) return false;
      retry(choice.thread);
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
    if (!enabled_.contains(process)) return false;
    execute(process);
    return true;
  }

  // From now on every operation, buffering and flush is appended to `rows` (null: no longer).
  void set_log(Rows* rows) { log_ = rows; }

  // Appends what the threads did before the first transition, while the log was not yet set: restarts the
  // machine.
  void restart_with_log(Rows* rows) {
    set_log(rows);
    model_ =
        Model(threads_.count(), static_cast<std::uint32_t>(image_.locations.size()), options_.buffer_bound);
    enabled_ = {};
    choosing_ = {};
    failures_.clear();
    Step initial;
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      threads_.start(t, image_.threads[t]);
      settle(t, initial);
    }
  }

 private:
  [[nodiscard]] bool forwarded(ThreadId thread, Location location) {
    if constexpr (has_buffers) return model_.newest(thread, location) != nullptr;
    return false;
  }
  [[nodiscard]] bool drained(ThreadId thread) const {
    if constexpr (has_buffers) return model_.drained(thread);
    return true;
  }

  // What a mutex holds while the thread has it.
  [[nodiscard]] static std::int64_t holder(ThreadId thread) { return std::int64_t{thread} + 1; }

  void operate(ThreadId thread, Step& step);
  static void write(Step& step, std::int64_t& cell, std::int64_t value);
  template <typename Buffer>
  void flush(Buffer& buffer, Step& step);
  void advance(ThreadId thread, Step& step, std::int64_t result);
  // Lets the thread do what no other process can notice, up to its next transition or until it must wait.
  void settle(ThreadId thread, Step& step);
  void fail(ThreadId thread, const jit::Mailbox& m);
  // Brings `enabled` and `choosing` up to date after `step` of the thread was executed or undone.
  void refresh(ThreadId thread, const Step& step);
  void refresh_thread(ThreadId thread);
  void log(RowType type, const Step& step);
  void log(RowType type, ThreadId thread, const jit::Mailbox& m);

  const jit::Image& image_;
  MachineOptions options_;
  Threads threads_;
  Model model_;
  std::vector<std::int64_t> memory_;
  std::vector<Step> steps_;
  Set enabled_;
  Set choosing_;
  std::uint64_t forced_ = 0;
  std::vector<Failure> failures_;
  Rows* log_ = nullptr;
};

// Calls `use.template operator()<Words>()` with the narrowest sets that hold all processes of the program.
template <typename Model, typename Use>
void with_width(const jit::Image& image, Use&& use) {
  // The most that any program can have under the model: what no program needs is not compiled.
  constexpr auto most = Model::most_processes(64, std::numeric_limits<std::uint32_t>::max());
  const auto processes = Model::most_processes(image.threads.size(), image.locations.size());
  if (processes <= ProcessSet<1>::capacity) return use.template operator()<1>();
  if constexpr (most > ProcessSet<16>::capacity) {
    if (processes > ProcessSet<16>::capacity) return use.template operator()<growing>();
  }
  if constexpr (most > ProcessSet<1>::capacity) use.template operator()<16>();
}

}  // namespace heddle::checker

#include "checker/execution/machine_steps.hpp"
