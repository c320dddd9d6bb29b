// Turns an algorithm's findings into what users read: traces with names and source text, messages, final
// states.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "checker/search/search.hpp"
#include "checker/state/rows.hpp"
#include "compiler/image.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

// Replays the schedule of the violation on a fresh machine of the search's model and describes its rows.
// Throws std::logic_error if the replay does not show the violation, which is a bug of the algorithm.
[[nodiscard]] Violation describe(const Search& search, const FoundViolation& found);
// The same for an execution that ends in a requested state.
[[nodiscard]] Witness describe(const Search& search, const FoundWitness& found);

// The names of the values of a final state, in their order; empty for mutexes, which are not shown.
[[nodiscard]] std::vector<std::string> state_names(const Image& image);

// The final states of the search, sorted by their values.
[[nodiscard]] std::vector<Outcome> describe_outcomes(const Search& search);

[[nodiscard]] std::vector<ConditionCount> describe_conditions(const Search& search);

[[nodiscard]] std::vector<BlockedAt> describe_blocked(const Search& search);
// The counters of the search's image, sorted by place, without branches on constants. Call this before any
// replay, which would count, too.
[[nodiscard]] std::vector<CoveredPlace> describe_coverage(const Search& search,
                                                          const std::vector<compiler::CoveragePoint>& points);

// The parts of a description, for the interactive machine too.

[[nodiscard]] inline FenceType fence_type(Fence fence) {
  switch (fence) {
    case Fence::full: return FenceType::full;
    case Fence::lightweight: return FenceType::lightweight;
    case Fence::store_store: return FenceType::store_store;
    case Fence::instruction: break;
  }
  return FenceType::instruction;
}

[[nodiscard]] heddle::Step describe_row(const Image& image, const Row& row);
// The message for a violation that a thread found. Without the mailbox it has no numbers.
[[nodiscard]] std::string describe_failure(Op op, const compiler::Site& site, const Mailbox* mailbox);
// "'invariant x < 2' does not hold".
[[nodiscard]] std::string describe_invariant(const compiler::Site& site);
// "data race on x: p writes it on line 3, q reads it on line 7".
[[nodiscard]] std::string describe_race(const Image& image, const DataRace& race);
// The messages of the newest step's violations, then of those at which other threads stand. `standing(t)` is
// the thread's mailbox; `fails(t)` says if it is a violation.
template <typename Machine, typename Standing, typename Fails>
[[nodiscard]] std::vector<std::string> describe_failures(const Machine& machine, Standing&& standing,
                                                         Fails&& fails) {
  const auto& sites = machine.image().sites;
  std::vector<std::string> result;
  std::vector<bool> named(machine.thread_count());
  for (const Failure& failure : machine.failures()) {
    if (failure.is_race()) {
      result.push_back(describe_race(machine.image(), failure.race));
      continue;
    }
    if (failure.is_invariant()) {
      result.push_back(describe_invariant(sites[failure.site]));
      continue;
    }
    const Mailbox& m = standing(failure.thread);
    const bool stands = m.op == failure.op && m.site == failure.site;
    named[failure.thread] = named[failure.thread] || stands;
    result.push_back(describe_failure(failure.op, sites[failure.site], stands ? &m : nullptr));
  }
  for (ThreadId t = 0; t < machine.thread_count(); ++t) {
    const Mailbox& m = standing(t);
    if (!named[t] && fails(t)) result.push_back(describe_failure(m.op, sites[m.site], &m));
  }
  return result;
}
// The state of a thread: "finished", "waits at line 7 for m, which q holds".
[[nodiscard]] std::string thread_state(const Image& image, const std::vector<std::int64_t>& memory,
                                       const Mailbox& mailbox);
// "p waits at line 3: x == 1; q waits at line 7 for m, which p holds".
[[nodiscard]] std::string who_waits(const std::vector<ThreadEnd>& ends);

// A value with its name and symbol.
[[nodiscard]] inline NamedValue named_value(std::string name, std::int64_t value,
                                            const compiler::ValueType& type) {
  return {.name = std::move(name), .value = value, .boolean = type.boolean, .symbol = type.symbol(value)};
}

// A thread with its locals, from its block.
[[nodiscard]] ThreadEnd describe_thread(const Image& image, const std::vector<std::int64_t>& memory,
                                        ThreadId t, const std::byte* block);
// All threads of a machine (checker/interleavings/machine.hpp) with their locals and store buffers.
template <typename Machine>
[[nodiscard]] std::vector<ThreadEnd> describe_threads(Machine& machine) {
  const auto& image = machine.image();
  std::vector<ThreadEnd> ends;
  for (ThreadId t = 0; t < machine.thread_count(); ++t) {
    ThreadEnd end = describe_thread(image, machine.memory(), t, machine.threads().block(t));
    if constexpr (Machine::has_buffers) {
      for (const auto index : machine.model().owned(t)) {
        const auto& buffer = machine.model().buffer(index);
        for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
          const auto& location = image.locations[buffer.writes[i].location];
          end.buffered.push_back(named_value(location.name, buffer.writes[i].value, location.type));
        }
      }
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace heddle::checker
