#include "shrink.hpp"

#include <utility>

namespace heddle::differential {

namespace {

using Of = Expression::Kind;
using Difference = std::ptrdiff_t;

Expression constant(Of kind, std::int64_t value) {
  Expression expression;
  expression.kind = kind;
  expression.value = value;
  return expression;
}

// All programs that result from one simplification of this one, starting with those that remove most.
class Simplifications {
 public:
  explicit Simplifications(const RandomProgram& program) : program_(program) {
    whole_parts();
    statements();
    values();
  }
  [[nodiscard]] std::vector<RandomProgram> take() { return std::move(list_); }

 private:
  RandomProgram& copy() { return list_.emplace_back(program_); }

  void whole_parts() {
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      RandomProgram& smaller = copy();
      const std::string name = smaller.threads[t].name();
      smaller.threads.erase(smaller.threads.begin() + static_cast<Difference>(t));
      for (auto& thread : smaller.threads)
        std::erase_if(thread.body, [&](const Statement& s) {
          return (s.kind == Statement::Kind::spawn || s.kind == Statement::Kind::join) && s.word == name;
        });
    }
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (program_.threads[t].copies > 1) --copy().threads[t].copies;
    }
    for (std::size_t c = 0; c < program_.conditions.size(); ++c) {
      auto& conditions = copy().conditions;
      conditions.erase(conditions.begin() + static_cast<Difference>(c));
    }
    if (program_.initial != 0) copy().initial = 0;
  }

  // Removes each statement, or replaces it by its contents.
  void statements() {
    RandomProgram original = program_;
    const auto all = blocks(original);
    for (std::size_t b = 0; b < all.size(); ++b) {
      for (std::size_t i = 0; i < all[b]->size(); ++i) {
        const auto edit = [&](const Block& replacement) {
          Block& block = *blocks(copy())[b];
          const auto place = block.erase(block.begin() + static_cast<Difference>(i));
          block.insert(place, replacement.begin(), replacement.end());
        };
        const Statement& s = (*all[b])[i];
        edit({});
        if (!s.body.empty()) edit(s.body);
        if (!s.otherwise.empty()) {
          edit(s.otherwise);
          (*blocks(copy())[b])[i].otherwise.clear();
        }
        if (s.bound > 1) --(*blocks(copy())[b])[i].bound;
      }
    }
  }

  // Replaces each expression by an operand or a constant, and constants by smaller ones.
  void values() {
    RandomProgram original = program_;
    const auto all = expressions(original);
    for (std::size_t e = 0; e < all.size(); ++e) {
      const Expression& old = *all[e];
      const auto edit = [&](const Expression& replacement) { *expressions(copy())[e] = replacement; };
      for (const auto& operand : old.operands) {
        if (operand.boolean() == old.boolean()) edit(operand);
      }
      if (old.kind == Of::truth) continue;
      if (old.kind == Of::constant) {
        if (old.value != 0) edit(constant(Of::constant, 0));
        if (old.value > 1) edit(constant(Of::constant, old.value - 1));
      } else if (old.boolean()) {
        edit(constant(Of::truth, 1));
        edit(constant(Of::truth, 0));
      } else {
        edit(constant(Of::constant, 0));
        edit(constant(Of::constant, 1));
      }
    }
  }

  const RandomProgram& program_;
  std::vector<RandomProgram> list_;
};

}  // namespace

RandomProgram shrink(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    auto candidates = Simplifications(program).take();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!fails(candidates[i])) continue;
      // Continue at about the same position in the smaller program's list.
      program = std::move(candidates[i]);
      candidates = Simplifications(program).take();
      smaller = true;
      if (i > 0) --i;
    }
  }
  return program;
}

}  // namespace heddle::differential
