// A resolved program as a litmus test in C, where it is one.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "lang/tree.hpp"

namespace heddle::lang::litmus {

// Why a program is no litmus test, and where that shows.
struct NotALitmusTest {
  SourceRange range;
  std::string message;  // "a litmus test has no mutexes"
};

// The program as a C test named `name` that parse_test() reads as the same program: plain loads and stores,
// relaxed read-modify-writes, full fences, `if` and `while`. The test asks what the program's one property
// asks; without any it observes everything.
[[nodiscard]] std::variant<std::string, NotALitmusTest> print_test(const Program& program,
                                                                   std::string_view name);

}  // namespace heddle::lang::litmus
