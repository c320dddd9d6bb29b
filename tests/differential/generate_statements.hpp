// Random statements, the middle layer of the generator: see generate.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include "generate_expressions.hpp"

namespace heddle::differential {

// A statement of that kind with the expression as its only operand.
[[nodiscard]] Statement condition(Statement::Kind kind, Expression expression);

class Statements {
 public:
  // All arguments must outlive the object.
  Statements(Random& random, const Profile& profile, Scope& scope, Expressions& expressions)
      : random_(random), profile_(profile), scope_(scope), expressions_(expressions) {}

  // The body of a new thread with about `budget` visible operations.
  Block thread(bool in_family, std::int64_t budget);
  Statement store();

 private:
  Block block(int depth);
  Statement::Kind pick_kind(int depth);
  void add_statement(Block& result, int depth);
  void add_repeat(Statement& s, int depth);
  std::pair<Statement, Statement> lock_and_unlock();
  void add_critical_section(Block& result, int depth);
  void add_wait(Block& result, int depth);
  void add_signal(Block& result, Statement signal, int depth);
  void add_try_lock(Block& result, int depth);
  std::int64_t new_target(int depth);

  Random& random_;
  const Profile& profile_;
  Scope& scope_;
  Expressions& expressions_;
  std::int64_t next_local_ = 0;
  std::int64_t budget_ = 0;  // visible operations left for this thread
};

}  // namespace heddle::differential
