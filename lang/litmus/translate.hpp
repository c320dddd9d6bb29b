// One thread of an assembly test -> the statements of a thread template.
//
// Registers are followed symbolically: what is known of each at a place of the program is a number, an
// expression over the values that were loaded, or the address of a location. A register becomes a local only
// where a value is loaded, where two ways meet with different values in it, and where it is observed. So the
// constants that tests keep in registers vanish, while a chain like `xor r3,r1,r1; lwzx r4,r3,r5` comes out
// as `let r4 = x[r1 ^ r1]`: the dependency stands in the tree as it stood in the test.
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
  Expression expression;    // number; address: what is added to it, a literal if nothing computed is
  VariableId variable = 0;  // address
  std::string why;          // unknown: "holds different addresses here"
};

struct ThreadCode {
  std::uint32_t number = 0;
  SourceRange range;  // of the thread's name
  const Registers* registers = nullptr;
  std::vector<Value> initial;        // by register
  std::vector<RegisterId> observed;  // each at most once
  std::span<const Instruction> code;
};

// Adds the thread to the program of `builder`. Returns the local that holds each observed register at the
// end; nothing if an error was reported.
[[nodiscard]] std::optional<std::vector<LocalId>> translate(const ThreadCode& thread, Builder& builder);

}  // namespace heddle::lang::litmus
