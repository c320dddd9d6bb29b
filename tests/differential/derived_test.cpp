// rsmc over the derived execution models: under SC, TSO and PSO it must visit the graphs that trust visits,
// under POWER those of all runs of the derived model, each once.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/explore/algorithms.hpp"

namespace heddle::differential {

namespace {

struct Graphs {
  std::set<std::string> texts;
  std::string twice;
  std::uint64_t blocked = 0;  // by the model
  bool complete = true;
};

// Of all programs that rsmc was compared on under POWER.
struct Totals {
  std::uint64_t programs = 0;
  std::uint64_t executions = 0;
  std::uint64_t blocked = 0;
};
Totals totals;

Graphs explore(const Program& program, const std::string& model,
               const std::function<void(checker::Search&, const checker::GraphObserver&)>& algorithm) {
  CheckOptions options;
  options.model = model;
  options.keep_going = true;
  options.timeout = 5;
  const auto image = program.state().image(model == "power");
  Graphs graphs;
  checker::Search search(*image, options);
  algorithm(search, [&](const checker::PlainGraph& graph) {
    auto text = graph.text();
    if (!graphs.texts.insert(text).second) graphs.twice = text;
  });
  graphs.complete = search.stopped_by().empty();
  graphs.blocked = search.counts.blocked_race;
  return graphs;
}

void run_rsmc(checker::Search& search, const checker::GraphObserver& observer) {
  checker::run_rsmc(search, observer);
}

Finding graphs_agree(const Program& program, const std::string& model) {
  const bool power = model == "power";
  const auto expected =
      explore(program, model, [&](checker::Search& search, const checker::GraphObserver& observer) {
        power ? checker::run_naive_derived(search, observer) : checker::run_trust(search, observer);
      });
  const auto found = explore(program, model, run_rsmc);
  if (!expected.complete || !found.complete) return {.skipped = true, .difference = {}};
  if (!found.twice.empty())
    return {.difference = "rsmc under " + model + " visits a graph twice:\n  " + found.twice + "\n"};
  if (power) {
    ++totals.programs;
    totals.executions += found.texts.size();
    totals.blocked += found.blocked;
  }
  if (found.texts == expected.texts) return {};
  std::string difference = "rsmc under " + model + " differs\n";
  for (const auto& graph : expected.texts) {
    if (!found.texts.contains(graph)) difference += "  missing:      " + graph + "\n";
  }
  for (const auto& graph : found.texts) {
    if (!expected.texts.contains(graph)) difference += "  inconsistent: " + graph + "\n";
  }
  return {.difference = difference};
}

// POWER allows what PSO allows.
Finding power_is_weakest(const Program& program) {
  const auto pso = explore(program, "pso", run_rsmc);
  const auto power = explore(program, "power", run_rsmc);
  if (!pso.complete || !power.complete) return {.skipped = true, .difference = {}};
  for (const auto& graph : pso.texts) {
    if (!power.texts.contains(graph))
      return {.difference = "PSO allows what POWER does not: " + graph + "\n"};
  }
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("derived");

TEST_CASE("under SC, TSO and PSO rsmc visits the graphs that trust visits, each once") {
  run({"rsmc", 2000, 30'000'000,
       all_of({[](const Program& p) { return graphs_agree(p, "sc"); },
               [](const Program& p) { return graphs_agree(p, "tso"); },
               [](const Program& p) { return graphs_agree(p, "pso"); }}),
       4});
}

TEST_CASE("under POWER rsmc visits what the runs of the derived model lead to, each once") {
  totals = {};
  run({"power", 5000, 40'000'000, [](const Program& p) { return graphs_agree(p, "power"); }, 4});
  MESSAGE(totals.programs, " programs, ", totals.executions, " executions, ", totals.blocked,
          " blocked runs");
  CHECK(totals.blocked * 10 <= totals.executions);  // paper 2, section 4: at most a tenth
}

TEST_CASE("POWER allows every graph that PSO allows") {
  run({"strength", 1000, 50'000'000, power_is_weakest, 4});
}

TEST_SUITE_END();

}  // namespace heddle::differential
