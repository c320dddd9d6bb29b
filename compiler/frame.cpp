#include "compiler/frame.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstddef>

#include "compiler/arithmetic.hpp"
#include "compiler/module.hpp"

namespace heddle::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Value;

constexpr std::uint64_t slot_size = 8;
// Where a state machine keeps the number of its suspension: the place of the coroutine's destroy function,
// which is never used.
constexpr std::uint64_t state_offset = 8;
// LLVM takes time proportional to the number of blocks times the total size of all jump tables. Very large
// state machines therefore search for their state: from `searched_states` states on, with switches over
// `compared_states` states each.
constexpr std::size_t searched_states = 4096;
constexpr std::size_t compared_states = 8;

// In the word that begins with Mailbox::op.
constexpr unsigned probe_shift = 33;  // (comes after one bit for Mailbox::before_assume)
constexpr unsigned in_either_shift = 48;
constexpr unsigned effect_shift = 56;

// The slot, if it is known now. (After a check that has failed for a constant comes code that nothing reaches.)
std::optional<std::uint32_t> known_element(SlotRange array, const Value* index) {
  const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (known == nullptr || !known->getValue().ult(array.length)) return std::nullopt;
  return array.first + static_cast<std::uint32_t>(known->getZExtValue());
}

}  // namespace

Frame::Frame(llvm::Module& module, const std::string& name, FrameForm form, std::uint32_t permanent,
             std::optional<std::uint32_t> argument)
    : module_(module),
      context_(module.getContext()),
      builder_(context_),
      form_(form),
      top_(permanent),
      most_(permanent),
      zeroing_(permanent) {
  auto* type =
      llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getInt64Ty()}, false);
  start_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
  start_->setDoesNotThrow();
  start_->getArg(0)->setName("block");
  start_->getArg(1)->setName("argument");
  leave_ = block();
  ended_ = block();
  leave_->setName("leave");
  ended_->setName("ended");
  if (argument) slots_.given = {.first = *argument, .length = 1};
  if (form_ == FrameForm::coroutine) {
    begin_coroutine(argument);
  } else {
    begin_machine(name, argument);
  }
}

void Frame::begin_coroutine(std::optional<std::uint32_t> argument) {
  function_ = start_;
  function_->setPresplitCoroutine();
  builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", function_));
  // The promise only reserves space at mailbox_offset in the frame. All accesses go through the handle,
  // because LLVM drops stores to a local that does not escape. Its type is a placeholder until finish() knows
  // the number of slots.
  promise_ = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "promise");
  promise_->setAlignment(llvm::Align(block_alignment));
  auto* null = llvm::ConstantPointerNull::get(builder_.getPtrTy());
  Value* id = builder_.CreateIntrinsic(llvm::Intrinsic::coro_id, {},
                                       {builder_.getInt32(block_alignment), promise_, null, null});
  Value* size = builder_.CreateIntrinsic(llvm::Intrinsic::coro_size, {builder_.getInt64Ty()}, {});
  handle_ = builder_.CreateIntrinsic(llvm::Intrinsic::coro_begin, {}, {id, function_->getArg(0)});
  handle_->setName("handle");
  mark_size(size, handle_);
  if (argument) store(*argument, function_->getArg(1));
}

void Frame::mark_size(Value* size, Value* block) {
  auto marker = module_.getOrInsertFunction(block_size_marker, builder_.getVoidTy(), builder_.getInt64Ty(),
                                            builder_.getPtrTy());
  size_marker_ = builder_.CreateCall(marker, {size, block});
}

void Frame::begin_machine(const std::string& name, std::optional<std::uint32_t> argument) {
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name + ".resume", module_);
  function_->setDoesNotThrow();

  builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", start_));
  builder_.CreateStore(function_, start_->getArg(0));
  mark_size(builder_.getInt64(0), start_->getArg(0));
  if (argument) {
    Value* slot = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), start_->getArg(0), offset(*argument));
    builder_.CreateStore(start_->getArg(1), slot);
  }
  builder_.CreateCall(function_, {start_->getArg(0)});
  builder_.CreateRetVoid();

  handle_ = function_->getArg(0);
  handle_->setName("block");
  builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", function_));
  Value* place = field(state_offset);
  state_ = builder_.CreateLoad(builder_.getInt64Ty(), place, "state");
  states_.push_back(block());
  start(states_.front());
}

void Frame::start(BasicBlock* block) {
  block->insertInto(function_);
  builder_.SetInsertPoint(block);
}

void Frame::start_cold(BasicBlock* block) {
  cold_.push_back(block);
  start(block);
}

bool Frame::start_if_used(BasicBlock* block) {
  if (block->use_empty()) {
    delete block;
    builder_.ClearInsertionPoint();
    return false;
  }
  start(block);
  return true;
}

void Frame::jump(BasicBlock* target) {
  if (!reachable()) return;
  builder_.CreateBr(target);
  builder_.ClearInsertionPoint();
}

std::uint32_t Frame::offset(std::uint32_t slot) {
  return static_cast<std::uint32_t>(locals_offset + slot * slot_size);
}

std::uint32_t Frame::allocate() {
  const std::uint32_t slot = top_++;
  most_ = std::max(most_, top_);
  if (zeroing_.size() < most_) zeroing_.resize(most_);
  return slot;
}

void Frame::clear_to(std::uint32_t top) {
  if (!reachable()) return;
  for (std::uint32_t slot = top; slot < top_; ++slot) {
    store(slot, builder_.getInt64(0));
    zeroing_[slot] = llvm::cast<llvm::StoreInst>(&builder_.GetInsertBlock()->back());
  }
}

void Frame::release_to(std::uint32_t top) {
  clear_to(top);
  top_ = top;
}

Value* Frame::load(std::uint32_t slot) {
  return builder_.CreateLoad(builder_.getInt64Ty(), field(offset(slot)));
}

void Frame::store(std::uint32_t slot, Value* value) {
  // A slot is not read between being cleared and its next store: within one block, the zero need not be
  // written.
  llvm::StoreInst*& zero = zeroing_[slot];
  if (zero != nullptr && zero->getParent() == builder_.GetInsertBlock()) zero->eraseFromParent();
  zero = nullptr;
  builder_.CreateStore(widened(builder_, value), field(offset(slot)));
}

Value* Frame::element(SlotRange array, Value* index) {
  Value* const bytes = builder_.CreateMul(index, builder_.getInt64(slot_size));
  Value* const place = builder_.CreateAdd(bytes, builder_.getInt64(offset(array.first)));
  return builder_.CreateGEP(builder_.getInt8Ty(), handle_, {place});
}

Value* Frame::load(SlotRange array, Value* index) {
  if (const auto known = known_element(array, index)) return load(*known);
  auto* const result = builder_.CreateLoad(builder_.getInt64Ty(), element(array, index));
  slots_.elements[result] = array;
  return result;
}

void Frame::store(SlotRange array, Value* index, Value* value) {
  if (const auto known = known_element(array, index)) return store(*known, value);
  slots_.elements[builder_.CreateStore(widened(builder_, value), element(array, index))] = array;
}

Value* Frame::field(std::uint64_t offset) {
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), handle_, offset);
}

// Every field is defined at every suspension. `expected` stays 0 unless a request needs it (perform() resets
// it), so it is not written each time.
void Frame::write(const Request& request) {
  Value* const value = request.value == nullptr ? builder_.getInt64(0) : widened(builder_, request.value);
  builder_.CreateStore(value, mail(offsetof(Mailbox, value)));
  if (request.expected != nullptr)
    builder_.CreateStore(widened(builder_, request.expected), mail(offsetof(Mailbox, expected)));

  Value* const location = request.location == nullptr ? builder_.getInt32(0) : request.location;
  static_assert(offsetof(Mailbox, site) == offsetof(Mailbox, location) + 4);
  if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(location)) {
    const std::uint64_t both = number->getZExtValue() | (std::uint64_t{request.site} << 32U);
    builder_.CreateStore(builder_.getInt64(both), mail(offsetof(Mailbox, location)));
  } else {
    builder_.CreateStore(location, mail(offsetof(Mailbox, location)));
    builder_.CreateStore(builder_.getInt32(request.site), mail(offsetof(Mailbox, site)));
  }

  static_assert(offsetof(Mailbox, fence) == offsetof(Mailbox, op) + 1);
  static_assert(offsetof(Mailbox, in_await) == offsetof(Mailbox, op) + 2);
  static_assert(offsetof(Mailbox, discarded) == offsetof(Mailbox, op) + 3);
  static_assert(offsetof(Mailbox, in_either) * 8 == offsetof(Mailbox, op) * 8 + in_either_shift);
  static_assert(offsetof(Mailbox, effect) * 8 == offsetof(Mailbox, op) * 8 + effect_shift);
  static_assert(offsetof(Mailbox, op) % 8 == 0 && sizeof(Mailbox) == offsetof(Mailbox, op) + 8);
  const std::uint64_t what =
      static_cast<std::uint64_t>(request.op) | (static_cast<std::uint64_t>(request.fence) << 8U) |
      (std::uint64_t{request.in_await} << 16U) | (std::uint64_t{request.discarded} << 24U) |
      (std::uint64_t{request.before_assume} << 32U) |
      (static_cast<std::uint64_t>(request.in_either) << in_either_shift) |
      (request.asks_effect ? static_cast<std::uint64_t>(UpdateEffect::changes) << effect_shift : 0);
  Value* all = builder_.getInt64(what);
  if (begun_) {
    static_assert(offsetof(Mailbox, in_atomic) == offsetof(Mailbox, op) + 5);
    Value* const begun = load(*begun_);
    Value* const place = accesses_memory(request.op) ? builder_.CreateAdd(begun, builder_.getInt64(1))
                                                     : builder_.CreateShl(begun, 1);
    all = builder_.CreateOr(all, builder_.CreateShl(place, 40));
  }
  if (request.probe != nullptr) all = builder_.CreateOr(all, builder_.CreateShl(request.probe, probe_shift));
  newest_request_ = builder_.CreateStore(all, mail(offsetof(Mailbox, op)));
}

void Frame::make_entry(llvm::StoreInst& request) {
  const auto what = llvm::cast<llvm::ConstantInt>(request.getValueOperand())->getZExtValue();
  const auto entry = static_cast<std::uint64_t>(InEither::entry) << in_either_shift;
  request.setOperand(0, builder_.getInt64(what | entry));
}

void Frame::suspend() {
  auto* next = block();
  if (form_ == FrameForm::coroutine) {
    auto* const result = builder_.CreateIntrinsic(
        llvm::Intrinsic::coro_suspend, {}, {llvm::ConstantTokenNone::get(context_), builder_.getFalse()});
    slots_.suspensions.push_back({result, next});
    builder_.CreateSwitch(result, leave_, 1)->addCase(builder_.getInt8(0), next);
  } else {
    auto* state = builder_.getInt64(states_.size());
    slots_.suspensions.push_back({builder_.CreateStore(state, field(state_offset)), next});
    builder_.CreateBr(leave_);
    states_.push_back(next);
  }
  start(next);
}

void Frame::begin_evaluation(bool begins) {
  static_assert(failed_without_load == 1);  // what stays there until a load is made
  builder_.CreateStore(builder_.getInt64(begins ? 1 : 0), mail(offsetof(Mailbox, expected)));
}

Value* Frame::at_first_load() {
  return builder_.CreateLoad(builder_.getInt64Ty(), mail(offsetof(Mailbox, expected)));
}

Value* Frame::effect() {
  Value* const effect = builder_.CreateLoad(builder_.getInt8Ty(), mail(offsetof(Mailbox, effect)));
  return builder_.CreateZExt(effect, builder_.getInt64Ty());
}

Value* Frame::location() {
  Value* const location = builder_.CreateLoad(builder_.getInt32Ty(), mail(offsetof(Mailbox, location)));
  return builder_.CreateZExt(location, builder_.getInt64Ty());
}

Value* Frame::answer() { return builder_.CreateLoad(builder_.getInt64Ty(), mail(offsetof(Mailbox, value))); }

Value* Frame::perform(const Request& request) {
  write(request);
  // (Machines pass a fence without a step, so a loop of fences would hold them for ever.)
  if (rounds_slot_ >= 0 && request.op != Op::fence)
    store(static_cast<std::uint32_t>(rounds_slot_), builder_.getInt64(0));
  suspend();
  if (begun_ && accesses_memory(request.op)) store(*begun_, builder_.getInt64(1));
  switch (request.op) {
    case Op::store:
    case Op::fence:
    case Op::lock:
    case Op::unlock:
    case Op::need:
    case Op::assertion:
    case Op::assumption:
    case Op::await_failed:
    case Op::assert_failed: return nullptr;
    default: break;
  }
  Value* result = builder_.CreateLoad(builder_.getInt64Ty(), mail(offsetof(Mailbox, value)));
  if (request.in_await && request.expected == nullptr) begin_evaluation(false);
  if (request.expected != nullptr) {
    Value* const place = mail(offsetof(Mailbox, expected));
    const auto compare = [&](llvm::CmpInst::Predicate relation) {
      return builder_.CreateICmp(relation, result, builder_.CreateLoad(builder_.getInt64Ty(), place));
    };
    switch (request.op) {
      case Op::compare_exchange:
      case Op::exchange_if_equal:
      case Op::add_if_equal: result = compare(llvm::CmpInst::ICMP_EQ); break;
      case Op::add_if_at_least: result = compare(llvm::CmpInst::ICMP_SGE); break;
      case Op::add_if_at_most: result = compare(llvm::CmpInst::ICMP_SLE); break;
      default: break;
    }
    builder_.CreateStore(builder_.getInt64(0), place);
  }
  return result;
}

void Frame::stop(const Request& request) {
  write(request);
  if (request.op == Op::done) slots_.done = builder_.GetInsertBlock();
  jump(ended_);
}

Value* Frame::round_exceeds(std::int64_t limit) {
  const auto slot = static_cast<std::uint32_t>(rounds_slot_);
  Value* rounds = load(slot);
  store(slot, builder_.CreateAdd(rounds, builder_.getInt64(1)));
  return builder_.CreateICmpSGE(rounds, builder_.getInt64(static_cast<std::uint64_t>(limit)));
}

// Ends `from` with a jump to the block of the current state, which is one of [first, last).
void Frame::dispatch(BasicBlock& from, std::size_t first, std::size_t last) {
  builder_.SetInsertPoint(&from);
  if (states_.size() >= searched_states && last - first > compared_states) {
    const std::size_t middle = first + (last - first) / 2;
    auto* lower = BasicBlock::Create(context_, "", function_);
    auto* upper = BasicBlock::Create(context_, "", function_);
    builder_.CreateCondBr(builder_.CreateICmpULT(state_, builder_.getInt64(middle)), lower, upper);
    dispatch(*lower, first, middle);
    dispatch(*upper, middle, last);
    return;
  }
  auto* cases = builder_.CreateSwitch(state_, states_[first], static_cast<unsigned>(last - first));
  for (std::size_t state = first + 1; state < last; ++state) {
    cases->addCase(builder_.getInt64(state), states_[state]);
  }
}

std::uint32_t Frame::add_loop() {
  slots_.rounds.emplace_back();
  return static_cast<std::uint32_t>(slots_.rounds.size() - 1);
}

void Frame::start_round(std::uint32_t loop) {
  BasicBlock* const begin = slots_.rounds[loop].begin = block();
  jump(begin);
  start(begin);
}

void Frame::set_body(std::uint32_t loop, BasicBlock* body, BasicBlock* leave) {
  slots_.rounds[loop].body = body;
  slots_.rounds[loop].leave = leave;
}

void Frame::note_change(SlotRange slots, Value* before, Value* changes, std::uint32_t loop) {
  slots_.changes.push_back({.slots = slots,
                            .before = llvm::cast<llvm::Instruction>(before),
                            .changes = llvm::cast<llvm::Instruction>(changes),
                            .round = loop});
}

llvm::Function* Frame::finish(std::vector<SlotRange> kept, std::vector<SlotRange> shown, bool clear_dead) {
  for (BasicBlock* block : cold_) block->moveAfter(&function_->back());
  // The end is an ordinary suspension with the resume function cleared explicitly: LLVM's final suspension
  // would leave the number of the previous suspension in the frame, and identical ends would differ in their
  // bytes.
  start(ended_);
  builder_.CreateStore(llvm::ConstantPointerNull::get(builder_.getPtrTy()), handle_);
  suspend();
  builder_.CreateUnreachable();
  start(leave_);
  const std::uint64_t promise_size = sizeof(Mailbox) + most_ * slot_size;
  if (form_ == FrameForm::coroutine) {
    promise_->setAllocatedType(llvm::ArrayType::get(builder_.getInt64Ty(), promise_size / slot_size));
    builder_.CreateIntrinsic(llvm::Intrinsic::coro_end, {},
                             {handle_, builder_.getFalse(), llvm::ConstantTokenNone::get(context_)});
  } else {
    size_marker_->setArgOperand(0, builder_.getInt64(mailbox_offset + promise_size));
  }
  builder_.CreateRetVoid();
  if (form_ == FrameForm::machine) {
    if (states_.size() >= searched_states) function_->addFnAttr("no-jump-tables", "true");
    dispatch(function_->getEntryBlock(), 0, states_.size());
  }
  slots_.function = function_;
  slots_.block = handle_;
  slots_.slots = most_;
  slots_.kept = std::move(kept);
  slots_.shown = std::move(shown);
  drop_dead_changes(slots_);
  if (clear_dead) clear_dead_slots(slots_);
  llvm::EliminateUnreachableBlocks(*function_);
  return start_;
}

}  // namespace heddle::compiler
