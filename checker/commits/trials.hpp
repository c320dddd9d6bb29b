// Threads of an execution graph, run on trial: whether one that waits would continue. A trial leaves the thread as it was.
//
// A thread waits at a read that may stop it at once (the load of an await, say), or at the choice of an `either`, until
// some guard holds. One alternative of such a choice counts as maximal, its *home*: the first one that can be taken
// if its guard reads the newest writes. Another one is taken with writes that were there before the choice, or it is
// *opened* by a later write, which revisits the choice. docs/algorithms.md, "Alternatives in graphs" and "Probes in graphs",
// proves that each execution is still found once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/commits/axioms.hpp"
#include "checker/commits/guards.hpp"
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
      : image_(image), graph_(graph), snapshots_(snapshots), guards_(image, OnTrial{&snapshots}) {}

  // -- Reads.

  // Whether the thread continues from its read with this value. False if it stops without another event. With
  // `loads`, the rest of its condition reads the newest values; `loads` becomes their number.
  [[nodiscard]] bool goes_on(ThreadId t, std::int64_t value, std::uint32_t* loads = nullptr) {
    const compiler::Uncounted trial(image_);
    Mailbox& m = snapshots_.enter(t, graph_.thread(t).snapshot);
    for (;; value = newest_value(m.location)) {
      m.value = effect_of_reading(m.op, value, m.value, m.expected, t).result;
      resume_past_fences(snapshots_, t, m);
      if (loads == nullptr || !evaluates(t, m)) break;
      ++*loads;
    }
    return !fails_at_once(m);
  }
  // Whether the thread has begun to evaluate a condition of several loads.
  [[nodiscard]] bool evaluates(ThreadId t, const Mailbox& m) const {
    return (m.op == Op::load && m.in_await != 0 && m.expected == 0) ||
           (m.probe == Probe::later && has_probes(t));
  }
  // Whether the thread, which waits, continues if it reads the newest values.
  [[nodiscard]] bool wait_ends(ThreadId t) {
    if (is_at_choice(t)) return alternative_now(t).has_value();
    const Mailbox& m = snapshots_.mailbox(graph_.thread(t).snapshot);
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

  // From now on each probe of the thread begins with a choice.
  void begin_with_probes(ThreadId t) {
    has_probes_.resize(snapshots_.thread_count());
    has_probes_[t] = true;
  }
  [[nodiscard]] bool has_probes(ThreadId t) const { return !has_probes_.empty() && has_probes_[t]; }
  // Whether the thread waits at a choice: that of an `either`, or of a probe that it has yet to begin.
  [[nodiscard]] bool is_at_choice(ThreadId t) const {
    const Mailbox& m = snapshots_.mailbox(graph_.thread(t).snapshot);
    if (m.op == Op::choose) return true;
    if (m.probe != Probe::first || !has_probes(t)) [[likely]]
      return false;
    EventId last = graph_.thread(t).last;
    while (last != no_event && graph_[last].kind == EventKind::deferral) last = graph_[last].po_previous;
    return last == no_event || graph_[last].kind != EventKind::probe;
  }
  // Whether the event is a choice that waited.
  [[nodiscard]] bool waited(EventId event) const {
    return (graph_[event].kind == EventKind::choice || graph_[event].kind == EventKind::probe) &&
           graph_[event].state == ThreadState::awaiting;
  }
  // Of a choice that waited: whether it counts that a daemon waits for ever in its alternative.
  [[nodiscard]] bool counts_wait(EventId choice) {
    const auto& event = graph_[choice];
    const auto home = event.canonical ? std::optional(event.value) : std::nullopt;
    return guards_.where_wait_counts(event.thread, event.snapshot, home) == event.value;
  }
  // The thread is at something of a guard.
  [[nodiscard]] bool is_inside(ThreadId t, const Mailbox& m) const { return guards_.is_inside(t, m); }

  // Of a thread that waits at a choice. Each takes a run of the guard for each way to read it, and alternative.

  // The first alternative that it can take if it reads the newest writes.
  [[nodiscard, gnu::noinline]] std::optional<std::int64_t> alternative_now(ThreadId t) {
    return guards_.first_alternative(t, graph_.thread(t).snapshot,
                                     [&](Location x, auto&& visit) { return visit(newest_value(x), false); });
  }
  // Whether it can take any of them, or this one, with some writes of the graph.
  [[nodiscard, gnu::noinline]] bool may_pass(ThreadId t) {
    return guards_.first_alternative(t, graph_.thread(t).snapshot, any_source(t)).has_value();
  }
  [[nodiscard, gnu::noinline]] bool may_pass(ThreadId t, std::int64_t alternative) {
    return guards_.passes({t, graph_.thread(t).snapshot, alternative, false}, any_source(t));
  }
  [[nodiscard, gnu::noinline]] std::int64_t home_of(ThreadId t) {
    return guards_.home(t, graph_.thread(t).snapshot, [&](Location x) { return newest_value(x); });
  }
  // Whether it can take the alternative if the guard reads the write, and before that only writes older than the choice,
  // which has been revisited (`position`: its stand-in).
  [[nodiscard, gnu::noinline]] bool opens(ThreadId t, std::int64_t alternative, EventId position,
                                          EventId write) {
    return guards_.opens(
        t, graph_.thread(t).snapshot, alternative, location_of(write), graph_[write].value,
        older_than(position, [&](EventId location) { return graph_.bounds(t, location, AccessKind::load); }));
  }

  // Whether a write of this value to the location, which is not in the graph, opens another alternative of the choice,
  // which has waited and is in the graph with its home; and whether it may open this one, in some graph with the same
  // events before the choice.
  [[nodiscard, gnu::noinline]] bool may_open(EventId choice, Location location, std::int64_t value) {
    // (Copies, because making room for a location moves the events.)
    const ThreadId t = graph_[choice].thread;
    const auto snapshot = graph_[choice].snapshot;
    return guards_.opens_any(
        t, snapshot, graph_[choice].value, location, value,
        older_than(choice, [&, choice](EventId x) { return graph_.bounds_of_load(choice, x); }));
  }
  [[nodiscard]] bool may_open(EventId choice, Location location, std::int64_t value,
                              std::int64_t alternative) {
    if (alternative == graph_[choice].value) return false;
    const ThreadId t = graph_[choice].thread;
    const auto snapshot = graph_[choice].snapshot;
    return guards_.opens(
        t, snapshot, alternative, location, value,
        older_than(choice, [&, choice](EventId x) { return graph_.coherence_bounds_of_load(choice, x); }));
  }
  // Whether the thread, at a load of a guard, is still at something of it after it has read this value.
  [[nodiscard]] bool stays_inside(ThreadId t, std::int64_t value) {
    return guards_.stays_inside(t, graph_.thread(t).snapshot, value);
  }

 private:
  struct OnTrial {
    Snapshots* snapshots;
    Mailbox& enter(ThreadId t, std::uint32_t at) const { return snapshots->enter(t, at); }
    void resume(ThreadId t) const { snapshots->resume(t); }
    [[nodiscard]] static bool is_guard(ThreadId /*t*/, Op /*op*/) { return true; }
  };

  [[nodiscard]] EventId initial(Location location) {
    return graph_.initial(location, image_.locations[location].initial);
  }
  [[nodiscard]] Location location_of(EventId write) const {
    return graph_.location_of(graph_[write].location);
  }
  [[nodiscard]] std::int64_t newest_value(Location location) {
    return graph_[graph_.newest(initial(location))].value;
  }
  [[nodiscard]] auto any_source(ThreadId t) {
    return [this, t](Location x, auto&& visit) {
      const EventId location = initial(x);
      each_source(location, graph_.bounds(t, location, AccessKind::load),
                  [&](EventId write) { return visit(graph_[write].value, false); });
    };
  }
  // The writes that a load at the choice can read and that are older than the choice. `bounds(location)`: of such a load.
  template <typename Bounds>
  [[nodiscard]] auto older_than(EventId choice, Bounds&& bounds) {
    return [this, bounds, earlier = graph_.earlier_than(choice)](Location x, auto&& visit) {
      const EventId location = initial(x);
      each_source(location, bounds(location), [&](EventId write) {
        const bool is_earlier = is_initial(write) || earlier.contains(static_cast<ProcessId>(write));
        return is_earlier && visit(graph_[write].value);
      });
    };
  }
  // Calls `visit` with one write of the location that a load with these bounds can read from after the other, from the
  // newest on, until it returns true.
  template <typename Visit>
  void each_source(EventId location, const Set& bounds, Visit&& visit) const {
    for (EventId write = graph_.newest(location); !visit(write); write = graph_[write].co_previous) {
      if (is_initial(write) || bounds.contains(static_cast<ProcessId>(write))) return;
    }
  }

  const Image& image_;
  ExecutionGraph& graph_;
  Snapshots& snapshots_;
  Guards<OnTrial> guards_;
  std::vector<bool> has_probes_;  // by thread; empty: none
};

}  // namespace heddle::checker
