// The execution model that paper 2 (section 2) derives from the axioms of POWER: threads fetch in program
// order past branches that are committed, and memory events are committed one by one, in any order that cb
// allows, each with a parameter: the source of a load, the place of a store in coherence order.
//
// A read-modify-write is committed in one step if that is no loss (ahead_threads.hpp); otherwise it is a load
// and a separate store, whose place in coherence order is directly after the write that the load reads. That
// place may no longer be allowed, so such a store has a second parameter, `dropped`: the run continues without
// it and counts as blocked. Thus every enabled event has a parameter, and the algorithms still find the races of
// the events that do not depend on the store. Mutexes are read-modify-writes of a location that is 0 while the mutex is free, with
// full fences on both sides; a `lock` can be committed only behind the write that left the mutex free. A
// `choose` is an event without a location, whose parameter is its value.
//
// Assertions and assumptions order nothing: threads run past them. An assumption that does not hold makes the
// execution incomplete. Later events of the thread are still committed, since the assumption may hold because of
// them in other executions. The exceptions are events that cb orders after all loads of the assumption: they are
// removed, as after a branch. A violation counts if it occurs in an execution in which every assumption before any
// event holds. Events that failed assumptions leave out (`left_out`), and all events that cb orders after these,
// are not part of that execution.
//
// `commit` and `undo` are a stack, as everywhere in this engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/execution/ahead_threads.hpp"
#include "checker/execution/derived.hpp"
#include "checker/execution/machine.hpp"
#include "checker/execution/plain_graph.hpp"
#include "checker/execution/rows.hpp"
#include "checker/models/power.hpp"
#include "jit/runtime.hpp"

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
  static constexpr unsigned next_width = Words < 4 ? 2 * Words : widest_machine;
  static constexpr std::string_view out_of_room = too_many_events;

  // All that is known about an event before it is committed.
  struct Prepared {
    EventName name;
    Order read;                 // of its read, or of all that has no write
    Order write;                // of its write
    PowerId newest = no_place;  // places for it are a section of the coherence order
    PowerId oldest = no_place;
    bool conditional = false;  // the store of a read-modify-write: the one place, or none
    std::int64_t low = 0;      // values for it: choices only
    std::int64_t high = 0;
  };

  PowerMachine(const jit::Image& image, const MachineOptions& options)
      : image_(image),
        resume_after_assert_(options.resume_after_assert),
        threads_(image),
        model_(static_cast<std::uint32_t>(image.locations.size())),
        open_(threads_.count(), 0),
        watches_(threads_.count()) {
    for (ThreadId t = 0; t < threads_.count(); ++t) fetch(t);
    for (ThreadId t = 0; t < threads_.count(); ++t) watch(t);
    count_violations();
    trail_.clear();
  }

  [[nodiscard]] const jit::Image& image() const { return image_; }
  [[nodiscard]] std::uint32_t thread_count() const { return threads_.count(); }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<Request>& requests(ThreadId t) const { return threads_.requests(t); }
  [[nodiscard]] const Request& request(EventName name) const {
    return threads_.requests(name.thread)[name.index];
  }
  // The request of a load's bit; the loads that have their values.
  [[nodiscard]] const Request& load(ThreadId t, unsigned bit) const { return threads_.load(t, bit); }
  [[nodiscard]] std::uint64_t committed_loads(ThreadId t) const { return threads_.committed(t); }
  // What the thread stands at.
  [[nodiscard]] const Request& standing(ThreadId t) const { return threads_.requests(t).back(); }
  // The same for the end of a run, where what came before may say more.
  [[nodiscard]] jit::Op standing_op(ThreadId t) const {
    if (assumption_fails(t)) return jit::Op::assume_failed;
    const Watch& watch = watches_[t];
    if (watch.counted && !resume_after_assert_) return jit::Op::assert_failed;
    // A violation that does not count, because of another thread's assumption.
    if (watch.suspect) return jit::Op::assume_failed;
    return standing(t).op;
  }
  // `none` if another thread's assumption is to blame.
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
  // Which step committed the event.
  [[nodiscard]] std::uint32_t step_of(PowerId id) const { return step_of_[static_cast<std::size_t>(id)]; }
  // Of an initial write: the name without a thread.
  [[nodiscard]] EventName name_of(std::int64_t id) const {
    if (id == dropped) return dropped_name;
    return id < 0 ? EventName{} : steps_[step_of(static_cast<PowerId>(id))].name;
  }
  [[nodiscard]] jit::Op op(EventName name) const { return request(name).op; }
  // `none` of a choice.
  [[nodiscard]] Location location(EventName name) const { return request(name).location; }
  [[nodiscard]] bool reads(EventName name) const {
    return request(name).bit != Request::no_bit || updates(name);
  }
  [[nodiscard]] bool updates(EventName name) const { return request(name).updates(); }
  // Is it the store of a read-modify-write that is a step of its own?
  [[nodiscard]] bool conditional(EventName name) const { return request(name).write_half(); }
  // Does the run lack such a store, which never comes?
  [[nodiscard]] bool lacks_store() const {
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      for (const auto index : threads_.write_halves(t)) {
        const Request& store = threads_.requests(t)[index];
        if (!store.committed && !store.absent) return true;
      }
    }
    return false;
  }
  [[nodiscard]] Location location_at(std::uint32_t depth) const { return location(step(depth)); }
  [[nodiscard]] bool reads_at(std::uint32_t depth) const { return reads(step(depth)); }
  // What a step read from, or its write stands behind now; what it chose.
  [[nodiscard]] std::int64_t place(std::uint32_t depth) const {
    const Request& committed = request(steps_[depth].name);
    if (committed.dropped) return dropped;
    return committed.read != Request::no_node ? model_[committed.read].source
                                              : model_[committed.write].previous;
  }
  [[nodiscard]] std::int64_t chosen(std::uint32_t depth) const { return request(steps_[depth].name).result; }
  [[nodiscard]] std::int64_t older(std::int64_t write) const {
    return model_.previous(static_cast<PowerId>(write));
  }
  // The write that a step has made, if any.
  [[nodiscard]] std::optional<std::int64_t> written_by(std::uint32_t depth) const {
    const Request& committed = request(steps_[depth].name);
    return committed.write == Request::no_node ? std::nullopt : std::optional<std::int64_t>(committed.write);
  }
  // The parameter by which an event goes to the place of the name.
  [[nodiscard]] std::int64_t resolve(EventName name, EventName place) {
    if (place == dropped_name) return dropped;
    return place.thread == none ? model_.initial(request(name).location) : request(place).write;
  }
  // cb-predecessors, transitively: of an event without its source, and of a committed one with itself.
  [[nodiscard]] Set commit_before(const Prepared& event) const {
    return model_.commit_before(reads(event.name) ? event.read : event.write);
  }
  [[nodiscard]] const Set& committed_before(std::int64_t id) const {
    return model_[static_cast<PowerId>(id)].commit_before;
  }
  // Violations of threads that count since the newest step, or from the start.
  struct FailureAt : Failure {
    std::uint32_t index = 0;  // of the request
  };
  [[nodiscard]] const std::vector<FailureAt>& failures() const { return failures_; }
  // The request at which the thread is said to have stopped: an assumption that does not hold, or a violation
  // that counts and that it does not go on from.
  [[nodiscard]] std::optional<std::uint32_t> stopped_at(ThreadId t) const {
    if (assumption_fails(t)) return threads_.assumptions(t)[watches_[t].assumed];
    if (!watches_[t].counted) return std::nullopt;
    return suspected(t);
  }
  // Why no execution that goes on from here can be explored to its end: what a thread has run ahead to is
  // more than there is room for (see derived.hpp). Empty if there is room.
  [[nodiscard]] std::string_view limit() const { return limit_; }
  [[nodiscard]] std::size_t memory_used() const {
    return model_.memory_used() + threads_.memory_used() + steps_.capacity() * sizeof(Step);
  }

  // Calls `visit(name)` for every event that cb allows to be committed now, locks that have to wait included.
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
  // What a step did.
  [[nodiscard]] Row row(std::uint32_t depth) const;
  [[nodiscard]] PlainGraph plain_graph() const;
  // The run so far, to be repeated by `follow` on a machine of this kind.
  [[nodiscard]] Schedule run() const { return run(Set()); }
  // The same without what assumptions leave out: leads to a violation that counts.
  [[nodiscard]] Schedule run_to_failure() { return run(left_out()); }
  [[nodiscard]] bool follow(const Choice& choice);
  // The newest value of each location.
  void final_memory(std::vector<std::int64_t>& memory) const {
    for (std::uint32_t location = 0; location < memory.size(); ++location) {
      const PowerId initial = model_.known(location);
      memory[location] =
          initial == no_place ? image_.locations[location].initial : value_of(model_.newest(initial));
    }
  }
  // Words that two states of one program share if and only if they have the same events committed with the
  // same parameters. They do not depend on the machine's width. O(events).
  void key(std::vector<std::uint64_t>& words) const;

  // Must the event wait for a mutex?
  [[nodiscard]] bool waits(EventName name) {
    const Request& lock = request(name);
    return lock.op == jit::Op::lock && value_of(model_.newest(model_.initial(lock.location))) != 0;
  }

  void prepare(EventName name, Prepared& event);
  // The parameters of an event, from `first` on, until there is none: ids of writes, or values.
  [[nodiscard]] std::optional<std::int64_t> first_parameter(const Prepared& event) const {
    if (event.newest != no_place) return event.newest;
    return event.low;
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(const Prepared& event,
                                                           std::int64_t parameter) const {
    if (event.newest == no_place) {
      return parameter + 1 < event.high ? std::optional(parameter + 1) : std::nullopt;
    }
    if (event.conditional) return parameter == dropped ? std::nullopt : std::optional(dropped);
    if (parameter == event.oldest) return std::nullopt;
    return model_.previous(static_cast<PowerId>(parameter));
  }

  // Commits the event if the model allows it with this parameter.
  bool commit(const Prepared& event, std::int64_t parameter);
  void undo();

  [[nodiscard]] std::int64_t value_of(PowerId write) const {
    return write < 0 ? image_.locations[model_.location_of(write)].initial : model_[write].value;
  }

  // Brings all threads' blocks up to date with what is committed.
  void clean() {
    for (ThreadId t = 0; t < threads_.count(); ++t) threads_.clean(t);
  }
  [[nodiscard]] const std::byte* block(ThreadId t) const { return threads_.block(t); }
  // Lets the image's counters count what the threads of this run have done: up to an assumption that does not
  // hold, or is not known to, and without what such an assumption leaves out.
  void count_coverage();
  // Would the thread, at a failed await, go on if it evaluated its condition now? For the end of a run.
  [[nodiscard]] bool await_holds(ThreadId t);

 private:
  struct Step {
    EventName name;
    std::uint32_t first_event = 0;
    std::uint32_t fetched = 0;  // requests of the thread before the step
    std::uint32_t open = 0;
    std::uint32_t trail = 0;
  };
  // What is known about the assertions and assumptions of a thread. Both are judged in program order.
  struct Watch {
    std::uint32_t assumed = 0;   // assumptions that are known to hold
    std::uint32_t asserted = 0;  // assertions that are known to hold, or are violations that have counted
    bool suspect = false;        // the thread has a violation that does not count yet
    bool counted = false;        // it has one that has, and ends there
    friend bool operator==(const Watch&, const Watch&) = default;
  };
  struct WatchChange {
    ThreadId thread = 0;
    Watch before;
  };

  [[nodiscard]] bool enabled(ThreadId t, std::uint32_t index) const {
    const Request& request = threads_.requests(t)[index];
    const auto loads = request.data | request.compared | request.control;
    if ((loads & ~threads_.committed(t)) != 0) return false;
    const auto fenced = std::max(request.before_sync, request.before_lightweight);
    if (fenced > open_[t]) return false;
    // Behind the fence all loads of the assumptions before it have their values.
    if (fenced != 0 && fenced > unassumed(t)) return false;
    if (request.writes() && request.before_store_store > open_[t] && !stores_committed(t, request))
      return false;
    if (request.previous == none) return true;
    const Request& previous = threads_.requests(t)[request.previous];
    return (previous.committed || previous.absent) && !request.dropped;
  }
  // Have the writes before the newest eieio been committed?
  [[nodiscard]] bool stores_committed(ThreadId t, const Request& request) const {
    const auto& requests = threads_.requests(t);
    for (std::uint32_t i = open_[t]; i < request.before_store_store; ++i) {
      if (requests[i].writes() && !requests[i].committed && !requests[i].absent) return false;
    }
    return true;
  }
  void advance(ThreadId t) {
    const auto& requests = threads_.requests(t);
    while (open_[t] < requests.size() && (requests[open_[t]].committed || passive(requests[open_[t]]))) {
      ++open_[t];
    }
  }
  // A request that is no event and that the thread has gone past.
  [[nodiscard]] static bool passive(const Request& request) {
    return request.op == jit::Op::fence || request.op == jit::Op::need || request.observes() ||
           request.absent;
  }

  void fetch(ThreadId t);
  [[nodiscard]] bool can_resume(ThreadId t) const;
  [[nodiscard]] bool holds(ThreadId t, Location mutex) const;
  // Is what the thread stays at an operation that it may do? Only the owner of a mutex may unlock it.
  [[nodiscard]] bool may_stay(ThreadId t) const {
    const Request& request = standing(t);
    return request.op != jit::Op::unlock || holds(t, request.location);
  }
  // Does the thread stand at a violation?
  [[nodiscard]] bool fails(ThreadId t) const {
    return is_failure(standing(t).op) || (standing(t).op == jit::Op::unlock && !may_stay(t));
  }

  // The thread's first assumption that is not known to hold: an index of a request.
  [[nodiscard]] std::uint32_t unassumed(ThreadId t) const {
    const auto& assumptions = threads_.assumptions(t);
    const auto assumed = watches_[t].assumed;
    return assumed < assumptions.size() ? assumptions[assumed] : none;
  }
  [[nodiscard]] bool decided(ThreadId t, const Request& observer) const {
    return (observer.data & ~threads_.committed(t)) == 0;
  }
  [[nodiscard]] bool assumption_fails(ThreadId t) const {
    const auto first = unassumed(t);
    return first != none && decided(t, threads_.requests(t)[first]);
  }
  // Does the observer, once it can be judged, hold?
  [[nodiscard]] bool judged(ThreadId t, std::uint32_t index, bool holds) {
    const auto& requests = threads_.requests(t);
    if (!decided(t, requests[index])) return false;
    threads_.clean(t, requests[index].data);
    return (requests[index].value != 0) == holds;
  }
  // The violation of a thread that is suspect.
  [[nodiscard]] std::uint32_t suspected(ThreadId t) const {
    const auto& assertions = threads_.assertions(t);
    const auto asserted = watches_[t].asserted;
    return asserted < assertions.size() ? assertions[asserted]
                                        : static_cast<std::uint32_t>(threads_.requests(t).size() - 1);
  }
  // Is there an assumption that does not hold all of whose loads are in the mask?
  [[nodiscard]] bool assumed_wrongly(ThreadId t, std::uint64_t known) const {
    const auto& assumptions = threads_.assumptions(t);
    return std::any_of(assumptions.begin(), assumptions.end(), [&](std::uint32_t index) {
      const Request& assumption = threads_.requests(t)[index];
      return (assumption.data & ~known) == 0 && assumption.value == 0;
    });
  }
  void compare(ThreadId t);
  void watch(ThreadId t);
  void count_violations();
  [[nodiscard]] bool counts(ThreadId t, std::uint32_t index);
  // Events that some assumption that does not hold, or is not known to hold, leaves out, loads of
  // read-modify-writes whose store is not there, and what cb puts behind these.
  [[nodiscard]] Set left_out();
  [[nodiscard]] bool meets(ThreadId t, std::uint64_t loads, const Set& events) const;
  [[nodiscard]] Schedule run(const Set& without) const;
  void add_loads(ThreadId t, std::uint64_t mask, Set& set) const {
    for (; mask != 0; mask &= mask - 1) {
      set.insert(
          static_cast<ProcessId>(threads_.load(t, static_cast<unsigned>(std::countr_zero(mask))).read));
    }
  }
  void fill(EventName name, bool writes, Order& order) const;

  const jit::Image& image_;
  bool resume_after_assert_;
  AheadThreads threads_;
  Model model_;
  std::vector<std::uint32_t> open_;  // by thread: no event before this request is left to be committed
  std::vector<Step> steps_;
  std::vector<std::uint32_t> step_of_;
  std::vector<Watch> watches_;  // by thread
  std::vector<WatchChange> trail_;
  std::uint32_t suspects_ = 0;  // threads with a violation that has not counted yet
  std::vector<FailureAt> failures_;
  std::string_view limit_;
};

}  // namespace heddle::checker

#include "checker/execution/power_machine_steps.hpp"
