// Prints the table of docs/benchmarks.md about estimates, as Markdown: how far they are from the truth, and how
// often the interval held it. `heddle_estimate_tables [ROUNDS [SECONDS]]`: that many estimates (20) for each program
// and model, each of which samples for so long (0.5, as `heddle check --estimate` does).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/programs.hpp"
#include "heddle/estimate.h"

namespace {

struct Row {
  std::string file;
  heddle::Parameters parameters;
};

const std::vector<Row> rows{
    {"tests/programs/reference/inc.hed", {{"N", 6}}},
    {"tests/programs/reference/casw.hed", {{"N", 5}}},
    {"tests/programs/reference/coa.hed", {{"N", 5}}},
    {"tests/programs/reference/nw1r.hed", {{"N", 8}}},
    {"tests/programs/reference/lastzero.hed", {{"N", 12}}},
    {"tests/programs/reference/fib2.hed", {{"K", 6}}},
    {"tests/programs/reference/sigma.hed", {{"N", 6}}},
    {"tests/programs/reference/n-writers.hed", {{"N", 8}}},
    {"tests/programs/reference/boop4.hed", {}},
    {"tests/programs/reference/mcs-cnt.hed", {}},
    {"examples/philosophers.hed", {{"N", 5}}},
    {"examples/ticket_lock.hed", {{"N", 3}}},
    {"examples/two_phase_commit.hed", {}},
    {"examples/bounded_buffer.hed", {}},
};

struct Quality {
  int rounds = 0, with_interval = 0, held = 0;
  std::vector<double> errors = {};  // relative
};

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0
                        : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.5;
  Quality all;
  fmt::print(
      "| program | model | executions | error, median | error, 95 of 100 | intervals | of these hold |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  for (const Row& row : rows) {
    for (const auto& model : heddle::models()) {
      const auto program = heddle::bench::load(row.file, row.parameters);
      heddle::CheckOptions options;
      options.model = model.name;
      options.algorithm = "trust";
      options.keep_going = true;
      options.timeout = 20;
      const auto exact = heddle::bench::measure(program, options).result;
      if (!exact.finished || exact.counts.executions == 0) continue;
      const auto truth = static_cast<double>(exact.counts.executions);
      Quality quality;
      for (int seed = 1; seed <= rounds; ++seed) {
        const auto estimate = heddle::estimate(
            program, options,
            {.seconds = seconds, .seed = static_cast<std::uint64_t>(seed), .measure_speed = false});
        if (!estimate) {
          fmt::print(stderr, "{}\n", heddle::to_text(estimate.error()));
          return 2;
        }
        ++quality.rounds;
        quality.errors.push_back(std::abs(estimate->executions - truth) / truth);
        if (!estimate->interval) continue;
        ++quality.with_interval;
        // (Where all paths weigh the same, the interval is a point.)
        const double rounding = 1e-9 * truth;
        quality.held +=
            estimate->interval->low - rounding <= truth && truth <= estimate->interval->high + rounding;
      }
      fmt::print("| {} | {} | {} | {:.1f} % | {:.1f} % | {} of {} | {} |\n",
                 heddle::bench::label(row.file, row.parameters), model.name, exact.counts.executions,
                 100 * at(quality.errors, 0.5), 100 * at(quality.errors, 0.95), quality.with_interval,
                 quality.rounds, quality.held);
      all.rounds += quality.rounds;
      all.with_interval += quality.with_interval;
      all.held += quality.held;
      all.errors.insert(all.errors.end(), quality.errors.begin(), quality.errors.end());
    }
  }
  fmt::print(
      "\n{} estimates: error {:.1f} % in the median, {:.1f} % in 95 of 100; {} with an interval, {} of them "
      "hold ({:.1f} %).\n",
      all.rounds, 100 * at(all.errors, 0.5), 100 * at(all.errors, 0.95), all.with_interval, all.held,
      all.with_interval > 0 ? 100.0 * all.held / all.with_interval : 0.0);
}
