#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::differential {

namespace {

using Of = Expression::Kind;
using Do = Statement::Kind;

std::int64_t loads(const Expression& expression) {
  std::int64_t count = expression.kind == Of::load ? 1 : 0;
  for (const auto& operand : expression.operands) count += loads(operand);
  return count;
}

// The stores of the statement itself, without nested statements.
std::int64_t own_stores(const Statement& s) {
  switch (s.kind) {
    case Do::store:
    case Do::compound:
    case Do::call: return 1;
    case Do::spawn: return s.bound;
    default: return 0;
  }
}

std::int64_t own_others(const Statement& s) {
  switch (s.kind) {
    case Do::compound:
    case Do::cas:
    case Do::exchange:
    case Do::fetch:
    case Do::lock:
    case Do::unlock:
    case Do::try_lock:
    case Do::join: return 1;
    case Do::call:
    case Do::signal:
    case Do::broadcast: return 2;
    case Do::wait: return 3;
    case Do::spawn: return s.bound;
    default: return 0;
  }
}

void add_expressions(Expression& expression, std::vector<Expression*>& list) {
  list.push_back(&expression);
  for (auto& operand : expression.operands) add_expressions(operand, list);
}

void add_expressions(Block& block, std::vector<Expression*>& list) {
  for (auto& s : block) {
    // The place must remain a place; its index may change.
    for (auto& index : s.place.operands) add_expressions(index, list);
    for (auto& operand : s.operands) add_expressions(operand, list);
    add_expressions(s.body, list);
    add_expressions(s.otherwise, list);
  }
}

void add_blocks(Block& block, std::vector<Block*>& list) {
  list.push_back(&block);
  for (auto& s : block) {
    if (!s.body.empty()) add_blocks(s.body, list);
    if (!s.otherwise.empty()) add_blocks(s.otherwise, list);
  }
}

}  // namespace

bool Expression::boolean() const {
  static constexpr std::array<std::string_view, 8> comparisons{"==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  return kind == Of::truth || kind == Of::negation ||
         (kind == Of::binary && std::find(comparisons.begin(), comparisons.end(), name) != comparisons.end());
}

bool Statement::has_target() const {
  return kind == Do::assign || kind == Do::cas || kind == Do::exchange || kind == Do::fetch ||
         kind == Do::call || kind == Do::update || kind == Do::try_lock || kind == Do::choose ||
         kind == Do::repeat;
}

bool Statement::has_place() const {
  return kind == Do::store || kind == Do::compound || kind == Do::keep || kind == Do::cas ||
         kind == Do::exchange || kind == Do::fetch || kind == Do::call;
}

Operations visible_operations(const Block& block, std::int64_t spins) {
  Operations sum;
  for (const auto& s : block) {
    const auto rounds = s.kind == Do::repeat ? s.bound : s.kind == Do::spin ? spins : 1;
    const auto body = visible_operations(s.body, spins);
    const auto otherwise = visible_operations(s.otherwise, spins);
    const auto& larger = body.all() < otherwise.all() ? otherwise : body;
    std::int64_t own = 0;
    for (const auto& operand : s.operands) own += loads(operand);
    for (const auto& index : s.place.operands) own += loads(index);
    sum.stores += rounds * larger.stores;
    sum.others += rounds * (own + larger.others);
    sum.stores += own_stores(s);
    sum.others += own_others(s);
  }
  return sum;
}

Operations visible_operations(const Thread& thread, std::int64_t spins) {
  auto operations = visible_operations(thread.body, spins);
  if (thread.proc) operations.others += 3;  // its start, its argument, its end
  return operations;
}

std::int64_t spawned(const RandomProgram& program, const std::string& name) {
  std::int64_t count = 0;
  for (const auto& thread : program.threads) {
    for (const auto& s : thread.body) {
      if (s.kind == Do::spawn && s.word == name) count += s.bound;
    }
  }
  return count;
}

RandomProgram without_checks(RandomProgram program) {
  program.final_block.clear();
  program.conditions.clear();
  auto list = blocks(program);
  // Innermost first, since erasing shifts the statements after it.
  for (; !list.empty(); list.pop_back())
    std::erase_if(*list.back(), [](const Statement& s) { return s.kind == Do::assertion; });
  return program;
}

std::int64_t locals(const Block& body) {
  std::int64_t count = 0;
  for (const auto& s : body) {
    if (s.has_target()) count = std::max(count, s.target + 1);
    count = std::max({count, locals(s.body), locals(s.otherwise)});
  }
  return count;
}

std::vector<Block*> blocks(RandomProgram& program) {
  std::vector<Block*> list;
  for (auto& thread : program.threads) add_blocks(thread.body, list);
  add_blocks(program.final_block, list);
  return list;
}

std::vector<Expression*> expressions(RandomProgram& program) {
  std::vector<Expression*> list;
  for (auto& thread : program.threads) add_expressions(thread.body, list);
  add_expressions(program.final_block, list);
  for (auto& condition : program.conditions) add_expressions(condition.expression, list);
  return list;
}

}  // namespace heddle::differential
