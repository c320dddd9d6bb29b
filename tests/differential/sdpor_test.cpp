// `sdpor` ends a run at a known state. It has explored what follows this state after another past only, and must still find
// everything that algorithms without a table of states find.
// - Under SC, TSO and PSO it has sleep sets and knows of each state only which operations may follow.
// - Under POWER it takes states for one whose pasts differ (checker/commits/sealed_past.hpp), which happens often in programs with
//   mutexes, fences and read-modify-writes; `naive` merges runs with the same events only.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

// Programs whose threads use few variables in many ways.
class MixedWriter : TextWriter {
 public:
  explicit MixedWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared z: int; shared a: int[2]; mutex m;\n";
    variables_ = below(3) == 0 ? "xyz" : "xy";
    const int threads = below(6) == 0 ? 4 : 2 + (below(4) != 0);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqst"[t]) + " {\n";
      const int most = threads == 4 ? 2 : 4;
      for (int i = 1 + below(most); i > 0; --i)
        text += "  " + statement("r" + std::to_string(t) + std::to_string(i)) + "\n";
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return one_of(variables_); }
  std::string place() { return below(8) == 0 ? "a[" + std::to_string(below(2)) + "]" : variable(); }
  std::string comparison() { return variable() + (below(2) == 0 ? " == " : " != ") + number(); }
  std::string value_of(const std::string& local, const std::string& value) {
    return "let " + local + " = " + value + ";";
  }

  std::string statement(const std::string& local) {
    switch (below(20)) {
      case 0:
      case 1:
      case 2: return place() + " = " + number() + ";";
      case 3:
      case 4: return value_of(local, place());
      case 5:
      case 6: return value_of(local, "exchange(" + place() + ", " + number() + ")");
      case 7: return value_of(local, "fetch_add(" + variable() + ", 1)");
      case 8:
      case 9: return place() + " = " + variable() + " + " + number() + ";";
      case 10: return value_of(local, "cas(" + variable() + ", " + number() + ", " + number() + ")");
      case 11:
      case 12: return "if " + comparison() + " { " + variable() + " = " + number() + "; }";
      case 13: return "lock m; " + variable() + " = " + variable() + " + 1; unlock m;";
      case 14: return "if trylock m { " + variable() + " = " + number() + "; unlock m; }";
      case 15: return std::string("fence") + (below(2) == 0 ? "" : below(2) == 0 ? " lw" : " st") + ";";
      case 16: return "await " + comparison() + ";";
      case 17: return value_of(local, variable()) + " assume " + local + " != " + number() + ";";
      case 18: return "a[" + variable() + " & 1] = " + number() + ";";
      default: return value_of(local, "choose(0..2)") + " " + variable() + " = " + local + ";";
    }
  }

  std::string variables_;
};

// Programs in which the ways to a state differ in their numbers of choices and, in atomic blocks, of accesses.
class ChoiceWriter : TextWriter {
 public:
  explicit ChoiceWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared z: int;\n";
    const int threads = 2 + (below(3) == 0);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n ";
      for (int i = 1 + below(3); i > 0; --i) text += below(2) == 0 ? access() : choice(2);
      text += "\n}\n";
    }
    return text;
  }

 private:
  std::string access() {
    const std::string variable = one_of("xyz");
    switch (below(4)) {
      case 0: return " if " + variable + " == " + number() + " { " + one_of("xyz") + " = " + number() + "; }";
      case 1: return " fetch_add(" + variable + ", 1);";
      default: return " " + variable + " = " + number() + ";";
    }
  }
  std::string accesses() {
    std::string text;
    for (int i = below(3); i > 0; --i) text += access();
    return text;
  }
  std::string choice(int depth) {
    if (depth == 0) return accesses();
    const std::string text = " if choose(0..2) == 0 {" + accesses() +
                             choice(depth - 1 - below(2) * (depth - 1)) + " } else {" + accesses() + " }";
    return below(4) == 0 ? " atomic {" + access() + text + " }" : text;
  }
};

// Programs whose states are often met again under POWER.
class SectionWriter : TextWriter {
 public:
  explicit SectionWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared c: int; shared a: int[2]; mutex m; mutex n;\n";
    locked_ = below(3) == 0 ? 0 : 2 + below(4);  // of 6 statements
    const int threads = 2 + (below(3) == 0);
    if (below(4) == 0) {
      // Of two ways to one place, the first may be the one that allows less.
      text += "thread p { x = 1; " + fence() + " y = 1; }\n";
      text += "thread q {\n  var r = y;\n  if r == 1 { if choose(0..2) == " + number() + " { " + fence() +
              " } r = 2 + x; }\n}\n";
      return text + "thread s {\n  var r = 0;\n  " + block() + "\n}\n";
    }
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0;\n";
      const int most = threads == 2 ? 3 : 2;
      for (int i = 1 + below(most); i > 0; --i) text += "  " + block() + "\n";
      if (below(3) == 0) text += "  r = 0;\n";
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return one_of("xy"); }

  std::string block() {
    if (below(6) < locked_) return section();
    switch (below(8)) {
      case 0: return "for k in 0..2 { " + section() + " }";
      case 1: return "if trylock m { " + access() + " unlock m; }";
      case 2: return "await " + variable() + " != " + number() + ";";
      case 3: return access() + " " + fence() + " " + access();
      case 4: return fence() + " " + access();
      case 5: return "if r == " + number() + " { " + section() + " } else { " + access() + " }";
      // Ways to one place that differ in what they order only.
      case 6: return "if choose(0..2) == 0 { r = " + variable() + "; } r = 0; " + access();
      default: return access();
    }
  }
  // In no local.
  std::string index() {
    switch (below(4)) {
      case 0: return variable() + " & 1";
      case 1: return "exchange(" + variable() + ", 1) & 1";
      default: return "choose(0..2)";
    }
  }
  std::string section() {
    const std::string mutex(1, "mmmn"[below(4)]);
    std::string text = "lock " + mutex + "; ";
    for (int i = below(3); i >= 0; --i) text += access() + " ";
    return text + "unlock " + mutex + ";";
  }
  std::string fence() {
    switch (below(4)) {
      case 0: return "fence lw;";
      case 1: return "fence st;";
      default: return "fence;";
    }
  }
  std::string access() {
    switch (below(15)) {
      case 0:
      case 1: return variable() + " = " + number() + ";";
      case 2:
      case 3: return "r = " + variable() + ";";
      case 4: return variable() + " = " + variable() + " + 1;";
      case 5: return variable() + " = r;";
      case 6: return "fetch_add(c, " + number() + ");";
      case 7: return below(3) == 0 ? "r = c;" : "r = fetch_add(c, 1) % 2;";
      case 8: return "if cas(" + variable() + ", " + number() + ", " + number() + ") { r = 1; }";
      case 9: return "assert " + variable() + " != 2 || r != " + number() + ";";
      case 10: return variable() + " = choose(0..2);";
      case 11: return "a[" + index() + "] = " + number() + ";";
      case 12: return "r = a[" + index() + "];";
      case 13: return (below(2) == 0 ? "fetch_add" : "exchange") + ("(a[" + index() + "], 1);");
      default: return "r = choose(0..2);";
    }
  }

  int locked_ = 0;
};

// Programs of litmus size with two ways to one place, which differ in fences, in order, in reads, or in how values came about.
class WaysWriter : TextWriter {
 public:
  explicit WaysWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared z: int;\n";
    variables_ = below(5) == 0 ? "xyz" : "xy";
    fences_ = 1 + below(5);  // of 8 operations
    const int threads = 2 + (below(4) == 0);
    const int with_ways = below(threads);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0;\n";
      const int count = 2 + below(threads == 2 ? 3 : 2);
      const int ways = t == with_ways || below(4) == 0 ? below(count) : count;
      for (int i = 0; i < count; ++i) {
        if (i == ways) text += "  " + two_ways() + "\n";
        if (below(8) < fences_) text += "  " + fence() + "\n";
        text += "  " + operation("let r" + std::to_string(t) + std::to_string(i)) + "\n";
      }
      if (below(6) == 0) text += "  assert " + variable() + " != " + number() + ";\n";
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return one_of(variables_); }
  std::string fence() { return below(5) == 0 ? "fence st;" : below(2) == 0 ? "fence;" : "fence lw;"; }
  std::string operation(const std::string& local) {
    switch (below(10)) {
      case 0: return "fetch_add(" + variable() + ", 1);";
      case 1: return "exchange(" + variable() + ", " + number() + ");";
      case 2:
      case 3:
      case 4:
      case 5: return local + " = " + variable() + ";";
      default: return variable() + " = " + number() + ";";
    }
  }
  // One way, and the same with its operations in another order and perhaps with one more. Their local is forgotten.
  std::string two_ways() {
    std::vector<std::string> way;
    for (int i = 1 + below(3); i > 0; --i) way.push_back(operation("r"));
    if (below(2) == 0) way.push_back(fence());
    std::vector<std::string> other = way;
    std::rotate(other.begin(), other.begin() + below(static_cast<int>(other.size())), other.end());
    if (below(3) != 0)
      way.insert(way.begin() + below(static_cast<int>(way.size() + 1)),
                 below(3) == 0 ? operation("r") : fence());
    if (below(3) == 0) way.swap(other);
    std::string text = "if choose(0..2) == 0 {";
    for (const auto& step : way) text += " " + step;
    text += " } else {";
    for (const auto& step : other) text += " " + step;
    return text + " } r = 0;";
  }

  std::string variables_;
  int fences_ = 0;
};

struct Found {
  std::set<std::vector<std::int64_t>> outcomes;
  std::set<std::tuple<ViolationKind, std::uint32_t, std::uint32_t>> violations;  // with line and column
  Counts counts;
};

// Nothing if it takes too many transitions.
std::optional<Found> find(const Program& program, CheckOptions options) {
  options.keep_going = true;
  options.collect_outcomes = true;
  options.progress = [](const Progress& progress) { return progress.transitions < 100'000; };
  const auto result = check(program, options);
  REQUIRE(result);
  if (!result->stopped_by.empty()) return std::nullopt;
  Found found{.outcomes = final_states(*result), .violations = {}, .counts = result->counts};
  for (const auto& violation : result->violations)
    found.violations.emplace(violation.kind, violation.line, violation.column);
  return found;
}

}  // namespace

TEST_CASE("under SC, TSO and PSO sdpor finds what may follow a known state after every past") {
  const std::size_t mixed = tests::sized(500, 10'000);
  const std::size_t programs = mixed + tests::sized(250, 5'000);
  std::size_t failures = 0, compared = 0, ended = 0, final_states = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const auto seed = default_seed() * 1'000'000 + number;
    const std::string text = number < mixed ? MixedWriter(seed).program() : ChoiceWriter(seed).program();
    const auto program = Program::from_source(text, "mixed.hed");
    REQUIRE_MESSAGE(program, text);
    CheckOptions options{.model = std::vector<std::string>{"sc", "tso", "pso"}[number % 3],
                         .algorithm = "source"};
    if (options.model != "sc" && number % 4 == 0)
      options.buffer_bound = static_cast<std::uint32_t>(number / 4 % 3);
    INFO("program " << number << " under " << options.model << ":\n" << text);
    const auto expected = find(*program, options);
    options.algorithm = "sdpor";
    const auto found = find(*program, options);
    if (!expected || !found) continue;
    CHECK_MESSAGE(found->outcomes == expected->outcomes,
                  found->outcomes.size() << " final states for " << expected->outcomes.size());
    CHECK_MESSAGE(found->violations == expected->violations,
                  found->violations.size() << " violations for " << expected->violations.size());
    failures += found->outcomes != expected->outcomes || found->violations != expected->violations;
    ++compared;
    ended += found->counts.revisits > 0;
    final_states += expected->outcomes.size();
  }
  MESSAGE(compared << " programs, " << ended << " with known states, " << final_states << " final states");
  CHECK(compared > programs * 9 / 10);
  CHECK(ended > compared / 2);
}

TEST_SUITE_BEGIN("commits");

TEST_CASE("under POWER states whose pasts differ are merged only where no later step can tell") {
  const std::size_t programs = tests::sized(900, 15'000);
  std::size_t failures = 0, merged = 0, violations = 0, skipped = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const auto seed = default_seed() * 1'000'000 + number;
    const std::string text = number % 2 == 0 ? SectionWriter(seed).program() : WaysWriter(seed).program();
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "sealed.hed");
    REQUIRE(program);
    const auto expected = find(*program, {.model = "power", .algorithm = "naive"});
    const auto found = find(*program, {.model = "power", .algorithm = "sdpor"});
    if (!expected) {
      ++skipped;
      continue;
    }
    REQUIRE(found);
    CHECK_MESSAGE(found->outcomes == expected->outcomes,
                  found->outcomes.size() << " final states for " << expected->outcomes.size());
    CHECK_MESSAGE(found->violations == expected->violations,
                  found->violations.size() << " violations for " << expected->violations.size());
    CHECK(found->counts.states <= expected->counts.states);
    failures += found->outcomes != expected->outcomes || found->violations != expected->violations;
    merged += found->counts.executions < expected->counts.executions;
    violations += !expected->violations.empty();
  }
  MESSAGE(merged << " of " << programs << " programs with merged states, " << violations
                 << " with violations, " << skipped << " too large");
  CHECK(merged > programs / 4);
  CHECK(violations > programs / 20);
  CHECK(skipped < programs / 10);
}

TEST_SUITE_END();

}  // namespace heddle::differential
