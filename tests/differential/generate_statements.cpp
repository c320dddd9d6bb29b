// Statements: the kinds as weighted by the profile, then groups of statements: loops, critical sections,
// waiting and signalling.
#include "generate_statements.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::differential {

using Of = Expression::Kind;
using Do = Statement::Kind;

Statement condition(Do kind, Expression expression) {
  Statement s;
  s.kind = kind;
  s.operands = {std::move(expression)};
  return s;
}

Block Statements::thread(bool in_family, std::int64_t budget) {
  scope_.begin_thread(in_family);
  next_local_ = 0;
  budget_ = budget;
  return block(0);
}

Block Statements::block(int depth) {
  Block result;
  const auto most = depth == 0 ? 12 : random_.between(1, 3);
  for (int i = 0; i < most && budget_ > 0; ++i) add_statement(result, depth);
  return result;
}

Do Statements::pick_kind(int depth) {
  for (;;) {
    std::uint64_t total = 0;
    for (const auto& [kind, weight] : profile_.weights) total += weight;
    auto roll = random_.below(total);
    for (const auto& [kind, weight] : profile_.weights) {
      if (roll >= weight) {
        roll -= weight;
        continue;
      }
      const bool nests = kind == Do::branch || kind == Do::repeat || kind == Do::spin;
      if (nests && (depth >= 2 || budget_ < 2)) break;
      if (kind == Do::assertion && !scope_.has_assertions) break;
      return kind;
    }
  }
}

void Statements::add_statement(Block& result, int depth) {
  const Do kind = pick_kind(depth);
  Statement s;
  s.kind = kind;
  switch (kind) {
    case Do::assign: s.operands = {expressions_.loaded()}; break;
    case Do::store: s = store(); break;
    case Do::compound:
      s.place = expressions_.place();
      s.word = random_.of(std::array<const char*, 4>{"+=", "+=", "-=", "|="});
      s.operands = {expressions_.integer(1)};
      break;
    case Do::cas:
      s.place = expressions_.place_or_enum();
      s.operands = {random_.percent(70) ? expressions_.value() : expressions_.integer(1),
                    expressions_.value()};
      break;
    case Do::exchange:
      s.place = expressions_.place_or_enum();
      s.operands = {expressions_.integer(1)};
      break;
    case Do::fetch:
      s.place = expressions_.place();
      s.word = random_.of(std::array<const char*, 7>{"add", "add", "sub", "and", "or", "xor", "max"});
      s.operands = {expressions_.integer(1)};
      break;
    case Do::keep:
      s.place = expressions_.element();
      s.operands = {random_.percent(50) ? expressions_.loaded() : expressions_.integer(1)};
      scope_.has_own_array = true;
      break;
    case Do::call:
      s.place = expressions_.place();
      s.word = random_.of(std::array<const char*, 2>{"take", "bump"});
      s.operands = {expressions_.integer(1)};
      break;
    case Do::update:
      s.word = random_.of(std::array<const char*, 2>{"take", "bump"});
      s.operands = {expressions_.integer(1)};
      break;
    case Do::fence: s.word = random_.of(std::array<const char*, 5>{"", "", "st", "lw", "isync"}); break;
    case Do::lock:
    case Do::unlock: return add_critical_section(result, depth);
    case Do::try_lock: return add_try_lock(result, depth);
    case Do::wait: return add_wait(result, depth);
    case Do::signal:
    case Do::broadcast: return add_signal(result, s, depth);
    case Do::choose:
      s.bound = random_.between(2, 3);
      if (scope_.has_enum && random_.percent(50)) s.word = "E";
      break;
    case Do::assume:
    case Do::assertion: s = condition(kind, expressions_.test()); break;
    case Do::await: s = condition(kind, expressions_.awaited()); break;
    case Do::branch:
      s.operands = {expressions_.test()};
      s.body = block(depth + 1);
      if (random_.percent(40) && budget_ > 0) s.otherwise = block(depth + 1);
      break;
    case Do::repeat: add_repeat(s, depth); break;
    case Do::spin:
      s.operands = {expressions_.awaited()};
      if (random_.percent(30)) s.body.push_back(store());
      break;
    case Do::spawn:
    case Do::join:
    case Do::leave: break;
  }
  if (s.has_target() && kind != Do::repeat) s.target = new_target(depth);
  // The bodies of nested statements have already been counted.
  const auto nested = kind == Do::branch || kind == Do::repeat;
  budget_ -= visible_operations({s}, spin_rounds).all() -
             (nested ? visible_operations(s.body, spin_rounds).all() : 0);
  result.push_back(std::move(s));
}

void Statements::add_repeat(Statement& s, int depth) {
  s.target = next_local_++;
  s.bound = 2;
  const auto before = budget_;
  budget_ = std::max<std::int64_t>(budget_ / 2, 1);
  s.body = block(depth + 1);
  if (random_.percent(25)) {
    Statement leave;
    leave.kind = Do::leave;
    Statement test = condition(Do::branch, expressions_.test());
    test.body = {leave};
    s.body.push_back(std::move(test));
  }
  budget_ = before - visible_operations(s.body, spin_rounds).all();
  scope_.assigned.push_back(s.target);
}

// For some mutex.
std::pair<Statement, Statement> Statements::lock_and_unlock() {
  Statement lock;
  lock.kind = Do::lock;
  lock.word = random_.of(scope_.mutexes);
  Statement unlock = lock;
  unlock.kind = Do::unlock;
  return {lock, unlock};
}

void Statements::add_critical_section(Block& result, int depth) {
  auto [lock, unlock] = lock_and_unlock();
  budget_ -= 2;
  result.push_back(lock);
  for (auto inner = random_.between(0, 2); inner > 0 && budget_ > 0; --inner) add_statement(result, depth);
  // Sometimes the unlock is missing or for another mutex.
  if (random_.percent(4)) unlock.word = random_.of(scope_.mutexes);
  if (!random_.percent(4)) result.push_back(unlock);
}

// A waiting thread holds the mutex, and usually has a condition to wait for.
void Statements::add_wait(Block& result, int depth) {
  const auto [lock, unlock] = lock_and_unlock();
  Statement wait = lock;
  wait.kind = Do::wait;
  budget_ -= 6;
  const auto roll = random_.below(100);
  if (!random_.percent(3)) result.push_back(lock);
  if (roll < 20 || depth >= 2) {
    result.push_back(wait);
  } else {
    // Waits for a variable to change, or unconditionally.
    Statement test = condition(roll < 65 ? Do::branch : Do::spin, expressions_.any_comparison());
    if (random_.percent(60))
      test.operands = {binary("==", expressions_.place(), leaf(Of::constant, scope_.initial))};
    test.body.push_back(wait);
    result.push_back(std::move(test));
  }
  if (random_.percent(40)) add_statement(result, depth);
  result.push_back(unlock);
}

// Usually with the mutex held, after a store.
void Statements::add_signal(Block& result, Statement signal, int depth) {
  signal.word = random_.of(scope_.mutexes);
  Statement lock = signal;
  lock.kind = Do::lock;
  Statement unlock = signal;
  unlock.kind = Do::unlock;
  const bool locked = random_.percent(60);
  budget_ -= locked ? 4 : 2;
  if (locked) result.push_back(lock);
  if (random_.percent(60)) {
    result.push_back(store());
    --budget_;
  }
  if (locked && random_.percent(25)) std::swap(signal, unlock);
  result.push_back(signal);
  if (locked) result.push_back(unlock);
  if (depth == 0 && budget_ > 0 && random_.percent(30)) add_statement(result, depth);
}

void Statements::add_try_lock(Block& result, int depth) {
  Statement s;
  s.kind = Do::try_lock;
  s.word = random_.of(scope_.mutexes);
  s.target = new_target(depth);
  budget_ -= 2;
  Statement test = condition(Do::branch, leaf(Of::local, s.target));
  test.operands = {binary("!=", leaf(Of::local, s.target), leaf(Of::constant, 0))};
  if (budget_ > 0 && depth < 2) test.body = block(depth + 1);
  Statement unlock = s;
  unlock.kind = Do::unlock;
  test.body.push_back(unlock);
  result.push_back(std::move(s));
  result.push_back(std::move(test));
}

Statement Statements::store() {
  Statement s;
  s.kind = Do::store;
  s.place = scope_.has_enum && random_.percent(30) ? leaf(Of::load, 0, enum_name) : expressions_.place();
  s.operands = {random_.percent(65) ? leaf(Of::constant, random_.between(1, 2)) : expressions_.integer(2)};
  return s;
}

// Usually a new local; sometimes an assigned one is overwritten.
std::int64_t Statements::new_target(int depth) {
  if (!scope_.assigned.empty() && random_.percent(depth == 0 ? 10 : 30)) return random_.of(scope_.assigned);
  scope_.assigned.push_back(next_local_);
  return next_local_++;
}

}  // namespace heddle::differential
