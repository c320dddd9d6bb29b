// The contract between the commit machines and the algorithms of this folder (trust, rsmc, naive,
// backtracking, the shortest violation). An algorithm names no model, a machine names no algorithm.
//
// A commit machine is a model in the form of "Stateless model checking for POWER" (CAV'16), section 2. Its
// threads fetch operations; fetched operations become *events* of the execution one by one, in any order that
// the model's commit-before order (cb) allows, each with a *parameter* that fixes its part of the execution:
//   a read or read-modify-write   the write that it reads from
//   a store or unlock             the write that it directly follows in coherence order, for now
//   a `choose`                    its value
//   the store of a read-modify-write that is committed on its own   that of its read, or `dropped`
// What the threads fetch follows from what is committed, and a run is a stack: only `commit`, `undo` and the
// refinements below change it.
//
// The life cycle of a run
//
//   Machine machine(image, options);             // every thread has its first operations; depth() == 0
//   for (;;) {
//     check limit(), failures(), full()
//     machine.for_each_enabled(...)              // nothing is enabled, or only locks that wait: the run ends
//     machine.prepare(name, event)               // name: an enabled event
//     for (auto p = machine.first_parameter(event); p; p = machine.next_parameter(event, *p))
//       if (machine.commit(event, *p)) { ... explore the longer run ...; machine.undo(); }
//   }
//   At the end of a run: classify it by standing_op, standing_site and await_holds. If every thread is done,
//   call final_memory, and `clean` before `block`.
//
// - `commit` returns false, and changes nothing, if the model does not allow the event with this parameter.
//   Every enabled event except a lock that `waits` has a parameter with which it can be committed. A store
//   can always be committed last in coherence order, a read can always read from the newest write.
// - `undo` undoes the newest `commit`. Machine, ids and Prepared events are then as they were before.
// - A Prepared event is valid as long as the run that it was prepared for is part of the current one, and may
//   be committed when the current run is that one again.
// - `full` is true if there may be no room for one more event. The caller must check it before each `commit`;
//   the only way to make room is to start again with a wider machine.
// - `limit` is not empty if a thread has fetched more than there is room for. The search must stop.
// - `failures` are the violations that threads found during the newest `commit`, or during construction.
//   `undo` clears them.
//
// Identities
// - An EventName (thread, index) names an event in every run in which its thread gets there the same way. It
//   is what algorithms store across changes of the run. EventName{} is the initial write of any location.
// - An id is a number of this machine. Ids of events in the run are small and not negative, in the order of
//   their commits; ids of initial writes are negative. An id is valid from the `commit` that gives it to the
//   `undo` of that `commit`; then the next commit reuses it. The same commits in the same order give the same
//   ids. `name_of` and `resolve` translate; parameters are ids (or values of choices).
// - Ids have the type EventId; parameters are std::int64_t, because they may be values of choices; ProcessId
//   is the type of members of a Set. Conversions between them keep the number.
// - A step may have more than one id (a read-modify-write with a read and a write half): those from
//   first_event(step) to first_event(step + 1) - 1. Sets hold ids.
//
// Complexity: queries are O(1) or O(events of a thread), commit and undo O(events) set operations, unless a
// machine says otherwise. Errors are internal ones (std::logic_error). No member of a machine is thread-safe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "checker/commits/event_name.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/state/bit_set.hpp"
#include "checker/state/event.hpp"
#include "checker/state/last_look.hpp"
#include "checker/state/machine_options.hpp"
#include "checker/state/rows.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

class Search;

// Placeholders for the callables that are passed to machines.
struct AnyVisitor {
  template <typename... Arguments>
  void operator()(Arguments&&... /*arguments*/) const {}
};
struct AnyPredicate {
  template <typename... Arguments>
  bool operator()(Arguments&&... /*arguments*/) const {
    return false;
  }
};

template <typename M>
concept CommitMachine = std::constructible_from<M, const Image&, const MachineOptions&> &&
    requires(M& machine, const M& run, typename M::Prepared& event, const typename M::Prepared& prepared,
             EventName name, ThreadId t, std::uint32_t step, std::int64_t id, EventId event_id,
             const Choice& choice, std::vector<std::int64_t>& memory) {
  typename M::Set;       // of ids
  typename M::Prepared;  // an event before it is committed, with all that does not depend on its parameter
  { prepared.name } -> std::convertible_to<EventName>;
  // True for the store of a read-modify-write, which may be `dropped`.
  { prepared.conditional } -> std::convertible_to<bool>;

  // The run.
  { run.thread_count() } -> std::same_as<std::uint32_t>;
  { run.depth() } -> std::same_as<std::uint32_t>;  // committed steps
  { run.step(step) } -> std::same_as<EventName>;
  { run.first_event(step) } -> std::same_as<ProcessId>;  // also of depth(): the next id
  { run.full() } -> std::same_as<bool>;
  { run.limit() } -> std::same_as<std::string_view>;
  { *run.failures().begin() } -> std::convertible_to<const Failure&>;
  { run.memory_used() } -> std::convertible_to<std::uint64_t>;
  { M::out_of_room } -> std::convertible_to<std::string_view>;  // what is too large if it is full

  // Extending and shrinking it.
  run.for_each_enabled(AnyVisitor{});  // by name, in a fixed order; includes locks that have to wait
  { machine.waits(name) } -> std::same_as<bool>;  // of an enabled event: true for a lock whose mutex is taken
  machine.prepare(name, event);
  { run.first_parameter(prepared) } -> std::same_as<std::optional<std::int64_t>>;
  { run.next_parameter(prepared, id) } -> std::same_as<std::optional<std::int64_t>>;
  { machine.commit(prepared, id) } -> std::same_as<bool>;
  machine.undo();
  // Repeats one step of a run(); false if that is impossible.
  { machine.follow(choice) } -> std::same_as<bool>;

  // An event that is committed or enabled.
  { run.op(name) } -> std::same_as<Op>;
  { run.location(name) } -> std::same_as<Location>;  // `none`: a choice
  { run.reads(name) } -> std::same_as<bool>;         // loads, and all that `updates`
  { run.updates(name) } -> std::same_as<bool>;       // a read-modify-write, lock or trylock
  // The events that must be committed before a prepared event, transitively, whatever its parameter.
  { run.commit_before(prepared) } -> std::convertible_to<typename M::Set>;
  // The same of a committed event, which is a member itself.
  { run.committed_before(id) } -> std::convertible_to<typename M::Set>;

  // The event of a step.
  { run.op_at(step) } -> std::same_as<Op>;
  { run.location_at(step) } -> std::same_as<Location>;
  { run.reads_at(step) } -> std::same_as<bool>;
  { run.place(step) } -> std::same_as<std::int64_t>;   // its parameter, in the current coherence order
  { run.chosen(step) } -> std::same_as<std::int64_t>;  // of a choice
  { run.written_by(step) } -> std::same_as<std::optional<std::int64_t>>;  // the id of its write

  // Writes.
  {
    run.older(id)
    } -> std::same_as<std::int64_t>;           // the previous one in coherence order; of no initial write
  { run.newer(id) } -> std::same_as<EventId>;  // the next one, or no_event
  { run.readers(id) } -> std::convertible_to<typename M::Set>;  // the reads from it
  { run.taken(id) } -> std::same_as<bool>;  // a read-modify-write has read from it and directly follows it
  { run.value_of(id) } -> std::same_as<std::int64_t>;
  // True if the event, a read-modify-write, would write if it read from this write.
  { run.would_update(prepared, id) } -> std::same_as<bool>;

  { run.step_of(id) } -> std::same_as<std::uint32_t>;  // the step that committed this id
  // Events, by the first id of their step.
  { run.write_of(event_id) } -> std::same_as<EventId>;  // no_event if it does not write
  // The write that it reads from; no_event if it does not read.
  { run.source_of(event_id) } -> std::same_as<EventId>;
  // True of events that take part in no relation of the execution: a `choose`, a dropped store, a deferred
  // lock. For `trust` such an event is maximal if it has its default parameter (of a choice, the first
  // value).
  { run.is_decision(event_id) } -> std::same_as<bool>;
  { run.is_default(event_id) } -> std::same_as<bool>;

  // Program order, from the newest event of a thread back, by the first id of each; no_event where there is
  // none. What has an id and takes part in no relation is included.
  { run.last_event(t) } -> std::same_as<EventId>;
  { run.po_previous(event_id) } -> std::same_as<EventId>;
  // True if the run is known to be one of sequential consistency, because the model has ordered each event
  // after all earlier ones of its thread.
  { run.keeps_program_order() } -> std::same_as<bool>;

  // Names and ids.
  { run.name_of(id) } -> std::same_as<EventName>;
  { machine.resolve(name, name) } -> std::same_as<std::int64_t>;  // (event, its parameter by name)

  // The end of a run.
  { run.finished() } -> std::same_as<bool>;                 // whether every thread has ended
  { run.standing_op(t) } -> std::same_as<Op>;               // the operation at which the thread is reported
  { run.standing_site(t) } -> std::same_as<std::uint32_t>;  // `none`: the cause is another thread
  run.standing(t).op;                                       // the request at which the thread is
  run.standing(t).expected;
  run.standing(t).site;
  run.standing(t).location;
  // True if a thread at a failed await would continue if it evaluated the condition now.
  { machine.await_holds(t) } -> std::same_as<bool>;
  // The same with these values, of the alternative in which it waits only; and the thread's reads, newest first, for daemons (last_look.hpp).
  {
    machine.await_holds(
        t, [](Location) -> std::int64_t { return 0; }, compiler::own_alternative)
    } -> std::same_as<bool>;
  { run.look(t, step) } -> std::same_as<Look>;
  run.final_memory(memory);  // the newest value of each location
  machine.clean();           // brings the threads' blocks up to date
  { run.block(t) } -> std::same_as<const std::byte*>;

  // Writing a run down.
  { run.run() } -> std::same_as<Schedule>;
  { run.plain_graph() } -> std::same_as<PlainGraph>;
};

// What only some machines offer. An algorithm that needs one of these says so in its template head; one that
// can do without it uses `if constexpr (Name<Machine>)`.

// Two runs of a program have the same key if and only if they have committed the same events with the same
// parameters, in whatever order. For searches that remember states. O(events).
template <typename M>
concept HasKey = CommitMachine<M> && requires(const M& run, std::vector<std::uint64_t>& words) {
  run.key(words);
};

// A run represents all runs that permutations of equal threads make of it (MachineOptions::twins); `permutations`: how
// many there are. O(events).
template <typename M>
concept HasTwins = CommitMachine<M> && requires(const M& run) {
  { run.permutations() } -> std::same_as<std::uint64_t>;
};

// A machine for long executions, in which looking at all events for each write would be quadratic. `rivals`: the committed
// reads of the event's location; `memory_of`: the bytes that its sets allocate beyond the object itself.
template <typename M>
concept IndexesReads = CommitMachine<M> && requires(const M& run, const typename M::Prepared& prepared) {
  { run.rivals(prepared) } -> std::convertible_to<typename M::Set>;
  { M::memory_of(prepared) } -> std::convertible_to<std::size_t>;
};

// The run is an execution graph, and its model has an operational machine on which its violations are shown
// (linearise.hpp). Each failure comes with the set of events that led to it.
template <typename M>
concept HoldsGraph = CommitMachine<M> && requires(const M& run) {
  run.graph().live();
  { run.failures().begin()->causes } -> std::convertible_to<typename M::Set>;
};

// Threads run ahead of their loads. So a run may lack the store of a read-modify-write forever, what threads
// have done is known only at the end of the run, and a run to a failure leaves out what failed assumptions
// leave out. `causes_of`: the events without which the failure would not count, and what is before them. `run_of`: the run
// that commits these steps, each by an id of it, in this order, which extends cb.
//
// - `requests`: what the thread has requested, of which those before `first_open` are committed or are no events.
// - `begin_trial`: the thread as it was when it made the request, in a block of its own, with the values that earlier loads have
//   now; `resume_trial` runs it to its next operation; `depends_on_trial`: whether the operands of an update there depend on loads.
// - `newest_of`, `initial`: writes of a location. `would_write_value`: of a store, or of an update that reads from this write.
template <typename M>
concept RunsAhead = CommitMachine<M> &&
    requires(M& machine, const M& run, EventName name, ThreadId t, Location location, std::int64_t id) {
  { run.request(name).in_either } -> std::convertible_to<compiler::InEither>;
  { run.requests(t)[0].committed } -> std::convertible_to<bool>;
  { run.first_open(t) } -> std::same_as<std::uint32_t>;
  { run.is_enabled(name) } -> std::same_as<bool>;
  { machine.begin_trial(name) } -> std::same_as<compiler::Mailbox&>;
  machine.resume_trial(t);
  { run.depends_on_trial(t) } -> std::same_as<bool>;
  { run.newest_value(location) } -> std::same_as<std::int64_t>;
  { machine.newest_of(location) } -> std::same_as<EventId>;
  { machine.initial(location) } -> std::same_as<EventId>;
  { run.would_write_value(name, id) } -> std::same_as<std::int64_t>;
  { run.lacks_store() } -> std::same_as<bool>;
  machine.count_coverage();
  { machine.run_to_failure(*run.failures().begin()) } -> std::same_as<Schedule>;
  { run.causes_of(*run.failures().begin()) } -> std::convertible_to<typename M::Set>;
  { run.run_of(std::vector<EventId>()) } -> std::same_as<Schedule>;
};

// What is made of a machine whose threads run ahead; other machines are taken as they are. (A function, because g++ 12 accepts
// no partial specialisation here.)
template <template <RunsAhead> typename Kind, typename Machine>
[[nodiscard]] constexpr auto kind_if_ahead() {
  if constexpr (RunsAhead<Machine>) {
    return std::type_identity<Kind<Machine>>();
  } else {
    return std::type_identity<Machine>();
  }
}
template <template <RunsAhead> typename Kind, typename Machine>
using IfAhead = typename decltype(kind_if_ahead<Kind, Machine>())::type;

// Store buffers may be bounded (MachineOptions::buffer_bound). `forced_flushes`: how many stores have had to wait for
// room since the beginning.
template <typename M>
concept BoundsBuffers = CommitMachine<M> && requires(const M& run) {
  { run.forced_flushes() } -> std::same_as<std::uint64_t>;
};

// The run can be revisited: events that no other event needs are removed from its middle, and an earlier read
// gets a new source. That is what trust needs. GraphMachine does it in place; Recommits does it for any
// commit machine, by undoing the run and committing the rest again.
//
// - `order` has the events in the order in which the algorithm inserted them, by the first id of each. A read
//   that is revisited keeps its position there, whatever its position in the run: while it is not in the run,
//   its position holds a stand-in for its id.
// - `insert` commits a prepared event, and returns false if the model does not allow that. `id` is no_event
//   for an event that is to be last in the order, or else the stand-in; `insert` sets it to the event's id.
//   `remove` undoes the newest event, and sets `id` to what the next `insert` needs. A Prepared event may
//   keep what its thread did next for the next `insert` of it; `release` discards that.
// - A lock whose mutex is taken may be `defer`red: it gets a position in the order, to be revisited there,
//   but none in the execution. False: deferral gains nothing. `deferral_is_step`: the run has a step for it.
// - `cut` removes `read` and the events of `deleted`, all of which are at position `from` of the order or
//   later, `read` at `from`, and prepares the run for `event` (of an update: with this source) to revisit
//   `read`. first_place and next_place are the parameters to try. After the event is inserted, `revisited`
//   names the read, which must then be inserted with `stand_in` as its id and the event's write as its
//   source. `mend` restores the run as it was, ids included. Both return how many steps they have committed
//   again.
// - `may_revisit`: true if the event is a read of the location, unless it is already known that no place will
//   do.
template <typename M>
concept RevisitMachine = CommitMachine<M> &&
    requires(M& machine, const M& run, typename M::Prepared& event, ThreadId t, std::int64_t parameter,
             EventId& id, EventId event_id, typename M::Set& set, const typename M::Set& deleted,
             std::size_t from) {
  { run.order() } -> std::same_as<const std::vector<EventId>&>;
  // The event to be added next, a function of the graph.
  { machine.next_event() } -> std::same_as<std::optional<EventName>>;
  // Where there is none: the first lock of a thread from `t` on that waits and may revisit; and whether some
  // deferred lock belongs to other executions.
  { machine.next_waiting(t) } -> std::same_as<std::optional<EventName>>;
  { machine.lost_race() } -> std::same_as<bool>;
  // True if this read, the newest event, has certainly stopped its thread forever.
  { run.stopped_by(event_id) } -> std::same_as<bool>;

  { machine.insert(event, parameter, id) } -> std::same_as<bool>;
  { machine.defer(event, parameter, id) } -> std::same_as<bool>;
  { M::deferral_is_step } -> std::convertible_to<bool>;
  machine.remove(event, id);
  machine.release(event);

  run.include(event_id, set);  // inserts all ids of the event
  { machine.may_revisit(event, parameter, event_id, deleted) } -> std::same_as<bool>;
  { machine.cut(event, parameter, from, event_id, deleted) } -> std::same_as<std::uint32_t>;
  { machine.mend() } -> std::same_as<std::uint32_t>;
  { run.revisited() } -> std::same_as<EventName>;
  { run.stand_in() } -> std::same_as<EventId>;
  { machine.first_place(event, parameter) } -> std::same_as<std::optional<std::int64_t>>;
  { machine.next_place(event, parameter) } -> std::same_as<std::optional<std::int64_t>>;
};

// Waiting costs no runs: a thread whose next read may stop it at once (`awaits`: the read of an await, or one
// before an assumption) waits for a write that lets it continue, and its read is committed only then.
//
// - `stops`: whether the thread stops at once with this source.
// - `next_awaited`: the first thread that continues if it reads the newest writes. `next_undecided`: where nothing
//   comes next, one that could continue with an older write. Both consider only reads and sources that the predicate
//   accepts.
// - `evaluate_waits`: at the end of a run, the threads that still wait read the newest writes and stop, until
//   `forget_evaluations`. Daemons do so only if the predicate accepts their read and its newest write: they may wait for
//   ever in a complete execution, and this one may belong to another branch. False if there is no room: then the machine
//   is `full`.
template <typename M>
concept WaitsInPlace = CommitMachine<M> &&
    requires(M& machine, const M& run, EventName name, const typename M::Prepared& prepared,
             std::int64_t parameter) {
  { run.awaits(name) } -> std::same_as<bool>;
  { run.awaits(prepared) } -> std::same_as<bool>;
  { run.anyone_awaits() } -> std::same_as<bool>;
  { machine.stops(prepared, parameter) } -> std::same_as<bool>;
  { machine.next_awaited(AnyPredicate{}) } -> std::same_as<std::optional<EventName>>;
  { machine.next_undecided(AnyPredicate{}) } -> std::same_as<std::optional<EventName>>;
  { machine.evaluate_waits(AnyPredicate{}) } -> std::same_as<bool>;
  machine.forget_evaluations();
};

// A read that awaits something is *deferred* where a write that stops it revisits it: as for a lock, an event keeps
// its position.
//
// - `may_read`: whether this read, if it was deferred, belongs to executions in which it has this source;
//   `may_wait_on`: to those in which it waits for ever and this is the newest write.
// - `defers_read`: whether the event keeps the position of such a read. `is_maximal_deferral`: whether it is
//   maximal in the graph without the deleted events.
// - `any_reads_on`: whether some event that is not deleted reads from the write or waits for a newer one, but for deferrals
//   whose threads have read something else since then (`writer`: is about to), and still have without the deleted events.
//   Such a write may be deleted without them; `close_gaps`, after the cut, returns the id of the revisiting event, which may
//   have got a position.
template <typename M>
concept DefersReads = RevisitMachine<M> && WaitsInPlace<M> &&
    requires(M& machine, const M& run, const typename M::Prepared& prepared, EventId event_id, EventName name,
             const typename M::Set& deleted) {
  { run.may_read(name, event_id) } -> std::same_as<bool>;
  { run.may_wait_on(name, event_id) } -> std::same_as<bool>;
  { run.defers_read(event_id) } -> std::same_as<bool>;
  { run.is_maximal_deferral(event_id, deleted) } -> std::same_as<bool>;
  { run.any_reads_on(event_id, name, deleted) } -> std::same_as<bool>;
  { machine.close_gaps(prepared, event_id, deleted) } -> std::same_as<EventId>;
};

// A choice of an `either` whose alternatives begin with guards *waits* until some guard holds (docs/algorithms.md,
// "Alternatives in graphs"). One alternative counts as maximal, its *home*. Another one is *opened* by a write that revisits
// the choice: up to the load that reads it, the guard reads writes from before the choice.
//
// - `wait_at_choices`: from now on they do; at the beginning of the first run. `any_choice_waits`: some choice has.
// - `counts_wait`: of a daemon that waits for ever: whether it does so in the alternative in which that counts (last_look.hpp).
//   If its choice has waited, that is the home.
// - `home`: of a prepared choice that waits. `is_home`: whether the event is one, with its home.
// - `may_open`: whether the write, with this parameter, may open this alternative of the choice, which has its home.
//   `open`: that write is in the run now, and the prepared choice is to have such an alternative. The events before the
//   choice are those before this position in the order.
// - `next_in_guard`: the event of the guard that must come directly after this one, which is a choice or belongs to the
//   guard, with this parameter. `continue_guard` prepares it.
// - `may_take`: whether the choice, or the event of a guard, may have this parameter.
// - `is_settled`: of an event of the guard of an alternative that is not the home: it can be neither revisited nor deleted.
//   If it is a read in the run, `is_default` is false.
template <typename M>
concept WaitsAtChoices = WaitsInPlace<M> &&
    requires(M& machine, const M& run, typename M::Prepared& event, const typename M::Prepared& prepared,
             std::int64_t parameter, EventId id, ThreadId t) {
  machine.wait_at_choices();
  { run.any_choice_waits() } -> std::same_as<bool>;
  { machine.counts_wait(t) } -> std::same_as<bool>;
  { run.home(prepared) } -> std::same_as<std::int64_t>;
  { run.is_home(id) } -> std::same_as<bool>;
  { machine.may_open(prepared, parameter, id, parameter) } -> std::same_as<bool>;
  machine.open(event, parameter, id, id);
  { run.next_in_guard(prepared, parameter) } -> std::same_as<std::optional<EventName>>;
  run.continue_guard(prepared, parameter, event);
  { machine.may_take(prepared, parameter) } -> std::same_as<bool>;
  { run.is_settled(prepared) } -> std::same_as<bool>;
};

// For searches that take such a choice, with its guard, at a node: as a read of several locations. (Those have no use for
// `open`, `may_take` and what comes with them; `home` is where the thread waits for ever.)
//
// - `leave_updates_free`: updates are no guards (guards.hpp); at the beginning of the first run.
// - `waits_at_choice`: of a choice that is committed or enabled. `is_early`: of one that is not committed, whether events before it in
//   its thread are not, either. `next_inside`: the next event of the guard that the thread is in.
// - `alternative_now`: the first alternative that can be taken if the guard reads the newest writes; `alternative_before`: if it
//   reads the newest ones with smaller ids than this. `may_pass`: whether any can be taken, or this one if some load reads a write
//   with this id or a greater one, as far as coherence says. `has_guard`: false of an alternative that the thread takes, or fails
//   to take, without a load.
// - `stays_inside`: whether the thread is still in its guard after this load with this source.
// - `for_each_looked_at`: the locations that the guards of a choice can come to look at, if they read what was committed before it
//   (some may come twice).
template <typename M>
concept TriesAlternatives = WaitsAtChoices<M> && RunsAhead<M> &&
    requires(M& machine, const M& run, const typename M::Prepared& prepared, EventName name, ThreadId t,
             std::int64_t parameter, EventId id) {
  machine.leave_updates_free();
  { run.waits_at_choice(name) } -> std::same_as<bool>;
  { run.is_early(name) } -> std::same_as<bool>;
  { run.next_inside(t) } -> std::same_as<std::optional<EventName>>;
  { machine.alternative_now(name) } -> std::same_as<std::optional<std::int64_t>>;
  { machine.alternative_before(name, id) } -> std::same_as<std::optional<std::int64_t>>;
  { machine.may_pass(name) } -> std::same_as<bool>;
  { machine.may_pass(name, parameter, std::optional<EventId>(id)) } -> std::same_as<bool>;
  { machine.has_guard(name, parameter) } -> std::same_as<bool>;
  { machine.stays_inside(prepared, parameter) } -> std::same_as<bool>;
  machine.for_each_looked_at(id, AnyVisitor{});
};

// The choice that has just been revisited keeps its home.
template <typename M>
concept RevisitsChoices = WaitsAtChoices<M> && DefersReads<M> && requires(const M& run) {
  { run.home_of_revisited() } -> std::same_as<std::int64_t>;
};

// Probes (guards.hpp) can begin with a choice that waits. `begin_with_probes`: from now on they do; at the beginning of the first run.
template <typename M>
concept BeginsWithProbes = WaitsAtChoices<M> && requires(M& machine) {
  machine.begin_with_probes();
};

// Runs may have a bound of preemptions (`bounds_preemptions`). `within_bound`: whether the run so far, as an
// execution of its own, is within it. For trust: `settle_prefix`: nothing before the write, which has just revisited, can
// be deleted any more (until `mend`); `must_extend`: whether the run may lead to anything within the bound;
// `withheld`: the number of violations beyond the bound, since the beginning.
template <typename M>
concept BoundsPreemptions = CommitMachine<M> && requires(M& machine, const M& run, EventId write) {
  { run.bounds_preemptions() } -> std::same_as<bool>;
  machine.settle_prefix(write);
  { machine.must_extend() } -> std::same_as<bool>;
  { machine.within_bound() } -> std::same_as<bool>;
  { run.withheld() } -> std::same_as<std::uint64_t>;
};

// A run represents all its coherence orders: it leaves open which write of a location is the last.
// `for_each_last` and `for_each_final_memory` call their visitor with one way of deciding that after the
// other and stop when it returns true. That may take long, and so may `commit`: `watch` gives the machine the
// search, whose limits it checks meanwhile.
template <typename M>
concept LeavesMemoryOpen = CommitMachine<M> &&
    requires(M& machine, const M& run, Location location, std::int64_t write, Search& search) {
  { run.leaves_open(location) } -> std::same_as<bool>;
  { run.may_be_last(location, write) } -> std::same_as<bool>;
  machine.for_each_last(location, AnyPredicate{});
  machine.for_each_final_memory(AnyPredicate{});
  machine.watch(search);
};

}  // namespace heddle::checker
