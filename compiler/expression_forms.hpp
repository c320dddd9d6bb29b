// Forms of code that analyses of loops recognise. Independent of LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lang/tree.hpp"

namespace heddle::compiler {

// Whether the two are the same code, up to its place. Time linear in the trees.
[[nodiscard]] bool same(const lang::Expression& a, const lang::Expression& b);
[[nodiscard]] bool same(const lang::Statement& a, const lang::Statement& b);

// How often they read the local. Time linear in them.
[[nodiscard]] std::size_t uses(const lang::Expression& expression, lang::LocalId local);
[[nodiscard]] std::size_t uses(std::span<const lang::Statement> statements, lang::LocalId local);
// Whether they contain a `return`. Time linear in them.
[[nodiscard]] bool returns(std::span<const lang::Statement> statements);
// Whether the statement is a `return` of this constant.
[[nodiscard]] bool gives(const lang::Statement& statement, std::int64_t value);

// `bound relation subject`, for `subject relation bound`.
[[nodiscard]] lang::BinaryOperator mirrored(lang::BinaryOperator relation);
// What holds if the relation does not.
[[nodiscard]] lang::BinaryOperator negated(lang::BinaryOperator relation);
[[nodiscard]] bool holds(lang::BinaryOperator relation, std::int64_t subject, std::int64_t bound);

// The value, if it is constant; `locals`: values of locals that are known, from the first one on. Ignores division and shifts:
// conditions on params that decide about a fence or a loop do without them.
[[nodiscard]] std::optional<std::int64_t> known(const lang::Expression& expression,
                                                std::span<const std::optional<std::int64_t>> locals = {});

// The value of an expression in which nothing happens, if it is constant. (`x && false` looks at `x`.)
[[nodiscard]] std::optional<std::int64_t> constant(const lang::Expression& expression);
// Such an expression, or a local.
[[nodiscard]] bool is_plain_value(const lang::Expression& expression);
// Whether it is known, and a small number can be added to it without wrapping around.
[[nodiscard]] bool is_near(const std::optional<std::int64_t>& value);

// Of an operation on a variable: its index, or nothing.
[[nodiscard]] std::span<const lang::Expression> index_of(const lang::Program& program,
                                                         const lang::Expression& operation);
[[nodiscard]] bool at_same_place(const lang::Program& program, const lang::Expression& a,
                                 const lang::Expression& b);

// Whether it is `fetch_add` or `fetch_sub`.
[[nodiscard]] bool adds(const lang::Expression& expression);

// A condition on one value.
struct Compared {
  const lang::Expression* subject = nullptr;  // an operation, if one of the two sides is one
  lang::BinaryOperator relation = lang::BinaryOperator::not_equal;
  const lang::Expression* bound = nullptr;  // null: 0
};
// `x > 1`, `1 < x`, `!(x <= 1)`; `x`, which is x != 0. Nothing for conditions that are no comparisons. Pointers into the
// condition.
[[nodiscard]] std::optional<Compared> comparison_in(const lang::Expression& condition);

// A comparison with `bound + offset`, in which `<` and `>` do not occur.
struct Passing {
  lang::BinaryOperator relation = lang::BinaryOperator::equal;
  const lang::Expression* bound = nullptr;  // null: 0
  std::int64_t offset = 0;
};
[[nodiscard]] Passing passing(const Compared& compared);
// Whether they are known to hold for the same values.
[[nodiscard]] bool agree(const Passing& a, const Passing& b);
// Whether the statements do nothing, or wait until this is true of the place of the operation.
[[nodiscard]] bool only_wait(const lang::Program& program, std::span<const lang::Statement> statements,
                             const lang::Expression& operation, const Passing& until);

}  // namespace heddle::compiler
