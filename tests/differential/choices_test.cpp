// Random programs whose threads wait at the choices of an `either`: `trust`, `rsmc`, `dpor`, `source`, `sdpor` and `rf`, with
// which a choice is made only when an alternative can be taken, find the executions (`sdpor`: the states; `rf`: its classes are compared
// in rf_test.cpp), final states and deadlocks of an algorithm with which a thread chooses first and then waits.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "choices_writer.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

TEST_SUITE_BEGIN("waiting");

TEST_CASE("an alternative is taken only where it can be taken, and none is missed") {
  constexpr std::uint64_t most_executions = 4'000;
  constexpr std::optional<std::uint64_t> most_transitions = 50'000;
  const std::size_t programs = tests::sized(1'000, 8'000);
  std::size_t deadlocks = 0, compared = 0, compared_under_power = 0, independent = 0, merged = 0,
              failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = ChoicesWriter(default_seed() * 10'000'000 + number).program();
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "choices.hed");
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso", "power"}) {
      const bool is_power = std::string(model) == "power";
      // These choose first. Under power naive takes long, and rf counts something else. Elsewhere naive counts something else, and
      // trust chooses first with a bound, which a program with daemons cannot have.
      const bool has_daemons = text.find("daemon ") != std::string::npos;
      const bool is_naive = is_power ? number % 4 == 0 : has_daemons;
      const std::string reference = is_naive ? "naive" : is_power ? "rf" : "trust";
      bool is_counted = is_power ? is_naive : !is_naive;
      WholeSearch expected =
          is_power   ? search_whole(*program, model, reference,
                                  is_naive ? most_executions / 40 : most_executions, most_transitions)
          : is_naive ? search_whole(*program, model, reference, {}, 20 * *most_transitions)
                     : search_whole(*program, model, reference, most_executions, {}, 1'000);
      if (!is_power && !expected.finished) break;
      independent += expected.finished;
      if (!expected.finished) {
        expected = search_whole(*program, model, "trust", most_executions);
        is_counted = true;
        if (!expected.finished) break;
      }
      for (const std::string algorithm : {"trust", "rsmc", "dpor", "source", "sdpor", "rf"}) {
        WholeSearch found = search_whole(*program, model, algorithm, most_executions);
        if (!is_counted && !found.finished) break;
        if (!is_counted) expected.executions = found.executions;
        is_counted = true;
        if (algorithm == "rf") found.executions = expected.executions;  // its executions are classes
        if (algorithm == "sdpor") {                                     // its executions are states
          merged += found.executions < expected.executions;
          found.executions = expected.executions;
        }
        CHECK_MESSAGE(found == expected, algorithm << " " << std::string(model) << ": " << found.executions
                                                   << " executions of " << expected.executions << ", "
                                                   << found.states.size() << " final states of "
                                                   << expected.states.size() << ", deadlock "
                                                   << found.violation << expected.violation);
        failures += found != expected;
      }
      ++compared;
      compared_under_power += is_power;
      deadlocks += expected.violation;
    }
  }
  CHECK(compared > 2 * programs);
  CHECK(compared_under_power > programs / 2);
  CHECK(independent > 2 * programs);
  CHECK(merged > programs / 8);
  CHECK(deadlocks > programs / 4);
}

TEST_CASE("no execution is blocked at an alternative that never becomes possible") {
  for (const char* name :
       {"alternating_bit", "counter_crdt", "lamport_mutex", "lease", "paxos", "raft_election",
        "ricart_agrawala", "sliding_window", "three_phase_commit", "token_ring", "two_phase_commit"}) {
    const auto program =
        Program::from_file(std::string(HEDDLE_SOURCE_DIR "/examples/protocols/") + name + ".hed");
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso", "power"}) {
      for (const std::string algorithm : {"trust", "rsmc", "dpor", "source", "sdpor", "rf"}) {
        // (Under `power` they have some: sdpor in paxos, rf chooses first.)
        if (std::string(model) == "power" && (algorithm == "sdpor" || algorithm == "rf")) continue;
        INFO(name << " " << std::string(model) << " " << algorithm);
        CheckOptions options;
        options.model = model;
        options.algorithm = algorithm;
        const auto result = check(*program, options);
        if (!result && (options.model == "power" || algorithm == "rf")) {
          CHECK(result.error().front().text.find("invariants") != std::string::npos);
          continue;
        }
        REQUIRE(result);
        CHECK(result->counts.executions > 0);
        // One of its guards has two loads of what others write. Interleavings wait for these one after the other.
        const bool waits_twice = std::string(name) == "three_phase_commit" && std::string(model) != "power" &&
                                 algorithm != "trust" && algorithm != "rsmc";
        // A daemon that waits again looks early in `rf`.
        if (std::string(name) == "sliding_window" && algorithm == "rf" && options.model != "sc") {
          CHECK(result->counts.blocked_await * 10 < result->counts.executions);
          continue;
        }
        CHECK(result->counts.blocked_await == (waits_twice ? (algorithm == "sdpor" ? 3 : 4) : 0));
      }
    }
  }
}

TEST_CASE("no execution is blocked at an alternative whose update never becomes possible") {
  const auto program = Program::from_source(
      "shared a: int[2]; shared other: int;\n"
      "thread p { either { either i in 0..2 { while !cas(a[i], 1, 2) { } } } or { await other == 1; } }\n"
      "thread q { other = 2; a[1] = 1; }\n",
      "updates.hed");
  REQUIRE(program);
  const auto blocked = [&](const char* model, const char* algorithm) {
    INFO(model << " " << algorithm);
    CheckOptions options;
    options.model = model;
    options.algorithm = algorithm;
    const auto result = check(*program, options);
    REQUIRE(result);
    CHECK(result->counts.executions == 1);
    return result->counts.blocked_await;
  };
  for (const char* model : {"sc", "tso", "pso", "power"}) {
    CHECK(blocked(model, "trust") == 0);
    CHECK(blocked(model, "rsmc") == 0);
  }
  for (const char* model : {"sc", "tso", "pso"}) {
    CHECK(blocked(model, "dpor") == 0);
    CHECK(blocked(model, "source") == 0);
    CHECK(blocked(model, "sdpor") == 0);
    CHECK(blocked(model, "rf") > 0);  // it chooses first
  }
}

TEST_SUITE_END();

}  // namespace heddle::differential
