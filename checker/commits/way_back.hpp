// From a write back through what it follows: to the newest write of its location among some *earlier* events and those
// that are cb-before it, from there in the same way, and so on to the first earlier one. By this way trust and rsmc tell the
// executions apart in which a read waits (docs/algorithms.md, "Waiting in graphs").
#pragma once

#include "checker/commits/commit_machine.hpp"
#include "checker/commits/event_name.hpp"

namespace heddle::checker {

// Whether `found(write)` holds for a write on the way, without the first and with the last one. `write`: where the way
// begins, not earlier; no_event: a write that is not in the run. `prefix`: what is cb-before it; `newest`: the newest write of the
// location; `earlier(write)`: true for initial writes. O(writes of the location) for each write on the way.
template <CommitMachine Machine, typename Earlier, typename Found>
[[nodiscard]] bool any_on_way_back(const Machine& machine, EventId newest, EventId write,
                                   const typename Machine::Set& prefix, Earlier&& earlier, Found&& found) {
  for (const auto* before = &prefix;; before = &machine.committed_before(write)) {
    EventId previous = newest;
    while (previous == write || (!earlier(previous) && !before->contains(static_cast<ProcessId>(previous))))
      previous = static_cast<EventId>(machine.older(previous));
    if (found(previous)) return true;
    if (earlier(previous)) return false;
    write = previous;
  }
}

// A read that waits since the write `mark`, at a position that has the earlier events before it: whether it belongs to
// executions in which it reads from this write. The other parameters are those of any_on_way_back; `write` may be earlier.
template <CommitMachine Machine, typename Earlier>
[[nodiscard]] bool follows(const Machine& machine, EventId mark, EventId newest, EventId write,
                           const typename Machine::Set& prefix, Earlier&& earlier) {
  if (write != no_event && earlier(write)) return false;
  return any_on_way_back(machine, newest, write, prefix, earlier, [&](EventId e) { return e == mark; });
}

// Whether such a read, still waiting, has looked at every write that is left without the deleted events: the newest of them
// is the mark, or the read would have to continue from there.
template <CommitMachine Machine, typename Set, typename Earlier>
[[nodiscard]] bool is_maximal_mark(const Machine& machine, EventId mark, EventId newest, const Set& deleted,
                                   Earlier&& earlier) {
  EventId left = newest;
  while (!is_initial(left) && deleted.contains(static_cast<ProcessId>(left)))
    left = static_cast<EventId>(machine.older(left));
  if (left == mark) return true;
  return !is_initial(left) && follows(machine, mark, newest, left, machine.committed_before(left), earlier);
}

}  // namespace heddle::checker
