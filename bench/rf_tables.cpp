// Prints the tables on `rf` of docs/benchmarks.md as Markdown: classes per second, `rf` compared with
// `source` and `trust`. `heddle_rf_tables [SECONDS]`: runs beyond this time (30) are shown as "-".
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/programs.hpp"

namespace {

using heddle::CheckOptions;
using heddle::Parameters;
using heddle::Program;
using heddle::bench::label;
using heddle::bench::load;
using heddle::bench::measure;
using heddle::bench::Measured;

double limit = 30;

struct Row {
  std::string file;
  Parameters parameters;
};

Row reference(const std::string& name, Parameters parameters) {
  return {"tests/programs/reference/" + name + ".hed", std::move(parameters)};
}

Measured explore(const Program& program, const std::string& model, const std::string& algorithm) {
  CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.timeout = limit;
  options.keep_going = true;
  return measure(program, options);
}

bool gave_up(const Measured& measured) { return !measured.result.stopped_by.empty(); }

std::string thousands(double number) { return fmt::format("{:.0f} k", number / 1000); }

// Every class is a run; blocked ones count, too, because they cost the same.
void rate_table() {
  const std::vector<Row> rows{reference("ainc", {{"N", 9}}),      reference("twostage", {{"N", 4}}),
                              reference("fib2", {{"K", 6}}),      reference("inc", {{"N", 7}}),
                              reference("casw", {{"N", 6}}),      reference("lastzero", {{"N", 13}}),
                              reference("fillarray", {{"U", 4}}), reference("big0", {}),
                              reference("boop4", {{"U", 4}})};
  fmt::print(
      "### Classes a second\n\n| program | steps of a run | SC | TSO | PSO |\n|---|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const auto program = load(row.file, row.parameters);
    std::string cells;
    std::uint64_t depth = 0;
    for (const auto* const model : {"sc", "tso", "pso"}) {
      const auto measured = explore(program, model, "rf");
      if (depth == 0) depth = measured.result.counts.max_depth;
      cells += fmt::format(
          " {} |", thousands(static_cast<double>(measured.result.counts.runs) / measured.cpu_seconds));
    }
    fmt::print("| {} | {} |{}\n", label(row.file, row.parameters), depth, cells);
  }
  fmt::print("\n");
}

std::string cell(const Measured& measured) {
  return gave_up(measured)
             ? std::string("- |")
             : fmt::format("{} ({:.2f} s) |", measured.result.counts.executions, measured.cpu_seconds);
}

void comparison_table(const char* title, const std::vector<Row>& rows) {
  fmt::print("### {}\n\n| program | model | rf | source | trust |\n|---|---|---:|---:|---:|\n", title);
  for (const auto& row : rows) {
    const auto program = load(row.file, row.parameters);
    for (const auto* const model : {"sc", "tso", "pso"}) {
      fmt::print("| {} | {} |", label(row.file, row.parameters), model);
      for (const auto* const algorithm : {"rf", "source", "trust"})
        fmt::print(" {}", cell(explore(program, model, algorithm)));
      fmt::print("\n");
    }
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) limit = std::atof(argv[1]);
  rate_table();
  comparison_table(
      "Fewer classes than executions",
      {reference("coa", {{"N", 6}}), reference("n-writers", {{"N", 8}}),
       reference("redundant-co", {{"N", 8}}), reference("casw", {{"N", 6}}), reference("inc", {{"N", 6}}),
       reference("eratosthenes", {{"N", 10}}), reference("sigma", {{"N", 8}})});
}
