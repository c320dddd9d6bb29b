// The parse tree: the program as written, before names are resolved. The grammar builds it; the resolver
// turns it into the tree of lang/tree.hpp. All strings are views into the source text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/token.hpp"
#include "lang/tree.hpp"

namespace heddle::lang::syntax {

// A token kept as written: a name, an operator, a keyword.
struct Word {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  SourceRange range;
};

// A type as written: `int`, `spinlock.Lock`, `plain Node[4]`.
struct Expression;
struct TypeName {
  Word plain;   // of kind `end` if not given
  Word module;  // of kind `end` if not given
  Word name;    // of kind `end` if there is no type
  std::vector<Expression> lengths;
};

enum class ExpressionKind : std::uint8_t {
  integer,      // value
  boolean,      // value
  name,         // word
  index,        // operands: [array, index]
  member,       // operands: [thread, object or module]; word
  call,         // operands: [function, arguments...]
  atomic,       // word: cas, exchange or fetch_*; operands: arguments
  try_lock,     // operands: [mutex]
  choose,       // operands: [low, high] or [enumeration]
  spawn,        // operands: [call]
  unary,        // word; operands: [operand]
  binary,       // word: any binary operator, including `&&` and `||`; operands: [left, right]
  conditional,  // operands: [condition, then, else]
  structure,    // operands: [type, fields...]
  field,        // word: the name; operands: [value]
};

struct Expression {
  ExpressionKind kind = ExpressionKind::integer;
  Word word;
  std::int64_t value = 0;
  std::uint32_t depth = 1;  // height of the tree
  std::vector<Expression> operands;
  SourceRange range;  // including enclosing parentheses
};

enum class StatementKind : std::uint8_t {
  empty,
  block,  // body
  declare,  // word: `let` or `var`; name, type?; expressions: [value], values of a list, or none; is_list, waits
  assign,    // word: the operator; expressions: [place, value]
  evaluate,  // expressions: [expression]
  if_,       // expressions: [condition]; body, otherwise
  while_,    // expressions: [condition]; body
  for_,      // name; expressions: [low, high]; body
  break_,
  continue_,
  return_,    // expressions: [value] or none
  fence,      // name: `lw`, `st`, `isync` or none
  lock,       // expressions: [mutex]
  unlock,     // expressions: [mutex]
  wait,       // expressions: [condition variable, mutex]
  signal,     // expressions: [condition variable]
  broadcast,  // expressions: [condition variable]
  join,       // expressions: [handle from `spawn`]
  assert_,    // expressions: [condition]; text?
  assume,     // expressions: [condition]
  await,      // expressions: [condition]
  either,     // body: a block for each alternative; or name, expressions: [low, high]; body: one block
  atomic,     // body
  progress,
  restart,  // expressions: [condition]
};

struct Statement {
  StatementKind kind = StatementKind::empty;
  Word word;
  Word name;
  TypeName type;
  Word text;  // of kind `end` if not given
  bool is_list = false;
  bool waits = false;  // `await` before the value
  std::vector<Expression> expressions;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  SourceRange range;  // without the semicolon; for `if`, `while` and `for`: the head
};

struct FunctionParameter {
  Word name;
  Word reference;  // `ref`; of kind `end` if not given
  TypeName type;
};

struct Field {
  Word name;
  TypeName type;
  bool is_list = false;
  std::vector<Expression> expressions;  // initial values, empty if not given
};

// `NAME = INT` or `MODULE.NAME = INT` of an expect line.
struct Setting {
  Word module;  // of kind `end` if not given
  Word name;
  bool negative = false;
  Word value;
};

struct ExpectLine {
  std::vector<Word> models;
  std::vector<Word> algorithms;
  std::vector<Setting> settings;
  std::vector<Word> outcome;
  Word argument;  // a string or an integer; of kind `end` if not given
};

enum class ItemKind : std::uint8_t {
  import_,   // path: the parts or one text; expressions: arguments; name: after `as`, of kind `end` if none;
             // words: imported names
  param,     // name; expressions: [value], or none and a type
  constant,  // name; expressions: [value]
  shared,    // name, type; expressions: initial values, none if not given; is_list
  mutex,     // name; length: lengths
  cond,      // the same
  enumeration,  // name; words: the values
  structure,    // name; fields
  function,     // name, parameters, type (result); body
  proc,         // name, parameters; body; daemon: of kind `end` if not given
  thread,       // the same; family: the parameter, of kind `end` if none; length: [low, high] or none
  final_,       // body
  property,  // word: exists, forall, forbid, or the name `invariant` or `eventually`, expressions: [condition];
             // or the name `leads`, expressions: [condition, goal]
  expect,    // expect_line
};

struct Item {
  ItemKind kind = ItemKind::import_;
  Word word;
  Word name;
  TypeName type;
  Word family;
  Word daemon;
  bool is_list = false;
  std::vector<Expression> length;
  std::vector<Expression> expressions;
  std::vector<FunctionParameter> parameters;
  std::vector<Field> fields;
  std::vector<Word> path;
  std::vector<Word> words;
  std::vector<Statement> body;
  ExpectLine expect_line;
  SourceRange range;
};

struct File {
  std::vector<Item> items;
};

}  // namespace heddle::lang::syntax
