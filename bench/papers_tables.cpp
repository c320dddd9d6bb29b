// Prints tables of the papers as Markdown, the paper's own figures next to ours: paper 2, figure 11; paper 4, table 1;
// paper 5, table 1, under SC, TSO and PSO. `heddle_papers_tables [--seconds S] [--paper N]`: a check beyond S seconds of
// CPU time (30) is shown with what it counted so far. Exits with 1 if a finished check has another count than the paper.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/programs.hpp"

namespace {

using heddle::Parameters;
using heddle::Program;
using heddle::bench::label;
using heddle::bench::load;
using heddle::bench::measure;
using heddle::bench::Measured;

double limit = 30;
bool all_equal = true;

Measured explore(const Program& program, std::string_view model, std::string_view algorithm) {
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  // CPU time, because other work on the machine must not change what is reached.
  options.progress = [start = heddle::bench::cpu_seconds()](const heddle::Progress&) {
    return heddle::bench::cpu_seconds() - start < limit;
  };
  options.keep_going = true;
  return measure(program, options);
}

// "2902 (0.01 s), equal"; the paper has no number where its own run did not end.
std::string cell(const Measured& measured, std::optional<std::uint64_t> paper) {
  const auto executions = measured.result.counts.executions;
  if (!measured.result.stopped_by.empty()) return fmt::format("over {:g} s: > {}", limit, executions);
  const auto text = fmt::format("{} ({:.2f} s)", executions, measured.cpu_seconds);
  if (!paper) return text;
  if (*paper == executions) return text + ", equal";
  all_equal = false;
  return text + ", **differs**";
}

std::string paper_cell(std::optional<std::uint64_t> count) { return count ? fmt::to_string(*count) : "-"; }

void power_figure() {
  struct Row {
    std::string_view between;
    std::int64_t fence;
    std::optional<std::uint64_t> executions;
    std::string_view time;
  };
  const std::vector<Row> rows{
      {"nothing", 0, 184'759, "161.36 s"}, {"`fence`", 1, 3, "0.01 s"}, {"`fence lw`", 2, {}, "-"}};
  fmt::print("### Paper 2, figure 11 (SB+10W)\n\n| between store and load | paper | its time | rsmc |\n");
  fmt::print("|---|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const auto program = load("tests/programs/expect/paper_rsmc_figure_11.hed", {{"FENCE", row.fence}});
    fmt::print("| {} | {} | {} | {} |\n", row.between, paper_cell(row.executions), row.time,
               cell(explore(program, "power", "rsmc"), row.executions));
  }
  fmt::print("\n");
}

// Source counts the classes of Shasha and Snir, which `trust` counts, too.
void reads_from_table() {
  struct Row {
    std::string name;
    std::int64_t unroll;
    std::string_view model;
    std::optional<std::uint64_t> classes;
    std::optional<std::uint64_t> executions;
  };
  const std::vector<Row> rows{{"boop4", 1, "sc", 2902, 21'948},
                              {"boop4", 1, "tso", 3682, 36'588},
                              {"boop4", 1, "pso", 8233, 572'436},
                              {"boop4", 4, "sc", 197'260, 3'873'348},
                              {"boop4", 4, "tso", 313'336, 9'412'428},
                              {"boop4", 4, "pso", 1'807'408, {}},
                              {"eratosthenes2", 17, "sc", 4667, 100'664},
                              {"eratosthenes2", 17, "tso", 29'217, 4'719'488},
                              {"eratosthenes2", 17, "pso", 253'125, {}},
                              {"eratosthenes2", 21, "sc", 19'991, 1'527'736},
                              {"eratosthenes2", 21, "tso", 223'929, {}},
                              {"eratosthenes2", 21, "pso", {}, {}},
                              {"fillarray", 3, "sc", 14'625, 47'892},
                              {"fillarray", 3, "tso", 14'625, 59'404},
                              {"fillarray", 3, "pso", 14'625, 63'088},
                              {"fillarray", 4, "sc", 471'821, 2'278'732},
                              {"fillarray", 4, "tso", 471'821, 3'023'380},
                              {"fillarray", 4, "pso", 471'821, 3'329'934}};
  fmt::print("### Paper 4, table 1\n\n| program | model | paper, RF-SMC | rf | paper, Source | trust |\n");
  fmt::print("|---|---|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const std::string file = "tests/programs/reference/" + row.name + ".hed";
    const Parameters parameters{{"U", row.unroll}};
    const auto program = load(file, parameters);
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", label(file, parameters), row.model,
               paper_cell(row.classes), cell(explore(program, row.model, "rf"), row.classes),
               paper_cell(row.executions), cell(explore(program, row.model, "trust"), row.executions));
  }
  fmt::print("\n");
}

// The paper's sizes of sharedArray and bbuf are not known, and its two applications are not programs of this language:
// their counts are not comparable.
void stateful_table() {
  struct Row {
    std::string file;
    Parameters parameters;
    std::string_view dpor;
    std::string_view sdpor;
  };
  const std::vector<Row> rows{
      {"tests/programs/expect/paper_sdpor_figure_1.hed", {{"N", 64}}, "-", "2,084 (1.41 s)"},
      {"tests/programs/reference/shared-array.hed", {{"N", 2}, {"M", 10}}, "-", "18,557 (5.70 s)"},
      {"examples/bounded_buffer.hed",
       {{"PRODUCERS", 2}, {"CONSUMERS", 2}},
       "1,058,962 (938 s)",
       "349,717 (345 s)"}};
  const auto transitions = [](const Measured& measured) {
    const bool cut = !measured.result.stopped_by.empty();
    return fmt::format("{}{} ({:.2f} s)", cut ? "> " : "", measured.result.counts.transitions,
                       measured.cpu_seconds);
  };
  fmt::print(
      "### Paper 5, table 1: transitions\n\n| program | model | paper, DPOR | dpor | paper, SDPOR | sdpor "
      "|\n");
  fmt::print("|---|---|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const auto program = load(row.file, row.parameters);
    for (const auto* const model : {"sc", "tso", "pso"}) {
      fmt::print("| {} | {} | {} | {} | {} | {} |\n", label(row.file, row.parameters), model, row.dpor,
                 transitions(explore(program, model, "dpor")), row.sdpor,
                 transitions(explore(program, model, "sdpor")));
    }
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  int paper = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seconds") {
      limit = std::atof(argv[i + 1]);
    } else if (option == "--paper") {
      paper = std::atoi(argv[i + 1]);
    } else {
      paper = -1;
    }
  }
  if (argc % 2 == 0 || limit <= 0 || (paper != 0 && paper != 2 && paper != 4 && paper != 5)) {
    fmt::print(stderr, "usage: heddle_papers_tables [--seconds S] [--paper 2|4|5]\n");
    return 2;
  }
  if (paper == 0 || paper == 2) power_figure();
  if (paper == 0 || paper == 4) reads_from_table();
  if (paper == 0 || paper == 5) stateful_table();
  return all_equal ? 0 : 1;
}
