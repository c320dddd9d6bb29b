// Executions with many events and many threads: what the first machines and sets have no room for is found by wider ones,
// with the same counts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "checker/state/range_set.hpp"
#include "heddle/heddle.h"

namespace {

using heddle::CheckOptions;
using heddle::CheckResult;
using heddle::Verdict;

CheckResult check(const std::string& text, const CheckOptions& options) {
  const auto program = heddle::Program::from_source(text, "long.hed", {.parameters = {}, .unroll = 200'000});
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()));
  const auto result = heddle::check(*program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

// `stores` private stores each, then a race with four executions, one of which ends with both values 0 under TSO and PSO.
std::string racing(int stores) {
  return fmt::format(
      "shared a: int; shared b: int; shared x: int; shared y: int;\n"
      "thread p {{ for i in 0..{0} {{ a = i; }} x = 1; let r = y; }}\n"
      "thread q {{ for i in 0..{0} {{ b = i; }} y = 1; let r = x; }}\n"
      "exists p.r == 0 && q.r == 0;",
      stores);
}

std::string reference_program(const char* name) {
  std::ifstream file(fmt::format("{}/tests/programs/reference/{}.hed", HEDDLE_SOURCE_DIR, name));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  REQUIRE_FALSE(text.empty());
  return text;
}

// A thread that makes executions long and touches nothing of the others.
const std::string padding = "shared padded: int; thread pads { for i in 0..4200 { padded = i; } }\n";

// The idle threads do nothing that others see; the last three race.
std::string many_threads(int idle) {
  return fmt::format(
      "shared own: int[{0}]; shared x: int; mutex m;\n"
      "thread idle[i: 0..{0}] {{ own[i] = i; }}\n"
      "thread adds {{ fetch_add(x, 1); }}\n"
      "thread doubles {{ let a = x; lock m; x = 2 * a + 1; unlock m; }}\n"
      "thread waits {{ await x > 0; lock m; x = 7; unlock m; }}\n",
      idle);
}

}  // namespace

TEST_CASE("executions of more than 4,000 events have the same graphs as short ones") {
  for (const char* model : {"sc", "tso", "pso"}) {
    const std::uint64_t executions =
        check(racing(3), {.model = model, .algorithm = "trust"}).counts.executions;
    CHECK(executions == (std::string(model) == "sc" ? 3 : 4));
    for (const char* algorithm : {"trust", "rsmc", "source", "dpor", "rf"}) {
      CAPTURE(model);
      CAPTURE(algorithm);
      const auto result = check(racing(2'500), {.model = model, .algorithm = algorithm});
      CHECK(result.verdict == Verdict::safe);
      CHECK(result.counts.executions == executions);
      CHECK(result.conditions.at(0).satisfied == executions - 3);
      CHECK(result.counts.max_depth > 5'000);
    }
  }
}

TEST_CASE("a thread with 4,200 stores of its own changes no count of the reference programs") {
  for (const char* name : {"inc", "casw", "readers", "indexer-locks", "lock2inc", "mcs"}) {
    const std::string text = reference_program(name);
    for (const char* model : {"sc", "tso", "pso"}) {
      for (const char* algorithm : {"trust", "rsmc"}) {
        CAPTURE(name);
        CAPTURE(model);
        CAPTURE(algorithm);
        const CheckOptions options{.model = model, .algorithm = algorithm, .keep_going = true};
        const auto alone = check(text, options);
        const auto padded = check(padding + text, options);
        CHECK(padded.verdict == alone.verdict);
        CHECK(padded.counts.executions == alone.counts.executions);
        CHECK(padded.counts.runs == alone.counts.runs);
        CHECK(padded.counts.max_depth == alone.counts.max_depth + 4'200);
      }
    }
  }
}

TEST_CASE("under SC executions of 100,000 events and more are explored by every algorithm but naive") {
  for (const char* algorithm : {"trust", "rsmc", "dpor", "source", "sdpor", "rf"}) {
    CAPTURE(algorithm);
    const auto result = check(
        "shared x: int; shared y: int;\n"
        "thread p { for i in 0..50000 { x = i; } }\n"
        "thread q { for i in 0..50000 { let r = y; } }\n",
        {.model = "sc", .algorithm = algorithm});
    CHECK(result.verdict == Verdict::safe);
    CHECK(result.counts.executions == 1);
  }
  const auto locked = check(
      "shared x: int; mutex m;\n"
      "thread p[i: 0..2] { for k in 0..15000 { lock m; x = x + i; unlock m; } }\n",
      {.model = "sc", .algorithm = "trust", .max_executions = 1});
  CHECK(locked.counts.max_depth == 120'000);
}

TEST_CASE("a violation at the end of a long execution is shown with all of it") {
  const auto result = check(
      "shared x: int; shared y: int;\n"
      "thread p { for i in 0..3000 { x = i; } y = 1; }\n"
      "thread q { for i in 0..3000 { let r = x; } let r = y; assert r == 0; }\n",
      {.model = "sc", .algorithm = "trust", .max_executions = 1});
  REQUIRE(result.violation);
  CHECK(result.violation->trace.steps.size() > 6'000);
}

TEST_CASE("a preemption bound counts the same executions where they are long") {
  int cut = 0;
  for (const char* name : {"inc", "readers", "indexer-locks", "lock2inc"}) {
    const std::string text = reference_program(name);
    for (const char* model : {"sc", "tso", "pso"}) {
      const auto everything = check(text, {.model = model, .algorithm = "trust"}).counts.executions;
      for (std::uint32_t bound = 0; bound < 2; ++bound) {
        CAPTURE(name);
        CAPTURE(model);
        CAPTURE(bound);
        const CheckOptions options{
            .model = model, .algorithm = "trust", .preemption_bound = bound, .keep_going = true};
        const auto within = check(text, options).counts.executions;
        CHECK(within <= everything);
        cut += within < everything ? 1 : 0;
        const auto padded = check(padding + text, options);
        CHECK(padded.counts.executions == within);
        CHECK(padded.counts.max_depth > 4'200);
      }
    }
  }
  CHECK(cut > 5);
  for (const char* model : {"sc", "tso"}) {
    // Each thread runs in 1,500 pieces, of which the first one is free.
    const auto alternating = [&](std::uint32_t bound) {
      return check(
          "shared x: int;\n"
          "thread p { for i in 0..1500 { await x == 2 * i; x = 2 * i + 1; } }\n"
          "thread q { for i in 0..1500 { await x == 2 * i + 1; x = 2 * i + 2; } }\n",
          {.model = model, .algorithm = "trust", .preemption_bound = bound});
    };
    CHECK(alternating(2'998).counts.executions == 1);
    CHECK(alternating(2'997).counts.executions == 0);
  }
}

TEST_CASE("graphs under TSO and PSO have a limit that is named") {
  const std::string text =
      "shared x: int[2]; thread p { for k in 0..9000 { x[0] = k; } } thread q { for k in 0..9000 { x[1] = k; "
      "} }";
  for (const char* model : {"tso", "pso"}) {
    CHECK(check(text, {.model = model, .algorithm = "trust"}).stopped_by ==
          "an execution of more than 16,000 events");
    CHECK(check(text, {.model = model}).algorithm == "source");
  }
  CHECK(check(text, {.model = "sc", .algorithm = "trust", .preemption_bound = 1}).verdict == Verdict::safe);
}

TEST_CASE("programs of up to 256 threads have the same executions as programs of few") {
  for (const char* model : {"sc", "tso", "pso", "power"}) {
    for (const char* algorithm : {"trust", "rsmc", "source", "dpor", "rf"}) {
      CAPTURE(model);
      CAPTURE(algorithm);
      const CheckOptions options{.model = model, .algorithm = algorithm, .symmetry = false};
      const auto few = check(many_threads(2), options).counts.executions;
      CHECK(few > 3);
      CHECK(check(many_threads(62), options).counts.executions == few);
      CHECK(check(many_threads(253), options).counts.executions == few);
    }
  }
  // Algorithms that merge states, and one that does not reduce at all: all but two threads do nothing.
  const auto quiet = [](const char* last) {
    return fmt::format(
        "shared x: int;\nthread idle[i: 0..254] {{ }}\n"
        "thread p {{ x = 1; x = 2; }}\nthread q {{ let r = x; assert r != {}; }}\n",
        last);
  };
  for (const char* algorithm : {"naive", "sdpor", "states"}) {
    CAPTURE(algorithm);
    CHECK(check(quiet("3"), {.algorithm = algorithm}).verdict == Verdict::safe);
    CHECK(check(quiet("2"), {.algorithm = algorithm}).verdict == Verdict::violation);
  }
}

TEST_CASE("a preemption bound works with more than 64 threads") {
  const std::string text =
      "shared x: int;\nthread idle[i: 0..100] { }\n"
      "thread p[i: 0..2] { let a = x; x = a + 1; }\nfinal { assert x == 2; }\n";
  for (const char* algorithm : {"trust", "source"}) {
    CAPTURE(algorithm);
    CHECK(check(text, {.algorithm = algorithm, .preemption_bound = 0}).verdict ==
          Verdict::safe_within_bounds);
    CHECK(check(text, {.algorithm = algorithm, .preemption_bound = 1}).verdict == Verdict::violation);
  }
}

TEST_CASE("liveness of more than 64 threads is refused, and says so") {
  const auto program = heddle::Program::from_source(
      "shared x: int; thread p[i: 0..65] { x = i; } eventually x >= 0;", "p.hed");
  REQUIRE(program);
  const auto result = heddle::check(*program);
  REQUIRE_FALSE(result);
  CHECK(heddle::to_text(result.error()).find("at most 64 threads") != std::string::npos);
}

TEST_CASE("a set of ranges behaves like a set") {
  using namespace heddle::checker;
  using Ranges = BitSet<by_ranges>;
  std::mt19937 random(5);
  const auto members = [](const Ranges& set) {
    std::set<ProcessId> result;
    set.for_each([&](ProcessId p) { result.insert(p); });
    return result;
  };
  Ranges a;
  Ranges b;
  std::set<ProcessId> in_a;
  std::set<ProcessId> in_b;
  for (int round = 0; round < 20'000; ++round) {
    const auto p = static_cast<ProcessId>(random() % 60);
    switch (random() % 7) {
      case 0: a.insert(p), in_a.insert(p); break;
      case 1: a.erase(p), in_a.erase(p); break;
      case 2: b.assign(p, true), in_b.insert(p); break;
      case 3: b.assign(p, false), in_b.erase(p); break;
      case 4:
        if (random() % 10 == 0) a |= b, in_a.insert(in_b.begin(), in_b.end());
        break;
      case 5:
        if (random() % 10 != 0) break;
        a &= b;
        std::erase_if(in_a, [&](ProcessId q) { return !in_b.contains(q); });
        break;
      default:
        if (random() % 10 != 0) break;
        a -= b;
        for (const auto q : in_b) in_a.erase(q);
        break;
    }
    REQUIRE(members(a) == in_a);
    REQUIRE(a.contains(p) == in_a.contains(p));
    REQUIRE(a.count() == in_a.size());
    REQUIRE(a.empty() == in_a.empty());
    if (!in_a.empty()) REQUIRE(a.first() == *in_a.begin());
    ProcessId absent = 0;
    while (in_a.contains(absent)) ++absent;
    REQUIRE(a.first_absent() == absent);
    REQUIRE(a.intersects(b) == !(a & b).empty());
    REQUIRE((a | b).count() == a.count() + (b - a).count());
    REQUIRE((a == b) == (in_a == in_b));
  }
}
