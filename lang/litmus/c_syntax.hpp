// The parse tree of the threads of a C test: the small subset of C that litmus tests use.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/litmus/grammar_parts.hpp"
#include "lang/litmus/syntax.hpp"

namespace heddle::lang::litmus::c {

enum class ExpressionKind : std::uint8_t {
  integer,      // value
  name,         // word
  dereference,  // operands: [pointer]
  address,      // operands: [place]
  call,         // word; operands: arguments
  unary,        // word; operands: [operand]
  binary,       // word; operands: [left, right]
};

struct Expression {
  ExpressionKind kind = ExpressionKind::integer;
  Word word;
  std::int64_t value = 0;
  std::uint32_t depth = 1;  // height of the tree
  std::vector<Expression> operands;
  SourceRange range;
};

enum class StatementKind : std::uint8_t {
  block,     // body; `;` is an empty block
  declare,   // word: the name; expressions: [value] or none
  assign,    // expressions: [place, value]
  evaluate,  // expressions: [expression]
  if_,       // expressions: [condition]; body, otherwise
  while_,    // expressions: [condition]; body
  break_,
  continue_,
  return_
};

struct Statement {
  StatementKind kind = StatementKind::block;
  Word word;
  std::vector<Expression> expressions;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  SourceRange range;  // for `if` and `while`: the condition
};

// `P0 (atomic_int *x, int *y) { ... }`
struct Thread {
  Word name;
  std::vector<Word> parameters;
  std::vector<Statement> body;
};

// Parses the functions between `first` and `last`; `*last` must be readable. The result is meaningful only if
// no error was reported. Never throws; stack use is bounded by limits::nesting, time is linear.
[[nodiscard]] std::vector<Thread> parse_threads(ParserState& state, const Token* first, const Token* last);

}  // namespace heddle::lang::litmus::c
