// The translator for one thread; see translate.hpp for what it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/litmus/translate.hpp"

namespace heddle::lang::litmus {

// Thrown after an error (already reported) that ends the translation of the thread.
struct Untranslatable {};

class Translator {
 public:
  Translator(const ThreadCode& thread, Builder& builder);
  std::optional<std::vector<LocalId>> run();

 private:
  // The two sides of the latest comparison.
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
  // A loop being translated. The registers it writes live in locals at its beginning and end.
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
  // The value of a register, which may be an address, as a number.
  Expression number(const Value& value, const SourceRange& range);
  // The value of an operand of a 32-bit (`word`) or 64-bit instruction.
  Expression number(const Argument& argument, bool word = false);
  Value value(const Argument& argument);
  // The low 32 bits, sign-extended; unchanged if no number of the test can be that large.
  Expression as_word(Expression value, const SourceRange& range) const;
  Value sum(Value left, Value right, const SourceRange& range);
  Target location(const Address& address, const SourceRange& range, bool word = false);
  Expression access(ExpressionKind kind, const Target& target, const SourceRange& range);
  void set(RegisterId reg, Expression expression);
  // Declares a local initialised to the value.
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

  // control_flow.cpp. These return false if the code after them is unreachable.
  bool range(std::size_t first, std::size_t last, std::vector<Statement>& out);
  bool loop(std::size_t first, std::size_t exit, std::vector<Statement>& out);
  // Both return where to continue; `reachable` says whether that point can be reached.
  std::size_t branch(std::size_t at, std::size_t last, std::vector<Statement>& out, bool& reachable);
  std::size_t forward(std::size_t at, std::size_t last, std::vector<Statement>& out, bool& reachable);
  [[nodiscard]] std::size_t back_edge(std::size_t first, std::size_t last) const;
  // Translates the branch if it leaves a loop, starts the next round or ends the thread; else returns false.
  bool jump(std::size_t destination, const SourceRange& range, std::vector<Statement>& out);
  void leave_loop_locals(const Loop& loop, const SourceRange& range, std::vector<Statement>& out);
  Expression condition(const Instruction& branch, bool inverted);
  void refuse_entries(std::size_t first, std::size_t last, std::size_t except, const char* what);
  [[nodiscard]] bool compares_order() const;
  // One of two alternative paths. `join` merges the states after both and may append assignments to either;
  // declarations go to `out`.
  struct Path {
    State state;
    std::vector<Statement> statements;
    bool reachable = true;
  };
  bool join(Path& one, Path& other, const State& before, const SourceRange& range,
            std::vector<Statement>& out);
  // The state after the only path that continues, expressed in locals that are visible after its block.
  void take_over(Path& path, const State& before, const SourceRange& range, std::vector<Statement>& out);
  template <typename Translate>
  Path path(const State& before, Translate&& translate) {
    Path result;
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
  void branch_on(LocalId done, Path success, Path failure, const SourceRange& range,
                 std::vector<Statement>& out);
  // Translates the lwarx at `at`; returns where to continue after its stwcx.
  std::size_t reservation(std::size_t at, std::size_t last, std::vector<Statement>& out, bool& reachable);
  [[nodiscard]] bool retries(std::size_t at, std::size_t back) const;
  [[nodiscard]] bool rounds_are_alike(std::size_t first, std::size_t last) const;
  // The locals from which value and address of a stwcx. are computed.
  std::vector<LocalId> store_inputs(const Instruction& store);
  void reserved_success(std::size_t at, std::size_t end, std::vector<Statement>& out);
  bool reserved_failure(std::size_t at, std::size_t end, bool again, std::vector<Statement>& out);
  Expression read_and_write(const Target& target, LocalId old, Expression written, const SourceRange& range);
  // Excludes executions in which the condition holds, and makes everything after it depend on the condition.
  void exclude(Expression condition, const SourceRange& range, std::vector<Statement>& out);

  const ThreadCode& thread_;
  Builder& builder_;
  Body body_;
  State state_;
  unsigned depth_ = 0;  // number of blocks around the current point
  std::vector<LocalId> observed_;
  std::vector<Loop> loops_;
  bool has_loop_ = false;
  bool leaves_early_ = false;
  bool needs_exit_ = false;
  bool in_reservation_ = false;
};

}  // namespace heddle::lang::litmus
