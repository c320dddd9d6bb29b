// Prints the tables on `trust` of docs/benchmarks.md as Markdown: executions and times, the cost of an event, memory over
// many executions. `heddle_graph_tables [SECONDS]`: the limit of a check (30).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "bench/programs.hpp"

namespace {

using heddle::CheckOptions;
using heddle::Parameters;
using heddle::Program;
using heddle::bench::best;
using heddle::bench::label;
using heddle::bench::load;
using heddle::bench::measure;

double limit = 30;

const std::string reference = "tests/programs/reference/";

struct Row {
  std::string file;
  Parameters parameters;
  std::string model = "sc";
};

CheckOptions options(const std::string& model) {
  return {.model = model, .algorithm = "trust", .timeout = limit, .keep_going = true};
}

void executions_table() {
  const std::vector<Row> rows{{reference + "casw.hed", {{"N", 6}}},
                              {reference + "coa.hed", {{"N", 6}}},
                              {reference + "coa.hed", {{"N", 6}}, "tso"},
                              {reference + "inc.hed", {{"N", 6}}},
                              {reference + "sigma.hed", {{"N", 8}}},
                              {reference + "lastzero.hed", {{"N", 15}}},
                              {reference + "eratosthenes.hed", {{"N", 10}}, "tso"},
                              {reference + "ainc.hed", {{"N", 9}}}};
  fmt::print("### Executions of trust\n\n");
  fmt::print("| program | model | executions | CPU s | M executions/s | bytes of the search |\n");
  fmt::print("|---|---|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const auto measured = best(load(row.file, row.parameters), options(row.model));
    const auto& counts = measured.result.counts;
    fmt::print("| {} | {} | {} | {:.3f} | {:.2f} | {} |\n", label(row.file, row.parameters), row.model,
               counts.executions, measured.cpu_seconds,
               1e-6 * static_cast<double>(counts.executions) / measured.cpu_seconds, counts.peak_memory);
  }
  fmt::print("\n");
}

// Threads that write to locations of their own and then increment a counter: any number of events.
Program long_threads(std::uint32_t threads, std::uint32_t events) {
  const auto own = events / threads > 2 ? events / threads - 2 : 1;
  const auto text = fmt::format(
      "shared x: int[{0}]; shared c: int;\n"
      "thread p[i: 0..{0}] {{ for j in 0..{1} {{ x[i] = j; }} let a = c; c = a + 1; }}\n",
      threads, own);
  auto program = heddle::Program::from_source(text, "long.hed");
  if (!program) std::exit(2);
  return *program;
}

void event_table() {
  const std::vector<std::uint32_t> sizes{10, 25, 50, 100, 200};
  for (const auto* const model : {"sc", "tso"}) {
    fmt::print("### ns of CPU per event added by trust, by threads and events of an execution ({})\n\n",
               model);
    fmt::print("| threads |");
    for (const auto size : sizes) fmt::print(" {} events |", size);
    fmt::print("\n|---:|---:|---:|---:|---:|---:|\n");
    for (std::uint32_t threads = 2; threads <= 8; ++threads) {
      fmt::print("| {} |", threads);
      for (const auto size : sizes) {
        auto check = options(model);
        check.max_executions = 200'000;
        double nanoseconds = std::numeric_limits<double>::max();
        // Few threads have few executions: repeat them until the time is measurable.
        for (int round = 0; round < 5; ++round) {
          double seconds = 0;
          std::uint64_t transitions = 0;
          const auto program = long_threads(threads, size);
          while (seconds < 0.05) {
            const auto measured = measure(program, check);
            seconds += measured.cpu_seconds;
            transitions += measured.result.counts.transitions;
          }
          nanoseconds = std::min(nanoseconds, 1e9 * seconds / static_cast<double>(transitions));
        }
        fmt::print(" {:.0f} |", nanoseconds);
      }
      fmt::print("\n");
    }
    fmt::print("\n");
  }
}

void memory_table() {
  fmt::print("### Memory of trust over many executions\n\n");
  fmt::print("| program | executions | CPU s | bytes of the search at its peak |\n|---|---:|---:|---:|\n");
  const Row row{reference + "inc.hed", {{"N", 7}}};
  auto check = options("sc");
  check.timeout.reset();
  check.max_executions = 10'000'000;
  const auto measured = measure(load(row.file, row.parameters), check);
  fmt::print("| {} | {} | {:.2f} | {} |\n\n", label(row.file, row.parameters),
             measured.result.counts.executions, measured.cpu_seconds, measured.result.counts.peak_memory);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) limit = std::atof(argv[1]);
  executions_table();
  event_table();
  memory_table();
}
