// What a search has found so far: counts, violations, witnesses, final states. Findings of the parts of a search
// can be put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/state/rows.hpp"
#include "compiler/image.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

// A violation as the algorithm found it; the trace is made later by replaying the schedule.
struct FoundViolation {
  ViolationKind kind = ViolationKind::assertion;
  std::uint32_t site = none;  // none: deadlocks
  bool in_final = false;      // an assertion of the `final` block
  // Deadlocks: who waits where, see add_wait. Livelocks and starvation: the threads that do not end.
  std::vector<std::uint32_t> waits = {};
  // Of runs that never end: where in the schedule the cycle begins. None: a claim fails where the run ends.
  std::optional<std::size_t> repeats_from = {};
  std::size_t since = 0;  // of temporal claims: where in the schedule the cause holds
  // Of livelocks and starvation: some of the threads make progress in other runs.
  bool lacks_progress = false;
  DataRace race = {};  // data races; `site` is that of its first access
  Schedule schedule = {};
  std::uint64_t count = 1;
};

// Distinguishes deadlocks by the threads that wait. `standing` has the site and the location of the thread's
// operation: a mailbox, or a request of a thread that runs ahead.
template <typename Standing>
void add_wait(std::vector<std::uint32_t>& waits, ThreadId thread, const Standing& standing) {
  if (standing.op == Op::done) return;
  waits.insert(waits.end(), {thread, standing.site, standing.op == Op::lock ? standing.location : none});
}

// An execution that ends in a requested state.
struct FoundWitness {
  std::optional<std::size_t> condition;  // the `exists`, by its place in the image; none: the wanted state
  Schedule schedule;
};

// A final state: the values of all locations, then of all top-level locals; or what Image::observed says.
using FinalState = std::vector<std::int64_t>;
struct FinalStateHash {
  std::size_t operator()(const FinalState& state) const;
};

// Runs that ended before their time.
[[nodiscard]] std::uint64_t blocked_runs(const Counts& counts);

// Adds to a number of executions, which ends at the largest number that there is.
inline void add_up(std::uint64_t& sum, std::uint64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

// The counts that are added up when findings are put together, by name. All but max_depth and peak_memory.
struct NamedCount {
  std::string_view name;
  std::uint64_t Counts::*count;
};
inline constexpr NamedCount additive_counts[] = {
    {"executions", &Counts::executions},
    {"representatives", &Counts::representatives},
    {"blocked_assume", &Counts::blocked_assume},
    {"blocked_await", &Counts::blocked_await},
    {"blocked_idle", &Counts::blocked_idle},
    {"blocked_sleep_set", &Counts::blocked_sleep_set},
    {"blocked_loop_bound", &Counts::blocked_loop_bound},
    {"blocked_race", &Counts::blocked_race},
    {"blocked_preemption_bound", &Counts::blocked_preemption_bound},
    {"beyond_bound", &Counts::beyond_bound},
    {"buffer_bound_flushes", &Counts::buffer_bound_flushes},
    {"transitions", &Counts::transitions},
    {"states", &Counts::states},
    {"revisits", &Counts::revisits},
    {"cuts", &Counts::cuts},
    {"runs", &Counts::runs},
};

// A place where runs were blocked.
struct BlockedPlace {
  ThreadId thread = none;  // none: the `final` block
  Op op = Op::assume_failed;
  std::uint32_t site = none;
  friend auto operator<=>(const BlockedPlace&, const BlockedPlace&) = default;
};

struct Findings {
  Counts counts = {};
  std::vector<FoundViolation> violations = {};  // those that differ, in the order in which they were found
  std::map<std::vector<std::uint32_t>, std::size_t> known_violations = {};  // indexes of `violations`
  std::vector<FoundWitness> witnesses = {};
  std::unordered_map<std::uint64_t, std::uint64_t> blocked = {};  // runs by number_of the place
  std::vector<std::uint64_t> satisfied = {};                      // how often each condition held
  std::uint64_t judged = 0;                                       // final states
  std::unordered_map<FinalState, std::uint64_t, FinalStateHash> final_states = {};

  // Counts the violation. True if it is one that was not known: it is then the last of `violations`.
  bool note(FoundViolation&& found);
  // Adds what was found later in serial order. O(later).
  void append(const Findings& later);
};

// A place as one number, for look-up.
[[nodiscard]] std::uint64_t number_of(const BlockedPlace& place);
[[nodiscard]] BlockedPlace place_of(std::uint64_t number);

}  // namespace heddle::checker
