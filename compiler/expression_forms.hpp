// Forms of code that analyses of loops recognise. Independent of LLVM.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lang/tree.hpp"

namespace heddle::compiler {

// Whether the two are the same code, up to its place. Time linear in the trees.
[[nodiscard]] bool same(const lang::Expression& a, const lang::Expression& b);
[[nodiscard]] bool same(const lang::Statement& a, const lang::Statement& b);

// Whether they contain a `return`. Time linear in them.
[[nodiscard]] bool returns(std::span<const lang::Statement> statements);

// `bound relation subject`, for `subject relation bound`.
[[nodiscard]] lang::BinaryOperator mirrored(lang::BinaryOperator relation);
// What holds if the relation does not.
[[nodiscard]] lang::BinaryOperator negated(lang::BinaryOperator relation);
[[nodiscard]] bool holds(lang::BinaryOperator relation, std::int64_t subject, std::int64_t bound);

// The value, if it is constant; `locals`: values of locals that are known, from the first one on. Ignores division and shifts:
// conditions on params that decide about a fence or a loop do without them.
[[nodiscard]] std::optional<std::int64_t> known(const lang::Expression& expression,
                                                std::span<const std::optional<std::int64_t>> locals = {});

// A condition on one value.
struct Compared {
  const lang::Expression* subject = nullptr;  // an operation, if one of the two sides is one
  lang::BinaryOperator relation = lang::BinaryOperator::not_equal;
  const lang::Expression* bound = nullptr;  // null: 0
};
// `x > 1`, `1 < x`, `!(x <= 1)`; `x`, which is x != 0. Nothing for conditions that are no comparisons. Pointers into the
// condition.
[[nodiscard]] std::optional<Compared> comparison_in(const lang::Expression& condition);

}  // namespace heddle::compiler
