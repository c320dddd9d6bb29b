// Random programs whose threads wait, interpreted a second time: by a search of all states under SC that shares no code with
// the compiler, the machines and the algorithms. All algorithms must find its final states, and a deadlock if it has one.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

using Value = std::int64_t;

enum class Place : std::uint8_t { x, y, local };
enum class Comparison : std::uint8_t { equal, differs, not_below };

// One comparison with a constant, or two with `&&` or `||`.
struct Condition {
  struct Part {
    Place place = Place::x;
    Comparison comparison = Comparison::equal;
    Value with = 0;
  };
  std::vector<Part> parts;
  bool all = false;
};

// What an instruction does, and with what. The local gets the results of `load` to `choose`, and of `await_value`.
enum class Kind : std::uint8_t {
  store,  // value, or else the local
  load,
  add,       // value
  compare,   // value, desired
  exchange,  // value
  choose,    // 0 or 1
  lock,
  unlock,
  await,        // condition
  await_value,  // of the place, until it is not 0
  assume,       // condition, of the local only
  branch,       // to the target, unless the condition, of the local only, holds
  jump,         // to the target
  either,       // alternatives
};

struct Instruction {
  struct Alternative {
    std::optional<Condition> guard;
    std::size_t target = 0;
  };
  Kind kind = Kind::load;
  Place place = Place::x;
  std::optional<Value> value = {};
  Value desired = 0;
  Condition condition = {};
  std::size_t target = 0;
  std::vector<Alternative> alternatives = {};
};

struct Thread {
  bool is_daemon = false;
  std::vector<Instruction> code;
};

// Writes a program as text and as instructions.
class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number) {
    const bool daemons = below(3) == 0;
    const int threads = 2 + below(2);
    for (int t = 0; t < threads; ++t) {
      Thread& thread = threads_.emplace_back();
      thread.is_daemon = daemons && t > 0 && below(5) < 3;
      text_ += thread.is_daemon ? "daemon " : "";
      text_ += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0;\n";
      for (int i = 1 + below(threads == 2 ? 4 : 3); i > 0; --i) {
        text_ += "  ";
        statement(true);
        text_ += "\n";
      }
      text_ += "}\n";
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }

 private:
  std::vector<Instruction>& code() { return threads_.back().code; }
  static std::string name(Place place) { return std::string(1, "xyr"[static_cast<std::size_t>(place)]); }
  static std::string number(Value value) { return std::to_string(value); }
  Place variable() { return below(3) == 0 ? Place::y : Place::x; }

  Condition::Part part(Place place) { return {place, static_cast<Comparison>(below(3)), below(3)}; }
  Condition of_local() { return {{part(Place::local)}, false}; }
  Condition condition() {
    Condition result;
    result.all = below(2) == 0;
    for (int parts = below(3) == 0 ? 2 : 1; parts > 0; --parts)
      result.parts.push_back(part(below(4) == 0 ? Place::local : variable()));
    return result;
  }
  static std::string text_of(const Condition& condition) {
    std::string result;
    for (const auto& part : condition.parts) {
      constexpr std::array comparisons = {" == ", " != ", " >= "};
      if (!result.empty()) result += condition.all ? " && " : " || ";
      result += name(part.place) + comparisons[static_cast<std::size_t>(part.comparison)] + number(part.with);
    }
    return result;
  }

  // One that does not wait.
  void simple() {
    const Place place = variable();
    const Value value = below(3);
    switch (below(6)) {
      case 0:
      case 1:
        if (below(4) == 0) {
          text_ += name(place) + " = r; ";
          code().push_back({.kind = Kind::store, .place = place});
        } else {
          text_ += name(place) + " = " + number(value) + "; ";
          code().push_back({.kind = Kind::store, .place = place, .value = value});
        }
        break;
      case 2:
        text_ += "r = fetch_add(" + name(place) + ", 1); ";
        code().push_back({.kind = Kind::add, .place = place, .value = 1});
        break;
      case 3: {
        const Value desired = below(3);
        text_ += "r = cas(" + name(place) + ", " + number(value) + ", " + number(desired) + ") ? 1 : 0; ";
        code().push_back({.kind = Kind::compare, .place = place, .value = value, .desired = desired});
        break;
      }
      case 4:
        text_ += "r = exchange(" + name(place) + ", " + number(value) + "); ";
        code().push_back({.kind = Kind::exchange, .place = place, .value = value});
        break;
      default:
        text_ += "r = " + name(place) + "; ";
        code().push_back({.kind = Kind::load, .place = place});
        break;
    }
  }
  void statement(bool outermost) {
    switch (below(outermost ? 12 : 9)) {
      case 0: {
        const Condition condition = this->condition();
        text_ += "await " + text_of(condition) + "; ";
        code().push_back({.kind = Kind::await, .condition = condition});
        break;
      }
      case 1: {
        const Place place = variable();
        text_ += "r = given(" + name(place) + "); ";
        code().push_back({.kind = Kind::await_value, .place = place});
        break;
      }
      case 2: {
        const Condition condition = of_local();
        text_ += "assume " + text_of(condition) + "; ";
        code().push_back({.kind = Kind::assume, .condition = condition});
        break;
      }
      case 3:
        text_ += "r = choose(0..2); ";
        code().push_back({.kind = Kind::choose});
        break;
      case 9: {
        text_ += "lock m; ";
        code().push_back({.kind = Kind::lock});
        for (int i = 1 + below(2); i > 0; --i) statement(false);
        text_ += "unlock m; ";
        code().push_back({.kind = Kind::unlock});
        break;
      }
      case 10: {
        const Condition condition = of_local();
        const std::size_t branch = code().size();
        text_ += "if " + text_of(condition) + " { ";
        code().push_back({.kind = Kind::branch, .condition = condition});
        statement(false);
        text_ += "}";
        code()[branch].target = code().size();
        break;
      }
      case 11: either(); break;
      default: simple(); break;
    }
  }
  // (A body without a guard must not begin with something that would be one.)
  void either() {
    const std::size_t choice = code().size();
    std::vector<std::size_t> ends;
    code().push_back({.kind = Kind::either});
    std::vector<Instruction::Alternative> alternatives;
    for (int left = 2 + below(2); left > 0; --left) {
      text_ += alternatives.empty() ? "either { " : "or { ";
      auto& alternative = alternatives.emplace_back();
      alternative.target = code().size();
      if (below(6) == 0) {
        simple();
      } else {
        alternative.guard = condition();
        text_ += "await " + text_of(*alternative.guard) + "; ";
        for (int i = below(3); i > 0; --i) statement(false);
      }
      text_ += "} ";
      ends.push_back(code().size());
      code().push_back({.kind = Kind::jump});
    }
    for (const std::size_t end : ends) code()[end].target = code().size();
    code()[choice].alternatives = std::move(alternatives);
  }

  std::string text_ =
      "shared x: int; shared y: int; mutex m;\n"
      "fn given(v: ref int) -> int { let value = await v; return value; }\n";
  std::vector<Thread> threads_;
};

// What may happen under SC.
class Interpreter {
 public:
  explicit Interpreter(const std::vector<Thread>& threads) : threads_(threads) {}

  std::set<std::vector<Value>> final_states;
  bool deadlock = false;

  // False if there are too many states.
  bool explore(std::size_t most_states) {
    State first;
    first.threads.resize(threads_.size());
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (!settle(t, first.threads[t])) return true;
    }
    reach(first);
    while (!open_.empty() && known_.size() <= most_states) {
      const State state = open_.back();
      open_.pop_back();
      leave(state);
    }
    return open_.empty();
  }

 private:
  static constexpr std::size_t undecided = ~std::size_t{0};

  struct Position {
    std::size_t next = 0;
    Value local = 0;
    std::size_t alternative = undecided;
    std::vector<Value> read;  // by the condition that it evaluates
    auto operator<=>(const Position&) const = default;
  };
  struct State {
    std::array<Value, 2> memory = {};
    std::size_t owner = 0;  // of the mutex, from 1
    std::vector<Position> threads;
    auto operator<=>(const State&) const = default;
  };

  void reach(const State& state) {
    if (known_.insert(state).second) open_.push_back(state);
  }
  static bool compare(const Condition::Part& part, Value value) {
    switch (part.comparison) {
      case Comparison::equal: return value == part.with;
      case Comparison::differs: return value != part.with;
      default: return value >= part.with;
    }
  }
  // `value(place)` may be nothing: then so is the result, if it is needed.
  template <typename ValueOf>
  static std::optional<bool> evaluate(const Condition& condition, ValueOf&& value) {
    for (const auto& part : condition.parts) {
      const std::optional<Value> found = value(part.place);
      if (!found) return std::nullopt;
      if (compare(part, *found) != condition.all) return !condition.all;
    }
    return condition.all;
  }
  static bool holds(const Condition& condition, const State& state, Value local) {
    return *evaluate(condition, [&](Place place) -> std::optional<Value> {
      return place == Place::local ? local : state.memory[static_cast<std::size_t>(place)];
    });
  }
  // Runs what no other thread can notice. False if an assumption fails.
  bool settle(std::size_t t, Position& position) const {
    position.alternative = undecided;
    position.read.clear();
    const auto& code = threads_[t].code;
    const State none;
    for (; position.next < code.size(); ++position.next) {
      const Instruction& at = code[position.next];
      if (at.kind == Kind::jump || (at.kind == Kind::branch && !holds(at.condition, none, position.local))) {
        position.next = at.target - 1;
      } else if (at.kind == Kind::assume) {
        if (!holds(at.condition, none, position.local)) return false;
      } else if (at.kind != Kind::branch) {
        break;
      }
    }
    return true;
  }
  // The thread has executed its instruction.
  void proceed(State state, std::size_t t, std::size_t next) {
    state.threads[t].next = next;
    if (settle(t, state.threads[t])) reach(state);
  }
  // One load of a condition, or its end.
  void look(const State& state, std::size_t t, const Condition& condition, std::size_t target) {
    State after = state;
    Position& position = after.threads[t];
    std::size_t used = 0;
    std::optional<Place> asked;
    const auto result = evaluate(condition, [&](Place place) -> std::optional<Value> {
      if (place == Place::local) return position.local;
      if (used < position.read.size()) return position.read[used++];
      asked = place;
      return std::nullopt;
    });
    if (!result) {
      position.read.push_back(state.memory[static_cast<std::size_t>(*asked)]);
      reach(after);
    } else if (*result) {
      proceed(after, t, target);
    } else {
      position.alternative = undecided;
      position.read.clear();
      reach(after);
    }
  }
  // All steps of the thread. Returns whether it waits for others.
  bool step(const State& state, std::size_t t) {
    const Position& position = state.threads[t];
    const Instruction& at = threads_[t].code[position.next];
    const std::size_t next = position.next + 1;
    const Value seen = state.memory[static_cast<std::size_t>(at.place == Place::y)];
    State after = state;
    Value& memory = after.memory[static_cast<std::size_t>(at.place == Place::y)];
    Value& local = after.threads[t].local;
    switch (at.kind) {
      case Kind::store: memory = at.value.value_or(position.local); break;
      case Kind::load: local = seen; break;
      case Kind::add:
        local = seen;
        memory += *at.value;
        break;
      case Kind::compare:
        local = seen == *at.value ? 1 : 0;
        if (seen == *at.value) memory = at.desired;
        break;
      case Kind::exchange:
        local = seen;
        memory = *at.value;
        break;
      case Kind::choose:
        local = 0;
        proceed(after, t, next);
        local = 1;
        break;
      case Kind::lock:
        if (state.owner != 0) return true;
        after.owner = t + 1;
        break;
      case Kind::unlock: after.owner = 0; break;
      case Kind::await_value:
        if (seen == 0) return true;
        local = seen;
        break;
      case Kind::await:
        look(state, t, at.condition, next);
        return position.read.empty() && !holds(at.condition, state, position.local);
      default: return step_in_either(state, t, at);
    }
    proceed(after, t, next);
    return false;
  }
  bool step_in_either(const State& state, std::size_t t, const Instruction& at) {
    const Position& position = state.threads[t];
    if (position.alternative != undecided) {
      const auto& chosen = at.alternatives[position.alternative];
      look(state, t, *chosen.guard, chosen.target);
      return false;
    }
    bool waits = true;
    for (std::size_t i = 0; i < at.alternatives.size(); ++i) {
      const auto& alternative = at.alternatives[i];
      if (!alternative.guard) {
        proceed(state, t, alternative.target);
        waits = false;
        continue;
      }
      State after = state;
      after.threads[t].alternative = i;
      reach(after);
      waits = waits && !holds(*alternative.guard, state, position.local);
    }
    return waits;
  }
  void leave(const State& state) {
    bool all_wait = true;
    bool only_daemons = true;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (state.threads[t].next == threads_[t].code.size()) continue;
      const bool waits = step(state, t);
      all_wait = all_wait && waits;
      only_daemons = only_daemons && threads_[t].is_daemon;
    }
    if (!all_wait) return;
    if (!only_daemons) {
      deadlock = true;
      return;
    }
    std::vector<Value> values(state.memory.begin(), state.memory.end());
    for (const Position& position : state.threads) values.push_back(position.local);
    final_states.insert(std::move(values));
  }

  const std::vector<Thread>& threads_;
  std::set<State> known_;
  std::vector<State> open_;
};

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE("all algorithms find the final states and deadlocks of a second interpreter") {
  const std::size_t programs = tests::sized(1'000, 10'000);
  std::size_t deadlocks = 0, daemons = 0, failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const Writer writer(default_seed() * 10'000'000 + number);
    INFO("program " << number << ":\n" << writer.text());
    Interpreter expected(writer.threads());
    if (!expected.explore(100'000)) continue;
    const auto program = Program::from_source(writer.text(), "interpreted.hed");
    REQUIRE(program);
    for (const AlgorithmInfo& algorithm : algorithms()) {
      const WholeSearch found = search_whole(*program, "sc", std::string(algorithm.name));
      const bool same = found.states == expected.final_states && found.violation == expected.deadlock;
      CHECK_MESSAGE(same, algorithm.name << ": " << found.states.size() << " final states of "
                                         << expected.final_states.size() << ", deadlock " << found.violation
                                         << " and " << expected.deadlock);
      failures += !same;
    }
    deadlocks += expected.deadlock;
    for (const Thread& thread : writer.threads()) daemons += thread.is_daemon;
  }
  CHECK(deadlocks > programs / 5);
  CHECK(daemons > programs / 10);
}

TEST_SUITE_END();

}  // namespace heddle::differential
