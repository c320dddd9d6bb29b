// The canonical style: what is laid out anew, what is kept, and that formatting twice changes nothing.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "lang/format.hpp"
#include "parse.hpp"

using namespace heddle::lang;

namespace {

std::string formatted(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto result = format_program(sources, sources.add("test.hed", text), diagnostics);
  return result ? *result : "refused";
}

}  // namespace

TEST_CASE("white space and line breaks are written anew") {
  CHECK(formatted("shared   x:int=-1 ;shared a : int [2]={1,2};thread p{\nx=a [0]+ "
                  "-x*2;if(x==1){x=0;}else{\nx = 2; }\n\n\n  fence  lw ;}") ==
        "shared x: int = -1;\n"
        "shared a: int[2] = {1, 2};\n"
        "thread p {\n"
        "  x = a[0] + -x * 2;\n"
        "  if (x == 1) { x = 0; } else {\n"
        "    x = 2;\n"
        "  }\n\n"
        "  fence lw;\n"
        "}\n");
  CHECK(formatted("expect sc,tso with N = 1 : safe ;") == "expect sc, tso with N=1: safe;\n");
  CHECK(formatted("thread p{let a=x?1:2;for i in 0 .. 3{f ( a , !a ) ;}}") ==
        "thread p { let a = x ? 1 : 2; for i in 0..3 { f(a, !a); } }\n");
}

TEST_CASE("struct literals, alternatives and arguments of modules have their style") {
  CHECK(formatted("import std . channel( Vote,4 )as votes;param T:type=int;") ==
        "import std.channel(Vote, 4) as votes;\nparam T: type = int;\n");
  CHECK(formatted("thread p{let v=Vote { term :1,from:-x } ;if v==w {x=1;}}") ==
        "thread p { let v = Vote{term: 1, from: -x}; if v == w { x = 1; } }\n");
  CHECK(formatted("thread p{either{\nawait x;}\nor{\nf();}either i in 0 .. 2{ }x=1;}") ==
        "thread p {\n"
        "  either {\n"
        "    await x;\n"
        "  } or {\n"
        "    f();\n"
        "  }\n"
        "  either i in 0..2 { }\n"
        "  x = 1;\n"
        "}\n");
  CHECK(formatted("invariant( x )==0;thread p{atomic{await x==0;x=1;}invariant ( x );}") ==
        "invariant (x) == 0;\nthread p { atomic { await x == 0; x = 1; } invariant(x); }\n");
}

TEST_CASE("comments stay where they are") {
  const std::string text =
      "// first\n"
      "shared x: int;  // behind\n"
      "\n"
      "/* a\n"
      "   b */\n"
      "thread p {\n"
      "  // inside\n"
      "  x = 1 /* here */ + 2;\n"
      "  // last\n"
      "}\n"
      "// end\n";
  CHECK(formatted(text) == text);
}

TEST_CASE("a block that does not fit on its line is spread over several") {
  const std::string body = "assert some_condition_with_a_long_name == another_value, \"a message\"; x = 1;";
  CHECK(formatted("thread some_thread[number: 0..2] { if true { " + body + " } }") ==
        "thread some_thread[number: 0..2] {\n"
        "  if true { " +
            body +
            " }\n"
            "}\n");
}

TEST_CASE("a text with a syntax error is not formatted") {
  CHECK(formatted("thread p { x = ; }") == "refused");
}

TEST_CASE("formatting is idempotent and does not change the program") {
  for (const char* folder :
       {"/examples", "/stdlib", "/tests/stdlib", "/tests/programs/expect", "/tests/programs/reference"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".hed") continue;
      CAPTURE(entry.path().string());
      const std::string text = test::read_file(entry.path().string());
      const std::string once = formatted(text);
      CHECK(once != "refused");
      CHECK(formatted(once) == once);
      const test::Parsed before = test::parse(text);
      const test::Parsed after = test::parse(once);
      REQUIRE(before.program.has_value() == after.program.has_value());
      if (before.program) CHECK(test::dump(*before.program) == test::dump(*after.program));
    }
  }
}
