// What an instruction means, whatever the machine: the decoders of the two assembly languages make these, the
// translator turns them into statements.
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

// The registers of one thread by their canonical names ("rax" for %eax too), numbered as they are met.
class Registers {
 public:
  RegisterId id(std::string_view canonical);
  [[nodiscard]] const std::string& name(RegisterId id) const { return names_[id]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

enum class ArgumentKind : std::uint8_t { none, register_, constant, location };

// A value that an instruction uses: what a register holds, a number, or the address of a location.
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
  extend,   // target = the low 32 bits of left, with their sign
  rotate,  // target = the low 32 bits of left, rotated to the left by `bits`, where `mask` has ones; elsewhere
           // right, if there is one, else 0
  compare,   // flags = left ? right; `bits` not 0: as numbers of so many bits without a sign
  load,      // target = [address]
  store,     // [address] = left
  update,    // [address] = [address] op left: a load and a store
  exchange,  // target <-> [address], atomic
  fetch,     // target = [address]; [address] op= left, atomic; without a target if has_target is false
  compare_exchange,   // if [address] == target: [address] = left, else target = [address]; sets flags; atomic
  load_reserved,      // target = [address], with a reservation
  store_conditional,  // [address] = left if the reservation holds; sets flags: equal on success
  fence,
  branch,  // to destination if the flags stand in this relation
};

enum class Relation : std::uint8_t { always, equal, not_equal, less, less_equal, greater, greater_equal };

struct Instruction {
  InstructionKind kind = InstructionKind::nothing;
  RegisterId target = 0;
  bool has_target = true;
  bool sets_flags = false;   // compares the result with 0
  bool word = false;         // works on 32 bits
  bool signed_word = false;  // a load: of 32 bits with their sign
  Argument left;
  Argument right;
  Address address;
  BinaryOperator op = BinaryOperator::add;
  unsigned bits = 0;
  std::uint64_t mask = 0;
  FenceKind fence = FenceKind::full;
  Relation relation = Relation::always;
  std::size_t destination = 0;  // of a branch: an index; the number of instructions is the thread's end
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

// Decodes the lines of one thread. What is not understood is reported and left out. Labels become indices.
[[nodiscard]] std::vector<Instruction> decode_ppc(std::span<const Line> lines, Registers& registers,
                                                  Diagnostics& diagnostics);
// `intel`: operands are written target first. See uses_intel_order.
[[nodiscard]] std::vector<Instruction> decode_x86(std::span<const Line> lines, bool intel,
                                                  Registers& registers, Diagnostics& diagnostics);

// AT&T marks registers with % and writes (x); a thread with neither is in Intel's order.
[[nodiscard]] bool uses_intel_order(std::span<const std::vector<Line>> threads);

// Does the register's name stand for its low 32 bits?
[[nodiscard]] bool is_word_x86(std::string_view name);

// The canonical name of a register as the init section and conditions may write it; empty if it is none.
[[nodiscard]] std::string canonical_ppc(std::string_view name);
[[nodiscard]] std::string canonical_x86(std::string_view name);

}  // namespace heddle::lang::litmus
