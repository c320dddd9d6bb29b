// The place of a deadlock, in every report: where the first thread waits.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// FILE:LINE:COL of the deadlock, and its message.
struct Deadlock {
  std::string place;
  std::string message;
};

// The same under all models and algorithms.
Deadlock deadlock_of(const std::string& file) {
  const auto program = Program::from_file(file);
  REQUIRE(program);
  Deadlock first;
  for (const ModelInfo& model : models()) {
    for (const AlgorithmInfo& algorithm : algorithms()) {
      if (algorithm.runs_endless || !why_not(model.name, algorithm.name).empty()) continue;
      CAPTURE(model.name);
      CAPTURE(algorithm.name);
      const auto result =
          check(*program, {.model = std::string(model.name), .algorithm = std::string(algorithm.name)});
      REQUIRE(result);
      REQUIRE(result->violation);
      const Violation& violation = *result->violation;
      CHECK(violation.kind == ViolationKind::deadlock);
      const Deadlock found{
          violation.file + ":" + std::to_string(violation.line) + ":" + std::to_string(violation.column),
          violation.message};
      if (first.place.empty()) first = found;
      CHECK(found.place == first.place);
    }
  }
  return first;
}

const char* const crossed_locks =
    "mutex a;\nmutex b;\nthread p {}\nthread q {\n  lock a;\n  lock b; unlock b; unlock a;\n}\n"
    "thread r { lock b; lock a; unlock a; unlock b; }\n";

}  // namespace

TEST_CASE("a deadlock has the place where the first thread waits, under all models and algorithms") {
  TemporaryFolder folder;
  const std::string locks = folder.file("locks.hed", crossed_locks);
  CHECK(deadlock_of(locks).place == locks + ":6:3");
  const std::string await =
      folder.file("await.hed",
                  "shared x: int;\nfn wait_for_it() { await x == 2; }\nthread p { x = 1; }\n"
                  "thread q { wait_for_it(); }\n");
  const Deadlock waits = deadlock_of(await);
  CHECK(waits.place == await + ":2:20");
  CHECK(waits.message == "deadlock: q waits at line 2: await x == 2");
}

TEST_CASE("a thread that waits in the standard library waits where the user's file calls it") {
  TemporaryFolder folder;
  const std::string twice = folder.file("twice.hed",
                                        "import std.spinlock;\nshared l: spinlock.Lock;\n"
                                        "fn enter() {\n  spinlock.acquire(l);\n}\n"
                                        "thread p { enter();\n  spinlock.acquire(l); }\n");
  const Deadlock again = deadlock_of(twice);
  CHECK(again.place == twice + ":7:3");
  CHECK(again.message.starts_with("deadlock: p waits at line 7 (std/spinlock.hed:"));
  const std::string once = folder.file("once.hed",
                                       "import std.spinlock;\nshared l: spinlock.Lock;\n"
                                       "fn enter() {\n  spinlock.acquire(l);\n}\n"
                                       "thread p { for i in 0..2 { enter(); } }\n");
  CHECK(deadlock_of(once).place == once + ":4:3");
}

TEST_CASE("text, JSON, SARIF, JUnit and a shortest trace name the place of a deadlock") {
  TemporaryFolder folder;
  const std::string file = folder.file("locks.hed", std::string(crossed_locks) + "expect sc: safe;\n");
  const std::string sarif = (folder.path() / "out.sarif").string();
  const std::string junit = (folder.path() / "junit.xml").string();
  const Finished text = run_heddle({"check", file, "--sarif", sarif, "--minimise"});
  CHECK(contains(text.output,
                 "\n" + file + ":6:3: violation: deadlock: q waits at line 6 for b, which r holds"));
  CHECK(contains(text.output, "The shortest trace to this violation"));
  const Json region =
      Json::parse(read(sarif))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
  CHECK(region["startLine"] == 6);
  CHECK(region["startColumn"] == 3);
  const Json report = Json::parse(run_heddle({"check", file, "--json"}).output);
  CHECK(report["violation"]["file"] == file);
  CHECK(report["violation"]["line"] == 6);
  CHECK(report["violation"]["column"] == 3);
  CHECK(run_heddle({"test", file, "--junit", junit}).exit_code == 1);
  CHECK(contains(read(junit), file + ":6:3: violation: deadlock: "));
}

}  // namespace heddle::test
