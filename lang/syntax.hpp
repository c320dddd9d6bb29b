// The parse tree: the program as it was written, before any name has a meaning. The grammar makes it, the
// resolver reads it and turns it into the tree of lang/tree.hpp. Texts are views into the source text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/token.hpp"
#include "lang/tree.hpp"

namespace heddle::lang::syntax {

// A token kept as it stands: a name, an operator, a keyword.
struct Word {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  SourceRange range;
};

enum class ExpressionKind : std::uint8_t {
  integer,      // value
  boolean,      // value
  name,         // word
  index,        // operands: [array, index]
  member,       // operands: [thread]; word
  call,         // operands: [function, arguments...]
  atomic,       // word: cas, exchange or fetch_*; operands: arguments
  try_lock,     // operands: [mutex]
  choose,       // operands: [low, high]
  unary,        // word; operands: [operand]
  binary,       // word: any binary operator, `&&` and `||` too; operands: [left, right]
  conditional,  // operands: [condition, then, else]
};

struct Expression {
  ExpressionKind kind = ExpressionKind::integer;
  Word word;
  std::int64_t value = 0;
  std::uint32_t depth = 1;  // height of the tree
  std::vector<Expression> operands;
  SourceRange range;  // with the parentheses around it
};

enum class StatementKind : std::uint8_t {
  empty,
  block,     // body
  declare,   // word: `let` or `var`; name, type?; expressions: [value]
  assign,    // word: the operator; expressions: [place, value]
  evaluate,  // expressions: [expression]
  if_,       // expressions: [condition]; body, otherwise
  while_,    // expressions: [condition]; body
  for_,      // name; expressions: [low, high]; body
  break_,
  continue_,
  return_,  // expressions: [value] or none
  fence,    // name: `lw`, `st`, `isync` or none
  lock,     // expressions: [mutex]
  unlock,   // expressions: [mutex]
  assert_,  // expressions: [condition]; text?
  assume,   // expressions: [condition]
  await,    // expressions: [condition]
};

struct Statement {
  StatementKind kind = StatementKind::empty;
  Word word;
  Word name;
  Word type;  // of kind `end` if not given
  Word text;  // of kind `end` if not given
  std::vector<Expression> expressions;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  SourceRange range;  // without the semicolon; of `if`, `while` and `for`: the head
};

struct FunctionParameter {
  Word name;
  Word type;
};

// `NAME = INT` of an expect line.
struct Setting {
  Word name;
  bool negative = false;
  Word value;
};

struct ExpectLine {
  std::vector<Word> models;
  std::vector<Word> algorithms;
  std::vector<Setting> settings;
  Word outcome;
  Word argument;  // a string or an integer; of kind `end` if not given
};

enum class ItemKind : std::uint8_t {
  import_,   // name: the first part
  param,     // name; expressions: [value]
  constant,  // name; expressions: [value]
  shared,    // name, type; length: [length] or none; expressions: initial values, none if not given; is_list
  mutex,     // name; length: [length] or none
  function,  // name, parameters, type (result); body
  thread,    // name; family: the parameter, of kind `end` if none; length: [low, high] or none; body
  final_,    // body
  property,  // word: exists, forall or forbid; expressions: [condition]
  expect,    // expect_line
};

struct Item {
  ItemKind kind = ItemKind::import_;
  Word word;
  Word name;
  Word type;  // of kind `end` if not given
  Word family;
  bool is_list = false;
  std::vector<Expression> length;
  std::vector<Expression> expressions;
  std::vector<FunctionParameter> parameters;
  std::vector<Statement> body;
  ExpectLine expect_line;
  SourceRange range;
};

struct File {
  std::vector<Item> items;
};

}  // namespace heddle::lang::syntax
