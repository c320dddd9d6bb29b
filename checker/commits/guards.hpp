// The guards of an `either`, run on trial from its choice on: which alternatives a thread could take. A trial leaves the thread
// as it was.
//
// A probe (compiler::Probe) is such a guard, too, with a choice that is no operation of the thread (docs/algorithms.md, "Probes in graphs").
//
// An alternative begins with a guard if its first operations are loads of a condition, or the choice of another `either`
// whose guards are then guards of this one. A guard can also be an update, as `while !cas(x, a, b) { }`, if the machine says so.
// Other alternatives are *free*, they can always be taken: those without a condition, or whose condition begins in another way
// (with a look at a plain variable, say).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// A thread at the choice of an `either` of which some alternatives begin with a guard. `Request`: has the fields of a mailbox.
template <typename Request>
[[nodiscard]] bool is_guarded_choice(const Request& request) {
  return request.op == Op::choose && request.in_either != compiler::InEither::no;
}

// Runs the thread to its next operation but fences. (A round of a retry loop may pass some.)
template <typename Threads>
void resume_past_fences(Threads& threads, ThreadId t, const Mailbox& m) {
  do {
    threads.resume(t);
  } while (m.op == Op::fence);
}

// A probe has two alternatives, which are the same to the thread: the home, and one for all other ways to read.
inline constexpr std::int64_t alternatives_of_probe = 2;

// `Threads`: `enter(t, at)` makes the thread's live mailbox that of one of its states, and `resume(t)` runs the thread from there to its
// next operation. `is_guard(t, op)`: whether the update at which it is, with which an alternative begins, is a guard.
//
// What the loads of a guard may read is said by sources: `each_source(location, visit)` calls `visit(value, decisive)` for one
// value after the other, until that returns true. A *decisive* load is all that matters of its way to pass.
template <typename Threads>
class Guards {
 public:
  struct Trial {
    ThreadId thread;
    std::uint32_t at;  // its state at the choice
    std::int64_t alternative;
    bool decide;  // a way without a decisive load does not count
  };

  // The image must outlive the object, and so must what `threads` refers to.
  Guards(const Image& image, Threads threads) : image_(image), threads_(threads) {}

  // The thread is at a read of a guard, or at the choice of an `either` with which an alternative begins.
  [[nodiscard]] bool is_inside(ThreadId t, const Mailbox& m) const {
    if (m.probe == Probe::later) return true;
    if (m.in_either != compiler::InEither::inside) return false;
    if (m.op == Op::choose) return true;
    if (m.in_await == 0 || image_.locations[m.location].is_plain) return false;
    return m.op == Op::load || threads_.is_guard(t, m.op);
  }
  // Whether the thread, in this state at a read of a guard, is still at something of it after it has read this value.
  [[nodiscard]] bool stays_inside(ThreadId t, std::uint32_t at, std::int64_t value) {
    const compiler::Uncounted uncounted(image_);
    Mailbox& m = threads_.enter(t, at);
    resume(t, m, value);
    return is_inside(t, m);
  }

  // Whether some way of reading lets the thread pass the guard of the alternative, or the first of its loads that is decisive.
  // Takes a run of the guard for each way.
  template <typename Sources>
  [[nodiscard]] bool passes(const Trial& trial, Sources&& each_source) {
    const compiler::Uncounted uncounted(image_);
    read_.clear();
    return passes_on(trial, each_source);
  }
  // The first alternative of the choice that the thread can pass.
  template <typename Sources>
  [[nodiscard]] std::optional<std::int64_t> first_alternative(ThreadId t, std::uint32_t at,
                                                              Sources&& each_source) {
    const auto [low, end] = alternatives(threads_.enter(t, at), 1);
    for (std::int64_t alternative = low; alternative < end; ++alternative) {
      if (passes({t, at, alternative, false}, each_source)) return alternative;
    }
    return std::nullopt;
  }
  // Whether the alternative begins with something of a guard.
  [[nodiscard]] bool has_guard(ThreadId t, std::uint32_t at, std::int64_t alternative) {
    const compiler::Uncounted uncounted(image_);
    read_.clear();
    return is_inside(t, run({t, at, alternative, false}));
  }
  // The alternative in which it counts that a daemon waits for ever (last_look.hpp): the first free one, as such a choice never waits
  // itself; else the home, which is none if the choice was opened.
  [[nodiscard]] std::optional<std::int64_t> where_wait_counts(ThreadId t, std::uint32_t at,
                                                              std::optional<std::int64_t> home) {
    const auto free = first_alternative(t, at, [](Location /*x*/, auto&& /*visit*/) {});
    return free ? free : home;
  }
  // The home of the choice. If no alternative can be taken with the newest values, it is the first one that has a guard to wait
  // at; or just the first one, if all guards fail without a load.
  template <typename Newest>
  [[nodiscard]] std::int64_t home(ThreadId t, std::uint32_t at, Newest&& newest) {
    const auto now =
        first_alternative(t, at, [&](Location x, auto&& visit) { return visit(newest(x), false); });
    if (now) return *now;
    const auto [low, end] = alternatives(threads_.enter(t, at), 1);
    for (std::int64_t alternative = low; alternative < end; ++alternative) {
      if (has_guard(t, at, alternative)) return alternative;
    }
    return low;
  }
  // Whether the thread passes a load of the guard that reads this value of the location, after loads that read what
  // `each_older(location, visit)` calls `visit(value)` for, until that returns true. The first function is about one alternative,
  // the second about any but the home.
  template <typename Older>
  [[nodiscard]] bool opens(ThreadId t, std::uint32_t at, std::int64_t alternative, Location location,
                           std::int64_t value, Older&& each_older) {
    return passes({t, at, alternative, true}, [&](Location x, auto&& visit) {
      if (x == location && visit(value, true)) return;
      each_older(x, [&](std::int64_t older) { return visit(older, false); });
    });
  }
  template <typename Older>
  [[nodiscard]] bool opens_any(ThreadId t, std::uint32_t at, std::int64_t home, Location location,
                               std::int64_t value, Older&& each_older) {
    const auto [low, end] = alternatives(threads_.enter(t, at), alternatives_of_probe);
    for (std::int64_t alternative = low; alternative < end; ++alternative) {
      if (alternative != home && opens(t, at, alternative, location, value, each_older)) return true;
    }
    return false;
  }
  // Calls `visit` with the location of each load that the guards can come to; `each_older` as above, of these values.
  template <typename Older, typename Visit>
  void for_each_looked_at(ThreadId t, std::uint32_t at, Older&& each_older, Visit&& visit) {
    const Mailbox& m = threads_.enter(t, at);
    const std::int64_t end = m.expected;
    for (std::int64_t alternative = m.value; alternative < end; ++alternative) {
      // (No load is decisive, so all ways are tried.)
      (void)passes({t, at, alternative, true}, [&](Location x, auto&& read) {
        visit(x);
        each_older(x, [&](std::int64_t older) { return read(older, false); });
      });
    }
  }

 private:
  struct Alternatives {
    std::int64_t low;
    std::int64_t end;
  };
  // Of a thread at a choice, or at the first load of a probe.
  [[nodiscard]] static Alternatives alternatives(const Mailbox& m, std::int64_t of_probe) {
    if (m.op != Op::choose) return {.low = 0, .end = of_probe};
    return {.low = m.value, .end = m.expected};
  }
  template <typename Sources>
  bool passes_on(const Trial& trial, Sources&& each_source) {
    const Mailbox& m = run(trial);
    const bool at_first = of_probe_ && read_.empty();
    if (!at_first && !is_inside(trial.thread, m)) return !trial.decide && !fails(m);
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
  // Runs the thread from the choice on, with the values read and chosen so far, to its next operation.
  const Mailbox& run(const Trial& trial) {
    Mailbox& m = threads_.enter(trial.thread, trial.at);
    of_probe_ = m.op != Op::choose;
    if (!of_probe_) resume(trial.thread, m, trial.alternative);
    for (const std::int64_t value : read_) resume(trial.thread, m, value);
    return m;
  }
  void resume(ThreadId t, Mailbox& m, std::int64_t value) {
    m.value = m.op == Op::choose ? value : effect_of_reading(m.op, value, m.value, m.expected, t).result;
    resume_past_fences(threads_, t, m);
  }
  [[nodiscard]] bool fails(const Mailbox& m) const {
    if (of_probe_) return fails_at_once(m);
    return m.op == Op::await_failed && m.in_either == compiler::InEither::inside;
  }

  const Image& image_;
  Threads threads_;
  bool of_probe_ = false;           // the trial
  std::vector<std::int64_t> read_;  // by the loads of the guard, on trial, or chosen there
};

}  // namespace heddle::checker
