// From a write back through what it follows: to the newest write of its location among some *earlier* events and those
// that are cb-before it, from there in the same way, and so on to the first earlier one. By this way trust and rsmc tell the
// executions apart in which a read waits (docs/algorithms.md, "Waiting in graphs").
#pragma once

#include <concepts>

#include "checker/commits/event_name.hpp"
#include "checker/state/event.hpp"

namespace heddle::checker {

// What is needed of a run, as CommitMachine has it.
template <typename R>
concept HasWayBack = requires(const R& run, EventId id) {
  { run.older(id) } -> std::convertible_to<EventId>;
  { run.committed_before(id) } -> std::convertible_to<typename R::Set>;
  { run.first_event(run.step_of(id)) } -> std::same_as<ProcessId>;
};

// Whether `found(write)` holds for a write on the way, without the first and with the last one. `write`: where the way
// begins, not earlier; `newest`: the newest write of the location; `earlier(write)`: true for initial writes. O(writes of
// the location) for each write on the way.
template <HasWayBack Run, typename Earlier, typename Found>
[[nodiscard]] bool any_on_way_back(const Run& run, EventId newest, EventId write, Earlier&& earlier,
                                   Found&& found) {
  for (;;) {
    const auto& before = run.committed_before(write);
    // (A step that has two events is committed as a whole: the write of an update stays where its read does.)
    const auto stays = [&](EventId e) { return before.contains(run.first_event(run.step_of(e))); };
    EventId previous = newest;
    while (previous == write || (!earlier(previous) && !stays(previous)))
      previous = static_cast<EventId>(run.older(previous));
    if (found(previous)) return true;
    if (earlier(previous)) return false;
    write = previous;
  }
}

// A read that waits since the write `mark`, at a position that has the earlier events before it: whether it belongs to
// executions in which it reads from this write. The other parameters are those of any_on_way_back; `write` may be earlier.
template <HasWayBack Run, typename Earlier>
[[nodiscard]] bool follows(const Run& run, EventId mark, EventId newest, EventId write, Earlier&& earlier) {
  return !earlier(write) &&
         any_on_way_back(run, newest, write, earlier, [&](EventId e) { return e == mark; });
}

// Whether such a read, still waiting, has looked at every write that is left without the deleted events: the newest of them
// is the mark, or the read would have to continue from there.
template <HasWayBack Run, typename Set, typename Earlier>
[[nodiscard]] bool is_maximal_mark(const Run& run, EventId mark, EventId newest, const Set& deleted,
                                   Earlier&& earlier) {
  EventId left = newest;
  while (!is_initial(left) && deleted.contains(static_cast<ProcessId>(left)))
    left = static_cast<EventId>(run.older(left));
  if (left == mark) return true;
  return follows(run, mark, newest, left, earlier);
}

}  // namespace heddle::checker
