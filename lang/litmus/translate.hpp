// One thread of an assembly test -> the statements of a thread template.
//
// Registers are followed symbolically: what is known of each at a place of the program is a number, an
// expression over the values that were loaded, or the address of a location. A register becomes a local only
// where a value is loaded, where two ways meet with different values in it, and where it is observed. So the
// constants that tests keep in registers vanish, while a chain like `xor r3,r1,r1; lwzx r4,r3,r5` comes out
// as `let r4 = x[r1 ^ r1]`: the dependency stands in the tree as it stood in the test. An address that is
// stored, compared or observed is a number (Builder::address), and one that is loaded leads into an array of all
// locations (whole_memory).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lang/litmus/build.hpp"
#include "lang/litmus/instructions.hpp"

namespace heddle::lang::litmus {

// What is known of a register.
struct Value {
  enum class Kind : std::uint8_t { number, address, unknown };
  Kind kind = Kind::number;
  bool word = false;        // number: its low 32 bits, with their sign, are all that is meant
  Expression expression;    // number; address: what is added to it, a literal if nothing computed is
  VariableId variable = 0;  // address
  std::string why;          // unknown: "is left open by cmpxchg"
};

// What numbers the threads of a test may come to. If there are only small ones, as in most tests, an
// instruction of 32 bits is like one of 64.
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

// Adds the thread to the program of `builder`. Returns the local that holds each observed register at the
// end; nothing if an error was reported.
[[nodiscard]] std::optional<std::vector<LocalId>> translate(const ThreadCode& thread, Builder& builder);

}  // namespace heddle::lang::litmus
