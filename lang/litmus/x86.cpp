// The instructions of x86 and x86-64, with operands in AT&T or Intel order. An instruction works on 32 bits
// if its suffix or a register says so, else on 64.
#include <array>

#include "lang/litmus/decode.hpp"

namespace heddle::lang::litmus {

std::string canonical_x86(std::string_view name) {
  const std::string lower = lower_case(name);
  constexpr std::array<std::string_view, 8> classic{"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
  if (lower.size() == 3 && (lower[0] == 'r' || lower[0] == 'e')) {
    const std::string_view rest = std::string_view(lower).substr(1);
    if (std::find(classic.begin(), classic.end(), rest) != classic.end()) return "r" + std::string(rest);
  }
  for (int number = 8; number < 16; ++number) {
    const std::string wide = fmt::format("r{}", number);
    if (lower == wide || lower == wide + "d") return wide;
  }
  return {};
}

bool is_word_x86(std::string_view name) {
  const std::string lower = lower_case(name);
  return !canonical_x86(lower).empty() && (lower[0] == 'e' || lower.back() == 'd');
}

bool uses_intel_order(std::span<const std::vector<Line>> threads) {
  for (const std::vector<Line>& thread : threads) {
    for (const Line& line : thread) {
      for (const Operand& operand : line.operands) {
        if (operand.percent || operand.round) return false;
      }
    }
  }
  return true;
}

namespace {

struct Computation {
  std::string_view name;
  BinaryOperator op;
};

constexpr std::array computations{
    Computation{"add", BinaryOperator::add},     Computation{"sub", BinaryOperator::subtract},
    Computation{"and", BinaryOperator::bit_and}, Computation{"or", BinaryOperator::bit_or},
    Computation{"xor", BinaryOperator::bit_xor}, Computation{"imul", BinaryOperator::multiply}};

// Instructions that can have a suffix for the operand size.
constexpr std::array<std::string_view, 14> sized{"mov", "add", "sub", "and",  "or",   "xor",     "imul",
                                                 "inc", "dec", "cmp", "xchg", "xadd", "cmpxchg", "shl"};

constexpr std::array branches{Branch{"jmp", Relation::always},       Branch{"je", Relation::equal},
                              Branch{"jz", Relation::equal},         Branch{"jne", Relation::not_equal},
                              Branch{"jnz", Relation::not_equal},    Branch{"jl", Relation::less},
                              Branch{"jle", Relation::less_equal},   Branch{"jg", Relation::greater},
                              Branch{"jge", Relation::greater_equal}};

constexpr std::array barriers{Barrier{"mfence", FenceKind::full}, Barrier{"sfence", FenceKind::store_store},
                              Barrier{"lfence", FenceKind::instruction}};

class X86 {
 public:
  X86(Registers& registers, Diagnostics& diagnostics, bool intel)
      : decoder_(registers, diagnostics), intel_(intel) {}

  std::vector<Instruction> run(std::span<const Line> lines) {
    std::size_t index = 0;
    return decoder_.run(
        lines, [&](const Line& line, Instruction& instruction) { decode(line, instruction, index++); });
  }

 private:
  void decode(const Line& line, Instruction& instruction, std::size_t index) {
    const std::string name = lower_case(line.mnemonic.back().text);
    const bool locked = line.mnemonic.size() > 1;
    instruction.word = works_on_words(name, line);
    if (line.mark != 0) unknown(line);
    if (const Branch* const branch = row_of(branches, name); branch && !locked) {
      decoder_.expect(line, 1);
      instruction.kind = InstructionKind::branch;
      instruction.relation = branch->relation;
      return decoder_.jump_to(line.operands[0], index);
    }
    if (const Barrier* const barrier = row_of(barriers, name); barrier && !locked) {
      return decoder_.fence(line, *barrier, instruction);
    }
    if (name == "nop" && !locked) return decoder_.expect(line, 0);
    if (is(name, "xchg")) return exchange(line, instruction);
    if (is(name, "xadd")) return exchange_add(line, instruction, locked);
    if (is(name, "cmpxchg")) return compare_exchange(line, instruction, locked);
    for (const Computation& computation : computations) {
      if (!is(name, computation.name)) continue;
      decoder_.expect(line, 2);
      return compute(line, instruction, computation.op, source(line), target(line), locked);
    }
    if (is(name, "inc") || is(name, "dec")) {
      decoder_.expect(line, 1);
      Operand one;
      one.kind = OperandKind::immediate;
      one.value = 1;
      one.range = line.range;
      const auto op = is(name, "inc") ? BinaryOperator::add : BinaryOperator::subtract;
      return compute(line, instruction, op, one, line.operands[0], locked);
    }
    if (is(name, "shl") && !locked) return shift(line, instruction);
    if (locked) unknown(line);
    if (is(name, "mov")) return move(line, instruction);
    if (is(name, "cmp")) return compare(line, instruction);
    unknown(line);
  }

  // Decided by the suffix, else by a register among the operands.
  static bool works_on_words(std::string_view name, const Line& line) {
    for (const std::string_view plain : sized) {
      if (name.size() != plain.size() + 1 || !name.starts_with(plain)) continue;
      if (name.back() == 'l' || name.back() == 'q') return name.back() == 'l';
    }
    return std::any_of(line.operands.begin(), line.operands.end(), [](const Operand& operand) {
      return (operand.kind == OperandKind::register_ || operand.kind == OperandKind::word) &&
             is_word_x86(operand.name.text);
    });
  }

  // Whether `name` is `plain`, possibly with a suffix for 32 or 64 bits.
  static bool is(std::string_view name, std::string_view plain) {
    if (!name.starts_with(plain)) return false;
    const std::string_view suffix = name.substr(plain.size());
    return suffix.empty() || suffix == "l" || suffix == "q";
  }

  [[noreturn]] void unknown(const Line& line) {
    std::string text;
    for (const Word& word : line.mnemonic) text += (text.empty() ? "" : " ") + std::string(word.text);
    decoder_.refuse(line.range, fmt::format("the x86 instruction '{}' is not supported", text));
  }

  const Operand& source(const Line& line) const { return line.operands[intel_ ? 1 : 0]; }
  const Operand& target(const Line& line) const { return line.operands[intel_ ? 0 : 1]; }

  std::optional<RegisterId> as_register(const Operand& operand) {
    if (operand.kind != OperandKind::register_ && operand.kind != OperandKind::word) return {};
    const std::string name = canonical_x86(operand.name.text);
    if (!name.empty()) return decoder_.id(name);
    if (operand.kind == OperandKind::register_) {
      decoder_.refuse(operand.range,
                      fmt::format("'%{}' is not a register of 32 or 64 bits", operand.name.text));
    }
    return {};
  }

  static bool is_memory(const Operand& operand) { return operand.kind == OperandKind::memory; }

  RegisterId register_of(const Operand& operand) {
    if (const auto id = as_register(operand)) return *id;
    decoder_.refuse(operand.range, "expected a register");
  }

  // A register, a number or an address.
  Argument value(const Operand& operand) {
    Argument argument;
    argument.range = operand.range;
    if (const auto id = as_register(operand)) {
      argument.kind = ArgumentKind::register_;
      argument.reg = *id;
    } else if (operand.kind == OperandKind::immediate) {
      argument.kind = ArgumentKind::constant;
      argument.value = operand.value;
    } else if (operand.kind == OperandKind::address) {
      argument.kind = ArgumentKind::location;
      argument.location = operand.name.text;
    } else {
      decoder_.refuse(operand.range, "expected a register or a number");
    }
    return argument;
  }

  Address address(const Operand& operand) {
    if (!is_memory(operand)) decoder_.refuse(operand.range, "expected a location like (x) or [x]");
    Address result;
    result.base.range = operand.range;
    result.displacement = operand.value;
    const std::string name = canonical_x86(operand.name.text);
    if (!name.empty()) {
      result.base.kind = ArgumentKind::register_;
      result.base.reg = decoder_.id(name);
    } else if (operand.percent) {
      decoder_.refuse(operand.range,
                      fmt::format("'%{}' is not a register of 32 or 64 bits", operand.name.text));
    } else {
      result.base.kind = ArgumentKind::location;
      result.base.location = operand.name.text;
    }
    return result;
  }

  void move(const Line& line, Instruction& instruction) {
    decoder_.expect(line, 2);
    if (is_memory(target(line))) {
      instruction.kind = InstructionKind::store;
      instruction.address = address(target(line));
      instruction.left = value(source(line));
    } else if (is_memory(source(line))) {
      instruction.kind = InstructionKind::load;
      instruction.target = register_of(target(line));
      instruction.address = address(source(line));
    } else {
      instruction.kind = InstructionKind::copy;
      instruction.target = register_of(target(line));
      instruction.left = value(source(line));
    }
  }

  void compare(const Line& line, Instruction& instruction) {
    decoder_.expect(line, 2);
    instruction.kind = InstructionKind::compare;
    // AT&T: `cmp b, a` compares a with b.
    instruction.left = value(target(line));
    instruction.right = value(source(line));
  }

  // Shifts by a number, 1 if none is given.
  void shift(const Line& line, Instruction& instruction) {
    if (line.operands.size() == 1) {
      Operand one;
      one.kind = OperandKind::immediate;
      one.value = 1;
      one.range = line.range;
      return compute(line, instruction, BinaryOperator::shift_left, one, line.operands[0], false);
    }
    decoder_.expect(line, 2);
    Operand by = source(line);
    if (by.kind != OperandKind::immediate) decoder_.refuse(by.range, "expected a number to shift by");
    by.value &= instruction.word ? 31 : 63;
    compute(line, instruction, BinaryOperator::shift_left, by, target(line), false);
  }

  void compute(const Line& line, Instruction& instruction, BinaryOperator op, const Operand& from,
               const Operand& to, bool locked) {
    instruction.op = op;
    instruction.sets_flags = true;
    if (is_memory(to)) {
      if (locked && op == BinaryOperator::multiply) unknown(line);
      instruction.kind = locked ? InstructionKind::fetch : InstructionKind::update;
      instruction.has_target = false;
      instruction.address = address(to);
      instruction.left = value(from);
      return;
    }
    if (locked)
      decoder_.refuse(line.range, "'lock' is allowed only before instructions that write to memory");
    if (is_memory(from)) decoder_.refuse(from.range, "load this into a register first");
    instruction.kind = InstructionKind::compute;
    instruction.target = register_of(to);
    instruction.left = value(to);
    instruction.right = value(from);
  }

  // Atomic even without `lock`.
  void exchange(const Line& line, Instruction& instruction) {
    decoder_.expect(line, 2);
    const bool first_is_memory = is_memory(line.operands[0]);
    const Operand& memory = line.operands[first_is_memory ? 0 : 1];
    const Operand& other = line.operands[first_is_memory ? 1 : 0];
    instruction.target = register_of(other);
    if (is_memory(memory)) {
      instruction.kind = InstructionKind::exchange;
      instruction.address = address(memory);
    } else {
      instruction.kind = InstructionKind::swap;
      instruction.left = value(memory);
      static_cast<void>(register_of(memory));
    }
  }

  void exchange_add(const Line& line, Instruction& instruction, bool locked) {
    decoder_.expect(line, 2);
    if (!locked) decoder_.refuse(line.range, "'xadd' without 'lock' is not supported");
    instruction.kind = InstructionKind::fetch;
    instruction.sets_flags = true;
    instruction.op = BinaryOperator::add;
    instruction.target = register_of(source(line));
    instruction.left = value(source(line));
    instruction.address = address(target(line));
  }

  void compare_exchange(const Line& line, Instruction& instruction, bool locked) {
    decoder_.expect(line, 2);
    if (!locked) decoder_.refuse(line.range, "'cmpxchg' without 'lock' is not supported");
    instruction.kind = InstructionKind::compare_exchange;
    instruction.target = decoder_.id("rax");
    instruction.left = value(source(line));
    instruction.address = address(target(line));
  }

  Decoder decoder_;
  bool intel_;
};

}  // namespace

std::vector<Instruction> decode_x86(std::span<const Line> lines, bool intel, Registers& registers,
                                    Diagnostics& diagnostics) {
  return X86(registers, diagnostics, intel).run(lines);
}

}  // namespace heddle::lang::litmus
