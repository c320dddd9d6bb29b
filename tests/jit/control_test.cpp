// Statements: branches, loops, functions.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/jit/host.hpp"

namespace heddle::test {

TEST_CASE("if, else if and else take one arm") {
  const std::string source = R"(
    shared x: int; shared r: int;
    thread p { if x == 0 { r = 10; } else if x == 1 { r = 11; } else { r = 12; } if x == 1 { r = 13; } }
  )";
  CHECK(log_of(source) == Log{"load x -> 0", "store r = 10", "load x -> 0", "done"});
  CHECK(log_of(source, [](Host& host) { host.memory[0] = 1; }) ==
        Log{"load x -> 1", "load x -> 1", "store r = 11", "load x -> 1", "store r = 13", "done"});
  CHECK(log_of(source, [](Host& host) { host.memory[0] = 2; }) ==
        Log{"load x -> 2", "load x -> 2", "store r = 12", "load x -> 2", "done"});
}

TEST_CASE("a while loop evaluates its condition before each round") {
  CHECK(log_of("shared x: int; thread p { while x < 2 { x += 1; } }") ==
        Log{"load x -> 0", "load x -> 0", "store x = 1", "load x -> 1", "load x -> 1", "store x = 2",
            "load x -> 2", "done"});
}

TEST_CASE("a while loop is cut off when it exceeds the bound") {
  const compiler::Options twice{.unroll = 2};
  CHECK(log_of("shared x: int; thread p { while x == 0 { let a = 1; } x = 1; }", {}, 0, twice) ==
        Log{"load x -> 0", "load x -> 0", "load x -> 0", "loop_bound"});
  CHECK(log_of("shared x: int; thread p { while x < 2 { x += 1; } x = 9; }", {}, 0, twice).back() == "done");
  CHECK(log_of("thread p { while true { } }", {}, 0, {.unroll = 0}) == Log{"loop_bound"});
}

TEST_CASE("a round of a retry loop that changes nothing ends the thread, if it is to") {
  const compiler::Options idle{.end_idle = true};
  const auto log = [&](const std::string& body, const Setup& setup = {}) {
    return log_of(
        "shared x: int; shared y: int; mutex m; thread p { var r = 0; var b: int[2]; " + body + " }", setup,
        0, idle);
  };
  CHECK(log("while x == 0 { let seen = y; }") == Log{"load x -> 0", "load y -> 0", "idle_round"});
  CHECK(log("while !cas(x, 1, 2) { r = 1; fence; }").back() == "idle_round");
  CHECK(log("while true { r = y; if x == 1 { return; } }").back() == "idle_round");
  CHECK(log("while true { if x == 1 { break; } if y == 0 { continue; } }").back() == "idle_round");
  // A store, an older local that gets another value, an element of an older array, a mutex: the next round is idle.
  CHECK(log("while x == 0 { if y == 0 { y = 1; } }") ==
        Log{"load x -> 0", "load y -> 0", "store y = 1", "load x -> 0", "load y -> 1", "idle_round"});
  CHECK(log("while x == 0 { r = 1; }") == Log{"load x -> 0", "load x -> 0", "idle_round"});
  CHECK(log("while x == 0 { b[1] = 1; }") == Log{"load x -> 0", "load x -> 0", "idle_round"});
  CHECK(log("while x == 0 { if trylock m { unlock m; } else { y = 1; } if y == 1 { return; } }").back() ==
        "loop_bound");
  // What was there is written again; a mutex is left again, unless a `trylock` could tell.
  CHECK(log("while exchange(x, 0) == 0 { }") == Log{"exchange x = 0 -> 0", "idle_round"});
  CHECK(log("while fetch_or(x, 1) != 2 { }") == Log{"fetch_or x 1 -> 0", "fetch_or x 1 -> 1", "idle_round"});
  CHECK(log("while x == 0 { lock m; unlock m; }") == Log{"load x -> 0", "lock m", "unlock m", "idle_round"});
  CHECK(log("lock m; while x == 0 { unlock m; lock m; }") ==
        Log{"lock m", "load x -> 0", "unlock m", "idle_round"});
  CHECK(log("while x == 0 { lock m; y = 0; unlock m; }").back() == "loop_bound");
  // A loop that ends with what comes before it: what that declares is no older local.
  CHECK(log("var old = x; while !cas(y, 1, old) { old = x; }") ==
        Log{"load x -> 0", "cas y 1 = 0 -> 0", "idle_round"});
  CHECK(log("r = y; while !cas(x, 1, r) { r = y; }") == Log{"load y -> 0", "cas x 1 = 0 -> 0", "idle_round"});
  // The inner loop's change is one of the outer loop's round, too. An inner loop that is left is not idle.
  CHECK(log("while x == 0 { while y < 2 { y += 1; } }") ==
        Log{"load x -> 0", "load y -> 0", "load y -> 0", "store y = 1", "load y -> 1", "load y -> 1",
            "store y = 2", "load y -> 2", "load x -> 0", "load y -> 2", "idle_round"});
  // No retry loops: one that cannot be left, one that reads nothing, one that always changes something.
  CHECK(log("while true { let seen = x; }").back() == "loop_bound");
  CHECK(log("while r == 0 { }").back() == "loop_bound");
  CHECK(log("while x == 0 { y = 1; }").back() == "loop_bound");
  // Nor in the condition of an await, whose evaluation is what is repeated.
  CHECK(log_of("shared x: int; fn f() -> bool { while x == 0 { let a = 1; } return true; } thread p { await "
               "f(); }",
               {}, 0, idle)
            .back() == "loop_bound");
}

TEST_CASE("a thread waits at a loop that tries an update, where nothing else can tell") {
  const compiler::Options waiting{.unroll = 2, .end_idle = true};
  // `others`: what else the program has. The first operation of thread p.
  const auto first = [&](const std::string& loop, const std::string& others = "") {
    const std::string variables =
        "shared x: int = 2; shared y: int; shared b: bool; shared a: int[2]; shared f: bool[2]; ";
    return log_of(variables + "thread p { " + loop + " } " + others, {}, 0, waiting).front();
  };
  const std::string down = "while fetch_sub(x, 1) <= 0 { fetch_add(x, 1); await x > 0; }";
  const std::string waits = "add x -1 if >= 1 -> 2";
  const std::string tries = "fetch_sub x 1 -> 2";
  CHECK(first(down) == waits);
  // Other ways to write it.
  CHECK(first("while fetch_add(x, -1) < 1 { fetch_add(x, 1); }") == waits);
  CHECK(first("while !(0 < fetch_sub(x, 1)) { fetch_add(x, 1); fence; while x <= 0 { } }") == waits);
  CHECK(first("while true { let v = fetch_sub(x, 1); if v >= 1 { break; } fetch_add(x, 1); }") == waits);
  CHECK(first("while true { if fetch_sub(x, 1) >= 1 { break; } fetch_add(x, 1); }") == waits);
  CHECK(first("{ var v = fetch_sub(x, 1); while v < 1 { fetch_add(x, 1); v = fetch_sub(x, 1); } }") == waits);
  CHECK(first("take(2);", "fn take(n: int) { while fetch_sub(x, n) < n { fetch_add(x, n); } }") ==
        "add x -2 if >= 2 -> 2");
  CHECK(first("while !take() { await x > 0; }",
              "fn take() -> bool { if fetch_sub(x, 1) < 1 { fetch_add(x, 1); return false; } fence; return "
              "true; }") == waits);
  CHECK(first("while fetch_add(x, 1) > 7 { fetch_sub(x, 1); }") == "add x 1 if <= 7 -> 2");
  CHECK(first("while fetch_add(a[1], 3) >= 1 { fetch_sub(a[1], 3); }") == "add a[1] 3 if <= 0 -> 0");
  CHECK(first("while fetch_sub(x, 2) != 2 { fetch_add(x, 2); }") == "add x -2 if == 2 -> 2");
  CHECK(first("while exchange(y, 1) != 0 { }") == "exchange y = 1 if == 0 -> 0");
  CHECK(first("while exchange(y, 7) == 7 { }") == "exchange y = 7 if == 0 -> 0");
  CHECK(first("while exchange(b, true) { await !b; }", "thread q { b = false; }") ==
        "exchange b = 1 if == 0 -> 0");
  CHECK(first("while !cas(y, 0, 5) { await y == 0; }") == "cas y 0 = 5 -> 0");
  CHECK(first("let i = 1; while !cas(f[i], false, true) { await !f[i]; }") == "cas f[1] 0 = 1 -> 0");
  CHECK(first("while fetch_sub(x, 3 - 2) <= 1 - 1 { fetch_add(x, 1 * 1); await x > 1 - 1; }") == waits);
  CHECK(first("if 1 == 2 { let r = x; } else { " + down + " }") == waits);
  CHECK(first("take(2, 1);",
              "fn take(n: int, k: int) { if n == k { let r = x; } while fetch_sub(x, n) < n { "
              "fetch_add(x, n); } }") == "add x -2 if >= 2 -> 2");
  // Of a `cas`, the wait makes the difference: it would be an `await` of a load.
  CHECK(first("while !cas(y, 1, 5) { await y != 0; }") == "cas y 1 = 5 -> 0");

  // What others may do to the variable.
  CHECK(first(down, "thread q { fetch_add(x, 1); await x >= 1; await x > 3 || y == 1; }") == waits);
  CHECK(first(down, "thread q { atomic { fetch_sub(x, 1); y = 1; } }") == waits);
  CHECK(first(down, "forall x != 7; final { assert x != 9; }") == waits);
  for (const char* const others :
       {"thread q { await x < 1; }", "thread q { await x != 0; }", "thread q { await x == 1; }",
        "thread q { let r = x; }", "thread q { x = 1; }", "thread q { x += 1; }",
        "thread q { cas(x, 1, 2); }", "thread q { let r = fetch_add(x, 1); }",
        "thread q { fetch_max(x, 1); }", "thread q { exchange(x, 1); }", "thread q { let r = await x; }",
        "thread q { fetch_add(x, y); }", "thread q { await x > y && (x == 3 || y > x + 1); }",
        "thread q { fetch_add(x, 9000000000); }",
        "thread q { while fetch_add(x, 1) > 5 { fetch_sub(x, 1); } }", "invariant x >= -1;",
        "daemon thread q { while fetch_sub(x, 1) <= 0 { fetch_add(x, 1); } }"}) {
    CHECK_MESSAGE(first(down, others) == tries, std::string(others));
  }
  // What the loop may do.
  for (const char* const loop :
       {"while fetch_sub(x, 1) <= 0 { fetch_add(x, 2); }", "while fetch_sub(x, 1) <= 0 { }",
        "while fetch_sub(x, 1) <= 0 { fetch_add(x, 1); await x > 1; }",
        "while fetch_sub(x, 1) <= 0 { fetch_add(x, 1); await y == 0; }",
        "while fetch_sub(x, 1) <= 0 { fetch_add(x, 1); y = 1; }",
        "while fetch_sub(x, 1) > 3 { fetch_add(x, 1); }", "while fetch_sub(x, 1) == 7 { fetch_add(x, 1); }",
        "while fetch_sub(x, 1) <= y { fetch_add(x, 1); }",
        "while fetch_sub(x, 1) <= (y == 1 && false ? 1 : 0) { fetch_add(x, 1); }",
        "{ var v = fetch_sub(x, 1); while v < 1 { fetch_add(x, 1); v = fetch_sub(x, 1); } y = v; }",
        "var v = fetch_sub(x, 1); while v < 1 { fetch_add(x, 1); v = fetch_sub(x, 1); }"}) {
    CHECK_MESSAGE(first(loop) == tries, std::string(loop));
  }
  // What comes before a loop and is repeated in it, but is no value that the loop compares.
  const std::string other = "fn again(v: bool) { S while !v { S } } ";
  const auto repeats = [&](const std::string& statement) {
    std::string text = other;
    for (std::size_t at = text.find('S'); at != std::string::npos; at = text.find('S', at + statement.size()))
      text.replace(at, 1, statement);
    return first("again(true);", text);
  };
  CHECK(repeats("cas(y, 0, 1);") == "cas y 0 = 1 -> 0");
  CHECK(repeats("assert cas(y, 0, 1);") == "cas y 0 = 1 -> 0");
  CHECK(repeats("exchange(y, 1);") == "exchange y = 1 -> 0");
  CHECK(repeats("if cas(y, 0, 1) { x = 1; }") == "cas y 0 = 1 -> 0");
  CHECK(first("again(1);",
              "fn again(v: int) { a[0] = fetch_sub(y, 1); while v < 1 { fetch_add(y, 1); a[0] = "
              "fetch_sub(y, 1); } }") == "fetch_sub y 1 -> 0");
  CHECK(first("again(1);",
              "fn again(v: int) { y = fetch_sub(x, 1); while v < 1 { fetch_add(x, 1); y = fetch_sub(x, "
              "1); } }") == "fetch_sub x 1 -> 2");
  // A comparison with one value: no thread may add more than it has subtracted.
  const std::string one = "while fetch_sub(x, 2) != 2 { fetch_add(x, 2); }";
  CHECK(first(one + " fetch_add(x, 2);", "thread q { await x == 2; }") == "add x -2 if == 2 -> 2");
  CHECK(first(one + " if y == 1 { fetch_add(x, 2); }",
              "fn g() { fetch_sub(x, 1); for i in 0..2 { if y == i "
              "{ break; } } fetch_add(x, 1); } thread q { g(); }") == "add x -2 if == 2 -> 2");
  for (const char* const more :
       {"fetch_add(x, 3);", "fetch_add(x, 2); if y == 0 { fetch_add(x, 1); }",
        "for i in 0..2 { fetch_add(x, 1); }", "while y == 0 { fetch_add(x, 2); fetch_sub(x, 2); }",
        "while y == 0 { fetch_add(x, 2); }", "while y == 0 { if y == 1 { fetch_add(x, 2); continue; } }"}) {
    const bool balanced = std::string(more).starts_with("while y == 0 { fetch_add(x, 2); fetch_sub");
    CHECK_MESSAGE((first(one + " " + more) == "add x -2 if == 2 -> 2") == balanced, std::string(more));
  }
  CHECK(first("while fetch_sub(x, 2) != 1 { fetch_add(x, 2); }") == "fetch_sub x 2 -> 2");
  // An exchange: two values.
  for (const char* const others : {"thread q { y = 2; }", "thread q { fetch_add(y, 1); }",
                                   "thread q { y = x; }", "thread q { cas(y, 0, 3); }"}) {
    CHECK_MESSAGE(first("while exchange(y, 1) != 0 { }", others) == "exchange y = 1 -> 0",
                  std::string(others));
  }
  CHECK(first("while exchange(y, 1) != 0 { }",
              "thread q { let r = y; cas(y, 7, 0); if y == 1 { y = 0; } }") == "exchange y = 1 if == 0 -> 0");
  // A thread that restarts may do so in the middle of a round.
  CHECK(first(down, "thread q { y = 1; restart if x == 7; y = 2; }") == tries);
}

TEST_CASE("the bound counts rounds of one entry into the loop") {
  const compiler::Options twice{.unroll = 2};
  const Log log =
      log_of("shared x: int; thread p { for i in 0..3 { while x < 2 { x += 1; } x = 0; } }", {}, 0, twice);
  CHECK(log.back() == "done");
  CHECK(std::count(log.begin(), log.end(), "store x = 2") == 3);
}

TEST_CASE("break and continue leave and continue the innermost loop") {
  CHECK(log_of(R"(
    shared r: int;
    thread p {
      for i in 0..9 {
        if i == 1 { continue; }
        if i == 4 { break; }
        var k = 0;
        while true { k += 1; if k == 2 { continue; } if k == 4 { break; } r = i * 10 + k; }
      }
      r = 99;
    }
  )") == Log{"store r = 1", "store r = 3", "store r = 21", "store r = 23", "store r = 31", "store r = 33",
             "store r = 99", "done"});
}

TEST_CASE("a for loop evaluates its ends once") {
  CHECK(log_of("shared x: int = 1; shared n: int = 3; thread p { for i in x..n { n = i; x = 7; } for i in "
               "3..2 { x = 1; } }") == Log{"load x -> 1", "load n -> 3", "store n = 1", "store x = 7",
                                           "store n = 2", "store x = 7", "done"});
  CHECK(
      log_of(
          "shared x: int = 2; shared r: int; thread p { var n = 2; for i in n - 2..n { n = 9; r = i; } }") ==
      Log{"store r = 0", "store r = 1", "done"});
}

TEST_CASE("for loops end at their bound, up to the largest numbers") {
  const std::string head = "shared from: int; shared to: int; shared r: int; thread p { var k = 0; ";
  const auto run = [&](std::int64_t from, std::int64_t to) {
    return log_of(head + "for i in from..to { k += 1; } r = k; }", [&](Host& host) {
      host.memory[0] = from;
      host.memory[1] = to;
    });
  };
  CHECK(run(INT64_MAX - 3, INT64_MAX).at(2) == "store r = 3");
  CHECK(run(0, 1'000'000).at(2) == "store r = 1000000");
  CHECK(run(0, 1'000'001).at(2) == "round_limit");
  CHECK(run(INT64_MIN, INT64_MAX).at(2) == "round_limit");
  CHECK(run(INT64_MAX, INT64_MIN).at(2) == "store r = 0");
  CHECK(log_of("shared r: int; thread p { var k = 0; for i in 0..2000000 { k += 1; } r = k; }") ==
        Log{"round_limit"});
}

TEST_CASE("loops without an operation cannot run forever") {
  CHECK(log_of("shared r: int; thread p { var k = 0; for i in 0..1000000 { for j in 0..1000000 { k += 1; } } "
               "r = k; }",
               {}, 0) == Log{"round_limit"});
}

TEST_CASE("each operation resets the count of silent rounds") {
  const Log log = log_of(
      "shared r: int; thread p { for i in 0..1000 { r = i; for j in 0..1000 { for k in 0..101 { } } } }", {},
      0);
  CHECK(log.size() == 1001);
  CHECK(log.back() == "done");
}

TEST_CASE("functions take arguments, left to right, and return from anywhere") {
  CHECK(log_of(R"(
    shared x: int = 1; shared y: int = 2; shared r: int;
    fn weigh(a: int, b: int, swap: bool) -> int {
      if swap { return b * 10 + a; }
      for i in 0..5 { if i == b { r = 77; return i; } }
      return a;
    }
    thread p { r = weigh(x, y, true) + weigh(x, y, r == 5); }
  )") == Log{"load x -> 1", "load y -> 2", "load x -> 1", "load y -> 2", "load r -> 0", "store r = 77",
             "store r = 23", "done"});
}

TEST_CASE("parameters are the callee's own") {
  CHECK(log_of(R"(
    shared r: int;
    fn twice(a: int) -> int { var b = a; b += a; return b; }
    fn count(n: int) -> int { var k = n; k *= 2; r = n; return k; }
    thread p { var n = 3; let m = n; n = twice(n) + twice(m) + count(n); r = n; r = m; }
  )") == Log{"store r = 3", "store r = 18", "store r = 3", "done"});
}

TEST_CASE("calls nest and may occur in conditions and indexes") {
  CHECK(log_of(R"(
    shared a: int[3] = {1, 2, 0}; shared r: int;
    fn at(i: int) -> int { return a[i]; }
    fn is(i: int, v: int) -> bool { return at(i) == v; }
    fn nothing() { }
    thread p { nothing(); if is(at(0), 2) && !is(0, 2) { a[at(1)] = at(at(at(0))); } }
  )") == Log{"load a[0] -> 1", "load a[1] -> 2", "load a[0] -> 1", "load a[1] -> 2", "load a[0] -> 1",
             "load a[1] -> 2", "load a[2] -> 0", "store a[2] = 0", "done"});
}

TEST_CASE("return ends a thread, and a violation inside a function ends it too") {
  CHECK(log_of("shared x: int; thread p { for i in 0..3 { x = i; if i == 1 { return; } } x = 9; }") ==
        Log{"store x = 0", "store x = 1", "done"});
  CHECK(log_of(R"(
    shared x: int;
    fn never() -> int { assert false, "here"; return 1; }
    thread p { x = x + never() + x; }
  )") == Log{"load x -> 0", "assert_failed here"});
}

TEST_CASE("each member of a family has its argument") {
  const std::string source = "shared x: int; thread w[i: 3..6] { let a = i * 2; x = a; let b = i; }";
  CHECK(log_of(source, {}, 0) == Log{"store x = 6", "done"});
  CHECK(log_of(source, {}, 2) == Log{"store x = 10", "done"});
  const auto image = compile(source);
  CHECK(image->threads.size() == 3);
  CHECK(image->threads[1].name == "w[4]");
  CHECK((image->threads[0].start == image->threads[2].start));
  Host host(*image);
  host.run(1);
  CHECK(host.locals == Log{"a = 8", "b = 4"});
}

TEST_CASE("named locals have their values at the end, and 0 if their declaration was not reached") {
  const auto image =
      compile("shared x: int; thread p { var a = 1; let c = true; a = 5; if x == 0 { return; } let b = 3; }");
  Host host(*image);
  host.run();
  CHECK(host.locals == Log{"a = 5", "c = true", "b = 0"});
  host.memory[0] = 1;
  host.run();
  CHECK(host.locals == Log{"a = 5", "c = true", "b = 3"});
}

}  // namespace heddle::test
