// Enumerates all paths of one thread through its text, each with its events and their dependencies.
//
// The thread is interpreted from the resolved tree. A load yields a term that stands for whatever value is
// read. Where control or an address depends on a term, every alternative that some value allows is taken, and
// becomes a constraint on the reads. Two paths of a thread are therefore never possible in the same
// execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lang/tree.hpp"
#include "tests/power_oracle/terms.hpp"

namespace heddle::power_oracle {

// The program exceeds the oracle's limits.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Failures that a thread, the `final` block or a condition detects.
enum class Failure : std::uint8_t {
  assertion,
  index_out_of_bounds,
  division_by_zero,
  empty_choice,
  unlock_not_owner
};

struct PathEvent {
  bool writes = false;
  std::uint32_t location = 0;
  Term value = 0;  // written
  // Reads of the thread, as bit sets.
  Set address = 0;
  Set data = 0;
  Set control = 0;
  Set control_isync = 0;
  int read_of_pair = -1;  // for the write of a read-modify-write: its read
};

// The current values of a body's locals, as terms.
struct Environment {
  const lang::Body* body = nullptr;
  std::vector<std::vector<Term>> locals;
};

struct Path {
  enum class End : std::uint8_t {
    complete,
    failed,    // `failure` at `range`
    awaiting,  // before an await that never holds: `awaited` in `environment`
    locking,   // before a mutex that never becomes free: location `mutex`
    cut        // by an assume, a loop bound, or an await that is evaluated again later
  };
  struct Fence {
    lang::FenceKind kind = lang::FenceKind::full;
    std::size_t events = 0;  // before it
  };
  struct Constraint {
    Term holds = 0;          // must not be 0
    std::size_t events = 0;  // before it
  };
  struct Check {  // an assert
    Term holds = 0;
    std::size_t events = 0;
    std::size_t constraints = 0;
    std::size_t decisions = 0;
    lang::SourceRange range;
    std::string text;
  };

  Terms terms;
  std::vector<PathEvent> events;
  std::vector<Fence> fences;
  std::vector<Constraint> constraints;
  std::vector<Check> checks;
  Domains domains;  // by event: the values that constraints on single reads leave
  End end = End::complete;
  Failure failure = Failure::assertion;
  lang::SourceRange range;
  std::uint32_t mutex = 0;
  const lang::Expression* awaited = nullptr;
  Environment environment;
  std::vector<std::vector<Term>> locals;  // of the thread, by LocalId
  std::vector<unsigned> decisions;
  std::vector<std::size_t> decisions_before;  // by event
};

struct PathOptions {
  std::uint32_t unroll = 16;
  std::size_t most_paths = 2000;
  // To determine the possible values: operations that order nothing never stop the thread.
  bool loose = false;
};

// All paths of the thread, given the values that each location may hold.
[[nodiscard]] std::vector<Path> paths(const lang::Program& program, lang::ThreadId thread,
                                      const std::vector<Domain>& locations, const PathOptions& options);

// A failure in code that runs alone.
struct Failed {
  Failure failure;
  lang::SourceRange range;
  std::string text;
};

// Runs the `final` block. Throws Failed.
void run_final(const lang::Program& program, std::vector<std::int64_t>& memory, std::uint32_t unroll);

// Whether the condition of an await holds in memory.
[[nodiscard]] bool holds_in(const lang::Program& program, const lang::Expression& condition,
                            const lang::Body& body, const std::vector<std::vector<std::int64_t>>& locals,
                            std::vector<std::int64_t>& memory);

}  // namespace heddle::power_oracle
