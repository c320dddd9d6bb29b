// What the derived execution models (paper 2, section 2) have in common.
//
// A machine of such a model, PowerMachine or GraphMachine, is a trace of committed events and a set of fetched
// ones. See PowerMachine for what it offers.
#pragma once

#include <compare>
#include <cstdint>

#include "checker/execution/step.hpp"

namespace heddle::checker {

// An event by its place in the program: the same in every run in which the thread gets there the same way.
struct EventName {
  ThreadId thread = none;  // none: an initial write
  std::uint32_t index = 0;  // counts all that the thread has asked for
  friend auto operator<=>(const EventName&, const EventName&) = default;
};

}  // namespace heddle::checker
