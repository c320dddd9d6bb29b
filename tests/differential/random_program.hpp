// Random programs for the differential tests: a program as data, and its text.
//
// This is the language's core with just enough structure to be generated (generate.hpp) and shrunk
// (shrink.hpp). Every value prints as a program; most of these compile. Locals are ints, numbered per thread
// and declared at the top level of their thread, so that outcomes contain them. Only what is used is
// declared.
//
// Shared variables are identified by name: x, y and z are ints, `a` is an array of two elements, "s.f" and
// "s.g" are fields of a struct, "t.f" and "t.g" with an index are fields of an array of two structs, and `e`
// is of an enum with three values, which represent 0, 1 and 2 wherever an int is needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::differential {

struct Expression {
  enum class Kind : std::uint8_t {
    constant,  // value
    truth,     // value, as a bool
    local,     // local number `value` of the thread
    argument,  // the thread's index in its family
    // shared variable `name`, operands: its index if it is an array; for `e`: whether it equals `value`
    load,
    element,      // of the thread's own array of two elements, operands: its index
    member,       // in conditions only: the local `name` of a thread, "p0.r1"
    negation,     // !operand
    binary,       // operands joined by the operator `name`
    conditional,  // operand ? operand : operand
  };
  Kind kind = Kind::constant;
  std::int64_t value = 0;
  std::string name;
  std::vector<Expression> operands;

  [[nodiscard]] bool boolean() const;
  bool operator==(const Expression&) const = default;
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,    // target = operand
    store,     // place = operand
    compound,  // place word operand, with word "+="
    keep,      // place = operand, where place is an element of the thread's own array
    cas,       // target = cas(place, operand, operand) ? 1 : 0
    exchange,  // target = exchange(place, operand)
    fetch,     // target = fetch_word(place, operand)
    call,      // target = word(place, operand), a function that takes the place by reference
    update,    // the same with the target itself by reference
    fence,     // fence word
    lock,      // of the mutex `word`
    unlock,
    wait,       // on the condition variable of the mutex `word`
    signal,     // of the condition variable of the mutex `word`
    broadcast,  // the same
    spawn,      // the proc `word`, `bound` times, with the operand
    join,       // all threads of the proc `word`
    try_lock,   // target = trylock word ? 1 : 0
    choose,     // target = choose(0..bound); word "E": any value of the enum
    assume,
    await,
    assertion,
    branch,  // if operand body else otherwise
    repeat,  // body `bound` times, counted in target
    spin,    // while operand body
    leave,   // break
  };
  Kind kind = Kind::assign;
  std::int64_t target = 0;  // number of a local
  Expression place;         // a load, or an element
  std::string word;
  std::int64_t bound = 0;
  std::vector<Expression> operands;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;

  [[nodiscard]] bool has_target() const;
  [[nodiscard]] bool has_place() const;
};

using Block = std::vector<Statement>;

struct Thread {
  std::int64_t number = 0;  // its name is "p" and this number
  bool proc = false;        // begins only when it is spawned
  std::int64_t copies = 1;  // more than 1: a family; for a proc: how many are spawned
  Block body;
  [[nodiscard]] std::string name() const { return "p" + std::to_string(number); }
  // Whether the body knows its index in the family, or the argument it was spawned with.
  [[nodiscard]] bool has_argument() const { return proc || copies > 1; }
};

struct Condition {
  std::string kind;  // exists, forall, forbid
  Expression expression;
};

struct RandomProgram {
  std::int64_t initial = 0;  // of every shared variable
  std::vector<Thread> threads;
  Block final_block;
  std::vector<Condition> conditions;
};

inline constexpr const char* array_name = "a";
inline constexpr const char* enum_name = "e";

[[nodiscard]] std::string print(const Expression& expression, bool in_family = false);
// The program as Heddle source text. O(size).
[[nodiscard]] std::string print(const RandomProgram& program);

// The program without assertions, `final` block and conditions. It can still deadlock: a check reports only
// the first violation, which may hide deadlocks.
[[nodiscard]] RandomProgram without_checks(RandomProgram program);

// The maximal number of visible operations that a part of a program can execute. Stores are counted
// separately, since they can wait in store buffers.
struct Operations {
  std::int64_t stores = 0;
  std::int64_t others = 0;
  [[nodiscard]] std::int64_t all() const { return stores + others; }
};
// With `spins` rounds of each `spin`. For a `Thread`, includes the operations of being spawned and joined.
[[nodiscard]] Operations visible_operations(const Block& block, std::int64_t spins);
[[nodiscard]] Operations visible_operations(const Thread& thread, std::int64_t spins);

// How often the program spawns this proc.
[[nodiscard]] std::int64_t spawned(const RandomProgram& program, const std::string& name);

// The number of locals of a thread's body: the largest number assigned, plus one.
[[nodiscard]] std::int64_t locals(const Block& body);

// All blocks and all expressions of the program, outermost first, in an order determined by its shape.
[[nodiscard]] std::vector<Block*> blocks(RandomProgram& program);
[[nodiscard]] std::vector<Expression*> expressions(RandomProgram& program);

}  // namespace heddle::differential
