// All ways that one thread can take through its text, each with its events and their dependencies.
//
// The thread is interpreted from the resolved tree. A load gives a term that stands for whatever is read; where
// the way depends on it, at a branch or an address, every way that some value allows is taken, and what the
// reads must be for it is a constraint. So two paths of a thread never meet in one execution.
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

// The program is larger than the oracle wants to look at.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a thread, the `final` block or a condition finds wrong.
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
  // Reads of the thread, as bits.
  Set address = 0;
  Set data = 0;
  Set control = 0;
  Set control_isync = 0;
  int read_of_pair = -1;  // the write of a read-modify-write: its read
};

// The locals of a body in force, as terms.
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
    cut        // by an assume, a loop bound, an await that is evaluated again later
  };
  struct Fence {
    lang::FenceKind kind = lang::FenceKind::full;
    std::size_t events = 0;  // before it
  };
  struct Constraint {
    Term holds = 0;          // is not 0
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
  Domains domains;  // by event; what is left of them after the constraints on single reads
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
  // To find out which values there are: whatever orders nothing stops nobody.
  bool loose = false;
};

// All paths of the thread if each location may hold these values.
[[nodiscard]] std::vector<Path> paths(const lang::Program& program, lang::ThreadId thread,
                                      const std::vector<Domain>& locations, const PathOptions& options);

// What went wrong in code that runs alone.
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
