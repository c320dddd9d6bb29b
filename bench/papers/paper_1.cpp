// Paper 1: table 1 (litmus tests), figures 7 and 8 (what the reduction saves), table 2 (bugs by buffer bound), figure 9
// (runs by buffer bound and size). The figures are plots without numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/papers/papers.hpp"

namespace heddle::bench::papers {

namespace {

constexpr std::array<std::optional<std::uint32_t>, 5> bounds{0, 1, 2, 3, std::nullopt};

std::vector<std::string> files_in(const std::filesystem::path& folder, std::string_view begin,
                                  std::string_view extension) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(begin) && entry.path().extension() == extension) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

// Our litmus programs, with every set of parameters under which SC never shows the state that they name.
std::vector<Program> own_tests() {
  const std::string folder = "tests/programs/expect/";
  std::vector<Program> tests;
  for (const auto& name : files_in(std::string(HEDDLE_SOURCE_DIR) + "/" + folder, "litmus_", ".hed")) {
    std::set<Parameters> seen;
    const auto program = load(folder + name);
    for (const auto& expectation : program.expectations()) {
      const bool never_under_sc = expectation.outcome == ExpectedOutcome::never &&
                                  std::ranges::find(expectation.models, "sc") != expectation.models.end();
      if (never_under_sc && seen.insert(expectation.parameters).second)
        tests.push_back(load(folder + name, expectation.parameters));
    }
  }
  return tests;
}

// The published x86 tests of docs/conformance.md, if they are there.
std::vector<Program> published_tests() {
  std::vector<Program> tests;
  const char* const folder = std::getenv("HEDDLE_LITMUS");
  if (folder == nullptr) return tests;
  const auto x86 = std::filesystem::path(folder) / "x86";
  for (const auto& name : files_in(x86, "", ".litmus")) {
    const auto program = Program::from_file((x86 / name).string());
    if (program && program->litmus() && program->litmus()->kind == LitmusKind::exists)
      tests.push_back(*program);
  }
  return tests;
}

bool shown(const CheckResult& result) {
  return std::ranges::any_of(result.conditions,
                             [](const auto& condition) { return condition.satisfied > 0; });
}

// A test fails if the model shows the state that SC never shows. Runs are in proportion to those under SC.
void litmus_table(const Run& run, std::string_view title, const std::vector<Program>& tests) {
  struct Row {
    std::string_view model;
    std::string_view published;
    std::uint64_t failed = 0;
    double runs = 0;
  };
  std::array<Row, 3> rows{{{"sc", "121 | 0 | 1.0"}, {"tso", "47 | 73 | 5.0"}, {"pso", "24 | 97 | 11.0"}}};
  std::uint64_t compared_tests = 0;
  for (const auto& test : tests) {
    double runs_under_sc = 0;
    for (auto& row : rows) {
      const auto result =
          explore(run, test, {.model = std::string(row.model), .algorithm = "dpor", .keep_going = true})
              .result;
      const auto runs = static_cast<double>(result.counts.runs);
      if (&row == rows.data()) {
        if (shown(result)) break;
        ++compared_tests;
        runs_under_sc = runs;
      }
      row.failed += shown(result);
      row.runs += runs / runs_under_sc;
    }
  }
  if (compared_tests == 0) return;
  fmt::print("### Paper 1, table 1: {}\n\n", title);
  fmt::print("| model | paper: passed | failed | runs | dpor: passed | failed | runs |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    fmt::print("| {} | {} | {} | {} | {:.1f} |\n", row.model, row.published, compared_tests - row.failed,
               row.failed, row.runs / static_cast<double>(compared_tests));
  }
  note(
      "A test fails if the model shows the state that SC does not show. Runs are the average ratio to those "
      "under SC.\n"
      "The paper has 121 other tests (47 and 73 are 120), and counts redundant runs, of which `dpor` has few "
      "here.");
}

void reduction_table(const Run& run) {
  const std::vector<std::string> files{"examples/boop.hed",
                                       "examples/dekker.hed",
                                       "examples/fib_bench.hed",
                                       "examples/indexer.hed",
                                       "examples/lamport_fast_mutex.hed",
                                       "examples/lazy01.hed",
                                       "examples/peterson.hed",
                                       "examples/queue.hed",
                                       "examples/read_write_lock.hed",
                                       "examples/reorder.hed",
                                       "examples/sigma.hed",
                                       "examples/stack.hed",
                                       "examples/szymanski.hed",
                                       "tests/programs/reference/triangular.hed",
                                       "examples/twostage.hed"};
  fmt::print("### Paper 1, figures 7 and 8: runs with and without the reduction\n\n");
  fmt::print("| program | tso: naive | dpor | pso: naive | dpor |\n|---|---:|---:|---:|---:|\n");
  for (const auto& file : files) {
    const auto program = load(file);
    fmt::print("| {} |", label(file, {}));
    for (const auto* const model : {"tso", "pso"}) {
      for (const auto* const algorithm : {"naive", "dpor"}) {
        const auto measured =
            explore(run, program, {.model = model, .algorithm = algorithm, .keep_going = true});
        fmt::print(" {}{} ({:.2f} s) |", finished(measured) ? "" : "> ", measured.result.counts.runs,
                   measured.cpu_seconds);
      }
    }
    fmt::print("\n");
  }
  note(
      "The paper plots runs and seconds of 15 programs of SV-COMP without numbers. These have the same names "
      "or\n"
      "algorithms, with sizes of their own.");
}

// A violation that an example expects under TSO or PSO, but not under SC.
struct Bug {
  std::string file;
  Parameters parameters;
  std::string model;
};

std::vector<Bug> relaxed_bugs() {
  std::vector<Bug> bugs;
  for (const auto& name : files_in(std::string(HEDDLE_SOURCE_DIR) + "/examples", "", ".hed")) {
    std::vector<Bug> of_file;
    std::set<Parameters> under_sc;
    const auto program = load("examples/" + name);
    for (const auto& expectation : program.expectations()) {
      if (expectation.outcome != ExpectedOutcome::violation) continue;
      for (const auto& model : expectation.models) {
        if (model == "sc") under_sc.insert(expectation.parameters);
        if (model == "tso" || model == "pso")
          of_file.push_back({"examples/" + name, expectation.parameters, model});
      }
    }
    std::ranges::copy_if(of_file, std::back_inserter(bugs),
                         [&](const Bug& bug) { return !under_sc.contains(bug.parameters); });
  }
  return bugs;
}

void buffer_bound_table(const Run& run) {
  struct Share {
    std::string_view model;
    std::uint64_t bugs = 0;
    std::array<std::uint64_t, bounds.size()> found{};
  };
  std::array<Share, 2> shares{{{"tso"}, {"pso"}}};
  fmt::print("### Paper 1, table 2: bugs found by buffer bound\n\n");
  fmt::print("| program | model | 0 | 1 | 2 | 3 | none |\n|---|---|---|---|---|---|---|\n");
  for (const auto& bug : relaxed_bugs()) {
    const auto program = load(bug.file, bug.parameters);
    auto& share = *std::ranges::find(shares, bug.model, &Share::model);
    ++share.bugs;
    fmt::print("| {} | {} |", label(bug.file, bug.parameters), bug.model);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const auto measured =
          explore(run, program, {.model = bug.model, .algorithm = "source", .buffer_bound = bounds.at(i)});
      const bool found = measured.result.violation.has_value();
      share.found.at(i) += found;
      fmt::print(" {} |", found ? "found" : finished(measured) ? "" : "-");
    }
    fmt::print("\n");
  }
  for (const auto& share : shares) {
    fmt::print("| **share of {}** | {} |", share.bugs, share.model);
    for (const auto found : share.found)
      fmt::print(" {:.2f} |", static_cast<double>(found) / static_cast<double>(share.bugs));
    fmt::print("\n");
  }
  fmt::print("| **paper** | tso | 0.0 | 0.3 | 0.92 | 0.97 | 1.0 |\n");
  note(
      "Violations that the examples expect under the model, but not under SC, found by `source`; the paper's "
      "are others.");
}

void dijkstra_table(const Run& run) {
  fmt::print(
      "### Paper 1, figure 9: executions of Dijkstra's program under TSO by rounds and buffer bound\n\n");
  fmt::print("| rounds | 0 | 1 | 2 | 3 | none |\n|---|---:|---:|---:|---:|---:|\n");
  for (std::int64_t rounds = 1; rounds <= 4; ++rounds) {
    const auto program = load("bench/dijkstra_rounds.hed", {{"ROUNDS", rounds}});
    fmt::print("| {} |", rounds);
    for (const auto bound : bounds) {
      fmt::print(
          " {} |",
          cell(explore(run, program,
                       {.model = "tso", .algorithm = "source", .buffer_bound = bound, .keep_going = true})));
    }
    fmt::print("\n");
  }
  note(
      "Two threads, no fences. The paper plots runs for four bounds against sizes of its own, without "
      "numbers.");
}

}  // namespace

void print_paper_1(Run& run) {
  litmus_table(run, "our litmus programs", own_tests());
  litmus_table(run, "published x86 tests", published_tests());
  reduction_table(run);
  buffer_bound_table(run);
  dijkstra_table(run);
}

}  // namespace heddle::bench::papers
