#include "generate.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace heddle::differential {

namespace {

using Of = Expression::Kind;
using Do = Statement::Kind;

// Uniform numbers; not the standard distributions, whose results differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool percent(unsigned chance) { return below(100) < chance; }
  template <typename List>
  const auto& of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

Expression leaf(Of kind, std::int64_t value, std::string name = {}) {
  Expression expression;
  expression.kind = kind;
  expression.value = value;
  expression.name = std::move(name);
  return expression;
}

Expression binary(std::string_view operation, Expression left, Expression right) {
  Expression expression = leaf(Of::binary, 0, std::string(operation));
  expression.operands = {std::move(left), std::move(right)};
  return expression;
}

class Generator {
 public:
  Generator(std::uint64_t seed, const Profile& profile) : random_(seed), profile_(profile) {}

  RandomProgram program() {
    RandomProgram result;
    if (random_.percent(15)) result.initial = random_.between(1, 2);
    static constexpr std::array<const char*, 3> names{"x", "y", "z"};
    const auto scalars = random_.percent(20) ? 1 : random_.percent(60) ? 2 : 3;
    for (int i = 0; i < scalars; ++i) scalars_.emplace_back(names[static_cast<std::size_t>(i)]);
    has_array_ = random_.percent(profile_.array_percent);
    has_structs_ = random_.percent(profile_.object_percent);
    has_enum_ = random_.percent(profile_.object_percent / 2);
    mutexes_ = {"m"};
    if (random_.percent(profile_.mutex_percent)) mutexes_.emplace_back("n");
    initial_ = result.initial;
    checks_ = static_cast<Checks>(random_.below(4));
    threads(result);
    if (random_.percent(profile_.spawn_percent)) make_spawned(result);
    trim(result);
    settle_procs(result);
    for (const auto& thread : result.threads) locals_.push_back(locals(thread.body));
    checks(result);
    return result;
  }

 private:
  // What can be violated, beside deadlocks.
  enum class Checks : std::uint8_t { none, assertions, final_block, conditions };

  void threads(RandomProgram& result) {
    // The number of interleavings decides how long the oracle takes: the more threads, the shorter.
    const auto roll = random_.below(100);
    const auto count = roll < 45 ? 2 : roll < 85 ? 3 : 4;
    for (int made = 0; made < count;) {
      Thread thread;
      thread.number = static_cast<std::int64_t>(result.threads.size());
      if (made + 2 <= count && random_.percent(8)) thread.copies = 2;
      in_family_ = thread.copies > 1;
      assigned_.clear();
      next_local_ = 0;
      has_own_array_ = false;
      budget_ = count == 2   ? random_.between(2, 8)
                : count == 3 ? random_.between(1, 5)
                             : random_.between(1, 3);
      thread.body = block(0);
      result.threads.push_back(std::move(thread));
      made += static_cast<int>(result.threads.back().copies);
    }
  }

  // Has one of the threads spawned by the first other one, or by a new one.
  void make_spawned(RandomProgram& result) {
    Thread& proc = result.threads.back();
    Thread& parent = result.threads.front();
    if (&proc == &parent || parent.copies > 1) return;
    proc.proc = true;
    Statement spawn;
    spawn.kind = Do::spawn;
    spawn.word = proc.name();
    spawn.bound = proc.copies;
    spawn.operands = {value()};
    parent.body.insert(parent.body.begin() +
                           (random_.percent(60) ? 0 : std::min<std::ptrdiff_t>(1, std::ssize(parent.body))),
                       spawn);
    if (!random_.percent(60)) return;
    Statement join = spawn;
    join.kind = Do::join;
    join.operands.clear();
    const auto spawned_at = std::find_if(parent.body.begin(), parent.body.end(),
                                         [](const Statement& s) { return s.kind == Do::spawn; });
    const auto behind = parent.body.end() - spawned_at - 1;
    parent.body.insert(
        parent.body.end() - static_cast<std::ptrdiff_t>(random_.below(
                                static_cast<std::uint64_t>(std::min<std::ptrdiff_t>(behind, 2)) + 1)),
        join);
  }

  // A proc whose spawn was cut off becomes a thread again.
  static void settle_procs(RandomProgram& program) {
    for (auto& thread : program.threads) {
      if (!thread.proc) continue;
      const auto count = spawned(program, thread.name());
      thread.proc = count > 0;
      if (thread.proc) thread.copies = count;
    }
  }

  // Cuts statements off the longest threads until few enough interleavings are left. A store and its flush
  // can be far apart, so a thread counts as two sequences: its stores and the rest.
  void trim(RandomProgram& program) const {
    for (;;) {
      std::int64_t placed = 0;
      double interleavings = 1;
      Thread* longest = nullptr;
      std::int64_t most = 0;
      for (auto& thread : program.threads) {
        const auto operations = visible_operations(thread, spin_rounds);
        for (auto copy = thread.copies; copy > 0; --copy) {
          for (const auto sequence : {operations.stores, operations.others}) {
            for (std::int64_t i = 1; i <= sequence; ++i) {
              interleavings *= static_cast<double>(++placed) / static_cast<double>(i);
            }
          }
        }
        if (operations.all() > most && thread.body.size() > 1) {
          most = operations.all();
          longest = &thread;
        }
      }
      if (interleavings <= profile_.most_interleavings || longest == nullptr) return;
      longest->body.pop_back();
    }
  }

  void checks(RandomProgram& result) {
    if (checks_ == Checks::final_block) {
      in_family_ = false;
      has_own_array_ = false;
      assigned_.clear();
      if (random_.percent(40)) result.final_block.push_back(store());
      result.final_block.push_back(condition(Do::assertion, any_comparison()));
    }
    if (checks_ != Checks::conditions) return;
    static constexpr std::array<const char*, 3> kinds{"exists", "forall", "forbid"};
    for (auto count = random_.between(1, 2); count > 0; --count) {
      auto expression = final_comparison(result);
      if (random_.percent(50)) {
        expression =
            binary(random_.percent(70) ? "&&" : "||", std::move(expression), final_comparison(result));
      }
      result.conditions.push_back({random_.of(kinds), std::move(expression)});
    }
  }

  // On a final value: a shared variable or a thread's local.
  Expression final_comparison(const RandomProgram& result) {
    const auto t = random_.below(result.threads.size());
    Expression left = loaded();
    if (!left.operands.empty()) left.operands[0] = leaf(Of::constant, random_.between(0, 1));
    if (locals_[t] > 0 && random_.percent(65)) {
      left = leaf(Of::member, 0,
                  result.threads[t].name() + (result.threads[t].copies > 1 ? "[1]" : "") + ".r" +
                      std::to_string(random_.between(0, locals_[t] - 1)));
    }
    return binary(random_.percent(70) ? "==" : "!=", std::move(left), value());
  }

  Block block(int depth) {
    Block result;
    const auto most = depth == 0 ? 12 : random_.between(1, 3);
    for (int i = 0; i < most && budget_ > 0; ++i) add_statement(result, depth);
    return result;
  }

  Do pick_kind(int depth) {
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
        if (kind == Do::assertion && checks_ != Checks::assertions) break;
        return kind;
      }
    }
  }

  void add_statement(Block& result, int depth) {
    const Do kind = pick_kind(depth);
    Statement s;
    s.kind = kind;
    switch (kind) {
      case Do::assign: s.operands = {loaded()}; break;
      case Do::store: s = store(); break;
      case Do::compound:
        s.place = place();
        s.word = random_.of(std::array<const char*, 4>{"+=", "+=", "-=", "|="});
        s.operands = {integer(1)};
        break;
      case Do::cas:
        s.place = place();
        if (has_enum_ && random_.percent(40)) s.place = leaf(Of::load, 0, enum_name);
        s.operands = {random_.percent(70) ? value() : integer(1), value()};
        break;
      case Do::exchange:
        s.place = place();
        if (has_enum_ && random_.percent(40)) s.place = leaf(Of::load, 0, enum_name);
        s.operands = {integer(1)};
        break;
      case Do::fetch:
        s.place = place();
        s.word = random_.of(std::array<const char*, 7>{"add", "add", "sub", "and", "or", "xor", "max"});
        s.operands = {integer(1)};
        break;
      case Do::keep:
        s.place = element();
        s.operands = {random_.percent(50) ? loaded() : integer(1)};
        has_own_array_ = true;
        break;
      case Do::call:
        s.place = place();
        s.word = random_.of(std::array<const char*, 2>{"take", "bump"});
        s.operands = {integer(1)};
        break;
      case Do::update:
        s.word = random_.of(std::array<const char*, 2>{"take", "bump"});
        s.operands = {integer(1)};
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
        if (has_enum_ && random_.percent(50)) s.word = "E";
        break;
      case Do::assume:
      case Do::assertion:
        s = condition(kind, assigned_.empty() ? any_comparison() : local_comparison());
        break;
      case Do::await: s = condition(kind, awaited()); break;
      case Do::branch:
        s.operands = {assigned_.empty() ? any_comparison() : local_comparison()};
        s.body = block(depth + 1);
        if (random_.percent(40) && budget_ > 0) s.otherwise = block(depth + 1);
        break;
      case Do::repeat: add_repeat(s, depth); break;
      case Do::spin:
        s.operands = {awaited()};
        if (random_.percent(30)) s.body.push_back(store());
        break;
      case Do::spawn:
      case Do::join:
      case Do::leave: break;
    }
    if (s.has_target() && kind != Do::repeat) s.target = new_target(depth);
    // Of nested statements the bodies have been counted already.
    const auto nested = kind == Do::branch || kind == Do::repeat;
    budget_ -= visible_operations({s}, spin_rounds).all() -
               (nested ? visible_operations(s.body, spin_rounds).all() : 0);
    result.push_back(std::move(s));
  }

  void add_repeat(Statement& s, int depth) {
    s.target = next_local_++;
    s.bound = 2;
    const auto before = budget_;
    budget_ = std::max<std::int64_t>(budget_ / 2, 1);
    s.body = block(depth + 1);
    if (random_.percent(25)) {
      Statement leave;
      leave.kind = Do::leave;
      Statement test = condition(Do::branch, assigned_.empty() ? any_comparison() : local_comparison());
      test.body = {leave};
      s.body.push_back(std::move(test));
    }
    budget_ = before - visible_operations(s.body, spin_rounds).all();
    assigned_.push_back(s.target);
  }

  // Of some mutex.
  std::pair<Statement, Statement> lock_and_unlock() {
    Statement lock;
    lock.kind = Do::lock;
    lock.word = random_.of(mutexes_);
    Statement unlock = lock;
    unlock.kind = Do::unlock;
    return {lock, unlock};
  }

  void add_critical_section(Block& result, int depth) {
    auto [lock, unlock] = lock_and_unlock();
    budget_ -= 2;
    result.push_back(lock);
    for (auto inner = random_.between(0, 2); inner > 0 && budget_ > 0; --inner) add_statement(result, depth);
    // Now and then it is forgotten, or somebody else's.
    if (random_.percent(4)) unlock.word = random_.of(mutexes_);
    if (!random_.percent(4)) result.push_back(unlock);
  }

  // A thread that waits holds the mutex, and mostly has a reason.
  void add_wait(Block& result, int depth) {
    const auto [lock, unlock] = lock_and_unlock();
    Statement wait = lock;
    wait.kind = Do::wait;
    budget_ -= 6;
    const auto roll = random_.below(100);
    if (!random_.percent(3)) result.push_back(lock);
    if (roll < 20 || depth >= 2) {
      result.push_back(wait);
    } else {
      // For a variable to change, or for anything.
      Statement test = condition(roll < 65 ? Do::branch : Do::spin, any_comparison());
      if (random_.percent(60)) test.operands = {binary("==", place(), leaf(Of::constant, initial_))};
      test.body.push_back(wait);
      result.push_back(std::move(test));
    }
    if (random_.percent(40)) add_statement(result, depth);
    result.push_back(unlock);
  }

  // Mostly under the lock, behind a store.
  void add_signal(Block& result, Statement signal, int depth) {
    signal.word = random_.of(mutexes_);
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

  void add_try_lock(Block& result, int depth) {
    Statement s;
    s.kind = Do::try_lock;
    s.word = random_.of(mutexes_);
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

  Statement store() {
    Statement s;
    s.kind = Do::store;
    s.place = has_enum_ && random_.percent(30) ? leaf(Of::load, 0, enum_name) : place();
    s.operands = {random_.percent(65) ? leaf(Of::constant, random_.between(1, 2)) : integer(2)};
    return s;
  }

  static Statement condition(Do kind, Expression expression) {
    Statement s;
    s.kind = kind;
    s.operands = {std::move(expression)};
    return s;
  }

  // Mostly a new local; sometimes one that has a value is overwritten.
  std::int64_t new_target(int depth) {
    if (!assigned_.empty() && random_.percent(depth == 0 ? 10 : 30)) return random_.of(assigned_);
    assigned_.push_back(next_local_);
    return next_local_++;
  }

  Expression value() { return leaf(Of::constant, random_.between(0, 2)); }

  // A shared int.
  Expression place() {
    static constexpr std::array<const char*, 2> fields{"s.f", "s.g"};
    static constexpr std::array<const char*, 2> element_fields{"t.f", "t.g"};
    if (has_structs_ && random_.percent(30)) return leaf(Of::load, 0, random_.of(fields));
    if (has_structs_ && random_.percent(35)) return indexed(leaf(Of::load, 0, random_.of(element_fields)));
    if (!has_array_ || random_.percent(60)) return leaf(Of::load, 0, random_.of(scalars_));
    return indexed(leaf(Of::load, 0, array_name));
  }

  // A load as a number, perhaps of the enum.
  Expression loaded() {
    if (has_enum_ && random_.percent(30)) return leaf(Of::load, random_.between(0, 2), enum_name);
    return place();
  }

  // Of the thread's own array.
  Expression element() { return indexed(leaf(Of::element, 0)); }

  Expression indexed(Expression element) {
    Expression index = leaf(Of::constant, random_.between(0, 1));
    if (random_.percent(profile_.index_percent) && !assigned_.empty()) {
      index = leaf(Of::local, random_.of(assigned_));
      // Without the mask it may leave the array.
      if (!random_.percent(10)) index = binary("&", std::move(index), leaf(Of::constant, 1));
    }
    element.operands = {std::move(index)};
    return element;
  }

  Expression integer(int depth) {
    const auto roll = random_.below(100);
    if (depth > 0 && roll < 30) {
      static constexpr std::array<const char*, 8> operations{"+", "+", "+", "-", "*", "^", "&", "|"};
      if (random_.percent(3)) return binary("/", integer(0), integer(0));
      return binary(random_.of(operations), integer(depth - 1), integer(depth - 1));
    }
    if (depth > 0 && roll < 36) {
      Expression choice = leaf(Of::conditional, 0);
      choice.operands = {comparison(integer(0)), integer(0), integer(0)};
      return choice;
    }
    if (random_.percent(profile_.shared_load_percent)) return loaded();
    if (has_own_array_ && random_.percent(30)) return element();
    if (in_family_ && random_.percent(30)) return leaf(Of::argument, 0);
    if (!assigned_.empty() && random_.percent(55)) return leaf(Of::local, random_.of(assigned_));
    return value();
  }

  Expression comparison(Expression left) {
    static constexpr std::array<const char*, 6> operations{"==", "==", "!=", "!=", "<", ">="};
    return binary(random_.of(operations), std::move(left), value());
  }

  Expression local_comparison() {
    auto result = comparison(leaf(Of::local, random_.of(assigned_)));
    if (random_.percent(25)) {
      result = binary(random_.percent(50) ? "&&" : "||", std::move(result), comparison(integer(0)));
    }
    return result;
  }

  // With at least one load.
  Expression any_comparison() { return comparison(loaded()); }

  Expression awaited() {
    auto result = any_comparison();
    if (random_.percent(35)) {
      result = binary(random_.percent(50) ? "&&" : "||", std::move(result), any_comparison());
    }
    if (random_.percent(10)) {
      Expression negation = leaf(Of::negation, 0);
      negation.operands = {std::move(result)};
      return negation;
    }
    return result;
  }

  Random random_;
  const Profile& profile_;
  std::vector<std::string> scalars_;
  std::vector<std::string> mutexes_;
  std::int64_t initial_ = 0;  // of the shared variables
  bool has_array_ = false;
  bool has_structs_ = false;
  bool has_enum_ = false;
  bool has_own_array_ = false;  // the thread keeps something in its own array
  Checks checks_ = Checks::none;
  bool in_family_ = false;
  std::vector<std::int64_t> locals_;    // by thread: how many it has
  std::vector<std::int64_t> assigned_;  // locals of this thread that have been assigned so far
  std::int64_t next_local_ = 0;
  std::int64_t budget_ = 0;  // visible operations that this thread may still get
};

}  // namespace

GeneratedProgram generate(std::uint64_t seed, std::uint64_t number) {
  const auto& profile = profiles()[number % profiles().size()];
  // Mixed, so that neighbouring numbers and seeds have nothing in common.
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15 + number;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return {&profile, Generator(mixed ^ (mixed >> 31), profile).program()};
}

}  // namespace heddle::differential
