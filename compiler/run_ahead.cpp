// Threads that run ahead of their loads: the masks of values, and where the threads wait.
#include <llvm/IR/Module.h>

#include <cstddef>

#include "compiler/generator.hpp"

namespace heddle::compiler {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// The slot of a field of Dependencies, which are at the beginning of the slots.
constexpr std::uint32_t slot_of(std::size_t field) {
  return static_cast<std::uint32_t>(field / sizeof(std::uint64_t));
}
constexpr std::uint32_t address_slot = slot_of(offsetof(Dependencies, address));
constexpr std::uint32_t data_slot = slot_of(offsetof(Dependencies, data));
constexpr std::uint32_t control_slot = slot_of(offsetof(Dependencies, control));
constexpr std::uint32_t compared_slot = slot_of(offsetof(Dependencies, compared));
constexpr std::uint32_t result_slot = slot_of(offsetof(Dependencies, result));
constexpr std::uint32_t sets_slot = slot_of(offsetof(Dependencies, sets));

// The function of the module that makes the union of two sets of loads. (With its branch in the code of the threads, these
// would take a tenth longer to compile.)
llvm::Function* join_function(llvm::Module& module) {
  constexpr const char* name = "join_loads";
  if (llvm::Function* const known = module.getFunction(name)) return known;
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* const word = ir.getInt64Ty();
  llvm::Function* const function =
      llvm::Function::Create(llvm::FunctionType::get(word, {word, word, word}, false),
                             llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  BasicBlock* const entry = BasicBlock::Create(module.getContext(), "", function);
  BasicBlock* const small = BasicBlock::Create(module.getContext(), "", function);
  BasicBlock* const numbered = BasicBlock::Create(module.getContext(), "", function);
  Value* const a = function->getArg(1);
  Value* const b = function->getArg(2);
  ir.SetInsertPoint(entry);
  Value* const bits = ir.CreateOr(a, b);
  ir.CreateCondBr(ir.CreateICmpSLT(bits, ir.getInt64(0)), numbered, small);
  ir.SetInsertPoint(small);
  ir.CreateRet(bits);
  ir.SetInsertPoint(numbered);
  Value* const table = ir.CreateIntToPtr(function->getArg(0), ir.getPtrTy());
  Value* const join = ir.CreateLoad(ir.getPtrTy(), table);
  auto* const type = llvm::FunctionType::get(word, {ir.getPtrTy(), word, word}, false);
  ir.CreateRet(ir.CreateCall(type, join, {table, a, b}));
  return function;
}

bool is_visible(Op op) { return op <= Op::try_lock; }

bool has_result(Op op) {
  return op == Op::load || (op >= Op::exchange && op <= Op::add_if_at_most) || op == Op::try_lock;
}

}  // namespace

std::uint32_t Generator::allocate() {
  const std::uint32_t slot = frame_->allocate();
  if (run_ahead_) static_cast<void>(frame_->allocate());
  return slot;
}

void Generator::store_masked(std::uint32_t slot, Value* value) {
  note_assigned({.first = slot, .length = 1}, nullptr, value);
  frame_->store(slot, value);
  if (run_ahead_) frame_->store(slot + 1, mask_or_none(mask_));
}

Value* Generator::load_masked(std::uint32_t slot) {
  mask_ = run_ahead_ ? frame_->load(slot + 1) : nullptr;
  return frame_->load(slot);
}

SlotRange Generator::slots_of(lang::LocalId local) {
  return {.first = *scope().bindings[local].slot, .length = scope().body->locals[local].length};
}

// The masks of a local array follow its values. An element also depends on what the index of the assignment
// depended on.
void Generator::store_masked(lang::LocalId array, Value* index, Value* value) {
  const SlotRange slots = slots_of(array);
  note_assigned(slots, index, value);
  frame_->store(slots, index, value);
  if (run_ahead_) frame_->store(mask_slots(slots), index, mask_or_none(mask_));
}

Value* Generator::load_masked(lang::LocalId array, Value* index) {
  const SlotRange slots = slots_of(array);
  if (run_ahead_) mask_ = joined(mask_, frame_->load(mask_slots(slots), index));
  return frame_->load(slots, index);
}

Value* Generator::joined(Value* a, Value* b) {
  if (a == nullptr) return b;
  if (b == nullptr || a == b) return a;
  llvm::Function* const join = join_function(*ir().GetInsertBlock()->getModule());
  return ir().CreateCall(join, {frame_->load(sets_slot), a, b});
}

Value* Generator::mask_or_none(Value* mask) { return mask == nullptr ? ir().getInt64(0) : mask; }

llvm::PHINode* Generator::masks_of(Value* const (&masks)[2], BasicBlock* const (&from)[2]) {
  if (masks[0] == nullptr && masks[1] == nullptr) return nullptr;
  llvm::PHINode* result = ir().CreatePHI(ir().getInt64Ty(), 2);
  for (std::size_t arm = 0; arm < 2; ++arm) result->addIncoming(mask_or_none(masks[arm]), from[arm]);
  return result;
}

void Generator::add_control(Value* mask) {
  if (mask != nullptr) frame_->store(control_slot, joined(frame_->load(control_slot), mask));
}

void Generator::wait_for(Value* mask, std::uint32_t site) {
  if (mask == nullptr) return;
  BasicBlock* ask = frame_->block();
  BasicBlock* go_on = frame_->block();
  ir().CreateCondBr(ir().CreateIsNotNull(mask), ask, go_on);
  frame_->start(ask);
  frame_->perform({.op = Op::need, .value = mask, .site = site});
  frame_->jump(go_on);
  frame_->start(go_on);
}

Value* Generator::settled(Value* value) {
  if (mask_ == nullptr || llvm::isa<llvm::Constant>(value)) return value;
  const std::uint32_t top = frame_->top();
  Value* const mask = mask_;
  const Held held = hold(value, true);
  add_control(mask);
  wait_for(mask, 0);
  Value* const result = use(held);
  frame_->release_to(top);
  mask_ = nullptr;
  return result;
}

Value* Generator::known(Value* value, std::uint32_t site) {
  if (mask_ == nullptr || llvm::isa<llvm::Constant>(value)) return value;
  const std::uint32_t top = frame_->top();
  const Held held = hold(value, true);
  wait_for(mask_, site);
  Value* const result = use(held);
  frame_->release_to(top);
  return result;
}

Value* Generator::perform(const Request& asked, Value* address_mask, Value* data_mask, Value* compared_mask) {
  Request request = asked;
  if (is_visible(request.op)) {
    restart_point(
        {&request.location, &request.value, &request.expected, &address_mask, &data_mask, &compared_mask});
  }
  if (section_ && !in_await_ && accesses_memory(request.op)) {
    hold_mutex(
        {&request.location, &request.value, &request.expected, &address_mask, &data_mask, &compared_mask});
  }
  return perform_now(request, address_mask, data_mask, compared_mask);
}

Value* Generator::perform_now(const Request& request, Value* address_mask, Value* data_mask,
                              Value* compared_mask) {
  if (run_ahead_) {
    if (is_conditional(request.op)) frame_->store(compared_slot, mask_or_none(compared_mask));
    frame_->store(address_slot, mask_or_none(address_mask));
    frame_->store(data_slot, mask_or_none(data_mask));
  }
  writes_ = writes_ || (accesses_memory(request.op) && request.op != Op::load);
  Value* const result = frame_->perform(request);
  mask_ = run_ahead_ && has_result(request.op) ? frame_->load(result_slot) : nullptr;
  note_performed(request, result);
  return result;
}

bool Generator::suspends(const lang::Expression& expression) const {
  return run_ahead_ ? facts_.may_wait(expression) : facts_.suspends(expression);
}

// An expression that may wait for loads would wait again.
bool Generator::repeatable(const lang::Expression& expression, bool constant_locals) const {
  return facts_.repeatable(*scope_->body, expression, constant_locals) &&
         !(run_ahead_ && facts_.may_wait(expression));
}

}  // namespace heddle::compiler
