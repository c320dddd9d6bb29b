// Threads of an execution graph, run on trial: whether one that waits would continue. A trial leaves the thread as it was.
//
// A thread waits at a read that may stop it at once (the load of an await, say), or at the choice of an `either`, until
// some guard holds. One alternative of such a choice counts as maximal, its *home*: the first one that can be taken
// if its guard reads the newest writes. Another one is taken with writes that were there before the choice, or it is
// *opened* by a later write, which revisits the choice. docs/algorithms.md, "Alternatives in graphs", proves that each
// execution is still found once.
//
// An alternative begins with a guard if its first operations are loads of a condition, or the choice of another `either`
// whose guards are then guards of this one. Others are *free*, they can always be taken: those without a condition, or
// whose condition begins in another way (with a `cas`, or a look at a plain variable).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/commits/axioms.hpp"
#include "checker/state/event.hpp"
#include "checker/state/snapshots.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

template <typename ExecutionGraph>
class Trials {
 public:
  using Set = typename ExecutionGraph::Set;

  // All three must outlive the object.
  Trials(const Image& image, ExecutionGraph& graph, Snapshots& snapshots)
      : image_(image), graph_(graph), snapshots_(snapshots) {}

  // -- Reads.

  // Whether the thread continues from its read with this value. False if it stops without another event. With
  // `loads`, the rest of its condition reads the newest values; `loads` becomes their number.
  [[nodiscard]] bool goes_on(ThreadId t, std::int64_t value, std::uint32_t* loads = nullptr) {
    const compiler::Uncounted trial(image_);
    Mailbox& m = snapshots_.enter(t, graph_.thread(t).snapshot);
    for (;; value = newest_value(m.location)) {
      m.value = effect_of_reading(m.op, value, m.value, m.expected, t).result;
      snapshots_.resume(t);
      if (loads == nullptr || m.op != Op::load || m.in_await == 0 || m.expected != 0) break;
      ++*loads;
    }
    return !fails_at_once(m);
  }
  // Whether the thread, which waits, continues if it reads the newest values.
  [[nodiscard]] bool wait_ends(ThreadId t) {
    const Mailbox& m = snapshots_.mailbox(graph_.thread(t).snapshot);
    if (m.op == Op::choose) return alternative_now(t).has_value();
    auto& last = graph_.thread(t).trial;
    const std::int64_t value = newest_value(m.location);
    if (last.known && last.value == value) return last.ends;
    std::uint32_t loads = 0;
    const bool ends = goes_on(t, value, &loads);
    last = {.known = loads == 0, .ends = ends, .value = value};
    return ends;
  }
  // Whether a thread at a failed await continues with these values. `answer`: what it is asked, see
  // compiler::any_alternative.
  template <typename Read>
  [[nodiscard]] bool await_holds(ThreadId t, Read&& read, std::int64_t answer) {
    const compiler::Uncounted trial(image_);
    Mailbox& m = snapshots_.enter(t, graph_.thread(t).snapshot);
    const auto site = m.site;
    m.value = answer;
    snapshots_.resume(t);
    while (m.in_await != 0) {
      m.value = effect_of_reading(m.op, read(m.location), m.value, m.expected, t).result;
      snapshots_.resume(t);
    }
    return m.op != Op::await_failed || m.site != site;
  }

  // -- Choices.

  // The thread is at a choice of alternatives of which some begin with a guard.
  [[nodiscard]] static bool is_choice(const Mailbox& m) {
    return m.op == Op::choose && m.in_either != compiler::InEither::no;
  }
  // The thread is at a load of a guard, or at the choice of an `either` with which an alternative begins.
  [[nodiscard]] bool is_inside(const Mailbox& m) const {
    if (m.in_either != compiler::InEither::inside) return false;
    return m.op == Op::choose ||
           (m.op == Op::load && m.in_await != 0 && !image_.locations[m.location].is_plain);
  }
  // Whether the event is a choice that waited.
  [[nodiscard]] bool waited(EventId event) const {
    return graph_[event].kind == EventKind::choice && graph_[event].state == ThreadState::awaiting;
  }

  // Of a thread that waits at a choice. Each takes a run of the guard for each way to read it, and alternative.

  // The first alternative that it can take if it reads the newest writes.
  [[nodiscard, gnu::noinline]] std::optional<std::int64_t> alternative_now(ThreadId t) {
    return first_alternative(t, [&](Location x, auto&& visit) { visit(newest_value(x), false); });
  }
  // Whether it can take any of them, or this one, with some writes of the graph.
  [[nodiscard, gnu::noinline]] bool may_pass(ThreadId t) {
    return first_alternative(t, any_source(t)).has_value();
  }
  [[nodiscard, gnu::noinline]] bool may_pass(ThreadId t, std::int64_t alternative) {
    return passes({t, graph_.thread(t).snapshot, alternative, false}, any_source(t));
  }
  // The home of the choice. If no alternative can be taken now, it is the first one that has a guard to wait at; or just the
  // first one, if all guards fail without a load.
  [[nodiscard, gnu::noinline]] std::int64_t home_of(ThreadId t) {
    if (const auto now = alternative_now(t)) return *now;
    const auto snapshot = graph_.thread(t).snapshot;
    const std::int64_t low = snapshots_.mailbox(snapshot).value;
    const std::int64_t end = snapshots_.mailbox(snapshot).expected;
    for (std::int64_t alternative = low; alternative < end; ++alternative) {
      if (has_guard({t, snapshot, alternative, false})) return alternative;
    }
    return low;
  }
  // Whether it can take the alternative if the guard reads the write, and before that only writes older than the choice,
  // which has been revisited (`position`: its stand-in).
  [[nodiscard, gnu::noinline]] bool opens(ThreadId t, std::int64_t alternative, EventId position,
                                          EventId write) {
    return opens({t, graph_.thread(t).snapshot, alternative, true}, position, graph_[write].location,
                 graph_[write].value,
                 [&](EventId location) { return graph_.bounds(t, location, AccessKind::load); });
  }

  // Whether a write of this value to the location, which is not in the graph, opens another alternative of the choice,
  // which has waited and is in the graph with its home; and whether it may open this one, in some graph with the same
  // events before the choice.
  [[nodiscard, gnu::noinline]] bool may_open(EventId choice, EventId location, std::int64_t value) {
    Trial trial = first_trial(choice);
    const std::int64_t end = snapshots_.mailbox(trial.snapshot).expected;
    const auto bounds = [&](EventId x) { return graph_.bounds_of_load(choice, x); };
    for (; trial.alternative < end; ++trial.alternative) {
      if (trial.alternative != graph_[choice].value && opens(trial, choice, location, value, bounds))
        return true;
    }
    return false;
  }
  [[nodiscard]] bool may_open(EventId choice, EventId location, std::int64_t value,
                              std::int64_t alternative) {
    Trial trial = first_trial(choice);
    trial.alternative = alternative;
    return alternative != graph_[choice].value && opens(trial, choice, location, value, [&](EventId x) {
             return graph_.coherence_bounds_of_load(choice, x);
           });
  }
  // Whether the thread, at a load of a guard, is still at something of it after it has read this value.
  [[nodiscard]] bool stays_inside(ThreadId t, std::int64_t value) {
    const compiler::Uncounted trial(image_);
    Mailbox& m = snapshots_.enter(t, graph_.thread(t).snapshot);
    m.value = value;
    snapshots_.resume(t);
    return is_inside(m);
  }

 private:
  struct Trial {
    ThreadId thread;
    Snapshots::Id snapshot;  // of the thread at the choice
    std::int64_t alternative;
    bool decide;  // see `passes`
  };

  // Of the first alternative of a choice in the graph, which a decisive load is to pass. (No reference to the event is
  // kept: making room for a location moves the events.)
  [[nodiscard]] Trial first_trial(EventId choice) const {
    const auto& event = graph_[choice];
    return {event.thread, event.snapshot, snapshots_.mailbox(event.snapshot).value, true};
  }
  [[nodiscard]] EventId initial(Location location) {
    return graph_.initial(location, image_.locations[location].initial);
  }
  [[nodiscard]] std::int64_t newest_value(Location location) {
    return graph_[graph_.newest(initial(location))].value;
  }
  template <typename Sources>
  [[nodiscard]] std::optional<std::int64_t> first_alternative(ThreadId t, Sources&& each_source) {
    const auto snapshot = graph_.thread(t).snapshot;
    const std::int64_t end = snapshots_.mailbox(snapshot).expected;
    for (std::int64_t alternative = snapshots_.mailbox(snapshot).value; alternative < end; ++alternative) {
      if (passes({t, snapshot, alternative, false}, each_source)) return alternative;
    }
    return std::nullopt;
  }
  [[nodiscard]] auto any_source(ThreadId t) {
    return [this, t](Location x, auto&& visit) {
      const EventId location = initial(x);
      each_source(location, graph_.bounds(t, location, AccessKind::load),
                  [&](EventId write) { return visit(graph_[write].value, false); });
    };
  }
  template <typename Bounds>
  [[nodiscard]] bool opens(const Trial& trial, EventId choice, EventId location, std::int64_t value,
                           Bounds&& bounds) {
    const Set earlier = graph_.earlier_than(choice);
    return passes(trial, [&](Location x, auto&& visit) {
      const EventId read = initial(x);
      if (read == location && visit(value, true)) return;
      each_source(read, bounds(read), [&](EventId write) {
        const bool is_earlier = is_initial(write) || earlier.contains(static_cast<ProcessId>(write));
        return is_earlier && visit(graph_[write].value, false);
      });
    });
  }
  // Calls `visit` with one write of the location that a load with these bounds can read from after the other, from the
  // newest on, until it returns true.
  template <typename Visit>
  void each_source(EventId location, const Set& bounds, Visit&& visit) const {
    for (EventId write = graph_.newest(location); !visit(write); write = graph_[write].co_previous) {
      if (is_initial(write) || bounds.contains(static_cast<ProcessId>(write))) return;
    }
  }

  // Whether some way of reading lets the thread pass the guard of the alternative, or the first of its loads that is
  // *decisive*. `each_source(location, visit)` calls `visit(value, decisive)` for one source after the other, until that
  // returns true. With Trial::decide, a way without a decisive load does not count.
  template <typename Sources>
  [[nodiscard]] bool passes(const Trial& trial, Sources&& each_source) {
    const compiler::Uncounted uncounted(image_);
    read_.clear();
    return passes_on(trial, each_source);
  }
  template <typename Sources>
  bool passes_on(const Trial& trial, Sources&& each_source) {
    const Mailbox& m = run(trial);
    if (!is_inside(m)) return !trial.decide && !fails(m);
    bool result = false;
    if (m.op == Op::choose) {
      const std::int64_t end = m.expected;
      for (std::int64_t inner = m.value; inner < end && !result; ++inner) {
        read_.push_back(inner);
        result = passes_on(trial, each_source);
        read_.pop_back();
      }
      return result;
    }
    each_source(m.location, [&](std::int64_t value, bool decisive) {
      read_.push_back(value);
      result = decisive ? !fails(run(trial)) : passes_on(trial, each_source);
      read_.pop_back();
      return result;
    });
    return result;
  }
  [[nodiscard]] bool has_guard(const Trial& trial) {
    const compiler::Uncounted uncounted(image_);
    read_.clear();
    return is_inside(run(trial));
  }
  // Runs the thread from the choice on, with the values read and chosen so far, to its next operation.
  const Mailbox& run(const Trial& trial) {
    Mailbox& m = snapshots_.enter(trial.thread, trial.snapshot);
    m.value = trial.alternative;
    snapshots_.resume(trial.thread);
    for (const std::int64_t value : read_) {
      m.value = value;
      snapshots_.resume(trial.thread);
    }
    return m;
  }
  [[nodiscard]] static bool fails(const Mailbox& m) {
    return m.op == Op::await_failed && m.in_either == compiler::InEither::inside;
  }

  const Image& image_;
  ExecutionGraph& graph_;
  Snapshots& snapshots_;
  std::vector<std::int64_t> read_;  // by the loads of the guard, on trial, or chosen there
};

}  // namespace heddle::checker
