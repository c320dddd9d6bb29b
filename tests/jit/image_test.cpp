// The contents of an image: locations, threads, sites, conditions.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "compiler/sites.hpp"
#include "tests/jit/host.hpp"

namespace heddle::test {
namespace {

// Runs all threads one after the other and evaluates condition number 0.
bool holds(const std::string& source, const std::vector<std::int64_t>& memory = {}, std::size_t number = 0) {
  bool first = false;
  for (const bool optimise : {false, true}) {
    const auto image = compile(source, {.optimise = optimise});
    Host host(*image);
    std::copy(memory.begin(), memory.end(), host.memory.begin());
    std::vector<std::vector<std::byte>> blocks;
    std::vector<const std::byte*> pointers;
    for (std::size_t thread = 0; thread < image->threads.size(); ++thread) {
      host.run(thread);
      blocks.push_back(host.last_block);
    }
    for (const auto& block : blocks) pointers.push_back(block.data());
    const bool result = image->conditions.at(number).holds(host.memory.data(), pointers.data());
    if (!optimise) first = result;
    CHECK(result == first);
  }
  return first;
}

}  // namespace

TEST_CASE("locations have names, initial values and kinds") {
  const auto image = compile(
      "shared x: int = -3; shared f: bool[2] = true; shared a: int[2] = {4, 5}; mutex m; mutex k[1]; thread "
      "p { }");
  const auto& all = image->locations;
  REQUIRE(all.size() == 7);
  const std::vector<std::string> names{"x", "f[0]", "f[1]", "a[0]", "a[1]", "m", "k[0]"};
  const std::vector<std::int64_t> initial{-3, 1, 1, 4, 5, 0, 0};
  for (std::size_t location = 0; location < all.size(); ++location) {
    CHECK(all[location].name == names[location]);
    CHECK(all[location].initial == initial[location]);
    CHECK(all[location].is_mutex == (location >= 5));
    CHECK(all[location].type.boolean == (location == 1 || location == 2));
  }
}

TEST_CASE("values of an enumeration have names, other values have none") {
  const auto image =
      compile("enum E { a, b } shared e: E; shared n: int; shared f: bool; thread p { let x = e; }");
  const compiler::ValueType& type = image->locations[0].type;
  CHECK(type.symbol(0) == "a");
  CHECK(type.symbol(1) == "b");
  CHECK(type.symbol(2).empty());
  CHECK(type.symbol(-1).empty());
  CHECK(image->locations[1].type.symbol(1).empty());
  CHECK(image->locations[2].type.symbol(1) == "true");
  CHECK(image->threads[0].locals[0].type.symbol(1) == "b");
}

TEST_CASE("threads have the names and arguments of the source") {
  const auto image =
      compile("thread p { let a = 1; let b = false; { let hidden = 2; } } thread w[i: 2..4] { }");
  REQUIRE(image->threads.size() == 3);
  CHECK(image->threads[0].name == "p");
  CHECK(image->threads[1].name == "w[2]");
  CHECK(image->threads[2].name == "w[3]");
  CHECK(image->threads[2].argument == 3);
  CHECK(image->final_block == nullptr);
  const auto& locals = image->threads[0].locals;
  REQUIRE(locals.size() == 2);
  CHECK(locals[0].name == "a");
  CHECK(!locals[0].type.boolean);
  CHECK(locals[1].name == "b");
  CHECK(locals[1].type.boolean);
  for (const compiler::ThreadImage& thread : image->threads) {
    CHECK(thread.block_size % compiler::block_alignment == 0);
    CHECK(thread.block_size >= sizeof(compiler::Mailbox) + compiler::mailbox_offset);
  }
}

TEST_CASE("sites refer to the source") {
  const auto image = compile(
      "shared flag: int[2];\nshared inside: int;\nmutex m;\n"
      "thread p[me: 0..1] {\n"
      "  flag[me] = 1;\n"
      "  let a = flag[1 - me] + fetch_add(inside,\n      1);  // both\n"
      "  await flag[1 - me] == 0 || /* or */ inside == me;\n"
      "  inside += flag[0];\n"
      "  lock m; fence lw; unlock m;\n"
      "  while (inside > 5) { }\n"
      "  assert cas(inside, 1, 2),\n     \"two; // threads\" ;\n"
      "}\n");
  std::vector<std::string> seen;
  Host host(*image);
  host.resumes_after_assertions = true;
  host.at_suspension = [&](Block& block) {
    const compiler::Site& site = image->sites.at(compiler::mailbox(block.data()).site);
    seen.push_back(std::to_string(site.line) + ":" + std::to_string(site.column) + " " + site.text);
    CHECK(site.file == "test.hed");
  };
  host.run();
  CHECK(seen == Log{"5:3 flag[me] = 1", "6:11 flag[1 - me]", "6:26 fetch_add(inside, 1)", "8:9 flag[1 - me]",
                    "9:3 inside += flag[0]", "9:13 flag[0]", "9:3 inside += flag[0]", "10:3 lock m",
                    "10:11 fence lw", "10:21 unlock m", "11:10 inside", "12:10 cas(inside, 1, 2)",
                    "12:3 assert cas(inside, 1, 2), \"two; // threads\"", "4:8 end of thread p"});
  const auto has = [&](const std::string& text, const std::string& message = {}) {
    return std::any_of(image->sites.begin(), image->sites.end(), [&](const compiler::Site& site) {
      return site.text == text && site.message == message;
    });
  };
  CHECK(has("await flag[1 - me] == 0 || inside == me"));
  CHECK(has("while (inside > 5)"));
  CHECK(has("assert cas(inside, 1, 2), \"two; // threads\"", "two; // threads"));
}

TEST_CASE("an inlined function has the sites of its source, once") {
  const auto image = compile("shared x: int; fn f() { x = 1; } thread p { f(); f(); } thread q { f(); }");
  CHECK(std::count_if(image->sites.begin(), image->sites.end(),
                      [](const compiler::Site& site) { return site.text == "x = 1"; }) == 1);
}

TEST_CASE("the text of a site is folded to one line and cut") {
  CHECK(compiler::fold_text("  a  +\n\t b ; ") == "a + b");
  CHECK(compiler::fold_text("a/**/+// x\n b") == "a + b");
  CHECK(compiler::fold_text("f(\"  //  \", 1);") == "f(\"  //  \", 1)");
  CHECK(compiler::fold_text("/* open") == "");
  CHECK(compiler::fold_text("\"open") == "\"open");
  CHECK(compiler::fold_text("") == "");
  CHECK(compiler::fold_text("abcdef", 4) == "abcd...");
  CHECK(compiler::fold_text("abc\xc3\xa4\xc3\xa4", 4) == "abc...");
}

TEST_CASE("conditions read memory and the locals of threads") {
  const std::string program =
      "shared x: int; shared f: bool = true; shared a: int[3] = {1, 2, 3}; "
      "thread p { let v = x; let ok = v == 4; } thread w[i: 0..2] { let seen = x + i; } ";
  CHECK(holds(program + "exists x == 4 && p.v == 4 && p.ok && f;", {4}));
  CHECK(!holds(program + "exists x == 4 && !p.ok;", {4}));
  CHECK(holds(program + "exists p.v == 3 && !p.ok && w[0].seen == 3 && w[1].seen == 4;", {3}));
  CHECK(holds(program + "forall a[0] + a[1] == a[2] && a[x] == 2;", {1}));
  CHECK(holds(program + "forbid (x > 3 ? a[1] : a[2]) == 3 || f == false;", {1}));
  CHECK(holds(program + "exists x < 0 || x * 2 == 6 && ~x == -4 && -x == -3 && x << 2 == 12 && (x ^ 1) == 2;",
              {3}));
  CHECK(holds(program + "exists x;", {7}));
  CHECK(!holds(program + "exists x;", {0}));
}

TEST_CASE("conditions have a value even where a thread would fail") {
  const std::string program = "shared x: int; shared y: int; shared a: int[2] = {7, 7}; thread p { } ";
  CHECK(holds(program + "exists a[x] == 0;", {2}));
  CHECK(holds(program + "exists a[x] == 0;", {-1}));
  CHECK(holds(program + "exists a[x] == 7;", {1}));
  CHECK(holds(program + "exists x / y == 0 && x % y == 0;", {5, 0}));
  CHECK(holds(program + "exists x / y == x && x % y == 0;", {INT64_MIN, -1}));
}

TEST_CASE("every condition has its kind and its site") {
  const auto image = compile("shared x: int; thread p { } exists x == 1; forall x ==\n 2; forbid x == 3;");
  REQUIRE(image->conditions.size() == 3);
  CHECK(image->conditions[0].kind == compiler::ConditionKind::exists);
  CHECK(image->conditions[1].kind == compiler::ConditionKind::forall);
  CHECK(image->conditions[2].kind == compiler::ConditionKind::forbid);
  CHECK(image->sites.at(image->conditions[1].site).text.find("x == 2") != std::string::npos);
  const std::vector<std::int64_t> memory{3};
  const std::byte* const blocks[1] = {};
  CHECK(!image->conditions[0].holds(memory.data(), blocks));
  CHECK(!image->conditions[1].holds(memory.data(), blocks));
  CHECK(image->conditions[2].holds(memory.data(), blocks));
}

}  // namespace heddle::test
