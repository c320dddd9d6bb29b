// Each construct of the language, from text to resolved tree.
#include <doctest/doctest.h>

#include <string>

#include "parse.hpp"

using namespace heddle::lang;  // NOLINT(google-build-using-namespace): a test file
using heddle::lang::test::dump;
using heddle::lang::test::dump_body;
using heddle::lang::test::parse;
using heddle::lang::test::Parsed;

namespace {

// The body of the first thread of a program with some shared data and functions.
std::string body(const std::string& statements) {
  const Parsed parsed = parse(
      "shared x: int; shared y: int; shared b: bool; shared a: int[4]; mutex m; mutex n[2];\n"
      "const N = 2; fn f(v: int) -> int { return v; } fn g() { }\n"
      "thread p {" +
      statements + "}");
  REQUIRE(parsed.rendered() == "");
  return dump_body(*parsed.program, parsed.program->templates[0].body);
}

std::string expression(const std::string& text) {
  const std::string line = body("x = " + text + ";");
  return line.substr(10, line.size() - 11);
}

std::string whole(const std::string& text) {
  const Parsed parsed = parse(text);
  REQUIRE(parsed.rendered() == "");
  return dump(*parsed.program);
}

}  // namespace

TEST_CASE("binary operators have the precedence of C and associate to the left") {
  CHECK(expression("1 + 2 * 3") == "(1 + (2 * 3))");
  CHECK(expression("1 - 2 - 3") == "((1 - 2) - 3)");
  CHECK(expression("8 / 4 % 3 * 2") == "(((8 / 4) % 3) * 2)");
  CHECK(expression("1 << 2 + 3 >> 1") == "((1 << (2 + 3)) >> 1)");
  CHECK(expression("x | y ^ 1 & 3") == "(x | (y ^ (1 & 3)))");
  CHECK(expression("x + 1 < y == y > 2 ? 1 : 0") == "((((x + 1) < y) == (y > 2)) ? 1 : 0)");
  CHECK(expression("b || x == 1 && y != 2 || x <= 3 ? 1 : 0") ==
        "(((b || ((x == 1) && (y != 2))) || (x <= 3)) ? 1 : 0)");
  CHECK(expression("x >= 1 && x < 2 && b ? 1 : 0") == "((((x >= 1) && (x < 2)) && b) ? 1 : 0)");
  CHECK(expression("(1 + 2) * 3") == "((1 + 2) * 3)");
}

TEST_CASE("the conditional operator associates to the right") {
  CHECK(expression("b ? 1 : b ? 2 : 3") == "(b ? 1 : (b ? 2 : 3))");
  CHECK(expression("b ? b ? 1 : 2 : 3") == "(b ? (b ? 1 : 2) : 3)");
}

TEST_CASE("prefix operators bind tighter than binary ones") {
  CHECK(expression("-x + ~y") == "((-x) + (~y))");
  CHECK(expression("- -x") == "(-(-x))");
  CHECK(expression("!b || !x ? 1 : 0") == "(((!b) || (!(x != 0))) ? 1 : 0)");
  CHECK(expression("-a[1]") == "(-a[1])");
}

TEST_CASE("a negated literal is a literal") {
  CHECK(expression("-1") == "-1");
  CHECK(expression("-9223372036854775807 - 1") == "(-9223372036854775807 - 1)");
  CHECK(expression("3-1") == "(3 - 1)");
}

TEST_CASE("numbers are decimal or hexadecimal, with separators") {
  CHECK(expression("1_000_000") == "1000000");
  CHECK(expression("0xFf") == "255");
  CHECK(expression("0X7fff_ffff_ffff_ffff") == "9223372036854775807");
  CHECK(expression("007") == "7");
}

TEST_CASE("an int used as a condition is compared with 0") {
  CHECK(expression("x ? 1 : 0") == "((x != 0) ? 1 : 0)");
  CHECK(expression("x && y || b ? 1 : 0") == "((((x != 0) && (y != 0)) || b) ? 1 : 0)");
  CHECK(
      body("if x { } while y { x = 1; } assert x; assume y; await a[0];") ==
      "if (x != 0)\nwhile (y != 0)\n  store x = 1\nassert (x != 0) ''\nassume (y != 0)\nawait (a[0] != 0)\n");
  CHECK(body("await b;") == "await b\n");
}

TEST_CASE("constants become numbers and array elements keep their index") {
  CHECK(expression("a[N + x]") == "a[(2 + x)]");
  CHECK(expression("N") == "2");
}

TEST_CASE("calls and atomic operations carry their operands in order") {
  CHECK(expression("f(f(1) + 2)") == "f((f(1) + 2))");
  CHECK(expression("cas(a[1], 2, 3) ? 1 : 0") == "(cas:bool(a; 1, 2, 3) ? 1 : 0)");
  CHECK(expression("exchange(y, 2)") == "exchange:int(y; 2)");
  CHECK(body("exchange(b, true); cas(b, true, false);") ==
        "evaluate exchange:bool(b; true)\nevaluate cas:bool(b; true, false)\n");
  CHECK(expression("fetch_add(x, 1) + fetch_sub(x, 1) + fetch_and(x, 1) + fetch_or(x, 1)") ==
        "(((fetch_add(x; 1) + fetch_sub(x; 1)) + fetch_and(x; 1)) + fetch_or(x; 1))");
  CHECK(expression("fetch_xor(x, 1) + fetch_max(a[y], 1) + fetch_min(x, 1)") ==
        "((fetch_xor(x; 1) + fetch_max(a; y, 1)) + fetch_min(x; 1))");
  CHECK(expression("trylock m && trylock n[1] ? 1 : 0") == "((trylock(m; ) && trylock(n; 1)) ? 1 : 0)");
  CHECK(expression("choose(0..x + 1)") == "choose(0, (x + 1))");
}

TEST_CASE("locals are numbered in the order of declaration and keep their types") {
  CHECK(body("let c = x; var d: bool = b; { let e = 1; } let e = c;") ==
        "declare c#0:int! = x\n"
        "declare d#1:bool! = b\n"
        "block\n"
        "  declare e#2:int = 1\n"
        "declare e#3:int! = c#0\n");
}

TEST_CASE("assignment goes to a local, a shared scalar or an element") {
  CHECK(body("var v = 1; v = 2; v += x; x = 3; a[v] = 4; (y) = 5;") ==
        "declare v#0:int! = 1\n"
        "assign v#0:int! = 2\n"
        "assign v#0:int! = (v#0 + x)\n"
        "store x = 3\n"
        "store a = v#0, 4\n"
        "store y = 5\n");
}

TEST_CASE("every compound assignment is known") {
  CHECK(
      body("x += 1; x -= 1; x *= 1; x /= 1; x %= 1; x &= 1; x |= 1; x ^= 1; x <<= 1; x >>= 1; a[2] += y;") ==
      "store x += 1\nstore x -= 1\nstore x *= 1\nstore x /= 1\nstore x %= 1\nstore x &= 1\nstore x |= 1\n"
      "store x ^= 1\nstore x <<= 1\nstore x >>= 1\nstore a += 2, y\n");
}

TEST_CASE("branches may have parentheses around the condition or not") {
  CHECK(body("if (x == 1) { x = 2; } else if y { } else { y = 3; }") ==
        "if (x == 1)\n  store x = 2\nelse\n  if (y != 0)\n  else\n    store y = 3\n");
  CHECK(body("if (x) == 1 { }") == "if (x == 1)\n");
  CHECK(body("if x == 1 { } else { }") == "if (x == 1)\n");
}

TEST_CASE("loops have a body, break and continue") {
  CHECK(body("while (true) { if b { break; } continue; }") == "while true\n  if b\n    break\n  continue\n");
  CHECK(body("for i in 0..N * 2 { x = i; } for i in x..y { }") ==
        "for i#0:int in 0, (2 * 2)\n  store x = i#0\nfor i#1:int in x, y\n");
}

TEST_CASE("fences, locks, checks, jumps and empty statements") {
  CHECK(body("fence; fence lw; fence st; fence isync;") == "fence full\nfence lw\nfence st\nfence isync\n");
  CHECK(body("lock m; unlock m; lock n[x]; unlock n[1];") == "lock m \nunlock m \nlock n x\nunlock n 1\n");
  CHECK(body(R"(assert x == 1, "say \"no\"\n"; assert b; assume b; await x == 2;)") ==
        "assert (x == 1) 'say \"no\"\n'\nassert b ''\nassume b\nawait (x == 2)\n");
  CHECK(body("; ;; return; ;") == "return \n");
  CHECK(body("g(); f(1); { { } }") == "evaluate g()\nevaluate f(1)\nblock\n  block\n");
}

TEST_CASE("comments and white space of all kinds separate tokens") {
  CHECK(body("x/* a * b / c */=// to the end\r\n\t1\f;\v/**//***/") == "store x = 1\n");
}

TEST_CASE("a byte order mark is skipped") { CHECK(parse("\xEF\xBB\xBFthread p { }").program.has_value()); }

TEST_CASE("each shared scalar has one location") {
  CHECK(
      whole("shared x: int = -3; shared a: int[2] = 7; mutex m[2]; shared l: bool[3] = {true, false, 1 < 2};"
            "shared t: bool = true; mutex k; shared z: int[1]; thread p { }") ==
      "shared x:int @0 = -3\n"
      "shared a:int[2] @1 = 7 7\n"
      "mutex m:int[2] @3 = 0 0\n"
      "shared l:bool[3] @5 = 1 0 1\n"
      "shared t:bool @8 = 1\n"
      "mutex k:int @9 = 0\n"
      "shared z:int[1] @10 = 0\n"
      "thread p = p(0)\n"
      "template p\n");
}

TEST_CASE("threads are in source order, families expanded into their members") {
  CHECK(whole("const N = 3; thread q { } thread w[i: 1..N] { let me = i; } thread r { }") ==
        "thread q = q(0)\n"
        "thread w[1] = w(1)\n"
        "thread w[2] = w(2)\n"
        "thread r = r(0)\n"
        "template q\n"
        "template w[]\n"
        "declare me#1:int! = i#0\n"
        "template r\n");
}

TEST_CASE("functions have parameters and a result, and may be declared after their calls") {
  CHECK(whole("thread p { let a = max(1, true); nothing(); }"
              "fn max(v: int, w: bool) -> int { if w { return v; } else { return -v; } }"
              "fn nothing() { return; } fn truth() -> bool { while 1 { } }") ==
        "fn max/2 -> int\n"
        "if w#1\n"
        "  return v#0\n"
        "else\n"
        "  return (-v#0)\n"
        "fn nothing/0 -> none\n"
        "return \n"
        "fn truth/0 -> bool\n"
        "while (1 != 0)\n"
        "thread p = p(0)\n"
        "template p\n"
        "declare a#0:int! = max(1, true)\n"
        "evaluate nothing()\n");
}

TEST_CASE("final is a body of its own that may call functions") {
  CHECK(whole("shared x: int; fn f() { x = 2; } thread p { } final { f(); for i in 0..2 { assert x == i; } "
              "return; }") ==
        "shared x:int @0 = 0\n"
        "fn f/0 -> none\n"
        "store x = 2\n"
        "thread p = p(0)\n"
        "template p\n"
        "final\n"
        "evaluate f()\n"
        "for i#0:int in 0, 2\n"
        "  assert (x == i#0) ''\n"
        "return \n");
}

TEST_CASE("conditions over final states name shared data and locals of threads") {
  CHECK(whole("const K = 1; shared x: int; shared a: int[2]; thread p { let r = x; var ok = true; }"
              "thread w[i: 2..4] { let s = i; }"
              "exists p.r == 1 && w[K + 1].s != 2; forall x; forbid p.ok || a[x] == K;") ==
        "shared x:int @0 = 0\n"
        "shared a:int[2] @1 = 0 0\n"
        "thread p = p(0)\n"
        "thread w[2] = w(2)\n"
        "thread w[3] = w(3)\n"
        "template p\n"
        "declare r#0:int! = x\n"
        "declare ok#1:bool! = true\n"
        "template w[]\n"
        "declare s#1:int! = i#0\n"
        "exists ((p.r == 1) && (w[2].s != 2))\n"
        "forall (x != 0)\n"
        "forbid (p.ok || (a[x] == 1))\n");
}

TEST_CASE("expect lines have models, algorithms, params and an outcome") {
  CHECK(
      whole(
          "param N = 2; param M = 1; thread p { } exists N == 2;"
          "expect sc: safe; expect tso, pso by dpor, rf: violation; expect all: violation \"two \\\"x\\\"\";"
          "expect sc, all by naive with N=3, M=-0x10: deadlock; expect power: never; expect sc: sometimes;"
          "expect sc: always; expect sc by source: executions 12; expect sc: outcomes 0;"
          "expect sc: safe within /* the */ bounds; expect sc: vacuous;") ==
      "param N = 2 (2)\n"
      "param M = 1 (1)\n"
      "thread p = p(0)\n"
      "template p\n"
      "exists (2 == 2)\n"
      "expect sc by  with: safe '' 0\n"
      "expect tso pso by dpor rf with: violation '' 0\n"
      "expect sc tso pso power by  with: violation 'two \"x\"' 0\n"
      "expect sc tso pso power by naive with N=3 M=-16: deadlock '' 0\n"
      "expect power by  with: never '' 0\n"
      "expect sc by  with: sometimes '' 0\n"
      "expect sc by  with: always '' 0\n"
      "expect sc by source with: executions '' 12\n"
      "expect sc by  with: outcomes '' 0\n"
      "expect sc by  with: safe within bounds '' 0\n"
      "expect sc by  with: vacuous '' 0\n");
}

TEST_CASE("words of expect lines and fences are not keywords elsewhere") {
  CHECK(parse("shared safe: int; shared lw: int; thread sc { let by = safe; let all = lw; fence lw; }"
              "expect sc by dpor: safe;")
            .rendered() == "");
}

TEST_CASE("ranges in the tree refer to the source text") {
  const Parsed parsed =
      parse("shared x: int;\nthread p { if (x + 1) { x = (2) * 3; } }\nexists x == 1;\nexpect sc: never;");
  REQUIRE(parsed.rendered() == "");
  const Statement& branch = parsed.program->templates[0].body.statements[0];
  CHECK(parsed.sources.text(branch.range) == "if (x + 1)");
  CHECK(parsed.sources.text(branch.expressions[0].range) == "(x + 1)");
  const Statement& store = branch.body[0];
  CHECK(parsed.sources.text(store.range) == "x = (2) * 3");
  CHECK(parsed.sources.text(store.expressions[0].range) == "(2) * 3");
  CHECK(parsed.sources.text(store.expressions[0].operands[0].range) == "(2)");
  CHECK(parsed.sources.text(parsed.program->variables[0].range) == "x");
  CHECK(parsed.sources.text(parsed.program->templates[0].range) == "p");
  CHECK(parsed.sources.text(parsed.program->properties[0].range) == "exists x == 1");
  CHECK(parsed.sources.text(parsed.program->expectations[0].range) == "expect sc: never");
}
