// Turns a run of POWER's commit machine into what users read: committed events as steps of a trace with their
// relations (heddle::Commit), and threads that have run ahead of their loads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/commits/power_machine.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

// Reports are made once, so one width serves all.
using ReportMachine = PowerMachine<growing>;

// The machine's step at this depth. O(requests of its thread).
[[nodiscard]] heddle::Step describe_commit(const ReportMachine& machine, std::uint32_t depth);
[[nodiscard]] std::vector<heddle::Step> describe_commits(const ReportMachine& machine);

// A write: "p line 3", "p line 3 po 7" if the line has several, or "initial".
[[nodiscard]] std::string write_name(const ReportMachine& machine, EventId write);

// The threads with their locals; brings their blocks up to date. `memory`: the newest value of each location.
[[nodiscard]] std::vector<ThreadEnd> describe_ahead_threads(ReportMachine& machine,
                                                            const std::vector<std::int64_t>& memory);

// The loads of the mask that have no value: "the loads on lines 3 and 4".
[[nodiscard]] std::string missing_loads(const ReportMachine& machine, ThreadId t, LoadSet loads);

}  // namespace heddle::checker
