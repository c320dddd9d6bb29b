// Paper 3: the bounds that expose bugs (tables 1 and 2), what a bound saves (table 3), what deciding it costs, and how many
// executions it cuts off (table 4).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/papers/papers.hpp"

namespace heddle::bench::papers {

namespace {

const std::string expect = "tests/programs/expect/";
const std::string reference = "tests/programs/reference/";

CheckOptions options(const std::string& model, std::optional<std::uint32_t> bound, bool keep_going) {
  return {.model = model, .algorithm = "trust", .preemption_bound = bound, .keep_going = keep_going};
}

constexpr std::uint32_t most_bound = 12;  // larger ones are not tried on bugs

// The least bound that exposes a bug.
struct LeastBound {
  std::optional<std::uint32_t> bound;
  Measured measured;  // at that bound, or where the search for it ended
};

LeastBound least_bound(const Run& run, const Program& program, const std::string& model) {
  LeastBound result;
  for (std::uint32_t k = 0; k <= most_bound; ++k) {
    result.measured = explore(run, program, options(model, k, false));
    if (result.measured.result.violation) {
      result.bound = k;
      break;
    }
    if (!finished(result.measured)) break;
  }
  return result;
}

void named_bugs_table(Run& run) {
  struct Row {
    std::string file;
    Parameters parameters;
    std::optional<std::uint32_t> bound;
    std::string_view published;
  };
  const std::vector<Row> rows{
      {reference + "triangular.hed", {{"NUM", 5}, {"bad", 1}}, 8, "k = 8"},
      {reference + "reorder.hed", {{"N", 20}, {"bad", 1}}, {}, "not in 30 min"},
      {reference + "twostage.hed", {{"N", 99}, {"bad", 1}}, {}, "not in 30 min, nor without a bound"}};
  fmt::print("### Paper 3, table 1: the bugs that need more than one preemption there\n\n");
  fmt::print("| program | paper | trust | executions | CPU s |\n|---|---|---|---:|---:|\n");
  for (const auto& row : rows) {
    const auto least = least_bound(run, load(row.file, row.parameters), "sc");
    std::string found = "not found";
    if (least.bound) {
      found = fmt::format("k = {}", *least.bound);
      if (row.bound) {
        const bool equal = *row.bound == *least.bound;
        found += equal ? ", equal" : ", **differs**";
        run.all_equal &= equal;
      }
    }
    fmt::print("| {} | {} | {} | {} | {:.3f} |\n", label(row.file, row.parameters), row.published, found,
               least.measured.result.counts.executions, least.measured.cpu_seconds);
  }
  note(
      "All other bugs of the paper's table need k = 1 at most. triangular has SV-COMP's NUM, reorder and "
      "twostage have 20\n"
      "and 100 threads, as there. A violation counts here with what the failing thread needs, so k = 0 is "
      "enough for reorder:\n"
      "no setter has to come back for its store to b.");
}

// Whether a bound may be set: not where data races or liveness are in question, nor under every model.
bool bounded(const Program& program, const std::string& model) {
  auto first_execution = options(model, 0, false);
  first_execution.max_executions = 1;
  return check(program, first_execution).has_value();
}

// All violations and deadlocks that the examples and the clients of the standard library expect.
void bugs_table(const Run& run) {
  const std::vector<std::string> models{"sc", "tso", "pso"};
  std::vector<std::string> files;
  for (const std::string folder : {"examples", "tests/stdlib"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/" + folder)) {
      if (entry.path().extension() == ".hed")
        files.push_back(folder + "/" + entry.path().filename().string());
    }
  }
  std::ranges::sort(files);
  fmt::print("### Paper 3, tables 1 and 2: the least bound that exposes each bug (executions within it)\n\n");
  fmt::print("| program | sc | tso | pso |\n|---|---|---|---|\n");
  std::map<std::string, std::array<std::uint64_t, most_bound + 1>> bugs_by_bound;
  for (const auto& file : files) {
    const auto program = load(file);
    // Lines about the same parameters are one row, whatever models they name.
    std::map<Parameters, std::map<std::string, std::string>> cells;
    for (const auto& expectation : program.expectations()) {
      if (expectation.outcome != ExpectedOutcome::violation &&
          expectation.outcome != ExpectedOutcome::deadlock) {
        continue;
      }
      const auto variant = load(file, expectation.parameters);
      for (const auto& model : expectation.models) {
        if (std::ranges::find(models, model) == models.end() || !bounded(variant, model)) continue;
        const auto least = least_bound(run, variant, model);
        cells[expectation.parameters][model] =
            least.bound ? fmt::format("{} ({})", *least.bound, least.measured.result.counts.executions) : "-";
        if (least.bound) ++bugs_by_bound[model].at(*least.bound);
      }
    }
    for (auto& [parameters, by_model] : cells) {
      fmt::print("| {} |", label(file, parameters));
      for (const auto& model : models) fmt::print(" {} |", by_model[model]);
      fmt::print("\n");
    }
  }
  fmt::print(
      "\n| bugs by least bound | 0 | 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& model : models) {
    fmt::print("| {} |", model);
    for (std::uint32_t k = 0; k <= 6; ++k) fmt::print(" {} |", bugs_by_bound[model].at(k));
    fmt::print("\n");
  }
  note(
      "The paper finds all bugs of its data structures (table 2: a fence or an atomic operation taken out at "
      "random) within\n"
      "k = 2, under SC. These are the violations and deadlocks that the examples and the clients of the "
      "standard library\n"
      "expect; `-`: not up to k = 12 within the limit.");
}

struct Row {
  std::string file;
  Parameters parameters;
  std::string model = "sc";
};

// Under a bound no round of a loop is cut for being idle, so without one it is not either.
Program as_written(const Row& row) {
  auto program = load(row.file, row.parameters);
  return program.retry_loops().empty() ? program : load(row.file, row.parameters, 16, true);
}

bool prunes_nothing(const Measured& measured) {
  const auto& counts = measured.result.counts;
  return finished(measured) && counts.blocked_preemption_bound == 0 && counts.beyond_bound == 0;
}

constexpr std::uint32_t many = 40;  // preemptions that none of the programs needs
constexpr std::uint32_t shown = 3;  // the bounds that have a column
constexpr int rounds = 3;           // of which the fastest counts

// "120 / 60 / 35 (0.004 s)": within the bound, beyond it, cut off by it. Without a bound only the first.
std::string bounded_cell(const Measured& measured, bool bounded) {
  const auto& counts = measured.result.counts;
  return fmt::format(
      "{}{}{} ({:.3f} s)", finished(measured) ? "" : "> ", counts.executions,
      bounded ? fmt::format(" / {} / {}", counts.beyond_bound, counts.blocked_preemption_bound) : "",
      measured.cpu_seconds);
}

void pruning_table(const Run& run) {
  const std::vector<Row> rows{{expect + "treiber_clients.hed", {{"W", 2}, {"R", 2}}},
                              {expect + "treiber_clients.hed", {{"W", 3}, {"R", 1}}},
                              {expect + "treiber_clients.hed", {{"W", 3}, {"R", 2}}},
                              {expect + "msqueue_clients.hed", {{"W", 2}, {"R", 1}}},
                              {expect + "msqueue_clients.hed", {{"W", 2}, {"R", 2}}},
                              {expect + "mpmc_clients.hed", {{"R", 2}, {"OPS", 4}}},
                              {expect + "mpmc_clients.hed", {{"R", 2}, {"OPS", 5}}},
                              {expect + "mpmc_clients.hed", {{"R", 2}, {"OPS", 7}}},
                              {expect + "deque_clients.hed", {{"R", 1}, {"OPS", 6}}},
                              {expect + "deque_clients.hed", {{"R", 2}, {"OPS", 3}}},
                              {expect + "deque_clients.hed", {{"R", 2}, {"OPS", 4}}},
                              {expect + "ttas_clients.hed", {{"N", 3}}},
                              {expect + "ttas_clients.hed", {{"N", 4}}},
                              {expect + "ttas_clients.hed", {{"N", 5}}},
                              {reference + "ticketlock-cnt.hed", {{"N", 3}}},
                              {reference + "casw.hed", {{"N", 5}}},
                              {reference + "coa.hed", {{"N", 5}}},
                              {reference + "inc.hed", {{"N", 6}}},
                              {reference + "sigma.hed", {{"N", 6}}},
                              {reference + "lastzero.hed", {{"N", 12}}},
                              {reference + "ainc.hed", {{"N", 7}}},
                              {reference + "fib2.hed", {{"K", 5}}},
                              {reference + "nw1r.hed", {{"N", 7}}},
                              {reference + "lock2inc.hed", {{"N", 5}}},
                              {reference + "fib2.hed", {{"K", 5}}, "tso"},
                              {reference + "inc.hed", {{"N", 5}}, "pso"}};
  fmt::print(
      "### Paper 3, table 3: executions within k / beyond it, explored on the way / cut off by it\n\n");
  fmt::print("| program | model | k = 0 | 1 | 2 | 3 | none | faster up to k |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const auto program = as_written(row);
    const auto free = explore(run, program, options(row.model, {}, true), rounds);
    std::string cells;
    std::string fastest = finished(free) ? "none" : "";
    bool faster = finished(free);
    bool complete = false;
    for (std::uint32_t k = 0; k < many && (k <= shown || (faster && !complete)); ++k) {
      if (complete) {
        cells += " the same |";
        continue;
      }
      const auto bounded = explore(run, program, options(row.model, k, true), rounds);
      complete = prunes_nothing(bounded);
      faster = faster && bounded.cpu_seconds < free.cpu_seconds;
      if (faster) fastest = fmt::to_string(k);
      if (k <= shown) cells += fmt::format(" {} |", bounded_cell(bounded, true));
    }
    fmt::print("| {} | {} |{} {} | {} |\n", label(row.file, row.parameters), row.model, cells,
               bounded_cell(free, false), fastest);
  }
  note(
      "The last column is the largest k up to which every bounded search was faster than the one without a "
      "bound; empty:\n"
      "that one did not finish. The paper's text has no more than that it is above 3 for most of its "
      "clients, and 1 for\n"
      "those of a queue whose executions need few preemptions. Its clients have the same data structures "
      "(Treiber's stack,\n"
      "queues, the TTAS lock) with other operations. Loops run as written, since a bound takes no notice of "
      "idle rounds.");
}

void overhead_table(const Run& run) {
  struct Clients {
    Row row;
    std::string_view published;  // the most that its kind costs
  };
  const std::vector<Clients> rows{{{expect + "treiber_clients.hed", {{"W", 2}, {"R", 2}}}, "at most +23 %"},
                                  {{expect + "treiber_clients.hed", {{"W", 3}, {"R", 1}}}, "at most +23 %"},
                                  {{expect + "treiber_clients.hed", {{"W", 3}, {"R", 2}}}, "at most +23 %"},
                                  {{expect + "ttas_clients.hed", {{"N", 3}}}, "at most +38 %"},
                                  {{expect + "ttas_clients.hed", {{"N", 4}}}, "at most +38 %"},
                                  {{reference + "casw.hed", {{"N", 5}}}, ""},
                                  {{reference + "coa.hed", {{"N", 5}}}, ""},
                                  {{reference + "inc.hed", {{"N", 6}}}, ""},
                                  {{reference + "sigma.hed", {{"N", 6}}}, ""},
                                  {{reference + "lastzero.hed", {{"N", 12}}}, ""},
                                  {{reference + "fib2.hed", {{"K", 5}}}, ""}};
  fmt::print("### Paper 3, table 4: the cost of a bound that prunes nothing\n\n");
  fmt::print("| program | none | least such k: b | paper | k = b | b + 1 | b + 2 |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [row, published] : rows) {
    const auto program = as_written(row);
    const auto free = explore(run, program, options(row.model, {}, true), rounds);
    std::uint32_t least = 0;
    while (least < many && !prunes_nothing(explore(run, program, options(row.model, least, true)))) ++least;
    fmt::print("| {} | {} | {} | {} |", label(row.file, row.parameters), bounded_cell(free, false), least,
               published);
    for (const auto k : {least, least + 1, least + 2}) {
      const auto bounded = explore(run, program, options(row.model, k, true), rounds);
      fmt::print(" {:+.0f} % |", 100 * (bounded.cpu_seconds / free.cpu_seconds - 1));
    }
    fmt::print("\n");
  }
  note(
      "The paper's clients of Treiber's stack and the TTAS lock (up to seven threads) are of this kind; its "
      "figures are the\n"
      "greatest overheads over GenMC's time, at k = b.");
}

// The share of cut executions over the reference programs, with the parameters that they have.
void blocking_table(const Run& run) {
  constexpr std::size_t most_threads = 8;  // deciding a bound is exponential in their number
  std::vector<Program> programs;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/" + reference)) {
    if (entry.path().extension() != ".hed") continue;
    auto program = as_written({reference + entry.path().filename().string(), {}});
    if (program.threads().size() <= most_threads) programs.push_back(std::move(program));
  }
  fmt::print(
      "### Paper 3, table 4: reference programs by the number of executions that the bound cuts off\n\n");
  fmt::print("| k | programs | 0 | 1 | 2 to 8 | more | their share of all, on average |\n");
  fmt::print("|---:|---:|---:|---:|---:|---:|---:|\n");
  for (std::uint32_t k = 0; k <= shown; ++k) {
    // As in the paper, only where at least ten executions were explored.
    constexpr std::uint64_t few = 10;
    std::uint64_t runs = 0, none = 0, one = 0, up_to_eight = 0;
    double share = 0;
    for (const auto& program : programs) {
      const auto measured = explore(run, program, options("sc", k, true));
      const auto& counts = measured.result.counts;
      const auto cut = counts.blocked_preemption_bound;
      const auto explored = counts.executions + counts.beyond_bound + cut;
      if (!finished(measured) || explored < few) continue;
      ++runs;
      none += cut == 0;
      one += cut == 1;
      up_to_eight += cut >= 2 && cut <= 8;
      share += static_cast<double>(cut) / static_cast<double>(explored);
    }
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.1f} % |\n", k, runs, none, one, up_to_eight,
               runs - none - one - up_to_eight, runs == 0 ? 0 : 100 * share / static_cast<double>(runs));
  }
  note(
      "Of the runs of the paper on GenMC's test suite (those with at least ten executions, as here) most "
      "have one blocked\n"
      "execution and six more than eight; on average they are at most 6 % of all.");
}

}  // namespace

void print_paper_3(Run& run) {
  named_bugs_table(run);
  bugs_table(run);
  pruning_table(run);
  overhead_table(run);
  blocking_table(run);
}

}  // namespace heddle::bench::papers
