// Data races: under one model every algorithm must find the same races, whatever executions it leaves out,
// and explore exactly what it explores without the word `plain`. The oracle has the definition of C11: an
// execution is racy if happens-before, (order | rfe)+ with reads-from of variables that are not plain, leaves
// two conflicting accesses unordered.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/axioms/judge.hpp"
#include "checker/report/execution.hpp"
#include "generate.hpp"
#include "heddle/machine.h"
#include "plain_programs.hpp"
#include "tests/every_pair.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t most_traces = 1500;

struct Totals {
  std::uint64_t racy = 0;
  std::uint64_t free = 0;
  std::uint64_t judged = 0;  // by the oracle
};
Totals totals;

Result<Program> compile(const std::string& text) {
  CompileOptions options;
  options.unroll = spin_rounds;
  return Program::from_source(text, "random.hed", options);
}

std::string text_of(const RacingAccess& access) {
  return access.thread + ":" + std::to_string(access.line) + ":" + std::to_string(access.column);
}

std::string join(const std::set<std::string>& races) {
  std::string text;
  for (const auto& race : races) text += "    " + race + "\n";
  return text;
}

std::set<std::string> races_of(const CheckResult& result) {
  std::set<std::string> races;
  for (const Violation& violation : result.violations) {
    if (violation.kind == ViolationKind::data_race)
      races.insert(text_of(violation.race[0]) + " / " + text_of(violation.race[1]));
  }
  return races;
}

// The order that the model keeps between two events of a thread, straight from memory-models.md.
bool kept(const axioms::Execution& execution, axioms::Model model, std::size_t a, std::size_t b,
          const std::vector<std::uint32_t>& position) {
  const auto& first = execution.events[a];
  const auto& second = execution.events[b];
  if (first.thread != second.thread || position[a] >= position[b]) return false;
  if (model == axioms::Model::sc || !first.writes || first.locked || second.locked) return true;
  const auto fenced = [&](bool full) {
    return std::any_of(execution.points.begin(), execution.points.end(), [&](const axioms::Point& point) {
      const bool strong = point.kind == axioms::PointKind::full;
      const bool keeps_stores = strong || point.kind == axioms::PointKind::lightweight ||
                                point.kind == axioms::PointKind::store_store;
      return point.thread == first.thread && point.position > position[a] && point.position <= position[b] &&
             (full ? strong : keeps_stores);
    });
  };
  if (!second.writes) return fenced(true);
  return model == axioms::Model::tso || first.location == second.location || fenced(false);
}

struct PlainExecution {
  const axioms::Execution& execution;
  std::vector<bool> plain;  // by location
};

bool is_racy(const PlainExecution& traced, axioms::Model model) {
  const auto& events = traced.execution.events;
  const std::size_t count = events.size();
  std::vector<std::uint32_t> position(count);
  for (std::size_t i = 1; i < count; ++i)
    position[i] = events[i].thread == events[i - 1].thread ? position[i - 1] + 1 : 0;
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const bool reads_from = !events[b].writes && events[b].source == a &&
                              events[a].thread != events[b].thread && !traced.plain[events[a].location];
      before[a][b] = kept(traced.execution, model, a, b, position) || reads_from;
    }
  }
  for (std::size_t middle = 0; middle < count; ++middle) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; before[a][middle] && b < count; ++b)
        before[a][b] = before[a][b] || before[middle][b];
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (events[a].location == events[b].location && traced.plain[events[a].location] &&
          events[a].thread != events[b].thread && (events[a].writes || events[b].writes) && !before[a][b] &&
          !before[b][a])
        return true;
    }
  }
  return false;
}

// Looks at the complete executions that continue the one of the machine.
class RacyExecutions {
 public:
  RacyExecutions(Machine& machine, const compiler::Image& image, const axioms::Model& model)
      : machine_(machine), image_(image), model_(model) {}

  // Whether one of them is racy. Stops at the first one, and if there are too many.
  bool exist() {
    if (machine_.transitions().empty()) {
      ++ends_;
      return complete() && racy();
    }
    for (std::size_t i = 0; i < machine_.transitions().size() && !too_many(); ++i) {
      REQUIRE(machine_.step(i));
      const bool found = exist();
      machine_.back();
      if (found) return true;
    }
    return false;
  }
  [[nodiscard]] bool too_many() const { return ends_ > most_traces; }

 private:
  // Also if something was violated on the way or by the end.
  [[nodiscard]] bool complete() const {
    const auto threads = machine_.state().threads;
    return std::all_of(threads.begin(), threads.end(),
                       [](const ThreadEnd& end) { return end.state == "finished"; });
  }
  [[nodiscard]] bool racy() const {
    const auto traced = checker::execution_of(machine_.trace());
    PlainExecution execution{traced.execution, {}};
    for (const std::string& name : traced.locations) {
      const auto location = std::find_if(image_.locations.begin(), image_.locations.end(),
                                         [&](const auto& each) { return each.name == name; });
      execution.plain.push_back(location->is_plain);
    }
    return is_racy(execution, model_);
  }

  Machine& machine_;
  const compiler::Image& image_;
  axioms::Model model_;
  std::uint64_t ends_ = 0;
};

// Whether some complete execution is racy; nothing if there are too many.
std::optional<bool> has_racy_execution(const Program& program, const std::string& model) {
  auto machine = Machine::start(program, {.model = model, .resume_after_assert = true});
  REQUIRE(machine);
  RacyExecutions executions(*machine, *state_of(program).image(false), *axioms::model_named(model));
  if (executions.exist()) return true;
  if (executions.too_many()) return std::nullopt;
  return false;
}

// Whether there may be executions that are not complete, of which the oracle knows nothing.
bool loses_executions(const CheckResult& result) {
  const Counts& counts = result.counts;
  return counts.blocked_assume + counts.blocked_await + counts.blocked_loop_bound > 0 ||
         std::any_of(result.violations.begin(), result.violations.end(), [](const Violation& violation) {
           return violation.kind != ViolationKind::data_race && violation.kind != ViolationKind::assertion;
         });
}

// `waits`: a thread may look at a plain variable that it waits for too early, which is a run of its own. (Under `power`, `sdpor`
// ends paths at known states only without plain variables.)
std::string same_exploration(const CheckResult& with, const CheckResult& without, bool waits) {
  const Counts& a = with.counts;
  const Counts& b = without.counts;
  if (with.model == "power" && with.algorithm == "sdpor")
    return b.executions <= a.executions ? "" : "completes more than without `plain`\n";
  const bool same_runs =
      a.transitions == b.transitions && a.runs == b.runs && a.states == b.states && a.revisits == b.revisits;
  const bool same = a.executions == b.executions && (waits || same_runs);
  return same ? "" : "explores something else than without `plain`\n";
}

Finding races_agree(const Program& original, const std::string& model, bool many) {
  const std::string text = with_plain_variables(original, many);
  const auto program = compile(text);
  if (!program) return {.difference = "does not compile: " + program.error().front().text + text};
  const bool waits = text.find("await") != std::string::npos || text.find("assume") != std::string::npos ||
                     text.find("while") != std::string::npos;
  std::optional<std::set<std::string>> expected;
  bool incomplete = false;
  for (const auto& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    if (algorithm.runs_endless || !why_not(model, name).empty()) continue;
    CheckOptions options{.model = model, .algorithm = name, .timeout = 5, .keep_going = true};
    options.symmetry = false;  // else one race stands for those of equal threads
    const auto with = check(*program, options);
    const auto without = check(original, options);
    if (!with) return {.difference = name + ": " + with.error().front().message + "\n" + text};
    if (!with->stopped_by.empty() || !without->stopped_by.empty()) return {.skipped = true, .difference = {}};
    const auto races = races_of(*with);
    if (!expected) expected = races;
    const std::string difference = same_exploration(*with, *without, waits);
    if (!difference.empty()) return {.difference = name + " " + difference + text};
    if (races != *expected) {
      return {.difference = name + " under " + model + " finds the races\n" + join(races) + "  not\n" +
                            join(*expected) + text};
    }
    incomplete = incomplete || loses_executions(*with);
  }
  ++(expected->empty() ? totals.free : totals.racy);
  if (model == "power") return {};
  const auto racy = has_racy_execution(*program, model);
  if (!racy) return {};
  ++totals.judged;
  const bool wrong = *racy ? expected->empty() : !expected->empty() && !incomplete;
  if (!wrong) return {};
  return {.difference = "under " + model + " the oracle finds " +
                        (*racy ? "a race\n" : "no race, but there is\n") + join(*expected) + text};
}

// The algorithms over interleavings look for states in which both accesses are pending; the others compute
// happens-before.
Finding races_agree_within(const Program& original, const std::string& model, std::uint32_t buffer_bound) {
  const std::string text = with_plain_variables(original, true);
  const auto program = compile(text);
  if (!program) return {.difference = "does not compile: " + program.error().front().text + text};
  std::optional<std::set<std::string>> expected;
  for (const auto& algorithm : algorithms()) {
    if (algorithm.runs_endless) continue;
    CheckOptions options{
        .model = model, .algorithm = std::string(algorithm.name), .timeout = 5, .keep_going = true};
    options.symmetry = false;
    options.buffer_bound = buffer_bound;
    const auto result = check(*program, options);
    if (!result)
      return {.difference = options.algorithm + ": " + result.error().front().message + "\n" + text};
    if (!result->stopped_by.empty()) return {.skipped = true, .difference = {}};
    const auto races = races_of(*result);
    if (!expected) expected = races;
    if (races != *expected) {
      return {.difference = options.algorithm + " under " + model + " with buffers of " +
                            std::to_string(buffer_bound) + " finds the races\n" + join(races) + "  not\n" +
                            join(*expected) + text};
    }
  }
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("races");

TEST_CASE("every algorithm finds the same races, and explores what it explores without them") {
  totals = {};
  std::vector<Property> properties;
  for (const auto& model : models()) {
    properties.push_back([&](const Program& p) { return races_agree(p, std::string(model.name), false); });
    properties.push_back([&](const Program& p) { return races_agree(p, std::string(model.name), true); });
  }
  run({"races", 400, 90'000'000, all_of(properties), 12});
  MESSAGE(totals.racy, " with races, ", totals.free, " without, ", totals.judged, " judged by the oracle");
  CHECK(totals.racy > 10);
  CHECK(totals.free > 10);
}

TEST_CASE("the run to a race has the writes of the read-modify-writes before it") {
  const auto program = compile(
      "shared x: plain int = 0;\n"
      "shared y: int = 0;\n"
      "thread p0[i: 0..2] { y = 2; let r0 = cas(y, 2, 0) ? 1 : 0; x = 0; }\n");
  REQUIRE(program);
  for (const auto& algorithm : algorithms()) {
    if (!why_not("power", algorithm.name).empty()) continue;
    const auto result = check(*program, {.model = "power", .algorithm = std::string(algorithm.name)});
    REQUIRE_MESSAGE(result, algorithm.name);
    CHECK(result->verdict == Verdict::violation);
  }
}

TEST_CASE("every algorithm finds the same races with small store buffers") {
  std::vector<Property> properties;
  for (const char* const model : {"tso", "pso"}) {
    for (const std::uint32_t bound : {0U, 1U, 2U})
      properties.push_back([=](const Program& p) { return races_agree_within(p, model, bound); });
  }
  run({"races with small buffers", 400, 91'000'000, all_of(properties), 12});
}

TEST_SUITE_END();

}  // namespace heddle::differential
