// Executions under POWER that have more events than a machine of one or of four words has room for: the search
// begins again on a wider one, and finds the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "heddle/heddle.h"

namespace {

heddle::Program program_of(const std::string& text) {
  const auto program = heddle::Program::from_source(text, "limits.hed", {.parameters = {}, .unroll = 1000});
  REQUIRE(program);
  return *program;
}

// Two threads with a location each, and a load of the other's location at the very end: it may read each
// store or the initial value, and nothing else is open.
heddle::Program long_threads(std::uint32_t stores) {
  const auto program = heddle::Program::from_source(
      "param N = 1; shared x: int; shared y: int;\n"
      "thread p { for i in 0..N { x = i + 1; } }\n"
      "thread q { for i in 0..N { y = i + 1; } let a = x; if a == N { y = 0; } }\n"
      "exists q.a == N && y == 0;",
      "long.hed", {.parameters = {{"N", stores}}, .unroll = 1000});
  REQUIRE(program);
  return *program;
}

TEST_CASE("executions of any length have each graph once under POWER") {
  for (const std::uint32_t stores : {20U, 31U, 32U, 63U, 64U, 70U, 127U, 128U, 130U}) {
    for (const char* algorithm : {"rsmc", "dpor", "source", "sdpor", "trust", "rf", "naive"}) {
      if (stores > 40 && std::string(algorithm) == "naive") continue;  // its states grow quadratically
      CAPTURE(stores);
      CAPTURE(algorithm);
      const auto result =
          check(long_threads(stores),
                {.model = "power", .algorithm = algorithm, .keep_going = true, .collect_outcomes = true});
      REQUIRE(result);
      CHECK(result->verdict == heddle::Verdict::safe);
      CHECK(result->counts.executions == stores + 1);
      CHECK(result->outcomes.size() == stores + 1);
      CHECK(result->conditions.at(0).satisfied == 1);
    }
  }
}

TEST_CASE("what is found before an execution turns out to be long counts once") {
  // The same program with long executions and with short ones, which never begin again.
  const auto found = [](int rounds, const char* model, const char* algorithm) {
    const auto program = program_of(
        "shared x: int; shared y: int;\n"
        "thread p { let c = choose(0..2); if c == 0 { x = 7; assert false; } else { for i in 0.." +
        std::to_string(rounds) +
        " { x = i; } } }\n"
        "thread q { let c = choose(0..2); assume c == 0; y = 1; }\n"
        "exists x == " +
        std::to_string(rounds - 1) + ";");
    const auto result = check(program, {.model = model,
                                        .algorithm = algorithm,
                                        .keep_going = true,
                                        .collect_outcomes = true,
                                        .witnesses = true,
                                        .coverage = true});
    REQUIRE(result);
    CHECK(result->counts.executions == 2);
    CHECK(result->outcomes.size() == 2);
    CHECK(result->conditions.at(0).satisfied == 1);
    REQUIRE(result->violations.size() == 1);
    return std::pair(result->violations[0].count, result->counts.blocked_assume);
  };
  for (const char* model : {"tso", "power"}) {
    for (const char* algorithm : {"rsmc", "trust"}) {
      CAPTURE(model);
      CAPTURE(algorithm);
      CHECK(found(70, model, algorithm) == found(9, model, algorithm));
    }
  }
}

TEST_CASE("executions of more than a thousand events are explored under POWER") {
  const auto result = check(long_threads(600), {.model = "power", .keep_going = true});
  REQUIRE(result);
  CHECK(result->verdict == heddle::Verdict::safe);
  CHECK(result->counts.executions == 601);
}

TEST_CASE("a thread may have any number of loads under POWER") {
  for (const std::uint32_t loads : {62U, 63U, 64U, 65U, 140U}) {
    for (const char* algorithm : {"rsmc", "dpor", "source", "sdpor", "trust", "rf", "naive"}) {
      CAPTURE(loads);
      CAPTURE(algorithm);
      const auto result =
          check(program_of(fmt::format("shared x: int;\nthread p {{ for i in 0..{} {{ let a = x; }} }}\n"
                                       "thread q {{ x = 1; }}\n",
                                       loads)),
                {.model = "power", .algorithm = algorithm, .keep_going = true});
      REQUIRE(result);
      // (`sdpor` ends at known states, and there is one end.)
      CHECK(result->counts.executions == (std::string(algorithm) == "sdpor" ? 1 : loads + 1));
      CHECK(result->stopped_by.empty());
    }
  }
}

// Load buffering, after many other loads. `stored`: what the first thread stores, which depends on `a` or not.
TEST_CASE("dependencies on late loads keep their order under POWER") {
  const struct {
    const char* stored;
    bool ordered;
  } rows[] = {{"y = 1;", false},
              {"y = a * 0 + 1;", true},
              {"y = (first + last) * 0 + 1;", false},
              {"y = (first + a + last) * 0 + 1;", true},
              {"if a == a { y = 1; }", true},
              {"slot[a * 0] = 1; y = 1;", true},
              {"let b = cas(w, a, a) ? 1 : 0; y = b * 0 + 1;", true},
              {"let b = fetch_add(w, a); y = 1;", false},
              {"if last == last { y = 1; }", false}};
  for (const auto& [stored, ordered] : rows) {
    for (const std::uint32_t before : {0U, 61U, 62U, 63U, 64U, 130U}) {
      INFO(stored);
      CAPTURE(before);
      const auto program = program_of(fmt::format(
          "shared x: int; shared y: int; shared z: int; shared w: int; shared slot: int[2];\n"
          "thread p {{ let first = z; for i in 0..{} {{ let c = z; }} let a = x; let last = z; {} }}\n"
          "thread q {{ let r = y; x = r; }}\nexists p.a == 1;\n",
          before, stored));
      for (const char* algorithm : {"trust", "rsmc"}) {
        const auto result = check(program, {.model = "power", .algorithm = algorithm});
        REQUIRE(result);
        CHECK(result->stopped_by.empty());
        CHECK((result->conditions[0].satisfied > 0) != ordered);
      }
    }
  }
}

TEST_CASE("a thread that runs ahead too far under POWER is abandoned before it takes time and memory") {
  const auto stopped_by = [](const char* statement) {
    const auto result =
        check(program_of(fmt::format("shared x: int;\nthread p {{ for i in 0..1000000 {{ {} }} }}\n"
                                     "thread q {{ let a = x; }}\n",
                                     statement)),
              {.model = "power"});
    REQUIRE(result);
    CHECK(result->verdict == heddle::Verdict::undecided);
    CHECK(result->counts.transitions == 0);
    return result->stopped_by;
  };
  CHECK(stopped_by("x = i;") == "a thread with more than 10,000 events in one execution");
  CHECK(stopped_by("fence;") == "a thread that asks for more than 65,536 things in one execution");
}

}  // namespace
