// Loading: lifetime of the code, many programs, several threads in one process, large programs.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "lang/frontend.hpp"
#include "tests/jit/host.hpp"

#ifdef __SANITIZE_ADDRESS__
// g++ has the function, but not the header that declares it (sanitizer/allocator_interface.h).
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace heddle::test {
namespace {

// Resident memory; under AddressSanitizer, which keeps freed blocks for a while, what is allocated.
std::size_t bytes_in_use() {
#ifdef __SANITIZE_ADDRESS__
  return __sanitizer_get_current_allocated_bytes();
#else
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
}

std::size_t mappings() {
  std::ifstream file("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t k = 0; k < times; ++k) result += text;
  return result;
}

const std::string small = R"(
  shared x: int; shared a: int[3]; mutex m;
  thread p { for i in 0..3 { a[i] = x + i; } lock m; x = a[1]; unlock m; let r = x; }
  thread w[i: 0..2] { await x == 1; if cas(x, 1, 2 + i) { a[i] += 1; } }
  final { assert x > 0; }
  exists p.r == 1;
)";

}  // namespace

TEST_CASE("an image outlives what it was made from and may be shared") {
  std::shared_ptr<const compiler::Image> image = compile(small);
  const std::shared_ptr<const compiler::Image> other = compile(small);
  Host host(*other);
  const Log log = host.run();
  image.reset();
  CHECK(host.run() != Log{});
  CHECK(log.back() == "done");
}

TEST_CASE("memory stays flat over a thousand programs") {
  const std::string tiny = "shared x: int; thread p { x = 1; let a = x; } exists p.a == 1;";
  for (int warm_up = 0; warm_up < 50; ++warm_up) CHECK(compile(tiny)->threads.size() == 1);
  const std::size_t bytes = bytes_in_use();
  const std::size_t maps = mappings();
  for (int round = 0; round < 1000; ++round) {
    if (compile(tiny)->threads.size() != 1) FAIL("not loaded");
  }
  CHECK(bytes_in_use() < bytes + (std::size_t{4} << 20U));
  CHECK(mappings() < maps + 50);
}

TEST_CASE("several threads load programs at the same time") {
  Log logs[2];
  const auto work = [](Log& log) {
    for (int round = 0; round < 40; ++round) {
      const auto image = compile(small, {.optimise = round % 8 == 0});
      Host host(*image);
      const Log now = host.run();
      if (round > 0 && now != log) log.push_back("differs");
      if (round == 0) log = now;
    }
  };
  std::thread other(work, std::ref(logs[1]));
  work(logs[0]);
  other.join();
  CHECK(logs[0] == logs[1]);
  CHECK(logs[0].back() == "done");
}

TEST_CASE("the intermediate code can be printed") {
  const std::string text = ir(small);
  CHECK(text.find("llvm.coro.suspend") != std::string::npos);
  CHECK(text.find("thread.p") != std::string::npos);
  CHECK(text.find("condition.0") != std::string::npos);
  CHECK(ir(small, {.coroutine_operations = 0}).find("llvm.coro.suspend") == std::string::npos);
}

TEST_CASE("a thread of twenty thousand statements is loaded and runs, optimised or not") {
  const std::string source = "shared x: int; fn ten() { " + repeat("x = 1; ", 10) + " } fn thousand() { " +
                             repeat("ten(); ", 100) + " } thread p { " + repeat("thousand(); ", 18) + " }";
  for (const bool optimise : {false, true}) {
    const auto image = compile(source, {.optimise = optimise});
    Host host(*image);
    const Log log = host.run(0, 100'000);
    CHECK(log.size() == 18'001);
    CHECK(log.back() == "done");
  }
}

TEST_CASE("calls may nest as deep as the front end lets them") {
  std::string source = "shared x: int; fn f0() -> int { return x + 1; } ";
  for (int k = 1; k < 300; ++k) {
    source +=
        "fn f" + std::to_string(k) + "() -> int { { return (x - x) + f" + std::to_string(k - 1) + "(); } } ";
  }
  const auto image = compile(source + "thread p { let r = f299(); }");
  Host host(*image);
  CHECK(host.run().size() == 2 * 299 + 2);
  CHECK(host.locals == Log{"r = 1"});
}

TEST_CASE("deep and long expressions are compiled") {
  const auto deep =
      compile("shared x: int = 1; thread p { let r = " + repeat("(x + ", 150) + "x" + repeat(")", 150) +
              "; let s = x" + repeat(" + x", 900) + "; let t = " + repeat("!", 150) + "(x == 0); }");
  Host host(*deep);
  host.run();
  CHECK(host.locals == Log{"r = 151", "s = 901", "t = false"});
}

TEST_CASE("programs that are lowered together share equal threads") {
  const std::string text = R"(
    param F = 0;
    param G = 0;
    shared x: int;
    thread p { x = 1; if F { fence; } x = 2; }
    thread q { let a = x; if G { fence; } let b = x; }
    exists q.a == 0;
  )";
  lang::SourceMap sources;
  const auto file = sources.add("test.hed", text);
  lang::Diagnostics diagnostics;
  const auto modules = lang::parse_modules(sources, file, diagnostics);
  REQUIRE(modules != nullptr);
  std::vector<lang::Program> programs;
  std::vector<lang::SourceMap> maps(4, sources);
  for (std::size_t i = 0; i < 4; ++i) {
    auto program = lang::resolve_modules(
        *modules, maps[i], {{"F", static_cast<std::int64_t>(i / 2)}, {"G", static_cast<std::int64_t>(i % 2)}},
        diagnostics);
    REQUIRE(program);
    programs.push_back(std::move(*program));
  }
  std::vector<compiler::Variant> variants;
  for (std::size_t i = 0; i < 4; ++i) variants.push_back({.program = &programs[i], .sources = &maps[i]});
  for (const bool run_ahead : {false, true}) {
    auto loaded = jit::load(compiler::lower(variants, {.run_ahead = run_ahead}));
    REQUIRE(loaded.index() == 0);
    const auto& images = std::get<0>(loaded);
    REQUIRE(images.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        CHECK((images[i]->threads[0].start == images[k]->threads[0].start) == (i / 2 == k / 2));
        CHECK((images[i]->threads[1].start == images[k]->threads[1].start) == (i % 2 == k % 2));
        CHECK((images[i]->conditions[0].holds == images[k]->conditions[0].holds));
      }
      CHECK(images[i]->sites.size() >= 4);
      Block block(images[i]->threads[0].block_size);
      images[i]->threads[0].start(block.data(), 0);
      const auto& request = compiler::mailbox(block.data());
      CHECK(request.op == compiler::Op::store);
      CHECK(images[i]->sites.at(request.site).text == "x = 1");
      compiler::resume(block.data());
      CHECK(request.op == (i / 2 == 1 ? compiler::Op::fence : compiler::Op::store));
      CHECK(images[i]->sites.at(request.site).text == (i / 2 == 1 ? "fence" : "x = 2"));
    }
  }
}

}  // namespace heddle::test
