// The limits on one program. Each has its own error message. Together they keep every later pass within
// bounded stack, time and memory, whatever the input.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::lang::limits {

inline constexpr std::size_t file_bytes = std::size_t{16} << 20;
inline constexpr std::size_t tokens = 1'000'000;
inline constexpr std::size_t identifier_bytes = 255;
inline constexpr std::size_t string_bytes = 4096;
// Nested brackets, blocks, prefix operators, `else if` and `?:`.
inline constexpr unsigned nesting = 200;
// Height of an expression tree: `a + b + c ...` has one level per operator.
inline constexpr unsigned expression_depth = 1000;
inline constexpr std::int64_t array_length = 65'536;
inline constexpr std::uint32_t locations = 1'000'000;
inline constexpr std::size_t threads = 256;
inline constexpr std::size_t modules = 100;  // files and their instances
// Structs as values: the scalars of one, of all that the program's text mentions, and the calls, indexes and other
// parts that must be evaluated before one expression.
inline constexpr std::uint64_t value_scalars = 1000;
inline constexpr std::uint64_t copied_scalars = 2'000'000;
inline constexpr std::size_t value_steps = 64;
// Statements and expression nodes of a thread after inlining, and their nesting depth then.
inline constexpr std::uint64_t inlined_statements = 100'000;
inline constexpr std::uint64_t inlined_expressions = 1'000'000;
inline constexpr std::uint64_t inlined_depth = 2'000;

}  // namespace heddle::lang::limits
