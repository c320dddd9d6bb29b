// Machine-independent instructions: the decoders of the two assembly languages produce them, the translator
// turns them into statements.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/litmus/syntax.hpp"
#include "lang/tree.hpp"

namespace heddle::lang::litmus {

using RegisterId = std::uint32_t;  // index into the thread's Registers

// The registers of one thread by canonical name ("rax" also stands for %eax), numbered in order of
// appearance.
class Registers {
 public:
  RegisterId id(std::string_view canonical);
  [[nodiscard]] const std::string& name(RegisterId id) const { return names_[id]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

enum class ArgumentKind : std::uint8_t { none, register_, constant, location };

// An operand: the value of a register, a number, or the address of a location.
struct Argument {
  ArgumentKind kind = ArgumentKind::none;
  RegisterId reg = 0;
  std::int64_t value = 0;
  std::string_view location;
  SourceRange range;
};

// base + index + displacement.
struct Address {
  Argument base;
  Argument index;
  std::int64_t displacement = 0;
};

enum class InstructionKind : std::uint8_t {
  nothing,
  copy,     // target = left
  swap,     // target <-> left, both registers
  compute,  // target = left op right
  extend,   // target = the low 32 bits of left, sign-extended
  rotate,  // target = the low 32 bits of left, rotated left by `bits`, where `mask` has ones; elsewhere right
           // if given, else 0
  compare,            // flags = left ? right; if `bits` is not 0: as unsigned numbers of `bits` bits
  load,               // target = [address]
  store,              // [address] = left
  update,             // [address] = [address] op left: a load and a store
  exchange,           // target <-> [address], atomic
  fetch,              // target = [address]; [address] op= left; atomic; no target if has_target is false
  compare_exchange,   // if [address] == target: [address] = left, else target = [address]; sets flags; atomic
  load_reserved,      // target = [address], with a reservation
  store_conditional,  // [address] = left if the reservation holds; sets flags: equal on success
  fence,
  branch,  // to destination if the flags satisfy this relation
};

enum class Relation : std::uint8_t { always, equal, not_equal, less, less_equal, greater, greater_equal };

struct Instruction {
  InstructionKind kind = InstructionKind::nothing;
  RegisterId target = 0;
  bool has_target = true;
  bool sets_flags = false;   // compares the result with 0
  bool word = false;         // works on 32 bits
  bool signed_word = false;  // a load of 32 bits, sign-extended
  Argument left;
  Argument right;
  Address address;
  BinaryOperator op = BinaryOperator::add;
  unsigned bits = 0;
  std::uint64_t mask = 0;
  FenceKind fence = FenceKind::full;
  Relation relation = Relation::always;
  // of a branch: index of an instruction; their number stands for the end of the thread
  std::size_t destination = 0;
  SourceRange range;
};

// Calls `use(register)` for each register that the instruction writes.
template <typename Use>
void each_written(const Instruction& instruction, Use&& use) {
  switch (instruction.kind) {
    case InstructionKind::swap: use(instruction.left.reg); [[fallthrough]];
    case InstructionKind::copy:
    case InstructionKind::compute:
    case InstructionKind::extend:
    case InstructionKind::rotate:
    case InstructionKind::load:
    case InstructionKind::exchange:
    case InstructionKind::compare_exchange:
    case InstructionKind::load_reserved: use(instruction.target); break;
    case InstructionKind::fetch:
      if (instruction.has_target) use(instruction.target);
      break;
    default: break;
  }
}

// Calls `use(register)` for each register that the instruction reads.
template <typename Use>
void each_read(const Instruction& instruction, Use&& use) {
  for (const Argument* argument :
       {&instruction.left, &instruction.right, &instruction.address.base, &instruction.address.index}) {
    if (argument->kind == ArgumentKind::register_) use(argument->reg);
  }
  const bool both_ways = instruction.kind == InstructionKind::swap ||
                         instruction.kind == InstructionKind::exchange ||
                         instruction.kind == InstructionKind::compare_exchange;
  if (both_ways) use(instruction.target);
}

// Decodes the lines of one thread. Unknown instructions are reported and left out. Labels become indices.
[[nodiscard]] std::vector<Instruction> decode_ppc(std::span<const Line> lines, Registers& registers,
                                                  Diagnostics& diagnostics);
// `intel`: the target is the first operand. See uses_intel_order.
[[nodiscard]] std::vector<Instruction> decode_x86(std::span<const Line> lines, bool intel,
                                                  Registers& registers, Diagnostics& diagnostics);

// AT&T syntax marks registers with % and writes addresses as (x); a thread with neither uses Intel's order.
[[nodiscard]] bool uses_intel_order(std::span<const std::vector<Line>> threads);

// Whether the register's name denotes its low 32 bits.
[[nodiscard]] bool is_word_x86(std::string_view name);

// The canonical name of a register as written in the init section or a condition; empty if there is no such
// register.
[[nodiscard]] std::string canonical_ppc(std::string_view name);
[[nodiscard]] std::string canonical_x86(std::string_view name);

}  // namespace heddle::lang::litmus
