// The cheapest fences that make a program correct.
//
//   auto result = heddle::find_fences(*program, {.models = {"pso", "power"}});
//   if (result && result->answer == heddle::FenceAnswer::found) std::cout << result->cost;
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// What the program should become.
enum class FenceGoal : std::uint8_t {
  safe,    // no violation
  robust,  // complete executions have no graph that SC does not allow
  expect,  // the program's `expect` lines hold, under the requested models
};

// The cost of one fence in the text, however often it is executed. At least 1.
struct FenceCosts {
  std::uint32_t full = 4;
  std::uint32_t lightweight = 2;
  std::uint32_t store_store = 1;
  std::uint32_t instruction = 1;
};

struct FenceOptions {
  std::vector<std::string> models = {"tso", "pso", "power"};  // the fences suffice under each of them
  FenceGoal goal = FenceGoal::safe;
  FenceCosts costs = {};
  // Imported modules whose fences may change, named as in `import` ("spinlock" for std.spinlock, or the name
  // of a file without its folder and ending). Empty: those of the program's own file.
  std::vector<std::string> modules = {};
  std::optional<double> timeout = {};                // seconds for everything, wall clock
  std::optional<std::uint64_t> max_executions = {};  // of each check
  std::optional<std::uint64_t> max_memory = {};      // bytes, of each check
  // Called at least ten times a second while a check runs, with the number of checks before it. Return false
  // to stop. May throw: the exception leaves find_fences().
  std::function<bool(std::uint64_t checks, const Progress&)> progress = {};
};

// A fence at a place of the text: before the statement there, or at the closing brace of a function.
struct Fence {
  FenceType kind = FenceType::full;
  std::string file = {};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string before = {};                 // the statement on one line, or "}"
  std::optional<FenceType> standing = {};  // the fence that is there now
};

// Executions that have to be excluded: each of these fences excludes one on top of those that were there when
// it was found, and any set of fences without one of them allows it. Fences that are not listed need not be
// there, all at once or one by one.
struct FenceClause {
  std::vector<Fence> one_of;
  std::string model;
  Parameters parameters = {};  // those of an expect line
  std::string reason;          // the message of the violation
};

// A file as it is with the new fences. Its format is kept.
struct ChangedFile {
  std::string name;
  std::string text;
  bool built_in = false;  // a module of the standard library, which is no file
};

enum class FenceAnswer : std::uint8_t {
  found,       // these fences suffice, and no cheaper ones do
  impossible,  // all fences together do not suffice: see FenceResult::counterexample
  undecided,   // a limit was reached: see FenceResult::stopped_by
};

struct FenceResult {
  FenceAnswer answer = FenceAnswer::undecided;
  std::vector<Fence> fences;  // found: the result, in the order of the text
  // Found: what they cost. Undecided: what sufficient fences cost at least.
  std::uint64_t cost = 0;
  std::vector<Fence> standing;  // what the files have now
  std::uint64_t standing_cost = 0;
  std::uint64_t places = 0;  // where a fence could stand
  // Every set of fences that suffices has one of each clause, and no cheaper set has.
  std::vector<FenceClause> clauses;
  // Impossible: the counterexample with all fences, or what the fences cannot change.
  std::optional<Violation> counterexample;
  std::string counterexample_model;
  bool also_under_sc = false;       // of the counterexample
  std::vector<std::string> bounds;  // one sentence for each bound that cut something: the result holds within
  std::vector<std::string> notes;   // expect lines that were left out, and why
  std::string stopped_by;
  std::uint64_t checks = 0;
  std::uint64_t executions = 0;  // complete ones, in all checks
  double seconds = 0;
  std::vector<ChangedFile> changed;  // found: the files that differ from what they are now
};

// Treats all fences of the files as removed, and finds the cheapest set of fences that reaches the goal under
// every model in `options.models`, with the program's bounds. Places are: where a fence stands; before each
// statement with a visible operation and before each `return`; the end of each function. Fences under
// conditions that are constantly false stay as they are. Among sets of the same cost it prefers one with few
// changes. Alternates between proposing a cheapest set and checking it: one check for each counterexample,
// and a proof at the end; exponential in the worst case, so limit it by `timeout`. Errors: unknown models or
// modules, a litmus test, costs of 0. Thread-safe.
Result<FenceResult> find_fences(const Program& program, const FenceOptions& options = {});

// True if `a` orders all that `b` orders, under every model.
[[nodiscard]] bool covers(FenceType a, FenceType b);

[[nodiscard]] std::string_view name(FenceGoal goal);      // "safe", "robust", "expect"
[[nodiscard]] std::string_view name(FenceAnswer answer);  // "found", "impossible", "undecided"
// "fence", "fence lw", "fence st", "fence isync".
[[nodiscard]] std::string_view name(FenceType kind);

}  // namespace heddle
