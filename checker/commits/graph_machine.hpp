// The commit machines of SC, TSO and PSO: an execution graph and the threads that make it. cb is (po | rf)+:
// a thread's next operation is the only one that it has fetched. The models are closed under prefixes of po |
// rf, and an event can always come last or read from the newest write, so no run blocks.
//
// The graph (graph.hpp) knows where an event may go, and TiedThreads which of equal threads goes first. This
// file runs the threads between their events, and implements the contracts: CommitMachine, where ids count
// the steps, and RevisitMachine, where `cut` removes events from the middle of a run. From the first `cut`
// on, functions that take or count steps (step, first_event, step_of, place, run, follow, undo ...) have no
// meaning; `order`, insert and remove replace them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "checker/commits/deferrals.hpp"
#include "checker/commits/event_name.hpp"
#include "checker/commits/graph.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/commits/sc_axioms.hpp"
#include "checker/commits/tied_threads.hpp"
#include "checker/commits/trials.hpp"
#include "checker/preemption_bound/unbounded.hpp"
#include "checker/state/last_look.hpp"
#include "checker/state/machine_options.hpp"
#include "checker/state/rows.hpp"
#include "checker/state/snapshots.hpp"
#include "checker/state/update_effect.hpp"

namespace heddle::checker {

template <typename Model, unsigned Words, template <typename Graph> typename Bound = Unbounded>
class GraphMachine {
 public:
  using ExecutionGraph = Graph<Model, Words>;
  using Set = typename ExecutionGraph::Set;
  template <unsigned Wider>
  using Widened = GraphMachine<Model, Wider, Bound>;
  static constexpr unsigned words = Words;
  // TSO and PSO let stores pass, so the sets of events are no beginnings of threads: bits take less than ranges.
  static constexpr unsigned next_width = Words == 1                                           ? 64
                                         : std::is_same_v<Model, SequentialConsistencyAxioms> ? by_ranges
                                                                                              : growing;
  static constexpr std::string_view out_of_room = too_long_graph;
  // Whether the machine can run the program.
  [[nodiscard]] static bool serves(const Image& image) {
    return image.threads.size() <= ExecutionGraph::most_threads;
  }

  struct Prepared {
    static constexpr bool conditional = false;  // read-modify-writes are one event
    EventName name;
    Op op = Op::load;
    bool ran = false;           // see `resume`
    bool awaits = false;        // see `awaits`
    bool settled = false;       // of a guard that can neither be revisited nor deleted: see WaitsAtChoices
    bool in_probe = false;      // the choice of a probe, or a load that comes directly after it
    bool reads_newest = false;  // of the latter: the loads between the two do
    std::int64_t home = 0;      // of a choice that waits
    EventId opened = no_event;  // the choice that was opened, if the event is that or belongs to its guard,
    EventId opened_by = no_event;  // and the write that the guard must read
    EventId initial = no_event;
    EventId newest = no_event;  // none: a choice
    EventId twin = no_event;    // see TiedThreads::next_twin_of
    std::int64_t low = 0;
    std::int64_t high = 0;
    Set bounds;      // what the event must stay co-after
    Set cut_bounds;  // what a read that the event revisits must stay co-after
    // The state of the thread after a store, if `ran`.
    std::uint32_t snapshot_after = 0;
    ThreadState state_after = ThreadState::ready;
    bool full_fence_after = false;
    bool store_fence_after = false;
  };

  GraphMachine(const Image& image, const MachineOptions& options)
      : image_(image),
        options_(options),
        graph_(static_cast<std::uint32_t>(image.threads.size()),
               static_cast<std::uint32_t>(image.locations.size()), options.buffer_bound),
        bound_(graph_, options.preemption_bound,
               std::any_of(image.locations.begin(), image.locations.end(),
                           [](const auto& location) { return location.is_mutex; })),
        tied_(graph_, options.twins),
        deferrals_(graph_),
        snapshots_(image),
        trials_(image, graph_, snapshots_) {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      snapshots_.start(t, image.threads[t]);
      settle(t);
    }
  }
  GraphMachine(const GraphMachine&) = delete;
  GraphMachine& operator=(const GraphMachine&) = delete;

  // -- The run, as CommitMachine has it.

  [[nodiscard]] std::uint32_t thread_count() const { return snapshots_.thread_count(); }
  [[nodiscard]] const ExecutionGraph& graph() const { return graph_; }
  [[nodiscard]] bool full() const { return out_of_room_ || graph_.full(); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(graph_.order().size()); }
  [[nodiscard]] EventName step(std::uint32_t depth) const { return name_of(depth); }
  [[nodiscard]] static ProcessId first_event(std::uint32_t depth) { return depth; }
  [[nodiscard]] static std::uint32_t step_of(std::int64_t id) { return static_cast<std::uint32_t>(id); }
  [[nodiscard]] EventName name_of(std::int64_t id) const {
    if (id < 0) return {};
    const auto& event = graph_[static_cast<EventId>(id)];
    return {event.thread, event.index};
  }
  // The violations that threads found in the newest step, or before the first one, each with the events that
  // led there: the thread may have passed a fence since then.
  struct FailureWithCauses : Failure {
    Set causes;
  };
  [[nodiscard]] const std::vector<FailureWithCauses>& failures() const { return failures_; }
  [[nodiscard]] std::uint64_t forced_flushes() const { return graph_.forced_flushes(); }
  // Threads do not run ahead, so only `full` limits them.
  [[nodiscard]] static std::string_view limit() { return {}; }
  [[nodiscard]] std::size_t memory_used() const {
    return graph_.memory_used() + snapshots_.memory_used() + bound_.memory_used() +
           settled_before_.capacity() * sizeof(Settled);
  }

  // The event is committed, or its thread is at it.
  [[nodiscard]] Op op(EventName name) const { return is_at_probe(name) ? Op::choose : mailbox(name).op; }
  [[nodiscard]] Location location(EventName name) const {
    const auto& m = mailbox(name);
    return m.op == Op::choose || is_at_probe(name) ? none : m.location;
  }
  [[nodiscard]] bool updates(EventName name) const { return updates(op(name)); }
  [[nodiscard]] bool reads(EventName name) const { return op(name) == Op::load || updates(name); }
  // Of the event of a step, which needs no search.
  [[nodiscard]] Op op_at(std::uint32_t depth) const {
    return is_probe(static_cast<EventId>(depth)) ? Op::choose : mailbox_at(depth).op;
  }
  [[nodiscard]] Location location_at(std::uint32_t depth) const {
    return op_at(depth) == Op::choose ? none : mailbox_at(depth).location;
  }
  [[nodiscard]] bool reads_at(std::uint32_t depth) const {
    const Op kind = op_at(depth);
    return kind == Op::load || updates(kind);
  }
  [[nodiscard]] std::int64_t place(std::uint32_t depth) const {
    const auto& event = graph_[static_cast<EventId>(depth)];
    return event.reads() ? event.source : event.co_previous;
  }
  // (Of a probe, what its loads read says all, and one run may take the home for what another one takes the second alternative.)
  [[nodiscard]] std::int64_t chosen(std::uint32_t depth) const {
    const auto id = static_cast<EventId>(depth);
    return is_probe(id) ? 0 : graph_[id].value;
  }
  [[nodiscard]] std::optional<std::int64_t> written_by(std::uint32_t depth) const {
    return graph_[static_cast<EventId>(depth)].writes() ? std::optional<std::int64_t>(depth) : std::nullopt;
  }
  [[nodiscard]] std::int64_t resolve(EventName name, EventName place) {
    if (place.thread == none) return initial(location(name));
    return find(place);
  }

  // Writes, initial ones included.
  [[nodiscard]] std::int64_t value_of(std::int64_t write) const {
    return graph_[static_cast<EventId>(write)].value;
  }
  [[nodiscard]] std::int64_t older(std::int64_t write) const {
    return graph_[static_cast<EventId>(write)].co_previous;
  }
  [[nodiscard]] EventId newer(std::int64_t write) const {
    return graph_[static_cast<EventId>(write)].co_next;
  }
  [[nodiscard]] bool taken(std::int64_t write) const { return graph_.taken(static_cast<EventId>(write)); }
  [[nodiscard]] const Set& readers(std::int64_t write) const {
    return graph_[static_cast<EventId>(write)].readers;
  }
  // Events.
  [[nodiscard]] EventId write_of(EventId id) const { return graph_[id].writes() ? id : no_event; }
  [[nodiscard]] EventId source_of(EventId id) const { return graph_[id].source; }
  [[nodiscard]] bool is_decision(EventId id) const {
    const auto& event = graph_[id];
    return event.kind == EventKind::choice || !event.in_program();
  }
  [[nodiscard]] bool is_default(EventId id) const { return graph_[id].canonical; }

  template <typename Visit>
  void for_each_enabled(Visit&& visit) const {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      if (event(t) && !tied_.held_back(t)) visit(next_of(t));
    }
  }
  [[nodiscard]] bool waits(EventName name) {
    return op(name) == Op::lock && value_of(graph_.newest(initial(location(name)))) != 0;
  }

  [[gnu::always_inline]] void prepare(EventName name, Prepared& event) {
    const auto& m = standing(name.thread);
    event.name = name;
    event.op = m.op;
    event.ran = false;
    event.awaits = graph_.thread(name.thread).state == ThreadState::awaiting;
    if (event.awaits) [[unlikely]] {
      event.settled = event.in_probe = event.reads_newest = false;
      event.opened = event.opened_by = no_event;
    }
    event.newest = event.twin = no_event;
    if (m.probe == Probe::first && event.awaits && trials_.is_at_choice(name.thread)) [[unlikely]] {
      any_choice_waits_ = true;
      event.op = Op::choose;
      event.in_probe = event.reads_newest = true;
      event.low = event.home = 0;
      event.high = alternatives_of_probe;
      if (tied_.any()) event.twin = tied_.next_twin_of(name.thread);
      return;
    }
    event.low = m.value;
    event.high = m.expected;
    if (m.op == Op::choose) {
      if (tied_.any()) keep_after_twin(event);
      if (event.awaits) event.home = trials_.home_of(name.thread);
      return;
    }
    event.initial = initial(m.location);
    event.newest = graph_.newest(event.initial);
    event.bounds = graph_.bounds(name.thread, event.initial, ExecutionGraph::access_of(m.op));
    if (m.op == Op::lock && deferred(name.thread)) keep_after_owner(name.thread, event.bounds);
    if (tied_.any()) [[unlikely]]
      keep_after_twin(event);
  }
  [[nodiscard]] std::optional<std::int64_t> first_parameter(const Prepared& event) const {
    return event.newest == no_event ? event.low : event.newest;
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(const Prepared& event,
                                                           std::int64_t parameter) const {
    if (event.newest == no_event) {
      return parameter + 1 < event.high ? std::optional(parameter + 1) : std::nullopt;
    }
    if (parameter < 0 || event.bounds.contains(static_cast<ProcessId>(parameter))) return std::nullopt;
    return graph_[static_cast<EventId>(parameter)].co_previous;
  }
  [[nodiscard]] Set commit_before(const Prepared& event) const {
    Set prefix = graph_.prefix(event.name.thread);
    if (event.twin != no_event) prefix |= graph_[event.twin].prefix;
    return prefix;
  }
  [[nodiscard]] const Set& committed_before(std::int64_t id) const {
    return graph_[static_cast<EventId>(id)].prefix;
  }

  bool commit(const Prepared& event, std::int64_t parameter) {
    if (event.newest != no_event && !within(event, static_cast<EventId>(parameter))) return false;
    if (event.newest == no_event && parameter < event.low) return false;
    const Effect effect = effect_of(event, parameter);
    if (event.op == Op::lock && effect.kind == EventKind::read) return false;
    if (writes(effect.kind) && taken(parameter)) return false;
    EventId id = no_event;
    add(event, effect, parameter, id);
    if (effect.kind != EventKind::probe) run_on(event.name.thread, effect.result, id);
    return true;
  }
  void undo() {
    const auto id = static_cast<EventId>(depth() - 1);
    if (!is_probe(id)) snapshots_.drop_from(graph_.thread(graph_[id].thread).snapshot);
    bound_.remove(id);
    graph_.remove(id);
    graph_.drop_from_order();
    failures_.clear();
  }

  // -- The end of a run.

  // The request at which the thread is.
  [[nodiscard]] const Mailbox& standing(ThreadId t) const {
    return snapshots_.mailbox(graph_.thread(t).snapshot);
  }
  [[nodiscard]] bool finished() const {
    return (graph_.in_state(ThreadState::ready) | graph_.in_state(ThreadState::waiting) |
            graph_.in_state(ThreadState::awaiting) | graph_.in_state(ThreadState::stuck))
        .empty();
  }
  // (A thread that still awaits something after `evaluate_waits` could continue.)
  [[nodiscard]] Op standing_op(ThreadId t) const {
    return graph_.thread(t).state == ThreadState::awaiting ? Op::await_failed : standing(t).op;
  }
  [[nodiscard]] std::uint32_t standing_site(ThreadId t) const { return standing(t).site; }
  void final_memory(std::vector<std::int64_t>& memory) const {
    for (std::uint32_t location = 0; location < memory.size(); ++location)
      memory[location] = newest_value(location);
  }
  static void clean() {}
  [[nodiscard]] const std::byte* block(ThreadId t) const {
    return snapshots_.block(graph_.thread(t).snapshot);
  }
  [[nodiscard]] bool await_holds(ThreadId t) {
    if (graph_.thread(t).state == ThreadState::awaiting) return true;
    return await_holds(t, [&](Location location) { return newest_value(location); });
  }
  template <typename Read>
  [[nodiscard]] bool await_holds(ThreadId t, Read&& read, std::int64_t answer = compiler::any_alternative) {
    return trials_.await_holds(t, read, answer);
  }

  [[nodiscard]] Look look(ThreadId t, std::uint32_t back) const {
    for (EventId id = graph_.thread(t).last; id != no_event; id = graph_[id].po_previous) {
      const auto& event = graph_[id];
      if (!event.in_program() || !event.reads() || back-- > 0) continue;
      return {graph_.location_of(event.location), value_of(event.source),
              event.source == graph_.newest(event.location)};
    }
    return {};
  }

  // By thread, from its newest event back: the value of a choice, else the name of the write that the event
  // reads from or follows in coherence order.
  void key(std::vector<std::uint64_t>& packed) const {
    packed.clear();
    for (ThreadId t = 0; t < thread_count(); ++t) {
      packed.push_back(graph_.thread(t).length);
      for (EventId id = graph_.thread(t).last; id != no_event; id = graph_[id].po_previous) {
        const auto depth = static_cast<std::uint32_t>(id);
        const bool choice = mailbox_at(depth).op == Op::choose;
        packed.push_back(static_cast<std::uint64_t>(choice ? chosen(depth) : encoded(name_of(place(depth)))));
      }
    }
  }

  // -- Program order, as KnowsProgramOrder has it.

  [[nodiscard]] EventId last_event(ThreadId t) const { return graph_.thread(t).last; }
  [[nodiscard]] EventId po_previous(EventId id) const { return graph_[id].po_previous; }
  // The graph's closed order has rfe, co and fr in it, and rfi is part of program order: so it is that of SC if
  // each event is after the one before it in its thread. O(events).
  [[nodiscard]] bool keeps_program_order() const {
    if constexpr (std::is_same_v<Model, SequentialConsistencyAxioms>) return true;
    for (ThreadId t = 0; t < thread_count(); ++t) {
      EventId later = no_event;
      for (EventId id = graph_.thread(t).last; id != no_event; id = graph_[id].po_previous) {
        if (!graph_[id].in_program()) continue;
        if (later != no_event && !graph_[later].upto.contains(static_cast<ProcessId>(id))) return false;
        later = id;
      }
    }
    return true;
  }

  [[nodiscard]] PlainGraph plain_graph() const { return checker::plain_graph(graph_); }
  [[nodiscard]] std::uint32_t site_of(EventId id) const {
    return snapshots_.mailbox(graph_[id].snapshot).site;
  }
  // The run so far, to be repeated by `follow` on a machine of this kind.
  [[nodiscard]] Schedule run() const {
    Schedule result;
    for (std::uint32_t depth = 0; depth < this->depth(); ++depth) {
      const EventName name = step(depth);
      Choice choice{
          .type = StepType::commit, .thread = name.thread, .location = name.index, .value = chosen(depth)};
      if (op(name) != Op::choose) {
        std::int64_t write = place(depth);
        while (write >= static_cast<std::int64_t>(depth)) write = older(write);
        choice.value = encoded(name_of(write));
      }
      result.push_back(choice);
    }
    return result;
  }
  [[nodiscard]] bool follow(const Choice& choice) {
    const EventName name{choice.thread, choice.location};
    if (!event(name.thread) || tied_.held_back(name.thread) || next_of(name.thread) != name) return false;
    Prepared event;
    prepare(name, event);
    if (op(name) == Op::choose) return commit(event, choice.value);
    return commit(event, resolve(name, decoded(choice.value)));
  }

  // -- Revisits, as RevisitMachine has them.

  [[nodiscard]] const std::vector<EventId>& order() const { return graph_.order(); }

  // The left-most thread that can continue; but a deferred lock comes first as soon as its mutex is free, and
  // a thread that awaits something comes last.
  [[nodiscard, gnu::always_inline]] std::optional<EventName> next_event() {
    auto ready = graph_.in_state(ThreadState::ready);
    for (auto waiting = graph_.in_state(ThreadState::waiting); !waiting.empty();) {
      const ThreadId t = take_first(waiting);
      const EventId mutex = graph_.known(standing(t).location);
      if (mutex != no_event && value_of(graph_.newest(mutex)) != 0) continue;
      if (deferred(t)) return next_of(t);
      ready.insert(t);
    }
    if (!ready.empty()) return next_of(ready.first());
    if (!anyone_awaits()) return std::nullopt;
    return next_awaited([&](EventName read, EventId source) { return may_read(read, source); });
  }
  // Deferred locks come later, in every execution.
  [[nodiscard]] static bool lost_race() { return false; }
  [[nodiscard]] std::optional<EventName> next_waiting(ThreadId from) const {
    for (auto waiting = graph_.in_state(ThreadState::waiting); !waiting.empty();) {
      const ThreadId t = take_first(waiting);
      if (t >= from && !tied_.held_back(t)) return next_of(t);
    }
    return std::nullopt;
  }
  // With a preemption bound this may be the graph in which other threads violate something with few
  // preemptions: leaving a stuck thread is free. (Not if the thread had done nothing before: then it may as
  // well start last.)
  [[nodiscard]] bool stopped_by(EventId read) const {
    const auto& event = graph_[read];
    if (graph_.thread(event.thread).state != ThreadState::stuck) return false;
    if (bound_.active() && event.po_previous != no_event) return false;
    const auto& m = standing(event.thread);
    return fails_at_once(m) || m.op == Op::loop_bound || m.op == Op::round_limit;
  }

  [[nodiscard]] bool would_update(const Prepared& event, std::int64_t parameter) const {
    return updates(event.op) && would_write(event.op, event.high, value_of(parameter));
  }

  // -- Waits, as WaitsInPlace and DefersReads have them.

  [[nodiscard]] bool awaits(EventName name) const {
    return graph_.thread(name.thread).state == ThreadState::awaiting;
  }
  [[nodiscard]] static bool awaits(const Prepared& event) { return event.awaits; }
  [[nodiscard]] bool anyone_awaits() const { return !graph_.in_state(ThreadState::awaiting).empty(); }
  [[nodiscard]] bool stops(const Prepared& event, std::int64_t parameter) {
    return !trials_.goes_on(event.name.thread, value_of(parameter));
  }
  // The first thread that awaits something that has happened; but a condition is evaluated without a pause.
  template <typename MayRead>
  [[nodiscard, gnu::noinline]] std::optional<EventName> next_awaited(MayRead&& may_read) {
    std::optional<EventName> found;
    for (auto left = graph_.in_state(ThreadState::awaiting); !left.empty();) {
      const ThreadId t = take_first(left);
      if ((found && !evaluates(t)) || is_held_back(t)) continue;
      if (!trials_.wait_ends(t)) continue;
      if (!is_at_choice(t) && !may_read(next_of(t), graph_.newest(initial(standing(t).location)))) continue;
      if (evaluates(t)) return next_of(t);
      found = next_of(t);
    }
    return found;
  }
  template <typename MayRead>
  [[nodiscard, gnu::noinline]] std::optional<EventName> next_undecided(MayRead&& may_read) {
    std::optional<EventName> found;
    for (auto left = graph_.in_state(ThreadState::awaiting); !left.empty();) {
      const ThreadId t = take_first(left);
      if ((!found || evaluates(t)) && !is_held_back(t) && undecided(t, may_read)) found = next_of(t);
      if (found && evaluates(found->thread)) break;
    }
    return found;
  }
  [[nodiscard]] bool may_read(EventName read, EventId source) const {
    return deferrals_.may_read(read.thread, source);
  }
  [[nodiscard]] bool may_wait_on(EventName read, EventId newest) const {
    return deferrals_.may_wait_on(read.thread, newest);
  }
  [[nodiscard]] bool defers_read(EventId event) const { return deferrals_.contains(event); }
  [[nodiscard]] bool is_maximal_deferral(EventId event, const Set& deleted) const {
    return deferrals_.is_maximal(event, deleted);
  }
  [[nodiscard]] bool any_reads_on(EventId write, EventName writer, const Set& deleted) const {
    return deferrals_.any_reads_on(write, writer.thread, deleted);
  }
  template <typename MayWait>
  [[gnu::noinline]] bool evaluate_waits(MayWait&& may_wait) {
    for (auto left = graph_.in_state(ThreadState::awaiting); !left.empty();) {
      const ThreadId t = take_first(left);
      if (image_.threads[t].is_daemon && !is_at_choice(t) &&
          !may_wait(next_of(t), graph_.newest(initial(standing(t).location))))
        continue;
      while (graph_.thread(t).state == ThreadState::awaiting && !trials_.wait_ends(t)) {
        if (graph_.full()) {
          out_of_room_ = true;
          return false;
        }
        Prepared event;
        prepare(next_of(t), event);
        EventId id = no_event;
        insert(event, event.op == Op::choose ? event.home : *first_parameter(event), id);
        evaluated_.push_back(id);
      }
    }
    return true;
  }
  [[gnu::noinline]] void forget_evaluations() {
    for (; !evaluated_.empty(); evaluated_.pop_back()) {
      Prepared event;
      event.name.thread = graph_[evaluated_.back()].thread;
      EventId id = evaluated_.back();
      remove(event, id);
    }
  }

  [[gnu::always_inline]] bool insert(Prepared& event, std::int64_t parameter, EventId& id) {
    const Effect effect = effect_of(event, parameter);
    if (writes(effect.kind) && taken(parameter)) return false;
    add(event, effect, parameter, id);
    if (effect.kind != EventKind::probe) [[likely]]
      resume(event, effect.result, id);
    return true;
  }
  static constexpr bool deferral_is_step = true;
  bool defer(Prepared& event, std::int64_t owner, EventId& id) {
    if ((event.op == Op::lock && id == no_event) || event.settled) return false;
    add(event, {.kind = EventKind::deferral}, owner, id);
    return true;
  }
  [[gnu::always_inline]] void remove(Prepared& event, EventId& id) {
    if (!event.ran && graph_[id].in_program())
      snapshots_.drop_from(graph_.thread(event.name.thread).snapshot);
    bound_.remove(id);
    graph_.remove(id);
    // (An event that was given a position in the middle comes before the write that it reads from.)
    if (graph_.order().back() != id) return;
    graph_.drop_from_order();
    id = no_event;
  }
  void release(const Prepared& event) {
    if (event.ran) snapshots_.drop_from(event.snapshot_after);
  }

  // -- Alternatives, as WaitsAtChoices has them.

  void wait_at_choices() {
    if (bound_.active()) return;
    waits_at_choices_ = true;
    for (ThreadId t = 0; t < thread_count(); ++t) {
      if (may_wait_at_choice(t, standing(t))) graph_.set_state(t, ThreadState::awaiting);
    }
  }
  // From now on probes begin with a choice; but not those of equal threads that write, since a write of one of these comes after
  // what the others have done before; not those of daemons; and not in graphs that index their reads, whose sets the events of
  // these choices would tear apart. At the beginning of the first run.
  void begin_with_probes() {
    if (bound_.active() || ExecutionGraph::grows) return;
    for (ThreadId t = 0; t < thread_count(); ++t) {
      const auto& thread = image_.threads[t];
      if (!thread.is_daemon && (!thread.writes || !tied_.has_equal(t))) trials_.begin_with_probes(t);
      if (may_wait(t, standing(t))) graph_.set_state(t, ThreadState::awaiting);
    }
  }
  [[nodiscard]] bool any_choice_waits() const { return any_choice_waits_; }
  [[nodiscard]] bool is_home(EventId choice) const { return trials_.waited(choice) && is_default(choice); }
  [[nodiscard]] bool counts_wait(ThreadId t) {
    const Mailbox& m = standing(t);
    if (m.in_either == compiler::InEither::no) return true;
    EventId choice = graph_.thread(t).last;
    while (graph_[choice].kind != EventKind::choice) choice = graph_[choice].po_previous;
    return trials_.waited(choice) ? trials_.counts_wait(choice) : waits_in_first_alternative(m);
  }
  [[nodiscard]] static std::int64_t home(const Prepared& choice) { return choice.home; }
  [[nodiscard]] std::int64_t home_of_revisited() const { return graph_.last_cut().value; }
  [[nodiscard]] bool may_open(const Prepared& write, std::int64_t source, EventId choice,
                              std::int64_t alternative) {
    return trials_.may_open(choice, graph_.location_of(write.initial), effect_of(write, source).written,
                            alternative);
  }
  static void open(Prepared& choice, std::int64_t home, EventId position, EventId write) {
    choice.home = home;
    choice.opened = position;
    choice.opened_by = write;
  }
  [[nodiscard]] std::optional<EventName> next_in_guard(const Prepared& before, std::int64_t parameter) const {
    const bool decided = before.op != Op::choose && before.opened_by == parameter;
    if (!(before.op == Op::choose || before.settled || before.in_probe) || decided) return std::nullopt;
    const ThreadId t = before.name.thread;
    if (before.in_probe) {
      if (deferred(t)) return std::nullopt;
      if (before.op == Op::choose) return next_of(t);
    }
    return awaits(next_of(t)) && trials_.is_inside(t, standing(t)) ? std::optional(next_of(t)) : std::nullopt;
  }
  void continue_guard(const Prepared& before, std::int64_t parameter, Prepared& event) const {
    const bool first = before.op == Op::choose;
    event.opened = before.opened;
    event.opened_by = before.opened_by;
    event.settled = before.settled || (first && !is_default(graph_.thread(before.name.thread).last));
    event.in_probe = before.in_probe;
    event.reads_newest = before.reads_newest && (first || parameter == newest_before_choice(before));
  }
  [[nodiscard]] static bool is_settled(const Prepared& event) { return event.settled; }
  [[nodiscard]] bool may_take(const Prepared& event, std::int64_t parameter) {
    const ThreadId t = event.name.thread;
    if (event.op == Op::choose) {
      const bool home = !event.settled && parameter == event.home;
      if (event.opened_by == no_event) return home || trials_.may_pass(t, parameter);
      return !home && trials_.opens(t, parameter, event.opened, event.opened_by);
    }
    if (event.in_probe && !may_take_in_probe(event, parameter)) return false;
    if (event.opened_by == no_event || event.opened_by == parameter) return true;
    return deferrals_.earlier_than(event.opened)(static_cast<EventId>(parameter)) &&
           trials_.stays_inside(t, value_of(parameter));
  }

  // The committed reads of the event's location, for graphs that have an index of them.
  [[nodiscard]] const Set& rivals(const Prepared& event) const requires ExecutionGraph::grows {
    return graph_.reads_of(event.initial);
  }
  // Of its sets, beyond the object itself.
  [[nodiscard]] static std::size_t memory_of(const Prepared& event) requires ExecutionGraph::grows {
    return event.bounds.memory_used() + event.cut_bounds.memory_used();
  }
  static void include(EventId id, Set& set) { set.insert(static_cast<ProcessId>(id)); }
  // An update directly follows its source. So something that stays in the cut graph can rule the revisit out:
  // a write that takes the update's source, or one that the update or the read has to follow.
  [[nodiscard]] bool may_revisit(const Prepared& event, std::int64_t source, EventId read,
                                 const Set& deleted) {
    if (graph_[read].location != event.initial || !graph_[read].reads()) {
      if (graph_[read].location != no_event || !trials_.waited(read)) return false;
      if (!trials_.may_open(read, graph_.location_of(event.initial), effect_of(event, source).written))
        return false;
    }
    if (!updates(event.op)) return true;
    const auto stays = [&](EventId write) {
      return write != no_event && write != read && !deleted.contains(static_cast<ProcessId>(write));
    };
    EventId later = newer(source);
    if (stays(later) && graph_[later].kind == EventKind::update) return false;
    const Set read_bounds = bounds_of_revisited(read, event.initial);
    for (; stays(later); later = newer(later)) {
      const auto id = static_cast<ProcessId>(later);
      if (event.bounds.contains(id) || read_bounds.contains(id)) return false;
    }
    return true;
  }
  std::uint32_t cut(Prepared& event, std::int64_t /*source*/, std::size_t from, EventId read,
                    const Set& deleted) {
    event.cut_bounds = bounds_of_revisited(read, event.initial);
    if (bound_.active()) {
      Set gone = deleted;
      gone.insert(static_cast<ProcessId>(read));
      bound_.cut(gone);
      settled_before_.push_back({settled_, settled_ - gone, gone});
    }
    graph_.cut(from, read, deleted);
    return 0;
  }
  [[nodiscard]] EventId close_gaps(const Prepared& event, EventId id, const Set& deleted) {
    return graph_.close_gaps(event.name.thread, id, deleted);
  }
  std::uint32_t mend() {
    graph_.mend();
    if (bound_.active()) {
      bound_.mend(settled_before_.back().gone);
      settled_ = settled_before_.back().before;
      settled_before_.pop_back();
    }
    return 0;
  }
  [[nodiscard]] EventName revisited() const { return next_of(graph_.last_cut().thread); }
  [[nodiscard]] EventId stand_in() const { return graph_.last_cut().id; }
  [[nodiscard]] std::optional<std::int64_t> first_place(const Prepared& event, std::int64_t source) const {
    return updates(event.op) ? source : graph_.newest(event.initial);
  }
  [[nodiscard]] std::optional<std::int64_t> next_place(const Prepared& event, std::int64_t place) const {
    if (updates(event.op) || place < 0 || event.bounds.contains(static_cast<ProcessId>(place)) ||
        event.cut_bounds.contains(static_cast<ProcessId>(place)))
      return std::nullopt;
    return older(place);
  }

  // -- Symmetry, as HasTwins has it.

  [[nodiscard]] std::uint64_t permutations() const { return tied_.permutations(); }

  // -- The preemption bound.

  // No revisit can delete the prefix of a write that has revisited.
  void settle_prefix(EventId write) {
    if (bound_.active()) settled_ = settled_before_.back().after_cut | graph_[write].prefix;
  }
  [[nodiscard]] bool bounds_preemptions() const { return bound_.active(); }
  [[nodiscard]] bool must_extend() { return bound_.must_extend(settled_); }
  [[nodiscard]] bool within_bound() { return bound_.within(); }
  [[nodiscard]] std::uint64_t withheld() const { return withheld_; }

 private:
  [[nodiscard]] static ThreadId take_first(typename ExecutionGraph::ThreadSet& threads) {
    const ThreadId first = threads.first();
    threads.erase(first);
    return first;
  }
  // The effect of an event with its parameter.
  struct Effect {
    EventKind kind = EventKind::write;
    std::int64_t written = 0;  // or chosen
    std::int64_t result = 0;   // what the thread gets
  };
  // What a thread met on the way to its next event.
  struct Way {
    bool full_fence = false;
    bool store_fence = false;
    bool withheld = false;  // a violation that does not count here, but may with another place of the event
  };
  // For `mend`: the settled events before the cut, those of them that stay, and the events that it removed.
  struct Settled {
    Set before;
    Set after_cut;
    Set gone;
  };

  [[nodiscard]] EventId initial(Location location) {
    return graph_.initial(location, image_.locations[location].initial);
  }
  [[nodiscard]] std::int64_t newest_value(Location location) const {
    const EventId known = graph_.known(location);
    return known == no_event ? image_.locations[location].initial : value_of(graph_.newest(known));
  }
  [[nodiscard]] static bool updates(Op kind) {
    return is_read_modify_write(kind) || kind == Op::lock || kind == Op::try_lock;
  }
  [[nodiscard]] static bool writes(EventKind kind) {
    return kind == EventKind::write || kind == EventKind::update;
  }
  [[nodiscard]] const Mailbox& mailbox_at(std::uint32_t depth) const {
    return snapshots_.mailbox(graph_[static_cast<EventId>(depth)].snapshot);
  }
  [[nodiscard]] const Mailbox& mailbox(EventName name) const {
    if (name.index == graph_.thread(name.thread).length) return standing(name.thread);
    return snapshots_.mailbox(graph_[find(name)].snapshot);
  }
  [[nodiscard]] EventName next_of(ThreadId t) const { return {t, graph_.thread(t).length}; }
  [[nodiscard]] EventId find(EventName name) const {
    EventId id = graph_.thread(name.thread).last;
    while (graph_[id].index != name.index) id = graph_[id].po_previous;
    return id;
  }
  // True if the thread is at something that can become an event.
  [[nodiscard]] bool event(ThreadId t) const {
    const auto& m = standing(t);
    if (m.op == Op::unlock) return graph_.owns(t, m.location);
    return m.op <= Op::choose && m.op != Op::fence;
  }
  // A read that stops the thread at once. With a preemption bound it is as any other: the bound has been
  // proven for the order of events without waiting. A look at a plain variable is one that can race, even if
  // it comes too early.
  [[nodiscard]] bool may_wait(ThreadId t, const Mailbox& m) const {
    if (m.probe != Probe::none && trials_.has_probes(t)) return true;
    return (m.in_await | m.before_assume) != 0 && !bound_.active() && !image_.locations[m.location].is_plain;
  }
  // (What one of several equal threads may choose depends on another one.)
  [[nodiscard]] bool may_wait_at_choice(ThreadId t, const Mailbox& m) {
    if (m.op != Op::choose) [[likely]]
      return false;
    const bool waits = waits_at_choices_ && is_guarded_choice(m) && !tied_.has_equal(t);
    any_choice_waits_ = any_choice_waits_ || waits;
    return waits;
  }
  // Whether the thread is at a choice, and waits there.
  [[nodiscard]] bool is_at_choice(ThreadId t) const {
    return graph_.thread(t).state == ThreadState::awaiting && trials_.is_at_choice(t);
  }
  [[nodiscard]] bool is_probe(EventId id) const { return graph_[id].kind == EventKind::probe; }
  [[nodiscard]] bool is_at_probe(EventName name) const {
    if (standing(name.thread).probe != Probe::first) [[likely]]
      return false;
    return name.index == graph_.thread(name.thread).length && is_at_choice(name.thread);
  }
  [[nodiscard]] bool is_held_back(ThreadId t) const {
    return tied_.any() && (tied_.held_back(t) || is_held_back_at_probe(t));
  }
  // Whether the thread is to begin a probe in which its twin waits. The two would be in the wrong order if the twin read something
  // newer at a load that the thread has passed; and no other thread depends on this one, which only reads (begin_with_probes).
  [[nodiscard]] bool is_held_back_at_probe(ThreadId t) const {
    if (standing(t).probe != Probe::first || !is_at_choice(t)) return false;
    const EventId twin = tied_.next_twin_of(t);
    if (twin == no_event) return false;
    const ThreadId other = graph_[twin].thread;
    if (graph_.thread(other).state != ThreadState::awaiting || standing(other).probe != Probe::later)
      return false;
    EventId begin = graph_.thread(other).last;
    while (!is_probe(begin)) begin = graph_[begin].po_previous;
    return graph_[begin].index == graph_.thread(t).length;
  }
  [[nodiscard]] bool evaluates(ThreadId t) const { return trials_.evaluates(t, standing(t)); }
  // The newest write of the event's location that is older than the choice of the guard.
  [[nodiscard]] EventId newest_before_choice(const Prepared& event) const {
    EventId write = event.newest;
    if (event.opened == no_event) return write;
    const auto earlier = deferrals_.earlier_than(event.opened);
    while (!earlier(write)) write = graph_[write].co_previous;
    return write;
  }
  // The home of a probe reads the newest writes, until it is revisited; the other alternative, something else. If a write
  // opens that, some load before reads an older one.
  [[nodiscard]] bool may_take_in_probe(const Prepared& event, std::int64_t parameter) {
    if (!event.settled) return parameter == event.newest;
    if (!event.reads_newest) return true;
    if (event.opened_by != no_event) return event.opened_by != parameter;
    return parameter != event.newest || trials_.stays_inside(event.name.thread, value_of(parameter));
  }
  // Where no wait has ended: whether there is a write that lets the thread continue although it is not the
  // newest one, or is not all that the thread waits for. (Not if the thread has been deferred since.)
  template <typename MayRead>
  [[nodiscard, gnu::noinline]] bool undecided(ThreadId t, MayRead&& may_read) {
    if (is_at_choice(t)) return trials_.may_pass(t);
    Prepared event;
    prepare(next_of(t), event);
    for (auto place = first_parameter(event); place; place = next_parameter(event, *place)) {
      if (may_read(event.name, static_cast<EventId>(*place)) && !stops(event, *place)) return true;
    }
    return false;
  }
  // True if the thread's lock is deferred.
  [[nodiscard]] bool deferred(ThreadId t) const {
    const EventId last = graph_.thread(t).last;
    return last != no_event && graph_[last].kind == EventKind::deferral;
  }
  // A deferred lock comes after the lock that it was deferred for.
  void keep_after_owner(ThreadId t, Set& bounds) const {
    const EventId owner = graph_[graph_.thread(t).last].source;
    const EventId unlock = graph_[owner].co_next;
    bounds.insert(static_cast<ProcessId>(unlock == no_event ? owner : unlock));
  }
  // A lock that would read from another one is deferred, and has no place in the model's order.
  [[nodiscard]] Set bounds_of_revisited(EventId read, EventId location) const {
    if (graph_[read].op == Op::lock) return {};
    if (graph_[read].op == Op::choose) return graph_.bounds_of_load(read, location);
    Set bounds = graph_.bounds(read);
    if (tied_.any()) [[unlikely]]
      tied_.keep_after_twin_of(read, bounds);
    return bounds;
  }
  // True if the model allows the place.
  [[nodiscard]] bool within(const Prepared& event, EventId place) const {
    for (EventId write = event.newest; write != place; write = graph_[write].co_previous) {
      if (is_initial(write) || event.bounds.contains(static_cast<ProcessId>(write))) return false;
    }
    return true;
  }

  [[nodiscard]] Effect effect_of(const Prepared& event, std::int64_t parameter) const {
    switch (event.op) {
      case Op::choose: return {event.in_probe ? EventKind::probe : EventKind::choice, parameter, parameter};
      case Op::store: return {EventKind::write, event.low, 0};
      case Op::unlock: return {EventKind::write, 0, 0};
      default: {
        const ReadEffect effect =
            effect_of_reading(event.op, value_of(parameter), event.low, event.high, event.name.thread);
        return {effect.writes ? EventKind::update : EventKind::read, effect.written, effect.result};
      }
    }
  }
  // `id`: of an event that already has a position in the order; other events get one.
  [[gnu::always_inline]] void add(const Prepared& event, const Effect& effect, std::int64_t parameter,
                                  EventId& id) {
    const bool choice = event.newest == no_event;
    if (id == no_event) {
      id = graph_.fresh();
      graph_.append_to_order(id);
    }
    failures_.clear();
    bound_.before_add();
    graph_.add(id, event.name.thread, event.op, effect.kind, choice ? no_event : event.initial,
               choice ? no_event : static_cast<EventId>(parameter), effect.written);
    bound_.add(id);
    if (event.twin != no_event) graph_.follow(id, event.twin);
    if (choice) graph_.set_canonical(id, parameter == (event.awaits ? event.home : event.low));
    if (event.awaits && event.settled) [[unlikely]]
      graph_.set_canonical(id, false);
  }
  // Gives the thread its result and runs it to its next request.
  Way run_on(ThreadId t, std::int64_t result, EventId id) {
    Mailbox& m = snapshots_.enter(t, graph_.thread(t).snapshot);
    m.value = result;
    if (m.effect != compiler::UpdateEffect::not_asked) [[unlikely]]
      m.effect = update_effect(id);
    snapshots_.resume(t);
    return settle(t);
  }
  // Of a read-modify-write, which is in the graph.
  [[nodiscard, gnu::noinline]] compiler::UpdateEffect update_effect(EventId id) const {
    if (graph_[id].kind != EventKind::update) return compiler::UpdateEffect::nothing;
    if (graph_[id].op == Op::try_lock) return compiler::UpdateEffect::changes;
    const auto update_of = [&](EventId e) {
      const auto& event = graph_[e];
      return Update{.thread = event.thread,
                    .op = event.op,
                    .discarded = snapshots_.mailbox(event.snapshot).discarded != 0,
                    .read = graph_[event.source].value,
                    .written = event.value};
    };
    return effect_of_update(update_of(id), image_.locations[graph_.location_of(graph_[id].location)],
                            [&, e = id]() mutable -> std::optional<Update> {
                              e = graph_[e].source;
                              if (graph_[e].kind != EventKind::update) return std::nullopt;
                              return update_of(e);
                            });
  }
  // The same. What a thread does after a store does not depend on the store's place, so it is run once and
  // the result is kept until `release`.
  [[gnu::always_inline]] void resume(Prepared& event, std::int64_t result, EventId id) {
    const auto t = event.name.thread;
    auto& thread = graph_.thread(t);
    if (event.ran) {
      thread.snapshot = event.snapshot_after;
      thread.trial.known = false;
      if (event.full_fence_after) thread.frontier.pass(Fence::full);
      if (event.store_fence_after) thread.frontier.pass(Fence::store_store);
      graph_.set_state(t, event.state_after);
      return;
    }
    const Way way = run_on(t, result, id);
    if ((event.op != Op::store && event.op != Op::unlock) || way.withheld) return;
    event.ran = true;
    event.snapshot_after = thread.snapshot;
    event.state_after = thread.state;
    event.full_fence_after = way.full_fence;
    event.store_fence_after = way.store_fence;
  }
  // Runs the thread as long as no other thread can notice, and takes a snapshot of its state then.
  Way settle(ThreadId t) {
    auto& thread = graph_.thread(t);
    const auto& m = snapshots_.live(t);
    Way way;
    for (;; snapshots_.resume(t)) {
      if (m.op == Op::fence) {
        thread.frontier.pass(m.fence);
        way.full_fence |= m.fence == Fence::full;
        way.store_fence |= m.fence == Fence::lightweight || m.fence == Fence::store_store;
      } else if (m.op == Op::assert_failed && options_.resume_after_assert) {
        way.withheld |= !fail(t, m);
      } else {
        break;
      }
    }
    thread.snapshot = snapshots_.save(t);
    thread.trial.known = false;
    auto state = ThreadState::ready;
    if (m.op == Op::lock) {
      state = ThreadState::waiting;
    } else if (may_wait(t, m) || may_wait_at_choice(t, m)) {
      state = ThreadState::awaiting;
    } else if (m.op == Op::done) {
      state = ThreadState::finished;
    } else if (is_failure(m.op) || (m.op == Op::unlock && !graph_.owns(t, m.location))) {
      state = ThreadState::stuck;
      way.withheld |= !fail(t, m);
    } else if (m.op >= Op::await_failed) {
      state = ThreadState::stuck;
    }
    graph_.set_state(t, state);
    return way;
  }
  // Returns whether the violation counts.
  bool fail(ThreadId t, const Mailbox& m) {
    const Set causes = graph_.causes(t);
    if (!options_.report_beyond_bound && !bound_.within(causes)) {
      ++withheld_;
      return false;
    }
    failures_.push_back({{.thread = t, .op = m.op, .site = m.site}, causes});
    return true;
  }

  void keep_after_twin(Prepared& event) const {
    event.twin = tied_.next_twin_of(event.name.thread);
    if (event.twin == no_event) return;
    if (event.op == Op::choose) {
      event.low = graph_[event.twin].value;
    } else {
      tied_.keep_after(event.twin, event.bounds);
    }
  }

  const Image& image_;
  MachineOptions options_;
  ExecutionGraph graph_;
  Bound<ExecutionGraph> bound_;
  TiedThreads<ExecutionGraph> tied_;
  Deferrals<ExecutionGraph> deferrals_;
  Snapshots snapshots_;
  Trials<ExecutionGraph> trials_;
  bool waits_at_choices_ = false;
  bool any_choice_waits_ = false;  // some thread has waited at a choice
  std::vector<FailureWithCauses> failures_;
  std::uint64_t withheld_ = 0;           // violations beyond the bound
  std::vector<EventId> evaluated_;       // by evaluate_waits
  bool out_of_room_ = false;             // for evaluate_waits
  Set settled_;                          // events that no revisit can delete any more
  std::vector<Settled> settled_before_;  // by cut
};

}  // namespace heddle::checker
