// Properties of a resolved program that the generator needs. Independent of LLVM.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::compiler {

// Maximal number of rounds of a `for` loop before op round_limit.
inline constexpr std::int64_t for_rounds = 1'000'000;

// Counts for a piece of code including its callees. They saturate instead of overflowing.
struct Size {
  std::uint64_t operations = 0;  // visible operations after inlining
  std::uint64_t nodes = 0;       // statements and expressions after inlining
  std::uint64_t rounds = 0;      // upper bound on the loop rounds of one execution
};

// Properties of every body of a program, computed once in time linear in the tree. Keeps a reference to the
// program.
class Facts {
 public:
  // `unroll`: maximal number of rounds of a `while`.
  Facts(const lang::Program& program, std::uint32_t unroll);

  // Whether evaluating the expression can suspend the thread and resume it. O(size of the expression).
  [[nodiscard]] bool suspends(const lang::Expression& expression) const;
  // The same for a thread that runs ahead of its loads: whether evaluating the expression can ask for the
  // values of loads.
  [[nodiscard]] bool may_wait(const lang::Expression& expression) const;
  [[nodiscard]] bool any_suspends(std::span<const lang::Expression> expressions) const;

  // Whether the expression can be evaluated later, or twice, with the same result: true if it only reads
  // locals and cannot fail. `constant_locals`: true only if, in addition, these locals are never assigned
  // after their declaration.
  [[nodiscard]] bool repeatable(const lang::Body& body, const lang::Expression& expression,
                                bool constant_locals) const;

  // Whether the expression can be evaluated although its value is not needed: it has no visible operation,
  // violation, loop bound or assignment. O(size of the expression).
  [[nodiscard]] bool silent(const lang::Body& body, const lang::Expression& expression) const;

  // Whether the local is assigned after its declaration.
  [[nodiscard]] bool assigned(const lang::Body& body, lang::LocalId local) const;
  // Whether some expression names the local.
  [[nodiscard]] bool used(const lang::Body& body, lang::LocalId local) const;

  [[nodiscard]] Size size(const lang::Body& body) const;

 private:
  struct Call {
    lang::FunctionId callee;
    std::uint64_t times;  // rounds of the enclosing loops
  };
  struct BodyFacts {
    std::vector<bool> assigned;
    std::vector<bool> aliased;  // the local is passed by reference to a callee, or is itself a reference
    std::vector<bool> used;
    std::vector<Call> calls;
    std::vector<const lang::Expression*> restarts;  // conditions, which are evaluated before each operation
    Size own;                                       // without callees
    Size total;                                     // with callees
    bool silent = true;  // whether a call with silent arguments is silent, see silent()
    bool complete = false;
  };

  void collect(const lang::Body& body);
  void collect(const lang::Body& body, std::span<const lang::Statement> statements, std::uint64_t times,
               BodyFacts& facts);
  void collect(const lang::Body& body, const lang::Expression& expression, std::uint64_t times,
               BodyFacts& facts);
  void complete(const lang::Body& body);
  [[nodiscard]] Size size(const lang::Expression& expression) const;  // its callees must be complete

  const lang::Program& program_;
  std::uint32_t unroll_;
  std::unordered_map<const lang::Body*, BodyFacts> bodies_;
};

}  // namespace heddle::compiler
