// Prints the tables on POWER and rsmc of docs/benchmarks.md as Markdown: the cost of a committed
// event by the length of executions, complete and blocked runs as in paper 2's table 1.
// `heddle_power_tables [SECONDS]`: runs beyond this time (30) are shown as "-".
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
using heddle::Verdict;
using heddle::bench::best;
using heddle::bench::label;
using heddle::bench::load;
using heddle::bench::measure;
using heddle::bench::Measured;

double limit = 30;

CheckOptions options() {
  return {.model = "power", .algorithm = "rsmc", .timeout = limit, .keep_going = true};
}

// Two threads, each with stores to its own location and loads of the other's; `events` in total.
Program mirrored(std::uint32_t events, bool fences) {
  const auto text = fmt::format(
      "shared x: int; shared y: int;\n"
      "thread p {{ for i in 0..{0} {{ x = i; {2} }} for i in 0..{1} {{ let a = y; }} }}\n"
      "thread q {{ for i in 0..{0} {{ y = i; {2} }} for i in 0..{1} {{ let a = x; }} }}\n",
      (events / 2 + 1) / 2, events / 2 / 2, fences ? "fence lw;" : "");
  auto program = heddle::Program::from_source(text, "mirrored.hed", {.parameters = {}, .unroll = 200});
  if (!program) std::exit(2);
  return *program;
}

// Microseconds of CPU per committed event, and executions per second.
void event_table() {
  fmt::print("### Cost of a committed event, by the events of an execution\n\n");
  fmt::print("| events | words | no fences, us | `fence lw`, us | executions/s, no fences |\n");
  fmt::print("|---:|---:|---:|---:|---:|\n");
  for (const std::uint32_t events : {10, 16, 24, 32, 40, 48, 56, 62, 66, 72, 80, 90, 100, 120, 140, 200}) {
    double cost[2] = {};
    double rate = 0;
    for (const bool fences : {false, true}) {
      const auto program = mirrored(events, fences);
      auto check = options();
      check.max_executions = 20'000;
      cost[fences] = std::numeric_limits<double>::max();
      for (int round = 0; round < 3; ++round) {
        double seconds = 0;
        std::uint64_t transitions = 0;
        std::uint64_t executions = 0;
        while (seconds < 0.05) {
          const auto measured = measure(program, check);
          seconds += measured.cpu_seconds;
          transitions += measured.result.counts.transitions;
          executions += measured.result.counts.executions;
        }
        cost[fences] = std::min(cost[fences], 1e6 * seconds / static_cast<double>(transitions));
        if (!fences) rate = std::max(rate, static_cast<double>(executions) / seconds);
      }
    }
    const std::uint32_t words = (events + 63) / 64;
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.0f} |\n", events, words, cost[0], cost[1], rate);
  }
  fmt::print("\n");
}

struct Row {
  std::string file;
  Parameters parameters;
};

void runs_table() {
  const std::string expect = "tests/programs/expect/";
  const std::string reference = "tests/programs/reference/";
  const std::vector<Row> rows{{"examples/dekker.hed", {}},
                              {"examples/peterson.hed", {}},
                              {"examples/burns.hed", {}},
                              {"examples/szymanski.hed", {}},
                              {"examples/bakery.hed", {}},
                              {"examples/lost_update.hed", {}},
                              {"examples/message_passing.hed", {}},
                              {"examples/store_buffering.hed", {}},
                              {"examples/seqlock.hed", {}},
                              {"examples/ticket_lock.hed", {}},
                              {"examples/spin_lock.hed", {}},
                              {"examples/readers_writers.hed", {}},
                              {"examples/bounded_buffer.hed", {}},
                              {"examples/philosophers.hed", {}},
                              {expect + "litmus_iriw.hed", {}},
                              {expect + "paper_rsmc_figure_2.hed", {}},
                              {expect + "power_mutexes.hed", {}},
                              {reference + "casrot.hed", {{"N", 5}}},
                              {reference + "casw.hed", {{"N", 4}}},
                              {reference + "coa.hed", {{"N", 4}}},
                              {reference + "inc.hed", {{"N", 4}}},
                              {reference + "ainc.hed", {{"N", 6}}},
                              {reference + "fib2.hed", {{"K", 3}}},
                              {reference + "indexer.hed", {{"N", 12}}},
                              {reference + "lastzero.hed", {{"N", 5}}},
                              {reference + "mcs.hed", {}},
                              {reference + "readers.hed", {{"N", 8}}},
                              {reference + "sigma.hed", {{"N", 5}}},
                              {reference + "spinlock.hed", {}},
                              {reference + "ticketlock.hed", {}},
                              {reference + "triangular.hed", {{"NUM", 2}}},
                              {reference + "szymanski-bounded.hed", {}},
                              {reference + "peterson-assume.hed", {}}};
  fmt::print("### Complete and blocked runs (paper 2, table 1)\n\n");
  fmt::print(
      "| program | complete | blocked by the model | ratio | by assume, await, loop bound | CPU s |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|\n");
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;
  for (const auto& row : rows) {
    const auto measured = best(load(row.file, row.parameters), options());
    const auto& counts = measured.result.counts;
    if (measured.result.verdict == Verdict::undecided) {
      fmt::print("| {} | - | - | - | - | more than {} |\n", label(row.file, row.parameters), limit);
      continue;
    }
    complete += counts.executions;
    blocked += counts.blocked_race;
    const auto runs = counts.executions + counts.blocked_race;
    fmt::print("| {} | {} | {} | {:.2f} % | {} | {:.4f} |\n", label(row.file, row.parameters),
               counts.executions, counts.blocked_race,
               runs == 0 ? 0.0 : 100.0 * static_cast<double>(counts.blocked_race) / static_cast<double>(runs),
               counts.blocked_assume + counts.blocked_await + counts.blocked_loop_bound,
               measured.cpu_seconds);
  }
  fmt::print("| all | {} | {} | {:.2f} % | | |\n\n", complete, blocked,
             100.0 * static_cast<double>(blocked) / static_cast<double>(complete + blocked));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) limit = std::atof(argv[1]);
  event_table();
  runs_table();
}
