// Algorithms over commit machines. Under SC, TSO and PSO, rsmc must visit the graphs that trust visits. Under
// POWER, every algorithm must visit the graphs reached by the runs of the commit-order model, each once.
// POWER allows everything that PSO allows. A program that fails under POWER is shrunk.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
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
  std::string twice;
  std::uint64_t blocked = 0;  // by the model
  bool complete = true;
};

// Sums over all programs on which rsmc was compared under POWER.
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
  const auto image = state_of(program).image(model == "power");
  Graphs graphs;
  checker::Search search(*image, options);
  search.on_restart([&] { graphs = {}; });
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

using checker::run_trust_recommitting;

void run_naive(checker::Search& search, const checker::GraphObserver& observer) {
  checker::commits::run_naive(search, observer);
}

std::string difference(const std::string& what, const Graphs& expected, const Graphs& found) {
  if (!found.twice.empty()) return what + " visits a graph twice:\n  " + found.twice + "\n";
  if (found.texts == expected.texts) return {};
  std::string difference = what + " differs\n";
  for (const auto& graph : expected.texts) {
    if (!found.texts.contains(graph)) difference += "  missing:      " + graph + "\n";
  }
  for (const auto& graph : found.texts) {
    if (!expected.texts.contains(graph)) difference += "  inconsistent: " + graph + "\n";
  }
  return difference;
}

void run_trust(checker::Search& search, const checker::GraphObserver& observer) {
  checker::run_trust(search, observer);
}

struct Named {
  const char* name;
  void (*run)(checker::Search&, const checker::GraphObserver&);
};

// Under SC, TSO or PSO.
Finding graphs_agree(const Program& program, const std::string& model, const std::vector<Named>& algorithms) {
  const auto expected = explore(program, model, run_trust);
  if (!expected.complete) return {.skipped = true, .difference = {}};
  for (const auto& [name, algorithm] : algorithms) {
    const auto found = explore(program, model, algorithm);
    if (!found.complete) return {.skipped = true, .difference = {}};
    if (auto wrong = difference(name + std::string(" under ") + model, expected, found); !wrong.empty())
      return {.difference = wrong};
  }
  return {};
}

Finding rsmc_agrees(const Program& program, const std::string& model) {
  return graphs_agree(program, model, {{"rsmc", run_rsmc}});
}

// The algorithms that the program offers over interleavings, over commits instead.
Finding commits_agree(const Program& program, const std::string& model) {
  return graphs_agree(program, model,
                      {{"naive", checker::commits::run_naive},
                       {"dpor", checker::commits::run_dpor},
                       {"source", checker::commits::run_source},
                       {"sdpor", checker::commits::run_sdpor}});
}

// The text of PlainGraph ends with the coherence orders, after the last thread.
std::string without_coherence(const std::string& graph) { return graph.substr(0, graph.rfind('|')); }

Finding power_graphs_agree(const Program& program) {
  const auto expected = explore(program, "power", run_naive);
  if (!expected.complete) return {.skipped = true, .difference = {}};
  for (const Named& algorithm :
       {Named{"rsmc", run_rsmc}, Named{"dpor", checker::commits::run_dpor},
        Named{"source", checker::commits::run_source}, Named{"sdpor", checker::commits::run_sdpor},
        Named{"trust", run_trust_recommitting}}) {
    const auto found = explore(program, "power", algorithm.run);
    if (!found.complete) return {.skipped = true, .difference = {}};
    if (algorithm.run == run_rsmc) {
      ++totals.programs;
      totals.executions += found.texts.size();
      totals.blocked += found.blocked;
    }
    if (auto wrong = difference(algorithm.name + std::string(" under power"), expected, found);
        !wrong.empty())
      return {.difference = wrong};
  }
  // A class contains all graphs that differ in coherence only.
  Graphs classes;
  for (const auto& graph : expected.texts) classes.texts.insert(without_coherence(graph));
  const auto found = explore(program, "power", checker::commits::run_rf);
  if (!found.complete) return {.skipped = true, .difference = {}};
  Graphs found_classes{.texts = {}, .twice = found.twice};
  for (const auto& graph : found.texts) {
    if (!found_classes.texts.insert(without_coherence(graph)).second) found_classes.twice = graph;
  }
  return {.difference = difference("rf under power", classes, found_classes)};
}

// The class of a complete graph: what each thread does and reads, and which writes the `final` block reads,
// as if it were the last thread.
std::string class_of(const compiler::Image& image, const checker::PlainGraph& graph) {
  std::vector<std::int64_t> memory;
  for (const auto& location : image.locations) memory.push_back(location.initial);
  for (const auto& [location, writes] : graph.coherence)
    memory[location] = graph.threads[writes.back().first][writes.back().second].value;
  checker::Rows rows;
  if (image.final_block) static_cast<void>(checker::run_final_block(image, memory, false, &rows));
  std::string result = without_coherence(graph.text());
  std::set<checker::Location> stored;
  for (const auto& row : rows) {
    const auto writes = graph.coherence.find(row.location);
    if (row.reads && !stored.contains(row.location) && writes != graph.coherence.end()) {
      const auto& [thread, index] = writes->second.back();
      result += "; " + std::to_string(row.location) + " from " + std::to_string(thread) + "." +
                std::to_string(index);
    }
    if (row.writes) stored.insert(row.location);
  }
  return result;
}

Finding final_reads_are_counted(const Program& program, const std::string& model) {
  const auto image = state_of(program).image(model == "power");
  if (!image->final_block) return {};
  CheckOptions options{
      .model = model, .algorithm = "rf", .timeout = 5, .symmetry = false, .keep_going = true};
  std::set<std::string> classes;
  checker::Search search(*image, options);
  search.on_restart([&] { classes.clear(); });
  checker::run_rsmc(search,
                    [&](const checker::PlainGraph& graph) { classes.insert(class_of(*image, graph)); });
  const auto found = check(program, options);
  if (!search.stopped_by().empty() || !found || !found->stopped_by.empty())
    return {.skipped = true, .difference = {}};
  if (found->counts.executions == classes.size()) return {};
  return {.difference = "rf under " + model + " counts " + std::to_string(found->counts.executions) +
                        " executions, not " + std::to_string(classes.size()) + "\n"};
}

// POWER allows everything that PSO allows.
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

// False for nearly every program: the shrinker's result on failures is known.
Finding power_allows_no_more_than_sc(const Program& program) {
  const auto sc = explore(program, "sc", run_rsmc);
  const auto power = explore(program, "power", run_rsmc);
  if (!sc.complete || !power.complete) return {.skipped = true, .difference = {}};
  for (const auto& graph : power.texts) {
    if (!sc.texts.contains(graph)) return {.difference = "SC does not allow " + graph + "\n"};
  }
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("commits");

TEST_CASE("a program that fails under POWER shrinks to four accesses") {
  std::uint64_t number = 60'000'000;
  Trial trial;
  while (trial.failure.empty()) trial = try_program(1, number++, power_allows_no_more_than_sc);
  const auto begin = trial.failure.find("shrunk:\n") + 8;
  const auto shrunk = trial.failure.substr(begin, trial.failure.find("as generated:") - begin);
  CAPTURE(shrunk);
  const auto graph = shrunk.substr(shrunk.find("SC does not allow "));
  CHECK(std::count(graph.begin(), graph.end(), '@') == 4);
}

TEST_CASE(
    "under SC, TSO and PSO rsmc and trust without revisits in place visit the graphs of trust, each once") {
  run({"rsmc", 2000, 30'000'000,
       all_of({[](const Program& p) { return rsmc_agrees(p, "sc"); },
               [](const Program& p) { return rsmc_agrees(p, "tso"); },
               [](const Program& p) { return rsmc_agrees(p, "pso"); }}),
       4});
}

TEST_CASE("under SC, TSO and PSO searches over commits visit the graphs that trust visits, each once") {
  run({"commits", 500, 35'000'000,
       all_of({[](const Program& p) { return commits_agree(p, "sc"); },
               [](const Program& p) { return commits_agree(p, "tso"); },
               [](const Program& p) { return commits_agree(p, "pso"); }}),
       4});
}

TEST_CASE("under POWER each algorithm visits the graphs of the commit-order model's runs, each once") {
  totals = {};
  run({"power", 2500, 40'000'000, power_graphs_agree, 4});
  MESSAGE(totals.programs, " programs, ", totals.executions, " executions, ", totals.blocked,
          " runs of rsmc that the model blocked");
  if (!is_short()) CHECK(totals.blocked * 10 <= totals.executions);  // paper 2, section 4: at most a tenth
}

TEST_CASE("under every model rf counts a class once per combination of writes that `final` reads") {
  run({"final reads", 2000, 45'000'000,
       all_of({[](const Program& p) { return final_reads_are_counted(p, "sc"); },
               [](const Program& p) { return final_reads_are_counted(p, "tso"); },
               [](const Program& p) { return final_reads_are_counted(p, "pso"); },
               [](const Program& p) { return final_reads_are_counted(p, "power"); }}),
       4});
}

TEST_CASE("POWER allows every graph that PSO allows") {
  run({"strength", 1000, 50'000'000, power_is_weakest, 4});
}

TEST_SUITE_END();

}  // namespace heddle::differential
