// `either { ... } or { ... }`: one alternative of those that can continue.
//
// The thread first chooses an alternative, like any `choose`, and then waits at the `await` with which it begins,
// its guard. No behaviour is lost: the time at which the thread chooses is no event of its own, so an execution
// that takes the alternative when its guard holds is one in which the thread has chosen it and waits until then.
// What is more than that are executions in which the guard never holds. They end, and then the host asks the thread
// for `any_alternative`: it evaluates the guards of all alternatives on final memory. If one holds, the thread
// could have continued there, which the execution with that choice explores; otherwise it is a deadlock. A host that
// follows threads for ever lets it choose again instead, and may leave it at the choice, the entry, until an
// alternative can be taken: see Mailbox::in_either.
//
// A guard is an `await` that nothing comes before but declarations of locals, in the alternative itself or in a
// function with whose call it begins: so asking changes nothing that the guard of another alternative reads. If it is
// another `either` instead, the alternatives of that one are asked in its place.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/generator.hpp"

namespace heddle::compiler {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;
using llvm::BasicBlock;

namespace {

// Reads and changes nothing but locals.
bool is_pure(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::literal:
    case ExpressionKind::local:
    case ExpressionKind::unary:
    case ExpressionKind::binary:
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or:
    case ExpressionKind::conditional:
    case ExpressionKind::bounded: break;
    default: return false;
  }
  return std::all_of(expression.operands.begin(), expression.operands.end(), is_pure);
}

bool calls_only(const Expression& expression) {
  return expression.kind == ExpressionKind::call &&
         std::all_of(expression.operands.begin(), expression.operands.end(), is_pure);
}

std::shared_ptr<const std::vector<std::string>> ordinals(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back("alternative " + std::to_string(i));
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

}  // namespace

bool Generator::keeps_guard(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::block:
    case StatementKind::atomic:
    case StatementKind::await: return true;
    case StatementKind::either:
      return std::all_of(statement.expressions[0].operands.begin(), statement.expressions[0].operands.end(),
                         is_pure);
    case StatementKind::declare:
      return std::all_of(statement.expressions.begin(), statement.expressions.end(), is_pure) ||
             calls_only(statement.expressions[0]);
    case StatementKind::assign:
    case StatementKind::store:
      return statement.expressions.size() == 1 && !statement.compound && calls_only(statement.expressions[0]);
    case StatementKind::evaluate: return calls_only(statement.expressions[0]);
    default: return false;
  }
}

// Chooses an alternative. The guard of the alternatives: if the `either` comes where the guard of an alternative of
// another one would be, all its alternatives are alternatives of that one. A thread that has been asked in that one
// chooses nothing, but begins with the first alternative.
Generator::Guard Generator::begin_either(const Statement& statement, const Guard* around, BasicBlock* first,
                                         llvm::Value*& choice) {
  if (around != nullptr) {
    BasicBlock* usual = frame_->block();
    ir().CreateCondBr(ir().CreateIsNotNull(frame_->load(around->asked)), first, usual);
    frame_->start(usual);
    choice = choose(statement.expressions[0], begun_ ? InEither::no : InEither::inside);
    Guard guard = *around;
    guard.used = guard.waits = false;
    note_alternative(statement, guard, choice, ir().CreateIsNotNull(frame_->load(guard.later)));
    return guard;
  }
  Guard guard{.entry = frame_->block(), .top = frame_->top()};
  frame_->jump(guard.entry);
  frame_->start(guard.entry);
  choice = choose(statement.expressions[0]);
  if (!begun_) guard.choice = frame_->newest_request();
  guard.ask = frame_->block();
  guard.enabled = frame_->block();
  guard.asked = frame_->allocate();
  guard.later = frame_->allocate();
  frame_->store(guard.asked, ir().getInt64(0));
  note_alternative(statement, guard, choice, ir().getFalse());
  guard.site = sites_.waiting(statement.range, scope().call);
  return guard;
}

void Generator::note_alternative(const Statement& statement, const Guard& guard, llvm::Value* choice,
                                 llvm::Value* before) {
  llvm::Value* const mask = mask_;
  llvm::Value* const low = integer(statement.expressions[0].operands[0]);
  mask_ = mask;
  llvm::Value* const later = ir().CreateOr(before, ir().CreateICmpNE(choice, low));
  frame_->store(guard.later, ir().CreateSelect(later, ir().getInt64(in_later_alternative), ir().getInt64(0)));
}

// `guard`: of all alternatives. `first`: the first one, `none`: where the last one leads if its guard does not hold.
void Generator::end_either(const Guard& guard, Guard* around, BasicBlock* first, BasicBlock* none) {
  if (around != nullptr) {
    around->used = guard.used;
    around->waits = around->waits || guard.waits;
    return;
  }
  if (guard.waits && guard.choice != nullptr) frame_->make_entry(*guard.choice);
  if (frame_->start_if_used(guard.ask)) {
    // An alternative without a guard can always continue.
    frame_->store(guard.asked, ir().getInt64(1));
    frame_->jump(guard.used ? first : guard.enabled);
  }
  if (frame_->start_if_used(guard.enabled)) frame_->stop({.op = Op::assume_failed, .site = guard.site});
  if (frame_->start_if_used(none))
    frame_->stop({.op = Op::await_failed, .site = guard.site, .in_either = InEither::inside});
}

void Generator::either(const Statement& statement) {
  Guard* const around = std::exchange(guard_, nullptr);
  if (around == nullptr) restart_point();
  if (statement.body.size() == 1) return either_of_range(statement, around);
  const std::uint32_t top = frame_->top();
  const std::size_t count = statement.body.size();
  std::vector<BasicBlock*> begin(count + 1);
  for (std::size_t i = 0; i < count; ++i) begin[i] = frame_->block();
  begin[count] = around == nullptr ? frame_->block() : around->next;
  llvm::Value* chosen = nullptr;
  Guard all = begin_either(statement, around, begin[0], chosen);
  (void)sites_.chosen(statement.range, {.names = ordinals(count)});  // for traces
  BasicBlock* leave = frame_->block();
  auto* dispatch = ir().CreateSwitch(chosen, begin[count - 1], static_cast<unsigned>(count - 1));
  for (std::size_t i = 0; i + 1 < count; ++i) dispatch->addCase(ir().getInt64(i), begin[i]);
  all.used = true;
  for (std::size_t i = 0; i < count; ++i) {
    frame_->start(begin[i]);
    Guard guard = all;
    guard.next = begin[i + 1];
    guard.used = false;
    guard_ = &guard;
    block(statement.body[i].body);
    guard_ = nullptr;
    all.used = all.used && guard.used;
    all.waits = all.waits || guard.waits;
    frame_->jump(leave);
  }
  end_either(all, around, begin[0], begin[count]);
  frame_->start_if_used(leave);
  frame_->release_to(top);
}

// One block for all numbers of a range.
void Generator::either_of_range(const Statement& statement, Guard* around) {
  const std::uint32_t top = frame_->top();
  const Expression& choice = statement.expressions[0];
  const std::uint32_t variable = allocate();
  scope().bindings[statement.id] = {.slot = variable};
  BasicBlock* first = frame_->block();
  BasicBlock* next = frame_->block();
  BasicBlock* none = around == nullptr ? frame_->block() : around->next;
  BasicBlock* begin = frame_->block();
  BasicBlock* leave = frame_->block();
  llvm::Value* chosen = nullptr;
  Guard guard = begin_either(statement, around, first, chosen);
  if (around == nullptr) guard.top = top;
  const SiteTable::Loop for_each_number(sites_);
  mask_ = nullptr;
  store_masked(variable, chosen);
  frame_->jump(begin);
  frame_->start(begin);
  guard.next = next;
  guard_ = &guard;
  block(statement.body[0].body);
  guard_ = nullptr;
  frame_->jump(leave);
  if (frame_->start_if_used(next)) {
    llvm::Value* const number = ir().CreateAdd(frame_->load(variable), ir().getInt64(1));
    frame_->store(variable, number);
    ir().CreateCondBr(ir().CreateICmpSLT(number, integer(choice.operands[1])), begin, none);
    ir().ClearInsertionPoint();
  }
  end_either(guard, around, first, none);
  if (frame_->start_if_used(first)) {
    llvm::Value* const low = integer(choice.operands[0]);
    mask_ = nullptr;
    store_masked(variable, low);
    frame_->jump(begin);
  }
  frame_->start_if_used(leave);
  frame_->release_to(top);
}

// After op await_failed.
void Generator::answer_in_either(const Guard& guard, BasicBlock* again) {
  BasicBlock* leave = frame_->block();
  auto* dispatch = ir().CreateSwitch(frame_->answer(), again, 2);
  dispatch->addCase(ir().getInt64(any_alternative), guard.ask);
  dispatch->addCase(ir().getInt64(choose_again), leave);
  frame_->start(leave);
  frame_->clear_to(guard.top);
  frame_->jump(guard.entry);
}

}  // namespace heddle::compiler
