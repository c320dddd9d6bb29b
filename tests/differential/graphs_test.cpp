// The graph engine against the operational machine, graph by graph: `trust` must visit exactly the (po, rf,
// co) graphs of all interleavings, each once.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/explore/algorithms.hpp"
#include "tests/checker/collected_graphs.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t most_runs = 20'000;

Finding graphs_agree(const Program& program, const std::string& model) {
  CheckOptions options;
  options.model = model;
  options.keep_going = true;
  checker::Search search(*program.state().image, options);
  const auto expected = checker::collect_graphs(search, most_runs);
  if (!expected) return {.skipped = true, .difference = {}};
  std::set<std::string> found;
  std::string twice;
  checker::run_trust(search, [&](const checker::PlainGraph& graph) {
    auto text = graph.text();
    if (!found.insert(text).second && twice.empty()) twice = text;
  });
  if (!twice.empty())
    return {.difference = "trust under " + model + " visits a graph twice:\n  " + twice + "\n"};
  if (found == *expected) return {};
  std::string difference = "trust under " + model + " and the machine differ\n";
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

// Collecting the graphs of all interleavings under PSO is out of reach for one program in thirteen.
TEST_CASE("under every model trust visits each graph once and no other") {
  run({"graphs", 3000, 10'000'000,
       all_of({[](const Program& p) { return graphs_agree(p, "sc"); },
               [](const Program& p) { return graphs_agree(p, "tso"); },
               [](const Program& p) { return graphs_agree(p, "pso"); }}),
       10});
}

TEST_SUITE_END();

}  // namespace heddle::differential
