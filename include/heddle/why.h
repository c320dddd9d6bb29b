// Why a final state is forbidden, or how it comes about.
//
//   auto answer = heddle::why(*program, "p.a == 0 && q.b == 0", {.model = "tso"});
//   if (answer && !answer->allowed) show(answer->executions.front().cycle);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

struct WhyOptions {
  std::string model = "sc";              // a name of models()
  std::uint64_t most_executions = 1000;  // to be returned; further ones are only counted
  double timeout = 10;                   // seconds, wall clock
  // Called now and then. Return false to give up.
  std::function<bool()> go_on = {};
};

using WhyEdge = CycleEdge;  // between two steps of WhyExecution::trace

// A candidate execution that satisfies the condition.
struct WhyExecution {
  // Thread by thread in program order, in commit order's form (Step::commit has all relations), under every
  // model. graph_of() makes its graph.
  Trace trace;
  // Empty: the model allows it. Otherwise a shortest of the cycles that exclude it.
  std::vector<WhyEdge> cycle = {};
  // What excludes it: "coherence", "atomicity", "order", "no thin air", "observation", "propagation".
  std::string axiom = {};
};

enum class WhyChangeKind : std::uint8_t {
  weaken_fence,
  remove_fence,
  drop_dependency,
  add_fence,
};

struct WhyChange {
  WhyChangeKind kind = WhyChangeKind::add_fence;
  FenceType fence = FenceType::full;   // weaken, add: the one that is there afterwards; remove: before
  FenceType before = FenceType::full;  // weaken: the one before
  std::string dependency = {};         // drop: "addr", "data", "ctrl"
  // The fence; drop: the load; add: the statement after the new fence.
  std::string file = {};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source = {};
  // drop: the access that depends on the load.
  std::uint32_t to_line = 0;
  std::string to_source = {};
  std::string text = {};  // all of it as one phrase
};

struct Why {
  bool allowed = false;
  std::string model;
  std::string condition = {};    // as it was judged
  std::uint64_t candidates = 0;  // executions with values that satisfy the condition
  std::uint64_t consistent = 0;  // how many of these the model allows
  // Why the candidates are not complete: "timeout", "too many ...". If nothing is allowed, nothing is decided.
  std::string stopped_by = {};
  std::vector<std::string> bounds = {};  // one sentence for each bound that left out executions
  // Forbidden: the candidates, shortest cycles first. Allowed: those that the model allows. Empty if no
  // execution can have such values, whatever the model allows.
  std::vector<WhyExecution> executions = {};
  // Forbidden: the least sets of changes, one of which would allow it. Allowed: the weakest sets of fences,
  // one of which would forbid it. Empty: there are none, or see `changes_note`.
  std::vector<std::vector<WhyChange>> changes = {};
  std::string changes_note = {};  // why there are no changes, or why there may be better ones; may be empty
  std::vector<std::string> allowed_by = {};  // forbidden: the models that allow a candidate
  double seconds = 0;
  [[nodiscard]] bool decided() const { return allowed || stopped_by.empty(); }
};

// Enumerates the complete executions that satisfy the condition, as "Herding cats" (TOPLAS 2014, section 8) does:
// all paths of each thread with all values that its loads may read, all sources and coherence orders; judges
// each by the model's axioms. `condition` is written as after `exists`, of a litmus test as there. Empty: the
// program's own, if it has one. Errors: an unknown model, a wrong condition. Exponential in the number of
// accesses: for programs of litmus tests' size. Thread-safe.
Result<Why> why(const Program& program, const std::string& condition, const WhyOptions& options = {});

}  // namespace heddle
