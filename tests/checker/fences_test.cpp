// find_fences against brute force, and its results checked again by every algorithm. Small programs have an
// `@` wherever a fence could matter; brute force tries all fences there.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/fences.h"
#include "tests/environment.hpp"

namespace {

using heddle::CheckOptions;
using heddle::FenceAnswer;
using heddle::FenceCosts;
using heddle::FenceGoal;
using heddle::FenceOptions;
using heddle::FenceResult;
using heddle::Program;
using heddle::Verdict;

Program compiled(const std::string& text) {
  auto program = Program::from_source(text, "test.hed");
  REQUIRE_MESSAGE(program, heddle::to_text(program.error()), text);
  return std::move(*program);
}

std::string without_marks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '@'), text.end());
  return text;
}

FenceResult found(const std::string& text, const FenceOptions& options) {
  auto result = heddle::find_fences(compiled(text), options);
  REQUIRE_MESSAGE(result, heddle::to_text(result.error()), text);
  return std::move(*result);
}

bool is_safe(const std::string& text, const std::vector<std::string>& models,
             const std::string& algorithm = {}) {
  const Program program = compiled(text);
  for (const std::string& model : models) {
    if (!algorithm.empty() && !heddle::why_not(model, algorithm).empty()) continue;
    const auto result = heddle::check(program, {.model = model, .algorithm = algorithm});
    REQUIRE(result);
    if (result->verdict != Verdict::safe) return false;
  }
  return true;
}

// 0: none, 1: isync, 2: st, 3: lw, 4: full.
using Assignment = std::vector<unsigned>;
constexpr std::array<std::string_view, 5> words = {"", "fence isync; ", "fence st; ", "fence lw; ",
                                                   "fence; "};

std::string with(const std::string& text, const Assignment& assignment) {
  std::string result;
  std::size_t mark = 0;
  for (const char c : text) {
    if (c == '@') {
      result += words[assignment[mark++]];
    } else {
      result += c;
    }
  }
  return result;
}

std::uint64_t cost(const Assignment& assignment, const FenceCosts& costs) {
  const std::array<std::uint64_t, 5> of{0, costs.instruction, costs.store_store, costs.lightweight,
                                        costs.full};
  std::uint64_t sum = 0;
  for (const unsigned kind : assignment) sum += of[kind];
  return sum;
}

bool covers(const Assignment& a, const Assignment& b) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](unsigned x, unsigned y) { return x == y || y == 0 || x == 4 || (x == 3 && y < 3); });
}

// A sufficient set that costs less, if there is one. Sets that a larger one that does not suffice contains are left
// out, as fences only exclude executions.
std::optional<Assignment> cheaper(const std::string& text, const FenceOptions& options, std::uint64_t limit) {
  const auto marks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '@'));
  std::vector<Assignment> all{{}};
  const bool power = std::count(options.models.begin(), options.models.end(), "power") > 0;
  const bool pso = std::count(options.models.begin(), options.models.end(), "pso") > 0;
  for (std::size_t mark = 0; mark < marks; ++mark) {
    std::vector<Assignment> longer;
    for (const Assignment& assignment : all) {
      for (unsigned kind = 0; kind < 5; ++kind) {
        if ((kind == 1 || kind == 3) && !power) continue;
        if (kind == 2 && !power && !pso) continue;
        Assignment next = assignment;
        next.push_back(kind);
        if (cost(next, options.costs) < limit) longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  std::stable_sort(all.begin(), all.end(), [&](const Assignment& a, const Assignment& b) {
    return cost(a, options.costs) > cost(b, options.costs);
  });
  std::vector<Assignment> insufficient;
  for (const Assignment& assignment : all) {
    if (assignment.size() != marks) continue;
    if (std::any_of(insufficient.begin(), insufficient.end(),
                    [&](const Assignment& larger) { return covers(larger, assignment); }))
      continue;
    if (is_safe(with(text, assignment), options.models)) return assignment;
    insufficient.push_back(assignment);
  }
  return std::nullopt;
}

// The cheapest cost by both ways; the text with the fences is safe by every algorithm.
FenceResult agrees(const std::string& marked, const FenceOptions& options) {
  CAPTURE(marked);
  CAPTURE(options.models);
  const std::string text = without_marks(marked);
  FenceResult result = found(text, options);
  REQUIRE(result.answer != FenceAnswer::undecided);
  if (result.answer == FenceAnswer::impossible) {
    const Assignment everything(static_cast<std::size_t>(std::count(marked.begin(), marked.end(), '@')), 4);
    CHECK_FALSE(is_safe(with(marked, everything), options.models));
    return result;
  }
  const auto better = cheaper(marked, options, result.cost);
  CHECK_MESSAGE(!better, "cheaper: ", with(marked, better.value_or(Assignment(64))));
  const std::string fenced = result.changed.empty() ? text : result.changed.front().text;
  CAPTURE(fenced);
  for (const auto& algorithm : heddle::algorithms())
    CHECK_MESSAGE((algorithm.runs_endless || is_safe(fenced, options.models, std::string(algorithm.name))),
                  algorithm.name);
  // The changed text has nothing left to improve, and its fences cost what the result says.
  const FenceResult again = found(fenced, options);
  CHECK_EQ(again.cost, result.cost);
  CHECK_EQ(again.standing_cost, result.cost);
  CHECK(again.changed.empty());
  return result;
}

struct Example {
  std::string name;
  std::string text;
  // Costs under tso, pso, power.
  std::array<std::uint64_t, 3> costs;
};

const std::string two = "shared x: int;\nshared y: int;\n";

const std::vector<Example> examples = {
    {"SB",
     two + "thread p { x = 1; @let a = y; }\nthread q { y = 1; @let b = x; }\n"
           "forbid p.a == 0 && q.b == 0;\n",
     {8, 8, 8}},
    {"MP",
     two + "thread p { x = 1; @y = 1; }\nthread q { let a = y; @let b = x; }\n"
           "forbid q.a == 1 && q.b == 0;\n",
     {0, 1, 3}},
    {"MP with a branch",
     two + "thread p { x = 1; @y = 1; }\n"
           "thread q { var b = 1; let a = y; @if a == 1 { @b = x; } }\n"
           "forbid q.a == 1 && q.b == 0;\n",
     {0, 1, 2}},
    {"LB",
     two + "thread p { let a = x; @y = 1; }\nthread q { let b = y; @x = 1; }\n"
           "forbid p.a == 1 && q.b == 1;\n",
     {0, 0, 4}},
    {"LB with a dependency",
     two + "thread p { let a = x; @y = a; }\nthread q { let b = y; @x = 1; }\n"
           "forbid p.a == 1 && q.b == 1;\n",
     {0, 0, 2}},
    {"R",
     two + "thread p { x = 1; @y = 1; }\nthread q { y = 2; @let a = x; }\n"
           "forbid y == 2 && q.a == 0;\n",
     {4, 5, 8}},
    {"S",
     two + "thread p { x = 2; @y = 1; }\nthread q { let a = y; @x = 1; }\n"
           "forbid x == 2 && q.a == 1;\n",
     {0, 1, 3}},
    {"2+2W",
     two + "thread p { x = 1; @y = 2; }\nthread q { y = 1; @x = 2; }\n"
           "forbid x == 1 && y == 1;\n",
     {0, 2, 2}},
    {"WRC",
     two + "thread p { x = 1; }\nthread q { let a = x; @y = 1; }\nthread r { let b = y; @let c = x; }\n"
           "forbid q.a == 1 && r.b == 1 && r.c == 0;\n",
     {0, 0, 4}},
    {"RWC",
     two + "thread p { x = 1; }\nthread q { let a = x; @let b = y; }\nthread r { y = 1; @let c = x; }\n"
           "forbid q.a == 1 && q.b == 0 && r.c == 0;\n",
     {4, 4, 8}},
    {"IRIW",
     two + "thread p { x = 1; }\nthread q { y = 1; }\nthread r { let a = x; @let b = y; }\n"
           "thread s { let c = y; @let d = x; }\n"
           "forbid r.a == 1 && r.b == 0 && s.c == 1 && s.d == 0;\n",
     {0, 0, 8}},
    {"ISA2",
     two + "shared z: int;\nthread p { x = 1; @y = 1; }\nthread q { let a = y; @z = 1; }\n"
           "thread r { let b = z; @let c = x; }\n"
           "forbid q.a == 1 && r.b == 1 && r.c == 0;\n",
     {0, 1, 5}},
    {"SB with an exchange",
     two + "thread p { exchange(x, 1); @let a = y; }\nthread q { y = 1; @let b = x; }\n"
           "forbid p.a == 0 && q.b == 0;\n",
     {4, 4, 8}},
    {"a spin lock",
     "shared held: int;\nshared c: int;\nshared n: int;\n"
     "thread p[i: 0..2] { if cas(held, 0, 1) { @c += 1; @held = 0; fetch_add(n, 1); } }\n"
     "final { assert c == n; }\n",
     {0, 1, 2}},
    {"a lock by exchange",
     "shared l: int;\nshared c: int;\n"
     "thread p[i: 0..2] { while exchange(l, 1) != 0 { } @c += 1; @l = 0; }\n"
     "final { assert c == 2; }\n",
     {0, 1, 2}},
    {"a counter by cas",
     "shared n: int;\nshared x: int;\n"
     "thread p { x = 1; @while true { let old = n; @if cas(n, old, old + 1) { break; } } }\n"
     "thread q { await n == 1; @let b = x; }\n"
     "forbid q.b == 0;\n",
     {0, 0, 2}},
    {"a semaphore by cas",
     "shared free: int = 1;\nshared c: int;\n"
     "thread p[i: 0..2] {\n"
     "  while true { let seen = free; if seen > 0 && cas(free, seen, seen - 1) { break; } }\n"
     "  @c += 1; @fetch_add(free, 1);\n"
     "}\n"
     "final { assert c == 2; }\n",
     {0, 0, 2}},
    {"a sequence lock",
     "shared s: int;\nshared a: int;\nshared b: int;\n"
     "thread w { s = 1; @a = 1; @s = 2; }\n"
     "thread r { let x = s; @let y = a; @let z = s; }\n"
     "forbid r.x == 0 && r.z == 0 && r.y == 1;\n",
     {0, 1, 3}},
};

const std::string peterson =
    "shared wants: bool[2];\nshared turn: int;\nshared inside: int = -1;\n"
    "thread p[me: 0..2] {\n"
    "  wants[me] = true;\n"
    "  @turn = 1 - me;\n"
    "  @await !wants[1 - me] || turn == me;\n"
    "  @inside = me;\n"
    "  assert inside == me, \"two inside\";\n"
    "  @wants[me] = false;\n"
    "}\n";

const std::string dekker =
    "shared wants: bool[2];\nshared turn: int;\nshared inside: int = -1;\n"
    "thread p[me: 0..2] {\n"
    "  wants[me] = true;\n"
    "  @while wants[1 - me] {\n"
    "    if turn == me {\n"
    "      await !wants[1 - me];\n"
    "    } else {\n"
    "      wants[me] = false;\n"
    "      await turn == me;\n"
    "      wants[me] = true;\n"
    "      @\n"
    "    }\n"
    "  }\n"
    "  inside = me;\n"
    "  assert inside == me, \"two inside\";\n"
    "  @turn = 1 - me;\n"
    "  @wants[me] = false;\n"
    "}\n";

FenceOptions under(std::vector<std::string> models) {
  FenceOptions options;
  options.models = std::move(models);
  return options;
}

}  // namespace

TEST_CASE("programs with plain variables are refused, because no fence excludes an execution with a race") {
  const auto program = heddle::Program::from_source(
      "shared x: plain int; shared y: int; thread p { x = 1; y = 1; } thread q { let a = y; }", "plain.hed");
  REQUIRE(program);
  const auto result = heddle::find_fences(*program, {.models = {"pso"}});
  REQUIRE_FALSE(result);
  CHECK(result.error().front().message.find("'plain' variables") != std::string::npos);
}

TEST_CASE("the fences of litmus tests are the cheapest of all, and every algorithm finds them sufficient") {
  const std::array<std::string, 3> models{"tso", "pso", "power"};
  for (const Example& example : examples) {
    CAPTURE(example.name);
    for (std::size_t m = 0; m < models.size(); ++m) {
      const FenceResult result = agrees(example.text, under({models[m]}));
      CHECK_EQ(result.answer, FenceAnswer::found);
      CHECK_EQ(result.cost, example.costs[m]);
    }
    const FenceResult all = agrees(example.text, under({"sc", "tso", "pso", "power"}));
    CHECK_EQ(all.answer, FenceAnswer::found);
    CHECK_GE(all.cost, *std::max_element(example.costs.begin(), example.costs.end()));
  }
}

TEST_CASE("the fences of the locks of Peterson and Dekker are the cheapest of all") {
  for (const std::string model : {"tso", "pso"}) {
    agrees(peterson, under({model}));
    agrees(dekker, under({model}));
  }
  if (heddle::tests::sized(0, 1) == 1) {
    agrees(peterson, under({"power"}));
    agrees(dekker, under({"power"}));
  }
}

TEST_CASE("other costs give other fences, and the result is the cheapest for them") {
  const std::vector<FenceCosts> all_costs = {
      {1, 1, 1, 1}, {2, 2, 1, 1}, {9, 3, 2, 1}, {3, 9, 4, 2}, {5, 2, 3, 4}};
  for (const FenceCosts& costs : all_costs) {
    for (const Example& example : examples) {
      if (std::count(example.text.begin(), example.text.end(), '@') > 2) continue;
      FenceOptions options = under({"pso", "power"});
      options.costs = costs;
      agrees(example.text, options);
    }
  }
}

TEST_CASE("fences of random programs that exclude what sc does not allow are the cheapest of all") {
  std::mt19937 random(20261122);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const int wanted = heddle::tests::sized(10, 150);
  int with_fences = 0;
  for (int i = 0; i < 40 * wanted && with_fences < wanted; ++i) {
    const unsigned threads = 2 + below(2);
    std::string text = two;
    std::vector<std::string> locals;
    for (unsigned t = 0; t < threads; ++t) {
      text += "thread t" + std::to_string(t) + " { ";
      const unsigned operations = threads == 2 ? 2 + below(2) : 1 + below(2);
      std::string last;
      for (unsigned o = 0; o < operations; ++o) {
        if (o > 0) text += "@";
        const std::string variable = below(2) == 0 ? "x" : "y";
        const std::string local = "r" + std::to_string(o);
        switch (below(6)) {
          case 0:
          case 1:
          case 2:
            text += "let " + local + " = " + variable + "; ";
            locals.push_back("t" + std::to_string(t) + "." + local);
            last = local;
            break;
          case 3:
            text += "let " + local + " = fetch_add(" + variable + ", 1); ";
            locals.push_back("t" + std::to_string(t) + "." + local);
            last = local;
            break;
          case 4:
            if (!last.empty()) {
              text += variable + " = " + last + " + 1; ";
              break;
            }
            [[fallthrough]];
          default: text += variable + " = " + std::to_string(1 + below(2)) + "; "; break;
        }
      }
      text += "}\n";
    }
    // A final state that the model has and sc lacks.
    const std::string model = std::array<std::string, 3>{"tso", "pso", "power"}[below(3)];
    const Program program = compiled(without_marks(text));
    const auto weak = heddle::check(program, {.model = model, .collect_outcomes = true});
    const auto strong = heddle::check(program, {.model = "sc", .collect_outcomes = true});
    REQUIRE((weak && strong));
    const auto values = [](const heddle::Outcome& outcome) {
      std::vector<std::int64_t> list;
      for (const auto& value : outcome.values) list.push_back(value.value);
      return list;
    };
    for (const auto& outcome : weak->outcomes) {
      const bool in_both = std::any_of(strong->outcomes.begin(), strong->outcomes.end(),
                                       [&](const auto& other) { return values(other) == values(outcome); });
      if (in_both) continue;
      std::string condition;
      for (const auto& value : outcome.values)
        condition += (condition.empty() ? "" : " && ") + value.name + " == " + std::to_string(value.value);
      const FenceResult result = agrees(text + "forbid " + condition + ";\n", under({model}));
      CHECK_EQ(result.answer, FenceAnswer::found);
      CHECK_GT(result.cost, 0);
      ++with_fences;
      break;
    }
  }
  CHECK_EQ(with_fences, wanted);
}

TEST_CASE("what sc allows no fences exclude: the counterexample says so") {
  const std::string text =
      "shared x: int;\nthread p[i: 0..2] { let a = x; x = a + 1; }\n"
      "final { assert x == 2, \"lost\"; }\n";
  for (const std::string model : {"sc", "tso", "pso", "power"}) {
    const FenceResult result = found(text, under({model}));
    CHECK_EQ(result.answer, FenceAnswer::impossible);
    REQUIRE(result.counterexample);
    CHECK(result.counterexample->message.find("lost") != std::string::npos);
    CHECK(result.also_under_sc);
  }
}

TEST_CASE("two loads of one statement leave no room for a fence, and the counterexample is none of sc") {
  const std::string text =
      two + "thread p { x = 1; y = 1; }\nthread q { let a = 2 * y + x; }\nforbid q.a == 2;\n";
  const FenceResult result = found(text, under({"power"}));
  CHECK_EQ(result.answer, FenceAnswer::impossible);
  REQUIRE(result.counterexample);
  CHECK_FALSE(result.also_under_sc);
}

TEST_CASE(
    "with the goal `robust` the fences exclude what sc does not allow, also if nothing is wrong with it") {
  FenceOptions options = under({"tso"});
  options.goal = FenceGoal::robust;
  const std::string sb = two + "thread p { x = 1; let a = y; }\nthread q { y = 1; let b = x; }\n";
  CHECK_EQ(found(sb, options).cost, 8);
  // The final states are those of sc; the graphs are not.
  const std::string hidden = two + "thread p { x = 1; if y == 0 { } }\nthread q { y = 1; if x == 0 { } }\n";
  CHECK_EQ(found(hidden, options).cost, 8);
  const std::string mp = two + "thread p { x = 1; y = 1; }\nthread q { let a = y; let b = x; }\n";
  CHECK_EQ(found(mp, options).cost, 0);
  options.models = {"pso"};
  CHECK_EQ(found(mp, options).cost, 1);
  options.models = {"power"};
  CHECK_EQ(found(mp, options).cost, 3);
}

TEST_CASE("a robust program has the final states of sc") {
  for (const Example& example : examples) {
    CAPTURE(example.name);
    for (const std::string model : {"tso", "pso", "power"}) {
      CAPTURE(model);
      FenceOptions options = under({model});
      options.goal = FenceGoal::robust;
      const std::string text = without_marks(example.text);
      const FenceResult result = found(text, options);
      REQUIRE_EQ(result.answer, FenceAnswer::found);
      const Program fenced = compiled(result.changed.empty() ? text : result.changed.front().text);
      const auto weak = heddle::check(fenced, {.model = model, .keep_going = true, .collect_outcomes = true});
      const auto strong =
          heddle::check(fenced, {.model = "sc", .keep_going = true, .collect_outcomes = true});
      REQUIRE((weak && strong));
      CHECK_EQ(weak->outcomes.size(), strong->outcomes.size());
    }
  }
}

TEST_CASE("with the goal `expect` lines that need executions limit the fences") {
  // The violation without the guarded fence must remain, so no fence may stand outside of the guard.
  const std::string text = "param GUARD = 1;\n" + two +
                           "thread p { x = 1; if GUARD { fence lw; } y = 1; }\n"
                           "thread q { let a = y; let b = x; }\nforbid q.a == 1 && q.b == 0;\n"
                           "expect pso: safe;\nexpect pso with GUARD=0: violation;\n";
  FenceOptions options = under({"pso"});
  options.goal = FenceGoal::expect;
  const FenceResult result = found(text, options);
  REQUIRE_EQ(result.answer, FenceAnswer::found);
  CHECK_EQ(result.cost, 1);
  REQUIRE_EQ(result.changed.size(), 1);
  CHECK(result.changed.front().text.find("if GUARD { fence st; }") != std::string::npos);
  // Without a guarded place the two lines contradict each other.
  std::string unguarded = text;
  unguarded.replace(unguarded.find("if GUARD { fence lw; } "), 23, "");
  CHECK_EQ(found(unguarded, options).answer, FenceAnswer::impossible);
}

TEST_CASE("with the goal `expect` an `exists` that must never or always hold counts like a violation") {
  FenceOptions options = under({"tso"});
  options.goal = FenceGoal::expect;
  const std::string sb = two + "thread p { x = 1; let a = y; }\nthread q { y = 1; let b = x; }\n";
  CHECK_EQ(found(sb + "exists p.a == 0 && q.b == 0;\nexpect tso: never;\n", options).cost, 8);
  CHECK_EQ(found(sb + "exists p.a == 1 || q.b == 1;\nexpect tso: always;\n", options).cost, 8);
  CHECK_EQ(found(sb + "exists p.a == 0 && q.b == 0;\nexpect tso: sometimes;\n", options).cost, 0);
  const FenceResult result =
      found(sb + "exists p.a == 7;\nexpect tso: sometimes;\nexpect tso: safe;\n", options);
  CHECK_EQ(result.answer, FenceAnswer::found);
  REQUIRE_EQ(result.notes.size(), 1);
  CHECK(result.notes.front().find("line 6") != std::string::npos);
}

TEST_CASE("threads wait at loops that try an update: the lock of three threads takes few executions") {
  const std::string lock =
      "shared l: int;\nshared c: int;\n"
      "thread p[i: 0..3] { while exchange(l, 1) != 0 { } c += 1; l = 0; }\n"
      "final { assert c == 3; }\n";
  for (const auto& [model, cost] : {std::pair<std::string, std::uint32_t>{"pso", 1}, {"power", 2}}) {
    CAPTURE(model);
    FenceOptions options = under({model});
    options.max_executions = 1000;
    const FenceResult result = found(lock, options);
    CHECK_EQ(result.answer, FenceAnswer::found);
    CHECK_EQ(result.cost, cost);
    CHECK(result.bounds.empty());
  }
}

TEST_CASE("limits leave the question open, and say what fences cost at least") {
  FenceOptions options = under({"tso"});
  options.max_executions = 2;
  const FenceResult result = found(without_marks(peterson), options);
  CHECK_EQ(result.answer, FenceAnswer::undecided);
  CHECK_EQ(result.stopped_by, "execution limit");
  CHECK(result.fences.empty());
  options.max_executions.reset();
  options.progress = [](std::uint64_t, const heddle::Progress&) { return false; };
  CHECK_EQ(found(without_marks(peterson), options).stopped_by, "interrupted");
}

TEST_CASE("unusable questions are errors") {
  const Program program = compiled(without_marks(peterson));
  CHECK_FALSE(heddle::find_fences(program, under({"arm"})));
  CHECK_FALSE(heddle::find_fences(program, under({})));
  FenceOptions options = under({"tso"});
  options.modules = {"spinlock"};
  CHECK_FALSE(heddle::find_fences(program, options));
  options = under({"tso"});
  options.costs.full = 0;
  CHECK_FALSE(heddle::find_fences(program, options));
  options = under({"tso"});
  options.goal = FenceGoal::expect;
  CHECK_FALSE(heddle::find_fences(program, options));
}

TEST_CASE("the clauses prove the cost: the fences hit all of them") {
  const FenceResult result = found(without_marks(dekker), under({"tso", "pso", "power"}));
  REQUIRE_EQ(result.answer, FenceAnswer::found);
  CHECK_FALSE(result.clauses.empty());
  for (const auto& clause : result.clauses) {
    const bool hit = std::any_of(clause.one_of.begin(), clause.one_of.end(), [&](const heddle::Fence& one) {
      return std::any_of(result.fences.begin(), result.fences.end(), [&](const heddle::Fence& fence) {
        return fence.line == one.line && fence.column == one.column && fence.kind == one.kind;
      });
    });
    CHECK(hit);
  }
}

TEST_CASE("edits keep the format of the text") {
  const std::string text =
      "// SB, badly fenced.\n"
      "param F = 1;\n" +
      two +
      "thread p {\n"
      "  fence lw;   // useless\n"
      "  x = 1;  // one\n"
      "  let a = y;\n"
      "  if F { fence; }\n"
      "}\n"
      "thread q { y = 1; fence st; let b = x; /* end */ }\n"
      "forbid p.a == 0 && q.b == 0;\n";
  const FenceResult result = found(text, under({"tso"}));
  REQUIRE_EQ(result.changed.size(), 1);
  CHECK_EQ(result.changed.front().text,
           "// SB, badly fenced.\n"
           "param F = 1;\n" +
               two +
               "thread p {\n"
               "  // useless\n"
               "  x = 1;  // one\n"
               "  fence;\n"
               "  let a = y;\n"
               "}\n"
               "thread q { y = 1; fence; let b = x; /* end */ }\n"
               "forbid p.a == 0 && q.b == 0;\n");
}
