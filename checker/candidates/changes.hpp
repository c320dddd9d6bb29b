// Changes of a program's fences and dependencies, judged on its candidate executions: the least that let a
// forbidden one happen, and the weakest fences that forbid those that happen.
//
// A change applies to every event and point of a candidate that comes from the changed place in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/axioms/judge.hpp"
#include "checker/candidates/candidates.hpp"

namespace heddle::checker {

struct Change {
  enum class Kind : std::uint8_t { weaken, remove, drop, add };
  Kind kind = Kind::weaken;
  axioms::PointKind before = axioms::PointKind::full;  // weaken, remove: the present fence
  axioms::PointKind after = axioms::PointKind::full;   // weaken, add: the fence after the change
  // weaken, remove: the fence's site. drop: that of the load.
  std::uint32_t site = none;
  axioms::EdgeKind dependency = axioms::EdgeKind::data;  // drop: address, data or control
  std::uint32_t to = none;     // drop: the site of the access that depends on the load
  std::uint32_t place = none;  // add: before this statement, an index into Statements::list

  bool operator==(const Change&) const = default;
};
using Changes = std::vector<Change>;

// The statements of a program, before which fences can be put.
struct Statements {
  struct Statement {
    bool loop = false;  // its condition is evaluated again without entering it
  };
  std::vector<Statement> list;
  std::vector<std::uint32_t> innermost;  // by site: the innermost statement around it, or none
  // True if the site is part of the statement.
  std::function<bool(std::uint32_t site, std::uint32_t statement)> contains;
};

// Cost of a fence, from 1: weaker ones cost less.
[[nodiscard]] std::uint32_t cost(axioms::PointKind kind);

struct ChangeLimits {
  std::size_t most_changes = 4;         // in one set
  std::uint64_t most_judged = 100'000;  // executions judged
  std::size_t most_solutions = 8;
  std::function<bool()> go_on = {};  // called now and then; false gives up
};

struct FoundChanges {
  std::vector<Changes> sets;  // all of the same, least size; the first is the best
  std::string gave_up;        // why a set may have been missed; empty: none was
};

// The least sets of changes after which one of the executions is consistent: fewest first, and of each fence
// the least weakening. Each cycle of an execution must lose an edge, so only the edges of cycles are tried.
// Empty if no change of fences and dependencies suffices.
[[nodiscard]] FoundChanges changes_that_allow(const std::vector<Candidate>& candidates, axioms::Model model,
                                              const ChangeLimits& limits);

// The weakest sets of new fences with which none of the executions is consistent: fewest first, then of least
// cost. Empty if fences before all statements do not suffice.
[[nodiscard]] FoundChanges fences_that_forbid(const std::vector<Candidate>& candidates, axioms::Model model,
                                              const Statements& statements, const ChangeLimits& limits);

}  // namespace heddle::checker
