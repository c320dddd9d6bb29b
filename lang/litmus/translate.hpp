// Translates one thread of an assembly test to the statements of a thread template.
//
// Registers are tracked symbolically: at each point of the program, a register is known to hold a number, an
// expression over loaded values, or the address of a location. A register becomes a local only where a value
// is loaded, where two paths with different values join, and where it is observed. Constants kept in
// registers therefore vanish, while a chain like `xor r3,r1,r1; lwzx r4,r3,r5` becomes `let r4 = x[r1 ^ r1]`:
// the tree keeps the dependency of the test. An address that is stored, compared or observed is a number
// (Builder::address); an access through a loaded address goes to an array of all locations (whole_memory).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lang/litmus/build.hpp"
#include "lang/litmus/instructions.hpp"

namespace heddle::lang::litmus {

// What is known about a register.
struct Value {
  enum class Kind : std::uint8_t { number, address, unknown };
  Kind kind = Kind::number;
  bool word = false;        // number: only its low 32 bits, sign-extended, matter
  Expression expression;    // number; address: the offset, a literal unless computed
  VariableId variable = 0;  // address
  std::string why;          // unknown: "is left undefined by cmpxchg"
};

// The range of numbers the threads of a test can compute. If all are small, as in most tests, 32-bit
// instructions behave like 64-bit ones.
struct Numbers {
  bool large = false;     // may need more than 32 bits
  bool negative = false;  // may be negative
};
[[nodiscard]] Numbers numbers_of(std::span<const std::vector<Instruction>> threads);

struct Observed {
  RegisterId reg = 0;
  bool word = false;  // only its low 32 bits
};

struct ThreadCode {
  std::uint32_t number = 0;
  SourceRange range;  // of the thread's name
  const Registers* registers = nullptr;
  std::vector<Value> initial;      // by register
  std::vector<Observed> observed;  // each register at most once
  Numbers numbers;
  std::span<const Instruction> code;
};

// Adds the thread to the program of `builder`. Returns, for each observed register, the local that holds its
// final value; nothing if an error was reported.
[[nodiscard]] std::optional<std::vector<LocalId>> translate(const ThreadCode& thread, Builder& builder);

}  // namespace heddle::lang::litmus
