// Prints a resolved program as a litmus test in C, if it can be expressed as one.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "lang/tree.hpp"

namespace heddle::lang::litmus {

// Why a program cannot be expressed as a litmus test, and where.
struct NotALitmusTest {
  SourceRange range;
  std::string message;  // "a litmus test has no mutexes"
};

// The program as a C test named `name`, which parse_test() reads back as the same program: plain loads and
// stores, relaxed read-modify-writes, full fences, `if` and `while`. The test's condition is the program's
// only property; without one it observes everything.
[[nodiscard]] std::variant<std::string, NotALitmusTest> print_test(const Program& program,
                                                                   std::string_view name);

}  // namespace heddle::lang::litmus
