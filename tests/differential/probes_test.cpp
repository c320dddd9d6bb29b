// Random programs whose threads look at several locations first, in the condition of an `await` or in a round of a
// retry loop: `trust` and `rsmc`, where such a probe is a read of all of them, find the executions, final states and violations
// of `source`, where each load is on its own.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared z: int; shared own: int[4]; mutex m;\n";
    const int threads = below(3) == 0 ? 2 : 3;
    const bool begins_with_readers = below(3) == 0;
    for (int t = 0; t < threads; ++t) {
      // Equal threads, if nothing in them names the index; mostly they only read.
      const bool are_readers = begins_with_readers && t == 0;
      const bool are_equal = are_readers || below(6) == 0;
      only_reads_ = are_readers || (are_equal && below(3) > 0);
      is_daemon_ = !are_readers && below(7) == 0;
      mine_ = "own[" + std::to_string(t) + "]";
      text += std::string(is_daemon_ ? "daemon " : "") + "thread " + std::string(1, "pqs"[t]) +
              (are_equal ? "[k: 0..2]" : "") + " {\n  var r = 0;\n";
      if (are_readers) text += "  await " + condition() + ";\n";
      for (int i = are_readers ? 0 : are_equal ? 2 : 3 + below(2); i > 0; --i)
        text += "  " + statement(i) + "\n";
      text += "}\n";
    }
    return text;
  }

 private:
  std::string comparison(const std::string& what) { return TextWriter::comparison(what, 2); }
  // (Of a daemon that reads one location twice for a condition, others count a look with an old first value as well.)
  std::string condition() {
    const std::string one = one_of("xxyz");
    std::string other = one_of("xxyz");
    while (is_daemon_ && other == one) other = one_of("xyz");
    switch (below(8)) {
      case 0: return one + " == " + other;
      case 1: return one + " + " + other + " > " + std::to_string(1 + below(2));
      case 2: return comparison(one) + " || " + comparison(other);
      case 3:
        if (!is_daemon_)
          return "(" + comparison(one) + " || " + comparison(other) + ") && " + comparison(one_of("xyz"));
        [[fallthrough]];
      default: return comparison(one) + " && " + comparison(other);
    }
  }
  std::string plain() {
    if (only_reads_) return "r = r * 3 + " + one_of("xyz") + ";";
    switch (below(9)) {
      case 0: return mine_ + " = " + one_of("xyz") + ";";
      case 1: return "fetch_add(" + one_of("xxyz") + ", 1);";
      case 2: return "cas(" + one_of("xyz") + ", " + number() + ", " + number() + ");";
      case 3: return "r = r * 3 + " + one_of("xyz") + ";";
      case 4: return "lock m; " + one_of("xyz") + " = " + number() + "; unlock m;";
      default: return one_of("xxyz") + " = " + number() + ";";
    }
  }
  // What a round does until it ends the loop, or comes to nothing.
  std::string round(const std::string& done, int depth) {
    const auto rest = [&] { return round(done, depth + 1); };
    const int kind = depth > 2 ? 0 : below(14);
    const std::string local = done + std::to_string(depth);
    switch (kind) {
      case 0:
      case 1:
      case 2: return done + " = true;";
      case 3:
      case 4:
        return "let " + local + " = " + one_of("xyz") + "; if " + local +
               " == " + (below(2) == 0 ? number() : one_of("xyz")) + " { " + rest() + " }";
      case 5:
      case 6: return "if " + condition() + " { " + rest() + " } else { " + rest() + " }";
      case 7: return "if " + comparison(one_of("xyz")) + " { " + rest() + " }";
      case 8: return "await " + comparison(one_of("xyz")) + "; " + rest();
      case 9: return "r = r + " + one_of("xyz") + "; " + rest();
      case 10: return "fence; " + rest();
      case 11: return "assert " + comparison(one_of("xyz")) + "; " + rest();
      case 12:
        if (!only_reads_)
          return "if cas(" + one_of("xyz") + ", " + number() + ", " + number() + ") { " + rest() + " }";
        [[fallthrough]];
      default: return plain() + " " + rest();
    }
  }
  std::string loop(int number_of_loop) {
    const std::string n = std::to_string(number_of_loop);
    const std::string done = "d" + n;
    switch (below(6)) {
      case 0:  // (The loads before the loop are those of its body.)
        return "var a" + n + " = " + one_of("xy") + "; var b" + n + " = z; while a" + n + " != b" + n +
               " { a" + n + " = " + one_of("xy") + "; b" + n + " = z; } r = a" + n + ";";
      case 1:
        return "var " + done + " = false; while " + comparison(one_of("xyz")) + " && !" + done + " { " +
               round(done, 0) + " }";
      default:
        return "var " + done + " = false; while !" + done + " { let s" + n + " = " + one_of("xyz") +
               "; if s" + n + (below(2) == 0 ? " != " : " == ") + number() + " { " + round(done, 0) + " } }";
    }
  }
  std::string statement(int place) {
    switch (below(10)) {
      case 0:
      case 1: return loop(place);
      case 2:
      case 3: return "await " + condition() + ";";
      default: return plain();
    }
  }

  std::string mine_;
  bool only_reads_ = false;
  bool is_daemon_ = false;
};

constexpr const char* models[] = {"sc", "tso", "pso"};

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE("loads that are probed together find what loads on their own find") {
  constexpr std::uint64_t most_executions = 4'000;
  const std::size_t programs = tests::sized(700, 6'000);
  CompileOptions compile;
  compile.unroll = 4;
  std::size_t compared = 0, violations = 0, large = 0, failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = Writer(default_seed() * 10'000'000 + number).program();
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "probes.hed", compile);
    REQUIRE(program);
    for (const char* model : models) {
      const WholeSearch expected = search_whole(*program, model, "source", most_executions);
      if (!expected.finished) break;
      for (const char* algorithm : {"trust", "rsmc"}) {
        const WholeSearch found = search_whole(*program, model, algorithm, most_executions);
        CHECK_MESSAGE(found == expected, std::string(algorithm)
                                             << " " << std::string(model) << ": " << found.executions
                                             << " executions of " << expected.executions << ", "
                                             << found.states.size() << " final states of "
                                             << expected.states.size() << ", violation " << found.violation
                                             << expected.violation);
        failures += found != expected;
      }
      ++compared;
      violations += expected.violation;
      large += expected.executions >= 20;
    }
  }
  CHECK(compared > 2 * programs);
  CHECK(violations > programs / 4);
  CHECK(large > programs / 4);
}

TEST_CASE("no reader is blocked because it has passed one of several loads too early") {
  // A reader sees the values of one update or of none, whatever the others see.
  const std::string readers = R"(
param READERS = 3; param UPDATES = 3;
shared number: int; shared left: int; shared right: int;
thread writer {
  for n in 0..UPDATES {
    number = 2 * n + 1;
    fence lw;
    left = n + 1;
    right = n + 1;
    fence lw;
    number = 2 * n + 2;
  }
}
thread reader[i: 0..READERS] {
  var done = false;
  while !done {
    let before = number;
    if before % 2 == 0 {
      let a = left;
      let b = right;
      if number == before {
        assert a == b;
        done = true;
      }
    }
  }
}
)";
  const auto sequence_lock = Program::from_source(readers, "readers.hed");
  REQUIRE(sequence_lock);
  const auto peterson = Program::from_file(HEDDLE_SOURCE_DIR "/examples/peterson.hed");
  REQUIRE(peterson);
  for (const char* model : models) {
    for (const char* algorithm : {"trust", "rsmc"}) {
      INFO(std::string(model) << " " << std::string(algorithm));
      for (const bool symmetry : {true, false}) {
        CheckOptions options{.model = model, .algorithm = algorithm};
        options.symmetry = symmetry;
        const auto found = check(*sequence_lock, options);
        REQUIRE(found);
        CHECK(found->counts.executions == 4 * 4 * 4);
        CHECK(found->counts.representatives == (symmetry ? 20 : 64));
        CHECK(found->counts.blocked_idle == 0);
      }
      const auto found = check(*peterson, {.model = model, .algorithm = algorithm});
      REQUIRE(found);
      CHECK(found->counts.executions == 4);
      CHECK(found->counts.blocked_await == 0);
    }
  }
}

TEST_SUITE_END();

}  // namespace heddle::differential
