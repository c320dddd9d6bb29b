// The run that `rf` is looking at: the machine's steps, and the thread events that they are made of; and
// the question to the verifier whether part of the run with a few changes is a run, too.
//
// A thread event is that of paper 4: a load, a store entering its buffer, a fence, a locked operation;
// flushes are not among them. Each event has what the algorithm asks about: the write that it reads from and
// its causal past (program order and reads-from) as a vector clock. All of it moves forward and back with
// each step, so that going from one run to the next costs what differs between the two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/interleavings/interleaving.hpp"
#include "checker/interleavings/sharing.hpp"
#include "checker/search/search.hpp"
#include "checker/state/ending.hpp"
#include "checker/state/rows.hpp"
#include "checker/verifier/verifier.hpp"

namespace heddle::checker::rf {

// A thread event by its thread and its number in program order, in one word.
using EventName = std::uint32_t;
inline constexpr unsigned index_bits = 24;
inline constexpr EventName initial_write = 0xffffffff;
[[nodiscard]] inline EventName name_of(ThreadId thread, std::uint32_t index) {
  return thread << index_bits | index;
}
[[nodiscard]] inline ThreadId thread_of(EventName event) { return event >> index_bits; }
[[nodiscard]] inline std::uint32_t index_of(EventName event) { return event & ((1U << index_bits) - 1); }

struct RunEvent {
  std::uint8_t effect = 0;  // consistency::Effect
  Op op = Op::load;
  Location location = none;
  EventName source = initial_write;  // of reads
  std::int64_t read = 0;             // choices: the value chosen
  std::int64_t written = 0;
  std::int64_t operand = 0;   // as in the mailbox; choices: low
  std::int64_t expected = 0;  // as in the mailbox; choices: high
  // How many steps into the run it has happened, and its write is in memory (`none`: is not).
  std::uint32_t at = 0, in_memory_at = none;
  // Of an operation at which its thread waited: where Run has the block that the thread had before it.
  std::size_t block = no_block;
  static constexpr std::size_t no_block = SIZE_MAX;
  // Of the choice of an `either` at which the thread waited (MachineOptions::choices_wait): where Run has its alternatives.
  std::uint32_t alternatives = none;
  bool continues_choice = false;  // the choice of an `either` in an alternative of that one
  bool in_guard = false;          // an operation of the guard of an alternative

  [[nodiscard]] bool reads() const { return (effect & consistency::Effect::reads) != 0; }
  [[nodiscard]] bool writes() const { return (effect & consistency::Effect::writes) != 0; }
  [[nodiscard]] bool chooses() const { return op == Op::choose; }
};

template <Interleaving Machine>
class Run {
 public:
  // The verifier's model; a model without a verifier does not compile.
  static constexpr consistency::Model model = consistency::find_model(Machine::Model::name).value();

  explicit Run(Machine& machine)
      : machine_(machine),
        threads_(machine.thread_count()),
        events_(threads_),
        clocks_(threads_),
        waits_(threads_),
        writer_(machine.image().locations.size(), initial_write) {
    for (ThreadId t = 0; t < threads_; ++t) {
      if (machine_.image().threads[t].is_daemon) daemons_.push_back(t);
    }
    // Without buffers, nothing between two steps of a thread is an event.
    machine_.restart_with_log(Machine::has_buffers ? &rows_ : nullptr);
    for (const auto& row : rows_) append(row.thread, settled(row));
    rows_.clear();
  }

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] ThreadId threads() const { return threads_; }
  [[nodiscard]] const std::vector<std::vector<RunEvent>>& events() const { return events_; }  // by thread
  [[nodiscard]] const std::vector<RunEvent>& events(ThreadId thread) const { return events_[thread]; }
  [[nodiscard]] const RunEvent& event(EventName name) const {
    return events_[thread_of(name)][index_of(name)];
  }
  [[nodiscard]] std::size_t locations() const { return writer_.size(); }
  // How many stores each buffer has room for (consistency::Instance).
  [[nodiscard]] std::uint32_t buffer_bound() const {
    if constexpr (Machine::has_buffers) {
      if (machine_.model().bounded()) return machine_.model().bound();
    }
    return consistency::Instance::unbounded;
  }
  // Whether stores enter buffers, and are no steps of their threads.
  [[nodiscard]] bool buffers_stores() const {
    if constexpr (Machine::has_buffers) return machine_.model().buffers_stores();
    return false;
  }
  // How many events of each thread the causal past of the event has, itself included.
  [[nodiscard]] const std::uint32_t* clock(EventName name) const {
    return clocks_[thread_of(name)].data() + std::size_t{index_of(name)} * threads_;
  }
  // For a write in the causal past of an event of the thread: whether the thread has seen it, or it reaches
  // memory before the thread's writes to the same location. Under PSO, where stores do not become visible in
  // program order, it may still be in its buffer.
  [[nodiscard]] bool visible(EventName write, ThreadId thread) const {
    return model != consistency::Model::pso || thread_of(write) == thread ||
           (event(write).effect & consistency::Effect::direct) != 0;
  }
  // Of two writes to a location: whether the first one reaches memory before the second in every run with the causal past of
  // the latter.
  [[nodiscard]] bool comes_before(EventName first, EventName second) const {
    return first == initial_write || (first != second && index_of(first) < clock(second)[thread_of(first)] &&
                                      visible(first, thread_of(second)));
  }
  // The event of a step: the operation, or the store that reaches memory.
  [[nodiscard]] EventName subject(std::uint32_t step) const { return records_[step].subject; }
  // All thread events in the order in which they happened, which extends their causal order.
  [[nodiscard]] const std::vector<EventName>& sequence() const { return sequence_; }
  [[nodiscard]] std::int64_t value_of(EventName write, Location location) const {
    return write == initial_write ? machine_.image().locations[location].initial : event(write).written;
  }
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes =
        sequence_.capacity() * sizeof(EventName) + records_.capacity() * sizeof(Record) + blocks_.capacity();
    for (ThreadId t = 0; t < threads_; ++t)
      bytes += events_[t].capacity() * sizeof(RunEvent) + clocks_[t].capacity() * sizeof(std::uint32_t);
    for (const auto& buffer : buffered_) bytes += buffer.capacity() * sizeof(EventName);
    bytes += choices_.capacity() * sizeof(WaitedChoice);
    for (const auto& choice : choices_)
      bytes += choice.blocks.capacity() + choice.alternatives.capacity() * sizeof(Alternative);
    return bytes;
  }

  // Whether the event is an operation at which its thread waited (Machine::awaits), and would have stopped it with this value.
  [[nodiscard]] bool would_stop(EventName name, std::int64_t value) {
    const std::size_t block = event(name).block;
    return block != RunEvent::no_block && !machine_.goes_on(thread_of(name), value, blocks_.data() + block);
  }

  // The alternatives of a choice at which the thread waited.
  [[nodiscard]] const std::vector<Alternative>& alternatives(const RunEvent& choice) const {
    return choices_[choice.alternatives].alternatives;
  }
  // Whether the choice leads to this one of its alternatives.
  [[nodiscard]] bool takes(EventName choice, const Alternative& alternative) const {
    const auto& events = events_[thread_of(choice)];
    for (std::size_t i = 0; i < alternative.choices.size(); ++i) {
      const std::size_t index = index_of(choice) + i;
      if (index >= events.size() || !events[index].chooses() || events[index].read != alternative.choices[i])
        return false;
    }
    return true;
  }
  // The load that a choice waits for in this alternative, if it takes it.
  [[nodiscard]] static EventName guard_of(EventName choice, const Alternative& alternative) {
    return choice + static_cast<std::uint32_t>(alternative.choices.size()) + alternative.own_loads;
  }
  [[nodiscard]] static bool waits_for_load(const Alternative& alternative) {
    return alternative.kind == Alternative::Kind::guarded && alternative.op == Op::load;
  }
  // Whether the event is such a load.
  [[nodiscard]] bool opens_alternative(EventName name) const {
    if (!event(name).in_guard) return false;
    const EventName choice = choice_before(thread_of(name), index_of(name));
    if (choice == initial_write) return false;
    return std::ranges::any_of(alternatives(event(choice)), [&](const Alternative& it) {
      return waits_for_load(it) && guard_of(choice, it) == name && takes(choice, it);
    });
  }
  // Whether the guard of a guarded alternative would pass if its operation read this value.
  [[nodiscard]] bool opens(EventName choice, std::uint32_t alternative, std::int64_t value) {
    const ThreadId thread = thread_of(choice);
    const auto& blocks = choices_[event(choice).alternatives].blocks;
    return machine_.opens(thread, blocks.data() + alternative * machine_.threads().size(thread), value,
                          false);
  }

  // Takes a step if there is one, or all up to the end of the guard of an alternative. Threads go before buffers; last, those
  // that wait look at what stops them. (A daemon may go round for ever. Where it waits again it looks early, so that not
  // all runs go up to the loop bound.) False at the end of the run.
  [[nodiscard]] bool extend() {
    if (!machine_.choosing().empty()) {
      const auto thread = machine_.choosing().first();
      choose(thread, machine_.threads().mailbox(thread).value);
      return true;
    }
    if (const ThreadId daemon = waits_again(); daemon != none) {
      execute(daemon);
      return true;
    }
    if (!machine_.enabled().empty()) {
      const ProcessId process = machine_.enabled().first();
      if (process < threads_ && machine_.at_choices().contains(process)) {
        const auto open = static_cast<std::size_t>(std::countr_zero(machine_.open_alternatives(process)));
        take(process, machine_.alternatives(process)[open]);
      } else {
        execute(process);
      }
      return true;
    }
    for (ThreadId t = 0; t < threads_; ++t) {
      if (!machine_.awaits(t)) continue;
      if (machine_.at_choices().contains(t)) {
        choose(t, machine_.threads().mailbox(t).value);
      } else {
        execute(t);
      }
      return true;
    }
    return false;
  }

  // Takes steps back until the run is a beginning of `schedule`, and returns how long that is.
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
    if (!machine_.enabled().contains(process) && !machine_.awaits(process))
      throw std::logic_error("internal error: rf has a witness that the machine does not accept");
    execute(process);
  }

 private:
  struct Record {
    std::uint32_t events = 0;  // that the step added
    EventName subject = initial_write;
    EventName overwritten = initial_write;  // what its write took the place of
  };

  static bool is(const Step& step, const Choice& choice) {
    if (step.type != choice.type || step.thread != choice.thread) return false;
    if (step.type == StepType::flush) return step.access.location == choice.location;
    return step.type != StepType::choice || step.read == choice.value;
  }

  // A daemon that waits, has waited before on this run, and has no store in a buffer, for which an update would have to wait.
  [[nodiscard]] ThreadId waits_again() const {
    for (const ThreadId t : daemons_) {
      if (!machine_.awaits(t) || machine_.enabled().contains(t) || machine_.at_choices().contains(t))
        continue;
      if constexpr (Machine::has_buffers) {
        if (!machine_.model().drained(t)) continue;
      }
      if (waits_[t] > 0) return t;
    }
    return none;
  }

  void choose(ThreadId thread, std::int64_t value) {
    const auto m = machine_.threads().mailbox(thread);
    RunEvent event{.op = Op::choose, .read = value, .operand = m.value, .expected = m.expected};
    if (machine_.at_choices().contains(thread)) {
      event.alternatives = static_cast<std::uint32_t>(choices_.size());
      auto& choice = choices_.emplace_back();
      choice.alternatives = machine_.alternatives(thread);
      const std::size_t bytes = choice.alternatives.size() * machine_.threads().size(thread);
      const std::byte* const blocks = machine_.block_at_guard(thread, 0);
      choice.blocks.assign(blocks, blocks + bytes);
    } else if (m.in_either == compiler::InEither::inside && !events_[thread].empty()) {
      const RunEvent& before = events_[thread].back();
      event.continues_choice = before.alternatives != none || before.continues_choice;
    }
    machine_.choose(thread, value);
    records_.push_back({.subject = name_of(thread, static_cast<std::uint32_t>(events_[thread].size()))});
    append(thread, event);
    absorb_settled(thread);
  }
  // The newest choice of an `either` before this place; `initial_write` if there is none, or the thread did not wait at it.
  [[nodiscard]] EventName choice_before(ThreadId thread, std::uint32_t index) const {
    while (index-- > 0) {
      const RunEvent& event = events_[thread][index];
      if (!event.chooses() || event.continues_choice) continue;
      return event.alternatives != none ? name_of(thread, index) : initial_write;
    }
    return initial_write;
  }
  // Takes an open alternative, with its guard.
  void take(ThreadId thread, const Alternative& alternative) {
    const std::vector<std::int64_t> choices = alternative.choices;
    for (const std::int64_t value : choices) choose(thread, value);
    const auto is_in_guard = [&] {
      return machine_.awaits(thread) &&
             machine_.threads().mailbox(thread).in_either == compiler::InEither::inside;
    };
    while (is_in_guard() && machine_.enabled().contains(thread)) execute(thread);
  }

  void execute(ProcessId process) {
    Mailbox m{};
    std::size_t block = RunEvent::no_block;
    bool daemon_in_guard = false;
    if (process < threads_) {
      m = machine_.threads().mailbox(process);
      if (machine_.awaits(process)) block = keep_block(process);
      daemon_in_guard = is_daemon_in_guard(process);
    }
    machine_.execute(process);
    const Step& step = machine_.step(machine_.depth() - 1);
    auto& record = records_.emplace_back();
    EventName write = initial_write;
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
      event.block = block;
      if (block != RunEvent::no_block) ++waits_[step.thread];
      event.in_guard = m.in_either == compiler::InEither::inside && m.in_await != 0;
      if (event.reads()) event.source = step.access.forwarded ? forwarded(step) : writer_[event.location];
      write = name_of(step.thread, static_cast<std::uint32_t>(events_[step.thread].size()));
      append(step.thread, event);
    }
    record.subject = write;
    if (step.access.writes) {
      record.overwritten = writer_[step.access.location];
      writer_[step.access.location] = write;
      events_[step.thread][index_of(write)].in_memory_at = machine_.depth();
    }
    absorb_settled(step.thread);
    if (daemon_in_guard && is_daemon_in_guard(process)) throw DaemonInGuard{};
  }
  // Whether a daemon that waited at a choice is at an operation of the guard. There must be no second one: it could wait there for ever.
  [[nodiscard]] bool is_daemon_in_guard(ThreadId thread) {
    if (daemons_.empty() || !machine_.image().threads[thread].is_daemon) return false;
    const auto& m = machine_.threads().mailbox(thread);
    if (m.in_await == 0 || m.in_either != compiler::InEither::inside) return false;
    const auto index = static_cast<std::uint32_t>(events_[thread].size());
    return choice_before(thread, index) != initial_write && machine_.is_in_guard(thread);
  }

  [[nodiscard]] std::size_t keep_block(ThreadId thread) {
    const std::size_t place = blocks_.size();
    const std::byte* const block = machine_.threads().block(thread);
    blocks_.insert(blocks_.end(), block, block + machine_.threads().size(thread));
    return place;
  }

  void undo() {
    const Step& step = machine_.step(machine_.depth() - 1);
    const auto record = records_.back();
    records_.pop_back();
    auto& events = events_[step.thread];
    for (auto i = record.events; i > 0; --i) {
      if constexpr (Machine::has_buffers) {
        if (events.back().op == Op::store && buffers_stores())
          buffered_[machine_.model().find(step.thread, events.back().location)->process - threads_]
              .pop_back();
      }
      if (events.back().block != RunEvent::no_block) {
        blocks_.resize(events.back().block);
        --waits_[step.thread];
      }
      if (events.back().alternatives != none) choices_.pop_back();
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
  // The store of its own thread that a load has read out of the buffer.
  [[nodiscard]] EventName forwarded(const Step& step) const {
    if constexpr (Machine::has_buffers) {
      const auto* const buffer = machine_.model().find(step.thread, step.access.location);
      return buffered_[buffer->process - threads_][step.entry];
    }
    return initial_write;
  }

  // Appends what the thread did after the newest step: stores that entered a buffer, fences that it passed.
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
    // Failures, and fences without a meaning under the model, are no events.
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
    sequence_.push_back(name_of(thread, index));
    if constexpr (Machine::has_buffers) {
      if (event.op == Op::store && buffers_stores()) {
        const auto buffer = machine_.model().find(thread, event.location)->process - threads_;
        if (buffered_.size() <= buffer) buffered_.resize(buffer + 1);
        buffered_[buffer].push_back(name_of(thread, index));
      }
    }
    if (!records_.empty()) ++records_.back().events;
  }

  Machine& machine_;
  ThreadId threads_;
  std::vector<ThreadId> daemons_;
  std::vector<std::vector<RunEvent>> events_;       // by thread
  std::vector<std::vector<std::uint32_t>> clocks_;  // by thread, `threads_` numbers an event
  std::vector<std::uint32_t> waits_;                // by thread: its events at which it waited
  std::vector<EventName> sequence_;
  std::vector<EventName> writer_;                 // by location: the write that memory holds
  std::vector<std::vector<EventName>> buffered_;  // by buffer: every store that ever entered it on this run
  std::vector<Record> records_;                   // by step
  std::vector<std::byte> blocks_;                 // see RunEvent::block
  struct WaitedChoice {
    std::vector<Alternative> alternatives;
    std::vector<std::byte> blocks;  // by alternative: Machine::block_at_guard
  };
  std::vector<WaitedChoice> choices_;  // see RunEvent::alternatives
  Rows rows_;
};

// An event that differs in the new run: it reads from `source`. It may be one that its thread has only
// requested so far.
struct Change {
  EventName event = initial_write;
  std::uint8_t effect = 0;
  Location location = none;
  EventName source = initial_write;
};

// The write that a location ends with.
struct LastWrite {
  Location location = none;
  EventName write = initial_write;
};

// From a run to a consistency problem and back: which events of each thread are kept, what one or two of them
// read from instead, and the verifier's witness as a schedule of the machine.
template <typename Run>
class Realiser {
 public:
  explicit Realiser(const Run& run) : run_(run), offset_(run.threads()), dense_(run.locations(), none) {
    instance_.buffer_bound = run.buffer_bound();
  }

  // `stop()` is asked every few thousand steps whether to give up; the answer is no then.
  void watch(std::function<bool()> stop) { verifier_.watch(std::move(stop)); }

  // Whether there is a run of the first kept[t] events of each thread, with these changes and last writes.
  [[nodiscard]] bool realisable(std::span<const std::uint32_t> kept, std::span<const Change> changes,
                                std::span<const LastWrite> last = {}) {
    build(kept, changes, last);
    return verifier_.verify(instance_, Run::model, consistency::UseClosure::when_stuck);
  }

  [[nodiscard]] std::size_t memory_used() const {
    return verifier_.memory_used() + instance_.events.capacity() * sizeof(consistency::Event) +
           names_.capacity() * sizeof(EventName);
  }

  // The witness of the last call, as steps of the machine. The machine does the rest by itself: stores enter
  // their buffers and fences are passed as part of the step before.
  void witness(Schedule& schedule) const {
    schedule.clear();
    for (const auto& action : verifier_.witness()) {
      const auto name = names_[action.event];
      const auto thread = thread_of(name);
      if (action.flush) {
        schedule.push_back(
            {.type = StepType::flush, .thread = thread, .location = run_.event(name).location});
        continue;
      }
      const bool pending = index_of(name) == run_.events(thread).size();
      const auto effect = instance_.events[action.event].effect;
      if (!pending && run_.event(name).chooses()) {
        schedule.push_back({.type = StepType::choice, .thread = thread, .value = run_.event(name).read});
      } else if (is_step(effect)) {
        schedule.push_back({.type = StepType::operation, .thread = thread});
      }
    }
  }

 private:
  // Whether the event is a transition of the machine.
  [[nodiscard]] bool is_step(std::uint8_t effect) const {
    using consistency::Effect;
    if ((effect & Effect::reads) != 0 || (effect & Effect::direct) != 0) return true;
    return !run_.buffers_stores() && (effect & Effect::writes) != 0;
  }

  void build(std::span<const std::uint32_t> kept, std::span<const Change> changes,
             std::span<const LastWrite> last) {
    instance_.clear();
    names_.clear();
    std::uint32_t offset = 0;
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      offset_[t] = offset;
      offset += kept[t];
    }
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      const auto& events = run_.events(t);
      for (std::uint32_t i = 0; i < kept[t]; ++i) {
        const auto name = name_of(t, i);
        names_.push_back(name);
        const auto change = std::find_if(changes.begin(), changes.end(),
                                         [&](const Change& candidate) { return candidate.event == name; });
        if (change != changes.end()) {
          add(change->effect, change->location, change->source);
        } else {
          add(events[i].effect, events[i].location, events[i].source);
        }
      }
      instance_.end_thread();
    }
    for (const auto& end : last) instance_.final_writes.push_back({dense(end.location), id_of(end.write)});
    instance_.locations = static_cast<std::uint32_t>(used_.size());
    for (const auto location : used_) dense_[location] = none;
    used_.clear();
  }
  void add(std::uint8_t effect, Location location, EventName source) {
    instance_.events.push_back({effect, location == none ? 0 : dense(location), id_of(source)});
  }
  // The verifier numbers the locations that occur.
  [[nodiscard]] std::uint32_t dense(Location location) {
    auto& number = dense_[location];
    if (number == none) {
      number = static_cast<std::uint32_t>(used_.size());
      used_.push_back(location);
    }
    return number;
  }
  [[nodiscard]] consistency::EventId id_of(EventName write) const {
    return write == initial_write ? consistency::no_event : offset_[thread_of(write)] + index_of(write);
  }

  const Run& run_;
  consistency::Verifier verifier_;
  consistency::Instance instance_;
  std::vector<EventName> names_;       // by event of the instance
  std::vector<std::uint32_t> offset_;  // by thread: its first event in the instance
  std::vector<std::uint32_t> dense_;   // by location: its number in the instance
  std::vector<Location> used_;
};

// One reads-from class, as `rf` has it at the end of its run.
struct FoundClass {
  const std::vector<std::vector<RunEvent>>& events;  // by thread
  const Threads& threads;                            // the operation at which each stops
  Ending ending = Ending::complete;
};
using ClassObserver = std::function<void(const FoundClass&)>;

// run_rf with an observer that is called once for every class.
void run(Search& search, const ClassObserver& observer);

}  // namespace heddle::checker::rf
