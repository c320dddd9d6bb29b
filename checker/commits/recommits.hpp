// Revisits for any commit machine (RevisitMachine, commit_machine.hpp): `cut` undoes the run back to the
// first step to be removed and commits those that stay again, by name; `mend` commits the old steps again.
// The order in which the machine has committed its steps is not the order of insertion: after a revisit the
// read comes after its new source.
//
// A lock whose mutex is taken becomes a *stuck* lock, where it does not wait as a read: a read in the order of insertion that the
// machine does not know. An unlock may revisit it like any read; a lock that takes the mutex from another one leaves that
// one stuck. If the mutex is free in the end, or has another owner, the execution with the lock is a
// different one.
//
// A read that awaits something is deferred (DefersReads) if the machine's threads run ahead: a *mark* has its position in the
// order, and names the write that stopped it. Marks are no steps of the machine, either. As in GraphMachine, a mark belongs
// to the prefixes that its read belongs to. Under the other models reads do not wait here: this is their oracle.
//
// Memory: the run, and the steps that each revisit has cut.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/commits/commit_machine.hpp"
#include "checker/commits/named_steps.hpp"
#include "checker/commits/way_back.hpp"

namespace heddle::checker {

template <CommitMachine Machine>
class Recommits : public Machine {
 public:
  template <unsigned Wider>
  using Widened = Recommits<typename Machine::template Widened<Wider>>;

  // Ids beyond those of the machine. One for each thread: of a stuck lock, and of a revisited read while it
  // is not in the run.
  static constexpr EventId first_stuck = 0x40000000;
  static constexpr EventId first_absent = 0x50000000;
  static constexpr EventId first_mark = 0x60000000;

  static constexpr bool marks_reads = RunsAhead<Machine> && WaitsInPlace<Machine>;

  // Machines of one word are for programs with few threads.
  static constexpr std::uint32_t threads_of_machine = Machine::words == 1 ? 64 : most_threads;
  [[nodiscard]] static bool serves(const Image& image) { return image.threads.size() <= threads_of_machine; }

  // Ids of the machine, of stuck locks and of marks.
  class Set {
   public:
    Set() = default;
    Set(const typename Machine::Set& events) : events_(events) {}  // NOLINT(google-explicit-constructor)
    [[nodiscard]] bool contains(ProcessId id) const {
      if (id < first_stuck) return events_.contains(id);
      if (id >= first_mark) return marks_.contains(id - first_mark);
      return id < first_absent && stuck_.contains(id - first_stuck);
    }
    void insert(ProcessId id) {
      if (id < first_stuck) {
        events_.insert(id);
      } else if (id >= first_mark) {
        marks_.insert(id - first_mark);
      } else {
        stuck_.insert(id - first_stuck);
      }
    }
    [[nodiscard]] bool empty() const { return stuck_.empty() && events_.empty() && marks_.empty(); }
    [[nodiscard]] ProcessId first() const {
      if (!events_.empty()) return events_.first();
      return stuck_.empty() ? first_mark + marks_.first() : first_stuck + stuck_.first();
    }
    Set& operator|=(const Set& other) {
      events_ |= other.events_;
      stuck_ |= other.stuck_;
      marks_ |= other.marks_;
      return *this;
    }
    friend Set operator-(Set a, const Set& b) {
      a.events_ -= b.events_;
      a.stuck_ -= b.stuck_;
      a.marks_ -= b.marks_;
      return a;
    }

   private:
    typename Machine::Set events_;
    BitSet<(threads_of_machine + 63) / 64> stuck_;  // by thread
    typename Machine::Set marks_;                   // by number
  };
  struct Prepared : Machine::Prepared {
    std::uint64_t version = 0;  // of the run that it was prepared for
  };

  Recommits(const Image& image, const MachineOptions& options)
      : Machine(image, options), stuck_(image.threads.size()) {
    if constexpr (marks_reads) Machine::wait_at_locks();
  }

  void prepare(EventName name, Prepared& event) {
    Machine::prepare(name, event);
    event.version = version_;
  }
  [[nodiscard]] const std::vector<EventId>& order() const { return order_; }
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t cuts = 0;
    for (const Cut& cut : cuts_) {
      cuts += cut.steps.capacity() * sizeof(Step) + cut.order.capacity() * sizeof(EventId) +
              cut.stuck.capacity() * sizeof(cut.stuck[0]) + cut.marks.capacity() * sizeof(Mark);
    }
    return Machine::memory_used() + order_.capacity() * sizeof(EventId) + cuts;
  }

  [[nodiscard]] std::optional<EventName> next_event() {
    const auto ready = [&](EventName event) {
      return !is_awaited(event) && (this->op(event) != Op::lock || !stuck_[event.thread]);
    };
    bool of_left_most = false;
    if constexpr (BoundsPreemptions<Machine>) of_left_most = Machine::bounds_preemptions();
    const auto next = checker::next_event(*this, ready, of_left_most);
    if constexpr (marks_reads) {
      if (!next && Machine::anyone_awaits())
        return Machine::next_awaited([&](EventName read, EventId source) { return may_read(read, source); });
    }
    return next;
  }
  [[nodiscard]] bool full() const {
    return Machine::full() || (marks_reads && marks_.size() >= Machine::Set::capacity);
  }
  [[nodiscard]] static std::optional<EventName> next_waiting(ThreadId /*from*/) { return std::nullopt; }
  // A stuck lock whose mutex is free by now, or has another owner, waits only in other executions.
  [[nodiscard]] bool lost_race() {
    for (const auto& lock : stuck_) {
      if (lock && Machine::newer(lock->owner_id) != no_event) return true;
    }
    return false;
  }
  [[nodiscard]] static bool stopped_by(EventId /*read*/) { return false; }

  // Queries about events, which may be stuck locks.
  [[nodiscard]] Set readers(std::int64_t write) const {
    Set result = Machine::readers(write);
    for (ThreadId t = 0; t < stuck_.size(); ++t) {
      if (stuck_[t] && write >= 0 && stuck_[t]->owner == Machine::name_of(write))
        result.insert(first_stuck + t);
    }
    return result;
  }
  [[nodiscard]] EventId write_of(EventId id) const {
    return id < first_stuck ? Machine::write_of(id) : no_event;
  }
  [[nodiscard]] EventId source_of(EventId id) const {
    return id < first_stuck ? Machine::source_of(id) : stuck_[id - first_stuck]->owner_id;
  }
  [[nodiscard]] bool is_decision(EventId id) const { return id < first_stuck && Machine::is_decision(id); }
  [[nodiscard]] bool is_default(EventId id) const { return id >= first_stuck || Machine::is_default(id); }
  [[nodiscard]] EventId last_event(ThreadId t) const {
    return stuck_[t] ? first_stuck + static_cast<EventId>(t) : Machine::last_event(t);
  }
  [[nodiscard]] EventId po_previous(EventId id) const {
    return id < first_stuck ? Machine::po_previous(id)
                            : Machine::last_event(static_cast<ThreadId>(id - first_stuck));
  }
  [[nodiscard]] EventName name_of(std::int64_t id) const {
    return id < first_stuck ? Machine::name_of(id)
                            : stuck_[static_cast<std::size_t>(id - first_stuck)]->event;
  }
  void include(EventId id, Set& set) const {
    if (id >= first_stuck) return set.insert(static_cast<ProcessId>(id));
    const auto step = Machine::step_of(id);
    for (auto e = Machine::first_event(step); e < Machine::first_event(step + 1); ++e) set.insert(e);
  }

  // An event may have been prepared in a cut run.
  using Machine::commit_before;
  using Machine::next_parameter;
  [[nodiscard]] Set commit_before(Prepared& event) {
    refresh(event);
    Set prefix = with_marks(Machine::commit_before(event));
    for (EventId id = first_mark; id < end_of_marks(); ++id) {
      if (mark(id).there && mark(id).read == event.name) prefix.insert(static_cast<ProcessId>(id));
    }
    return prefix;
  }
  [[nodiscard]] Set committed_before(std::int64_t id) const {
    return with_marks(Machine::committed_before(id));
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(Prepared& event, std::int64_t parameter) {
    refresh(event);
    return Machine::next_parameter(event, parameter);
  }
  using Machine::would_update;
  [[nodiscard]] bool would_update(Prepared& event, std::int64_t parameter) {
    refresh(event);
    return Machine::would_update(event, parameter);
  }
  bool insert(Prepared& event, std::int64_t parameter, EventId& id) {
    refresh(event);
    const auto first = static_cast<EventId>(Machine::first_event(Machine::depth()));
    if (!Machine::commit(event, parameter)) return false;
    give_place(id, first);
    return true;
  }
  // After an older write nothing could revisit it any more.
  static constexpr bool deferral_is_step = false;
  bool defer(Prepared& event, std::int64_t owner, EventId& id) {
    if (Machine::newer(owner) != no_event) return false;
    if constexpr (marks_reads) {
      if (Machine::is_settled(event)) return false;
    }
    const ThreadId t = event.name.thread;
    if (is_awaited(event.name)) {
      marks_.push_back({.read = event.name, .write = static_cast<EventId>(owner)});
      give_place(id, first_mark + static_cast<EventId>(marks_.size() - 1));
      return true;
    }
    stuck_[t] = {
        .event = event.name, .owner = Machine::name_of(owner), .owner_id = static_cast<EventId>(owner)};
    give_place(id, first_stuck + static_cast<EventId>(t));
    return true;
  }
  void remove(Prepared& event, EventId& id) {
    const ThreadId t = event.name.thread;
    if (id >= first_mark) {
      marks_.pop_back();
    } else if (id >= first_stuck) {
      stuck_[t].reset();
    } else {
      Machine::undo();
    }
    // (An event that was given a position in the middle comes before the write that it reads from.)
    if (order_.back() == id) {
      order_.pop_back();
      id = no_event;
    } else {
      give_place(id, first_absent + static_cast<EventId>(t));
    }
  }
  static void release(const Prepared& /*event*/) {}

  [[nodiscard]] bool may_revisit(Prepared& event, std::int64_t source, EventId read, const Set& /*deleted*/) {
    if (read >= first_mark) return false;
    const EventName name = name_of(read);
    if constexpr (marks_reads) {
      if (read < first_stuck && Machine::any_choice_waits() && Machine::is_home(read)) {
        refresh(event);  // for its value
        return Machine::may_open_any(event.name, source, read, earlier_than(read));
      }
    }
    return Machine::location(name) == Machine::location(event.name) && Machine::reads(name);
  }

  // -- Waits, as DefersReads has them.

  [[nodiscard]] bool may_read(EventName read, EventId source) const requires marks_reads {
    return all_of_marks(read, [&](EventId id) { return follows_mark(id, source); });
  }
  [[nodiscard]] bool may_wait_on(EventName read, EventId newest) const requires marks_reads {
    return all_of_marks(read,
                        [&](EventId id) { return mark(id).write == newest || follows_mark(id, newest); });
  }
  [[nodiscard]] bool defers_read(EventId event) const requires marks_reads { return event >= first_mark; }
  [[nodiscard]] bool is_maximal_deferral(EventId id, const Set& deleted) const requires marks_reads {
    const Machine& machine = *this;
    return is_maximal_mark(machine, mark(id).write, newest_awaited(id), deleted, is_earlier_than(id));
  }
  [[nodiscard]] bool any_reads_on(EventId write, EventName writer,
                                  const Set& deleted) const requires marks_reads {
    if (!(readers(write) - deleted).empty()) return true;
    const auto gone = [&](EventId id) { return deleted.contains(static_cast<ProcessId>(id)); };
    for (EventId id = first_mark; id < end_of_marks(); ++id) {
      if (!mark(id).there || mark(id).write != write || gone(id)) continue;
      const EventId next = next_of(id);
      if (next == no_event ? mark(id).read != writer : gone(next)) return true;
    }
    return false;
  }
  [[nodiscard]] EventId close_gaps(const Prepared& event, EventId id,
                                   const Set& /*deleted*/) requires marks_reads {
    for (EventId gap = first_mark; gap < end_of_marks(); ++gap) {
      if (!mark(gap).there || mark(gap).write != no_event) continue;
      EventId next = next_of(gap);
      if (next == no_event && mark(gap).read == event.name) {
        next = id;
        if (id == no_event) id = gap;
      }
      mark(gap).there = false;
      if (next == no_event) continue;
      order_.erase(std::find(order_.begin(), order_.end(), next));
      *std::find(order_.begin(), order_.end(), gap) = next;
    }
    return id;
  }

  // -- Alternatives, as WaitsAtChoices has them, with `Machine`'s.

  [[nodiscard]] std::int64_t home_of_revisited() const requires marks_reads {
    return cuts_[cut_count_ - 1].home;
  }
  [[nodiscard]] bool may_open(const Prepared& write, std::int64_t source, EventId choice,
                              std::int64_t alternative) requires marks_reads {
    return Machine::may_open(write.name, source, choice, alternative, earlier_than(choice));
  }
  void open(Prepared& choice, std::int64_t home, EventId position, EventId write) const requires marks_reads {
    Machine::open(choice, home, write, earlier_than(position));
  }

  std::uint32_t cut(Prepared& event, std::int64_t source, std::size_t from, EventId read, const Set& deleted);
  std::uint32_t mend();
  [[nodiscard]] EventName revisited() const { return cuts_[cut_count_ - 1].revisited; }
  [[nodiscard]] EventId stand_in() const { return first_absent + static_cast<EventId>(revisited().thread); }
  [[nodiscard]] std::optional<std::int64_t> first_place(Prepared& event, std::int64_t /*source*/) {
    refresh(event);
    if (Machine::updates(event.name)) return Machine::resolve(event.name, cuts_[cut_count_ - 1].source);
    return kept(event, Machine::first_parameter(event));
  }
  [[nodiscard]] std::optional<std::int64_t> next_place(Prepared& event, std::int64_t place) {
    if (Machine::updates(event.name)) return std::nullopt;
    refresh(event);
    return kept(event, Machine::next_parameter(event, place));
  }

 private:
  struct StuckLock {
    EventName event;
    EventName owner;  // the write that has taken the mutex
    EventId owner_id = no_event;
  };
  struct Mark {
    EventName read;
    EventId write = no_event;  // the one that stopped it; none after a cut that has removed it
    bool there = true;         // not any more after a cut, which leaves the numbers of others as they are
  };
  // What the machine keeps of a step that is committed again.
  struct NothingKept {};
  template <typename M>
  struct KeptBy {
    using Type = NothingKept;
  };
  template <WaitsInPlace M>
  requires RunsAhead<M>
  struct KeptBy<M> {
    using Type = typename M::Guarded;
  };
  struct Step : NamedStep {
    typename KeptBy<Machine>::Type kept;
  };
  struct Cut {
    EventName revisited;
    EventName source;                             // of the update that revisits
    std::int64_t home = 0;                        // of the choice that is revisited
    std::uint32_t kept_depth = 0;                 // steps that stayed in place
    std::vector<Step> steps;                      // the others, as they were
    std::vector<EventId> order;                   // as it was
    std::vector<std::optional<StuckLock>> stuck;  // as they were
    std::vector<Mark> marks;                      // as they were
  };

  [[nodiscard]] bool is_awaited(EventName event) const {
    if constexpr (marks_reads) return Machine::awaits(event);
    return false;
  }
  [[nodiscard]] const Mark& mark(EventId id) const {
    return marks_[static_cast<std::size_t>(id - first_mark)];
  }
  [[nodiscard]] Mark& mark(EventId id) { return marks_[static_cast<std::size_t>(id - first_mark)]; }
  [[nodiscard]] EventId end_of_marks() const { return first_mark + static_cast<EventId>(marks_.size()); }
  // With the marks of the reads that it contains.
  [[nodiscard]] Set with_marks(const typename Machine::Set& events) const {
    Set result = events;
    if constexpr (marks_reads) {
      for (std::uint32_t k = 0; k < marks_.size(); ++k) {
        if (!marks_[k].there) continue;
        const auto& read = Machine::request(marks_[k].read);
        if (read.committed && events.contains(static_cast<ProcessId>(read.read)))
          result.insert(first_mark + k);
      }
    }
    return result;
  }
  // The read's next mark, or the read itself if it is in the run, or no_event.
  [[nodiscard]] EventId next_of(EventId id) const {
    const EventName read = mark(id).read;
    for (EventId next = id + 1; next < end_of_marks(); ++next) {
      if (mark(next).there && mark(next).read == read) return next;
    }
    const auto& request = Machine::request(read);
    return request.committed ? static_cast<EventId>(Machine::first_event(Machine::step_of(request.read)))
                             : no_event;
  }
  // The newest write of the location that the mark's read waits for.
  [[nodiscard]] EventId newest_awaited(EventId id) const {
    return Machine::newest_write(Machine::location(mark(id).read));
  }
  // Whether the predicate holds for all marks of the read.
  template <typename Predicate>
  [[nodiscard]] bool all_of_marks(EventName read, Predicate&& predicate) const {
    for (EventId id = first_mark; id < end_of_marks(); ++id) {
      if (mark(id).there && mark(id).read == read && !predicate(id)) return false;
    }
    return true;
  }
  [[nodiscard]] bool follows_mark(EventId id, EventId write) const {
    const Machine& machine = *this;
    return follows(machine, mark(id).write, newest_awaited(id), write, is_earlier_than(id));
  }
  // The events at earlier positions in the order than this one, which may be a stand-in; and whether a write is one of them.
  [[nodiscard]] typename Machine::Set earlier_than(EventId id) const {
    typename Machine::Set earlier;
    for (const EventId event : order_) {
      if (event == id) break;
      if (event >= first_stuck) continue;
      const auto step = Machine::step_of(event);
      for (auto e = Machine::first_event(step); e < Machine::first_event(step + 1); ++e) earlier.insert(e);
    }
    return earlier;
  }
  [[nodiscard]] auto is_earlier_than(EventId id) const {
    return [earlier = earlier_than(id)](EventId e) {
      return is_initial(e) || earlier.contains(static_cast<ProcessId>(e));
    };
  }

  // Dropping the store of a read-modify-write is not a revisit.
  [[nodiscard]] static std::optional<std::int64_t> kept(const Prepared& event,
                                                        std::optional<std::int64_t> place) {
    return place && event.conditional && *place == dropped ? std::nullopt : place;
  }
  void refresh(Prepared& event) {
    if (event.version == version_) return;
    if constexpr (marks_reads) {
      Machine::prepare_again(event.name, event);
    } else {
      Machine::prepare(event.name, event);
    }
    event.version = version_;
  }
  void give_place(EventId& id, EventId now) {
    if (id == no_event) {
      order_.push_back(now);
    } else {
      *std::find(order_.begin(), order_.end(), id) = now;
    }
    id = now;
  }
  // How to commit the step again: its place is the newest one of those at the time that `keep` accepts.
  template <typename Keep>
  [[nodiscard]] Step recommit(std::uint32_t step, Keep&& keep) const {
    Step result{
        named_step(*this, step,
                   [&](ProcessId place) { return place < Machine::first_event(step) && keep(place); }),
        {}};
    if constexpr (marks_reads) {
      if (Machine::any_choice_waits())
        result.kept = Machine::guarded(static_cast<EventId>(Machine::first_event(step)));
    }
    return result;
  }
  void undo_to(std::uint32_t depth) {
    while (Machine::depth() > depth) Machine::undo();
    ++version_;
  }
  void again(const Step& step) {
    typename Machine::Prepared event;
    if constexpr (marks_reads) {
      Machine::prepare(step.event, event, step.kept);
    } else {
      Machine::prepare(step.event, event);
    }
    if (!Machine::commit(event, parameter_of(*this, step)))
      throw std::logic_error("internal error: part of an allowed run is not allowed");
  }

  std::vector<EventId> order_;
  std::vector<std::optional<StuckLock>> stuck_;  // by thread
  std::vector<Mark> marks_;                      // by number; those of one read in program order
  std::vector<Cut> cuts_;                        // the entries from cut_count_ on keep their memory
  std::size_t cut_count_ = 0;
  std::vector<Step> staying_;     // scratch
  std::vector<EventId> old_ids_;  // scratch: the ids that these had
  std::uint64_t version_ = 1;     // counts cuts and mends
};

template <CommitMachine Machine>
std::uint32_t Recommits<Machine>::cut(Prepared& event, std::int64_t source, std::size_t from, EventId read,
                                      const Set& deleted) {
  if (cut_count_ == cuts_.size()) cuts_.emplace_back();
  Cut& cut = cuts_[cut_count_++];
  cut.revisited = name_of(read);
  if constexpr (marks_reads) {
    if (read < first_stuck && Machine::any_choice_waits()) cut.home = Machine::guarded(read).home;
  }
  cut.source = Machine::updates(event.name) ? Machine::name_of(source) : EventName{};
  cut.order = order_;
  cut.stuck = stuck_;
  cut.marks = marks_;
  Set going = deleted;
  include(read, going);

  cut.kept_depth = 0;
  while (cut.kept_depth < Machine::depth() && !going.contains(Machine::first_event(cut.kept_depth)))
    ++cut.kept_depth;
  cut.steps.clear();
  staying_.clear();
  old_ids_.clear();
  for (auto step = cut.kept_depth; step < Machine::depth(); ++step) {
    const auto first = Machine::first_event(step);
    cut.steps.push_back(recommit(step, [](ProcessId) { return true; }));
    if (going.contains(first)) continue;
    staying_.push_back(recommit(step, [&](ProcessId id) { return !going.contains(id); }));
    old_ids_.push_back(static_cast<EventId>(first));
  }
  const auto first_undone = static_cast<EventId>(Machine::first_event(cut.kept_depth));
  undo_to(cut.kept_depth);
  for (const Step& step : staying_) again(step);

  // Steps that stay may have new ids, wherever they are in the order.
  const auto id_now = [&](EventId id) {
    if (id < first_undone || id >= first_stuck) return id;
    const auto k = std::find(old_ids_.begin(), old_ids_.end(), id) - old_ids_.begin();
    return static_cast<EventId>(Machine::first_event(cut.kept_depth + static_cast<std::uint32_t>(k)));
  };
  order_.clear();
  for (std::size_t i = 0; i < cut.order.size(); ++i) {
    const EventId id = cut.order[i];
    const bool stuck = id >= first_stuck && id < first_absent;
    if (i == from) order_.push_back(stand_in());
    if (i >= from && stuck) stuck_[id - first_stuck].reset();
    if (i < from || (i > from && !stuck && !going.contains(static_cast<ProcessId>(id))))
      order_.push_back(id_now(id));
  }
  for (auto& lock : stuck_) {
    if (lock) lock->owner_id = static_cast<EventId>(Machine::resolve(lock->event, lock->owner));
  }
  for (EventId id = first_mark; id < end_of_marks(); ++id) {
    Mark& kept = mark(id);
    if (going.contains(static_cast<ProcessId>(id))) {
      kept.there = false;
    } else if (kept.there) {
      kept.write = going.contains(static_cast<ProcessId>(kept.write)) ? no_event : id_now(kept.write);
    }
  }
  return static_cast<std::uint32_t>(staying_.size());
}

template <CommitMachine Machine>
std::uint32_t Recommits<Machine>::mend() {
  const Cut& cut = cuts_[--cut_count_];
  undo_to(cut.kept_depth);
  for (const Step& step : cut.steps) again(step);
  order_ = cut.order;
  stuck_ = cut.stuck;
  marks_ = cut.marks;
  return static_cast<std::uint32_t>(cut.steps.size());
}

}  // namespace heddle::checker
