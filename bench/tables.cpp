// Prints the first table of docs/benchmarks.md as Markdown: the cost of a transition. `heddle_tables [SECONDS]`: the
// limit of a check (30).
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
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
}
