// The run that `rf` is looking at: the machine's steps, and the thread events that they are made of.
//
// A thread event is what paper 4 calls so: a load, a store entering its buffer, a fence, a locked operation;
// flushes are not among them. Every event has what the algorithm asks about: the write that it reads from and
// its causal past (program order and reads-from) as a vector clock. All of it is brought forward with each
// step and taken back with it, so that going from one run to the next costs what differs between the two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "checker/interleavings/machine.hpp"
#include "checker/verifier/instance.hpp"

namespace heddle::checker::rf {

// Names a thread event: thread and number in program order.
using Ref = std::uint32_t;
inline constexpr unsigned index_bits = 24;
inline constexpr Ref initial_write = 0xffffffff;
[[nodiscard]] inline Ref make_ref(ThreadId thread, std::uint32_t index) {
  return thread << index_bits | index;
}
[[nodiscard]] inline ThreadId thread_of(Ref ref) { return ref >> index_bits; }
[[nodiscard]] inline std::uint32_t index_of(Ref ref) { return ref & ((1U << index_bits) - 1); }

struct RunEvent {
  std::uint8_t effect = 0;  // consistency::Effect
  Op op = Op::load;
  Location location = none;
  Ref source = initial_write;  // of reads
  std::int64_t read = 0;       // choices: the value chosen
  std::int64_t written = 0;
  std::int64_t operand = 0;   // as in the mailbox; choices: low
  std::int64_t expected = 0;  // as in the mailbox; choices: high
  // Number of steps of the run after which it has happened, and its write is in memory.
  static constexpr std::uint32_t never = 0xffffffff;
  std::uint32_t at = 0, in_memory_at = never;

  [[nodiscard]] bool reads() const { return (effect & consistency::Effect::reads) != 0; }
  [[nodiscard]] bool writes() const { return (effect & consistency::Effect::writes) != 0; }
  [[nodiscard]] bool chooses() const { return op == Op::choose; }
};

template <typename Machine>
class Run {
 public:
  using MachineModel = std::remove_cvref_t<decltype(std::declval<Machine&>().model())>;
  // A model without a verifier does not compile.
  static constexpr consistency::Model model = [] {
    if (MachineModel::name == "sc") return consistency::Model::sc;
    if (MachineModel::name == "tso") return consistency::Model::tso;
    if (MachineModel::name == "pso") return consistency::Model::pso;
    throw std::logic_error("no verifier");
  }();

  explicit Run(Machine& machine)
      : machine_(machine),
        threads_(machine.thread_count()),
        events_(threads_),
        clocks_(threads_),
        writer_(machine.image().locations.size(), initial_write) {
    // Without buffers a thread does nothing between two steps that would be an event.
    machine_.restart_with_log(Machine::has_buffers ? &rows_ : nullptr);
    for (const auto& row : rows_) append(row.thread, settled(row));
    rows_.clear();
  }

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] ThreadId threads() const { return threads_; }
  [[nodiscard]] const std::vector<RunEvent>& events(ThreadId thread) const { return events_[thread]; }
  [[nodiscard]] const RunEvent& event(Ref ref) const { return events_[thread_of(ref)][index_of(ref)]; }
  [[nodiscard]] std::size_t locations() const { return writer_.size(); }
  // How many events of each thread the causal past of the event has, itself included.
  [[nodiscard]] const std::uint32_t* clock(Ref ref) const {
    return clocks_[thread_of(ref)].data() + std::size_t{index_of(ref)} * threads_;
  }
  // The event that the step is about: the operation, or the store that reaches memory.
  [[nodiscard]] Ref subject(std::uint32_t step) const { return records_[step].subject; }
  // All thread events in the order in which they happened, which their causal order is part of.
  [[nodiscard]] const std::vector<Ref>& sequence() const { return sequence_; }
  [[nodiscard]] std::int64_t value_of(Ref write, Location location) const {
    return write == initial_write ? machine_.image().locations[location].initial : event(write).written;
  }
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes = sequence_.capacity() * sizeof(Ref) + records_.capacity() * sizeof(Record);
    for (ThreadId t = 0; t < threads_; ++t)
      bytes += events_[t].capacity() * sizeof(RunEvent) + clocks_[t].capacity() * sizeof(std::uint32_t);
    for (const auto& buffer : buffered_) bytes += buffer.capacity() * sizeof(Ref);
    return bytes;
  }

  // Takes a step if there is one. Threads go before buffers. False at the end of the run.
  [[nodiscard]] bool extend() {
    if (!machine_.choosing().empty()) {
      const auto thread = machine_.choosing().first();
      choose(thread, machine_.threads().mailbox(thread).value);
      return true;
    }
    auto enabled = machine_.enabled();
    while (!enabled.empty()) {
      const auto process = enabled.first();
      enabled.erase(process);
      if (process < threads_ && unlocks_foreign(process)) continue;
      execute(process);
      return true;
    }
    return false;
  }

  // Takes steps back until the run starts with a part of `schedule`, and returns how long that part is.
  [[nodiscard]] std::uint32_t back_to_common_start(const Schedule& schedule) {
    std::uint32_t same = 0;
    while (same < schedule.size() && same < machine_.depth() && is(machine_.step(same), schedule[same]))
      ++same;
    while (machine_.depth() > same) undo();
    return same;
  }
  void follow(const Choice& choice) {
    ProcessId process = choice.thread;
    if (choice.type == StepType::choice) return choose(choice.thread, choice.value);
    if constexpr (Machine::has_buffers) {
      if (choice.type == StepType::flush)
        process = machine_.model().find(choice.thread, choice.location)->process;
    }
    if (!machine_.enabled().contains(process))
      throw std::logic_error("internal error: rf has a witness that the machine does not accept");
    execute(process);
  }

 private:
  struct Record {
    std::uint32_t events = 0;  // that the step added
    Ref subject = initial_write;
    Ref overwritten = initial_write;  // what its write took the place of
  };

  static bool is(const Step& step, const Choice& choice) {
    if (step.type != choice.type || step.thread != choice.thread) return false;
    if (step.type == StepType::flush) return step.access.location == choice.location;
    return step.type != StepType::choice || step.read == choice.value;
  }
  // A thread that unlocks what it has not locked has failed, and stays where it is.
  [[nodiscard]] bool unlocks_foreign(ThreadId thread) const {
    const auto& m = machine_.threads().mailbox(thread);
    return m.op == Op::unlock && machine_.memory()[m.location] != std::int64_t{thread} + 1;
  }

  void choose(ThreadId thread, std::int64_t value) {
    const auto m = machine_.threads().mailbox(thread);
    machine_.choose(thread, value);
    records_.push_back({.subject = make_ref(thread, static_cast<std::uint32_t>(events_[thread].size()))});
    append(thread, {.op = Op::choose, .read = value, .operand = m.value, .expected = m.expected});
    absorb_settled(thread);
  }

  void execute(ProcessId process) {
    Mailbox m{};
    if (process < threads_) m = machine_.threads().mailbox(process);
    machine_.execute(process);
    const Step& step = machine_.step(machine_.depth() - 1);
    auto& record = records_.emplace_back();
    Ref write = initial_write;
    if (step.type == StepType::flush) {
      write = buffered_[process - threads_][step.entry];
    } else {
      RunEvent event{.effect = effect_of(step),
                     .op = step.op,
                     .location = step.access.location,
                     .read = step.read,
                     .written = step.written,
                     .operand = m.value,
                     .expected = m.expected};
      if (event.reads()) event.source = step.access.forwarded ? forwarded(step) : writer_[event.location];
      write = make_ref(step.thread, static_cast<std::uint32_t>(events_[step.thread].size()));
      append(step.thread, event);
    }
    record.subject = write;
    if (step.access.writes) {
      record.overwritten = writer_[step.access.location];
      writer_[step.access.location] = write;
      events_[step.thread][index_of(write)].in_memory_at = machine_.depth();
    }
    absorb_settled(step.thread);
  }

  void undo() {
    const Step& step = machine_.step(machine_.depth() - 1);
    const auto record = records_.back();
    records_.pop_back();
    auto& events = events_[step.thread];
    for (auto i = record.events; i > 0; --i) {
      if constexpr (Machine::has_buffers) {
        if (events.back().op == Op::store)
          buffered_[machine_.model().find(step.thread, events.back().location)->process - threads_]
              .pop_back();
      }
      events.pop_back();
      sequence_.pop_back();
    }
    clocks_[step.thread].resize(events.size() * threads_);
    if (step.access.writes) writer_[step.access.location] = record.overwritten;
    machine_.undo();
  }

  [[nodiscard]] static std::uint8_t effect_of(const Step& step) {
    using consistency::Effect;
    switch (step.op) {
      case Op::load: return Effect::load;
      case Op::store: return Effect::store;
      case Op::unlock: return Effect::locked_store;
      default: return step.access.writes ? Effect::read_modify_write : Effect::locked_load;
    }
  }
  // The buffered store that a load of the thread has read.
  [[nodiscard]] Ref forwarded(const Step& step) const {
    if constexpr (Machine::has_buffers) {
      const auto* const buffer = machine_.model().find(step.thread, step.access.location);
      return buffered_[buffer->process - threads_][step.entry];
    }
    return initial_write;
  }

  // What the thread did behind the newest step: stores that entered a buffer, fences that it passed.
  void absorb_settled(ThreadId thread) {
    for (const auto& row : rows_) {
      if (row.type == RowType::buffered || row.type == RowType::fence) append(thread, settled(row));
    }
    rows_.clear();
  }
  [[nodiscard]] static RunEvent settled(const Row& row) {
    using consistency::Effect;
    using consistency::Model;
    if (row.type == RowType::buffered)
      return {.effect = Effect::store, .op = Op::store, .location = row.location, .written = row.written};
    RunEvent fence{.op = Op::fence};
    if (row.type == RowType::fence && model != Model::sc) {
      if (row.fence == Fence::full) fence.effect = Effect::full_fence;
      if (model == Model::pso && (row.fence == Fence::lightweight || row.fence == Fence::store_store))
        fence.effect = Effect::store_fence;
    }
    return fence;
  }

  void append(ThreadId thread, const RunEvent& event) {
    // Fences that mean nothing under the model, and failures, are no events.
    if (event.effect == 0 && !event.chooses()) return;
    const auto index = static_cast<std::uint32_t>(events_[thread].size());
    if (index + 1 >= 1U << index_bits)
      throw std::logic_error("a thread has too many events for the algorithm 'rf'");
    auto& clocks = clocks_[thread];
    clocks.resize((std::size_t{index} + 1) * threads_, 0);
    auto* const clock = clocks.data() + std::size_t{index} * threads_;
    if (index > 0) std::copy_n(clock - threads_, threads_, clock);
    clock[thread] = index + 1;
    if (event.reads() && event.source != initial_write && thread_of(event.source) != thread) {
      const auto* const past = this->clock(event.source);
      for (ThreadId t = 0; t < threads_; ++t) clock[t] = std::max(clock[t], past[t]);
    }
    events_[thread].push_back(event);
    events_[thread].back().at = static_cast<std::uint32_t>(records_.size());
    sequence_.push_back(make_ref(thread, index));
    if constexpr (Machine::has_buffers) {
      if (event.op == Op::store) {
        const auto buffer = machine_.model().find(thread, event.location)->process - threads_;
        if (buffered_.size() <= buffer) buffered_.resize(buffer + 1);
        buffered_[buffer].push_back(make_ref(thread, index));
      }
    }
    if (!records_.empty()) ++records_.back().events;
  }

  Machine& machine_;
  ThreadId threads_;
  std::vector<std::vector<RunEvent>> events_;       // by thread
  std::vector<std::vector<std::uint32_t>> clocks_;  // by thread, `threads_` numbers an event
  std::vector<Ref> sequence_;
  std::vector<Ref> writer_;                 // by location: the write that memory has
  std::vector<std::vector<Ref>> buffered_;  // by buffer: every store that ever entered it on this run
  std::vector<Record> records_;             // by step
  Rows rows_;
};

}  // namespace heddle::checker::rf
