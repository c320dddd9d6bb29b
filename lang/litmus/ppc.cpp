// The instructions of PPC, 32 and 64 bits alike: values have 64 bits here, and tests do not depend on
// wrapping.
#include <array>

#include "lang/litmus/decode.hpp"

namespace heddle::lang::litmus {

RegisterId Registers::id(std::string_view canonical) {
  const auto found = std::find(names_.begin(), names_.end(), canonical);
  if (found != names_.end()) return static_cast<RegisterId>(found - names_.begin());
  names_.emplace_back(canonical);
  return static_cast<RegisterId>(names_.size() - 1);
}

std::string canonical_ppc(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower.size() < 2 || lower.size() > 3 || lower[0] != 'r') return {};
  std::int64_t number = 0;
  for (const char c : std::string_view(lower).substr(1)) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + (c - '0');
  }
  return number < 32 ? fmt::format("r{}", number) : std::string();
}

namespace {

struct Computation {
  std::string_view name;
  BinaryOperator op;
  bool immediate;
  bool reversed;  // the operands are swapped
};

constexpr std::array computations{
    Computation{"add", BinaryOperator::add, false, false},
    Computation{"addi", BinaryOperator::add, true, false},
    Computation{"subi", BinaryOperator::subtract, true, false},
    Computation{"sub", BinaryOperator::subtract, false, false},
    Computation{"subf", BinaryOperator::subtract, false, true},
    Computation{"mullw", BinaryOperator::multiply, false, false},
    Computation{"mulld", BinaryOperator::multiply, false, false},
    Computation{"mulli", BinaryOperator::multiply, true, false},
    Computation{"divw", BinaryOperator::divide, false, false},
    Computation{"divd", BinaryOperator::divide, false, false},
    Computation{"and", BinaryOperator::bit_and, false, false},
    Computation{"andi", BinaryOperator::bit_and, true, false},
    Computation{"or", BinaryOperator::bit_or, false, false},
    Computation{"ori", BinaryOperator::bit_or, true, false},
    Computation{"xor", BinaryOperator::bit_xor, false, false},
    Computation{"xori", BinaryOperator::bit_xor, true, false},
};

constexpr std::array branches{Branch{"b", Relation::always},         Branch{"beq", Relation::equal},
                              Branch{"bne", Relation::not_equal},    Branch{"blt", Relation::less},
                              Branch{"ble", Relation::less_equal},   Branch{"bgt", Relation::greater},
                              Branch{"bge", Relation::greater_equal}};

constexpr std::array barriers{Barrier{"sync", FenceKind::full}, Barrier{"hwsync", FenceKind::full},
                              Barrier{"lwsync", FenceKind::lightweight},
                              Barrier{"eieio", FenceKind::store_store},
                              Barrier{"isync", FenceKind::instruction}};

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Ppc {
 public:
  Ppc(Registers& registers, Diagnostics& diagnostics) : decoder_(registers, diagnostics) {}

  std::vector<Instruction> run(std::span<const Line> lines) {
    std::size_t index = 0;
    return decoder_.run(
        lines, [&](const Line& line, Instruction& instruction) { decode(line, instruction, index++); });
  }

 private:
  void decode(const Line& line, Instruction& instruction, std::size_t index) {
    const std::string name = lower_case(line.mnemonic.back().text);
    if (line.mnemonic.size() > 1) unknown(line);
    if (line.mark == '.' && is_any(name, {"stwcx", "stdcx"})) {
      return memory(line, instruction, InstructionKind::store_conditional, true);
    }
    if (const Branch* const branch = row_of(branches, name); branch && line.mark != '.') {
      return jump(line, instruction, *branch, index);
    }
    // `andi.` exists only with the dot.
    if (const Computation* const computation = row_of(computations, name);
        computation && (line.mark == '.' || (line.mark == 0 && name != "andi"))) {
      return compute(line, instruction, *computation);
    }
    if ((line.mark == '.' || line.mark == 0) && bit_instruction(name, line, instruction)) {
      instruction.sets_flags = line.mark == '.';
      return;
    }
    if (line.mark == '.' && name == "mr") return copy(line, instruction, true);
    if (line.mark != 0) unknown(line);
    if (const Barrier* const barrier = row_of(barriers, name)) {
      return decoder_.fence(line, *barrier, instruction);
    }
    if (name == "nop") return decoder_.expect(line, 0);
    if (name == "li") return immediate(line, instruction, 0);
    if (name == "lis") return immediate(line, instruction, 16);
    if (name == "addis") return add_shifted(line, instruction);
    if (is_any(name, {"lwa", "lwax"})) {
      instruction.signed_word = true;
      return memory(line, instruction, InstructionKind::load, name == "lwax");
    }
    if (name == "mr") return copy(line, instruction, false);
    if (is_any(name, {"lwz", "ld"})) return memory(line, instruction, InstructionKind::load, false);
    if (is_any(name, {"lwzx", "ldx"})) return memory(line, instruction, InstructionKind::load, true);
    if (is_any(name, {"stw", "std"})) return memory(line, instruction, InstructionKind::store, false);
    if (is_any(name, {"stwx", "stdx"})) return memory(line, instruction, InstructionKind::store, true);
    if (is_any(name, {"lwarx", "ldarx"}))
      return memory(line, instruction, InstructionKind::load_reserved, true);
    if (is_any(name, {"cmpw", "cmpd"})) return compare(line, instruction, false, 0);
    if (is_any(name, {"cmpwi", "cmpdi"})) return compare(line, instruction, true, 0);
    if (is_any(name, {"cmplw", "cmpld"})) return compare(line, instruction, false, name == "cmplw" ? 32 : 64);
    if (is_any(name, {"cmplwi", "cmpldi"}))
      return compare(line, instruction, true, name == "cmplwi" ? 32 : 64);
    unknown(line);
  }

  [[noreturn]] void unknown(const Line& line) {
    std::string text;
    for (const Word& word : line.mnemonic) text += (text.empty() ? "" : " ") + std::string(word.text);
    if (line.mark == '.') text += '.';
    decoder_.refuse(line.range, fmt::format("the PPC instruction '{}' is not supported", text));
  }

  RegisterId target(const Operand& operand) {
    const Argument argument = value(operand);
    if (argument.kind != ArgumentKind::register_)
      decoder_.refuse(operand.range, "expected a register like r1");
    return argument.reg;
  }

  Argument value(const Operand& operand) {
    Argument argument;
    argument.range = operand.range;
    if (operand.kind == OperandKind::register_) {  // symbolic
      argument.kind = ArgumentKind::register_;
      argument.reg = decoder_.id("%" + std::string(operand.name.text));
      return argument;
    }
    const std::string name = operand.kind == OperandKind::word ? canonical_ppc(operand.name.text) : "";
    if (name.empty()) decoder_.refuse(operand.range, "expected a register like r1");
    argument.kind = ArgumentKind::register_;
    argument.reg = decoder_.id(name);
    return argument;
  }

  Argument constant(const Operand& operand) {
    if (operand.kind != OperandKind::immediate || operand.dollar) {
      decoder_.refuse(operand.range, "expected a number");
    }
    return {.kind = ArgumentKind::constant, .value = operand.value, .location = {}, .range = operand.range};
  }

  void immediate(const Line& line, Instruction& instruction, unsigned shift) {
    decoder_.expect(line, 2);
    instruction.kind = InstructionKind::copy;
    instruction.target = target(line.operands[0]);
    instruction.left = constant(line.operands[1]);
    if (shift > 0) instruction.left.value = shifted(line.operands[1], shift);
  }

  // A 16-bit number, signed or unsigned, times 2^shift.
  std::int64_t shifted(const Operand& operand, unsigned shift) {
    return std::int64_t{static_cast<std::int16_t>(in_range(operand, -32768, 65535))} *
           (std::int64_t{1} << shift);
  }

  std::int64_t in_range(const Operand& operand, std::int64_t first, std::int64_t last) {
    const std::int64_t value = constant(operand).value;
    if (value < first || value > last) {
      decoder_.refuse(operand.range, fmt::format("expected a number from {} to {}", first, last));
    }
    return value;
  }
  unsigned bit_number(const Operand& operand, std::int64_t last) {
    return static_cast<unsigned>(in_range(operand, 0, last));
  }

  // In addresses, addi and addis, r0 means the number 0.
  static bool is_zero(const Operand& operand) {
    return operand.kind == OperandKind::word && canonical_ppc(operand.name.text) == "r0";
  }
  Argument value_or_zero(const Operand& operand) {
    if (!is_zero(operand)) return value(operand);
    return {.kind = ArgumentKind::constant, .value = 0, .location = {}, .range = operand.range};
  }

  void add_shifted(const Line& line, Instruction& instruction) {
    decoder_.expect(line, 3);
    instruction.kind = InstructionKind::compute;
    instruction.target = target(line.operands[0]);
    instruction.left = value_or_zero(line.operands[1]);
    instruction.right = {.kind = ArgumentKind::constant,
                         .value = shifted(line.operands[2], 16),
                         .location = {},
                         .range = line.operands[2].range};
  }

  // Bits are numbered from the left. A mask from `first` to `last` wraps around if last < first.
  static std::uint64_t word_mask(unsigned first, unsigned last) {
    const std::uint64_t from = ~std::uint64_t{0} >> (32 + first);
    const std::uint64_t to = ~std::uint64_t{0} << (31 - last);
    return first <= last ? from & to : from | to;
  }

  // rlwinm, rlwimi and their short forms, clrldi, extsw.
  bool bit_instruction(std::string_view name, const Line& line, Instruction& instruction) {
    const auto& operands = line.operands;
    const auto begin = [&](InstructionKind kind, std::size_t count) {
      decoder_.expect(line, count);
      instruction.kind = kind;
      instruction.target = target(operands[0]);
      instruction.left = value(operands[1]);
    };
    const auto rotate = [&](unsigned bits, unsigned first, unsigned last) {
      instruction.bits = bits % 32;
      instruction.mask = word_mask(first, last);
    };
    if (is_any(name, {"rlwinm", "rlwimi"})) {
      begin(InstructionKind::rotate, 5);
      rotate(bit_number(operands[2], 31), bit_number(operands[3], 31), bit_number(operands[4], 31));
      if (name == "rlwimi") instruction.right = value(operands[0]);
    } else if (is_any(name, {"slwi", "srwi", "clrlwi"})) {
      begin(InstructionKind::rotate, 3);
      const unsigned bits = bit_number(operands[2], 31);
      if (name == "slwi") rotate(bits, 0, 31 - bits);
      if (name == "srwi") rotate(32 - bits, bits, 31);
      if (name == "clrlwi") rotate(0, bits, 31);
    } else if (name == "clrldi") {
      begin(InstructionKind::compute, 3);
      instruction.op = BinaryOperator::bit_and;
      instruction.right = constant(operands[2]);
      instruction.right.value = static_cast<std::int64_t>(~std::uint64_t{0} >> bit_number(operands[2], 63));
    } else if (name == "extsw") {
      begin(InstructionKind::extend, 2);
    } else {
      return false;
    }
    return true;
  }

  void copy(const Line& line, Instruction& instruction, bool flags) {
    decoder_.expect(line, 2);
    instruction.kind = InstructionKind::copy;
    instruction.target = target(line.operands[0]);
    instruction.left = value(line.operands[1]);
    instruction.sets_flags = flags;
  }

  void compute(const Line& line, Instruction& instruction, const Computation& computation) {
    decoder_.expect(line, 3);
    instruction.kind = InstructionKind::compute;
    instruction.op = computation.op;
    instruction.sets_flags = line.mark == '.';
    instruction.target = target(line.operands[0]);
    instruction.left = computation.name == "addi" || computation.name == "subi"
                           ? value_or_zero(line.operands[1])
                           : value(line.operands[1]);
    instruction.right = computation.immediate ? constant(line.operands[2]) : value(line.operands[2]);
    if (computation.reversed) std::swap(instruction.left, instruction.right);
  }

  // An address: `4(r1)`; if `indexed`, two registers, or 0 and a register; if not, also `0,r1`.
  Address address(const Line& line, bool indexed) {
    Address result;
    const auto& operands = line.operands;
    if (operands.size() == 2 && !indexed && operands[1].kind == OperandKind::memory) {
      const Operand& memory = operands[1];
      if (!memory.round) decoder_.refuse(memory.range, "an address is written like 0(r1)");
      Operand base;
      base.kind = memory.percent ? OperandKind::register_ : OperandKind::word;
      base.name = memory.name;
      base.range = memory.range;
      result.base = value(base);
      result.displacement = memory.value;
      return result;
    }
    decoder_.expect(line, operands.size() == 2 && !indexed ? 2 : 3);
    if (operands.size() == 2) decoder_.refuse(operands[1].range, "an address is written like 0(r1)");
    if (operands[1].kind == OperandKind::immediate) {
      result.displacement = constant(operands[1]).value;
      if (indexed && result.displacement != 0) decoder_.refuse(operands[1].range, "expected a register or 0");
    } else if (!indexed) {
      decoder_.refuse(operands[1].range, "expected a number");
    } else if (!is_zero(operands[1])) {
      result.index = value(operands[1]);
    }
    result.base = value(operands[2]);
    return result;
  }

  void memory(const Line& line, Instruction& instruction, InstructionKind kind, bool indexed) {
    instruction.kind = kind;
    instruction.address = address(line, indexed);
    if (kind == InstructionKind::store || kind == InstructionKind::store_conditional) {
      instruction.left = value(line.operands[0]);
    } else {
      instruction.target = target(line.operands[0]);
    }
  }

  // `cmpw r1,r2` and `cmpw cr0,r1,r2`.
  static bool is_condition_register(const Operand& operand) {
    return operand.kind == OperandKind::word && lower_case(operand.name.text).starts_with("cr");
  }
  std::size_t skip_condition_register(const Line& line) {
    if (line.operands.empty() || !is_condition_register(line.operands[0])) return 0;
    if (lower_case(line.operands[0].name.text) != "cr0") {
      decoder_.refuse(line.operands[0].range, "the only supported condition register is cr0");
    }
    return 1;
  }

  void compare(const Line& line, Instruction& instruction, bool with_number, unsigned unsigned_bits) {
    const std::size_t first = skip_condition_register(line);
    decoder_.expect(line, first + 2);
    instruction.kind = InstructionKind::compare;
    instruction.bits = unsigned_bits;
    instruction.left = value(line.operands[first]);
    instruction.right = with_number ? constant(line.operands[first + 1]) : value(line.operands[first + 1]);
  }

  void jump(const Line& line, Instruction& instruction, const Branch& branch, std::size_t index) {
    const std::size_t first = branch.relation == Relation::always ? 0 : skip_condition_register(line);
    decoder_.expect(line, first + 1);
    instruction.kind = InstructionKind::branch;
    instruction.relation = branch.relation;
    decoder_.jump_to(line.operands[first], index);
  }

  Decoder decoder_;
};

}  // namespace

std::vector<Instruction> decode_ppc(std::span<const Line> lines, Registers& registers,
                                    Diagnostics& diagnostics) {
  return Ppc(registers, diagnostics).run(lines);
}

}  // namespace heddle::lang::litmus
