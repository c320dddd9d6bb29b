// The resolved program: what the front ends produce and the compiler reads.
//
// `parse_program` (lang/frontend.hpp) turns text into this tree; every name in it is already resolved, every
// expression typed, every size and range a number. The compiler needs nothing else, and nothing here knows of
// it. Functions stay functions: the compiler inlines a call by generating the body again. A program has no
// recursion.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::lang {

// A piece of source text: byte offsets [begin, end) into file number `file` of the program's SourceMap.
struct SourceRange {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Values are 64-bit integers at run time; a boolean is 0 or 1. The types from `first_enumeration` up are the
// enumerations of the program, in their order; their values count from 0.
enum class Type : std::uint32_t { none, integer, boolean, first_enumeration };

enum class FenceKind : std::uint8_t { full, lightweight, store_store, instruction };

enum class UnaryOperator : std::uint8_t { negate, complement, logical_not };

// Arithmetic wraps; shifts take their amount modulo 64, `>>` keeps the sign; division and remainder truncate.
enum class BinaryOperator : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal
};

enum class FetchOperator : std::uint8_t { add, subtract, bit_and, bit_or, bit_xor, max, min };

using LocalId = std::uint32_t;     // index into Body::locals of the body that the expression stands in
using VariableId = std::uint32_t;  // index into Program::variables
using FunctionId = std::uint32_t;  // index into Program::functions
using ThreadId = std::uint32_t;    // index into Program::threads

enum class ExpressionKind : std::uint8_t {
  literal,        // value
  local,          // id: LocalId; operands: [index] for elements of arrays. A whole array stands for itself
                  // as the argument of a parameter by reference only
  load,           // id: VariableId; operands: [index] for arrays. One visible operation.
  unary,          // unary; operands: [operand]
  binary,         // binary; operands: [left, right]
  logical_and,    // operands: [left, right]; right only if left is true
  logical_or,     // operands: [left, right]; right only if left is false
  conditional,    // operands: [condition, then, else]; only one of the two is evaluated
  call,           // id: FunctionId; operands: arguments, left to right
  cas,            // id: VariableId; operands: [index?, expected, desired]; is true on success
  exchange,       // id: VariableId; operands: [index?, desired]; is the old value
  fetch,          // fetch; id: VariableId; operands: [index?, operand]; is the old value
  try_lock,       // id: VariableId (a mutex); operands: [index?]; is true on success
  choose,         // operands: [low, high]; some value of low..high (half open)
  thread_local_,  // conditions only: thread: ThreadId, id: LocalId of that thread's template; operands: as
                  // local
  bounded,        // operands: [index]; is the index, which must be one of 0 .. value - 1
};

// Integer expressions stand where a condition is wanted too: the front end then wraps them into `!= 0`.
struct Expression {
  ExpressionKind kind = ExpressionKind::literal;
  Type type = Type::integer;
  UnaryOperator unary = UnaryOperator::negate;
  BinaryOperator binary = BinaryOperator::add;
  FetchOperator fetch = FetchOperator::add;
  std::uint32_t id = 0;
  ThreadId thread = 0;
  std::int64_t value = 0;
  std::vector<Expression> operands;
  SourceRange range;
};

enum class StatementKind : std::uint8_t {
  block,    // body
  declare,  // id: LocalId; expressions: [value]; of an array: one value for all elements, or one for each
  assign,   // id: LocalId; expressions: [index?, value]
  store,    // id: VariableId; expressions: [index?, value]. `compound`: index, load, value, operator, store
  if_,      // expressions: [condition]; body, otherwise
  while_,   // expressions: [condition]; body. At most Options::unroll rounds, then op loop_bound
  for_,     // id: LocalId from expressions[0] up to below expressions[1], both evaluated once; body
  break_,
  continue_,
  return_,   // expressions: [value] or none
  evaluate,  // expressions: [expression]; its value is dropped
  fence,     // fence
  lock,      // id: VariableId (a mutex); expressions: [index?]
  unlock,    // same
  assert_,   // expressions: [condition]; text: the message, empty if none was given
  assume,    // expressions: [condition]
  await,     // expressions: [condition]
};

struct Statement {
  StatementKind kind = StatementKind::block;
  FenceKind fence = FenceKind::full;
  std::optional<BinaryOperator> compound;
  std::uint32_t id = 0;
  std::vector<Expression> expressions;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  std::string text;
  SourceRange range;  // without the semicolon; of `if`, `while` and `for`: the head, up to the body
};

// What the elements of an array are called that is a part of something larger: with the parts "pool",
// ".slots" and
// "" and the lengths 2 and 4, element 5 is "pool[1].slots[1]".
struct ElementNames {
  std::vector<std::string> parts;  // one more than lengths; none: the plain name and one index
  std::vector<std::uint32_t> lengths;
};

struct Local {
  std::string name;
  Type type = Type::integer;
  bool top_level = false;  // declared in the outermost block of a thread: conditions can name it
  SourceRange range;       // here and in all named declarations below: of the name
  bool is_array = false;
  std::uint32_t length = 1;  // number of elements; 1 for a scalar
  // A parameter that is another name for a local of the caller: the argument is an expression `local` without
  // index.
  bool by_reference = false;
  ElementNames elements;
};

// Code with the locals that it declares, nested blocks included; parameters come first.
struct Body {
  std::vector<Local> locals;
  std::vector<Statement> statements;
};

// A shared variable or mutex. Its elements are the locations first_location .. first_location + size() - 1.
struct Variable {
  std::string name;
  Type type = Type::integer;
  bool is_mutex = false;
  bool is_array = false;
  std::uint32_t length = 1;  // number of elements; 1 for a scalar
  std::uint32_t first_location = 0;
  std::vector<std::int64_t> initial;  // `length` values
  SourceRange range;
  ElementNames elements;
};

// "x" or "flag[1]": how a variable's or local's element is called. O(length of the name).
[[nodiscard]] std::string element_name(const std::string& name, bool is_array, const ElementNames& elements,
                                       std::uint32_t element);

struct Function {
  std::string name;
  std::uint32_t parameters = 0;  // the first so many locals of the body
  Type result =
      Type::none;  // a function that may fall off its end returns 0 / false there: the checker refuses it
  Body body;
  SourceRange range;
};

// `thread p { }` has no parameter; `thread p[i: 0..N] { }` has one, local 0 of its body.
struct ThreadTemplate {
  std::string name;
  bool is_family = false;
  Body body;
  SourceRange range;
};

// One thread of the program, in the order of the source.
struct Thread {
  std::string name;  // "p", or "p[2]" for a member of a family
  std::uint32_t thread_template = 0;
  std::int64_t argument = 0;
};

// A state for which a `filter` does not hold is not looked at: no other property is about it, no outcome.
enum class PropertyKind : std::uint8_t { exists, forall, forbid, filter };

// A condition over final states: locations are read from memory without a visible operation.
struct Property {
  PropertyKind kind = PropertyKind::exists;
  Expression condition;
  SourceRange range;
};

enum class ExpectedOutcome : std::uint8_t {
  safe,
  safe_within_bounds,
  vacuous,
  violation,
  deadlock,
  never,
  sometimes,
  always,
  executions,
  outcomes
};

// `expect sc, tso by dpor with N=3: violation "text";` - a line that makes the file its own regression test.
struct Expectation {
  std::vector<std::string> models;
  std::vector<std::string> algorithms;  // empty: the caller's choice
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  ExpectedOutcome outcome = ExpectedOutcome::safe;
  std::string text;         // violation: must occur in the message; may be empty
  std::uint64_t count = 0;  // executions, outcomes
  SourceRange range;
};

struct Parameter {
  std::string name;
  std::int64_t value = 0;  // after overriding
  std::int64_t default_value = 0;
  SourceRange range;
};

// For people who ask for its value; in the tree constants are numbers already.
struct Constant {
  std::string name;
  Type type = Type::integer;
  std::int64_t value = 0;
  SourceRange range;
};

struct Enumeration {
  std::string name;
  std::vector<std::string> values;
  SourceRange range;
};

// One value that a litmus test observes: a location, or a local of a thread.
struct Observation {
  std::string name;                // as its author writes it: "[x]", "0:r1"
  std::optional<ThreadId> thread;  // of a local
  std::uint32_t id = 0;            // VariableId or LocalId
  std::uint32_t index = 0;         // of the variable's element
};

enum class LitmusKind : std::uint8_t { none, exists, not_exists, forall };

// What a .litmus file says about itself.
struct LitmusTest {
  std::string name;
  LitmusKind kind = LitmusKind::none;
  SourceRange condition;  // with its quantifier; empty for `none`
  std::vector<Observation> observed;
  // The numbers that stand for addresses, and the locations that they are the addresses of.
  std::map<std::int64_t, std::string> addresses;
};

struct Program {
  std::vector<Parameter> parameters;
  std::vector<Constant> constants;
  std::vector<Enumeration> enumerations;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<ThreadTemplate> templates;
  std::vector<Thread> threads;
  std::optional<Body> final_block;
  std::vector<Property> properties;
  std::vector<Expectation> expectations;
  std::uint32_t spin_loops = 0;      // `while` loops that have become `await`s, by their places in the source
  std::optional<LitmusTest> litmus;  // of a .litmus file: its outcomes are the observed values only
  std::uint32_t locations = 0;       // how many scalars the variables have in all
};

}  // namespace heddle::lang
