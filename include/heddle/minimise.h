// The shortest way to a violation.
//
//   auto shorter = heddle::minimise(*program, options, *result->violation);
//   if (shorter && shorter->shortest) std::cout << shorter->violation.trace.steps.size();
#pragma once

#include <cstdint>
#include <string>

#include "heddle/heddle.h"

namespace heddle {

struct Minimised {
  Violation violation;            // the one that was given, if nothing shorter was found
  Witness witness;                // the same, where a witness was given
  bool shortest = false;          // true: there is none with fewer transitions, or as few and fewer switches
  std::string stopped_by;         // not `shortest`: "timeout", "memory limit", "interrupted"
  std::uint64_t transitions = 0;  // of the trace
  std::uint64_t switches = 0;     // times that another thread than the one before takes a transition
  std::uint64_t states = 0;       // states that the search met
  double seconds = 0;
};

// Looks for a trace that shows the same violation (kind and place) in the fewest transitions, and of these in
// one with the fewest context switches; flushes of store buffers are transitions but no switches. Under POWER
// a transition is a commit, and only traces no longer than the given one are looked at. The space
// is that of a check with these options: its model, its bounds. The search is breadth-first over states, so
// it takes time and memory in proportion to the states that are nearer than the violation; `timeout`
// (default: 60 s), `max_memory` (default: 2 GiB) and `progress` of the options limit it. Error: a model
// without an operational machine.
Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Violation& violation);
// The same for an execution that satisfies an `exists`. Error: a witness of something else.
Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Witness& witness);

}  // namespace heddle
