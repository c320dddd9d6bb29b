// The lines of a trace as people read it: a library call is one line, and so are an atomic block and accesses
// in a row to all fields of one struct. Text, charts and Mermaid diagrams are written from these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heddle/details.h"
#include "heddle/heddle.h"

namespace heddle::cli {

// How a trace is shown. `details`: null for a trace as it is, one line for each step.
struct TraceView {
  const TraceDetails* details = nullptr;
  bool unfold = false;  // one line for each step nevertheless
  bool locals = false;  // also the locals that a line changes
  bool chart = false;   // columns with arrows instead of a table
};

struct TraceLine {
  std::size_t first = 0;  // indexes of steps
  std::size_t last = 0;
  std::int32_t thread = 0;  // as in Step
  StepKind kind = StepKind::load;
  std::string action;
  std::string file = {};
  std::uint32_t line = 0;
  std::string source = {};
  std::vector<NamedValue> locals = {};

  // "3", "3-9": the numbers of its steps.
  [[nodiscard]] std::string number() const;
};

// In the order of the trace. O(n log n) for n steps and variables.
[[nodiscard]] std::vector<TraceLine> lines_of(const Trace& trace, const TraceView& view);

// A thread reads what another one has written, for the first time.
struct Message {
  std::size_t line = 0;   // index of the line that reads
  std::int32_t from = 0;  // the thread that has written
  std::string text;       // "Vote{term=1, from=2}", "x = 1"; for a mutex its name
};
// In the order of their lines; one for each line and writer.
[[nodiscard]] std::vector<Message> messages_of(const Trace& trace, const std::vector<TraceLine>& lines,
                                               const TraceView& view);

// Shared variables at the end of a trace: structs of a few scalars as a whole, and of structs only what differs from
// the start. `left_out`: the number of values that are not in it.
[[nodiscard]] std::string format_memory(const Trace& trace, const TraceView& view, std::size_t& left_out);

}  // namespace heddle::cli
