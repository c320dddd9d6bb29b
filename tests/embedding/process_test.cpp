// Several programs in one process: in parallel, and in sequence.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/machine.h"
#include "tests/environment.hpp"

namespace {

using heddle::Program;

std::string counter(int threads) {
  return "shared n: int; mutex m; thread w[i: 0.." + std::to_string(threads) +
         "] { fetch_add(n, 1); lock m; n = n + 1; unlock m; } final { assert n >= 0; }";
}

std::uint64_t executions(const Program& program, const std::string& model) {
  heddle::CheckOptions options;
  options.model = model;
  const auto result = heddle::check(program, options);
  return result ? result->counts.executions : 0;
}

// HEDDLE_THREADS, by default 4; ThreadSanitizer runs with 8 (`./dev tsan`).
int thread_count() {
  return std::max(1, static_cast<int>(heddle::tests::number_from_environment("HEDDLE_THREADS", 4)));
}

TEST_CASE("threads compile and check different programs at once") {
  const std::vector<std::string> models{"sc", "tso", "pso"};
  std::vector<std::uint64_t> alone;
  for (int i = 0; i < thread_count(); ++i) {
    const auto program = Program::from_source(counter(2 + i % 2), "counter.hed");
    REQUIRE(program);
    alone.push_back(executions(*program, models[static_cast<std::size_t>(i) % 3]));
  }
  std::vector<std::uint64_t> together(alone.size(), 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        const auto program = Program::from_source(counter(2 + static_cast<int>(i) % 2), "counter.hed");
        if (!program) return;
        auto machine = heddle::Machine::start(*program, {.model = models[i % 3]});
        if (!machine || machine->random(i) == 0) return;
        together[i] = executions(*program, models[i % 3]);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(together == alone);
}

TEST_CASE("several threads of one check share its states") {
  const auto program = Program::from_source(
      "shared x: int; mutex m; daemon thread d { while true { either { await x > 3; x = 0; } or { await x == "
      "1; lock m; x = 2; unlock m; } } }\n"
      "thread w[i: 0..3] { for j in 0..4 { lock m; x = (x + 1) % 5; unlock m; let a = choose(0..2); "
      "fetch_add(x, a); } }",
      "shared.hed");
  REQUIRE(program);
  for (const std::string model : {"sc", "tso", "pso"}) {
    heddle::CheckOptions options{.model = model, .algorithm = "states", .symmetry = false};
    if (model != "sc") options.buffer_bound = 1;
    const auto alone = heddle::check(*program, options);
    options.threads = static_cast<std::uint32_t>(thread_count());
    const auto together = heddle::check(*program, options);
    REQUIRE(alone);
    REQUIRE(together);
    CHECK(together->threads == options.threads);
    CHECK(together->counts.states == alone->counts.states);
    CHECK(together->counts.transitions == alone->counts.transitions);
    CHECK(together->verdict == alone->verdict);
  }
}

TEST_CASE("one program can be checked by several threads at a time") {
  const auto program = Program::from_source(counter(3), "counter.hed");
  REQUIRE(program);
  const auto alone = executions(*program, "tso");
  std::vector<std::uint64_t> together(4, 0);
  std::vector<std::thread> threads;
  for (auto& count : together) threads.emplace_back([&] { count = executions(*program, "tso"); });
  for (auto& thread : threads) thread.join();
  CHECK(std::count(together.begin(), together.end(), alone) == 4);
}

std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    std::size_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

// HEDDLE_CYCLES=10000 makes this a long test.
TEST_CASE("repeated compiling, checking and destroying does not leak memory") {
  const int cycles = static_cast<int>(heddle::tests::number_from_environment("HEDDLE_CYCLES", 600));
  std::size_t before = 0;
  for (int i = 0; i < cycles; ++i) {
    // The first tenth fills caches and the allocator's pools.
    if (i == cycles / 10) before = resident_kib();
    const auto program = Program::from_source(counter(2), "counter.hed");
    REQUIRE(program);
    CHECK(executions(*program, "tso") > 0);
  }
  const auto after = resident_kib();
  MESSAGE(cycles << " cycles: " << before << " KiB after a tenth of them, " << after << " KiB at the end");
#ifndef __SANITIZE_ADDRESS__
  CHECK(after <= before + 4096);
#endif
}

}  // namespace
