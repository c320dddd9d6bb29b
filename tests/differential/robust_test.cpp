// Robustness: a search that judges each graph of a weak model by po | rf | co | fr must say that the model
// adds graphs exactly where its set of graphs is not that of SC, and count those that it adds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"

namespace heddle::differential {

namespace {

struct Graphs {
  std::set<std::string> texts;
  bool others = false;  // executions that end in a deadlock or stop at a violation, which no observer sees
  bool complete = true;
};

struct Totals {
  std::uint64_t robust = 0;
  std::uint64_t others = 0;
};
Totals totals;

Graphs explore(const Program& program, const std::string& model) {
  const CheckOptions options{.model = model, .timeout = 5, .symmetry = false, .keep_going = true};
  const auto image = state_of(program).image(model == "power");
  Graphs graphs;
  checker::Search search(*image, options);
  search.on_restart([&] { graphs = {}; });
  checker::run_rsmc(search, [&](const checker::PlainGraph& graph) { graphs.texts.insert(graph.text()); });
  graphs.complete = search.stopped_by().empty();
  graphs.others = std::any_of(search.violations().begin(), search.violations().end(), [](const auto& found) {
    return !found.in_final && found.kind != ViolationKind::assertion && found.kind != ViolationKind::forall &&
           found.kind != ViolationKind::forbid;
  });
  return graphs;
}

Finding robustness_is_equality(const Program& program, const std::string& model) {
  const Graphs sc = explore(program, "sc");
  const Graphs weak = explore(program, model);
  if (!sc.complete || !weak.complete) return {.skipped = true, .difference = {}};
  std::uint64_t added = 0;
  for (const auto& graph : weak.texts) added += sc.texts.contains(graph) ? 0 : 1;
  for (const auto* algorithm : {"trust", "rsmc"}) {
    const auto found = check(
        program, {.model = model, .algorithm = algorithm, .timeout = 5, .keep_going = true, .robust = true});
    if (!found) return {.difference = found.error().front().message};
    if (!found->stopped_by.empty()) return {.skipped = true, .difference = {}};
    const std::uint64_t counted = found->violation ? found->violation->count : 0;
    const bool as_expected = weak.others ? counted >= added : counted == added;
    if (!as_expected || found->robust != (counted == 0)) {
      return {.difference = std::string(algorithm) + " counts " + std::to_string(counted) + " graphs that " +
                            model + " adds, not " + std::to_string(added) + "\n"};
    }
    if (found->violation && found->violation->cycle.empty()) return {.difference = "there is no cycle\n"};
  }
  totals.robust += added == 0 && !weak.others ? 1 : 0;
  totals.others += weak.others ? 1 : 0;
  return {};
}

// `--states`, by every algorithm that can, against the sets of final states that interleavings lead to.
Finding states_are_those_of_sc(const Program& program, const std::string& model) {
  const std::string oracle = model == "power" ? "rsmc" : "naive";
  const auto states = [&](const std::string& name, const std::string& algorithm) {
    std::set<std::vector<std::int64_t>> result;
    const auto found = check(
        program,
        {.model = name, .algorithm = algorithm, .timeout = 5, .keep_going = true, .collect_outcomes = true});
    if (!found || !found->stopped_by.empty()) return std::optional<std::set<std::vector<std::int64_t>>>();
    for (const Outcome& outcome : found->outcomes) {
      std::vector<std::int64_t> values;
      for (const NamedValue& value : outcome.values) values.push_back(value.value);
      result.insert(values);
    }
    return std::optional(result);
  };
  const auto sc = states("sc", "naive");
  const auto weak = states(model, oracle);
  if (!sc || !weak) return {.skipped = true, .difference = {}};
  const bool same = std::includes(sc->begin(), sc->end(), weak->begin(), weak->end());
  for (const AlgorithmInfo& algorithm : algorithms()) {
    if (algorithm.counts == CountedAs::reads_from_class || algorithm.runs_endless) continue;
    const auto found = check(program, {.model = model,
                                       .algorithm = std::string(algorithm.name),
                                       .timeout = 5,
                                       .robust = true,
                                       .robust_states = true});
    if (!found) return {.difference = found.error().front().message};
    if (!found->stopped_by.empty()) return {.skipped = true, .difference = {}};
    if (found->robust != same)
      return {.difference = std::string(algorithm.name) + (same ? " sees" : " does not see") +
                            " a final state that " + model + " adds\n"};
    if (found->violation && found->violation->cycle.empty()) return {.difference = "there is no cycle\n"};
  }
  (same ? totals.robust : totals.others) += 1;
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("commits");

TEST_CASE("a program is robust exactly if the weak model's set of graphs is that of SC") {
  totals = {};
  run({"robust", 1000, 70'000'000,
       all_of({[](const Program& p) { return robustness_is_equality(p, "tso"); },
               [](const Program& p) { return robustness_is_equality(p, "pso"); },
               [](const Program& p) { return robustness_is_equality(p, "power"); }}),
       6});
  MESSAGE(totals.robust, " are robust, ", totals.others, " have other ends than complete ones");
  CHECK(totals.robust > 10);
}

TEST_CASE("final states are compared with those of SC") {
  totals = {};
  run({"robust states", 200, 71'000'000,
       all_of({[](const Program& p) { return states_are_those_of_sc(p, "tso"); },
               [](const Program& p) { return states_are_those_of_sc(p, "pso"); },
               [](const Program& p) { return states_are_those_of_sc(p, "power"); }}),
       6});
  MESSAGE(totals.robust, " have the final states of SC, ", totals.others, " have others");
  CHECK(totals.robust > 10);
  CHECK(totals.others > 0);
}

TEST_SUITE_END();

}  // namespace heddle::differential
