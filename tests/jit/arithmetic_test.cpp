// Values: edge cases of arithmetic, short circuits, constants.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "tests/jit/host.hpp"

namespace heddle::test {
namespace {

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// The value of `expression` over shared a and b, which must be the same over locals.
std::string value_of(const std::string& expression, std::int64_t a, std::int64_t b) {
  const auto setup = [&](Host& host) {
    host.memory[0] = a;
    host.memory[1] = b;
  };
  const std::string head = "shared x: int; shared y: int; shared r: int; thread p { ";
  const Log locals = log_of(head + "let a = x; let b = y; r = " + expression + "; }", setup);
  std::string shared = expression;
  for (char& c : shared) c = c == 'a' ? 'x' : c == 'b' ? 'y' : c;
  const Log loads = log_of(head + "r = " + shared + "; }", setup);
  REQUIRE(locals.size() >= 3);
  REQUIRE(loads.size() >= 2);
  const std::string& last = locals.back() == "done" ? locals[locals.size() - 2] : locals.back();
  const std::string& other = loads.back() == "done" ? loads[loads.size() - 2] : loads.back();
  CHECK(last == other);
  return last;
}

std::string result(std::int64_t value) { return "store r = " + std::to_string(value); }

}  // namespace

TEST_CASE("integers wrap") {
  CHECK(value_of("a + b", largest, 1) == result(smallest));
  CHECK(value_of("a - b", smallest, 1) == result(largest));
  CHECK(value_of("a * b", largest, 2) == result(-2));
  CHECK(value_of("-a + b", smallest, 0) == result(smallest));
  CHECK(value_of("~a + b", 5, 0) == result(-6));
}

TEST_CASE("division truncates, and the smallest number by -1 wraps instead of trapping") {
  CHECK(value_of("a / b", -7, 2) == result(-3));
  CHECK(value_of("a % b", -7, 2) == result(-1));
  CHECK(value_of("a / b", 7, -2) == result(-3));
  CHECK(value_of("a % b", 7, -2) == result(1));
  CHECK(value_of("a / b", smallest, -1) == result(smallest));
  CHECK(value_of("a % b", smallest, -1) == result(0));
  CHECK(value_of("a / -1 + b - b", smallest, 3) == result(smallest));
  CHECK(value_of("a / b", 12, -1) == result(-12));
}

TEST_CASE("division by zero is a violation") {
  CHECK(value_of("a / b", 1, 0) == "division_by_zero");
  CHECK(value_of("a % b", 1, 0) == "division_by_zero");
  CHECK(value_of("5 + a / b", smallest, 0) == "division_by_zero");
  CHECK(log_of("shared x: int; thread p { x /= x; }") ==
        Log{"load x -> 0", "load x -> 0", "division_by_zero"});
}

TEST_CASE("shift amounts are taken modulo 64, and right shifts keep the sign") {
  CHECK(value_of("a << b", 1, 63) == result(smallest));
  CHECK(value_of("a << b", 1, 64) == result(1));
  CHECK(value_of("a << b", 1, -1) == result(smallest));
  CHECK(value_of("a >> b", -8, 1) == result(-4));
  CHECK(value_of("a >> b", -8, 65) == result(-4));
  CHECK(value_of("a >> b", smallest, 63) == result(-1));
}

TEST_CASE("bit operators and comparisons") {
  CHECK(value_of("a & b", 12, 10) == result(8));
  CHECK(value_of("a | b", 12, 10) == result(14));
  CHECK(value_of("a ^ b", 12, 10) == result(6));
  CHECK(value_of("a < b ? 1 : 0", -1, 1) == result(1));
  CHECK(value_of("a <= b ? 1 : 0", 1, 1) == result(1));
  CHECK(value_of("a > b ? 1 : 0", -1, 1) == result(0));
  CHECK(value_of("a >= b ? 1 : 0", smallest, largest) == result(0));
  CHECK(value_of("a == b ? 1 : 0", 3, 3) == result(1));
  CHECK(value_of("a != b ? 1 : 0", 3, 3) == result(0));
}

TEST_CASE("booleans compare, negate and travel through memory") {
  CHECK(log_of(R"(
    shared t: bool = true; shared f: bool; shared r: bool;
    thread p { r = t == f; r = t != f; r = !t; var v = f; v = !v; r = v; r = (t == true) == !f; }
  )") == Log{"load t -> 1", "load f -> 0", "store r = 0", "load t -> 1", "load f -> 0", "store r = 1",
             "load t -> 1", "store r = 0", "load f -> 0", "store r = 1", "load t -> 1", "load f -> 0",
             "store r = 1", "done"});
}

TEST_CASE("&& and || and ?: skip what they do not need") {
  CHECK(log_of(R"(
    shared x: int = 1; shared y: int = 2; shared r: int; shared b: bool;
    thread p {
      b = x == 0 && y == 2;
      b = x == 1 && y == 2;
      b = x == 1 || y == 2;
      b = !(x == 0 || y == 3) && (x == 1 || y == 1);
      r = x == 1 ? y : r;
      r = x == 0 ? 7 : x == 1 ? 8 : y;
    }
  )") == Log{"load x -> 1", "store b = 0", "load x -> 1", "load y -> 2", "store b = 1", "load x -> 1",
             "store b = 1", "load x -> 1", "load y -> 2", "load x -> 1", "store b = 1", "load x -> 1",
             "load y -> 2", "store r = 2", "load x -> 1", "load x -> 1", "store r = 8", "done"});
}

TEST_CASE("an integer as a condition means that it is not zero") {
  CHECK(log_of("shared x: int = -2; thread p { if x { x = 1; } if !x { x = 2; } while x - 1 { x = 3; } }") ==
        Log{"load x -> -2", "store x = 1", "load x -> 1", "load x -> 1", "done"});
}

TEST_CASE("code excluded by a constant condition is not generated") {
  const std::string source = R"(
    param FENCED = 0; shared x: int;
    fn protect(on: bool) { if on { fence; } else { x = 2; } }
    thread p {
      if (FENCED) { fence; }
      if FENCED == 0 && true { x = 1; } else { fence; }
      while FENCED { fence; }
      for i in 0..FENCED { fence; }
      protect(FENCED != 0);
      x = FENCED ? x : 3;
      let both = true || x == 0;
    }
  )";
  CHECK(log_of(source) == Log{"store x = 1", "store x = 2", "store x = 3", "done"});
  const auto image = compile(source);
  for (const compiler::Site& site : image->sites) CHECK(site.text.find("fence") == std::string::npos);
}

}  // namespace heddle::test
