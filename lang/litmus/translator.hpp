// The translator of one thread; see translate.hpp for what it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/litmus/translate.hpp"

namespace heddle::lang::litmus {

// Thrown once an error that ends the thread's translation has been reported.
struct Untranslatable {};

class Translator {
 public:
  Translator(const ThreadCode& thread, Builder& builder);
  std::optional<std::vector<LocalId>> run();

 private:
  // The two sides of the newest comparison.
  struct Flags {
    Expression left;
    Expression right;
    bool unordered =
        false;  // tells equal from unequal only: neither less nor greater, whatever the sides are
  };
  struct State {
    std::vector<Value> registers;
    std::optional<Flags> flags;
  };
  struct Target {
    VariableId variable = 0;
    std::optional<Expression> index;
  };
  // A loop being translated: the registers that it writes live in locals at its beginning and end.
  struct Loop {
    std::size_t first;
    std::size_t exit;
    std::vector<std::pair<RegisterId, LocalId>> locals;
  };

  // translate.cpp
  std::optional<std::vector<LocalId>> attempt();
  [[noreturn]] void refuse(const SourceRange& range, std::string message, std::string hint = {});
  LocalId new_local(std::string_view wanted, Type type = Type::integer);
  Expression observed_value(const Observed& observed);
  void assign_observed(std::vector<Statement>& out);
  // What is known of a register as a number: addresses, too.
  Expression number(const Value& value, const SourceRange& range);
  // As an operand of an instruction of 32 bits (`word`) or 64.
  Expression number(const Argument& argument, bool word = false);
  Value value(const Argument& argument);
  // The low 32 bits with their sign; as it is if no number of the test can be that large.
  Expression as_word(Expression value, const SourceRange& range) const;
  Value sum(Value left, Value right, const SourceRange& range);
  Target location(const Address& address, const SourceRange& range, bool word = false);
  Expression access(ExpressionKind kind, const Target& target, const SourceRange& range);
  void set(RegisterId reg, Expression expression);
  // Declares a local with that value.
  LocalId keep(std::string_view wanted, Expression value, const SourceRange& range,
               std::vector<Statement>& out);
  void set_kept(RegisterId reg, Expression value, const SourceRange& range, std::vector<Statement>& out,
                bool word = false);
  void compare(Expression left, Expression right);
  void store(const Target& target, Expression value, const SourceRange& range, std::vector<Statement>& out);
  Expression rotated(const Instruction& instruction);
  void compare(const Instruction& instruction);
  void load(const Instruction& instruction, std::vector<Statement>& out);
  void copy_or_compute(const Instruction& instruction, std::vector<Statement>& out);
  void simple(const Instruction& instruction, std::vector<Statement>& out);

  // control_flow.cpp. All return false if the code behind them cannot be reached.
  bool range(std::size_t first, std::size_t last, std::vector<Statement>& out);
  bool loop(std::size_t first, std::size_t exit, std::vector<Statement>& out);
  // Both return where to go on; `reachable` says whether that can be reached.
  std::size_t branch(std::size_t at, std::size_t last, std::vector<Statement>& out, bool& reachable);
  std::size_t forward(std::size_t at, std::size_t last, std::vector<Statement>& out, bool& reachable);
  [[nodiscard]] std::size_t back_edge(std::size_t first, std::size_t last) const;
  // Leaves a loop, goes to its next round or ends the thread, if that is what the branch does.
  bool jump(std::size_t destination, const SourceRange& range, std::vector<Statement>& out);
  void leave_loop_locals(const Loop& loop, const SourceRange& range, std::vector<Statement>& out);
  Expression condition(const Instruction& branch, bool inverted);
  void refuse_entries(std::size_t first, std::size_t last, std::size_t except, const char* what);
  [[nodiscard]] bool compares_order() const;
  // Brings what is known after two ways together; each may still get assignments. Declarations go to `out`.
  struct Way {
    State state;
    std::vector<Statement> statements;
    bool reachable = true;
  };
  bool join(Way& one, Way& other, const State& before, const SourceRange& range, std::vector<Statement>& out);
  // What is known after a way that alone goes on, in terms of locals that are there behind its block.
  void take_over(Way& way, const State& before, const SourceRange& range, std::vector<Statement>& out);
  template <typename Translate>
  Way way(const State& before, Translate&& translate) {
    Way result;
    state_ = before;
    ++depth_;
    result.reachable = translate(result.statements);
    --depth_;
    result.state = std::move(state_);
    return result;
  }

  // atomics.cpp
  void update(const Instruction& instruction, std::vector<Statement>& out);
  void exchange(const Instruction& instruction, std::vector<Statement>& out);
  void fetch(const Instruction& instruction, std::vector<Statement>& out);
  void compare_exchange(const Instruction& instruction, std::vector<Statement>& out);
  [[nodiscard]] bool needs_old_value(const Instruction& instruction) const;
  // `if done == 1 { success } else { failure }`, and the flags of that comparison.
  void branch_on(LocalId done, Way success, Way failure, const SourceRange& range,
                 std::vector<Statement>& out);
  // A lwarx at `at`; returns where to go on behind its stwcx.
  std::size_t reservation(std::size_t at, std::size_t last, std::vector<Statement>& out, bool& reachable);
  [[nodiscard]] bool retries(std::size_t at, std::size_t back) const;
  [[nodiscard]] bool rounds_are_alike(std::size_t first, std::size_t last) const;
  // The locals that the value and the address of a stwcx. are computed from.
  std::vector<LocalId> store_inputs(const Instruction& store);
  void reserved_success(std::size_t at, std::size_t end, std::vector<Statement>& out);
  bool reserved_failure(std::size_t at, std::size_t end, bool again, std::vector<Statement>& out);
  Expression read_and_write(const Target& target, LocalId old, Expression written, const SourceRange& range);
  // Drops the execution if the condition holds, and makes what follows depend on it.
  void exclude(Expression condition, const SourceRange& range, std::vector<Statement>& out);

  const ThreadCode& thread_;
  Builder& builder_;
  Body body_;
  State state_;
  unsigned depth_ = 0;  // of blocks around the place that is being written
  std::vector<LocalId> observed_;
  std::vector<Loop> loops_;
  bool has_loop_ = false;
  bool leaves_early_ = false;
  bool needs_exit_ = false;
  bool in_reservation_ = false;
};

}  // namespace heddle::lang::litmus
