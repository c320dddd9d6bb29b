// Generates the code of one body (a thread template or the final block) in a Frame.
//
// Evaluation is strictly left to right. A value needed after a later suspension is held in a slot, or
// evaluated later if that gives the same result. Calls are inlined: the callee's body is generated again for
// each call. Files: generator.cpp (entry points, locals), expressions.cpp, operations.cpp, statements.cpp,
// either.cpp, atomic.cpp, restart.cpp, run_ahead.cpp.
//
// A thread that runs ahead of its loads (Dependencies) has the same code plus a mask of loads for each value:
// in a second slot after the value's, and in `mask_` for the value computed last. Masks follow the syntax
// tree and are computed by separate instructions, so no optimisation can remove a dependency. Before each
// branch, division and address, the thread waits for the loads in the mask (run_ahead.cpp).
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/coverage.hpp"
#include "compiler/facts.hpp"
#include "compiler/frame.hpp"
#include "compiler/lower.hpp"
#include "compiler/sites.hpp"
#include "compiler/stack_room.hpp"
#include "compiler/update_pairs.hpp"
#include "compiler/value_types.hpp"
#include "compiler/waiting_updates.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// Loop rounds a thread may execute between two visible operations. Threads that could exceed the limit count
// their rounds, so no program can make the host wait forever.
inline constexpr std::int64_t silent_rounds = 10'000'000;

class Generator {
 public:
  Generator(const lang::Program& program, const Facts& facts, const ValueTypes& types, SiteTable& sites,
            const Options& options);

  struct Result {
    llvm::Function* start;
    std::vector<LocalImage> locals;  // those that conditions can name
    bool writes;                     // see ThreadImage
  };
  // From now on, generated code counts the points it passes.
  void count_into(Coverage& counters, CoveragePoints& points) {
    counters_ = &counters;
    points_ = &points;
    has_probes_ = false;
  }
  // By variable: whether a thread stores to it or exchanges its value.
  [[nodiscard]] const std::vector<bool>& overwritten() const { return overwritten_; }
  // By variable: whether a thread has an operation on it that may not write.
  [[nodiscard]] const std::vector<bool>& loaded() const { return loaded_; }
  // Whether a thread has an assumption that is not known to hold.
  [[nodiscard]] bool assumes() const { return assumes_; }
  // From now on, idle rounds of these loops end the thread, it waits for these updates, and these pairs are one update.
  void end_idle_rounds(std::unordered_set<const lang::Statement*> loops, WaitingUpdates updates,
                       UpdatePairs pairs) {
    retry_loops_ = std::move(loops);
    waiting_updates_ = std::move(updates);
    update_pairs_ = std::move(pairs);
  }
  // By variable: whether a round may be idle although it has locked and unlocked this mutex.
  void set_revertible(std::vector<bool> revertible) { revertible_ = std::move(revertible); }
  // From now on, atomic blocks are critical sections of the mutex at this location; nothing: they are blocks.
  void lock_blocks(std::optional<std::uint32_t> mutex) { block_mutex_ = mutex; }
  // Whether there have been some since then.
  [[nodiscard]] bool has_sections() const { return has_sections_; }
  // By local of the body that comes next: whether others read it at any time.
  void set_named(std::vector<bool> named) { named_ = std::move(named); }
  // By variable: whether a round of a retry loop updates it.
  [[nodiscard]] const std::vector<bool>& updated() const { return updated_; }
  // `name`: of the function. `end`: the site of op done. `argument`: whether local 0 is the thread's
  // argument. `run_ahead`: whether the thread runs ahead of its loads. `endless`: as in Options.
  Result generate(llvm::Module& module, const std::string& name, const lang::Body& body, bool argument,
                  std::uint32_t end, bool run_ahead, bool endless);

 private:
  // Where the value of a local is. A local that is never assigned may be a constant or share another local's
  // slot.
  struct Binding {
    std::optional<std::uint32_t> slot;
    llvm::Constant* constant = nullptr;
  };
  struct Loop {
    llvm::BasicBlock* leave;
    llvm::BasicBlock* next;
    std::uint32_t top;  // slots below belong to the loop or to enclosing scopes
  };
  // A body being generated: the thread's own, or that of an inlined function.
  struct Scope {
    const lang::Body* body;
    std::vector<Binding> bindings;
    std::vector<Loop> loops;
    lang::Type result = lang::Type::none;
    llvm::BasicBlock* leave = nullptr;      // after the inlined body; null for the thread itself
    llvm::PHINode* result_value = nullptr;  // at `leave`; null if the function has no result
    llvm::PHINode* result_mask = nullptr;   // the same for the mask; null in a thread that does not run ahead
    std::uint32_t top = 0;
    const lang::SourceRange* call = nullptr;  // the innermost enclosing call in a user's file
  };
  // A value needed later: an expression to be evaluated then, an SSA value, or a slot.
  struct Held {
    const lang::Expression* later = nullptr;
    llvm::Value* value = nullptr;
    std::optional<std::uint32_t> slot;
    bool boolean = false;
    llvm::Value* mask = nullptr;  // the mask of `value`
  };
  // The shared scalar that an operation accesses.
  struct Place {
    std::uint32_t first = 0;
    std::uint32_t length = 1;
    std::optional<Held> index;
  };

  // expressions.cpp. value(): i1 for a boolean, i64 for an integer. All may change the current block.
  llvm::Value* value(const lang::Expression& expression);
  llvm::Value* integer(const lang::Expression& expression);
  void branch(const lang::Expression& condition, llvm::BasicBlock* yes, llvm::BasicBlock* no);
  void branch_on(llvm::Value* value, llvm::BasicBlock* yes, llvm::BasicBlock* no);
  llvm::Value* local(const lang::Expression& expression);
  llvm::Value* bounded(const lang::Expression& expression);
  llvm::Value* let(const lang::Expression& expression);
  // Evaluates and checks the index of a local array.
  llvm::Value* element(lang::LocalId local, const lang::Expression& index, const lang::SourceRange& range);
  llvm::Value* unary(const lang::Expression& expression);
  llvm::Value* binary(const lang::Expression& expression);
  llvm::Value* logical(const lang::Expression& expression);
  llvm::Value* logical_of_both(const lang::Expression& expression);
  llvm::Value* conditional(const lang::Expression& expression);
  llvm::Value* call(const lang::Expression& expression);
  llvm::Value* arithmetic(lang::BinaryOperator op, llvm::Value* left, llvm::Value* right,
                          const lang::SourceRange& range, llvm::Value* left_mask, llvm::Value* right_mask);

  // operations.cpp
  llvm::Value* operation(const lang::Expression& expression);
  // Its last step, with everything evaluated. Releases what is held beyond `top`.
  llvm::Value* perform_at(const Place& target, const lang::SourceRange& range, Request request,
                          const std::optional<Held>& expected, const std::optional<Held>& operand,
                          std::uint32_t top);
  llvm::Value* choose(const lang::Expression& expression, InEither in_either = InEither::no);
  Place place(std::uint32_t variable, std::span<const lang::Expression> index, bool suspends,
              const lang::SourceRange& range);
  llvm::Value* location(const Place& place, const lang::SourceRange& range);
  void check_index(llvm::Value* index, const Place& place, const lang::SourceRange& range);
  // Requests an operation. The masks are the loads that its address and its operands depend on.
  llvm::Value* perform(const Request& request, llvm::Value* address_mask = nullptr,
                       llvm::Value* data_mask = nullptr, llvm::Value* compared_mask = nullptr);
  // The same, with nothing that has to come before it.
  llvm::Value* perform_now(const Request& request, llvm::Value* address_mask = nullptr,
                           llvm::Value* data_mask = nullptr, llvm::Value* compared_mask = nullptr);
  void store(const lang::Statement& statement);
  // Stops with `request` unless `good` holds.
  void require(llvm::Value* good, const Request& request);

  Held hold(const lang::Expression& expression, bool suspends);
  Held hold(llvm::Value* value, bool suspends);
  llvm::Value* use(const Held& held);

  // run_ahead.cpp. If the thread does not run ahead, the masks are ignored.
  [[nodiscard]] std::uint32_t allocate();                                          // for a value and its mask
  void store_masked(std::uint32_t slot, llvm::Value* value);                       // and `mask_`
  llvm::Value* load_masked(std::uint32_t slot);                                    // sets `mask_`
  void store_masked(lang::LocalId array, llvm::Value* index, llvm::Value* value);  // and `mask_`
  llvm::Value* load_masked(lang::LocalId array, llvm::Value* index);               // adds to `mask_`
  [[nodiscard]] SlotRange slots_of(lang::LocalId local);                           // its values
  [[nodiscard]] static SlotRange mask_slots(SlotRange array) {
    return {.first = array.first + array.length, .length = array.length};
  }
  [[nodiscard]] llvm::Value* joined(llvm::Value* a, llvm::Value* b);
  [[nodiscard]] llvm::Value* mask_or_none(llvm::Value* mask);  // i64
  [[nodiscard]] llvm::PHINode* masks_of(llvm::Value* const (&masks)[2], llvm::BasicBlock* const (&from)[2]);
  // Waits until all loads have values that the value just computed depends on, and returns the value. The
  // caller's SSA values do not survive.
  llvm::Value* settled(llvm::Value* value);
  // The same for values that are not branched on: `mask_` is kept, no control dependency arises.
  llvm::Value* known(llvm::Value* value, std::uint32_t site);
  void wait_for(llvm::Value* mask, std::uint32_t site);
  void add_control(llvm::Value* mask);
  [[nodiscard]] bool suspends(const lang::Expression& expression) const;
  [[nodiscard]] bool repeatable(const lang::Expression& expression, bool constant_locals) const;

  // atomic.cpp
  void atomic(const lang::Statement& statement);
  // Whether all visible operations of the body are in one atomic block.
  [[nodiscard]] bool is_one_block(const lang::Body& body) const;
  void begin_atomic();  // the next operation is the first one of the block, if this is in one
  // With `block_mutex_`:
  void hold_mutex(std::initializer_list<llvm::Value**> needed);
  void leave_section();
  void request_mutex(Op op);

  // either.cpp. A thread that waits in an alternative and that the host asks for `any_alternative` evaluates the guards of
  // all of them.
  struct Guard {
    llvm::BasicBlock* entry = nullptr;  // before the choice
    std::uint32_t top = 0;              // slots from here on are of the `either`
    // The request; null: in a block, where alternatives do not wait.
    llvm::StoreInst* choice = nullptr;
    llvm::BasicBlock* ask = nullptr;      // begins with the first alternative
    llvm::BasicBlock* next = nullptr;     // the next alternative, when asked; or the end: none holds
    llvm::BasicBlock* enabled = nullptr;  // this one holds, when asked
    std::uint32_t asked = 0;              // a slot: whether the thread has been asked
    std::uint32_t later = 0;  // a slot: `in_later_alternative` if it has chosen another one than the first
    std::uint32_t site = 0;
    bool used =
        false;  // whether the alternative begins with a guard, or each of those of the `either` with which it begins
    bool waits = false;  // or some of them
  };
  void either(const lang::Statement& statement);
  void either_of_range(const lang::Statement& statement, Guard* around);
  // `choice`: the value, set.
  Guard begin_either(const lang::Statement& statement, const Guard* around, llvm::BasicBlock* first,
                     llvm::Value*& choice);
  // Sets Guard::later. `before`: whether the thread had chosen a later alternative of an `either` around.
  void note_alternative(const lang::Statement& statement, const Guard& guard, llvm::Value* choice,
                        llvm::Value* before);
  void end_either(const Guard& guard, Guard* around, llvm::BasicBlock* first, llvm::BasicBlock* none);
  // Whether the alternative still is at its beginning after this, or comes to its guard in it.
  [[nodiscard]] static bool keeps_guard(const lang::Statement& statement);
  // A thread at op await_failed in an alternative has been answered; `again`: evaluates the guard.
  void answer_in_either(const Guard& guard, llvm::BasicBlock* again);

  // await.cpp. `guard`: of the alternative that begins with it, or null.
  void await(const lang::Statement& statement, Guard* guard);
  // At the loop that the update stands for.
  void await(const WaitingUpdate& update);
  void evaluate_update(const WaitingUpdate& update, llvm::BasicBlock* met, llvm::BasicBlock* failed);
  void declare_awaited(const lang::Statement& statement);
  void evaluate_awaited(const lang::Statement& statement, llvm::BasicBlock* met, llvm::BasicBlock* failed);
  void branch_if_asked(const Guard* guard, llvm::BasicBlock* yes, llvm::BasicBlock* no);
  // In a critical section. `again`: if the thread has been asked; `wait`: if the condition does not hold.
  void look_once(const lang::Statement& statement, const Guard* guard, llvm::BasicBlock* again,
                 llvm::BasicBlock* wait, llvm::BasicBlock* met);
  // At `again`; waits at `wait`.
  void evaluate_again(const lang::Statement& statement, const Guard* guard, llvm::BasicBlock* again,
                      llvm::BasicBlock* wait, llvm::BasicBlock* met);

  // restart.cpp
  struct Restart {
    const lang::Statement* statement = nullptr;
    Scope* thread = nullptr;
    llvm::BasicBlock* entry = nullptr;
    std::optional<std::uint32_t> rounds;  // a slot: how often; empty if it is not counted
    std::uint32_t top = 0;                // slots from here on are lost
    bool begins = true;                   // nothing can have happened since
  };
  void restart(const lang::Statement& statement);
  // Here the thread may continue from its `restart`. `needed`: what the operation that comes next needs, null or an integer.
  void restart_point(std::initializer_list<llvm::Value**> needed = {});
  // Keeps these values, null or integers, in slots over operations that come in between.
  using Spilled = std::vector<std::pair<llvm::Value**, std::uint32_t>>;
  [[nodiscard]] Spilled spill(std::initializer_list<llvm::Value**> needed);
  void reload(const Spilled& spilled);
  void forget_locals(const Restart& restart);
  // A loop begins: what comes next in the text may have something before it.
  void begin_rounds();

  // statements.cpp
  void block(std::span<const lang::Statement> statements);
  [[nodiscard]] bool comes_before_assume(std::span<const lang::Statement> statements) const;
  void statement(const lang::Statement& statement);
  void if_statement(const lang::Statement& statement);
  void while_statement(const lang::Statement& statement);
  void for_statement(const lang::Statement& statement);
  void loop_body(const lang::Statement& statement, llvm::BasicBlock* leave, llvm::BasicBlock* next,
                 std::uint32_t site);
  // What stands for the loop that begins with this statement; or null.
  [[nodiscard]] const WaitingUpdate* waiting_update(const lang::Statement& first) const;
  void wait_for(const WaitingUpdate& update);
  // The pair of which this statement is the load, or in the condition of which loop both are; or null.
  [[nodiscard]] const UpdatePair* update_pair(const lang::Statement& first) const;
  void load_and_update(const UpdatePair& pair);
  [[nodiscard]] bool is_retried(const lang::Statement& loop) const;
  // The retry loop begins before the first of the statements if its rounds begin there, too.
  void begin_retry_before(std::span<const lang::Statement> statements);
  void begin_retry(const lang::Statement& loop, const lang::Statement* begins);
  // The end of a round of the innermost retry loop.
  void end_round();
  // Records in the retry loops around, or in one of them, that the round is not idle if `changed` (i1) holds. The second one
  // returns that as an i64.
  void note_change(llvm::Value* changed);
  struct Retry;
  llvm::Value* note_change_in(const Retry& loop, llvm::Value* changed);
  void note_assigned(SlotRange slots, llvm::Value* index, llvm::Value* assigned);
  void note_performed(const Request& request, llvm::Value* result);
  void start_round(const Retry& loop);
  void end_probes();
  llvm::Value* probe();
  void note_update(llvm::Value* effect);
  template <typename Enum>
  [[nodiscard]] llvm::Value* constant(Enum value) {
    return ir().getInt64(static_cast<std::uint64_t>(value));
  }
  void return_statement(const lang::Statement& statement);
  void assign_statement(const lang::Statement& statement);
  void assert_statement(const lang::Statement& statement);
  void observe(const lang::Statement& statement);
  // Counts a point of the node; records whether the branch with this arm is decided at compile time. Without
  // counters, both do nothing.
  void count(const void* node, std::uint32_t which = 0);
  void note_branch(const void* node, std::uint32_t arm, bool decided);
  // Keeps the value of a loop bound for all rounds.
  Held keep(const lang::Expression& expression);

  // generator.cpp
  void bind(Scope& scope, lang::LocalId local, llvm::Value* value);
  std::optional<Binding> share(const lang::Body& body, lang::LocalId local, const lang::Expression& initial);
  void declare(lang::LocalId local, const lang::Expression& initial);
  void declare_array(lang::LocalId local, std::span<const lang::Expression> values);

  llvm::IRBuilder<>& ir() { return frame_->builder(); }
  Scope& scope() { return *scope_; }

  const lang::Program& program_;
  const Facts& facts_;
  const ValueTypes& types_;
  SiteTable& sites_;
  const Options& options_;
  // Whether loads may belong to probes (compiler::Probe), so that ways of reading which lead nowhere need not be taken. (These
  // would count for coverage, and a look at a plain variable can race on them.)
  bool has_probes_;
  Coverage* counters_ = nullptr;  // null: no counting
  CoveragePoints* points_ = nullptr;
  Frame* frame_ = nullptr;
  Scope* scope_ = nullptr;
  StackRoom stack_;
  llvm::BasicBlock* done_ = nullptr;
  bool in_await_ = false;
  const WaitingUpdate* awaited_ = nullptr;             // what is waited for instead of a condition
  const WaitingUpdate* attempt_ = nullptr;             // for which the function that comes next has to wait
  const UpdatePair* pair_ = nullptr;                   // of the function that comes next
  const lang::Expression* updated_by_load_ = nullptr;  // the `cas` of the newest pair, if that comes later
  bool in_probe_ = false;                              // in an `await` of several loads
  bool in_guard_ = false;                              // in the `await` with which an alternative begins
  Guard* guard_ = nullptr;                             // of the alternative whose first operation comes next
  // All that follows depends on the next operation, as it would on the `cas` that it stands for.
  bool decides_ = false;
  std::optional<std::uint32_t> begun_;  // inside `atomic`: a slot, whether the block has made an operation
  std::optional<std::uint32_t> block_mutex_;
  // The critical section that is being generated: where jumps leave it.
  struct Section {
    const Scope* scope;
    std::size_t loops;
    std::uint32_t site;
  };
  std::optional<Section> section_;
  bool has_sections_ = false;
  std::optional<Restart> restart_;  // the newest one above
  // The retry loops around the statement, from the outermost to the innermost one.
  struct Retry {
    const lang::Statement* loop;
    // The statement of its body before which rounds end and begin. Null: they end where the body does.
    const lang::Statement* begins;
    std::uint32_t rounds;  // see Frame::add_loop
    // Slots: whether the round has changed anything that it does not revert; the location where it has yet to revert
    // what it wrote, plus 1, or 0.
    std::uint32_t changed;
    std::uint32_t pending;
    std::uint32_t probe;  // a Probe: what the next load would be
    std::uint32_t top;    // slots below are older than the loop
    std::uint32_t site;
  };
  std::vector<Retry> retries_;
  std::unordered_set<const lang::Statement*> retry_loops_;
  WaitingUpdates waiting_updates_;
  UpdatePairs update_pairs_;
  std::vector<bool> revertible_;
  std::vector<bool> updated_;
  std::vector<bool> named_;
  std::vector<bool> overwritten_;
  std::vector<bool> loaded_;
  bool assumes_ = false;
  bool before_assume_ = false;  // the statement is an `assume`, or the next one is
  bool discarded_ = false;      // the expression is a statement
  bool writes_ = false;         // the thread has an operation on memory other than a load
  bool counts_rounds_ = false;
  bool run_ahead_ = false;
  bool endless_ = false;
  llvm::Value* mask_ = nullptr;  // of the value computed last; null: it depends on no load
};

}  // namespace heddle::compiler
