// Random programs for the differential tests: a program as data, and its text.
//
// The data structure is the language's core with just enough shape to be generated (generate.hpp) and taken
// apart again (shrink.hpp). Every value of it prints as a program; most of them compile. Locals are ints,
// numbered per thread and declared at the top level of their thread, so that outcomes contain them. Only what
// is used is declared.
//
// Shared variables are known by their names: x, y and z are numbers, `a` is an array of two, "s.f" and "s.g"
// are fields of a struct, "t.f" and "t.g" with an index those of an array of two structs, and `e` is of an
// enum with three values, which stands for 0, 1 and 2 wherever a number is wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::differential {

struct Expression {
  enum class Kind : std::uint8_t {
    constant,     // value
    truth,        // value, as a bool
    local,        // local number `value` of the thread
    argument,     // the thread's index in its family
    load,         // shared variable `name`, operands: its index if it is an array; of `e`: is it `value`?
    element,      // of the thread's own array of two, operands: its index
    member,       // in conditions only: the local `name` of a thread, "p0.r1"
    negation,     // !operand
    binary,       // operands with the operator `name` between them
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
    keep,      // place = operand, with an element of the thread's own array
    cas,       // target = cas(place, operand, operand) ? 1 : 0
    exchange,  // target = exchange(place, operand)
    fetch,     // target = fetch_word(place, operand)
    call,      // target = word(place, operand), a function that has the place by reference
    update,    // the same with the target itself by reference
    fence,     // fence word
    lock,      // of the mutex `word`
    unlock,
    wait,       // for the condition variable that belongs to the mutex `word`
    signal,     // of that condition variable
    broadcast,  // the same
    spawn,      // `bound` times the proc `word`, with the operand
    join,       // of the threads of the proc `word`
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
  std::int64_t number = 0;  // its name is "p" and this
  bool proc = false;        // begins when it is spawned, and only then
  std::int64_t copies = 1;  // more than 1: a family; of a proc: how many are spawned
  Block body;
  [[nodiscard]] std::string name() const { return "p" + std::to_string(number); }
  // Does the body know its index in the family, or what it was spawned with?
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

// The program without assertions, `final` block and conditions. What can be violated then are deadlocks,
// which other violations may hide since a check reports only the first one.
[[nodiscard]] RandomProgram without_checks(RandomProgram program);

// How many visible operations a part of a program can do at most. Stores are counted apart, since they can
// wait in store buffers.
struct Operations {
  std::int64_t stores = 0;
  std::int64_t others = 0;
  [[nodiscard]] std::int64_t all() const { return stores + others; }
};
// With `spins` rounds of each `spin`. What a thread does to be spawned and joined counts for `Thread`.
[[nodiscard]] Operations visible_operations(const Block& block, std::int64_t spins);
[[nodiscard]] Operations visible_operations(const Thread& thread, std::int64_t spins);

// How often the program spawns the proc of that name.
[[nodiscard]] std::int64_t spawned(const RandomProgram& program, const std::string& name);

// How many locals the body of a thread has: the largest number that is assigned, plus one.
[[nodiscard]] std::int64_t locals(const Block& body);

// All blocks and all expressions of the program, outermost first, in an order that only depends on its shape.
[[nodiscard]] std::vector<Block*> blocks(RandomProgram& program);
[[nodiscard]] std::vector<Expression*> expressions(RandomProgram& program);

}  // namespace heddle::differential
