// Programs with more threads and store buffers than the fixed-width sets hold.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

#include "checker/state/bit_set.hpp"
#include "heddle/heddle.h"
#include "heddle/machine.h"

namespace {

heddle::Program compile(const std::string& text) {
  auto program = heddle::Program::from_source(text, "test.hed");
  REQUIRE(program);
  return *program;
}

heddle::CheckResult check(const heddle::Program& program, std::string_view algorithm) {
  heddle::CheckOptions options;
  options.model = "pso";
  options.algorithm = algorithm;
  auto result = heddle::check(program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

}  // namespace

TEST_CASE("every algorithm reports a violation of a thread with more than 1,024 store buffers") {
  // The first run shows it, since the store of v has not happened yet.
  const auto program = compile(
      "shared a: int[1100]; shared x: int;\n"
      "thread w { for j in 0..1100 { a[j] = 1; } let r = x; assert r == 1, \"not seen\"; }\n"
      "thread v { x = 1; }\n");
  for (const auto& algorithm : heddle::algorithms()) {
    if (algorithm.name == "states") continue;  // no reduction
    INFO(algorithm.name);
    const auto result = check(program, algorithm.name);
    REQUIRE(result.violation);
    CHECK(result.violation->message.find("not seen") != std::string::npos);
    CHECK_FALSE(result.violation->trace.steps.empty());
  }
}

TEST_CASE("every reduction finds a violation that needs another order among 1,100 store buffers") {
  const auto program = compile(
      "shared a: int[1100]; shared x: int;\n"
      "thread w { for j in 0..1100 { a[j] = 1; } let r = x; assert r == 0, \"seen\"; }\n"
      "thread v { x = 1; }\n");
  for (const auto& algorithm : heddle::algorithms()) {
    // These would take every order of the flushes.
    if (algorithm.name == "naive" || algorithm.name == "states") continue;
    if (algorithm.name == "sdpor") continue;  // compares states in time quadratic in the buffers of a thread
    INFO(algorithm.name);
    CHECK(check(program, algorithm.name).violation);
  }
}

TEST_CASE("thirty threads that write forty locations each are checked: every buffer counts") {
  std::string text = "shared a: int[1200]; shared x: int;\n";
  for (int t = 0; t < 30; ++t) {
    const auto first = std::to_string(40 * t);
    text += "thread t" + std::to_string(t) + " { for j in 0..40 { a[" + first + " + j] = 1; } }\n";
  }
  const auto safe = compile(text);
  const auto wrong = compile(text + "thread z { let r = a[1199]; assert r == 0; }\n");
  for (const auto& algorithm : heddle::algorithms()) {
    if (algorithm.name == "naive" || algorithm.name == "states") continue;
    INFO(algorithm.name);
    CHECK(check(wrong, algorithm.name).violation);
    const auto result = check(safe, algorithm.name);
    CHECK(result.verdict == heddle::Verdict::safe);
    CHECK(result.counts.executions == 1);
  }
}

TEST_CASE("the interactive machine steps through a program with more than 1,024 store buffers") {
  const auto program = compile("shared a: int[1100]; thread w { for j in 0..1100 { a[j] = 1; } }\n");
  heddle::MachineOptions options;
  options.model = "pso";
  auto machine = heddle::Machine::start(program, options);
  REQUIRE(machine);
  CHECK(machine->transitions().size() == 1100);
  for (std::size_t left = 1100; left > 1080; --left) REQUIRE(machine->step(left - 1));
  CHECK(machine->transitions().size() == 1080);
}

TEST_CASE("a growing set of processes behaves like a set") {
  using namespace heddle::checker;
  std::mt19937 random(5);
  const auto members = [](const auto& set) {
    std::set<ProcessId> result;
    set.for_each([&](ProcessId p) { result.insert(p); });
    return result;
  };
  BitSet<growing> a;
  BitSet<growing> b;
  std::set<ProcessId> in_a;
  std::set<ProcessId> in_b;
  for (int round = 0; round < 20'000; ++round) {
    const auto p = static_cast<ProcessId>(random() % 3000);
    switch (random() % 6) {
      case 0: a.insert(p), in_a.insert(p); break;
      case 1: a.erase(p), in_a.erase(p); break;
      case 2: b.assign(p, true), in_b.insert(p); break;
      case 3: b.assign(p, false), in_b.erase(p); break;
      case 4:
        if (random() % 50 == 0) a |= b, in_a.insert(in_b.begin(), in_b.end());
        break;
      default:
        if (random() % 50 != 0) break;
        a -= b;
        for (const auto q : in_b) in_a.erase(q);
        break;
    }
    REQUIRE(a.contains(p) == in_a.contains(p));
    REQUIRE(a.empty() == in_a.empty());
    if (!in_a.empty()) REQUIRE(a.first() == *in_a.begin());
    if (round % 100 == 0) REQUIRE(members(a | b).size() == members(a).size() + members(b - a).size());
    if (round % 100 == 0) REQUIRE(members(a) == in_a);
  }
}
