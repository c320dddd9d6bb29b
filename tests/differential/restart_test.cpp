// Random programs with `restart if c;`: all pairs of algorithm and model agree on the small ones, and all have the final states, the
// number of executions and the deadlocks of programs that say the same by hand, with a loop around the thread's
// statements and `if c { continue; }` after each operation.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

class RestartWriter : TextWriter {
 public:
  // `small`: few enough interleavings for `naive`.
  RestartWriter(std::uint64_t number, bool small, bool by_hand)
      : TextWriter(number), small_(small), by_hand_(by_hand) {}

  std::string program() {
    const int limit = !small_ && below(4) == 0 ? 2 : 1;
    const std::string most = std::to_string(limit);
    const bool together = below(4) == 0;
    point_ = together ? "now_any()" : "now(c)";
    std::string text =
        "shared x: int; shared y: int; shared n: int; mutex m;\n"
        "fn now(c: ref int) -> bool { if c >= " +
        most +
        " || choose(0..2) == 0 { return false; } c += 1; return true; }\n"
        "fn now_any() -> bool { if choose(0..2) == 0 { return false; } if fetch_add(n, 1) >= " +
        most +
        " { assume false; } return true; }\n"
        "fn twice(v: ref int, k: int) { v = k; v = v + 1; }\n";
    const int threads = 2 + (!small_ && below(6) == 0);
    for (int t = 0; t < threads; ++t) {
      const bool restarts = t == 0 || (!small_ && below(6) == 0);
      first_ = true;
      in_loop_ = by_hand_ && restarts;
      points_ = by_hand_ && restarts;
      text += "thread " + std::string(1, "pqs"[t]) + " {\n";
      if (restarts) text += "  var c = 0;\n";
      if (restarts && !by_hand_) text += "  restart if " + point_ + ";\n";
      text += "  var r = 0;\n";
      if (in_loop_) text += "  for round in 0.." + std::to_string(limit + 1) + " {\n  r = 0;\n";
      const int statements = restarts && threads == 2 ? 1 + below(small_ ? 2 : 3) : 1;
      for (int i = 0; i < statements; ++i) text += "  " + statement(small_ && t > 0 ? 10 : 15) + "\n";
      if (in_loop_) text += "  " + point() + "break;\n  }\n";
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return one_of("xy"); }

  // Comes before each operation.
  std::string point() {
    if (!points_ || std::exchange(first_, false)) return "";
    return "if " + point_ + " { continue; } ";
  }
  std::string add_one(const std::string& v) {
    if (!points_) return v + " += 1;";
    const std::string load = point() + "let t = " + v + "; ";
    return "{ " + load + point() + v + " = t + 1; }";
  }

  // `kinds`: how many of them; the last ones have several operations.
  std::string statement(int kinds) {
    const std::string v = variable();
    const std::string k = number();
    switch (below(kinds)) {
      case 0:
      case 1:
      case 2: return point() + v + " = " + k + ";";
      case 3:
      case 4: return point() + "r = r * 3 + " + v + ";";
      case 5: return point() + v + " = r;";
      case 6: return point() + "fetch_add(" + v + ", 1);";
      case 7: return point() + "fence;";
      case 8: return point() + "await " + v + " != " + k + ";";
      case 9: return add_one(v);
      case 10: {
        const std::string head = point();
        return head + "if cas(" + v + ", 0, " + k + ") { " + point() + "y = 2; }";
      }
      case 11:
        if (!points_) return "twice(" + v + ", " + k + ");";
        {
          const std::string head = point() + v + " = " + k + "; ";
          return head + add_one(v);
        }
      case 12: {
        const std::string w = variable();
        if (!points_) return "for i in 0..2 { " + v + " = i; r = r + " + w + "; }";
        std::string text;
        first_ = false;
        for (const char* const i : {"0", "1"})
          text += point() + v + " = " + i + "; " + point() + "r = r + " + w + "; ";
        return text;
      }
      case 13: {
        const std::string head = point();
        const std::string one = "await " + v + " == " + k + "; r = r + 5; " + point() + "x = 1;";
        return head + "either { " + one + " } or { " + point() + "y = 2; }";
      }
      default: {
        const std::string take = point() + "lock m; ";
        const std::string use = point() + v + " = " + k + "; ";
        return take + use + point() + "unlock m;";
      }
    }
  }

  bool small_;
  bool by_hand_;
  bool points_ = false;
  bool in_loop_ = false;
  bool first_ = true;
  std::string point_;
};

constexpr std::uint64_t most_executions = 20'000;

}  // namespace

TEST_CASE("a thread that restarts does what a loop with a test after each operation does") {
  const std::size_t programs = tests::sized(150, 2000);
  std::size_t failures = 0;
  std::size_t deadlocks = 0;
  std::size_t too_large = 0;
  std::size_t more = 0;  // of the programs have several final states
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::uint64_t seed = default_seed() * 1'000'000 + number;
    const bool small = number % 3 == 0;
    const std::string text = RestartWriter(seed, small, false).program();
    const std::string loops = RestartWriter(seed, small, true).program();
    INFO("program " << number << ":\n" << text << "by hand:\n" << loops);
    const auto program = Program::from_source(text, "restart.hed");
    const auto by_hand = Program::from_source(loops, "by_hand.hed");
    REQUIRE(program);
    REQUIRE(by_hand);
    if (small) {
      const Finding finding = all_pairs_agree(*program);
      CHECK_MESSAGE(finding.difference.empty(), finding.difference);
      failures += !finding.difference.empty();
    }
    for (const std::string_view model : {"sc", "tso", "pso", "power"}) {
      const std::string algorithm = model == "power" ? "trust" : "source";
      const WholeSearch found = search_whole(*program, std::string(model), algorithm, most_executions);
      const WholeSearch looped = search_whole(*by_hand, std::string(model), algorithm, most_executions);
      if (found.executions >= most_executions) {
        ++too_large;
        continue;
      }
      CHECK_MESSAGE(found == looped, model << ": " << found.executions << " executions, by hand "
                                           << looped.executions << "; " << found.states.size() << " states, "
                                           << looped.states.size() << "; deadlock " << found.violation << " "
                                           << looped.violation);
      failures += !(found == looped);
      deadlocks += found.violation;
      more += found.states.size() > 2;
    }
  }
  CHECK(deadlocks > programs / 20);
  CHECK(more > programs);
  CHECK(too_large < programs / 10);
}

}  // namespace heddle::differential
