// Prints the matrix of docs/benchmarks.md as Markdown: executions and time of every algorithm under every
// model on eight programs. `heddle_matrix_tables [SECONDS]`: a check beyond this time (5) is shown with its
// executions so far.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bench/programs.hpp"

namespace {

using heddle::CheckOptions;
using heddle::bench::label;
using heddle::bench::load;
using heddle::bench::measure;

struct Row {
  std::string file;
  heddle::Parameters parameters;
};

Row reference(const std::string& name, heddle::Parameters parameters) {
  return {"tests/programs/reference/" + name + ".hed", std::move(parameters)};
}

// Executions, incomplete ends ("b": redundant or blocked ones), and CPU seconds.
std::string cell(const heddle::Program& program, std::string_view model, std::string_view algorithm,
                 double limit) {
  CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = true;
  options.collect_outcomes = true;
  options.timeout = limit;
  options.max_executions = 1;
  static_cast<void>(measure(program, options));  // compiles the program for the model
  options.max_executions.reset();
  const auto measured = measure(program, options);
  const auto& counts = measured.result.counts;
  if (measured.result.stopped_by == "timeout") return fmt::format(" > {} |", counts.executions);
  if (!measured.result.stopped_by.empty()) return " - |";
  const auto others = counts.runs - counts.executions;
  return fmt::format(" {}{} ({:.3f} s) |", counts.executions,
                     others > 0 ? fmt::format(" + {} b", others) : "", measured.cpu_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::atof(argv[1]) : 5;
  const std::vector<Row> rows{
      reference("inc", {{"N", 5}}),       reference("casw", {{"N", 5}}),
      reference("coa", {{"N", 5}}),       reference("lastzero", {{"N", 9}}),
      reference("sigma", {{"N", 5}}),     reference("fib2", {{"K", 4}}),
      reference("n-writers", {{"N", 6}}), {"examples/philosophers.hed", {{"N", 5}}},
  };
  for (const auto& model : heddle::models()) {
    fmt::print("#### {}\n\n| program |", model.name);
    std::string line = "|---|";
    for (const auto& algorithm : heddle::algorithms()) {
      fmt::print(" {} |", algorithm.name);
      line += "---:|";
    }
    fmt::print("\n{}\n", line);
    for (const auto& row : rows) {
      const auto program = load(row.file, row.parameters);
      fmt::print("| {} |", label(row.file, row.parameters));
      for (const auto& algorithm : heddle::algorithms()) {
        const bool works = heddle::why_not(model.name, algorithm.name).empty();
        fmt::print("{}", works ? cell(program, model.name, algorithm.name, limit) : std::string(" |"));
      }
      fmt::print("\n");
    }
    fmt::print("\n");
  }
}
