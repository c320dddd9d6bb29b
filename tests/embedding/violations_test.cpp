// CheckOptions::keep_going: every distinct violation is kept, with its trace and its count.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/machine.h"
#include "heddle/minimise.h"
#include "tests/every_pair.hpp"

namespace {

using heddle::CheckResult;
using heddle::Program;
using heddle::Violation;
using heddle::tests::for_each_pair;

std::vector<std::string> messages(const CheckResult& result) {
  std::set<std::string> found;
  for (const Violation& violation : result.violations) found.insert(violation.message);
  CHECK(found.size() == result.violations.size());
  return {found.begin(), found.end()};
}

// Both assertions of p fail in one step; those of q and of the final block fail separately.
const char* const many =
    "shared x: int;\nshared y: int;\n"
    "thread p { let a = x; assert a == 0, \"first\"; assert a < 1, \"second\"; y = a; }\n"
    "thread q { x = 1; assert false, \"third\"; }\n"
    "final { assert y == 0, \"fourth\"; assert x == 0, \"fifth\"; }\n"
    "forbid p.a == 1;\nforall x == 0;\n";

TEST_CASE("a check that keeps going lists every violation once, with a trace to it") {
  const auto program = Program::from_source(many, "many.hed");
  REQUIRE(program);
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const auto result = heddle::check(*program, {.model = model, .algorithm = algorithm, .keep_going = true});
    REQUIRE(result);
    CHECK(result->finished);
    CHECK(messages(*result) ==
          std::vector<std::string>{"a final state does not satisfy 'forall x == 0'",
                                   "a final state satisfies 'forbid p.a == 1'", "assertion failed: fifth",
                                   "assertion failed: first", "assertion failed: fourth",
                                   "assertion failed: second", "assertion failed: third"});
    REQUIRE(result->violation);
    CHECK(result->violation->message == result->violations.front().message);
    for (const Violation& violation : result->violations) {
      CAPTURE(violation.message);
      CHECK(violation.count >= 1);
      auto machine = heddle::Machine::start(*program, {.model = model, .resume_after_assert = true});
      REQUIRE(machine);
      REQUIRE(machine->load(violation.trace));
      machine->forward(machine->ahead());
      const auto status = machine->status();
      CHECK(status.end == heddle::MachineEnd::violation);
      const bool shown = status.message == violation.message ||
                         std::count(status.also.begin(), status.also.end(), violation.message) == 1;
      CHECK(shown);
    }
  });
}

TEST_CASE("a check that stops at its first violation reports it, and is not finished") {
  const auto program = Program::from_source(many, "many.hed");
  REQUIRE(program);
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const auto result = heddle::check(*program, {.model = model, .algorithm = algorithm});
    REQUIRE(result);
    CHECK_FALSE(result->finished);
    CHECK(result->stopped_by.empty());
    CHECK(result->violations.size() == 1);
  });
}

TEST_CASE("deadlocks are distinct if different threads wait, or wait at different places") {
  const auto program = Program::from_source(
      "mutex a;\nmutex b;\nmutex c;\n"
      "thread p { lock a; lock b; unlock b; unlock a; }\n"
      "thread q { lock b; lock a; unlock a; unlock b; lock c; }\n"
      "thread r { lock c; }\n",
      "deadlocks.hed");
  REQUIRE(program);
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const auto result = heddle::check(*program, {.model = model, .algorithm = algorithm, .keep_going = true});
    REQUIRE(result);
    std::uint64_t met = 0;
    for (const Violation& violation : result->violations) {
      CHECK(violation.kind == heddle::ViolationKind::deadlock);
      met += violation.count;
    }
    // p and q wait for each other; q or r waits for c, which the other one holds.
    CHECK(messages(*result).size() == 3);
    CHECK(met >= 3);
  });
}

TEST_CASE("an index that is wrong in many ways at one place is one violation") {
  const auto program =
      Program::from_source("shared x: int[2];\nthread p { let i = choose(0..6); x[i] = 1; }\n", "index.hed");
  REQUIRE(program);
  for_each_pair([&](const std::string& model, const std::string& algorithm) {
    const auto result = heddle::check(*program, {.model = model, .algorithm = algorithm, .keep_going = true});
    REQUIRE(result);
    REQUIRE(result->violations.size() == 1);
    CHECK(result->violations.front().count == 4);
    CHECK(result->violations.front().message.starts_with("index "));
  });
}

}  // namespace
