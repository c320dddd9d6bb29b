// `plain`: what it marks, where it is allowed, and programs that use the word as a name.
#include <doctest/doctest.h>

#include <string>

#include "lang/print.hpp"
#include "parse.hpp"

using namespace heddle::lang;  // NOLINT(google-build-using-namespace): a test file
using heddle::lang::test::parse;
using heddle::lang::test::Parsed;

namespace {

// The names of the plain variables, each followed by a blank.
std::string plain_variables(const std::string& declarations) {
  const Parsed parsed = parse(declarations + " thread p { }");
  REQUIRE(parsed.rendered() == "");
  std::string names;
  for (const Variable& variable : parsed.program->variables) {
    if (variable.is_plain) names += variable.name + " ";
  }
  return names;
}

std::string errors(const std::string& text) {
  const Parsed parsed = parse(text);
  std::string messages;
  for (const Diagnostic& error : parsed.diagnostics.errors()) messages += error.message + "\n";
  return messages;
}

}  // namespace

TEST_CASE("plain marks shared variables, arrays, fields and whole objects, but no mutexes") {
  CHECK(plain_variables("shared x: int; shared y: plain int = 3; shared a: plain bool[2];") == "y a ");
  CHECK(plain_variables("struct N { v: plain int; next: int; } shared n: N; shared m: N[2];") == "n.v m.v ");
  CHECK(plain_variables("struct L { guard: mutex; c: cond; v: int; } struct O { inner: L; w: int; } "
                        "shared o: plain O[2];") == "o.inner.v o.w ");
  CHECK(plain_variables("struct I { v: int; } struct O { one: plain I; two: I; } shared o: O;") ==
        "o.one.v ");
  CHECK(plain_variables("enum E { a, b } shared e: plain E;") == "e ");
}

TEST_CASE("plain is a name wherever no type follows") {
  CHECK(plain_variables("struct plain { plain: int; } shared plains: plain; shared more: plain[2];") == "");
  CHECK(plain_variables("struct plain { plain: int; } shared x: plain plain;") == "x.plain ");
  CHECK(errors("param plain = 1; thread p { let a = plain; }") == "");
  CHECK(errors("fn plain(plain1: int) -> int { return plain1; } thread p { var plain2 = plain(1); }") == "");
}

TEST_CASE("plain is refused for locals, parameters, results, mutexes and condition variables") {
  const std::string only = "only shared variables and fields of structs can be 'plain'\n";
  CHECK(errors("thread p { var a: plain int = 1; }") == only);
  CHECK(errors("thread p { var a: plain int[2] = 1; }") == only);
  CHECK(errors("fn f(a: plain int) { } thread p { f(1); }") == only);
  CHECK(errors("fn f(a: ref plain int) { } shared x: plain int; thread p { f(x); }") == only);
  CHECK(errors("fn f() -> plain int { return 1; } thread p { f(); }") == only);
  CHECK(errors("struct S { m: plain mutex; } thread p { }") == "a mutex cannot be 'plain'\n");
  CHECK(errors("struct S { c: plain cond; } thread p { }") == "a cond cannot be 'plain'\n");
}

TEST_CASE("read-modify-writes need a variable that is not plain, also through references") {
  CHECK(errors("shared x: plain int; thread p { fetch_add(x, 1); }") ==
        "'fetch_add' needs a variable that is not plain, but 'x' is\n");
  CHECK(errors("shared x: plain bool[2]; thread p { let a = cas(x[1], false, true); }") ==
        "'cas' needs a variable that is not plain, but 'x[1]' is\n");
  CHECK(errors("shared x: plain int; fn f(v: ref int) { exchange(v, 1); } thread p { f(x); }") ==
        "'exchange' needs a variable that is not plain, but 'v' is\n");
  CHECK(errors("shared x: plain int; fn f(v: ref int) { v += 1; } thread p { f(x); await x == 1; }") == "");
}

TEST_CASE("printed and formatted programs keep the word") {
  const Parsed parsed = parse("shared x: plain int[2] = 1; thread p { x[0] = 1; }");
  REQUIRE(parsed.program);
  CHECK(print_program(*parsed.program).starts_with("shared x: plain int[2] = 1;\n"));
}
