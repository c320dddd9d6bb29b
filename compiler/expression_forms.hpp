// Forms of code that analyses of loops recognise. Independent of LLVM.
#pragma once

#include <optional>
#include <span>

#include "lang/tree.hpp"

namespace heddle::compiler {

// Whether the two are the same code, up to its place. Time linear in the trees.
[[nodiscard]] bool same(const lang::Expression& a, const lang::Expression& b);
[[nodiscard]] bool same(const lang::Statement& a, const lang::Statement& b);

// Whether they contain a `return`. Time linear in them.
[[nodiscard]] bool returns(std::span<const lang::Statement> statements);

[[nodiscard]] bool is_literal(const lang::Expression& expression, std::int64_t value);

// `bound relation subject`, for `subject relation bound`.
[[nodiscard]] lang::BinaryOperator mirrored(lang::BinaryOperator relation);
// What holds if the relation does not.
[[nodiscard]] lang::BinaryOperator negated(lang::BinaryOperator relation);
[[nodiscard]] bool holds(lang::BinaryOperator relation, std::int64_t subject, std::int64_t bound);

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
