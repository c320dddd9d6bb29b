// Data races of programs that run as interleavings: two threads are about to make conflicting accesses to a
// plain location. An access is *pending* if it is its thread's next operation, or a store in a buffer.
//
// This is the definition of data_races.hpp in another form. If two accesses are pending at the same time,
// neither happens before the other: what happens after a load or a store (a buffered one: in other threads)
// has not happened yet. If neither happens before the other in an execution, all that happens before one of
// them is a run by itself, after which both are pending: models with store buffers, and SC, are closed under
// such prefixes.
//
// Explorations that leave out interleavings still come to a state in which both are pending. Let s be a
// visited state from which a run w leads to one, and let p be a process that the search takes at s and that w
// needs first (or that commutes with w and both accesses). The state after p is visited, too, and is nearer,
// because w without p leads on from there. A search cannot avoid all such p: the two accesses depend on each
// other, so after w it has to take them in both orders, and if it takes both at s itself, with nothing of w to
// be done before, both are pending at s. A process that sleeps at s was taken at an ancestor, from where the
// same holds. Nor does it matter in which way a known state was reached.
#pragma once

#include "checker/state/step.hpp"

namespace heddle::checker {

// Calls `visit(race)` for the pairs of a pending access of `thread` and one of another thread that
// `partner(other)` accepts. Of the thread's buffered stores only the newest `newest` count. O(threads, plus
// buffered stores).
template <typename Machine, typename Partner, typename Visit>
void for_each_pending_race(Machine& machine, ThreadId thread, std::uint32_t newest, Partner&& partner,
                           Visit&& visit) {
  const auto& locations = machine.image().locations;
  const auto for_each_access = [&](ThreadId t, std::uint32_t stores, auto&& access) {
    const Mailbox& m = machine.threads().mailbox(t);
    if ((m.op == Op::load || m.op == Op::store) && locations[m.location].is_plain)
      access(m.location, RacingAccess{t, m.site, m.op == Op::store});
    if constexpr (Machine::has_buffers) {
      auto& model = machine.model();
      const auto entered = model.entered(t);
      for (const auto index : model.owned(t)) {
        const auto& buffer = model.buffer(index);
        for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
          const auto& write = buffer.writes[i];
          if (locations[write.location].is_plain && entered - write.sequence <= stores)
            access(write.location, RacingAccess{t, write.site, true});
        }
      }
    }
  };
  for_each_access(thread, newest, [&](Location location, const RacingAccess& own) {
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      if (t == thread || !partner(t)) continue;
      for_each_access(t, none, [&](Location other, const RacingAccess& access) {
        if (other == location && (own.writes || access.writes)) visit(make_race(location, own, access));
      });
    }
  });
}

}  // namespace heddle::checker
