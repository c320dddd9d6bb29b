// Whole checks: executions per second and time per transition (executed and undone, all bookkeeping
// included), by program, model and algorithm.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/programs.hpp"

namespace {

using heddle::Parameters;

struct Case {
  std::string file;
  Parameters parameters;
  std::vector<std::string> models;
  std::vector<std::string> algorithms;
};

const std::string reference = "tests/programs/reference/";

std::vector<Case> cases() {
  const std::vector<std::string> buffered{"sc", "tso", "pso"};
  const std::vector<std::string> reduced{"dpor", "source"};
  return {
      {reference + "nw1r.hed", {{"N", 7}}, {"sc"}, {"naive", "dpor", "source", "sdpor"}},
      {reference + "inc.hed", {{"N", 3}}, {"sc"}, {"naive"}},
      {reference + "inc.hed", {{"N", 5}}, buffered, reduced},
      {reference + "ainc.hed", {{"N", 8}}, buffered, reduced},
      {reference + "casw.hed", {{"N", 5}}, buffered, reduced},
      {reference + "coa.hed", {{"N", 4}}, buffered, reduced},
      {reference + "readers.hed", {{"N", 12}}, buffered, reduced},
      {reference + "lastzero.hed", {{"N", 10}}, {"sc"}, reduced},
      {reference + "fib2.hed", {{"K", 5}}, buffered, {"dpor", "source", "sdpor"}},
      {"examples/readers_writers.hed", {}, {"sc"}, {"dpor", "source", "sdpor"}},
      // One execution of more than 64 events.
      {"tests/programs/expect/struct_values.hed", {}, buffered, {"source", "trust", "rsmc"}},
  };
}

void run_check(benchmark::State& state, const heddle::Program& program, const heddle::CheckOptions& options) {
  std::uint64_t executions = 0;
  std::uint64_t transitions = 0;
  for (auto _ : state) {
    const auto result = heddle::check(program, options);
    executions += result->counts.executions;
    transitions += result->counts.transitions;
  }
  using benchmark::Counter;
  state.counters["executions/s"] = Counter(static_cast<double>(executions), Counter::kIsRate);
  state.counters["s/transition"] =
      Counter(static_cast<double>(transitions), Counter::kIsRate | Counter::kInvert);
}

const int registered = [] {
  for (const auto& one : cases()) {
    const auto program = heddle::bench::load(one.file, one.parameters);
    for (const auto& model : one.models) {
      for (const auto& algorithm : one.algorithms) {
        heddle::CheckOptions options;
        options.model = model;
        options.algorithm = algorithm;
        options.keep_going = true;
        options.symmetry = false;
        const auto name = heddle::bench::label(one.file, one.parameters) + "/" + model + "/" + algorithm;
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          run_check(state, program, options);
        })->Unit(benchmark::kMillisecond);
      }
    }
  }
  return 0;
}();

}  // namespace
