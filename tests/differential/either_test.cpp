// Random programs with `either`: all pairs of algorithm and model agree on them, and they have the final states, the
// number of executions and the deadlocks of programs that say the same without the word.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "generate.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

// How an alternative is taken.
enum class Form : std::uint8_t {
  either,  // by the statement
  choice,  // by a `choose`, then it waits: the same executions, but a deadlock may be one that looked too early
  first,  // first waits until some alternative can be taken, then chooses one and assumes that it can: the same
          // final states and deadlocks, if each condition is one load
};

class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number) {}

  std::string program(Form form) {
    form_ = form;
    std::string text =
        "shared x: int; shared y: int; shared z: int; shared a: int[2];\n"
        "fn seen(v: ref int, n: int) -> int { await v == n; return v; }\n";
    const int threads = below(3) == 0 ? 2 : 3;
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0;\n";
      const int statements = 1 + below(threads == 2 ? 3 : 2);
      bool has_either = false;
      for (int i = 0; i < statements; ++i) {
        const bool here = !has_either && below(3) != 0;
        has_either = has_either || here;
        text += here ? either() : "  " + plain() + "\n";
      }
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return one_of("xyz"); }

  std::string plain() {
    switch (below(9)) {
      case 8: return "a[" + std::to_string(below(2)) + "] = " + number() + ";";
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + ";";
      case 3: return "r = " + variable() + ";";
      case 4: return "await " + variable() + " != " + number() + ";";
      case 5: return "fetch_add(" + variable() + ", 1);";
      case 6: return "fence;";
      default: return "r = r * 3 + " + variable() + ";";
    }
  }

  struct Alternative {
    std::string condition;  // empty: it can always be taken
    std::string guard;      // waits until the condition holds
    std::string rest;
  };
  Alternative alternative() {
    Alternative result;
    switch (below(6)) {
      case 0: result.rest = " r = r + 4;"; break;  // (An await that comes first would be a guard.)
      case 1: {
        const std::string v = variable();
        const std::string n = number();
        result.condition = v + " == " + n;
        result.guard = "r = seen(" + v + ", " + n + ");";
        break;
      }
      case 2:
        result.condition = variable() + " == " + number() + " && " + variable() + " != " + number();
        result.guard = "await " + result.condition + ";";
        break;
      default:
        result.condition = variable() + (below(3) == 0 ? " != " : " == ") + number();
        result.guard = "await " + result.condition + ";";
        break;
    }
    for (int i = below(3); i > 0; --i) result.rest += " " + plain();
    return result;
  }

  // An alternative for each element of an array.
  std::string range() {
    const std::string n = number();
    const std::string rest = below(2) == 0 ? "r = r + i + 1;" : variable() + " = i;";
    const std::string guard = "await a[i] == " + n + ";";
    if (form_ == Form::either) return "  either i in 0..2 { " + guard + " " + rest + " }\n";
    const std::string any = form_ == Form::first ? "await a[0] == " + n + " || a[1] == " + n + "; " : "";
    const std::string taken = form_ == Form::first ? "assume a[i] == " + n + ";" : guard;
    return "  { " + any + "let i = choose(0..2); " + taken + " " + rest + " }\n";
  }

  std::string either() {
    if (below(4) == 0) return range();
    std::vector<Alternative> all(static_cast<std::size_t>(2 + (below(4) == 0)));
    for (auto& one : all) one = alternative();
    std::string text;
    if (form_ == Form::either) {
      for (const auto& one : all)
        text += (text.empty() ? "  either { " : " or { ") + one.guard + one.rest + " }";
      return text + "\n";
    }
    text = "  {";
    bool always = false;
    std::string any;
    for (const auto& one : all) {
      always = always || one.condition.empty();
      any += (any.empty() ? "" : " || ") + ("(" + one.condition + ")");
    }
    if (form_ == Form::first && !always) text += " await " + any + ";";
    text += " let k = choose(0.." + std::to_string(all.size()) + ");";
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string guard = all[i].guard;
      // (A function's result is loaded once more, after the condition.)
      if (form_ == Form::first && !guard.empty()) {
        const bool call = guard.starts_with("r = seen(");
        guard = "assume " + all[i].condition + ";" + (call ? " r = " + guard.substr(9, 1) + ";" : "");
      }
      text += " if k == " + std::to_string(i) + " { " + guard + all[i].rest + " }";
    }
    return text + " }\n";
  }

  Form form_ = Form::either;
};

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE("an either takes every alternative that can be taken, and waits for ever only if none ever can") {
  const std::size_t programs = tests::sized(250, 4000);
  std::size_t deadlocks = 0;
  std::size_t early = 0;
  std::size_t failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::uint64_t seed = default_seed() * 1'000'000 + number;
    const std::string text = Writer(seed).program(Form::either);
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "either.hed");
    const auto choice = Program::from_source(Writer(seed).program(Form::choice), "choice.hed");
    const auto first = Program::from_source(Writer(seed).program(Form::first), "first.hed");
    REQUIRE(program);
    REQUIRE(choice);
    REQUIRE(first);
    const Finding finding = all_pairs_agree(*program);
    CHECK_MESSAGE(finding.difference.empty(), finding.difference);
    failures += !finding.difference.empty();
    for (const char* model : {"sc", "tso", "pso", "power"}) {
      const std::string algorithm = std::string(model) == "power" ? "trust" : "source";
      const WholeSearch found = search_whole(*program, model, algorithm);
      const WholeSearch chosen = search_whole(*choice, model, algorithm);
      const bool same = found.states == chosen.states && found.executions == chosen.executions &&
                        (!found.violation || chosen.violation);
      CHECK_MESSAGE(same,
                    model << ": " << found.executions << " executions, with a choice " << chosen.executions);
      failures += !same;
      early += chosen.violation && !found.violation;
      deadlocks += found.violation;
      if (std::string(model) == "power" || text.find("&&") != std::string::npos) continue;
      const WholeSearch waiting = search_whole(*first, model, algorithm);
      const bool as_first = found.states == waiting.states && found.violation == waiting.violation;
      CHECK_MESSAGE(as_first, model << ": " << found.states.size() << " states, waiting first "
                                    << waiting.states.size() << "; deadlock " << found.violation << " "
                                    << waiting.violation);
      failures += !as_first;
    }
  }
  // Both kinds of ends occur.
  CHECK(deadlocks > programs / 20);
  CHECK(early > programs / 20);
}

TEST_SUITE_END();

}  // namespace heddle::differential
