// Checks that name no algorithm: which one runs, and when another takes over.
#include <doctest/doctest.h>

#include <string>

#include "heddle/estimate.h"
#include "heddle/heddle.h"
#include "heddle/machine.h"
#include "heddle/why.h"

namespace heddle {
namespace {

Program compile(const std::string& source, const Parameters& parameters = {}) {
  const auto program = Program::from_source(source, "test.hed", {.parameters = parameters});
  REQUIRE_MESSAGE(program, to_text(program.error()));
  return *program;
}

CheckResult run(const Program& program, const CheckOptions& options = {}) {
  const auto result = check(program, options);
  REQUIRE_MESSAGE(result, to_text(result.error()));
  return *result;
}

// N! graphs, but some 2^N states. (What the threads add shows who they are, so that there is no symmetry.)
const char* const counter = R"(
  param N = 10;
  param WANTED = N;
  shared x: int;
  thread p[i: 0..N] { fetch_add(x, i - i + 1); }
  final { assert x == WANTED; }
)";

// (ROUNDS + 1)^N graphs and more states than transitions of `trust`.
const char* const readers = R"(
  param N = 7;
  param ROUNDS = 8;
  shared x: int[N];
  shared seen: int[N];
  thread w { for round in 0..ROUNDS { for i in 0..N { x[i] = round; } } }
  thread r[i: 0..N] { seen[i] = x[i]; }
)";

}  // namespace

TEST_CASE("what is asked for decides with which algorithm a check begins") {
  const auto plain = compile("shared x: int; thread p { x = 1; }");
  CHECK(default_algorithm(plain, {}) == "trust");
  CHECK(default_algorithm(plain, {.model = "power"}) == "trust");
  CHECK(default_algorithm(plain, {.preemption_bound = 1}) == "source");
  CHECK(default_algorithm(plain, {.model = "tso", .buffer_bound = 1}) == "trust");
  CHECK(default_algorithm(plain, {.model = "power", .preemption_bound = 1}) == "trust");
  CHECK(default_algorithm(plain, {.preemption_bound = 1, .report_beyond_bound = true}) == "trust");
  CHECK(default_algorithm(plain, {.live = true}) == "states");
  CHECK(default_algorithm(plain, {.model = "power", .live = true}) == "trust");
  CHECK(!check(plain, {.preemption_bound = 1, .live = true}));
  CHECK(!check(plain, {.model = "tso", .robust = true, .live = true}));
  const auto claims = compile("shared x: int; thread p { x = 1; } eventually x == 1;");
  CHECK(default_algorithm(claims, {}) == "states");
  CHECK(run(claims).verdict == Verdict::safe);
  CHECK(!why_not(claims, "power", "auto").empty());
  CHECK(!why_not(claims, "sc", "trust").empty());
  const auto shared = compile("shared x: int; thread p { x = 1; } invariant x < 2;");
  CHECK(default_algorithm(shared, {}) == "trust");
  const auto locals = compile("shared x: int; thread p { let a = x; x = a; } invariant p.a < 2;");
  CHECK(default_algorithm(locals, {}) == "source");
  CHECK(run(locals).algorithm == "source");
  CHECK(run(locals, {.algorithm = "auto"}).algorithm == "source");
  CHECK(run(plain, {.algorithm = "auto"}).algorithm == "trust");
  CHECK(why_not("sc", "auto").empty());
  CHECK(why_one_thread("sc", "auto").empty());
}

TEST_CASE("where states repeat, sdpor takes over") {
  const auto result = run(compile(counter));
  CHECK(result.verdict == Verdict::safe);
  CHECK(result.algorithm == "sdpor");
  REQUIRE(result.given_up.size() == 1);
  CHECK(result.given_up[0].algorithm == "trust");
  CHECK(result.given_up[0].transitions > 4'000'000);
  CHECK(run(compile(counter, {{"WANTED", 3}})).verdict == Verdict::violation);
  // Numbers of executions are those of trust.
  const auto whole = run(compile(counter), {.keep_going = true});
  CHECK(whole.algorithm == "trust");
  CHECK(whole.counts.executions == 3'628'800);
}

TEST_CASE("where states repeat under power, sdpor takes over, too") {
  // 22! / (11!)^2 orders of the sections, and 144 states between these.
  const auto program = compile(R"(
    shared x: int; mutex m;
    thread p { for k in 0..11 { lock m; x = (x + 1) % 2; unlock m; } }
    thread q { for k in 0..11 { lock m; x = (x + 1) % 2; unlock m; } }
    forall x == 0;
  )");
  const auto result = run(program, {.model = "power"});
  CHECK(result.verdict == Verdict::safe);
  CHECK(result.algorithm == "sdpor");
  REQUIRE(result.given_up.size() == 1);
  CHECK(result.given_up[0].algorithm == "trust");
  CHECK(result.given_up[0].transitions < 1'100'000);
}

TEST_CASE("where threads are equal or depend on each other all the time, states takes over") {
  // 16! / (4!)^5 graphs at least; `sdpor` does not know equal threads.
  const auto equal = run(compile(R"(
    shared x: int;
    thread p[i: 0..4] { for k in 0..4 { let a = x; x = a + 1; } }
    forall x >= 2;
  )"));
  CHECK(equal.verdict == Verdict::safe);
  CHECK(equal.algorithm == "states");
  REQUIRE(equal.given_up.size() == 1);
  CHECK(equal.given_up[0].algorithm == "trust");
}

TEST_CASE("where they do not, trust continues and counts as if nothing had been") {
  const auto program = compile(readers);
  const auto alone = run(program, {.algorithm = "trust"});
  REQUIRE(alone.counts.transitions > 4'000'000);
  const auto result = run(program);
  CHECK(result.algorithm == "trust");
  REQUIRE(result.given_up.size() == 2);
  CHECK(result.given_up[0].algorithm == "sdpor");
  CHECK(result.given_up[1].algorithm == "states");
  CHECK(result.verdict == Verdict::safe);
  CHECK(result.counts.executions == alone.counts.executions);
  CHECK(result.counts.transitions == alone.counts.transitions);
}

TEST_CASE("a program none of whose executions is complete is left to states only if loops are cut") {
  const auto endless = run(compile(R"(
    param N = 6;
    mutex fork[N];
    thread eater[i: 0..N] { while true { lock fork[i]; if trylock fork[(i + 1) % N] { unlock fork[(i + 1) % N]; } unlock fork[i]; } }
  )"));
  CHECK(endless.verdict == Verdict::safe);
  CHECK(endless.algorithm == "states");
  REQUIRE(endless.given_up.size() == 1);
  CHECK(endless.given_up[0].algorithm == "trust");
  CHECK(endless.given_up[0].transitions < 1'000'000);
  // 2^16 executions, all of which the assumption blocks.
  const auto blocked = run(compile(R"(
    param N = 16;
    shared array: int[N + 1];
    thread r { var i = N; while array[i] != 0 { i = i - 1; } assume i == N + 1; }
    thread w[j: 1..N + 1] { array[j] = array[j - 1] + 1; }
  )"));
  CHECK(blocked.verdict == Verdict::vacuous);
  CHECK(blocked.algorithm == "trust");
  CHECK(blocked.given_up.empty());
}

TEST_CASE("executions that are too long for graphs are left to source") {
  const auto program = compile("shared x: int[2]; thread p[i: 0..2] { for k in 0..9000 { x[i] = k; } }");
  CHECK(run(program).algorithm == "trust");
  const auto result = run(program, {.model = "tso"});
  CHECK(result.verdict == Verdict::safe);
  CHECK(result.algorithm == "source");
  REQUIRE(result.given_up.size() == 1);
  CHECK(result.given_up[0].algorithm == "trust");
  CHECK(run(program, {.model = "tso", .collect_outcomes = true}).outcomes.size() == 1);
}

TEST_CASE("loops that were cut at the default bound are left to states") {
  // Fails in its round 31.
  const auto* const late =
      "shared x: int; thread p { var n = 0; while true { n += 1; x = n; assert n < 31; } }";
  for (const auto* const model : {"sc", "tso", "pso"}) {
    const auto result = run(compile(late), {.model = model});
    CHECK(result.verdict == Verdict::violation);
    CHECK(result.algorithm == "states");
    REQUIRE(result.given_up.size() == 1);
    CHECK(result.given_up[0].algorithm == "trust");
  }
  CHECK(run(compile(late), {.model = "power"}).verdict == Verdict::vacuous);
  // A bound that was chosen, and what only the first search can answer.
  const auto bounded = Program::from_source(late, "test.hed", {.parameters = {}, .unroll = 17});
  CHECK(run(*bounded).verdict == Verdict::vacuous);
  CHECK(run(*bounded).algorithm == "trust");
  CHECK(run(compile(late), {.keep_going = true}).algorithm == "trust");
  CHECK(run(compile(late), {.algorithm = "trust"}).verdict == Verdict::vacuous);

  // Infinitely many states: the first result stays.
  const auto grows =
      run(compile("shared x: int; thread p { while true { x += 1; } } thread q { let a = x; }"));
  CHECK(grows.verdict == Verdict::vacuous);
  CHECK(grows.algorithm == "trust");

  // No bound cuts this loop, but each execution ends at a round that changes nothing.
  const auto stuck = compile(
      "shared x: int; shared y: int; thread p { while x != 1 || y != 1 { let seen = x; } } thread q { x = 1; "
      "}");
  CHECK(run(stuck, {.algorithm = "trust"}).verdict == Verdict::vacuous);
  CHECK(run(stuck).verdict == Verdict::safe);
  CHECK(run(stuck).algorithm == "states");

  // 16 rounds of both have more graphs than trust can explore in its first turn, and 107 states.
  const auto polite = run(compile(R"(
    shared a: bool; shared b: bool; shared inside: int;
    thread p { while true { a = true; while b { a = false; await !b; a = true; } inside = 1; assert inside == 1; a = false; } }
    thread q { while true { b = true; while a { b = false; await !a; b = true; } inside = 2; assert inside == 2; b = false; } }
  )"));
  CHECK(polite.verdict == Verdict::safe);
  CHECK(polite.algorithm == "states");
  CHECK(polite.counts.states == 107);
}

TEST_CASE("atomic blocks are steps, or critical sections if no variable is accessed in blocks and outside") {
  const auto endless = compile(
      "shared x: int; daemon thread p[i: 0..2] { while true { atomic { await x == i; x = 1 - x; } } } "
      "thread q { atomic { await x == 1; } } invariant x < 2;");
  const auto whole = run(endless);
  CHECK(whole.verdict == Verdict::safe);
  CHECK(whole.algorithm == "states");
  const auto finite = compile(
      "shared x: int; shared y: int; "
      "thread p[i: 0..3] { y = i; atomic { let a = x; x = a + 1; } } exists x == 3;");
  CHECK(default_algorithm(finite, {}) == "source");
  CHECK(default_algorithm(finite, {.model = "power"}) == "trust");
  CHECK(run(finite).algorithm == "states");
  CHECK(run(finite, {.keep_going = true}).counts.executions == 36);
  CHECK(run(finite, {.algorithm = "trust", .keep_going = true}).counts.executions == 36);
  const auto shared =
      compile("shared x: int; thread p { atomic { x = 1; } } thread q { let a = x; } exists q.a == 1;");
  const auto daemon = compile(
      "shared x: int; shared y: int; daemon thread p { atomic { await x == 1; } } thread q { y = 1; }");
  for (const auto& model : models()) {
    for (const auto& algorithm : algorithms()) {
      const bool pair = why_not(model.name, algorithm.name).empty();
      CHECK(why_not(finite, model.name, algorithm.name).empty() == pair);
      const bool sections = model.name == "power" || algorithm.name == "trust" || algorithm.name == "rsmc" ||
                            algorithm.name == "rf";
      for (const Program& program : {shared, daemon}) {
        const std::string reason = why_not(program, model.name, algorithm.name);
        CHECK_MESSAGE(reason.empty() == (pair && !sections), model.name, " ", algorithm.name);
      }
    }
  }
  CHECK(why_not(shared, "sc", "trust")
            .starts_with("the program has 'atomic' blocks, which would be critical sections of one mutex "
                         "here, and 'x' accesses 'x' outside, which a block accesses, too (test.hed:1:66)"));
  // Where all accesses are in blocks, `power` is `sc`.
  const auto only_blocks = compile(
      "shared x: int; daemon thread p { while true { atomic { await x == 1; x = 0; } } } "
      "thread q { atomic { x = 1; } let r = 2; assert r == 2; } invariant x < 2;");
  CHECK(why_not(only_blocks, "power", "sdpor").empty());
  CHECK(default_algorithm(only_blocks, {.model = "power"}) == "source");
  const auto as_sc = run(only_blocks, {.model = "power"});
  CHECK(as_sc.verdict == Verdict::safe);
  CHECK(as_sc.model == "power");
  CHECK(as_sc.explored_as == "sc");
  CHECK(as_sc.algorithm == "states");
  CHECK(run(only_blocks, {.model = "power", .algorithm = "sdpor"}).model_of_traces() == "sc");
  CHECK(run(finite, {.model = "power"}).explored_as.empty());
  CHECK_FALSE(check(only_blocks, {.model = "power", .algorithm = "states"}));  // no pair
  CHECK_FALSE(Machine::start(shared, {.model = "power"}));
  CHECK_FALSE(why(shared, "", {.model = "sc"}));
  CHECK_FALSE(estimate(finite, {}, {}));
  CHECK_FALSE(check(finite, {.preemption_bound = 1}));
  CHECK_FALSE(check(finite, {.model = "tso", .robust = true}));
}

TEST_CASE("limits and callers stop turns as they stop a search") {
  const auto program = compile(readers, {{"N", 12}});
  const auto late = run(program, {.timeout = 0.8});
  CHECK(late.verdict == Verdict::undecided);
  CHECK(late.stopped_by == "timeout");
  CHECK(late.seconds < 10);
  double last = 0;
  const auto stopped = run(program, {.progress = [&](const Progress& progress) {
                             CHECK(progress.seconds >= last);  // of all turns together
                             last = progress.seconds;
                             return progress.seconds < 0.8;
                           }});
  CHECK(stopped.stopped_by == "interrupted");
  CHECK(run(program, {.timeout = 5, .max_memory = 1}).stopped_by == "memory limit");
}

}  // namespace heddle
