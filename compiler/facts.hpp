// What the generator asks about a resolved program before it writes code. Knows nothing of LLVM.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::compiler {

// Most rounds of a `for` loop before op round_limit.
inline constexpr std::int64_t for_rounds = 1'000'000;

// Numbers about a piece of code with all that it calls. They saturate instead of overflowing.
struct Size {
  std::uint64_t operations = 0;  // visible operations in the text once calls are inlined
  std::uint64_t nodes = 0;       // statements and expressions in it
  std::uint64_t rounds = 0;      // upper bound of the loop rounds of one run through it
};

// Facts about every body of a program, gathered once in time linear in the tree. Refers to the program.
class Facts {
 public:
  // `unroll`: most rounds of a `while`.
  Facts(const lang::Program& program, std::uint32_t unroll);

  // Can evaluating the expression suspend the thread and go on afterwards? O(size of the expression).
  [[nodiscard]] bool suspends(const lang::Expression& expression) const;
  // The same for a thread that runs ahead of its loads: can it ask for their values on the way?
  [[nodiscard]] bool may_wait(const lang::Expression& expression) const;
  [[nodiscard]] bool any_suspends(std::span<const lang::Expression> expressions) const;

  // Is the expression one that may be evaluated later, or twice, instead of now? True for what reads locals
  // only and cannot fail. `constant_locals`: and that none of these locals is ever assigned after its
  // declaration.
  [[nodiscard]] bool repeatable(const lang::Body& body, const lang::Expression& expression,
                                bool constant_locals) const;

  // May the expression be evaluated though its value is not needed: without a visible operation, a violation
  // or a loop bound on the way, or anything assigned? O(size of the expression).
  [[nodiscard]] bool silent(const lang::Body& body, const lang::Expression& expression) const;

  // Is the local assigned after its declaration?
  [[nodiscard]] bool assigned(const lang::Body& body, lang::LocalId local) const;

  [[nodiscard]] Size size(const lang::Body& body) const;

 private:
  struct Call {
    lang::FunctionId callee;
    std::uint64_t times;  // rounds of the loops around it
  };
  struct BodyFacts {
    std::vector<bool> assigned;
    std::vector<bool> aliased;  // has another name in a function that is called, or is such a name itself
    std::vector<Call> calls;
    Size own;            // without calls
    Size total;          // with calls
    bool silent = true;  // a call of it, with silent arguments: see silent()
    bool complete = false;
  };

  void collect(const lang::Body& body);
  void collect(const lang::Body& body, std::span<const lang::Statement> statements, std::uint64_t times,
               BodyFacts& facts);
  void collect(const lang::Body& body, const lang::Expression& expression, std::uint64_t times,
               BodyFacts& facts);
  void complete(const lang::Body& body);

  const lang::Program& program_;
  std::uint32_t unroll_;
  std::unordered_map<const lang::Body*, BodyFacts> bodies_;
};

}  // namespace heddle::compiler
