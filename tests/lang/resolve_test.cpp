// Names, types and compile-time values: what dump() does not show, and errors that must not cause others.
#include <doctest/doctest.h>

#include <string>

#include "parse.hpp"

using heddle::lang::Parameters;
using heddle::lang::test::dump;
using heddle::lang::test::parse;
using heddle::lang::test::Parsed;

namespace {

std::int64_t constant(const std::string& expression) {
  const Parsed parsed = parse("param N = 6; const C = " + expression + "; thread p { } exists C == 0;");
  REQUIRE(parsed.rendered() == "");
  return parsed.program->properties[0].condition.operands[0].value;
}

// The messages for a program whose first thread has this body.
std::string messages(const std::string& statements) {
  return parse("shared x: int; shared b: bool; shared a: int[2]; mutex m;\nthread p {\n" + statements +
               "\n}\n")
      .messages();
}

}  // namespace

TEST_CASE("constants are computed with wrapping 64-bit arithmetic") {
  CHECK(constant("1 + 2 * 3") == 7);
  CHECK(constant("9223372036854775807 + 1") == INT64_MIN);
  CHECK(constant("-9223372036854775807 - 2") == INT64_MAX);
  CHECK(constant("4611686018427387904 * 4") == 0);
  CHECK(constant("(-9223372036854775807 - 1) / -1") == INT64_MIN);
  CHECK(constant("(-9223372036854775807 - 1) % -1") == 0);
  CHECK(constant("-(-9223372036854775807 - 1)") == INT64_MIN);
  CHECK(constant("-7 / 2") == -3);
  CHECK(constant("-7 % 2") == -1);
  CHECK(constant("1 << 64") == 1);
  CHECK(constant("1 << 65") == 2);
  CHECK(constant("1 << 63") == INT64_MIN);
  CHECK(constant("-8 >> 1") == -4);
  CHECK(constant("-8 >> 65") == -4);
  CHECK(constant("~0 ^ 5 & 4 | 1") == ((~0 ^ (5 & 4)) | 1));
  CHECK(constant("N > 5 && N <= 6 ? 10 : 20") == 10);
  CHECK(constant("!N || N != 6 ? 1 : 2") == 2);
  CHECK(constant("N >= 7 ? 1 : N < 7 ? 3 : 4") == 3);
}

TEST_CASE("operators that skip an operand skip its division by zero") {
  CHECK(constant("N != 0 && 12 / N == 2 ? 1 : 0") == 1);
  CHECK(constant("N == 6 || 1 / 0 == 1 ? 1 : 0") == 1);
  CHECK(constant("false && 1 / 0 == 1 ? 1 : 0") == 0);
  CHECK(constant("N ? 5 : 1 / 0") == 5);
}

TEST_CASE("constants may be bool") {
  CHECK(dump(*parse("const B = 1 < 2; thread p { let a = B; }").program).find("declare a#0:bool! = true") !=
        std::string::npos);
}

TEST_CASE("params can be overridden by the caller") {
  const char* text = "param N = 2; const M = N * 2; shared a: int[M]; thread p[i: 0..N] { }";
  const Parsed plain = parse(text);
  REQUIRE(plain.program);
  CHECK(plain.program->threads.size() == 2);
  CHECK(plain.program->parameters[0].value == 2);
  const Parsed changed = parse(text, {{"N", 5}});
  REQUIRE(changed.program);
  CHECK(changed.program->threads.size() == 5);
  CHECK(changed.program->variables[0].length == 10);
  CHECK(changed.program->parameters[0].value == 5);
  CHECK(changed.program->parameters[0].default_value == 2);
}

TEST_CASE("an override must name a param and its value must make sense") {
  const auto hint = [](const char* text, const Parameters& parameters) {
    const Parsed parsed = parse(text, parameters);
    REQUIRE_FALSE(parsed.program);
    return parsed.diagnostics.errors()[0].message + "; " + parsed.diagnostics.errors()[0].hint;
  };
  CHECK(hint("param FENCED = 1; thread p { }", {{"FENCD", 1}}) ==
        "the program has no param 'FENCD'; did you mean 'FENCED'?");
  CHECK(hint("thread p { }", {{"N", 1}}) == "the program has no param 'N'; the program has no params");
  CHECK(hint("const N = 1; thread p { }", {{"N", 1}}) ==
        "'N' cannot be set from outside: it is a constant; declare it with 'param'");
  CHECK(hint("param N = 1; shared a: int[N]; thread p { }", {{"N", -1}}) ==
        "the length of an array is -1; an array has 1 to 65536 elements");
  CHECK(hint("param N = 1; const M = 6 / N; thread p { }", {{"N", 0}}) == "division by zero in a constant; ");
  CHECK(hint("", {{"", 1}}) == "the program has no param ''; the program has no params");
}

TEST_CASE("one unknown name is one error, whatever is done with it") {
  CHECK(messages("let c = nothing; let d = c + true; x = d; b = c; a[c] = d; if c { } f2(c, d);") ==
        "3:9: unknown name 'nothing'\n3:69: unknown function 'f2'\n");
  CHECK(messages("let c = nothing + 1; let d = -c; assert d == c && c; cas(x, c, d); lock m; await c;") ==
        "3:9: unknown name 'nothing'\n");
}

TEST_CASE("a wrong value of a declared type does not spread") {
  CHECK(messages("let c: int = true; let d: int = c; let e: bool = c;") ==
        "3:14: the value of 'c' must be int, not bool\n3:50: the value of 'e' must be bool, not int\n");
}

TEST_CASE("uses of a broken top-level declaration are not reported") {
  CHECK(parse("const A = 1 / 0; shared a: int[A]; thread p[i: 0..A] { a[i] = A; } exists p[0].c == A;")
            .messages() == "1:15: division by zero in a constant\n");
}

TEST_CASE("errors in different threads and functions are all reported, in source order") {
  CHECK(parse("thread p { let a = u1; }\nfn f() { u2(); }\nexists u3;\nthread q { let b = u4; }\nexpect tos: "
              "safe;\n")
            .messages() ==
        "1:20: unknown name 'u1'\n2:10: unknown function 'u2'\n3:8: unknown name 'u3'\n4:20: unknown name "
        "'u4'\n"
        "5:8: unknown model 'tos'\n");
}

TEST_CASE("a name may be declared again after its block has ended") {
  CHECK(messages("{ let c = 1; } { let c = true; } for c in 0..2 { } for c in 0..2 { } let c = 1;") == "");
  CHECK(messages("if x { let c = 1; } else { let c = 2; } while x { let c = 3; }") == "");
}

TEST_CASE("a path that ends in an endless loop needs no return") {
  CHECK(parse("shared x: int; fn f() -> int { while true { if x { return 1; } } }"
              "fn g() -> int { while 1 { for i in 0..2 { break; } } } fn h() -> int { { return 1; } }"
              "fn k() -> int { if x { return 1; } else if x { while true { } } else { return 3; } }"
              "thread p { f(); g(); h(); k(); }")
            .rendered() == "");
}

TEST_CASE("both kinds of locks and atomics accept parenthesised places") {
  CHECK(messages("lock (m); unlock (m); cas((a[0]), 1, 2); let c = trylock (m);") == "");
}

TEST_CASE("calls in arguments and conditions of functions are found by the recursion check") {
  CHECK(parse("fn f(v: int) -> int { if g(v) > 0 { return 1; } return 2; } fn g(v: int) -> int { return 1 + "
              "f(v); }"
              "thread p { }")
            .messages() == "1:94: recursion: f calls g calls f\n");
  CHECK(parse("fn f(v: int) -> int { return v; } thread p { let c = f(f(f(1))); }").rendered() == "");
}

TEST_CASE("a function that is never called is checked too") {
  CHECK(parse("fn f() { x = 1; } thread p { }").messages() == "1:10: unknown name 'x'\n");
}

TEST_CASE("final may call functions that only load and store") {
  CHECK(parse("shared x: int; fn f() { x += 1; } fn g() { f(); } thread p { } final { g(); }").rendered() ==
        "");
  CHECK(parse("shared x: int; fn f() { fetch_add(x, 1); } fn g() { f(); } thread p { } final { g(); }")
            .messages() == "1:81: 'g' uses 'fetch_add', which is not allowed in 'final'\n");
}
