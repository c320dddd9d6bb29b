// Whole programs: declarations, number of threads, checks. generate_statements.cpp generates the threads'
// code, with expressions from generate_expressions.cpp.
#include "generate.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "generate_statements.hpp"

namespace heddle::differential {

namespace {

using Of = Expression::Kind;
using Do = Statement::Kind;

class Generator {
 public:
  Generator(std::uint64_t seed, const Profile& profile) : random_(seed), profile_(profile) {}

  RandomProgram program() {
    RandomProgram result;
    if (random_.percent(15)) result.initial = random_.between(1, 2);
    static constexpr std::array<const char*, 3> names{"x", "y", "z"};
    const auto scalars = random_.percent(20) ? 1 : random_.percent(60) ? 2 : 3;
    for (int i = 0; i < scalars; ++i) scope_.scalars.emplace_back(names[static_cast<std::size_t>(i)]);
    scope_.has_array = random_.percent(profile_.array_percent);
    scope_.has_structs = random_.percent(profile_.object_percent);
    scope_.has_enum = random_.percent(profile_.object_percent / 2);
    scope_.mutexes = {"m"};
    if (random_.percent(profile_.mutex_percent)) scope_.mutexes.emplace_back("n");
    scope_.initial = result.initial;
    checks_ = static_cast<Checks>(random_.below(4));
    scope_.has_assertions = checks_ == Checks::assertions;
    threads(result);
    if (random_.percent(profile_.spawn_percent)) make_spawned(result);
    trim(result);
    settle_procs(result);
    for (const auto& thread : result.threads) locals_.push_back(locals(thread.body));
    checks(result);
    return result;
  }

 private:
  // What can be violated, besides deadlocks.
  enum class Checks : std::uint8_t { none, assertions, final_block, conditions };

  void threads(RandomProgram& result) {
    // The number of interleavings determines the oracle's time: the more threads, the shorter they are.
    const auto roll = random_.below(100);
    const auto count = roll < 45 ? 2 : roll < 85 ? 3 : 4;
    for (int made = 0; made < count;) {
      Thread thread;
      thread.number = static_cast<std::int64_t>(result.threads.size());
      if (made + 2 <= count && random_.percent(8)) thread.copies = 2;
      const auto budget = count == 2   ? random_.between(2, 8)
                          : count == 3 ? random_.between(1, 5)
                                       : random_.between(1, 3);
      thread.body = statements_.thread(thread.copies > 1, budget);
      result.threads.push_back(std::move(thread));
      made += static_cast<int>(result.threads.back().copies);
    }
  }

  // Makes the last thread a proc that the first other thread, or a new one, spawns.
  void make_spawned(RandomProgram& result) {
    Thread& proc = result.threads.back();
    Thread& parent = result.threads.front();
    if (&proc == &parent || parent.copies > 1) return;
    proc.proc = true;
    Statement spawn;
    spawn.kind = Do::spawn;
    spawn.word = proc.name();
    spawn.bound = proc.copies;
    spawn.operands = {expressions_.value()};
    parent.body.insert(parent.body.begin() +
                           (random_.percent(60) ? 0 : std::min<std::ptrdiff_t>(1, std::ssize(parent.body))),
                       spawn);
    if (!random_.percent(60)) return;
    Statement join = spawn;
    join.kind = Do::join;
    join.operands.clear();
    const auto spawned_at = std::find_if(parent.body.begin(), parent.body.end(),
                                         [](const Statement& s) { return s.kind == Do::spawn; });
    const auto after_spawn = parent.body.end() - spawned_at - 1;
    parent.body.insert(
        parent.body.end() - static_cast<std::ptrdiff_t>(random_.below(
                                static_cast<std::uint64_t>(std::min<std::ptrdiff_t>(after_spawn, 2)) + 1)),
        join);
  }

  // A proc whose spawn was removed becomes a thread again.
  static void settle_procs(RandomProgram& program) {
    for (auto& thread : program.threads) {
      if (!thread.proc) continue;
      const auto count = spawned(program, thread.name());
      thread.proc = count > 0;
      if (thread.proc) thread.copies = count;
    }
  }

  // Removes statements from the longest threads until few enough interleavings are left. A store and its
  // flush can be far apart, so a thread counts as two sequences: its stores and everything else.
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
      scope_.begin_thread(false);
      if (random_.percent(40)) result.final_block.push_back(statements_.store());
      result.final_block.push_back(condition(Do::assertion, expressions_.any_comparison()));
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

  // A comparison of a final value: a shared variable or a thread's local.
  Expression final_comparison(const RandomProgram& result) {
    const auto t = random_.below(result.threads.size());
    Expression left = expressions_.loaded();
    if (!left.operands.empty()) left.operands[0] = leaf(Of::constant, random_.between(0, 1));
    if (locals_[t] > 0 && random_.percent(65)) {
      left = leaf(Of::member, 0,
                  result.threads[t].name() + (result.threads[t].copies > 1 ? "[1]" : "") + ".r" +
                      std::to_string(random_.between(0, locals_[t] - 1)));
    }
    return binary(random_.percent(70) ? "==" : "!=", std::move(left), expressions_.value());
  }

  Random random_;
  const Profile& profile_;
  Scope scope_;
  Expressions expressions_{random_, profile_, scope_};
  Statements statements_{random_, profile_, scope_, expressions_};
  Checks checks_ = Checks::none;
  std::vector<std::int64_t> locals_;  // by thread: number of locals
};

}  // namespace

GeneratedProgram generate(std::uint64_t seed, std::uint64_t number) {
  const auto& profile = profiles()[number % profiles().size()];
  // Mixed, so that neighbouring numbers and seeds give unrelated programs.
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15 + number;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return {&profile, Generator(mixed ^ (mixed >> 31), profile).program()};
}

}  // namespace heddle::differential
