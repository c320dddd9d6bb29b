// The commit-order model of POWER (paper 2, section 2): threads fetch in program order past branches that are
// committed, and memory events are committed one by one, in any order that cb allows, each with a parameter:
// the source of a load, the place of a store in coherence order.
//
// A read-modify-write is committed in one step if this loses nothing (ahead_threads.hpp); otherwise it is a
// load and a separate store, whose place in coherence order is directly after the write that the load reads.
// That place may no longer be allowed, so such a store has a second parameter, `dropped`: the run continues
// without it and counts as blocked. Thus every enabled event has a parameter, and the algorithms still find
// the races of the events that do not depend on the store. Mutexes are read-modify-writes of a location that
// is 0 while the mutex is free, with full fences on both sides; a `lock` can be committed only after the
// write that left the mutex free. A `choose` is an event without a location, whose parameter is its value.
//
// Assertions and assumptions order nothing: threads run past them. An assumption that does not hold makes the
// execution incomplete. Later events of the thread are still committed, since the assumption may hold because
// of them in other executions. The exceptions are events that cb orders after all loads of the assumption:
// they are removed, as after a branch. A violation counts if it occurs in an execution in which
// every assumption that precedes some event in its thread holds. Events that failed assumptions leave out
// (`left_out`), and all events that cb orders after these, are not part of that execution.
//
// `commit` and `undo` are a stack, as in every commit machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/commits/ahead_threads.hpp"
#include "checker/commits/event_name.hpp"
#include "checker/commits/first_events.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/commits/power.hpp"
#include "checker/interleavings/machine.hpp"
#include "checker/state/event.hpp"
#include "checker/state/rows.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

template <unsigned Words>
class PowerMachine {
 public:
  using Model = Power<Words>;
  using Set = typename Model::Set;
  using Order = typename Model::Order;
  template <unsigned Wider>
  using Widened = PowerMachine<Wider>;
  static constexpr unsigned words = Words;
  static constexpr unsigned next_width = Words == 1 ? 16 : growing;
  static constexpr std::string_view out_of_room = too_many_events;

  // Everything that is known about an event before it is committed.
  struct Prepared {
    EventName name;
    Order read;                 // of its read, or of the whole event if it has no write
    Order write;                // of its write
    EventId newest = no_event;  // places for it are a section of coherence order
    EventId oldest = no_event;
    bool conditional = false;  // the store of a read-modify-write: one place, or dropped
    std::int64_t low = 0;      // its values: choices only
    std::int64_t high = 0;
  };

  PowerMachine(const Image& image, const MachineOptions& options)
      : image_(image),
        resume_after_assert_(options.resume_after_assert),
        threads_(image),
        model_(static_cast<std::uint32_t>(image.locations.size())),
        open_(threads_.count(), 0),
        watches_(threads_.count()) {
    for (ThreadId t = 0; t < threads_.count(); ++t) fetch(t);
    if (!options.twins.empty()) first_events_.emplace(image, threads_, options.twins);
    for (ThreadId t = 0; t < threads_.count(); ++t) watch(t);
    count_violations();
    trail_.clear();
  }

  [[nodiscard]] const Image& image() const { return image_; }
  [[nodiscard]] std::uint32_t thread_count() const { return threads_.count(); }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<Request>& requests(ThreadId t) const { return threads_.requests(t); }
  [[nodiscard]] const Request& request(EventName name) const {
    return threads_.requests(name.thread)[name.index];
  }
  // The request of the load with this number; sets of loads; whether all of a set have their values, or one load.
  [[nodiscard]] const Request& load(ThreadId t, std::uint32_t number) const {
    return threads_.load(t, number);
  }
  [[nodiscard]] const LoadSets& load_sets() const { return threads_.sets(); }
  [[nodiscard]] bool has_values(ThreadId t, LoadSet loads) const { return threads_.committed(t, loads); }
  [[nodiscard]] bool has_value(ThreadId t, std::uint32_t load) const {
    return threads_.committed_load(t, load);
  }
  // The request at which the thread is.
  [[nodiscard]] const Request& standing(ThreadId t) const { return threads_.requests(t).back(); }
  [[nodiscard]] bool finished() const {
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      if (standing_op(t) != Op::done) return false;
    }
    return true;
  }
  // The same for the end of a run, where an earlier request may be the reason.
  [[nodiscard]] Op standing_op(ThreadId t) const {
    if (assumption_fails(t)) return Op::assume_failed;
    const Watch& watch = watches_[t];
    if (watch.counted && !resume_after_assert_) return Op::assert_failed;
    // A violation that does not count, because of another thread's assumption.
    if (watch.suspect) return Op::assume_failed;
    return standing(t).op;
  }
  // `none` if the cause is another thread's assumption.
  [[nodiscard]] std::uint32_t standing_site(ThreadId t) const {
    if (const auto request = stopped_at(t)) return threads_.requests(t)[*request].site;
    return watches_[t].suspect ? none : standing(t).site;
  }
  [[nodiscard]] bool full() const { return model_.full(); }
  // Committed steps, and the first event of each.
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] EventName step(std::uint32_t depth) const { return steps_[depth].name; }
  [[nodiscard]] ProcessId first_event(std::uint32_t depth) const {
    return depth < steps_.size() ? steps_[depth].first_event : static_cast<std::uint32_t>(model_.size());
  }
  // The step that committed the event.
  [[nodiscard]] std::uint32_t step_of(EventId id) const { return step_of_[static_cast<std::size_t>(id)]; }
  // Of an initial write: the name without a thread.
  [[nodiscard]] EventName name_of(std::int64_t id) const {
    if (id == dropped) return dropped_name;
    return id < 0 ? EventName{} : steps_[step_of(static_cast<EventId>(id))].name;
  }
  [[nodiscard]] Op op(EventName name) const { return request(name).op; }
  // `none` for a choice.
  [[nodiscard]] Location location(EventName name) const { return request(name).location; }
  [[nodiscard]] bool reads(EventName name) const {
    return request(name).load != Request::no_load || updates(name);
  }
  [[nodiscard]] bool updates(EventName name) const { return request(name).updates(); }
  // True for the store of a read-modify-write that is a step of its own.
  [[nodiscard]] bool conditional(EventName name) const { return request(name).write_half(); }
  // True if the run lacks such a store, which never comes.
  [[nodiscard]] bool lacks_store() const {
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      for (const auto index : threads_.write_halves(t)) {
        const Request& store = threads_.requests(t)[index];
        if (!store.committed && !store.absent) return true;
      }
    }
    return false;
  }
  [[nodiscard]] Op op_at(std::uint32_t depth) const { return op(step(depth)); }
  [[nodiscard]] Location location_at(std::uint32_t depth) const { return location(step(depth)); }
  [[nodiscard]] bool reads_at(std::uint32_t depth) const { return reads(step(depth)); }
  // The write that a step reads from, or that its own write directly follows now; the value that it chose.
  [[nodiscard]] std::int64_t place(std::uint32_t depth) const {
    const Request& committed = request(steps_[depth].name);
    if (committed.dropped) return dropped;
    return committed.read != no_event ? model_[committed.read].source : model_[committed.write].previous;
  }
  [[nodiscard]] std::int64_t chosen(std::uint32_t depth) const { return request(steps_[depth].name).result; }
  [[nodiscard]] std::int64_t older(std::int64_t write) const {
    return model_.previous(static_cast<EventId>(write));
  }
  // Writes, initial ones included: the next one in coherence order, or no_event.
  [[nodiscard]] EventId newer(std::int64_t write) const { return model_.next(static_cast<EventId>(write)); }
  // The newest write of a location; negative if nothing has been written to it.
  [[nodiscard]] EventId newest_write(Location location) const {
    const EventId initial = model_.known(location);
    return initial == no_event ? EventId{-1} : model_.newest(initial);
  }
  // The same, with the initial one, which gets its id if it has none yet; and that one.
  [[nodiscard]] EventId newest_of(Location location) { return model_.newest(initial(location)); }
  [[nodiscard]] EventId initial(Location location) { return model_.initial(location); }
  [[nodiscard]] bool taken(std::int64_t write) const { return model_.taken(static_cast<EventId>(write)); }
  [[nodiscard]] const Set& readers(std::int64_t write) const {
    return model_.readers(static_cast<EventId>(write));
  }
  // True if a read-modify-write would write if it read from this write.
  [[nodiscard]] bool would_update(const Prepared& event, std::int64_t write) const {
    const Request& self = request(event.name);
    return self.updates() && would_write(self.op, self.expected, value_of(static_cast<EventId>(write)));
  }
  // The event with this first id.
  [[nodiscard]] EventId write_of(EventId id) const { return request(name_of(id)).write; }
  [[nodiscard]] EventId source_of(EventId id) const {
    const EventId read = request(name_of(id)).read;
    return read == no_event ? no_event : model_[read].source;
  }
  [[nodiscard]] bool is_decision(EventId id) const {
    const Request& committed = request(name_of(id));
    return committed.op == Op::choose || committed.write_half();
  }
  // Of the two parameters of the store of a read-modify-write, `dropped` is always possible.
  [[nodiscard]] bool is_default(EventId id) const {
    const Request& committed = request(name_of(id));
    return committed.op == Op::choose ? committed.result == committed.value : committed.dropped;
  }
  // The write of a step, if it has one.
  [[nodiscard]] std::optional<std::int64_t> written_by(std::uint32_t depth) const {
    const Request& committed = request(steps_[depth].name);
    return committed.write == no_event ? std::nullopt : std::optional<std::int64_t>(committed.write);
  }
  // The parameter with which an event goes to the place of this name.
  [[nodiscard]] std::int64_t resolve(EventName name, EventName place) {
    if (place == dropped_name) return dropped;
    return place.thread == none ? model_.initial(request(name).location) : request(place).write;
  }
  // cb-predecessors, transitively: of an event without its source; of a committed one including itself.
  [[nodiscard]] Set commit_before(const Prepared& event) const {
    return model_.commit_before(reads(event.name) ? event.read : event.write);
  }
  [[nodiscard]] const Set& committed_before(std::int64_t id) const {
    return model_[static_cast<EventId>(id)].commit_before;
  }
  // Symmetry, as HasTwins has it.
  [[nodiscard]] std::uint64_t permutations() const {
    if (!first_events_) return 1;
    return first_events_->permutations([&](EventName name) { return request(name).committed; });
  }
  // Violations of threads that count since the newest step, or from the start.
  struct FailureAt : Failure {
    std::uint32_t index = 0;  // of the request
  };
  [[nodiscard]] const std::vector<FailureAt>& failures() const { return failures_; }
  // The request at which the thread counts as stopped: an assumption that does not hold, or a violation that
  // counts and that it does not continue from.
  [[nodiscard]] std::optional<std::uint32_t> stopped_at(ThreadId t) const {
    if (assumption_fails(t)) return threads_.assumptions(t)[watches_[t].assumed];
    if (!watches_[t].counted) return std::nullopt;
    return suspected(t);
  }
  // Why no extension of this run can be explored to its end: a thread has run ahead further than there is
  // room for (event_name.hpp). Empty if there is room.
  [[nodiscard]] std::string_view limit() const { return limit_; }
  [[nodiscard]] std::size_t memory_used() const {
    return model_.memory_used() + threads_.memory_used() + steps_.capacity() * sizeof(Step);
  }

  // Calls `visit(name)` for every event that cb allows to be committed now, including locks that have to
  // wait.
  template <typename Visit>
  void for_each_enabled(Visit&& visit) const {
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      const auto& requests = threads_.requests(t);
      for (std::uint32_t i = open_[t]; i < requests.size(); ++i) {
        if (i + 1 == requests.size() && !(requests[i].stays() && may_stay(t))) break;
        if (requests[i].event() && !requests[i].committed && enabled(t, i)) visit(EventName{t, i});
      }
    }
  }
  // The same of one event that is not committed.
  [[nodiscard]] bool is_enabled(EventName name) const {
    const bool stands = name.index + 1 == threads_.requests(name.thread).size();
    if (stands && !(request(name).stays() && may_stay(name.thread))) return false;
    return request(name).event() && enabled(name.thread, name.index);
  }
  // What a step did.
  [[nodiscard]] Row row(std::uint32_t depth) const;
  [[nodiscard]] EventId last_event(ThreadId t) const { return last_event(t, threads_.requests(t).size()); }
  [[nodiscard]] EventId po_previous(EventId id) const {
    const EventName name = name_of(id);
    return last_event(name.thread, name.index);
  }
  [[nodiscard]] static bool keeps_program_order() { return false; }
  [[nodiscard]] PlainGraph plain_graph() const;
  // The run so far, to be repeated by `follow` on a machine of this kind.
  [[nodiscard]] Schedule run() const { return run(Set()); }
  // The same without these events, which no others are cb-after.
  [[nodiscard]] Schedule run(const Set& without) const;
  // The steps with these ids in this order, which extends cb.
  [[nodiscard]] Schedule run_of(const std::vector<EventId>& order) const;
  // Events that an assumption leaves out that does not hold, or is not known to hold; loads of
  // read-modify-writes whose store is missing; and all events that cb puts after these.
  [[nodiscard]] Set left_out();
  // The events without which the violation would not count, and what cb orders before them. At most O(requests) passes over
  // all requests, mostly two.
  [[nodiscard]] Set causes_of(const FailureAt& failure) const;
  // Without what assumptions leave out: leads to a violation that counts.
  [[nodiscard]] Schedule run_to_failure(const FailureAt& /*failure*/) { return run(left_out()); }
  [[nodiscard]] bool follow(const Choice& choice);
  // The newest value of a location, and of each.
  [[nodiscard]] std::int64_t newest_value(Location location) const {
    const EventId newest = newest_write(location);
    return newest < 0 ? image_.locations[location].initial : model_[newest].value;
  }
  void final_memory(std::vector<std::int64_t>& memory) const {
    for (Location location = 0; location < memory.size(); ++location)
      memory[location] = newest_value(location);
  }
  // Words that two states of one program share if and only if they have the same events committed with the
  // same parameters. They do not depend on the machine's width. O(events).
  void key(std::vector<std::uint64_t>& words) const;

  // True if the event is a read in the condition of an await; the thread stops if it fails.
  [[nodiscard]] bool awaits(EventName name) const { return request(name).awaits; }
  // False if there has been none since the beginning.
  [[nodiscard]] bool any_awaits() const { return threads_.any_awaits(); }
  // Whether such a read stops its thread at once with this value. Not if the condition depends on another load
  // without its value.
  [[nodiscard]] bool stops(EventName name, std::int64_t value);
  // Trials (AheadThreads), with the values that the loads before the request have.
  Mailbox& begin_trial(EventName name) {
    threads_.clean(name.thread);
    return threads_.begin_trial(name.thread, name.index);
  }
  void resume_trial(ThreadId t) const { threads_.resume_trial(t); }
  [[nodiscard]] bool depends_on_trial(ThreadId t) const { return threads_.depends_on_trial(t); }
  // What the event, a store or something that `updates`, would write; of the latter, if it read from this write and wrote. The
  // event has been prepared for the current run.
  [[nodiscard]] std::int64_t would_write_value(EventName name, std::int64_t source) const {
    const Request& self = request(name);
    if (self.op == Op::store) return written_by_store(name);
    if (self.op == Op::unlock) return 0;
    const std::int64_t read = value_of(static_cast<EventId>(source));
    return effect_of_reading(self.op, read, self.value, self.expected, name.thread).written;
  }
  // True if the event must wait for a mutex.
  [[nodiscard]] bool waits(EventName name) {
    const Request& lock = request(name);
    return lock.op == Op::lock && value_of(model_.newest(model_.initial(lock.location))) != 0;
  }

  void prepare(EventName name, Prepared& event);
  // The parameters of an event, starting with `first`, until there is none: ids of writes, or values.
  [[nodiscard]] std::optional<std::int64_t> first_parameter(const Prepared& event) const {
    if (event.newest != no_event) return event.newest;
    return event.low;
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(const Prepared& event,
                                                           std::int64_t parameter) const {
    if (event.newest == no_event) {
      return parameter + 1 < event.high ? std::optional(parameter + 1) : std::nullopt;
    }
    if (event.conditional) return parameter == dropped ? std::nullopt : std::optional(dropped);
    if (parameter == event.oldest) return std::nullopt;
    return model_.previous(static_cast<EventId>(parameter));
  }

  // Commits the event if the model allows it with this parameter.
  bool commit(const Prepared& event, std::int64_t parameter);
  void undo();

  [[nodiscard]] std::int64_t value_of(EventId write) const {
    return write < 0 ? image_.locations[model_.location_of(write)].initial : model_[write].value;
  }

  // Brings all threads' blocks up to date with what is committed.
  void clean() {
    for (ThreadId t = 0; t < threads_.count(); ++t) threads_.clean(t);
  }
  [[nodiscard]] const std::byte* block(ThreadId t) const { return threads_.block(t); }
  [[nodiscard]] std::span<const std::byte> block(ThreadId t, std::uint32_t request) const {
    return threads_.block(t, request);
  }
  // The number of the thread's requests before the first one that could be an event and is not committed.
  [[nodiscard]] std::uint32_t first_open(ThreadId t) const { return open_[t]; }
  // Whether some thread has met a violation, whether it counts or not.
  [[nodiscard]] bool any_violation() const {
    return std::any_of(watches_.begin(), watches_.end(),
                       [](const Watch& watch) { return watch.suspect || watch.counted; });
  }
  // Lets the image's counters count what the threads of this run have done: up to an assumption that does not
  // hold, or whose result is not known, and without what such an assumption leaves out.
  void count_coverage();
  // True if the thread, at a failed await, would continue if it evaluated its condition now. For the end of a
  // run.
  [[nodiscard]] bool await_holds(ThreadId t) {
    return await_holds(t, [this](Location location) { return newest_value(location); });
  }
  template <typename Read>
  [[nodiscard]] bool await_holds(ThreadId t, Read&& read, std::int64_t answer = compiler::any_alternative);
  [[nodiscard]] Look look(ThreadId t, std::uint32_t back) const {
    const auto& requests = threads_.requests(t);
    for (auto i = requests.size(); i > 0; --i) {
      const Request& request = requests[i - 1];
      if (!request.committed || request.read == no_event || back-- > 0) continue;
      const EventId source = model_[request.read].source;
      return {request.location, value_of(source), model_.next(source) == no_event};
    }
    return {};
  }

 private:
  struct Step {
    EventName name;
    std::uint32_t first_event = 0;
    std::uint32_t fetched = 0;  // requests of the thread before the step
    std::uint32_t open = 0;
    std::uint32_t trail = 0;
  };
  // The knowledge about the assertions and assumptions of a thread. Both are judged in program order.
  struct Watch {
    std::uint32_t assumed = 0;   // assumptions that are known to hold
    std::uint32_t asserted = 0;  // assertions that are known to hold, or are violations that have counted
    bool suspect = false;        // the thread has a violation that does not count yet
    bool counted = false;        // it has one that counts, and ends there
    friend bool operator==(const Watch&, const Watch&) = default;
  };
  struct WatchChange {
    ThreadId thread = 0;
    Watch before;
  };

  // The event that comes before this one because their threads are equal; EventName{} if none does.
  [[nodiscard]] EventName before_as_twin(ThreadId t, std::uint32_t index) const {
    return first_events_ ? first_events_->before(t, index) : EventName{};
  }
  [[nodiscard]] bool enabled(ThreadId t, std::uint32_t index) const {
    if (const EventName twin = before_as_twin(t, index); twin.thread != none && !request(twin).committed)
      return false;
    const Request& request = threads_.requests(t)[index];
    if (!threads_.committed(t, request.data) || !threads_.committed(t, request.compared) ||
        !threads_.committed(t, request.control))
      return false;
    const auto fenced = std::max(request.before_sync, request.before_lightweight);
    if (fenced > open_[t]) return false;
    // After the fence, all loads of earlier assumptions have their values.
    if (fenced != 0 && fenced > unassumed(t)) return false;
    if (request.writes() && request.before_store_store > open_[t] && !stores_committed(t, request))
      return false;
    if (request.previous == none) return true;
    const Request& previous = threads_.requests(t)[request.previous];
    return (previous.committed || previous.absent) && !request.dropped;
  }
  // True if the writes before the newest eieio have been committed.
  [[nodiscard]] bool stores_committed(ThreadId t, const Request& request) const {
    const auto& requests = threads_.requests(t);
    for (std::uint32_t i = open_[t]; i < request.before_store_store; ++i) {
      if (requests[i].writes() && !requests[i].committed && !requests[i].absent) return false;
    }
    return true;
  }
  void advance(ThreadId t) {
    const auto& requests = threads_.requests(t);
    while (open_[t] < requests.size() && (requests[open_[t]].committed || passive(requests[open_[t]])))
      ++open_[t];
  }
  // A request that is not an event and that the thread has passed.
  [[nodiscard]] static bool passive(const Request& request) {
    return request.op == Op::fence || request.op == Op::need || request.observes() || request.absent;
  }

  // The newest event among the first `end` requests of the thread.
  [[nodiscard]] EventId last_event(ThreadId t, std::size_t end) const {
    const auto& requests = threads_.requests(t);
    for (; end > 0; --end) {
      const Request& request = requests[end - 1];
      if (request.read != no_event) return request.read;
      if (request.write != no_event) return request.write;
    }
    return no_event;
  }
  void fetch(ThreadId t);
  [[nodiscard]] bool can_resume(ThreadId t) const;
  [[nodiscard]] bool holds(ThreadId t, Location mutex) const;
  // True if the thread may perform the operation at which it waits: only the owner of a mutex may unlock it.
  [[nodiscard]] bool may_stay(ThreadId t) const {
    const Request& request = standing(t);
    return request.op != Op::unlock || holds(t, request.location);
  }
  // True if the thread is at a violation.
  [[nodiscard]] bool fails(ThreadId t) const {
    return is_failure(standing(t).op) || (standing(t).op == Op::unlock && !may_stay(t));
  }

  // The thread's first assumption that is not known to hold: an index of a request.
  [[nodiscard]] std::uint32_t unassumed(ThreadId t) const {
    const auto& assumptions = threads_.assumptions(t);
    const auto assumed = watches_[t].assumed;
    return assumed < assumptions.size() ? assumptions[assumed] : none;
  }
  [[nodiscard]] bool decided(ThreadId t, const Request& observer) const {
    return threads_.committed(t, observer.data);
  }
  [[nodiscard]] bool assumption_fails(ThreadId t) const {
    const auto first = unassumed(t);
    return first != none && decided(t, threads_.requests(t)[first]);
  }
  // True if the observer can be judged, and holds or fails as `holds` says.
  [[nodiscard]] bool judged(ThreadId t, std::uint32_t index, bool holds) {
    const auto& requests = threads_.requests(t);
    if (!decided(t, requests[index])) return false;
    threads_.clean(t, requests[index].data);
    return (requests[index].value != 0) == holds;
  }
  // The violation of a suspect thread.
  [[nodiscard]] std::uint32_t suspected(ThreadId t) const {
    const auto& assertions = threads_.assertions(t);
    const auto asserted = watches_[t].asserted;
    return asserted < assertions.size() ? assertions[asserted]
                                        : static_cast<std::uint32_t>(threads_.requests(t).size() - 1);
  }
  // True if there is a failed assumption all of whose loads are in one of the sets.
  [[nodiscard]] bool assumed_wrongly(ThreadId t, LoadSet waited, LoadSet more) const {
    const auto& assumptions = threads_.assumptions(t);
    return std::any_of(assumptions.begin(), assumptions.end(), [&](std::uint32_t index) {
      const Request& assumption = threads_.requests(t)[index];
      if (assumption.value != 0) return false;
      bool all = true;
      load_sets().for_each(assumption.data, [&](std::uint32_t load) {
        all = all && (load_sets().contains(waited, load) || load_sets().contains(more, load));
      });
      return all;
    });
  }
  [[nodiscard]] std::int64_t written_by_store(EventName name) const {
    const auto& requests = threads_.requests(name.thread);
    const Request& store = requests[name.index];
    return store.write_half() ? modified(store.update, requests[name.index - 1].result, store.value)
                              : store.value;
  }
  void compare(ThreadId t);
  void watch(ThreadId t);
  void count_violations();
  [[nodiscard]] bool counts(ThreadId t, std::uint32_t index);
  [[nodiscard]] bool meets(ThreadId t, LoadSet loads, const Set& events) const;
  void add_loads(ThreadId t, LoadSet loads, Set& set) const {
    load_sets().for_each(loads, [&](std::uint32_t number) {
      set.insert(static_cast<ProcessId>(threads_.load(t, number).read));
    });
  }
  // Calls `visit(id, is_write)` for the events of a committed request.
  template <typename Visit>
  static void for_each_event(const Request& request, Visit&& visit) {
    if (!request.committed) return;
    if (request.read != no_event) visit(static_cast<ProcessId>(request.read), false);
    if (request.write != no_event) visit(static_cast<ProcessId>(request.write), true);
  }
  void fill(EventName name, bool writes, Order& order) const;
  void add_fenced(EventName name, bool writes, Order& order) const;
  [[nodiscard]] std::optional<std::int64_t> add_events(const Prepared& event, std::int64_t parameter);
  [[nodiscard]] std::optional<std::int64_t> add_read(const Prepared& event, EventId place);
  [[nodiscard]] Order order_after_own_read(const Prepared& event, ProcessId reader) const;
  void continue_thread(EventName name, std::int64_t result);
  template <typename Present>
  [[nodiscard]] Choice choice_of(const Step& step, Present&& present) const;

  const Image& image_;
  bool resume_after_assert_;
  AheadThreads threads_;
  std::optional<FirstEvents> first_events_;  // if there are equal threads
  Model model_;
  std::vector<std::uint32_t> open_;  // by thread: all events before this request are committed
  std::vector<Step> steps_;
  std::vector<std::uint32_t> step_of_;
  std::vector<Watch> watches_;  // by thread
  std::vector<WatchChange> trail_;
  std::uint32_t suspects_ = 0;  // threads with a violation that does not count yet
  std::vector<FailureAt> failures_;
  std::string_view limit_;
};

// All earlier mutex operations of a thread that waits at one have been committed, so their results are known.
template <unsigned Words>
bool PowerMachine<Words>::holds(ThreadId t, Location mutex) const {
  const auto& requests = threads_.requests(t);
  for (std::size_t i = requests.size() - 1; i-- > 0;) {
    if (!is_of_mutex(requests[i].op) || requests[i].location != mutex) continue;
    if (requests[i].op == Op::unlock) return false;
    if (requests[i].result != 0) return true;
  }
  return false;
}

// True if the thread can continue past its request without any commit.
template <unsigned Words>
bool PowerMachine<Words>::can_resume(ThreadId t) const {
  const Request& request = standing(t);
  switch (request.op) {
    case Op::need: return threads_.committed(t, static_cast<LoadSet>(request.value));
    case Op::fence:
    case Op::assertion: return true;
    // What comes next is after the loads of the assumption if the thread has waited for them.
    case Op::assumption: return request.value != 0 || !load_sets().includes(request.waited, request.data);
    default: return request.access() && !request.stays();
  }
}

template <unsigned Words>
void PowerMachine<Words>::count_coverage() {
  clean();
  const Set out = left_out();
  image_.coverage->weight = 1;
  for (ThreadId t = 0; t < threads_.count(); ++t) {
    threads_.repeat(t, [&](const Request& request) {
      if (request.op == Op::assumption) return decided(t, request) && request.value != 0;
      if (request.op == Op::assertion)
        return decided(t, request) && (request.value != 0 || resume_after_assert_);
      const auto event = request.read != no_event ? request.read : request.write;
      return !request.committed || event == no_event || !out.contains(static_cast<ProcessId>(event));
    });
  }
  image_.coverage->weight = 0;
}

// Lets the thread run ahead as far as it can.
template <unsigned Words>
void PowerMachine<Words>::fetch(ThreadId t) {
  for (;;) {
    const Request& request = standing(t);
    if (limit_.empty()) limit_ = threads_.limit(t);
    if (!limit_.empty() || !can_resume(t)) break;
    if (request.op == Op::need) {
      const auto loads = static_cast<LoadSet>(request.value);
      threads_.clean(t, loads);
      if (assumed_wrongly(t, standing(t).waited, loads)) break;
    }
    threads_.resume(t, 0);
  }
  advance(t);
}

// Marks the thread's conditional read-modify-writes that are two requests and are known not to write.
template <unsigned Words>
void PowerMachine<Words>::compare(ThreadId t) {
  auto& requests = threads_.requests(t);
  for (const auto index : threads_.write_halves(t)) {
    Request& store = requests[index];
    if (!is_conditional(store.update) || store.committed || store.dropped) continue;
    const bool known = requests[index - 1].committed && threads_.committed(t, store.compared);
    if (known) threads_.clean(t, store.compared);
    store.absent = known && !would_write(store.update, store.expected, requests[index - 1].result);
  }
}

// Judges the thread's assertions and assumptions as far as that has become possible.
template <unsigned Words>
void PowerMachine<Words>::watch(ThreadId t) {
  const auto& assumptions = threads_.assumptions(t);
  const auto& assertions = threads_.assertions(t);
  const bool stands_at_violation = fails(t);
  Watch now = watches_[t];
  while (now.assumed < assumptions.size() && judged(t, assumptions[now.assumed], true)) ++now.assumed;
  while (now.asserted < assertions.size() && judged(t, assertions[now.asserted], true)) ++now.asserted;
  const auto limit = now.assumed < assumptions.size() ? assumptions[now.assumed] : none;
  if (now.asserted < assertions.size()) {
    const auto next = assertions[now.asserted];
    now.suspect = next < limit && judged(t, next, false);
  } else {
    now.suspect = limit == none && stands_at_violation;
  }
  now.suspect = now.suspect && !now.counted;
  if (now == watches_[t]) return;
  trail_.push_back({t, watches_[t]});
  suspects_ += static_cast<std::uint32_t>(now.suspect) - static_cast<std::uint32_t>(watches_[t].suspect);
  watches_[t] = now;
}

// Finds the violations that threads have met and that count now.
template <unsigned Words>
void PowerMachine<Words>::count_violations() {
  for (ThreadId t = 0; suspects_ > 0 && t < threads_.count(); ++t) {
    while (watches_[t].suspect) {
      const auto index = suspected(t);
      if (!counts(t, index)) break;
      const Request& violation = threads_.requests(t)[index];
      const bool assertion = violation.op == Op::assertion;
      failures_.push_back(
          {{.thread = t, .op = assertion ? Op::assert_failed : violation.op, .site = violation.site}, index});
      trail_.push_back({t, watches_[t]});
      --suspects_;
      watches_[t].suspect = false;
      if (assertion && resume_after_assert_) {
        ++watches_[t].asserted;
        watch(t);
      } else {
        watches_[t].counted = true;
      }
    }
  }
}

template <unsigned Words>
bool PowerMachine<Words>::meets(ThreadId t, LoadSet loads, const Set& events) const {
  bool found = false;
  load_sets().for_each(loads, [&](std::uint32_t number) {
    if (!has_value(t, number)) return;
    found = found || events.contains(static_cast<ProcessId>(threads_.load(t, number).read));
  });
  return found;
}

// True if assumptions leave the violation, and all that the thread has done before it, in the execution.
template <unsigned Words>
bool PowerMachine<Words>::counts(ThreadId t, std::uint32_t index) {
  const Set out = left_out();
  if (out.empty()) return true;
  const auto& requests = threads_.requests(t);
  for (std::uint32_t i = 0; i <= index; ++i) {
    const Request& request = requests[i];
    const auto event = request.read != no_event ? request.read : request.write;
    if (request.stays() && request.committed && out.contains(static_cast<ProcessId>(event))) return false;
    if ((request.observes() || i == index) &&
        (meets(t, request.data, out) || meets(t, request.waited, out) || meets(t, request.control, out)))
      return false;
  }
  return true;
}

// What program order says about the request as a write or as a read.
template <unsigned Words>
void PowerMachine<Words>::fill(EventName name, bool writes, Order& order) const {
  const auto& requests = threads_.requests(name.thread);
  const Request& self = requests[name.index];
  order = {};
  order.thread = name.thread;
  order.location = self.location;
  order.writes = writes;
  add_fenced(name, writes, order);
  for (auto i = self.previous; i != none; i = requests[i].previous)
    for_each_event(requests[i], [&](ProcessId id, bool) { order.same_location.insert(id); });
  // The operands of a read-modify-write are inputs of its write only.
  add_loads(name.thread, self.address, order.dependencies);
  add_loads(name.thread, self.control, order.control);
  if (writes) {
    add_loads(name.thread, self.data, order.dependencies);
    add_loads(name.thread, self.compared, order.control);
  }
  add_loads(name.thread, self.control_isync, order.control_isync);
  add_loads(name.thread, self.address_before, order.address_order);
  add_loads(name.thread, self.waited, order.commit_before);
  order.commit_before |= order.dependencies | order.control | order.address_order | order.same_location;
  if (const EventName twin = before_as_twin(name.thread, name.index); twin.thread != none)
    for_each_event(request(twin), [&](ProcessId id, bool) { order.commit_before.insert(id); });
}

// Adds the events that a fence, or a `choose`, separates from the request.
template <unsigned Words>
void PowerMachine<Words>::add_fenced(EventName name, bool writes, Order& order) const {
  const auto& requests = threads_.requests(name.thread);
  const Request& self = requests[name.index];
  const auto fenced = std::max(self.before_sync, self.before_lightweight);
  const auto end = std::max({fenced, self.before_store_store, self.before_choice});
  for (std::uint32_t i = 0; i < end; ++i) {
    const Request& earlier = requests[i];
    const bool accesses = self.access() && earlier.access();
    for_each_event(earlier, [&](ProcessId id, bool is_write) {
      if (i < fenced || (earlier.op == Op::choose && i < self.before_choice)) order.commit_before.insert(id);
      if (!accesses) return;
      if (i < self.before_sync) {
        order.sync.insert(id);
      } else if (i < self.before_lightweight) {
        if (!is_write || writes) order.lightweight.insert(id);  // lwsync does not order a write before a read
      } else if (i < self.before_store_store && is_write && writes) {
        order.lightweight.insert(id);
        order.commit_before.insert(id);
      }
    });
  }
}

template <unsigned Words>
void PowerMachine<Words>::prepare(EventName name, Prepared& event) {
  const Request& self = request(name);
  event.name = name;
  event.newest = event.oldest = no_event;
  event.conditional = self.write_half();
  if (self.op == Op::choose) {
    fill(name, false, event.read);
    event.low = self.value;
    event.high = self.expected;
    return;
  }
  threads_.clean(name.thread, self.data);
  threads_.clean(name.thread, self.compared);
  if (event.conditional) {
    fill(name, true, event.write);
    event.newest = event.oldest = model_[threads_.requests(name.thread)[name.index - 1].read].source;
    return;
  }
  const bool updates = self.updates();
  const bool reads = updates || self.op == Op::load;
  if (reads) fill(name, false, event.read);
  if (updates || !reads) fill(name, true, event.write);
  if (updates) event.read.commit_before |= event.write.commit_before;
  const EventId initial = model_.initial(self.location);
  event.newest = model_.newest(initial);
  event.oldest = model_.oldest_place(reads ? event.read : event.write, initial);
}

template <unsigned Words>
bool PowerMachine<Words>::commit(const Prepared& event, std::int64_t parameter) {
  const EventName name = event.name;
  const auto first = static_cast<std::uint32_t>(model_.size());
  const auto result = add_events(event, parameter);
  if (!result) return false;
  steps_.push_back({.name = name,
                    .first_event = first,
                    .fetched = static_cast<std::uint32_t>(threads_.requests(name.thread).size()),
                    .open = open_[name.thread],
                    .trail = static_cast<std::uint32_t>(trail_.size())});
  while (step_of_.size() < model_.size()) step_of_.push_back(static_cast<std::uint32_t>(steps_.size() - 1));
  failures_.clear();
  continue_thread(name, *result);
  return true;
}

// Adds the events of a request to the model and stores their ids in the request. Returns the value with which
// its thread continues, or nothing if the model does not allow the events there.
template <unsigned Words>
std::optional<std::int64_t> PowerMachine<Words>::add_events(const Prepared& event, std::int64_t parameter) {
  Request& self = threads_.requests(event.name.thread)[event.name.index];
  const auto first = static_cast<EventId>(model_.size());
  if (self.op == Op::choose || (event.conditional && parameter == dropped)) {
    const bool choice = self.op == Op::choose;
    model_.add_choice(choice ? event.read : event.write, choice ? parameter : 0);
    self.read = first;
    self.dropped = !choice;
    return choice ? parameter : 0;
  }
  const auto place = static_cast<EventId>(parameter);
  if (!model_.within(place, event.oldest)) return std::nullopt;
  if (self.op != Op::store && self.op != Op::unlock) return add_read(event, place);
  if (model_.taken(place)) return std::nullopt;
  const std::int64_t written = self.op == Op::store ? written_by_store(event.name) : 0;
  if (!model_.add(event.write, place, written, event.conditional ? place : no_event)) return std::nullopt;
  self.write = first;
  return 0;
}

// The same for a load, or for a read-modify-write that is one step, with its write if it writes.
template <unsigned Words>
std::optional<std::int64_t> PowerMachine<Words>::add_read(const Prepared& event, EventId place) {
  Request& self = threads_.requests(event.name.thread)[event.name.index];
  const auto reader = static_cast<EventId>(model_.size());
  const std::int64_t read = value_of(place);
  const ReadEffect effect = effect_of_reading(self.op, read, self.value, self.expected, event.name.thread);
  if (self.op == Op::lock && !effect.writes) return std::nullopt;
  if (effect.writes && model_.taken(place)) return std::nullopt;
  if (!model_.add(event.read, place, read)) return std::nullopt;
  if (effect.writes) {
    if (!model_.add(order_after_own_read(event, static_cast<ProcessId>(reader)), place, effect.written,
                    place)) {
      model_.remove();
      return std::nullopt;
    }
    self.write = reader + 1;
  }
  self.read = reader;
  return effect.result;
}

// What program order says about the write of a read-modify-write whose read is the event `reader`.
template <unsigned Words>
auto PowerMachine<Words>::order_after_own_read(const Prepared& event, ProcessId reader) const -> Order {
  const Request& self = request(event.name);
  Order order = event.write;
  order.same_location.insert(reader);
  order.commit_before.insert(reader);
  if (Request::reading_decides(self.op)) {
    order.control.insert(reader);
  } else if (self.op != Op::exchange) {
    order.dependencies.insert(reader);
  }
  return order;
}

// The request has its result: lets its thread fetch what that makes possible, and judges what is known now.
template <unsigned Words>
void PowerMachine<Words>::continue_thread(EventName name, std::int64_t result) {
  const ThreadId t = name.thread;
  const Request& self = request(name);
  if (!self.dropped) threads_.commit(t, name.index, result);
  if (!threads_.write_halves(t).empty()) compare(t);
  if (self.stays()) {
    threads_.resume(t, result);
    fetch(t);
  } else if (can_resume(t)) {
    fetch(t);
  } else {
    advance(t);
  }
  if (threads_.observed(t) || fails(t)) watch(t);
  if (suspects_ > 0) count_violations();
}

template <unsigned Words>
void PowerMachine<Words>::undo() {
  const Step& step = steps_.back();
  const EventName name = step.name;
  threads_.cut(name.thread, step.fetched);
  threads_.uncommit(name.thread, name.index);
  Request& self = threads_.requests(name.thread)[name.index];
  self.read = self.write = no_event;
  self.dropped = false;
  if (!threads_.write_halves(name.thread).empty()) compare(name.thread);
  open_[name.thread] = step.open;
  while (model_.size() > step.first_event) model_.remove();
  step_of_.resize(model_.size());
  for (; trail_.size() > step.trail; trail_.pop_back()) {
    Watch& watch = watches_[trail_.back().thread];
    suspects_ +=
        static_cast<std::uint32_t>(trail_.back().before.suspect) - static_cast<std::uint32_t>(watch.suspect);
    watch = trail_.back().before;
  }
  steps_.pop_back();
  failures_.clear();
  limit_ = {};
}

template <unsigned Words>
bool PowerMachine<Words>::stops(EventName name, std::int64_t value) {
  const auto& requests = threads_.requests(name.thread);
  const Request& read = requests[name.index];
  if (!read.stays()) {
    // The thread waits for the read where it decides, or for no branch.
    const Request& last = requests.back();
    if (last.op != Op::need) return false;
    bool others = false;
    load_sets().for_each(static_cast<LoadSet>(last.value), [&](std::uint32_t load) {
      others = others || (load != read.load && !has_value(name.thread, load));
    });
    if (others) return false;
  }
  Mailbox& m = begin_trial(name);
  m.value = effect_of_reading(m.op, value, m.value, m.expected, name.thread).result;
  resume_trial(name.thread);
  return fails_to_await(m);
}

template <unsigned Words>
template <typename Read>
bool PowerMachine<Words>::await_holds(ThreadId t, Read&& read, std::int64_t answer) {
  Mailbox& m = begin_trial({t, static_cast<std::uint32_t>(threads_.requests(t).size() - 1)});
  const auto site = m.site;
  m.value = answer;
  resume_trial(t);
  while (m.in_await != 0) {
    m.value = effect_of_reading(m.op, read(m.location), m.value, m.expected, t).result;
    resume_trial(t);
  }
  return m.op != Op::await_failed || m.site != site;
}

}  // namespace heddle::checker

#include "checker/commits/power_runs.hpp"
