// The parse tree of a .litmus file: the test as written, before registers and locations have a meaning. The
// grammars build it. The programs of the threads are in instructions.hpp (assembly) and c_syntax.hpp (C).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::lang::litmus {

enum class Architecture : std::uint8_t { ppc, x86, c };

struct Word {
  std::string_view text;
  SourceRange range;
};

// A place whose value can be set or observed: `0:r1`, `x`, `[x]`.
struct Place {
  std::optional<std::uint32_t> thread;  // of a register
  bool symbolic = false;                // a register written `%x0`
  Word name;
  SourceRange range;
};

// One entry of the init section: `0:r5=x`, `x=1`, `uint64_t y`, `%x0=x`.
struct InitialValue {
  Place place;
  bool given = false;  // if not, the value is 0
  std::int64_t value = 0;
  std::optional<Word> address;  // the location whose address is the value
};

enum class FormulaKind : std::uint8_t { constant, equal, negation, conjunction, disjunction };

// `equal` compares the place with a number, with the address of a location or with another place.
struct Formula {
  FormulaKind kind = FormulaKind::constant;
  Place place;
  std::int64_t value = 1;       // constant, equal
  std::optional<Word> address;  // equal
  std::optional<Place> other;   // equal
  std::vector<Formula> parts;
  SourceRange range;
};

enum class Quantifier : std::uint8_t { none, exists, not_exists, forall };

// What follows the program.
struct Constraint {
  std::vector<Place> locations;
  std::optional<Formula> filter;
  Quantifier quantifier = Quantifier::none;
  Formula formula;
  SourceRange range;  // from the quantifier on
};

enum class OperandKind : std::uint8_t { register_, immediate, address, memory, word };

// An operand of an instruction. `word` is a bare name: a register, a label or a location.
struct Operand {
  OperandKind kind = OperandKind::word;
  Word name;               // register_, word; address: `$x`; memory: the base
  bool percent = false;    // the name was written `%name`
  bool dollar = false;     // the number was written `$1`
  bool round = false;      // memory: `(x)`, not `[x]`
  std::int64_t value = 0;  // immediate; memory: offset from the base
  SourceRange range;
};

// A label, an instruction, or both; `stwcx.` and `bne-` are one mnemonic.
struct Line {
  std::vector<Word> labels;
  std::vector<Word> mnemonic;  // with prefixes: "lock", "xadd"; empty: labels only
  char mark = 0;               // '.', '+' or '-' after the mnemonic
  std::vector<Operand> operands;
  SourceRange range;
};

}  // namespace heddle::lang::litmus
