// What identifies an event of an execution graph, and the kinds of events.
#pragma once

#include <cstdint>

namespace heddle::checker {

// Small and reused; negative for the initial write of a location.
using EventId = std::int32_t;
inline constexpr EventId no_event = 0x7fffffff;
[[nodiscard]] constexpr bool is_initial(EventId id) { return id < 0; }

enum class EventKind : std::uint8_t {
  read,
  write,
  update,    // a successful read-modify-write, lock or trylock
  choice,    // `choose`; no memory access
  deferral,  // a lock that waits for the one it reads from (trust); orders nothing
  probe,     // the choice of a probe (guards.hpp); orders nothing
};

// What a thread of an execution graph is up to.
enum class ThreadState : std::uint8_t {
  ready,     // its next operation can be added
  waiting,   // for a mutex
  awaiting,  // its next read may stop it at once, so it waits for a value that does not
  stuck,     // for good in this graph: an assumption, an await, the loop bound, a violation
  finished,
};

}  // namespace heddle::checker
