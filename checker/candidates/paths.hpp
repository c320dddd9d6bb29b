// What each thread can do by itself, whatever the others do: all paths through its compiled code, each load
// with every value that something may have written to the location.
//
// This is the first half of herd's way to candidate executions (Alglave, Maranget, Tautschnig, "Herding cats",
// TOPLAS 2014, section 8); candidates.hpp has the second. Where herd solves equations over symbolic values, the
// values are found as a fixpoint here: those that the threads write with the values known so far, until none
// is new. A value that is part of an execution is computed through a chain of different writes, so there are
// no more rounds than an execution has writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/axioms/execution.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// An access of a path. A read-modify-write or a mutex operation is one.
struct PathAccess {
  Op op = Op::load;
  Location location = 0;
  std::uint32_t site = 0;
  bool reads = false;
  bool writes = false;
  std::int64_t read = 0;  // the value in memory, of mutex operations, too
  std::int64_t written = 0;
  std::uint64_t address = 0;  // masks of loads, by bit
  std::uint64_t data = 0;     // operands of what it writes
};

// A fence or a branch between accesses.
struct PathPoint {
  // The number of accesses before it; `inside`: it is between the two halves of the access there.
  std::uint32_t position = 0;
  bool inside = false;
  axioms::PointKind kind = axioms::PointKind::full;
  bool implicit = false;    // part of a mutex operation
  std::uint64_t reads = 0;  // of a branch: mask of loads
  std::uint32_t site = none;
};

// A complete path: from the thread's start to its end.
struct Path {
  std::vector<PathAccess> accesses;
  std::vector<PathPoint> points;
  std::vector<std::uint32_t> loads;  // the access of each bit of the masks
  std::vector<std::byte> block;      // at the end, for the values of locals
};

struct PathLimits {
  std::uint64_t most_reads = 2'000'000;  // values tried in one thread, also on paths that end early
  std::size_t most_paths = 20'000;       // of one thread
  std::size_t most_values = 1'000;       // of one location
  std::size_t most_accesses = 1'000;     // of one path
  // Called now and then; false gives up.
  std::function<bool()> go_on = {};
};

struct Paths {
  std::vector<std::vector<Path>> threads;
  // If a thread reached a bound on the rounds of a loop, some paths are not listed: the site of the loop,
  // else `none`.
  std::uint32_t cut = none;
  std::string gave_up;  // the limit that was too small; empty: all paths are listed
};

// The paths of all threads of an image whose threads run ahead of their loads. Threads continue after failed
// assertions; paths that end elsewhere than at the thread's end are not part of a complete execution and left
// out. Exponential in the number of loads.
[[nodiscard]] Paths paths_of(const Image& image, const PathLimits& limits);

}  // namespace heddle::checker
