// Prints a table on POWER and rsmc of docs/benchmarks.md as Markdown: the cost of a committed event by the length of
// executions. `heddle_power_tables [SECONDS]`: the limit of a check (30).
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
using heddle::Program;
using heddle::bench::measure;

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

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) limit = std::atof(argv[1]);
  event_table();
}
