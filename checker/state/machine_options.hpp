// What every machine is told besides the program.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace heddle::checker {

class Sharing;

struct MachineOptions {
  std::optional<std::uint32_t> buffer_bound;           // of store buffers: entries; unbounded if not set
  std::optional<std::uint32_t> preemption_bound = {};  // of machines that count preemptions
  bool report_beyond_bound = false;                    // violations that need more preemptions count, too
  // Of machines of interleavings: a thread takes an operation of an await only where that does not stop it.
  bool awaits_hold = false;
  // The same of a load before an assumption.
  bool assumptions_hold = false;
  // Of machines of interleavings, with `awaits_hold`: a thread chooses an alternative of an `either` only where it can pass the first
  // operation of its guard.
  bool choices_wait = false;
  bool daemons_choose_first = false;  // but not daemons
  // With `choices_wait`: which locations no thread but the one at a choice writes (sharing.hpp). It outlives the machine.
  Sharing* sharing_of_guards = nullptr;
  // Of machines of interleavings: a daemon's wait ends a run only if its last look came last (last_look.hpp).
  // Otherwise whenever it looked: for users, and for searches that do not tell the ways to a state apart.
  bool daemons_look_last = false;
  // Of machines of interleavings: a thread that stores more often than this without another operation in between
  // may do so for ever. The machine then throws StoresForEver and cannot be used any more.
  std::uint32_t most_stores_in_a_step = std::numeric_limits<std::uint32_t>::max();
  // Of machines of interleavings: if set, a thread makes operations on locations of its own as part of the transition before
  // (sharing.hpp). It outlives the machine.
  Sharing* sharing = nullptr;
  // Of machines whose runs represent those that a permutation of equal threads makes of them (twins.hpp): by
  // thread, the one before it in its class, or `none`. Empty: no two threads are equal.
  std::span<const std::uint32_t> twins = {};
  bool resume_after_assert = false;  // a failed assertion is noted (`failures`) and the thread continues
};

struct StoresForEver {
  std::uint32_t thread = 0;
};

}  // namespace heddle::checker
