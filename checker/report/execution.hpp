// The execution of a trace, written out for the axioms (checker/axioms/).
#pragma once

#include <string>
#include <vector>

#include "checker/axioms/execution.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

struct TracedExecution {
  // The tag of an event is the index of its step in Trace::steps. That of a fence is the index of its own step;
  // in traces in commit order and of implicit fences that of the step after it. That of a branch is the index
  // of the first step that depends on it.
  axioms::Execution execution;
  std::vector<std::string> locations;  // names, by number
};

// Stores that are still buffered at the end reach memory after it, thread by thread. Under models with store
// buffers there are no dependencies and no branches. In traces in commit order a branch stands directly before
// the first event that depends on it, after the fences there, unless an isync is known to follow it. The
// `final` block and choices are no events. O(n^2) for n steps.
[[nodiscard]] TracedExecution execution_of(const Trace& trace);

}  // namespace heddle::checker
