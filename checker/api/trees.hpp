// Walks over resolved programs, for those who ask about places of the text or change the tree.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/expression_forms.hpp"
#include "lang/tree.hpp"

namespace heddle::trees {

using compiler::known;

// Calls visit(statement, body) for every statement except under conditions that are constantly false, outer
// statements first. `visit` may replace the statement.
template <typename Body, typename List, typename Visit>
void walk(Body& body, List& statements, const Visit& visit) {
  for (auto& statement : statements) {
    visit(statement, body);
    const auto condition =
        statement.kind == lang::StatementKind::if_ || statement.kind == lang::StatementKind::while_
            ? known(statement.expressions[0])
            : std::nullopt;
    if (!condition || *condition != 0) walk(body, statement.body, visit);
    if (!condition || *condition == 0) walk(body, statement.otherwise, visit);
  }
}
template <typename Program, typename Visit>
void walk_threads(Program& program, const Visit& visit) {
  for (auto& function : program.functions) walk(function.body, function.body.statements, visit);
  for (auto& thread : program.templates) walk(thread.body, thread.body.statements, visit);
}

// Whether some thread can come to a statement of this kind, in its own text or in a function that it calls.
[[nodiscard]] bool has(const lang::Program& program, lang::StatementKind kind);

// What threads access in `atomic` and outside. Arrays are one variable.
struct BlockAccesses {
  struct Outside {
    lang::VariableId variable = 0;
    lang::SourceRange range;
  };
  bool only_in_blocks = false;  // there are such accesses, and no others
  std::optional<Outside>
      shared;  // an access outside to a variable that a block accesses, too, if there is one
};
// O(program).
[[nodiscard]] BlockAccesses block_accesses(const lang::Program& program);

template <typename Visit>
void walk_expression(const lang::Expression& expression, const Visit& visit) {
  visit(expression);
  for (const lang::Expression& operand : expression.operands) walk_expression(operand, visit);
}

}  // namespace heddle::trees
