// Limits: what is just allowed, what is rejected, and that rejecting a huge text takes less than a second.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

#include "parse.hpp"

using heddle::lang::test::parse;
using heddle::lang::test::Parsed;

namespace {

std::string repeat(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string thread(const std::string& body) {
  return "shared x: int; shared a: int[2]; thread p { " + body + " }";
}

// Parses the text and returns the first message; "" if the program is accepted. Fails if that takes too long,
// measured in CPU time because other tests may run at the same time.
std::string quick(const std::string& text) {
  const std::clock_t start = std::clock();
  const Parsed parsed = parse(text);
  const std::string shown = parsed.rendered();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#if defined(__SANITIZE_ADDRESS__)
  CHECK(seconds < 20);
#else
  CHECK(seconds < 1);
#endif
  CHECK(shown.size() < 20'000);
  return parsed.diagnostics.any() ? parsed.diagnostics.errors()[0].message : "";
}

constexpr const char* too_long = "the program is too long: more than 1000000 tokens";
constexpr const char* too_deep = "nesting is too deep: at most 200 levels";
constexpr const char* not_text = "this is not a text file: byte 0x00";

}  // namespace

TEST_CASE("ten megabytes of a correct program are rejected with one clear error") {
  const Parsed parsed = parse(thread(repeat("x = 1 + 2;\n", 1'000'000)));
  CHECK(parsed.diagnostics.errors().size() == 1);
  CHECK(quick(thread(repeat("x = 1 + 2;\n", 1'000'000))) == too_long);
}

TEST_CASE("ten megabytes of anything else are rejected at once") {
  CHECK(quick(std::string(10'000'000, '\0')) == not_text);
  CHECK(quick(std::string(10'000'000, 'a')) == "this name is too long: at most 255 characters");
  CHECK(quick(std::string(10'000'000, '7')) == "this number does not fit into 64 bits");
  CHECK(quick(std::string(10'000'000, '{')) == too_long);
  CHECK(quick(std::string(10'000'000, '\n')) == "the program has no thread");
  CHECK(quick("/*" + std::string(10'000'000, '*')) == "unterminated comment");
  CHECK(quick("\"" + std::string(10'000'000, '"')) == too_long);
  CHECK(quick("//" + std::string(10'000'000, 'x')) == "the program has no thread");
  CHECK(quick(repeat("@ ", 5'000'000)) == "unexpected character '@'");
  CHECK(quick(repeat("x = ;\n", 1'600'000)) == too_long);
  CHECK(quick(thread(repeat("x = ;\n", 300'000))) == "expected an expression, found ';'");
  CHECK(quick(std::string(900'000, '}')) == "expected a declaration, found '}'");
  CHECK(quick(std::string(17'000'000, ' ')) == "the file is too large: at most 16 MiB");
}

TEST_CASE("a text of pseudo-random bytes is rejected at once") {
  std::string text;
  std::uint64_t state = 88172645463325252U;
  for (int i = 0; i < 1'000'000; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    text += static_cast<char>(state & 0xFFU);
  }
  CHECK(quick(text) != "");
}

TEST_CASE("nesting is allowed up to 200 levels") {
  // The thread's block is one level itself.
  CHECK(quick(thread("x = " + std::string(199, '(') + "1" + std::string(199, ')') + ";")) == "");
  CHECK(quick(thread("x = " + std::string(200, '(') + "1" + std::string(200, ')') + ";")) == too_deep);
  CHECK(quick(thread(std::string(199, '{') + std::string(199, '}'))) == "");
  CHECK(quick(thread(std::string(200, '{') + std::string(200, '}'))) == too_deep);
  CHECK(quick(thread("x = " + repeat("-", 1) + repeat(" -", 198) + "1;")) == "");
  CHECK(quick(thread("x = " + repeat("- ", 200) + "1;")) == too_deep);
  CHECK(quick(thread("if x { } " + repeat("else if x { } ", 198))) == "");
  CHECK(quick(thread("if x { } " + repeat("else if x { } ", 200))) == too_deep);
  CHECK(quick(thread("x = " + repeat("x ? 1 : ", 199) + "1;")) == "");
  CHECK(quick(thread("x = " + repeat("x ? 1 : ", 200) + "1;")) == too_deep);
  CHECK(quick(thread("x = " + repeat("trylock ", 200) + "x;")) == too_deep);
  CHECK(quick(thread("x = " + repeat("a[", 200) + "0" + repeat("]", 200) + ";")) == too_deep);
}

TEST_CASE("absurd nesting of any kind is rejected without overflowing the stack") {
  for (const char* opening : {"(",         "{",
                              "-",         "!",
                              "~",         "a[",
                              "a(",        "if x {",
                              "while x {", "for i in 0..2 {",
                              "x ? ",      "x ? x : ",
                              "trylock ",  "choose(",
                              "cas(",      "if x { } else ",
                              "(-",        "[(",
                              "a.b[",      "fence "}) {
    CAPTURE(opening);
    CHECK(quick(thread(repeat(opening, 100'000))) != "");
    CHECK(quick(thread("x = " + repeat(opening, 100'000))) != "");
    CHECK(quick(repeat(opening, 100'000)) != "");
    CHECK(quick("shared y: int = " + repeat(opening, 100'000)) != "");
  }
}

TEST_CASE("chains of operators are allowed up to a height of 1000") {
  CHECK(quick(thread("x = 1" + repeat(" + 1", 999) + ";")) == "");
  CHECK(quick(thread("x = 1" + repeat(" + 1", 1000) + ";")) ==
        "this expression is nested too deeply: at most 1000 levels of operators");
  CHECK(quick(thread("if 1" + repeat(" && 1", 5000) + " { }")) ==
        "this expression is nested too deeply: at most 1000 levels of operators");
  CHECK(quick(thread("x = a" + repeat("[0]", 5000) + ";")) ==
        "this expression is nested too deeply: at most 1000 levels of operators");
}

TEST_CASE("operators nested to the right do not take exponential time") {
  for (const char* opening :
       {"1 & (", "1 == (", "1 + (", "x ? 1 : (", "true && (", "-(", "f(", "cas(x, 1, ", "a["}) {
    const std::string text =
        "fn f(v: int) -> int { return v; }" + thread("x = " + repeat(opening, 90) + "true;");
    CHECK(quick(text) != "");
  }
}

TEST_CASE("names have at most 255 letters") {
  CHECK(quick("thread " + std::string(255, 'a') + " { }") == "");
  CHECK(quick("thread " + std::string(256, 'a') + " { }") == "this name is too long: at most 255 characters");
}

TEST_CASE("arrays have 1 to 65536 elements and the program a million scalars") {
  CHECK(quick("shared a: int[65536]; thread p { }") == "");
  CHECK(quick("shared a: int[65537]; thread p { }") == "the length of an array is 65537");
  std::string arrays;
  for (int i = 0; i < 15; ++i) arrays += "shared a" + std::to_string(i) + ": int[65536]; ";
  CHECK(quick(arrays + "shared b: int[16960]; thread p { }") == "");
  CHECK(quick(arrays + "shared b: int[16961]; thread p { }") ==
        "too much shared data: at most 1000000 scalars in all");
}

TEST_CASE("a program has at most 256 threads") {
  CHECK(quick("thread p[i: 0..256] { }") == "");
  CHECK(quick("thread p[i: 0..257] { }") == "too many threads: at most 256 in all");
  CHECK(quick("thread p[i: 0..256] { } thread q { }") == "too many threads: at most 256 in all");
  CHECK(quick("thread p[i: 9223372036854775000..9223372036854775001] { }") == "");
}

TEST_CASE("functions that double at each call are rejected when they become too large") {
  const auto program = [](int levels) {
    std::string text = "shared x: int; fn f0() { x = 1; }";
    for (int i = 1; i <= levels; ++i) {
      const std::string callee = "f" + std::to_string(i - 1) + "(); ";
      text += "fn f" + std::to_string(i) + "() { " + callee + callee + "}";
    }
    return text + "thread p { f" + std::to_string(levels) + "(); }";
  };
  CHECK(quick(program(14)) == "");
  CHECK(quick(program(17)) == "thread 'p' is too large");
  CHECK(quick(program(5000)) == "thread 'p' is too large");
}

TEST_CASE("a long chain of calls is rejected before it can overflow the stack") {
  const auto program = [](int levels) {
    std::string text = "shared x: int; fn f0() { x = 1; }";
    for (int i = 1; i <= levels; ++i) {
      text += "fn f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "(); }";
    }
    return text + "thread p { f" + std::to_string(levels) + "(); }";
  };
  CHECK(quick(program(500)) == "");
  CHECK(quick(program(50'000)) == "thread 'p' is nested too deeply");
}

TEST_CASE("a program of many names is resolved in linear time") {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "shared x" + std::to_string(i) + ": int;\n";
  text += "thread p {\n";
  for (int i = 0; i < 40'000; ++i) text += "let l" + std::to_string(i) + " = x" + std::to_string(i) + ";\n";
  CHECK(quick(text + "}") == "");
  for (int i = 0; i < 20'000; ++i) text += "y" + std::to_string(i) + " = 1;\n";
  CHECK(quick(text + "}") == "unknown name 'y0'");
}

TEST_CASE("a litmus test goes from text to resolved program in well under two milliseconds") {
  const std::string text =
      "shared x: int; shared y: int;\nthread p { x = 1; let a = y; }\nthread q { y = 1; let b = x; }\n"
      "exists p.a == 0 && q.b == 0;\nexpect sc: never; expect tso, pso, power: sometimes;\n";
  double best = 1;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(parse(text).program.has_value());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
#if defined(__SANITIZE_ADDRESS__)
  CHECK(best < 0.05);
#else
  CHECK(best < 0.002);
#endif
}
