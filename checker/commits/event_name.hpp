// The names of events in the commit machines (commit_machine.hpp), and the limits of these machines.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "checker/state/step.hpp"

namespace heddle::checker {

// An event by its place in the program: the same in every run in which the thread gets there the same way.
struct EventName {
  ThreadId thread = none;   // none: an initial write
  std::uint32_t index = 0;  // counts all requests of the thread
  friend auto operator<=>(const EventName&, const EventName&) = default;
};

inline constexpr std::string_view power_model = "power";

// The reasons why a search, or a run at the prompt, stops for lack of room.
inline constexpr std::string_view too_long_graph = "an execution of more than 16,000 events";
inline constexpr std::string_view too_many_events = "a thread with more than 10,000 events in one execution";
inline constexpr std::string_view too_many_requests =
    "a thread that asks for more than 65,536 things in one execution";

// The parameter with which the write of a read-modify-write is left out of the run (PowerMachine), and its
// name.
inline constexpr std::int64_t dropped = -0x7fffffff;
inline constexpr EventName dropped_name{.thread = none, .index = 1};

// Names as the `value` of a Choice of type `commit`; -1 is an initial write, -2 `dropped`.
[[nodiscard]] constexpr std::int64_t encoded(EventName name) {
  return name.thread == none ? -1 - std::int64_t{name.index}
                             : static_cast<std::int64_t>(std::uint64_t{name.thread} << 32U | name.index);
}
[[nodiscard]] constexpr EventName decoded(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? EventName{none, static_cast<std::uint32_t>(-1 - value)}
                   : EventName{static_cast<ThreadId>(bits >> 32U), static_cast<std::uint32_t>(bits)};
}

}  // namespace heddle::checker
