// Compares the graph engine with the operational machine, graph by graph: `trust` must visit exactly the (po,
// rf, co) graphs of all interleavings, each once.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "tests/checker/collected_graphs.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t most_runs = 20'000;

Finding graphs_agree(const Program& program, const std::string& model,
                     std::optional<std::uint32_t> preemption_bound = {}) {
  CheckOptions options;
  options.preemption_bound = preemption_bound;
  options.model = model;
  options.keep_going = true;
  options.symmetry = false;
  checker::Search search(*state_of(program).image(), options);
  const auto expected = checker::collect_graphs(search, most_runs);
  if (!expected) return {.skipped = true, .difference = {}};
  const auto within = preemption_bound ? " with preemption bound " + std::to_string(*preemption_bound) : "";
  std::set<std::string> found;
  std::string twice;
  search.on_restart([&] {
    found.clear();
    twice.clear();
  });
  checker::run_trust(search, [&](const checker::PlainGraph& graph) {
    auto text = graph.text();
    if (!found.insert(text).second && twice.empty()) twice = text;
  });
  if (!twice.empty())
    return {.difference = "trust under " + model + within + " visits a graph twice:\n  " + twice + "\n"};
  if (found == *expected) return {};
  std::string difference = "trust under " + model + within + " and the machine differ\n";
  for (const auto& graph : *expected) {
    if (!found.contains(graph)) difference += "  missing:      " + graph + "\n";
  }
  for (const auto& graph : found) {
    if (!expected->contains(graph)) difference += "  inconsistent: " + graph + "\n";
  }
  return {.difference = difference};
}

}  // namespace

TEST_SUITE_BEGIN("graphs");

// For one program in thirteen, collecting the graphs of all interleavings under PSO is infeasible.
TEST_CASE("under every model trust visits exactly the graphs of all interleavings, each once") {
  run({"graphs", 3000, 10'000'000,
       all_of({[](const Program& p) { return graphs_agree(p, "sc"); },
               [](const Program& p) { return graphs_agree(p, "tso"); },
               [](const Program& p) { return graphs_agree(p, "pso"); }}),
       10});
}

TEST_CASE("with a preemption bound trust visits exactly the graphs of interleavings within it, each once") {
  std::vector<Property> bounded;
  for (const char* model : {"sc", "tso", "pso"}) {
    for (std::uint32_t bound = 0; bound < 4; ++bound) {
      bounded.push_back([model, bound](const Program& p) { return graphs_agree(p, model, bound); });
    }
  }
  run({"bounded graphs", 300, 20'000'000, all_of(std::move(bounded)), 10});
}

TEST_SUITE_END();

}  // namespace heddle::differential
