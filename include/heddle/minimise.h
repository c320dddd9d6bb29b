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
  Violation violation;            // the given one, if the search found nothing shorter
  Witness witness;                // likewise, if a witness was given
  bool shortest = false;          // none has fewer transitions, or as few transitions and fewer switches
  std::string stopped_by;         // not `shortest`: "timeout", "memory limit", "interrupted"
  std::uint64_t transitions = 0;  // of the trace
  std::uint64_t switches = 0;     // context switches of the trace
  std::uint64_t states = 0;       // states that the search met
  double seconds = 0;             // wall clock
};

// Finds a trace of the same violation (kind and place) with the fewest transitions, and among these the
// fewest context switches; flushes of store buffers are transitions but no switches. Under out-of-order
// models a transition is a commit, and traces longer than the given one are not considered. The space is that
// of a check with these options: its model, its bounds. The search is breadth-first over states, so time and
// memory are proportional to the number of states nearer than the violation; `timeout` (default: 60 s),
// `max_memory` (default: 2 GiB) and `progress` of the options limit it. Errors: an unknown model; the
// violation does not occur in the space of these options. Thread-safe.
Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Violation& violation);
// The same for an execution that satisfies an `exists`. Errors also: a witness of something else.
Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Witness& witness);

}  // namespace heddle
