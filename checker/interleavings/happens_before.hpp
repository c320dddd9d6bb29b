// Happens-before by vector clocks over the steps of the current path, and the races between them.
//
// Two steps are ordered if they belong to one process, if the second is possible only after the first (a
// store enters the buffer before it is flushed, a fence waits for flushes), or if they access one location
// and one of them writes it. Under TSO and PSO the last rule has an exception, which makes the order that of
// the axioms (docs/memory-models.md: rfe, not rf): a load that reads its own thread's write is not ordered
// with the flush of that write, whichever of the two came first. It is ordered before every flush that comes
// after *that flush*. So two paths have the same happens-before exactly if they have the same program order,
// reads-from and coherence order. In a program with invariants, steps that they observe are ordered, too. The steps of an
// atomic block have one clock, that of the last one: what happens after one of them happens after all.
//
// A clock is a row of a flat table: component q is 1 + the position of the last step of process q that
// happens before, 0 for none. Row 0 is all zero. Rows are a stack: undoing a step pops the rows that it
// pushed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "checker/interleavings/interleaving.hpp"

namespace heddle::checker {

template <Interleaving Machine>
class HappensBefore {
 public:
  explicit HappensBefore(Machine& machine)
      : machine_(machine),
        stride_(padded(machine.process_count())),
        row_of_(stride_, 0),
        last_access_(machine.image().locations.size(), none) {
    push_row();  // row 0; the vector is zero where nothing was written yet
  }

  // True if the step at `position` happens before the point whose clock is `row`.
  [[nodiscard]] bool ordered(std::uint32_t position, std::uint32_t row) const {
    return clock(row)[machine_.step(position).process] > static_cast<std::int32_t>(position);
  }
  [[nodiscard]] std::uint32_t row(std::uint32_t position) const { return events_[position].row; }
  // The clock of the process's current point.
  [[nodiscard]] std::uint32_t row_of(ProcessId process) const {
    return process < row_of_.size() ? row_of_[process] : 0;
  }
  [[nodiscard]] const std::int32_t* clock(std::uint32_t row) const { return clocks_.data() + row * stride_; }
  // True if the step at `position` happens before each later step of the process, as far as that is known now.
  [[nodiscard]] bool before_later_steps(std::uint32_t position, ProcessId process) const {
    if (ordered(position, row_of(process))) return true;
    if constexpr (Machine::has_buffers) {
      if (process < machine_.thread_count()) return false;
      // The next flush comes after its store, which may not have entered the buffer yet.
      const auto& buffer = machine_.model().of_process(process);
      return ordered(position, buffer.empty() ? row_of_[buffer.thread] : buffer.writes[buffer.head].row);
    }
    return false;
  }

  // Accounts for the machine's newest transition. `waited`: it is an operation of an await, whose race with a write
  // is `waiting_race`. Afterwards `races()` has the positions of the steps that race
  // with it, newest first: steps of other processes that conflict with it and that nothing else orders before
  // it.
  void record(bool waited = false) {
    races_.clear();
    record_step(waited);
    if (machine_.step(newest()).block != InBlock::no) [[unlikely]]
      return record_block();
    if (events_.size() < machine_.depth()) [[unlikely]]
      record_guard();
  }

  // Forgets the machine's newest transition; call before the machine undoes it.
  void forget() {
    while (machine_.step(newest()).continues()) [[unlikely]] forget_step();
    forget_step();
  }

  // The first step of the atomic block, or the choice, to which the step at `position` belongs, before which something else could
  // come; the step itself if there is none.
  [[nodiscard]] std::uint32_t begin_of(std::uint32_t position) const {
    while (machine_.step(position).block == InBlock::later || machine_.step(position).after_choice)
      [[unlikely]]-- position;
    return position;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& races() const { return races_; }

  // For the step at `position`, which took a mutex: the step that released it before, or `none`.
  [[nodiscard]] std::uint32_t released(std::uint32_t position) const {
    return events_[position].previous_write;
  }

  // For a thread that waits for a mutex: the step that took it, unless that is ordered before the thread
  // (then `none`). Pushes the clock that the thread's lock would start from; pop it with `pop_row`.
  [[nodiscard]] std::uint32_t lock_race(ThreadId thread, Location mutex, std::uint32_t& row) {
    row = push_row();
    copy(row, row_of_[thread]);
    if constexpr (Machine::has_buffers) join_own_flushes(row, thread);
    const auto taken = last_write(mutex);
    return taken != none && !ordered(taken, row) ? taken : none;
  }
  // For a thread whose next operation reads the location and belongs to an await: the newest write before
  // which the operation could have continued, unless one that is ordered before the thread comes first (then
  // `none`). `goes_on(value)`: whether it continues with this value. Pushes a clock, as `lock_race` does.
  template <typename GoesOn>
  [[nodiscard]] std::uint32_t waiting_race(ThreadId thread, Location location, bool locked, GoesOn&& goes_on,
                                           std::uint32_t& row) {
    row = push_row();
    copy(row, row_of_[thread]);
    if constexpr (Machine::has_buffers) {
      if (locked) join_own_flushes(row, thread);
    }
    for (auto write = last_write(location); write != none; write = events_[write].previous_write) {
      if (ordered(write, row) || (Machine::has_buffers && machine_.step(write).thread == thread)) break;
      const auto before = events_[write].previous_write;
      if (before != none && begin_of(before) == begin_of(write)) continue;  // nothing comes between them
      if (goes_on(machine_.step(write).overwritten)) return write;
    }
    return none;
  }
  void pop_row() { --rows_; }
  // The clock of the thread before the step at `position`.
  [[nodiscard]] std::uint32_t row_before(std::uint32_t position) const {
    return events_[position].thread_row;
  }

  [[nodiscard]] std::size_t memory_used() const {
    return clocks_.capacity() * sizeof(std::int32_t) + events_.capacity() * sizeof(Event);
  }

 private:
  struct Event {
    std::uint32_t row = 0;
    std::uint32_t process_row = 0;  // rows of the process and of its thread before the step
    std::uint32_t thread_row = 0;
    std::uint32_t rows_before = 0;
    std::uint32_t previous = none;           // the step before it that accessed the location
    std::uint32_t previous_write = none;     // the last one of these that wrote
    std::uint32_t previous_observed = none;  // of an observed step: the one before it
  };

  [[nodiscard]] std::uint32_t newest() const { return static_cast<std::uint32_t>(events_.size() - 1); }

  [[gnu::always_inline]] void record_step(bool waited) {
    const auto position = static_cast<std::uint32_t>(events_.size());
    const Step& step = machine_.step(position);
    if (machine_.process_count() > row_of_.size()) widen();
    Event& event = events_.emplace_back();
    event.rows_before = rows_;
    event.process_row = row_of_[step.process];
    event.thread_row = row_of_[step.thread];
    event.row = push_row();
    copy(event.row, start_row(step));
    if constexpr (Machine::has_buffers) join_buffers(event.row, step);
    if (step.access.location != none && !step.access.forwarded) {
      event.previous = last_access_[step.access.location];
      event.previous_write = event.previous == none ? none
                             : machine_.step(event.previous).access.writes
                                 ? event.previous
                                 : events_[event.previous].previous_write;
      waited ? waited_conflicts(step, event) : conflicts(step, event);
      last_access_[step.access.location] = position;
    }
    if (machine_.has_invariants()) [[unlikely]]
      observed_conflict(position, event);
    mutable_clock(event.row)[step.process] = static_cast<std::int32_t>(position) + 1;
    row_of_[step.process] = event.row;
    if constexpr (Machine::has_buffers) after_step(step);
  }

  // The rest of an atomic block, or of its part up to a `choose` or from there. What a block races with is known when it
  // has ended: `races()` is empty before. A step that another race orders before the block does not race with it.
  [[gnu::noinline]] void record_block() {
    while (events_.size() < machine_.depth()) record_step(false);
    const auto begin = begin_of(newest());
    const auto row = events_.back().row;
    for (auto position = begin; position < newest(); ++position) events_[position].row = row;
    for (const auto race : races_) block_races_.push_back({newest(), race});
    races_.clear();
    if (machine_.in_block()) return;
    for (auto race = block_races_.rbegin(); race != block_races_.rend() && race->position >= begin; ++race)
      races_.push_back(race->earlier);
    std::erase_if(races_, [&](std::uint32_t race) {
      return std::any_of(races_.begin(), races_.end(), [&](std::uint32_t other) {
        return other > race && ordered(race, events_[other].row);
      });
    });
  }

  // What is one transition with the choice before it.
  [[gnu::noinline]] void record_guard() {
    while (events_.size() < machine_.depth()) record_step(true);
    for (auto position = begin_of(newest()); position < newest(); ++position)
      events_[position].row = events_.back().row;
  }

  void forget_step() {
    const Step& step = machine_.step(newest());
    const Event& event = events_.back();
    if (machine_.has_invariants() && machine_.is_observed(step)) [[unlikely]]
      last_observed_ = event.previous_observed;
    if (step.access.location != none && !step.access.forwarded)
      last_access_[step.access.location] = event.previous;
    row_of_[step.process] = event.process_row;
    row_of_[step.thread] = event.thread_row;
    rows_ = event.rows_before;
    events_.pop_back();
    while (!block_races_.empty() && block_races_.back().position >= events_.size()) block_races_.pop_back();
  }

  // The clock that the step starts from: its thread's; for a flush, the thread's at the time it buffered the
  // store.
  [[nodiscard]] std::uint32_t start_row(const Step& step) const {
    if constexpr (Machine::has_buffers) {
      if (step.type == StepType::flush)
        return machine_.model().of_process(step.process).writes[step.entry].row;
    }
    return row_of_[step.thread];
  }

  void join_buffers(std::uint32_t row, const Step& step) {
    if (step.type == StepType::flush) {
      join(row, row_of_[step.process]);
      const auto barrier = machine_.model().of_process(step.process).writes[step.entry].barrier;
      if (barrier != 0) join_flushes_before(row, step.thread, barrier);
    } else if (step.type == StepType::operation &&
               ((step.op != Op::load && step.op != Op::store) || step.block == InBlock::first)) {
      join_own_flushes(row, step.thread);
    }
  }

  // A locked operation, an atomic block or a full fence comes after all flushes of its thread.
  void join_own_flushes(std::uint32_t row, ThreadId thread) {
    for (const auto index : machine_.model().owned(thread))
      join(row, row_of_[machine_.model().buffer(index).process]);
  }

  // A store after a store-store fence is flushed after every store before the fence.
  void join_flushes_before(std::uint32_t row, ThreadId thread, std::uint32_t barrier) {
    for (const auto index : machine_.model().owned(thread)) {
      const auto& buffer = machine_.model().buffer(index);
      for (auto i = buffer.head; i > 0; --i) {
        const auto& write = buffer.writes[i - 1];
        if (write.sequence < barrier) {
          join(row, events_[write.flushed_at].row);
          break;
        }
      }
    }
  }

  // Walks the steps that conflict with `step`, newest first: reads since the last write of the location, that
  // write, and the load that the write had answered while buffered. A step that is already ordered by joining
  // a newer one is no race.
  void conflicts(const Step& step, const Event& event) {
    if (step.op == Op::lock) return lock_conflict(event);
    if (!step.access.writes) {
      const auto write = event.previous_write;
      if (write == none) return;
      if (Machine::has_buffers && machine_.step(write).thread == step.thread) return;
      return conflict(write, event.row);
    }
    for (auto access = event.previous; access != none; access = events_[access].previous) {
      conflict(access, event.row);
      if (machine_.step(access).access.writes) {
        conflict_with_forwarded(access, event.row);
        return;
      }
    }
  }

  [[gnu::always_inline]] void conflict(std::uint32_t position, std::uint32_t row) {
    if (ordered(position, row)) return;
    races_.push_back(position);
    join(row, events_[position].row);
  }

  // Steps that invariants observe are ordered: so every state of the program, as far as invariants see it, is a
  // state of each run with this happens-before.
  [[gnu::noinline]] void observed_conflict(std::uint32_t position, Event& event) {
    if (!machine_.is_observed(machine_.step(position))) return;
    event.previous_observed = last_observed_;
    if (last_observed_ != none) conflict(last_observed_, event.row);
    last_observed_ = position;
  }

  void conflict_with_forwarded(std::uint32_t write, std::uint32_t row) {
    if constexpr (Machine::has_buffers) {
      const Step& flush = machine_.step(write);
      if (flush.type != StepType::flush) return;
      const auto load = machine_.model().of_process(flush.process).writes[flush.entry].last_forward;
      if (load != none) conflict(load, row);
    }
  }

  // The write before it may have enabled the operation, so the two may be unable to change places.
  [[gnu::noinline]] void waited_conflicts(const Step& step, const Event& event) {
    for (auto access = event.previous; access != none; access = events_[access].previous) {
      const Step& before = machine_.step(access);
      if (before.access.writes) {
        if (step.access.writes || !Machine::has_buffers || before.thread != step.thread)
          join(event.row, events_[access].row);
        if (step.access.writes) conflict_with_forwarded(access, event.row);
        return;
      }
      if (step.access.writes) conflict(access, event.row);
    }
  }
  // The unlock before a lock enables it, so the two cannot change places; the lock before that can.
  void lock_conflict(const Event& event) {
    const auto unlock = event.previous_write;
    if (unlock == none) return;
    const auto taken = events_[unlock].previous_write;
    if (taken != none && !ordered(taken, event.row)) races_.push_back(taken);
    join(event.row, events_[unlock].row);
  }

  [[nodiscard]] std::uint32_t last_write(Location location) const {
    const auto access = last_access_[location];
    return access == none || machine_.step(access).access.writes ? access : events_[access].previous_write;
  }

  // Sets the thread's clock after the fences that it passed, and the clocks of the stores that it buffered.
  void after_step(const Step& step) {
    if (step.passed_fence) {
      const auto row = push_row();
      copy(row, row_of_[step.thread]);
      join_own_flushes(row, step.thread);
      row_of_[step.thread] = row;
    }
    auto& model = machine_.model();
    for (auto back = step.buffered; back > 0; --back) {
      auto& buffer = model.appended(step.thread, back - 1);
      const auto index = model.index_of_appended(step.thread, back - 1);
      // In a bounded buffer the entry had to wait for the flush that made room for it.
      if (model.bounded() && index >= model.bound()) {
        const auto row = push_row();
        copy(row, row_of_[step.thread]);
        const auto made_room = buffer.writes[index - model.bound()].flushed_at;
        if (made_room != none) join(row, events_[made_room].row);
        row_of_[step.thread] = row;
      }
      buffer.writes[index].row = row_of_[step.thread];
    }
  }

  [[nodiscard]] std::int32_t* mutable_clock(std::uint32_t row) { return clocks_.data() + row * stride_; }
  // Leaves the new row to the caller: most rows start as a copy of another.
  std::uint32_t push_row() {
    if ((rows_ + 1) * stride_ > clocks_.size()) clocks_.resize(2 * clocks_.size() + 64 * stride_);
    return rows_++;
  }
  // Rows are whole groups of `lanes` components, so that `copy` and `join` become a few vector instructions.
  void copy(std::uint32_t to, std::uint32_t from) {
    auto* const a = mutable_clock(to);
    const auto* const b = clock(from);
    for (std::size_t i = 0; i < stride_; i += lanes) std::memcpy(a + i, b + i, lanes * sizeof *a);
  }
  void join(std::uint32_t to, std::uint32_t from) {
    if (from == 0) return;
    auto* const a = mutable_clock(to);
    const auto* const b = clock(from);
    for (std::size_t i = 0; i < stride_; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) a[i + lane] = std::max(a[i + lane], b[i + lane]);
    }
  }

  // Widens every clock for the store buffers that have been created since.
  void widen() {
    const auto wider = padded(std::max<std::size_t>(machine_.process_count(), 2 * stride_));
    std::vector<std::int32_t> clocks(std::max<std::size_t>(rows_, 64) * 2 * wider);
    for (std::uint32_t row = 0; row < rows_; ++row)
      std::copy_n(clock(row), stride_, clocks.data() + row * wider);
    clocks_ = std::move(clocks);
    stride_ = wider;
    row_of_.resize(wider, 0);
  }

  static constexpr std::size_t lanes = 4;
  [[nodiscard]] static std::size_t padded(std::size_t processes) {
    return std::max((processes + lanes - 1) / lanes * lanes, lanes);
  }

  Machine& machine_;
  std::size_t stride_;
  std::uint32_t rows_ = 0;
  std::vector<std::int32_t> clocks_;
  // By process: the clock of its newest step; for threads, with the fences passed since.
  std::vector<std::uint32_t> row_of_;
  std::vector<std::uint32_t> last_access_;  // by location
  std::vector<Event> events_;               // by position
  std::uint32_t last_observed_ = none;
  std::vector<std::uint32_t> races_;
  struct BlockRace {
    std::uint32_t position = 0;  // the last step of its part of the block
    std::uint32_t earlier = 0;
  };
  std::vector<BlockRace> block_races_;  // of all blocks, in the order of their positions
};

}  // namespace heddle::checker
