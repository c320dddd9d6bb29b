// The limits of one program. Each has an error message of its own; they keep every later pass within bounded
// stack, time and memory, whatever the input.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::lang::limits {

inline constexpr std::size_t file_bytes = std::size_t{16} << 20;
inline constexpr std::size_t tokens = 1'000'000;
inline constexpr std::size_t identifier_bytes = 255;
inline constexpr std::size_t string_bytes = 4096;
// Brackets, blocks, prefix operators, `else if` and `?:` inside each other.
inline constexpr unsigned nesting = 200;
// Height of an expression tree: `a + b + c ...` is as high as it has operators.
inline constexpr unsigned expression_depth = 1000;
inline constexpr std::int64_t array_length = 65'536;
inline constexpr std::uint32_t locations = 1'000'000;
inline constexpr std::size_t threads = 64;
// Statements and expression nodes of a thread after its calls have been replaced by the bodies of the
// functions, and the depth of statements and expressions inside each other then.
inline constexpr std::uint64_t inlined_statements = 100'000;
inline constexpr std::uint64_t inlined_expressions = 1'000'000;
inline constexpr std::uint64_t inlined_depth = 2'000;

}  // namespace heddle::lang::limits
