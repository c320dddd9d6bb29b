// How structs, enums, references, modules, spawns and spin loops are resolved, in the notation of dump().
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "parse.hpp"

using namespace heddle::lang;
using heddle::lang::test::dump;
using heddle::lang::test::parse;
using heddle::lang::test::Parsed;

namespace {

// The whole program, or its messages if it has any.
std::string resolved(const std::string& text) {
  const Parsed parsed = parse(text);
  return parsed.program ? dump(*parsed.program) : parsed.messages();
}

struct Loaded {
  std::string messages;
  bool accepted = false;
};

// Loads "dir/main.hed" with the other files, all by path.
Loaded load(const std::map<std::string, std::string>& files) {
  SourceMap sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("dir/main.hed", files.at("dir/main.hed"));
  FrontendOptions options;
  options.loader = [&](const std::string& path) -> ModuleText {
    const auto found = files.find(path);
    if (found == files.end()) return {.text = {}, .error = "no such file"};
    return {.text = found->second, .error = {}};
  };
  Loaded loaded;
  loaded.accepted = parse_program(sources, file, {}, diagnostics, options).has_value();
  for (const Diagnostic& error : diagnostics.errors()) {
    const LineColumn place = sources.locate(error.range.file, error.range.begin);
    loaded.messages +=
        sources.name(error.range.file) + ":" + std::to_string(place.line) + ": " + error.message + "\n";
  }
  return loaded;
}

}  // namespace

TEST_CASE("each field of a struct becomes a variable, and an array of structs an array of each field") {
  CHECK(resolved("struct S { a: int = 3; b: bool; m: mutex; } shared s: S[2]; thread p { s[1].a = 4; }") ==
        "shared s.a:int[2] @0 = 3 3\n"
        "shared s.b:bool[2] @2 = 0 0\n"
        "mutex s.m:int[2] @4 = 0 0\n"
        "thread p = p(0)\n"
        "template p\n"
        "store s.a = 1, 4\n");
}

TEST_CASE("elements of nested arrays are named by all their indexes") {
  const Parsed parsed = parse("struct S { a: int[2]; } shared s: S[3]; shared g: int[2][2]; thread p { }");
  REQUIRE(parsed.program);
  const Variable& inner = parsed.program->variables[0];
  CHECK(element_name(inner.name, inner.is_array, inner.elements, 5) == "s[2].a[1]");
  const Variable& grid = parsed.program->variables[1];
  CHECK(element_name(grid.name, grid.is_array, grid.elements, 2) == "g[1][0]");
}

TEST_CASE("a function with references becomes one function per object passed to it") {
  const Parsed parsed = parse(
      "shared x: int; shared a: int[2]; fn f(r: ref int) { r = 1; } fn unused(r: ref int) { r = 2; }"
      "thread p { f(x); f(a[0]); f(a[1]); f(x); var l = 0; f(l); var k = 0; f(k); }");
  REQUIRE(parsed.program);
  CHECK(parsed.program->functions.size() == 3);
  CHECK(parsed.program->variables.size() == 2);
}

TEST_CASE("the values of an enum are numbers with a type of their own") {
  CHECK(resolved("enum E { a, b } shared x: E = E.b; thread p { x = E.a; let c = choose(E); }") ==
        "shared x:none @0 = 1\n"
        "thread p = p(0)\n"
        "template p\n"
        "store x = 0\n"
        "declare c#0:none! = choose(0, 2)\n");
  CHECK(resolved("enum E { a, b } shared x: int; thread p { x = E.a; }") ==
        "1:47: the value of 'x' must be int, not E\n");
}

TEST_CASE("an await can give its value to the local that it declares") {
  const std::string tree =
      resolved("shared x: int; shared b: bool; thread p { let v = await x; var w: bool = await b; }");
  CHECK(tree.find("await v#0:int! = x\n") != std::string::npos);
  CHECK(tree.find("await w#1:bool! = b\n") != std::string::npos);
  CHECK(resolved("struct P { a: int; } shared q: P; thread p { let v = await q; }") ==
        "1:60: 'await' waits for an 'int' or a 'bool'\n");
  CHECK(resolved("shared x: int; thread p { let v: int[2] = await x; }") ==
        "1:49: 'await' waits for an 'int' or a 'bool'\n");
  CHECK(resolved("shared x: int; thread p { let v: bool = await x; }") ==
        "1:47: the value of 'v' must be bool, not int\n");
  CHECK(resolved("shared x: int; thread p { let v = await exchange(x, 1); }") ==
        "1:41: 'exchange' is not allowed in the condition of 'await'\n");
  CHECK(resolved("shared x: int; thread p { x = 1; } final { let v = await x; }") ==
        "1:44: 'await' is not allowed in 'final'\n");
  CHECK(parse("shared x: int; thread p { x = await x; }")
            .rendered()
            .find("hint: only a declaration takes the value of an await: let v = await e;") !=
        std::string::npos);
}

TEST_CASE("a loop that only reads shared variables becomes an await, unless that is switched off") {
  const std::string text = "shared x: int; thread p { while x != 0 { } while x < 3 { { } } }";
  const Parsed parsed = parse(text);
  REQUIRE(parsed.program);
  CHECK(parsed.program->spin_loops == 2);
  CHECK(parsed.program->templates[0].body.statements[0].kind == StatementKind::await);
  SourceMap sources;
  Diagnostics diagnostics;
  FrontendOptions options;
  options.spin_await = false;
  const auto kept = parse_program(sources, sources.add("a.hed", text), {}, diagnostics, options);
  REQUIRE(kept);
  CHECK(kept->spin_loops == 0);
  CHECK(kept->templates[0].body.statements[0].kind == StatementKind::while_);
}

TEST_CASE("a loop that only tries becomes an await") {
  for (const char* loop :
       {"while !cas(x, 0, 1) { }", "while !trylock m { { } }", "while !cas(x, x, x + 1) { }"}) {
    const Parsed parsed = parse(std::string("shared x: int; mutex m; thread p { ") + loop + " }");
    REQUIRE(parsed.program);
    CHECK(parsed.program->spin_loops == 1);
  }
  for (const char* loop :
       {"while cas(x, 0, 1) { }", "while !cas(x, 0, exchange(x, 1)) { }", "while !cas(x, 0, 1) { x = 0; }"}) {
    const Parsed parsed = parse(std::string("shared x: int; mutex m; thread p { ") + loop + " }");
    REQUIRE(parsed.program);
    CHECK(parsed.program->spin_loops == 0);
  }
}

TEST_CASE("a loop with effects, or without anything that can change, stays a loop") {
  for (const char* loop : {"while exchange(x, 1) != 0 { }", "while x != 0 { x = 0; }", "while true { }",
                           "var l = 1; while l != 0 { }"}) {
    const Parsed parsed = parse(std::string("shared x: int; thread p { ") + loop + " }");
    REQUIRE(parsed.program);
    CHECK(parsed.program->spin_loops == 0);
  }
  // In `final` there is no other thread.
  const Parsed parsed = parse("shared x: int; fn f() { while x != 0 { } } thread p { } final { f(); }");
  REQUIRE(parsed.program);
  CHECK(parsed.program->spin_loops == 0);
}

TEST_CASE("imported files are found next to the file that imports them") {
  const Loaded loaded = load(
      {{"dir/main.hed", "import \"./lib/a.hed\"; shared x: a.T; thread p { a.f(x); }"},
       {"dir/lib/a.hed", "import \"../b.hed\" { one }; struct T { v: int; } fn f(t: ref T) { t.v = one; }"},
       {"dir/b.hed", "const one = 1;"}});
  CHECK(loaded.messages == "");
  CHECK(loaded.accepted);
}

TEST_CASE("messages about an imported file name that file") {
  CHECK(load({{"dir/main.hed", "import \"./a.hed\"; thread p { }"}, {"dir/a.hed", "\nfn f() { y = 1; }"}})
            .messages == "dir/a.hed:2: unknown name 'y'\n");
  CHECK(load({{"dir/main.hed", "import \"./a.hed\"; thread p { a.g(); }"}, {"dir/a.hed", "fn f() { }"}})
            .messages != "");
}

TEST_CASE("import cycles, missing files, names that clash and threads in imported files are rejected") {
  CHECK(load({{"dir/main.hed", "import \"./a.hed\"; thread p { }"},
              {"dir/a.hed", "import \"./b.hed\";"},
              {"dir/b.hed", "import \"./a.hed\";"}})
            .messages == "dir/b.hed:1: import cycle: dir/a.hed imports dir/b.hed imports dir/a.hed\n");
  CHECK(load({{"dir/main.hed", "import \"./main.hed\"; thread p { }"}}).messages ==
        "dir/main.hed:1: import cycle: dir/main.hed imports dir/main.hed\n");
  CHECK(load({{"dir/main.hed", "import \"./no.hed\"; thread p { }"}}).messages ==
        "dir/main.hed:1: cannot import 'dir/no.hed': no such file\n");
  CHECK(load({{"dir/main.hed", "import \"./a.hed\"; shared a: int; thread p { }"}, {"dir/a.hed", ""}})
            .messages == "dir/main.hed:1: 'a' is declared twice\n");
  CHECK(
      load({{"dir/main.hed", "import \"./a.hed\"; thread p { }"}, {"dir/a.hed", "thread q { }"}}).messages ==
      "dir/a.hed:1: an imported file cannot contain threads\n");
}
