// See trees.hpp.
#include "checker/api/trees.hpp"

#include <vector>

namespace heddle::trees {

using lang::ExpressionKind;

namespace {

// Which variables threads access in blocks and outside.
class AccessesByBlocks {
 public:
  explicit AccessesByBlocks(const lang::Program& program)
      : program_(program), known_(2 * program.functions.size()), accessed_(program.variables.size()) {
    for (const lang::ThreadTemplate& thread : program.templates) statements(thread.body.statements, false);
  }
  [[nodiscard]] BlockAccesses result() const {
    BlockAccesses result;
    bool any_outside = false;
    for (lang::VariableId variable = 0; variable < accessed_.size(); ++variable) {
      const auto& [by_blocks, outside] = accessed_[variable];
      result.only_in_blocks = result.only_in_blocks || by_blocks;
      any_outside = any_outside || outside;
      if (by_blocks && outside && !result.shared) result.shared = {.variable = variable, .range = *outside};
    }
    result.only_in_blocks = result.only_in_blocks && !any_outside;
    return result;
  }

 private:
  struct Accessed {
    bool by_blocks = false;
    std::optional<lang::SourceRange> outside;
  };

  void statements(const std::vector<lang::Statement>& list, bool in_block) {
    using Kind = lang::StatementKind;
    for (const lang::Statement& statement : list) {
      if (statement.kind == Kind::store || statement.kind == Kind::lock || statement.kind == Kind::unlock)
        access(statement.id, statement.range, in_block);
      for (const lang::Expression& expression : statement.expressions) operations(expression, in_block);
      const bool branches = statement.kind == Kind::if_ || statement.kind == Kind::while_;
      const auto condition = branches ? known(statement.expressions[0]) : std::nullopt;
      if (!condition || *condition != 0)
        statements(statement.body, in_block || statement.kind == Kind::atomic);
      if (!condition || *condition == 0) statements(statement.otherwise, in_block);
    }
  }
  void operations(const lang::Expression& expression, bool in_block) {
    using Kind = lang::ExpressionKind;
    walk_expression(expression, [&](const lang::Expression& e) {
      switch (e.kind) {
        case Kind::load:
        case Kind::cas:
        case Kind::exchange:
        case Kind::fetch:
        case Kind::try_lock: access(e.id, e.range, in_block); break;
        case Kind::call: {
          auto&& known = known_[2 * e.id + (in_block ? 1 : 0)];
          if (known) break;
          known = true;
          statements(program_.functions[e.id].body.statements, in_block);
          break;
        }
        default: break;
      }
    });
  }
  // (What `spawn` writes in a block, and the end of a thread, tells others nothing of the block's other variables.)
  void access(lang::VariableId variable, const lang::SourceRange& range, bool in_block) {
    if (in_block && !program_.variables[variable].is_hidden) {
      accessed_[variable].by_blocks = true;
    } else if (!in_block && !accessed_[variable].outside) {
      accessed_[variable].outside = range;
    }
  }

  const lang::Program& program_;
  std::vector<bool> known_;  // by function, twice: its accesses outside of blocks, and in them
  std::vector<Accessed> accessed_;
};

}  // namespace

BlockAccesses block_accesses(const lang::Program& program) { return AccessesByBlocks(program).result(); }

bool has(const lang::Program& program, lang::StatementKind kind) {
  std::vector<bool> known(program.functions.size());
  std::vector<const lang::Body*> open;
  for (const lang::ThreadTemplate& thread : program.templates) open.push_back(&thread.body);
  bool found = false;
  while (!open.empty() && !found) {
    const lang::Body& next = *open.back();
    open.pop_back();
    walk(next, next.statements, [&](const lang::Statement& statement, const lang::Body&) {
      found = found || statement.kind == kind;
      for (const lang::Expression& expression : statement.expressions) {
        walk_expression(expression, [&](const lang::Expression& e) {
          if (e.kind != lang::ExpressionKind::call || known[e.id]) return;
          known[e.id] = true;
          open.push_back(&program.functions[e.id].body);
        });
      }
    });
  }
  return found;
}

}  // namespace heddle::trees
