// Waits of threads that run ahead of their loads: what WaitsInPlace and WaitsAtChoices ask of a machine, by trying. A read of an
// await waits if the newest write stops its thread; a condition of several loads waits at the load that decides. Looks at plain
// variables do not wait in place: they can race even if they come too early. Nor does anything with a preemption bound, which
// has been proven for the order of events without waiting.
//
// A thread makes no request after a choice until that is committed, and then those of the alternative. While it waits there, all
// that it has requested before is committed (or never will be), since all else comes before waits. So what the thread could take
// is found by trying with values (guards.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checker/commits/ahead_threads.hpp"
#include "checker/commits/commit_machine.hpp"
#include "checker/commits/event_name.hpp"
#include "checker/commits/guards.hpp"
#include "checker/state/last_look.hpp"
#include "checker/state/machine_options.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

template <RunsAhead Machine>
class AheadWaits : public Machine {
 public:
  using Set = typename Machine::Set;
  // (IfAhead, because g++ 12 sometimes loses the constraint here.)
  template <unsigned Wider>
  using Widened = IfAhead<heddle::checker::AheadWaits, typename Machine::template Widened<Wider>>;

  // What is kept of a committed event.
  struct Guarded {
    std::int64_t home = 0;  // of a choice that waits
    bool settled = false;   // of a guard that can neither be revisited nor deleted: see WaitsAtChoices
  };
  struct Prepared : Machine::Prepared {
    Guarded guarded;
    // If the event belongs to an alternative that was opened: the write that its guard must read, and the events that were there
    // before the choice.
    EventId opened_by = no_event;
    Set earlier;
  };

  AheadWaits(const Image& image, const MachineOptions& options)
      : Machine(image, options), guards_(image, OnTrial{this}), waits_on_(image.threads.size()) {}
  AheadWaits(const AheadWaits&) = delete;
  AheadWaits& operator=(const AheadWaits&) = delete;

  [[nodiscard]] bool full() const { return out_of_room_ || Machine::full(); }
  [[nodiscard]] std::size_t memory_used() const {
    return Machine::memory_used() + guarded_.capacity() * sizeof(Guarded);
  }

  void prepare(EventName name, Prepared& event) {
    prepare(name, event, {});
    if (waits_at_choice(name)) event.guarded.home = home_of(name);
  }
  // The same for an event about which this is known; and for one that was prepared for another run with the same past.
  void prepare(EventName name, Prepared& event, const Guarded& guarded) {
    prepare_again(name, event);
    event.guarded = guarded;
    event.opened_by = no_event;
  }
  void prepare_again(EventName name, Prepared& event) { Machine::prepare(name, event); }
  bool commit(const Prepared& event, std::int64_t parameter) {
    const std::size_t id = Machine::first_event(Machine::depth());
    if (!Machine::commit(event, parameter)) return false;
    if (any_choice_waits_ || waits_at_choice(event.name)) {
      any_choice_waits_ = true;
      if (guarded_.size() <= id) guarded_.resize(2 * id + 16);
      guarded_[id] = event.guarded;
    }
    return true;
  }

  // -- Reads, as WaitsInPlace has them.

  [[nodiscard]] bool awaits(EventName name) const {
    if (bounds()) return false;
    const Request& request = Machine::request(name);
    if (request.op == Op::choose) return waits_at_choice(name);
    if (request.op == Op::lock) return waits_at_locks_;
    return request.awaits && !Machine::image().locations[request.location].is_plain;
  }
  [[nodiscard]] bool awaits(const Prepared& event) const { return awaits(event.name); }
  [[nodiscard]] bool anyone_awaits() const {
    bool any = false;
    if (!Machine::any_awaits() && !waits_at_choices_ && !waits_at_locks_) return any;
    Machine::for_each_enabled([&](EventName name) { any = any || awaits(name); });
    return any;
  }
  [[nodiscard]] bool stops(const Prepared& event, std::int64_t source) {
    if (Machine::op(event.name) == Op::lock) return !Machine::would_update(event, source);
    return Machine::stops(event.name, Machine::value_of(static_cast<EventId>(source)));
  }
  template <typename MayRead>
  [[nodiscard]] std::optional<EventName> next_awaited(MayRead&& may_read) {
    return first_awaited([&](EventName name) {
      if (waits_at_choice(name)) return alternative_now(name).has_value();
      Prepared event;
      prepare(name, event);
      const auto newest = *Machine::first_parameter(event);
      return may_read(name, static_cast<EventId>(newest)) && !stops(event, newest);
    });
  }
  template <typename MayRead>
  [[nodiscard]] std::optional<EventName> next_undecided(MayRead&& may_read) {
    return first_awaited([&](EventName name) {
      if (waits_at_choice(name)) return may_pass(name);
      Prepared event;
      prepare(name, event);
      for (auto source = Machine::first_parameter(event); source;
           source = Machine::next_parameter(event, *source)) {
        if (may_read(name, static_cast<EventId>(*source)) && !stops(event, *source)) return true;
      }
      return false;
    });
  }
  // A thread that could read the newest write, but not in these executions, waits on.
  template <typename MayWait>
  [[nodiscard]] bool evaluate_waits(MayWait&& may_wait) {
    evaluated_from_ = Machine::depth();
    // (A lock that waits is no event.)
    const auto is_left = [&](EventName it) {
      return !waits_on_[it.thread] && !(waits_at_lock(it) && stops_at_newest(it, may_wait));
    };
    while (const auto name = first_awaited(is_left)) {
      const bool stops = waits_at_choice(*name) ? evaluate_choice(*name) : evaluate_read(*name, may_wait);
      if (out_of_room_) return false;
      if (!stops) waits_on_[name->thread] = *name;
    }
    return true;
  }
  void forget_evaluations() {
    while (Machine::depth() > evaluated_from_) Machine::undo();
    for (auto& name : waits_on_) name.reset();
  }

  // From now on, locks wait, too, as reads that await a free mutex. (Other machines have threads that wait for mutexes.)
  void wait_at_locks() { waits_at_locks_ = !bounds(); }

  // -- Alternatives, as WaitsAtChoices has them.

  void wait_at_choices() { waits_at_choices_ = !bounds(); }
  [[nodiscard]] bool any_choice_waits() const { return any_choice_waits_; }
  [[nodiscard]] bool counts_wait(ThreadId t) {
    const Request& wait = Machine::standing(t);
    if (!waits_at_choices_ || wait.in_either == compiler::InEither::no)
      return waits_in_first_alternative(wait);
    // The choices of the guard, from the innermost one on.
    const auto& requests = Machine::requests(t);
    for (auto i = static_cast<std::uint32_t>(requests.size() - 1);; --i) {
      if (requests[i].op != Op::choose) continue;
      const std::int64_t taken = requests[i].result;
      const auto home = is_home(requests[i].read) ? std::optional(taken) : std::nullopt;
      if (guards_.where_wait_counts(t, i, home) != taken) return false;
      if (requests[i].in_either == compiler::InEither::entry) return true;
    }
  }
  [[nodiscard]] static std::int64_t home(const Prepared& choice) { return choice.guarded.home; }
  [[nodiscard]] bool is_home(EventId id) const {
    const EventName name = Machine::name_of(id);
    return waits_at_choice(name) && !guarded(id).settled && Machine::request(name).result == guarded(id).home;
  }
  [[nodiscard]] bool is_default(EventId id) const {
    const EventName name = Machine::name_of(id);
    if (waits_at_choice(name)) return is_home(id);
    if (Machine::is_decision(id)) return Machine::is_default(id);
    return !any_choice_waits_ || !guarded(id).settled;
  }
  // `rsmc`: events come in the order of their ids. (Recommits has another order.)
  [[nodiscard]] bool may_open(const Prepared& write, std::int64_t source, EventId choice,
                              std::int64_t alternative) {
    return may_open(write.name, source, choice, alternative, before(choice));
  }
  void open(Prepared& choice, std::int64_t home, EventId position, EventId write) const {
    open(choice, home, write, before(position));
  }
  [[nodiscard]] std::optional<EventName> next_in_guard(const Prepared& before, std::int64_t parameter) const {
    const bool is_choice = waits_at_choice(before.name);
    const bool decided = !is_choice && before.opened_by == parameter;
    if (!(is_choice || before.guarded.settled) || decided) return std::nullopt;
    return next_inside(before.name.thread);
  }
  static void continue_guard(const Prepared& before, std::int64_t parameter, Prepared& event) {
    event.earlier = before.earlier;
    event.opened_by = before.opened_by;
    event.guarded.settled = before.guarded.settled || parameter != before.guarded.home;
  }
  [[nodiscard]] static bool is_settled(const Prepared& event) { return event.guarded.settled; }
  [[nodiscard]] bool may_take(const Prepared& event, std::int64_t parameter) {
    const EventName name = event.name;
    const EventId write = event.opened_by;
    if (waits_at_choice(name)) {
      const bool home = !event.guarded.settled && parameter == event.guarded.home;
      if (write == no_event) return home || may_pass(name, parameter);
      return !home &&
             guards_.opens(name.thread, name.index, parameter, Machine::location(Machine::name_of(write)),
                           Machine::value_of(write), older_than(name, among(event.earlier)));
    }
    if (write == no_event || write == parameter) return true;
    const bool is_earlier = parameter < 0 || event.earlier.contains(static_cast<ProcessId>(parameter));
    return is_earlier && stays_inside(event, parameter);
  }

  // -- Alternatives at the nodes of a search, as TriesAlternatives has them.

  void leave_updates_free() { updates_are_free_ = true; }
  [[nodiscard]] bool waits_at_choice(EventName name) const {
    return waits_at_choices_ && is_guarded_choice(Machine::request(name));
  }
  [[nodiscard]] bool is_early(EventName choice) const {
    return Machine::first_open(choice.thread) < choice.index;
  }
  [[nodiscard]] std::optional<EventName> next_inside(ThreadId t) const {
    const auto& requests = Machine::requests(t);
    for (auto i = Machine::first_open(t); i < requests.size(); ++i) {
      const EventName name{t, i};
      const Request& it = requests[i];
      if (it.committed || it.in_either != compiler::InEither::inside || !Machine::is_enabled(name)) continue;
      if (it.op == Op::choose) return name;
      if (awaits(name) && (it.op == Op::load || is_guard(it.op, (it.data | it.compared) != 0))) return name;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> alternative_now(EventName choice) {
    return guards_.first_alternative(choice.thread, choice.index, [&](Location x, auto&& visit) {
      return visit(Machine::newest_value(x), false);
    });
  }
  [[nodiscard]] std::optional<std::int64_t> alternative_before(EventName choice, EventId first_new) {
    return guards_.first_alternative(choice.thread, choice.index, [&](Location x, auto&& visit) {
      EventId write = Machine::newest_of(x);
      while (write >= first_new) write = static_cast<EventId>(Machine::older(write));
      return visit(Machine::value_of(write), false);
    });
  }
  [[nodiscard]] bool may_pass(EventName choice) {
    return guards_.first_alternative(choice.thread, choice.index, any_source(choice)).has_value();
  }
  [[nodiscard]] bool may_pass(EventName choice, std::int64_t alternative,
                              std::optional<EventId> first_new = std::nullopt) {
    return guards_.passes({choice.thread, choice.index, alternative, first_new.has_value()},
                          any_source(choice, first_new));
  }
  [[nodiscard]] bool has_guard(EventName choice, std::int64_t alternative) {
    return guards_.has_guard(choice.thread, choice.index, alternative);
  }
  [[nodiscard]] bool stays_inside(const Prepared& load, std::int64_t source) {
    return guards_.stays_inside(load.name.thread, load.name.index,
                                Machine::value_of(static_cast<EventId>(source)));
  }
  template <typename Visit>
  void for_each_looked_at(EventId choice, Visit&& visit) {
    const EventName name = Machine::name_of(choice);
    guards_.for_each_looked_at(name.thread, name.index, older_than(name, is_before(choice)), visit);
  }

  // -- The end of a run.

  [[nodiscard]] Op standing_op(ThreadId t) const {
    return waits_on_[t] ? Op::await_failed : Machine::standing_op(t);
  }
  [[nodiscard]] std::uint32_t standing_site(ThreadId t) const {
    return waits_on_[t] ? Machine::request(*waits_on_[t]).site : Machine::standing_site(t);
  }
  [[nodiscard]] bool finished() const {
    for (const auto& name : waits_on_) {
      if (name) return false;
    }
    return Machine::finished();
  }
  using Machine::await_holds;
  [[nodiscard]] bool await_holds(ThreadId t) { return waits_on_[t] || Machine::await_holds(t); }

 protected:
  // `earlier`: the events before the choice.
  void open(Prepared& choice, std::int64_t home, EventId write, Set&& earlier) const {
    choice.guarded.home = home;
    choice.opened_by = write;
    choice.earlier = std::move(earlier);
  }
  [[nodiscard]] bool may_open(EventName write, std::int64_t source, EventId choice, std::int64_t alternative,
                              const Set& earlier) {
    const EventName name = Machine::name_of(choice);
    return alternative != guarded(choice).home &&
           guards_.opens(name.thread, name.index, alternative, Machine::location(write),
                         Machine::would_write_value(write, source), older_than(name, among(earlier)));
  }
  [[nodiscard]] bool may_open_any(EventName write, std::int64_t source, EventId choice, const Set& earlier) {
    const EventName name = Machine::name_of(choice);
    return guards_.opens_any(name.thread, name.index, guarded(choice).home, Machine::location(write),
                             Machine::would_write_value(write, source), older_than(name, among(earlier)));
  }
  [[nodiscard]] const Guarded& guarded(EventId id) const { return guarded_[static_cast<std::size_t>(id)]; }

 private:
  struct OnTrial {
    AheadWaits* machine;
    Mailbox& enter(ThreadId t, std::uint32_t index) const { return machine->begin_trial({t, index}); }
    void resume(ThreadId t) const { machine->resume_trial(t); }
    [[nodiscard]] bool is_guard(ThreadId t, Op op) const {
      return machine->is_guard(op, machine->depends_on_trial(t));
    }
  };

  [[nodiscard]] bool bounds() const {
    if constexpr (BoundsPreemptions<Machine>) return Machine::bounds_preemptions();
    return false;
  }
  // Whether an update with which an alternative begins is a guard. (Others can be two requests; a `trylock` is a fence.)
  [[nodiscard]] bool is_guard(Op op, bool depends) const {
    return !updates_are_free_ && op == Op::compare_exchange && !depends;
  }
  [[nodiscard]] bool waits_at_lock(EventName name) const {
    return waits_at_locks_ && Machine::op(name) == Op::lock;
  }
  template <typename MayWait>
  [[nodiscard]] bool stops_at_newest(EventName name, MayWait&& may_wait) {
    Prepared event;
    prepare(name, event);
    const auto newest = *Machine::first_parameter(event);
    const bool is_daemon = Machine::image().threads[name.thread].is_daemon;
    return (!is_daemon || may_wait(name, static_cast<EventId>(newest))) && stops(event, newest);
  }
  // Of evaluate_waits: whether the thread has stopped. A guard is evaluated as a whole.
  template <typename MayWait>
  [[nodiscard]] bool evaluate_read(EventName name, MayWait&& may_wait) {
    if (!has_room() || !stops_at_newest(name, may_wait)) return false;
    Prepared event;
    prepare(name, event);
    return commit(event, *Machine::first_parameter(event));
  }
  [[nodiscard]] bool evaluate_choice(EventName choice) {
    for (std::optional<EventName> next = choice; next; next = next_inside(choice.thread)) {
      if (!has_room()) return false;
      Prepared event;
      prepare(*next, event);
      if (!commit(event, waits_at_choice(*next) ? event.guarded.home : *Machine::first_parameter(event)))
        return false;
    }
    return Machine::standing(choice.thread).op == Op::await_failed;
  }
  [[nodiscard]] bool has_room() {
    out_of_room_ = out_of_room_ || Machine::full();
    return !out_of_room_;
  }
  [[nodiscard]] std::int64_t home_of(EventName choice) {
    return guards_.home(choice.thread, choice.index, [&](Location x) { return Machine::newest_value(x); });
  }
  // The writes that a load at the choice can read, as far as coherence says. (If another axiom forbids one, the load is not
  // committed.)
  [[nodiscard]] auto any_source(EventName choice, std::optional<EventId> first_new = std::nullopt) {
    return [this, choice, first_new](Location x, auto&& visit) {
      each_source(choice, x, [&](EventId write) {
        return visit(Machine::value_of(write), first_new && write >= *first_new);
      });
    };
  }
  // Those of them that `is_earlier` accepts, or that are initial.
  template <typename IsEarlier>
  [[nodiscard]] auto older_than(EventName choice, IsEarlier is_earlier) {
    return [this, choice, is_earlier](Location x, auto&& visit) {
      each_source(choice, x, [&](EventId write) {
        return (write < 0 || is_earlier(write)) && visit(Machine::value_of(write));
      });
    };
  }
  [[nodiscard]] static auto among(const Set& events) {
    return [&events](EventId e) { return events.contains(static_cast<ProcessId>(e)); };
  }
  // Calls `visit` with one of these writes after the other, from the newest on, until it returns true.
  template <typename Visit>
  void each_source(EventName choice, Location x, Visit&& visit) {
    const EventId oldest = oldest_source(choice, x);
    EventId write = Machine::newest_of(x);
    while (!visit(write) && write != oldest) write = static_cast<EventId>(Machine::older(write));
  }
  // The write that the thread has read or written there last, before the choice.
  [[nodiscard]] EventId oldest_source(EventName choice, Location x) {
    const auto& requests = Machine::requests(choice.thread);
    for (std::uint32_t i = choice.index; i-- > 0;) {
      const Request& it = requests[i];
      if (!it.committed || it.location != x) continue;
      if (it.write != no_event) return it.write;
      if (it.read != no_event) return Machine::source_of(it.read);
    }
    return Machine::initial(x);
  }
  [[nodiscard]] static auto is_before(EventId id) {
    return [id](EventId e) { return e < id; };
  }
  // The events with smaller ids.
  [[nodiscard]] static Set before(EventId id) {
    Set result;
    for (EventId e = 0; e < id; ++e) result.insert(static_cast<ProcessId>(e));
    return result;
  }
  template <typename Accepts>
  [[nodiscard]] std::optional<EventName> first_awaited(Accepts&& accepts) {
    awaited_.clear();
    Machine::for_each_enabled([&](EventName name) {
      if (awaits(name)) awaited_.push_back(name);
    });
    for (const EventName name : awaited_) {
      if (accepts(name)) return name;
    }
    return std::nullopt;
  }

  Guards<OnTrial> guards_;
  bool waits_at_choices_ = false;
  bool updates_are_free_ = false;
  bool waits_at_locks_ = false;
  bool any_choice_waits_ = false;  // some thread has waited at a choice
  std::vector<Guarded> guarded_;   // by the first id of an event, if `any_choice_waits_`
  // By thread, between evaluate_waits and forget_evaluations.
  std::vector<std::optional<EventName>> waits_on_;
  std::vector<EventName> awaited_;  // scratch
  std::uint32_t evaluated_from_ = 0;
  bool out_of_room_ = false;
};

}  // namespace heddle::checker
