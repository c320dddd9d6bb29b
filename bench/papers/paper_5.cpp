// Paper 5: table 1, stateless and stateful search, under SC as there, and under the other models.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "bench/papers/papers.hpp"

namespace heddle::bench::papers {

namespace {

// "1 / 20 (0.00 s)": runs and transitions; of the stateful search also the states that it met again.
std::string runs_cell(const Measured& measured, bool stateful) {
  const auto& counts = measured.result.counts;
  return fmt::format("{}{} / {}{} ({:.2f} s)", finished(measured) ? "" : "> ", counts.runs,
                     counts.transitions, stateful ? fmt::format(" / {}", counts.revisits) : "",
                     measured.cpu_seconds);
}

}  // namespace

void print_paper_5(Run& run) {
  struct Row {
    std::string file;
    Parameters parameters;
    std::string_view dpor;
    std::string_view sdpor;
  };
  const std::vector<Row> rows{
      {"tests/programs/expect/paper_sdpor_figure_1.hed", {{"N", 64}}, "-", "35 / 2,084 / 12 (1.41 s)"},
      {"tests/programs/reference/shared-array.hed", {{"N", 2}, {"M", 10}}, "-", "98 / 18,557 / 33 (5.70 s)"},
      {"examples/bounded_buffer.hed",
       {{"PRODUCERS", 2}, {"CONSUMERS", 2}},
       "47,096 / 1,058,962 (938.27 s)",
       "16,246 / 349,717 / 669 (344.88 s)"},
      {"examples/bounded_buffer.hed", {{"PRODUCERS", 4}, {"CONSUMERS", 2}}, "", ""}};
  fmt::print("### Paper 5, table 1: runs / transitions / states met again\n\n");
  fmt::print("| program | model | paper, DPOR | dpor | paper, SDPOR | sdpor |\n");
  fmt::print("|---|---|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const auto program = load(row.file, row.parameters);
    for (const std::string model : {"sc", "tso", "pso", "power"}) {
      const auto explored = [&](const std::string& algorithm) {
        return explore(run, program, {.model = model, .algorithm = algorithm, .keep_going = true});
      };
      const bool published = model == "sc";
      fmt::print("| {} | {} | {} | {} | {} | {} |\n", label(row.file, row.parameters), model,
                 published ? row.dpor : "", runs_cell(explored("dpor"), false), published ? row.sdpor : "",
                 runs_cell(explored("sdpor"), true));
    }
  }
  note(
      "The paper has SC only. example1 is the program of its figure 1, where `sdpor` differs from it in two "
      "points\n"
      "(docs/algorithms.md). The sizes of sharedArray and bbuf are not known, so only the kind of program is "
      "the same. Its\n"
      "bzip2smp and pfscan are applications in C.");
}

}  // namespace heddle::bench::papers
