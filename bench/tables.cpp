// Prints the tables of docs/benchmarks.md as Markdown: each is the counterpart of a table or figure of one of
// the papers, on our programs. `heddle_tables [SECONDS]`: runs beyond this time (30) are shown as "-".
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/programs.hpp"

namespace {

using heddle::CheckOptions;
using heddle::Parameters;
using heddle::bench::label;
using heddle::bench::load;
using heddle::bench::measure;

double limit = 30;

CheckOptions options(const std::string& model, const std::string& algorithm) {
  CheckOptions result;
  result.model = model;
  result.algorithm = algorithm;
  result.timeout = limit;
  return result;
}

// A violation that an example expects under a relaxed model.
struct Bug {
  std::string file;
  Parameters parameters;
  std::string model;
};

std::vector<Bug> expected_bugs() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() == ".hed") files.push_back("examples/" + entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<Bug> bugs;
  for (const auto& file : files) {
    const auto program = load(file);
    for (const auto& expectation : program.expectations()) {
      if (expectation.outcome != heddle::ExpectedOutcome::violation) continue;
      for (const auto& model : expectation.models) {
        if (model == "tso" || model == "pso") bugs.push_back({file, expectation.parameters, model});
      }
    }
  }
  return bugs;
}

// Paper 1, table 2: the bugs that a bounded store buffer still exposes.
void buffer_bound_table() {
  const std::vector<std::optional<std::uint32_t>> bounds{0, 1, 2, 3, std::nullopt};
  fmt::print("### Bugs found by buffer bound (paper 1, table 2)\n\n");
  fmt::print("| program | model | 0 | 1 | 2 | 3 | none |\n|---|---|---|---|---|---|---|\n");
  std::vector<std::size_t> found(bounds.size(), 0);
  const auto bugs = expected_bugs();
  for (const auto& bug : bugs) {
    const auto program = load(bug.file, bug.parameters);
    fmt::print("| {} | {} |", label(bug.file, bug.parameters), bug.model);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      auto check = options(bug.model, "source");
      check.buffer_bound = bounds[i];
      const auto result = measure(program, check).result;
      found[i] += result.violation.has_value();
      fmt::print(" {} |", result.violation                               ? "found"
                          : result.verdict == heddle::Verdict::undecided ? "-"
                                                                         : "");
    }
    fmt::print("\n");
  }
  fmt::print("| **share of {}** | |", bugs.size());
  for (const auto count : found)
    fmt::print(" {:.2f} |", static_cast<double>(count) / static_cast<double>(bugs.size()));
  fmt::print("\n\n");
}

// Paper 1, figure 9: executions of Dijkstra's program under TSO by buffer bound and size.
void dijkstra_table() {
  const std::string file = "bench/dijkstra_rounds.hed";
  fmt::print(
      "### Executions of Dijkstra's program under TSO by rounds and buffer bound (paper 1, figure 9)\n\n");
  fmt::print("| rounds | 0 | 1 | 2 | 3 | none |\n|---|---|---|---|---|---|\n");
  for (std::int64_t rounds = 1; rounds <= 4; ++rounds) {
    fmt::print("| {} |", rounds);
    const auto program = load(file, {{"ROUNDS", rounds}});
    for (const auto bound :
         {std::optional<std::uint32_t>(0), std::optional<std::uint32_t>(1), std::optional<std::uint32_t>(2),
          std::optional<std::uint32_t>(3), std::optional<std::uint32_t>()}) {
      auto check = options("tso", "source");
      check.buffer_bound = bound;
      check.keep_going = true;
      const auto measured = measure(program, check);
      if (measured.result.verdict == heddle::Verdict::undecided) {
        fmt::print(" - |");
      } else {
        fmt::print(" {} ({:.2f} s) |", measured.result.counts.executions, measured.cpu_seconds);
      }
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

// The cost of a transition under each model, and executions per second.
void step_table() {
  struct Row {
    std::string file;
    Parameters parameters;
    std::string algorithm;
  };
  const std::string reference = "tests/programs/reference/";
  const std::vector<Row> rows{
      {reference + "nw1r.hed", {{"N", 9}}, "naive"},  {reference + "nw1r.hed", {{"N", 9}}, "dpor"},
      {reference + "nw1r.hed", {{"N", 9}}, "source"}, {reference + "inc.hed", {{"N", 6}}, "dpor"},
      {reference + "inc.hed", {{"N", 6}}, "source"},  {reference + "ainc.hed", {{"N", 9}}, "dpor"},
      {reference + "casw.hed", {{"N", 6}}, "dpor"},   {reference + "fib2.hed", {{"K", 6}}, "dpor"},
  };
  fmt::print("### Cost of a transition (executed and undone, all bookkeeping) and executions a second\n\n");
  fmt::print(
      "| program | algorithm | executions (SC) | SC ns | TSO ns | PSO ns | executions/s SC | TSO | PSO |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& row : rows) {
    const auto program = load(row.file, row.parameters);
    std::string costs;
    std::string rates;
    std::uint64_t executions = 0;
    for (const auto* const model : {"sc", "tso", "pso"}) {
      auto check = options(model, row.algorithm);
      check.keep_going = true;
      check.max_executions = 3'000'000;
      const auto measured = measure(program, check);
      const auto& counts = measured.result.counts;
      if (executions == 0) executions = counts.executions;
      costs += fmt::format(" {:.0f} |", 1e9 * measured.cpu_seconds / static_cast<double>(counts.transitions));
      rates +=
          fmt::format(" {:.2f} M |", 1e-6 * static_cast<double>(counts.executions) / measured.cpu_seconds);
    }
    fmt::print("| {} | {} | {} |{}{}\n", label(row.file, row.parameters), row.algorithm, executions, costs,
               rates);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) limit = std::atof(argv[1]);
  step_table();
  buffer_bound_table();
  dijkstra_table();
}
