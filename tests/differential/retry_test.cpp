// Ending executions at idle rounds of retry loops changes nothing that can be observed: random programs with such loops
// have the final states, violations and deadlocks that they have with loops as written, and all pairs of algorithm and
// model agree on them. Both searches have the same bound of rounds, which idle rounds do not need.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
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

class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text =
        "shared x: int; shared y: int; shared a: int[2]; mutex m;\n"
        "fn put(v: ref int, n: int) -> bool { let old = v; if old == n { return false; } return cas(v, old, "
        "n); }\n"
        "fn add(n: ref int, k: int) { n = (n + k) % 3; }\n"
        "fn until(n: int) { var r = 0; var b: int[2]; while true { " +
        round() + " if x == n { return; } } }\n";
    const int threads = 2 + (below(4) == 0);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0; var b: int[2];\n";
      const bool has_loop = t == 0 || below(2) == 0;
      const int before = below(2);
      for (int i = 0; i < before; ++i) text += "  " + plain() + "\n";
      if (has_loop) text += "  " + loop();
      for (int i = below(has_loop ? 2 : 3); i >= 0; --i) text += "  " + plain() + "\n";
      text += "}\n";
    }
    if (below(6) == 0) text += "invariant x != 2 || y != 1;\n";
    if (below(6) == 0) text += "invariant p.r != 2 || x != 1;\n";
    return text;
  }

 private:
  std::string variable() { return one_of("xy"); }
  std::string equals() { return below(2) == 0 ? " == " : " != "; }

  std::string plain() {
    switch (below(9)) {
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + ";";
      case 3: return "r = " + variable() + ";";
      case 4: return "fetch_add(" + variable() + ", 1);";
      case 5: return "fence;";
      case 6: return "assert " + variable() + " != " + number() + " || r != " + number() + ";";
      case 7: return "lock m; " + variable() + " = " + number() + "; unlock m;";
      default: return "a[" + std::to_string(below(2)) + "] = r;";
    }
  }

  // What a round does before it decides whether another one follows. Much of it may change something.
  std::string round() {
    std::string text;
    for (int i = below(3); i > 0; --i) {
      switch (below(19)) {
        case 0: text += " let c" + std::to_string(i) + " = " + variable() + ";"; break;
        case 1:
        case 15:
        case 16:
        case 17:
        case 18:
          text += " if " + variable() + equals() + number() + " { " + variable() + " = " + number() + "; }";
          break;
        case 2:
          text += " if cas(" + variable() + ", " + number() + ", " + number() + ") { " + bump() + " }";
          break;
        case 3: text += " " + bump(); break;
        case 4: text += " fence;"; break;
        case 5: text += " await " + variable() + " != " + number() + ";"; break;
        case 6: text += " assert " + variable() + " != " + number() + ";"; break;
        case 7:
          text += " if trylock m { " + std::string(below(2) == 0 ? "y = 1; " : "") + "unlock m; }";
          break;
        case 8:
          text += " if choose(0..2) == 1 { let d" + std::to_string(i) + " = " + variable() + "; }";
          break;
        case 9: text += " a[" + variable() + " % 2] = 1;"; break;
        case 10: text += " add(r, " + variable() + ");"; break;
        case 11: text += " if fetch_add(" + variable() + ", " + number() + ") == 1 { " + bump() + " }"; break;
        case 12: text += " if put(" + variable() + ", " + number() + ") { " + bump() + " }"; break;
        case 13: text += " assume " + variable() + " != " + number() + ";"; break;
        default: text += " for i in 0..2 { if a[i] == 1 { " + bump() + " } }"; break;
      }
    }
    return text;
  }
  std::string bump() {
    switch (below(4)) {
      case 0: return "r = " + variable() + ";";
      case 1: return "r = 1;";
      case 2: return "b[" + std::to_string(below(2)) + "] = " + variable() + ";";
      default: return "r = (r + 1) % 2;";
    }
  }

  std::string loop() {
    // (A loop with an empty body is an await.)
    const std::string body = " let seen = y;" + round();
    const std::string condition = variable() + equals() + number();
    switch (below(11)) {
      case 0:
        return "var done = false; while !done { let old = x;" + body + " done = cas(x, old, old + 1); }\n";
      case 1:
        return "while true {" + body + " if cas(" + variable() + ", " + number() + ", 2) { break; } }\n";
      case 2: return "while " + condition + " {" + body + " }\n";
      case 3: return "while !put(" + variable() + ", " + number() + ") {" + body + " }\n";
      case 4: return "while true {" + body + " if " + condition + " { continue; } " + plain() + " break; }\n";
      case 5: return "while r == 0 { r = " + variable() + ";" + body + " }\n";
      case 6: return "while " + condition + " { while y == 1 {" + body + " if x == 1 { break; } } r = x; }\n";
      case 7:  // here and below, rounds assign older locals that may be dead where a round begins
        return "var old = 0; var done = false; while !done { old = x;" + body +
               " done = cas(x, old, old + 1); }\n";
      case 8: return "while true { r = x;" + body + " if cas(x, r, " + number() + ") { break; } }\n";
      case 9:
        return "var at = 0; while r" + equals() + number() + " { b[at] = x; b[1] = y;" + body +
               " at = b[0] % 2; " + (below(2) == 0 ? "r = b[at];" : "if cas(x, b[1], 2) { r = 2; }") + " }\n";
      default: return "until(" + number() + ");\n";
    }
  }
};

// Programs in which rounds revert what they wrote: `z` is a counter, `k` a mutex without `trylock`. Some programs look
// at them in a way that others notice.
class CounterWriter : TextWriter {
 public:
  explicit CounterWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared z: int = " + number() +
                       "; shared w: int[2]; mutex k;\n"
                       "fn up() -> int { return fetch_add(z, 1); }\nfn down() { fetch_sub(z, 1); }\n";
    noticed_ = below(4) == 0;
    const int threads = 2 + (below(3) == 0);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0; var a = 0;\n";
      if (below(2) == 0) text += "  " + plain() + "\n";
      if (t < 2) text += "  " + loop();
      if (below(3) != 0) text += "  " + plain() + "\n";
      text += "}\n";
    }
    if (below(6) == 0) text += "invariant x != 2 || z != 1;\n";
    if (below(8) == 0) text += "final { assert z == " + number() + "; }\n";
    return text;
  }

 private:
  std::string compared() {
    static constexpr const char* relations[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    return relations[below(6)] + std::to_string(below(4) - 1);
  }

  std::string plain() {
    switch (below(noticed_ ? 11 : 8)) {
      case 0: return "x = " + number() + ";";
      case 1: return "r = x;";
      case 2: return "fetch_add(z, " + number() + ");";
      case 3: return "fetch_sub(z, 1);";
      case 4: return "r = fetch_add(z, 1);";
      case 5: return "await z" + compared() + ";";
      case 6: return "lock k; x = r; unlock k;";
      case 7: return "w[1] = r; fetch_add(w[0], 1);";
      case 8: return "r = z;";
      case 9: return "if cas(z, 1, 2) { r = 1; }";
      default: return "z = " + number() + ";";
    }
  }

  std::string extra() {
    switch (below(8)) {
      case 0: return " if x == 2 { fence; }";
      case 1: return " await z" + compared() + ";";
      case 2: return " await x != " + number() + ";";
      case 3: return " fence;";
      case 4: return " if x == 1 { r = 1; }";
      case 5: return " assert x != 2;";
      default: return "";
    }
  }

  std::string loop() {
    const std::string test = compared();
    switch (below(11)) {
      case 0: return "while fetch_add(z, 1)" + test + " {" + extra() + " fetch_sub(z, 1);" + extra() + " }\n";
      case 1: return "while fetch_sub(z, 2)" + test + " { fetch_add(z, 2);" + extra() + " }\n";
      case 2:
        return "var old = fetch_add(z, 1); while old" + test + " { fetch_sub(z, 1);" + extra() +
               " old = fetch_add(z, 1); }\n";
      case 3: return "while up()" + test + " { down();" + extra() + " }\n";
      case 4: return "while exchange(x, 1) != 0 {" + extra() + " }\n";
      case 5: return "lock k; while x" + test + " { unlock k;" + extra() + " lock k; } r = x; unlock k;\n";
      case 6:
        return "while true { lock k; a = x; if a" + test + " { unlock k; break; } unlock k; a = 0;" +
               extra() + " }\n";
      case 7: return "var old = x; while !cas(x, old, old + 1) {" + extra() + " old = x; }\n";
      case 8: return "a = x; while !cas(x, a, " + number() + ") {" + extra() + " a = x; }\n";
      case 9:
        return "while fetch_add(w[0], 1)" + test + " { fetch_sub(w[" + std::to_string(below(2)) + "], 1);" +
               extra() + " }\n";
      default:
        return "while true { let v = fetch_add(z, 1); if v" + test + " { break; } fetch_add(z, -1);" +
               (below(2) == 0 ? " fetch_or(w[1], 1);" : "") + extra() + " }\n";
    }
  }

  bool noticed_ = false;
};

struct Found {
  std::set<std::vector<std::int64_t>> outcomes;
  // By the statement at their place: a loop may repeat statements from in front of it, of which the first ones count.
  std::set<std::pair<ViolationKind, std::string>> violations;
  std::uint64_t executions = 0;
  std::uint64_t idle = 0;
  bool operator==(const Found& other) const {
    return outcomes == other.outcomes && violations == other.violations;
  }
};

// From the place to the end of its statement. Lines and columns count from 1.
std::string statement_at(const std::string& text, std::uint32_t line, std::uint32_t column) {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  begin += column - 1;
  return text.substr(begin, text.find(';', begin) - begin);
}

// Nothing if there are too many executions.
std::optional<Found> find(const std::string& text, const char* model,
                          std::optional<std::uint32_t> buffer_bound, bool as_written) {
  const auto program = Program::from_source(text, "retry.hed",
                                            {.parameters = {}, .unroll = 3, .unroll_spin_loops = as_written});
  REQUIRE(program);
  CheckOptions options;
  options.model = model;
  options.algorithm = text.find("invariant") == std::string::npos ? "trust" : "source";
  if (buffer_bound) options.algorithm = "source";
  options.buffer_bound = buffer_bound;
  options.keep_going = true;
  options.collect_outcomes = true;
  options.progress = [](const Progress& progress) { return progress.transitions < 300'000; };
  const auto result = check(*program, options);
  REQUIRE(result);
  if (!result->stopped_by.empty()) return std::nullopt;
  Found found;
  found.executions = result->counts.executions;
  found.idle = result->counts.blocked_idle;
  found.outcomes = final_states(*result);
  // (The message about an invariant names a step after which it fails, one of several.)
  for (const auto& violation : result->violations)
    found.violations.emplace(violation.kind, statement_at(text, violation.line, violation.column));
  return found;
}

// `write(number)`: a program.
template <typename Write>
void compare_with_loops_as_written(std::size_t programs, Write&& write) {
  std::size_t failures = 0, idle = 0, fewer = 0, violations = 0, skipped = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = write(default_seed() * 1'000'000 + number);
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "retry.hed", {.parameters = {}, .unroll = 3});
    REQUIRE(program);
    const Finding finding = all_pairs_agree(*program);
    CHECK_MESSAGE(finding.difference.empty(), finding.difference);
    failures += !finding.difference.empty();
    for (const char* model : {"sc", "tso", "pso"}) {
      std::optional<std::uint32_t> buffer_bound;
      if (std::string_view(model) != "sc" && number % 3 == 0) buffer_bound = number % 2;
      const auto found = find(text, model, buffer_bound, false);
      const auto expected = find(text, model, buffer_bound, true);
      if (!found || !expected) {
        ++skipped;
        continue;
      }
      CHECK_MESSAGE(*found == *expected, model << ": " << found->outcomes.size() << " final states for "
                                               << expected->outcomes.size() << ", "
                                               << found->violations.size() << " violations for "
                                               << expected->violations.size());
      failures += !(*found == *expected);
      idle += found->idle > 0;
      fewer += found->executions < expected->executions;
      violations += !found->violations.empty();
    }
  }
  MESSAGE(idle << " of " << 3 * programs << " searches with idle rounds, " << fewer
               << " with fewer executions, " << violations << " with violations, " << skipped
               << " too large");
  CHECK(idle > programs / 2);
  CHECK(fewer > programs / 3);
  CHECK(violations > programs / 5);
}

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE("executions that end at idle rounds are not missed, and all algorithms agree on where they end") {
  compare_with_loops_as_written(tests::sized(200, 2000),
                                [](std::uint64_t number) { return Writer(number).program(); });
}

TEST_CASE("rounds that revert what they wrote can be left out where no other thread notices") {
  compare_with_loops_as_written(tests::sized(200, 4000),
                                [](std::uint64_t number) { return CounterWriter(number).program(); });
}

TEST_SUITE_END();

}  // namespace heddle::differential
