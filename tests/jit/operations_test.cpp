// Each visible operation: what it requests, in which order, and how its result is used.
#include <doctest/doctest.h>

#include "tests/jit/host.hpp"

namespace heddle::test {

TEST_CASE("loads and stores happen one by one, left to right") {
  CHECK(log_of(R"(
    shared x: int = 3; shared y: int = 4;
    thread p { x = y + x * 2; let a = x - y; y = a; }
  )") == Log{"load y -> 4", "load x -> 3", "store x = 10", "load x -> 10", "load y -> 4", "store y = 6",
             "done"});
}

TEST_CASE("left operands are kept while the right ones are being loaded") {
  CHECK(log_of(R"(
    shared a: int = 1; shared b: int = 2; shared c: int = 3; shared d: int = 4; shared r: int;
    thread p { r = (a - b) - (c - (d - a)) ; }
  )") == Log{"load a -> 1", "load b -> 2", "load c -> 3", "load d -> 4", "load a -> 1", "store r = -1",
             "done"});
}

TEST_CASE("an index is evaluated once and before the value") {
  CHECK(log_of(R"(
    shared i: int = 1; shared a: int[3] = {5, 6, 7};
    thread p { a[i] = a[i + 1] + i; a[i] += i; a[2] -= 1; }
  )") == Log{"load i -> 1", "load i -> 1", "load a[2] -> 7", "load i -> 1", "store a[1] = 8", "load i -> 1",
             "load a[1] -> 8", "load i -> 1", "store a[1] = 9", "load a[2] -> 7", "store a[2] = 6", "done"});
}

TEST_CASE("every compound assignment is a load and a store") {
  CHECK(log_of(R"(
    shared x: int = 12;
    thread p { x += 1; x -= 3; x *= 4; x /= 3; x %= 8; x &= 4; x |= 3; x ^= 5; x <<= 3; x >>= 2; }
  )") == Log{"load x -> 12", "store x = 13", "load x -> 13", "store x = 10", "load x -> 10", "store x = 40",
             "load x -> 40", "store x = 13", "load x -> 13", "store x = 5",  "load x -> 5",  "store x = 4",
             "load x -> 4",  "store x = 7",  "load x -> 7",  "store x = 2",  "load x -> 2",  "store x = 16",
             "load x -> 16", "store x = 4",  "done"});
}

TEST_CASE("cas is true exactly if the value read was the expected one") {
  CHECK(log_of(R"(
    shared x: int = 5; shared ok: bool; shared b: bool = true;
    thread p {
      ok = cas(x, 5, 6);
      ok = cas(x, 5, 7);
      ok = cas(b, true, false);
      let late = cas(x, x, x + 1);
      ok = late;
    }
  )") == Log{"cas x 5 = 6 -> 5", "store ok = 1", "cas x 5 = 7 -> 6", "store ok = 0", "cas b 1 = 0 -> 1",
             "store ok = 1", "load x -> 6", "load x -> 6", "cas x 6 = 7 -> 6", "store ok = 1", "done"});
}

TEST_CASE("exchange and fetch operations return the old value") {
  CHECK(log_of(R"(
    shared x: int = 12; shared b: bool; shared a: int[2];
    thread p {
      let e = exchange(x, 6);
      let f = fetch_add(x, e) + fetch_sub(x, 1) + fetch_and(x, 7) + fetch_or(x, 8) + fetch_xor(x, 3);
      let g = fetch_max(x, 20) + fetch_min(x, -1);
      let h = exchange(b, true);
      fetch_add(a[1], x);
      exchange(a[a[0] + 1], f);
    }
  )") == Log{"exchange x = 6 -> 12", "fetch_add x 12 -> 6", "fetch_sub x 1 -> 18", "fetch_and x 7 -> 17",
             "fetch_or x 8 -> 1", "fetch_xor x 3 -> 9", "fetch_max x 20 -> 10", "fetch_min x -1 -> 20",
             "exchange b = 1 -> 0", "load x -> -1", "fetch_add a[1] -1 -> 0", "load a[0] -> 0",
             "exchange a[1] = 51 -> -1", "done"});
}

TEST_CASE("fences name their kind") {
  CHECK(log_of("thread p { fence; fence lw; fence st; fence isync; }") ==
        Log{"fence", "fence lw", "fence st", "fence isync", "done"});
}

TEST_CASE("mutexes are locations of their own") {
  CHECK(log_of(R"(
    shared x: int; mutex m; mutex forks[3];
    thread p[i: 1..2] { lock m; unlock m; lock forks[i]; let got = trylock forks[i + 1]; let no = trylock m;
      if trylock m { x = 1; } unlock forks[i]; }
  )",
               [](Host& host) { host.memory.at(1) = 1; }) ==
        Log{"lock m", "unlock m", "lock forks[1]", "trylock forks[2] -> 1", "trylock m -> 1",
            "trylock m -> 0", "unlock forks[1]", "done"});
}

TEST_CASE("choose passes its range and takes the host's choice") {
  const auto choose = [](Host& host) { host.choices = {4, -1}; };
  CHECK(log_of("shared x: int = 3; thread p { x = choose(1..x + 3) * 10 + choose(-2..0); }", choose) ==
        Log{"load x -> 3", "choose 1..6 -> 4", "choose -2..0 -> -1", "store x = 39", "done"});
}

TEST_CASE("choosing from an empty range is a violation") {
  CHECK(log_of("shared x: int = 3; thread p { x = choose(x..x); }") ==
        Log{"load x -> 3", "load x -> 3", "empty_choice 3..3"});
}

TEST_CASE("await evaluates its condition again after each failure") {
  CHECK(log_of("shared x: int; shared y: int; thread p { await x == 2 && y == 0; y = 1; }",
               [](Host& host) { host.on_await_failed = [](Host& h) { ++h.memory[0]; }; }) ==
        Log{"await load x -> 0", "await_failed", "await load x -> 1", "await_failed", "await load x -> 2",
            "await load y -> 0", "store y = 1", "done"});
}

TEST_CASE("only loads of the condition itself are marked as await") {
  CHECK(log_of(R"(
    shared x: int = 1; shared y: int;
    fn both() -> bool { return x == 1 && y == 0; }
    thread p { let a = x; await both(); let b = y; }
  )") == Log{"load x -> 1", "await load x -> 1", "await load y -> 0", "load y -> 0", "done"});
}

TEST_CASE("a failed assumption ends the thread, one that holds has no effect") {
  CHECK(log_of("shared x: int; thread p { assume x == 0; assume x == 1; x = 2; }") ==
        Log{"load x -> 0", "load x -> 0", "assume_failed"});
}

TEST_CASE("a failed assertion reports its text") {
  CHECK(
      log_of(R"(shared x: int; thread p { assert x == 0, "fine"; assert x > 0 || x < 0, "zero"; x = 2; })") ==
      Log{"load x -> 0", "load x -> 0", "load x -> 0", "assert_failed zero"});
  CHECK(log_of("thread p { assert false; }") == Log{"assert_failed "});
}

TEST_CASE("a host may resume a thread after a failed assertion") {
  const auto resumes = [](Host& host) { host.resumes_after_assertions = true; };
  CHECK(log_of(R"(
    shared x: int = 2; shared y: int = 3;
    fn checked(v: int) -> int { assert v == 3, "three"; return v; }
    thread p { assert false, "one"; x = y * (x - checked(x)) + y; assert x == 0, "two"; assert x == 3, "four"; }
  )",
               resumes) == Log{"assert_failed one", "load y -> 3", "load x -> 2", "load x -> 2",
                               "assert_failed three", "load y -> 3", "store x = 3", "load x -> 3",
                               "assert_failed two", "load x -> 3", "done"});
}

TEST_CASE("an index out of bounds is a violation for every kind of access") {
  const std::string head = "shared n: int = 2; shared a: int[2]; mutex m[2]; thread p { ";
  CHECK(log_of(head + "let v = a[n]; }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "a[n - 3] = 1; }") == Log{"load n -> 2", "index_out_of_bounds -1 of 2"});
  CHECK(log_of(head + "a[n] += 1; }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "fetch_add(a[n], n); }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "let c = cas(a[n], 0, 1); }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "lock m[n]; }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "unlock m[n]; }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "let t = trylock m[n]; }") == Log{"load n -> 2", "index_out_of_bounds 2 of 2"});
  CHECK(log_of(head + "let far = n << 40; a[far] = 1; }") ==
        Log{"load n -> 2", "index_out_of_bounds 2199023255552 of 2"});
}

TEST_CASE("the final block runs like a thread") {
  const auto image =
      compile("shared x: int = 2; thread p { } final { let a = x; assert a == 3, \"not three\"; }");
  REQUIRE(image->final_block != nullptr);
  Host host(*image);
  CHECK(host.run(*image->final_block) == Log{"load x -> 2", "assert_failed not three"});
  host.memory[0] = 3;
  CHECK(host.run(*image->final_block) == Log{"load x -> 3", "done"});
}

TEST_CASE("an empty thread is done at once") { CHECK(log_of("thread p { }") == Log{"done"}); }

}  // namespace heddle::test
