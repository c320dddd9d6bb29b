#include "compiler/coverage.hpp"

namespace heddle::compiler {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

CoveragePoints::CoveragePoints(const lang::Program& program, SiteTable& sites) : sites_(sites) {
  for (const lang::Function& function : program.functions) add(function.body.statements);
  for (const lang::ThreadTemplate& thread : program.templates) add(thread.body.statements);
  if (program.final_block) add(program.final_block->statements);
}

void CoveragePoints::add(std::span<const Statement> statements) {
  for (const Statement& statement : statements) add(statement);
}

void CoveragePoints::add(const Statement& statement) {
  if (lang::is_written(statement)) {
    const bool assertion = statement.kind == StatementKind::assert_;
    first_[&statement] = static_cast<std::uint32_t>(points_.size());
    points_.push_back({.kind = assertion ? PointKind::assertion : PointKind::statement,
                       .site = sites_.at(statement.range, statement.text)});
  }
  if (statement.kind == StatementKind::if_) add_arms(statement.range, "then", "else");
  if (statement.kind == StatementKind::while_ || statement.kind == StatementKind::for_)
    add_arms(statement.range, "round", "leave");
  for (const Expression& expression : statement.expressions) add(expression);
  add(statement.body);
  add(statement.otherwise);
}

void CoveragePoints::add(const Expression& expression) {
  if (expression.kind == ExpressionKind::conditional) {
    first_[&expression] = static_cast<std::uint32_t>(points_.size());
    add_arms(expression.range, "then", "else");
  }
  for (const Expression& operand : expression.operands) add(operand);
}

void CoveragePoints::add_arms(const lang::SourceRange& range, std::string_view yes, std::string_view no) {
  const std::uint32_t site = sites_.at(range);
  points_.push_back({.kind = PointKind::branch, .arm = yes, .site = site});
  points_.push_back({.kind = PointKind::branch, .arm = no, .site = site});
}

}  // namespace heddle::compiler
