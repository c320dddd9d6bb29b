// The axioms over explicit executions against the machines. An execution of a weaker model is consistent under
// a stronger one exactly if the stronger one's interleavings have it, too; a run of POWER's commit machine is
// consistent with POWER's axioms, and with those of SC if it is one of an interleaving.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/axioms/judge.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/report/commits.hpp"
#include "checker/report/execution.hpp"
#include "checker/report/trace.hpp"
#include "tests/checker/collected_graphs.hpp"

namespace heddle::differential {

namespace {

using axioms::Model;

constexpr std::uint64_t most_runs = 5'000;

Trace trace_of(const compiler::Image& image, const checker::Rows& rows) {
  Trace trace;
  for (const auto& thread : image.threads) trace.threads.push_back(thread.name);
  for (const auto& row : rows) trace.steps.push_back(checker::describe_row(image, row));
  return trace;
}

// The executions of all complete interleavings, by the texts of their graphs; nothing if there are too many.
using Executions = std::map<std::string, axioms::Execution>;
std::optional<Executions> executions(const Program& program, const std::string& model) {
  CheckOptions options;
  options.model = model;
  options.keep_going = true;
  const checker::Search search(*state_of(program).image(), options);
  std::optional<Executions> result(std::in_place);
  checker::with_machine(search, [&]<typename Machine>(Machine& machine) {
    std::uint64_t runs = 0;
    checker::for_each_run(machine, [&] {
      if (!result || !checker::ended(machine)) return result.has_value();
      if (++runs > most_runs) result.reset();
      if (!result || machine.ending() != checker::Ending::complete) return false;
      checker::Rows rows;
      Machine again(search.image(), search.machine_options());
      again.restart_with_log(&rows);
      for (const auto& choice : machine.schedule()) {
        if (!again.follow(choice)) throw std::logic_error("a schedule cannot be replayed");
      }
      const auto text = checker::collect_graph(rows, machine.thread_count()).text();
      if (!result->contains(text))
        (*result)[text] = checker::execution_of(trace_of(search.image(), rows)).execution;
      return false;
    });
  });
  return result;
}

struct Differing {
  std::uint64_t compared = 0;
  std::uint64_t excluded = 0;
};
Differing differing;

Finding machines_and_axioms_agree(const Program& program) {
  constexpr std::array names{"sc", "tso", "pso"};
  std::array<Executions, 3> of;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto found = executions(program, names[i]);
    if (!found) return {.skipped = true, .difference = {}};
    of[i] = std::move(*found);
  }
  for (const auto& [text, execution] : of[2]) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool allowed = axioms::consistent(execution, *axioms::model_named(names[i]));
      ++differing.compared;
      differing.excluded += allowed ? 0 : 1;
      if (allowed != of[i].contains(text)) {
        return {.difference = std::string(allowed ? "not an interleaving under " : "inconsistent under ") +
                              names[i] + ":\n  " + text + "\n"};
      }
    }
  }
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    for (const auto& [text, execution] : of[i]) {
      if (!axioms::consistent(execution, *axioms::model_named(names[i])))
        return {.difference = std::string("inconsistent under ") + names[i] + ":\n  " + text + "\n"};
    }
  }
  return {};
}

// Commits events at random, as long as there are any.
Finding random_commits_are_consistent(const Program& program) {
  const auto image = state_of(program).image(true);
  std::mt19937 random(1);
  for (int run = 0; run < 20; ++run) {
    checker::ReportMachine machine(*image, {});
    while (!machine.full() && machine.limit().empty()) {
      std::vector<std::pair<checker::ReportMachine::Prepared, std::int64_t>> possible;
      machine.for_each_enabled([&](checker::EventName name) {
        checker::ReportMachine::Prepared event;
        machine.prepare(name, event);
        for (auto p = machine.first_parameter(event); p; p = machine.next_parameter(event, *p)) {
          if (*p != checker::dropped) possible.emplace_back(event, *p);
        }
      });
      bool committed = false;
      while (!committed && !possible.empty()) {
        const auto chosen = random() % possible.size();
        committed = machine.commit(possible[chosen].first, possible[chosen].second);
        if (!committed) possible.erase(possible.begin() + static_cast<std::ptrdiff_t>(chosen));
      }
      if (!committed) break;
    }
    Trace trace;
    for (const auto& thread : image->threads) trace.threads.push_back(thread.name);
    trace.steps = checker::describe_commits(machine);
    const auto execution = checker::execution_of(trace).execution;
    if (!axioms::consistent(execution, Model::power)) return {.difference = "inconsistent under power\n"};
  }
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("graphs");

TEST_CASE("the axioms allow an execution of PSO under TSO or SC exactly if an interleaving there has it") {
  differing = {};
  run({"judged graphs", 1500, 30'000'000, machines_and_axioms_agree, 25});
  CHECK_GT(differing.excluded, differing.compared / 300);
}

TEST_CASE("the axioms of POWER allow the traces of random runs of the commit machine") {
  run({"judged commits", 3000, 40'000'000, random_commits_are_consistent, 0});
}

TEST_SUITE_END();

}  // namespace heddle::differential
