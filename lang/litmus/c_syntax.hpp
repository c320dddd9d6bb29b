// The parse tree of the threads of a C test: the small part of C that litmus tests are written in.
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
  block,     // body; `;` is an empty one
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
  SourceRange range;  // of `if` and `while`: the condition
};

// `P0 (atomic_int *x, int *y) { ... }`
struct Thread {
  Word name;
  std::vector<Word> parameters;
  std::vector<Statement> body;
};

// Reads the functions between `first` and `last`, which must be readable. What it returns is meaningful only
// if no error was reported. Never throws; stack use is bounded by limits::nesting, time is linear.
[[nodiscard]] std::vector<Thread> parse_threads(ParserState& state, const Token* first, const Token* last);

}  // namespace heddle::lang::litmus::c
