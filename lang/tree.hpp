// The resolved program: what the front ends produce and the compiler reads.
//
// `parse_program` (lang/frontend.hpp) turns text into this tree. All names are resolved, all expressions
// typed, all sizes and ranges are numbers. The compiler needs nothing else, and nothing here depends on it.
// Functions remain functions: the compiler inlines a call by generating the body again. There is no
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

// Values are 64-bit integers at run time; a boolean is 0 or 1. Types from `first_enumeration` up are the
// program's enumerations, in order; their values count from 0.
enum class Type : std::uint32_t { none, integer, boolean, first_enumeration };

enum class FenceKind : std::uint8_t { full, lightweight, store_store, instruction };

enum class UnaryOperator : std::uint8_t { negate, complement, logical_not };

// Arithmetic wraps; shift amounts are taken modulo 64, `>>` keeps the sign; division and remainder truncate.
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
// `fetch_add` for `+`, ...; nothing if there is none.
[[nodiscard]] std::optional<FetchOperator> fetch_with(BinaryOperator op);

using LocalId = std::uint32_t;     // index into Body::locals of the enclosing body
using VariableId = std::uint32_t;  // index into Program::variables
using FunctionId = std::uint32_t;  // index into Program::functions
using ThreadId = std::uint32_t;    // index into Program::threads

enum class ExpressionKind : std::uint8_t {
  literal,        // value
  local,          // id: LocalId; operands: [index] for elements of arrays. Without index, an array is the
                  // argument of a reference parameter
  load,           // id: VariableId; operands: [index] for arrays. One visible operation.
  unary,          // unary; operands: [operand]
  binary,         // binary; operands: [left, right]
  logical_and,    // operands: [left, right]; right is evaluated only if left is true
  logical_or,     // operands: [left, right]; right is evaluated only if left is false
  conditional,    // operands: [condition, then, else]; only one of the two is evaluated
  call,           // id: FunctionId; operands: arguments, left to right
  cas,            // id: VariableId; operands: [index?, expected, desired]; value: true on success
  exchange,       // id: VariableId; operands: [index?, desired]; value: the old value
  fetch,          // fetch; id: VariableId; operands: [index?, operand]; value: the old value
  try_lock,       // id: VariableId (a mutex); operands: [index?]; value: true on success
  choose,         // operands: [low, high]; value: any of low..high (half open)
  thread_local_,  // conditions only: thread: ThreadId, id: LocalId of that thread's template; operands: as
                  // local
  bounded,        // operands: [index]; value: the index, which must be in 0 .. value - 1
  let,  // id: LocalId; operands: [value, body]; the value of `body`, in which the local has the value. With
        // a first operand of type none: it is evaluated after `value` locals from `id` on have become 0
};

// Conditions may also be integer expressions in the source; the front end wraps these into `!= 0`.
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
[[nodiscard]] Expression literal(Type type, std::int64_t value, const SourceRange& range);

enum class StatementKind : std::uint8_t {
  block,    // body
  declare,  // id: LocalId; expressions: [value]; of an array: one value for all elements, or one for each
  assign,   // id: LocalId; expressions: [index?, value]
  store,    // id: VariableId; expressions: [index?, value]. `compound`: index, load, value, operator, store
  if_,      // expressions: [condition]; body, otherwise
  while_,   // expressions: [condition]; body. After Options::unroll rounds: op loop_bound
  for_,     // id: LocalId, runs from expressions[0] to below expressions[1], both evaluated once; body
  break_,
  continue_,
  return_,   // expressions: [value] or none
  evaluate,  // expressions: [expression]; its value is discarded
  fence,     // fence
  lock,      // id: VariableId (a mutex); expressions: [index?]
  unlock,    // same
  assert_,   // expressions: [condition]; text: the message, empty if none was given
  assume,    // expressions: [condition]
  await,  // expressions: [condition]. If `gives`: [value]; declares the local `id`, which has the value in the end
  either,  // expressions: [choose]; body: a block for each alternative, of which the choice is the number; or one
           // block for all, in which the local `id` is the choice: its operands are literals or locals then
  atomic,    // body: one indivisible step. Only its first statement may wait, as an `await`
  progress,  // no operation: a thread that comes here again and again does not starve
  // In the outermost block of a thread: after each later visible operation, if the condition holds, the thread
  // continues from here, and locals declared later are 0. Without expressions: its end, another such point.
  restart,  // expressions: [condition] or none; id: how many locals are declared before it
};

struct Statement {
  StatementKind kind = StatementKind::block;
  FenceKind fence = FenceKind::full;
  std::optional<BinaryOperator> compound;
  bool gives = false;
  std::uint32_t id = 0;
  std::vector<Expression> expressions;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  std::string text;
  SourceRange range;  // without the semicolon; for `if`, `while` and `for`: the head, up to the body
};

// Whether it is a statement of the text that does something itself.
[[nodiscard]] inline bool is_written(const Statement& statement) {
  const bool at_end = statement.kind == StatementKind::restart && statement.expressions.empty();
  return statement.kind != StatementKind::block && !at_end;
}

// How to name the elements of an array that is part of a larger object. With the parts "pool", ".slots" and
// "" and the lengths 2 and 4, element 5 is "pool[1].slots[1]".
struct ElementNames {
  std::vector<std::string> parts;  // one more than lengths; empty: the plain name and one index
  std::vector<std::uint32_t> lengths;
};

struct Local {
  std::string name;
  Type type = Type::integer;
  bool top_level = false;  // declared in the outermost block of a thread: conditions can name it
  SourceRange range;       // here and in all named declarations below: the range of the name
  bool is_array = false;
  std::uint32_t length = 1;  // number of elements; 1 for a scalar
  // A parameter that is an alias for a local of the caller: the argument is an expression `local` without
  // index.
  bool by_reference = false;
  ElementNames elements;
};

// Code with the locals it declares, including those of nested blocks; parameters come first.
struct Body {
  std::vector<Local> locals;
  std::vector<Statement> statements;
};

// A shared variable or mutex. Its elements are the locations first_location .. first_location + size() - 1.
struct Variable {
  std::string name;
  Type type = Type::integer;
  bool is_mutex = false;
  bool is_plain = false;   // unordered conflicting accesses are data races
  bool is_hidden = false;  // of `spawn` and `join`, which the text does not name
  bool is_array = false;
  std::uint32_t length = 1;  // number of elements; 1 for a scalar
  std::uint32_t first_location = 0;
  std::vector<std::int64_t> initial;  // `length` values
  SourceRange range;
  ElementNames elements;
};

// "x" or "flag[1]": the name of one element of a variable or local. O(length of the name).
[[nodiscard]] std::string element_name(const std::string& name, bool is_array, const ElementNames& elements,
                                       std::uint32_t element);

struct Function {
  std::string name;
  std::uint32_t parameters = 0;  // the first `parameters` locals of the body
  std::uint32_t results = 0;     // the first of these that are the scalars of a struct that it returns
  // Falling off the end would return 0 / false; the front end rejects functions with a result that could.
  Type result = Type::none;
  Body body;
  SourceRange range;
};

// `thread p { }` has no parameter; `thread p[i: 0..N] { }` has one, local 0 of its body.
struct ThreadTemplate {
  std::string name;
  bool is_family = false;
  bool is_daemon = false;  // its threads may wait for ever
  Body body;
  SourceRange range;
};

// One thread of the program, in the order of the source.
struct Thread {
  std::string name;  // "p", or "p[2]" for a member of a family
  std::uint32_t thread_template = 0;
  std::int64_t argument = 0;
};

// States that violate a `filter` are ignored: by all other properties and in the outcomes. An `invariant` is
// about every reachable state, `eventually` and `leads_to` about the fair runs, the others about final states.
enum class PropertyKind : std::uint8_t { exists, forall, forbid, filter, invariant, eventually, leads_to };

// Whether it is about runs that may never end.
[[nodiscard]] constexpr bool is_temporal(PropertyKind kind) { return kind >= PropertyKind::eventually; }

// A condition over states: locations are read from memory without a visible operation.
struct Property {
  PropertyKind kind = PropertyKind::exists;
  Expression condition;
  SourceRange range;
  Expression goal = {};  // of `leads_to`: what follows the condition
};

enum class ExpectedOutcome : std::uint8_t {
  safe,
  safe_within_bounds,
  vacuous,
  violation,
  deadlock,
  race,
  never,
  sometimes,
  always,
  executions,
  outcomes,
  terminates,
  livelock,
  starves
};

// `expect sc, tso by dpor with N=3: violation "text";`: makes the file its own regression test.
struct Expectation {
  std::vector<std::string> models;
  std::vector<std::string> algorithms;  // empty: the caller chooses
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  ExpectedOutcome outcome = ExpectedOutcome::safe;
  std::string text;         // violation, starves: must occur in the message; may be empty
  std::uint64_t count = 0;  // executions, outcomes
  SourceRange range;
};

struct Parameter {
  std::string name;
  std::int64_t value = 0;  // after overriding
  std::int64_t default_value = 0;
  SourceRange range;
};

// Kept for users who ask for its value; in the tree, constants are already numbers.
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

// One value observed by a litmus test: a location, or a local of a thread.
struct Observation {
  std::string name;                // as written in the test: "[x]", "0:r1"
  std::optional<ThreadId> thread;  // set if it is a local
  std::uint32_t id = 0;            // VariableId or LocalId
  std::uint32_t index = 0;         // the element, for a variable
};

enum class LitmusKind : std::uint8_t { none, exists, not_exists, forall };

// What a .litmus file says about its test.
struct LitmusTest {
  std::string name;
  LitmusKind kind = LitmusKind::none;
  SourceRange condition;  // including its quantifier; empty for `none`
  std::vector<Observation> observed;
  // The numbers that represent addresses, with the locations they are the addresses of.
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
  std::uint32_t spin_loops = 0;  // `while` loops turned into `await`s, counted by source position
  // set for .litmus files: their outcomes consist of the observed values only
  std::optional<LitmusTest> litmus;
  std::uint32_t locations = 0;  // total number of scalars in all variables
};

}  // namespace heddle::lang
