// Writes the code of one body (a thread template or the final block) into a Frame.
//
// Evaluation is strictly left to right. A value that is needed behind a later suspension is held in a slot,
// or simply evaluated later if that makes no difference. Calls are inlined: the callee's body is written
// again at each call. Files: generator.cpp the outside and locals, expressions.cpp, operations.cpp,
// statements.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/facts.hpp"
#include "compiler/frame.hpp"
#include "compiler/lower.hpp"
#include "compiler/sites.hpp"
#include "compiler/stack_room.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// Loop rounds that a thread may make between two visible operations. A thread that could make more counts
// them, so that no program can keep the host waiting for ever.
inline constexpr std::int64_t silent_rounds = 10'000'000;

class Generator {
 public:
  Generator(const lang::Program& program, const Facts& facts, SiteTable& sites, const Options& options);

  struct Result {
    llvm::Function* start;
    std::vector<jit::LocalImage> locals;  // those that conditions can name
  };
  // `name` is the function's, `end` names the place of op done. `argument`: local 0 is the thread's argument.
  Result generate(llvm::Module& module, const std::string& name, const lang::Body& body, bool argument,
                  std::uint32_t end);

 private:
  // Where the value of a local is. A local that is never assigned may be a constant or share another's slot.
  struct Binding {
    std::optional<std::uint32_t> slot;
    llvm::Constant* constant = nullptr;
  };
  struct Loop {
    llvm::BasicBlock* leave;
    llvm::BasicBlock* next;
    std::uint32_t top;  // slots below belong to the loop itself or to what is around it
  };
  // A body being written: the thread itself, or a function inlined into it.
  struct Scope {
    const lang::Body* body;
    std::vector<Binding> bindings;
    std::vector<Loop> loops;
    lang::Type result = lang::Type::none;
    llvm::BasicBlock* leave = nullptr;      // behind the inlined body; null for the thread itself
    llvm::PHINode* result_value = nullptr;  // at `leave`; null if the function has no result
    std::uint32_t top = 0;
  };
  // A value for later: an expression still to be evaluated, an SSA value, or a slot.
  struct Held {
    const lang::Expression* later = nullptr;
    llvm::Value* value = nullptr;
    std::optional<std::uint32_t> slot;
    bool boolean = false;
  };
  // The shared scalar that an operation is about.
  struct Place {
    std::uint32_t first = 0;
    std::optional<Held> index;
  };

  // expressions.cpp. value(): i1 for a boolean, i64 for an integer. All may leave another current block.
  llvm::Value* value(const lang::Expression& expression);
  llvm::Value* integer(const lang::Expression& expression);
  void branch(const lang::Expression& condition, llvm::BasicBlock* yes, llvm::BasicBlock* no);
  llvm::Value* local(const lang::Expression& expression);
  llvm::Value* bounded(const lang::Expression& expression);
  // Evaluates the index of a local array and checks it.
  llvm::Value* element(lang::LocalId local, const lang::Expression& index, const lang::SourceRange& range);
  llvm::Value* unary(const lang::Expression& expression);
  llvm::Value* binary(const lang::Expression& expression);
  llvm::Value* logical(const lang::Expression& expression);
  llvm::Value* conditional(const lang::Expression& expression);
  llvm::Value* call(const lang::Expression& expression);
  void inline_call(const lang::Expression& call, Scope& callee);
  llvm::Value* arithmetic(lang::BinaryOperator op, llvm::Value* left, llvm::Value* right,
                          const lang::SourceRange& range);

  // operations.cpp
  llvm::Value* operation(const lang::Expression& expression);
  llvm::Value* choose(const lang::Expression& expression);
  Place place(std::uint32_t variable, std::span<const lang::Expression> index, bool suspends,
              const lang::SourceRange& range);
  llvm::Value* location(const Place& place);
  void store(const lang::Statement& statement);
  // Stops with `request` unless `good`; goes on otherwise.
  void require(llvm::Value* good, const Request& request);

  Held hold(const lang::Expression& expression, bool suspends);
  Held hold(llvm::Value* value, bool suspends);
  llvm::Value* use(const Held& held);

  // statements.cpp
  void block(std::span<const lang::Statement> statements);
  void statement(const lang::Statement& statement);
  void if_statement(const lang::Statement& statement);
  void while_statement(const lang::Statement& statement);
  void for_statement(const lang::Statement& statement);
  void loop_body(const lang::Statement& statement, llvm::BasicBlock* leave, llvm::BasicBlock* next,
                 std::uint32_t site);
  void return_statement(const lang::Statement& statement);
  void assign_statement(const lang::Statement& statement);
  void assert_statement(const lang::Statement& statement);
  void await_statement(const lang::Statement& statement);
  // The value of a loop bound for all rounds.
  Held keep(const lang::Expression& expression);

  // generator.cpp
  void bind(Scope& scope, lang::LocalId local, llvm::Value* value);
  std::optional<Binding> share(const lang::Body& body, lang::LocalId local, const lang::Expression& initial);
  void declare(lang::LocalId local, const lang::Expression& initial);
  void declare_array(const lang::Statement& statement);

  llvm::IRBuilder<>& ir() { return frame_->builder(); }
  Scope& scope() { return *scope_; }

  const lang::Program& program_;
  const Facts& facts_;
  SiteTable& sites_;
  const Options& options_;
  Frame* frame_ = nullptr;
  Scope* scope_ = nullptr;
  StackRoom stack_;
  llvm::BasicBlock* done_ = nullptr;
  bool in_await_ = false;
  bool counts_rounds_ = false;
};

}  // namespace heddle::compiler
