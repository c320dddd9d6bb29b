// Positions in a text, and how messages are rendered.
#include <doctest/doctest.h>

#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/suggest.hpp"
#include "parse.hpp"

using heddle::lang::Diagnostics;
using heddle::lang::did_you_mean;
using heddle::lang::nearest;
using heddle::lang::render;
using heddle::lang::SourceMap;
using heddle::lang::test::parse;

namespace {

std::string shown(const std::string& text, std::uint32_t begin, std::uint32_t end,
                  const std::string& hint = "") {
  SourceMap sources;
  const std::uint32_t file = sources.add("f.hed", text);
  return render({{file, begin, end}, "message", hint}, sources);
}

}  // namespace

TEST_CASE("a message has file, line, column, the source line, a caret line and a hint") {
  CHECK(shown("first\nsecond line\nthird", 13, 17, "try this") ==
        "f.hed:2:8: error: message\n"
        "  second line\n"
        "         ^~~~\n"
        "  hint: try this\n");
}

TEST_CASE("an empty range and one after the end of the text still have a caret") {
  CHECK(shown("abc", 1, 1) == "f.hed:1:2: error: message\n  abc\n   ^\n");
  CHECK(shown("abc\n", 4, 4) == "f.hed:2:1: error: message\n  \n  ^\n");
  CHECK(shown("abc", 3, 3) == "f.hed:1:4: error: message\n  abc\n     ^\n");
  CHECK(shown("abc", 900, 1000) == "f.hed:1:4: error: message\n  abc\n     ^\n");
  CHECK(shown("", 0, 0) == "f.hed:1:1: error: message\n  \n  ^\n");
  CHECK(shown("abc", 2, 1) == "f.hed:1:3: error: message\n  abc\n    ^\n");
}

TEST_CASE("a range over several lines is marked on the first one only") {
  CHECK(shown("ab cd\nef", 3, 8) == "f.hed:1:4: error: message\n  ab cd\n     ^~\n");
}

TEST_CASE("tabs stay tabs, so that the caret is below its column") {
  CHECK(shown("\ta\tbc", 3, 5) == "f.hed:1:4: error: message\n  \ta\tbc\n  \t \t^~\n");
}

TEST_CASE("columns count code points, not bytes") {
  CHECK(shown("größe x", 8, 9) == "f.hed:1:7: error: message\n  größe x\n        ^\n");
}

TEST_CASE("bytes that are not UTF-8 are shown as one replacement character each") {
  CHECK(shown("a\x01\x7f\xff\xc3(b\x1b[31m", 1, 3) ==
        "f.hed:1:2: error: message\n  a\uFFFD\uFFFD\uFFFD\uFFFD(b\uFFFD[31m\n   ^~\n");
  CHECK(shown("a\xc2\x9b"
              "b",
              0, 1) == "f.hed:1:1: error: message\n  a\uFFFDb\n  ^\n");
}

TEST_CASE("the carriage return of a DOS line is not shown") {
  CHECK(shown("ab\r\ncd", 0, 2) == "f.hed:1:1: error: message\n  ab\n  ^~\n");
}

TEST_CASE("a long line is cut to a window around the caret") {
  const std::string line = std::string(500, 'a') + "XY" + std::string(500, 'b');
  CHECK(shown(line, 500, 502) == "f.hed:1:501: error: message\n  ..." + std::string(40, 'a') + "XY" +
                                     std::string(58, 'b') + "...\n     " + std::string(40, ' ') + "^~\n");
  CHECK(shown(line, 0, 1) == "f.hed:1:1: error: message\n  " + std::string(100, 'a') + "...\n  ^\n");
  const std::string tail = shown(line, 1001, 1002);
  CHECK(tail == "f.hed:1:1002: error: message\n  ..." + std::string(41, 'b') + "\n     " +
                    std::string(40, ' ') + "^\n");
  CHECK(shown(line, 0, 1002).size() < 300);
}

TEST_CASE("a line of megabytes is scanned at most once") {
  const std::string text(10'000'000, '\x80');
  CHECK(shown(text, 5'000'000, 5'000'001).size() < 1000);
}

TEST_CASE("lines and columns of offsets") {
  SourceMap sources;
  sources.add("a", "x\n\nyz\n");
  CHECK(sources.locate(0, 0).line == 1);
  CHECK(sources.locate(0, 1).column == 2);
  CHECK(sources.locate(0, 2).line == 2);
  CHECK(sources.locate(0, 4).line == 3);
  CHECK(sources.locate(0, 4).column == 2);
  CHECK(sources.locate(0, 6).line == 4);
  CHECK(sources.line(0, 4) == "yz");
  CHECK(sources.line(0, 2) == "");
  CHECK(sources.text({0, 3, 5}) == "yz");
  CHECK(sources.text({0, 5, 3}) == "");
  CHECK(sources.text({0, 5, 300}) == "\n");
}

TEST_CASE("several files keep their own texts") {
  SourceMap sources;
  CHECK(sources.add("a", "one") == 0);
  CHECK(sources.add("b", "two") == 1);
  CHECK(sources.name(1) == "b");
  CHECK(sources.text(0) == "one");
}

TEST_CASE("errors are kept in the order of the source, one per place, up to the limit") {
  Diagnostics diagnostics(3);
  diagnostics.error({0, 10, 11}, "second");
  diagnostics.error({0, 5, 6}, "first");
  diagnostics.error({0, 10, 12}, "again");
  diagnostics.error({0, 20, 21}, "third");
  CHECK(diagnostics.full());
  diagnostics.error({0, 30, 31}, "fourth");
  diagnostics.error({0, 20, 22}, "again");
  REQUIRE(diagnostics.errors().size() == 3);
  CHECK(diagnostics.errors()[0].message == "first");
  CHECK(diagnostics.errors()[1].message == "second");
  CHECK(diagnostics.errors()[2].message == "third");
  CHECK(diagnostics.dropped() == 1);
}

TEST_CASE("names that differ by a letter dropped, added, changed, swapped or in case are suggested") {
  CHECK(nearest("trun", {"flag", "turn"}) == "turn");
  CHECK(nearest("tur", {"turn"}) == "turn");
  CHECK(nearest("turnn", {"turn"}) == "turn");
  CHECK(nearest("torn", {"turn"}) == "turn");
  CHECK(nearest("TURN", {"turn"}) == "turn");
  CHECK(nearest("treads", {"shared", "thread"}) == "thread");
  CHECK(nearest("flga", {"flag", "flags"}) == "flag");
  CHECK(did_you_mean("trun", {"turn"}) == "did you mean 'turn'?");
}

TEST_CASE("names that differ too much are not suggested") {
  CHECK(nearest("elephant", {"turn", "flag"}).empty());
  CHECK(nearest("x", {"y", "z"}).empty());
  CHECK(nearest("x", {"y", "X"}) == "X");
  CHECK(nearest("xy", {"ab"}).empty());
  CHECK(nearest("", {"a"}).empty());
  CHECK(nearest(std::string(300, 'a'), {std::string_view("a")}).empty());
  CHECK(did_you_mean("elephant", {"turn"}).empty());
}

TEST_CASE("the first of several equally close names is suggested") {
  CHECK(nearest("flay", {"flag", "flat"}) == "flag");
}

TEST_CASE("hostile text in file names reaches the message unchanged and has no other effect") {
  CHECK(parse("", {}, "{}{0}%s%n.hed").rendered().starts_with("{}{0}%s%n.hed:1:1: error: "));
}

TEST_CASE("braces in the program text are not format strings") {
  CHECK(parse("thread p { assert true, \"{} {0} %s\"; let a = b{}; }").diagnostics.any());
}
