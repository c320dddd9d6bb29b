// What happened in one run, in order: the raw rows of a trace, before names and source text are added.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

enum class RowType : std::uint8_t { operation, buffered, flush, fence, choice, failure };

struct Row {
  RowType type = RowType::operation;
  Op op = Op::load;
  bool reads = false;
  bool writes = false;
  Fence fence = Fence::full;  // of fences
  bool in_final = false;      // an operation of the `final` block, which has no thread
  InBlock block = InBlock::no;
  ThreadId thread = 0;
  Location location = none;
  std::uint32_t site = 0;
  std::int64_t read = 0;
  std::int64_t written = 0;
};

using Rows = std::vector<Row>;

// One transition of a schedule; a list of them replays a run on any machine of the model (Machine::follow).
// Flushes are named by thread and location, since machines number their store buffers differently.
struct Choice {
  StepType type = StepType::operation;
  ThreadId thread = 0;
  Location location = none;  // flush: of the oldest entry in the buffer
  std::int64_t value = 0;    // choice: the value that `choose` gives; retry: the thread's answer

  bool operator==(const Choice&) const = default;
};
using Schedule = std::vector<Choice>;

}  // namespace heddle::checker
