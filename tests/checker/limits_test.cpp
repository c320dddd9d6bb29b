// Limits on time and memory, and memory statistics, with long executions and large states.
#include <doctest/doctest.h>
#include <cstdlib>
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>
#define HEDDLE_COUNTS_HEAP 1
#endif

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/minimise.h"

namespace heddle {
namespace {

Program compile(const std::string& source, const Parameters& parameters = {}) {
  const auto program = Program::from_source(source, "test.hed", {.parameters = parameters});
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  return *program;
}

CheckResult run(const Program& program, const CheckOptions& options) {
  const auto result = check(program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

template <typename Use>
void for_each_pair(Use&& use) {
  for (const auto& model : models()) {
    for (const auto& algorithm : algorithms()) {
      if (algorithm.runs_endless) continue;
      CAPTURE(model.name);
      CAPTURE(algorithm.name);
      use(CheckOptions{.model = std::string(model.name), .algorithm = std::string(algorithm.name)});
    }
  }
}

// Each read of the one thread may read from each write of the other.
const char* const readers_and_writers = R"(
  param K = 2000;
  shared x: int; shared y: int;
  thread p { for k in 0..K { x = k; let r = y; } }
  thread q { for k in 0..K { y = k; let r = x; } }
)";

// Each read may read from its own thread's write only.
const char* const strangers = R"(
  param K = 2000;
  shared x: int; shared y: int; shared z: int;
  thread p { for k in 0..K { x = k; let r = x; } z = 1; }
  thread q { for k in 0..K { y = k; let r = y; } z = 2; }
)";

}  // namespace

TEST_SUITE_BEGIN("limits");

TEST_CASE("rf checks whether to stop while it proposes the mutations of one long execution") {
  const auto program = compile(readers_and_writers);
  for (const std::string model : {"sc", "tso", "pso"}) {
    CAPTURE(model);
    std::uint64_t last = 0;
    int without_a_step = 0;
    const auto progress = [&](const Progress& now) {
      without_a_step = now.transitions == last ? without_a_step + 1 : 0;
      last = now.transitions;
      return without_a_step < 10;
    };
    const auto result =
        run(program, {.model = model, .algorithm = "rf", .timeout = 60, .progress = progress});
    CHECK_EQ(result.verdict, Verdict::undecided);
    CHECK_EQ(result.stopped_by, "interrupted");
    // It stopped in the first execution, or soon after.
    CHECK_GE(result.counts.transitions, 8000);
    CHECK_LT(result.counts.transitions, 24'000);
  }
}

TEST_CASE("a stop takes effect at the next check for it, however long the execution") {
  const auto long_program = compile(readers_and_writers, {{"K", 75'000}});
  for_each_pair([&](CheckOptions options) {
    std::uint64_t at_stop = 0;
    int after = 0;
    options.progress = [&](const Progress& now) {
      if (at_stop != 0) ++after;
      if (now.transitions < 400) return true;
      at_stop = now.transitions;
      return false;
    };
    const auto result = run(long_program, options);
    CHECK_EQ(result.verdict, Verdict::undecided);
    CHECK_EQ(after, 0);
    if (at_stop == 0) {
      CHECK_NE(result.stopped_by, "interrupted");  // one execution exceeds the limit
    } else {
      CHECK_EQ(result.stopped_by, "interrupted");
      CHECK_LT(result.counts.transitions, at_stop + 1100);
    }
  });
}

TEST_CASE("every algorithm heeds its time limit in an execution of 300,000 events") {
  const auto long_program = compile(readers_and_writers, {{"K", 75'000}});
  for_each_pair([&](CheckOptions options) {
    options.timeout = 0.1;
    options.max_memory = std::uint64_t{1} << 30;
    const auto result = run(long_program, options);
    CHECK_EQ(result.verdict, Verdict::undecided);
    CHECK_LT(result.seconds, 60);  // it would hang otherwise
  });
}

TEST_CASE("independent threads cost rf no mutations, however long they are") {
  for (const std::string model : {"sc", "tso", "pso"}) {
    CAPTURE(model);
    // 120,000 events. Testing each pair of a read and a write of its thread would take 900 million tests.
    const auto result =
        run(compile(strangers, {{"K", 30'000}}), {.model = model, .algorithm = "rf", .timeout = 60});
    CHECK_EQ(result.verdict, Verdict::safe);
    CHECK_EQ(result.counts.executions, 1);
  }
}

TEST_CASE("a search for the shortest trace is stopped in the middle of a long one") {
  const auto program = compile(R"(
    shared x: int; shared y: int; shared done: int;
    thread p { for k in 0..50000 { x = k; } done = 1; }
    thread q { for k in 0..50000 { y = k; } assert done == 0; }
  )");
  const auto found = run(program, {.algorithm = "naive", .max_executions = 1});
  REQUIRE(found.violation);
  int asked = 0;
  const auto result =
      minimise(program, {.progress = [&](const Progress&) { return ++asked < 3; }}, *found.violation);
  REQUIRE(result);
  CHECK_EQ(result->stopped_by, "interrupted");
  CHECK_EQ(asked, 3);
}

#ifdef HEDDLE_COUNTS_HEAP

namespace {

std::uint64_t heap_in_use() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

struct Heap {
  double reported = 0;
  double most = 0;  // in use at one time, in addition to the start
  CheckResult result;
};

Heap run_on_heap(const Program& program, CheckOptions options) {
  Heap heap;
  const auto before = heap_in_use();
  std::uint64_t most = before;
  options.progress = [&](const Progress&) {
    most = std::max(most, heap_in_use());
    return true;
  };
  heap.result = run(program, options);
  heap.reported = static_cast<double>(heap.result.counts.peak_memory);
  heap.most = static_cast<double>(most - before);
  return heap;
}

}  // namespace

TEST_CASE("the memory that a search reports agrees with the heap") {
  struct Case {
    std::string what;
    std::string source;
  };
  const std::vector<Case> cases = {
      {"many states", R"(
         shared a: int[4]; shared b: int[4];
         thread w[i: 0..4] { for k in 0..3 { let r = a[(i + k) % 4]; a[i] = r + 1; b[k] = i; } }
       )"},
      {"states of many locations", R"(
         shared a: int[4000];
         thread w[i: 0..2] { for k in 0..150 { a[k + 2000 * i] = k; } }
       )"},
      {"many outcomes", R"(
         shared a: int[40];
         thread w[i: 0..3] { let r = choose(0..30); let s = choose(0..30); a[i] = r + 30 * s; }
         exists a[0] == 1;
       )"},
      {"one long execution", R"(
         shared x: int; shared y: int;
         thread p { for k in 0..10000 { x = k; let r = y; } }
         thread q { for k in 0..10000 { y = k; let r = x; } }
       )"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.what);
    const auto program = compile(each.source);
    for_each_pair([&](CheckOptions options) {
      // Compile first, so that the code does not count for the search.
      CheckOptions first = options;
      first.max_executions = 1;
      first.timeout = 0.01;
      static_cast<void>(run(program, first));
      options.collect_outcomes = true;
      options.timeout = 0.1;
      options.max_memory = 48 << 20;
      const auto heap = run_on_heap(program, options);
      CAPTURE(heap.reported);
      CAPTURE(heap.most);
      constexpr double small = 1 << 19;  // not counted: tables by thread and location
      CHECK_LT(heap.most, 1.25 * heap.reported + small);
      // A search that ends by itself may have grown since its last check, and there may have been none.
      if (!heap.result.stopped_by.empty() && heap.most > 0) CHECK_LT(heap.reported, 1.25 * heap.most + small);
    });
  }
}

#endif

TEST_CASE("a search stops at its memory limit, whatever it is that grows") {
  constexpr std::uint64_t limit = 24 << 20;
  struct Case {
    std::string algorithm;
    Program program;
  };
  const auto large_states = compile(R"(
    shared a: int[500];
    thread w[i: 0..2] { for k in 0..250 { a[k] = i; } }
  )");
  for (const auto& [algorithm, program] :
       {Case{"rf", compile(readers_and_writers)}, Case{"sdpor", large_states}}) {
    for (const std::string model : {"sc", "tso", "pso"}) {
      CAPTURE(algorithm);
      CAPTURE(model);
      const auto result =
          run(program, {.model = model, .algorithm = algorithm, .timeout = 60, .max_memory = limit});
      CHECK_EQ(result.stopped_by, "memory limit");
      CHECK_GT(result.counts.peak_memory, limit);
      CHECK_LT(result.counts.peak_memory, 2 * limit);
    }
  }
}

TEST_SUITE_END();

}  // namespace heddle
