// What a thread saw when it last evaluated the `await` at which it stands.
//
// A daemon may wait for ever. Its wait belongs to a complete execution if it has seen that there is nothing to
// do: if each read of its last evaluation has seen the last write of its location. An evaluation that came too
// early belongs to an execution that has not ended. A wait at an `either` counts only in the first alternative: if
// a thread can take none, it does not matter which one it has chosen. So each final state has one execution in
// which a daemon waits for one reason, in whatever order the algorithm explores.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/state/step.hpp"

namespace heddle::checker {

// Of the request at which a thread has stopped (Op::await_failed): false if it is in another alternative of an `either`.
template <typename Request>
[[nodiscard]] bool waits_in_first_alternative(const Request& request) {
  return (request.expected & compiler::in_later_alternative) == 0;
}

// A read of a thread: what memory held, and whether no other write to the location came later.
struct Look {
  Location location = none;
  std::int64_t value = 0;
  bool saw_last_write = false;
};

// How many reads the last evaluation has: the fewest newest reads that, in their order, make the condition false; 0
// if it is false without any (`await false`, or a condition on locals); nothing if no reads of the thread make it
// false. `read_at(i)`: the thread's read before its `i` newest ones; location `none` if there is none. `holds(read)`
// evaluates the condition once with `read(location)`. O(result squared).
template <typename ReadAt, typename Holds>
[[nodiscard]] std::optional<std::uint32_t> reads_of_last_look(ReadAt&& read_at, Holds&& holds) {
  for (std::uint32_t count = 0; count == 0 || read_at(count - 1).location != none; ++count) {
    std::uint32_t left = count;
    bool same = true;
    const bool held = holds([&](Location location) -> std::int64_t {
      const Look look = left == 0 ? Look{} : read_at(--left);
      same = same && look.location == location;
      return look.value;
    });
    if (!held && same && left == 0) return count;
  }
  return std::nullopt;
}

// True if all of these reads saw the last writes.
template <typename ReadAt, typename Holds>
[[nodiscard]] bool last_look_saw_last_writes(ReadAt&& read_at, Holds&& holds) {
  const std::optional<std::uint32_t> count = reads_of_last_look(read_at, holds);
  for (std::uint32_t i = 0; i < count.value_or(0); ++i) {
    if (!read_at(i).saw_last_write) return false;
  }
  return count.has_value();
}

}  // namespace heddle::checker
