// The bytes of a block: equal states have equal bytes, a copy is a snapshot, blocks are small.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "tests/jit/host.hpp"

namespace heddle::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr compiler::Options forms[] = {
    {}, {.optimise = true}, {.coroutine_operations = 0}, {.optimise = true, .coroutine_operations = 0}};

// The block when the thread is about to execute `operation` for the `occurrence`th time, starting from the
// memory `memory`.
Bytes state_at(const compiler::Image& image, const std::vector<std::int64_t>& memory,
               const std::string& operation, std::size_t occurrence = 1) {
  Host host(image);
  std::copy(memory.begin(), memory.end(), host.memory.begin());
  host.on_await_failed = [](Host& h) { ++h.memory[0]; };
  host.resumes_after_assertions = true;
  Bytes found;
  host.at_suspension = [&](Block& block) {
    if (describe(image, compiler::mailbox(block.data())) == operation && --occurrence == 0)
      found = block.bytes();
  };
  host.run();
  REQUIRE_MESSAGE(!found.empty(), operation);
  return found;
}

// Two paths to the same operation, from different initial memories, must be indistinguishable.
void check_same(const std::string& source, const std::vector<std::int64_t>& one,
                const std::vector<std::int64_t>& two, const std::string& operation) {
  for (const compiler::Options& options : forms) {
    const auto image = compile(source, options);
    CHECK(state_at(*image, one, operation) == state_at(*image, two, operation));
  }
}

std::int64_t word(const Bytes& bytes, std::size_t offset) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("temporaries of a finished expression leave no trace") {
  check_same(
      "shared x: int; shared y: int; shared m: int; thread p { if (x * 3 + y) * (x + y) + x == -7 { fence; } "
      "m = 1; }",
      {1, 2}, {5, -8}, "store m = 1");
}

TEST_CASE("locals of a finished scope leave no trace") {
  check_same(R"(
    shared x: int; shared y: int; shared m: int;
    thread p { { let a = x; var b = a * 5; b += y; { let c = y; let d = c - x; y = d * b; } } m = 1; }
  )",
             {1, 2}, {7, 8}, "store m = 1");
}

TEST_CASE("the path through branches leaves no trace") {
  check_same(R"(
    shared x: int; shared m: int;
    thread p { if x < 3 { let a = x; m = 7; let b = a; } else { for i in 0..3 { let k = x + i; m = 8; } } m = 1; }
  )",
             {1}, {7}, "store m = 1");
}

TEST_CASE("breaking out of loops leaves no trace of locals, counters and bounds") {
  check_same(R"(
    shared x: int; shared m: int;
    thread p {
      for i in 0..x + 3 {
        let a = i * x;
        while x > i { let b = x; if b > 5 { break; } let c = b + a; x -= 1; if c == 2 { continue; } m = c + 9; }
        if a > 4 { break; }
      }
      m = 1;
    }
  )",
             {3}, {9}, "store m = 1");
}

TEST_CASE("returning from inside a function leaves no trace of it") {
  check_same(R"(
    shared x: int; shared y: int; shared m: int;
    fn search(low: int, high: int) -> int {
      var steps = low;
      for i in low..high { let v = x; steps += 1; if i * v > y { let w = y; return 0; } }
      { let last = y; if last > 3 { return 0; } }
      return 0;
    }
    thread p { let zero = search(x, y) + search(y, x); m = 1; }
  )",
             {1, 6}, {4, 9}, "store m = 1");
}

TEST_CASE("failed awaits leave no trace") {
  check_same("shared x: int; shared m: int; thread p { await x == 5 && x + x == 10; m = 1; }", {1}, {5},
             "store m = 1");
}

TEST_CASE("the outcome of a compare_exchange or choice leaves no trace in the mailbox") {
  check_same(R"(
    shared x: int; shared y: int; shared m: int;
    thread p { if cas(x, y, 3) { fence; } if choose(0..y) == 2 { fence; } m = 1; }
  )",
             {1, 1}, {2, 7}, "store m = 1");
}

TEST_CASE("equal ends are equal, whatever came before") {
  check_same("shared x: int; thread p { if x == 0 { x = 1; x = 2; return; } if x == 1 { fence; } }", {0}, {1},
             "done");
  check_same("shared x: int; thread p { if x == 0 { x = 1; x = 2; return; } if x == 1 { fence; } }", {1}, {2},
             "done");
}

TEST_CASE("only unfinished threads have a resume function") {
  for (const compiler::Options& options : forms) {
    const auto image = compile("shared x: int; thread p { x = 1; assume x == 0; }", options);
    CHECK(word(state_at(*image, {}, "store x = 1"), 0) != 0);
    CHECK(word(state_at(*image, {}, "assume_failed"), 0) == 0);
  }
}

TEST_CASE("values that matter later make a difference") {
  for (const compiler::Options& options : forms) {
    const auto image = compile("shared x: int; shared m: int; thread p { let a = x; m = 1; }", options);
    CHECK(state_at(*image, {1}, "store m = 1") != state_at(*image, {2}, "store m = 1"));
    const auto loop = compile("shared x: int; shared m: int; thread p { while x == 0 { m = 1; } }", options);
    CHECK(state_at(*loop, {0}, "store m = 1", 1) != state_at(*loop, {0}, "store m = 1", 2));
  }
}

TEST_CASE("unused fields of the mailbox are zero") {
  for (const compiler::Options& options : forms) {
    const auto image = compile(R"(
      shared x: int = 7; shared y: int; shared b: bool; mutex m;
      thread p {
        x = 9; let a = x; fence lw; let c = cas(x, 9, 4); lock m; b = true; await x == 4; unlock m;
        let d = choose(2..5); let e = fetch_add(y, 3); let f = trylock m; assert false; assume y == 0;
      }
    )",
                               options);
    Host host(*image);
    host.resumes_after_assertions = true;
    host.at_suspension = [](Block& block) {
      using compiler::Op;
      const compiler::Mailbox& mail = compiler::mailbox(block.data());
      const Op op = mail.op;
      const bool valued =
          op == Op::store || op == Op::compare_exchange || op == Op::choose || op == Op::fetch_add;
      if (!valued) CHECK(mail.value == 0);
      if (op != Op::compare_exchange && op != Op::choose)
        CHECK(mail.expected == (mail.in_await != 0 ? 1 : 0));
      if (op > Op::try_lock || op == Op::fence) CHECK(mail.location == 0);
      if (op != Op::fence) CHECK(mail.fence == compiler::Fence::full);
      if (op != Op::load) CHECK(mail.in_await == 0);
      CHECK(mail.effect == compiler::UpdateEffect::not_asked);
    };
    const Log log = host.run();
    CHECK(log.size() == 14);
    CHECK(log.back() == "assume_failed");
  }
}

TEST_CASE("a snapshot can be restored any number of times, even after the thread's end") {
  for (const compiler::Options& options : forms) {
    const auto image = compile("shared x: int; thread p { let a = x; let b = x * 2 + a; x = b; }", options);
    const compiler::ThreadImage& thread = image->threads[0];
    Block block(thread.block_size);
    thread.start(block.data(), thread.argument);
    compiler::mailbox(block.data()).value = 3;
    compiler::resume(block.data());
    const Bytes second_load = block.bytes();
    for (const std::int64_t answer : {5, -1, 9}) {
      compiler::mailbox(block.data()).value = answer;
      compiler::resume(block.data());
      CHECK(compiler::mailbox(block.data()).op == compiler::Op::store);
      CHECK(compiler::mailbox(block.data()).value == answer * 2 + 3);
      compiler::resume(block.data());
      CHECK(compiler::mailbox(block.data()).op == compiler::Op::done);
      block.restore(second_load);
    }
  }
}

TEST_CASE("threads that share their code do not share their state") {
  const auto image = compile("shared x: int; thread w[i: 0..3] { let a = i; x = a; let b = x; x = a + b; }");
  std::vector<Block> blocks;
  for (const compiler::ThreadImage& thread : image->threads) {
    blocks.emplace_back(thread.block_size);
    thread.start(blocks.back().data(), thread.argument);
  }
  for (std::int64_t thread = 2; thread >= 0; --thread) {
    void* const block = blocks[static_cast<std::size_t>(thread)].data();
    CHECK(compiler::mailbox(block).value == thread);
    compiler::resume(block);
    compiler::mailbox(block).value = 10;
    compiler::resume(block);
    CHECK(compiler::mailbox(block).value == thread + 10);
  }
}

TEST_CASE("blocks of small threads are small") {
  const auto size = [](const std::string& source) {
    return compile("shared x: int; shared a: int[4]; " + source)->threads[0].block_size;
  };
  CHECK(size("thread p { x = 1; let a1 = x; }") == 64);
  CHECK(size("thread p { x = 1; x = 2; fence; if x == 0 { x = 3; } }") == 64);
  // Temporaries, loops and functions reuse the same slots.
  CHECK(size(R"(
    fn put(v: int) { let old = x; x = old + v; }
    thread p[i: 0..2] {
      put(1); put(i); put(2);
      for k in 0..3 { a[k] = x + a[k]; }
      while x < 3 { x += 1; }
      let r = x;
    }
  )") == 96);
}

}  // namespace heddle::test
