// What counts as a preemption, on programs small enough to count by hand. tests/differential/bounds_test.cpp
// compares random programs with all their interleavings.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "heddle/heddle.h"
#include "heddle/minimise.h"

namespace {

using heddle::Verdict;

heddle::CheckResult check(const std::string& text, const std::string& model, const std::string& algorithm,
                          std::uint32_t bound) {
  const auto program = heddle::Program::from_source(text, "test.hed");
  REQUIRE(program);
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.preemption_bound = bound;
  auto result = heddle::check(*program, options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()));
  return *result;
}

void check_verdict(const std::string& text, const std::string& model, std::uint32_t bound, Verdict expected) {
  for (const auto& algorithm : heddle::algorithms()) {
    if (!heddle::why_no_preemption_bound(model, algorithm.name).empty()) continue;
    INFO(algorithm.name << " under " << model << ", bound " << bound << "\n" << text);
    CHECK(check(text, model, std::string(algorithm.name), bound).verdict == expected);
  }
}

}  // namespace

TEST_CASE("a thread that never runs again was not preempted") {
  const std::string text =
      "shared x: int; shared y: int;\n"
      "thread p { x = 1; y = 1; }\n"
      "thread q { let r = x; let s = y; assert !(r == 1 && s == 0); }\n";
  for (const char* model : {"sc", "tso", "pso", "power"}) check_verdict(text, model, 0, Verdict::violation);
}

TEST_CASE("a violation some steps after a thread stops running is found, too") {
  const std::string text =
      "shared x: int; shared y: int; shared z: int;\n"
      "thread p { let a = exchange(x, 1); let b = exchange(y, 1); let c = exchange(y, 2); }\n"
      "thread q { let r = x; let s = y; let t = z; let u = z; assert !(r == 1 && s == 0); }\n";
  for (const char* model : {"sc", "tso", "pso", "power"}) check_verdict(text, model, 0, Verdict::violation);
}

TEST_CASE("a violation in any of the threads left behind is found, though each of them costs a preemption") {
  const std::string text =
      "shared a: int; shared b: int; shared x: int; shared y: int; shared z: int;\n"
      "thread p { let r = fetch_add(a, 1); let s = x; let t = a; }\n"
      "thread q { let r = fetch_add(b, 1); let s = x; assert s == 0; let t = b; }\n"
      "thread o { let s = a; let t = b; assume s == 1 && t == 1; x = 1; fence; }\n";
  // o comes after a part of p and of q, and only q is resumed.
  for (const char* model : {"sc", "tso", "pso", "power"}) {
    check_verdict(text, model, 0, Verdict::safe_within_bounds);
    check_verdict(text, model, 1, Verdict::violation);
  }
}

TEST_CASE("a resumed thread was preempted, and a violation hidden by the bound does not make a check safe") {
  const std::string text =
      "shared x: int; shared y: int;\n"
      "thread p { let a = exchange(x, 1); let r = y; assert r == 0; }\n"
      "thread q { let s = x; if s == 1 { y = 1; } }\n";
  for (const char* model : {"sc", "tso", "pso", "power"}) {
    check_verdict(text, model, 0, Verdict::safe_within_bounds);
    check_verdict(text, model, 1, Verdict::violation);
  }
}

TEST_CASE("leaving a thread that waits for a mutex is free") {
  const std::string text =
      "shared x: int; shared y: int; mutex m;\n"
      "thread p { lock m; y = 1; x = 1; unlock m; }\n"
      "thread q { let r = y; let s = x; lock m; assert !(r == 1 && s == 0 && x == 1); unlock m; }\n";
  // q arrives while p holds the mutex, and waits for it. The return to p is the only preemption. (Under power q can read the
  // old x after p has ended.)
  check_verdict(text, "power", 0, Verdict::violation);
  for (const char* model : {"sc", "tso", "pso"}) {
    check_verdict(text, model, 0, Verdict::safe_within_bounds);
    check_verdict(text, model, 1, Verdict::violation);
  }
}

TEST_CASE("several threads wait for free while one that was left holds the mutex") {
  const std::string text =
      "shared a: int[2]; shared s: int[2]; shared d: int; shared e: int[2]; shared c: int[2]; mutex m;\n"
      "thread t { lock m; d = 1; unlock m; }\n"
      "thread u[i: 0..2] { let old = exchange(a[i], 1); lock m; e[i] = d; c[i] = s[i]; unlock m; }\n"
      "thread v[i: 0..2] { s[i] = a[i]; }\n"
      "forall !(e[0] == 1 && e[1] == 1 && c[0] == 1 && c[1] == 1);\n";
  // Each v comes between two steps of its u. The return to t is the only preemption, though t could have run to its end at once.
  for (const char* model : {"sc", "tso", "pso", "power"}) {
    check_verdict(text, model, 0, Verdict::safe_within_bounds);
    check_verdict(text, model, 1, Verdict::violation);
  }
}

TEST_CASE("a deadlock counts with all its preemptions") {
  const std::string text =
      "mutex m; mutex n;\n"
      "thread p { lock m; lock n; unlock n; unlock m; }\n"
      "thread q { lock n; lock m; unlock m; unlock n; }\n";
  // p takes m and never runs again, so it never locks n.
  for (const char* model : {"sc", "tso", "pso", "power"}) check_verdict(text, model, 0, Verdict::violation);
}

TEST_CASE("the shortest trace to a violation is one within the bound") {
  const auto program = heddle::Program::from_source(
      "shared x: int;\n"
      "thread p { let a = x; assert a != 3; }\n"
      "thread q { x = 1; x = 2; x = 3; }\n",
      "test.hed");
  REQUIRE(program);
  for (const char* model : {"sc", "power"}) {
    heddle::CheckOptions options{.model = model, .algorithm = "trust"};
    options.preemption_bound = 0;
    const auto result = heddle::check(*program, options);
    REQUIRE(result);
    REQUIRE(result->violation);
    const auto shortest = heddle::minimise(*program, options, *result->violation);
    REQUIRE_MESSAGE(shortest, heddle::to_text(shortest.error()));
    CHECK(shortest->shortest);
    CHECK(shortest->transitions == 4);
    CHECK(shortest->switches == 1);
  }
}
