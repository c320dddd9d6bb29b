#include "compiler/dead_slots.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "compiler/frame.hpp"

namespace heddle::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BitVector;
using llvm::Instruction;

// Suspensions come at the ends of blocks.
class Analysis {
 public:
  explicit Analysis(const SlotCode& code) : code_(code), kept_(code.slots), shown_(code.slots) {
    for (const SlotRange& range : code.kept) kept_.set(range.first, range.first + range.length);
    for (const Suspension& suspension : code.suspensions) next_[suspension.at->getParent()] = suspension.next;
    for (BasicBlock& block : *code.function) {
      number_[&block] = blocks_.size();
      blocks_.push_back({.block = &block, .live = BitVector(code.slots), .set = BitVector(code.slots)});
    }
  }

  void clear_dead() {
    find_live();
    find_set();
    for (const Suspension& suspension : code_.suspensions) clear(suspension);
  }
  // (Loads that only compare a slot do not keep it alive.)
  void drop_changes() {
    for (const SlotRange& range : code_.shown) shown_.set(range.first, range.first + range.length);
    for (const SlotChange& change : code_.changes) compared_.insert(change.before);
    find_live();
    std::vector<BitVector> live;  // by loop, where its rounds begin
    for (const Rounds& round : code_.rounds)
      live.push_back(round.begin == nullptr ? BitVector(code_.slots) : live_at_beginning(round));
    for (const SlotChange& change : code_.changes) {
      if (code_.rounds[change.round].begin != nullptr && is_live(change.slots, live[change.round])) continue;
      change.changes->setOperand(0, llvm::ConstantInt::getFalse(code_.function->getContext()));
    }
  }

 private:
  struct Facts {
    BasicBlock* block = nullptr;
    BitVector live;  // at the beginning: read before they are written
    BitVector set;   // at the beginning: may differ from 0
  };
  struct Access {
    SlotRange slots;
    bool certain = true;  // of an array, one slot of several
  };

  // Empty if the instruction accesses no slot.
  [[nodiscard]] Access access(const Instruction& instruction) const {
    if (const auto element = code_.elements.find(&instruction); element != code_.elements.end())
      return {.slots = element->second, .certain = false};
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
    const auto* const place = llvm::dyn_cast_or_null<llvm::GEPOperator>(pointer);
    if (place == nullptr || place->getPointerOperand() != code_.block) return {};
    const auto* const offset = llvm::dyn_cast<llvm::ConstantInt>(place->getOperand(1));
    if (offset == nullptr || offset->getZExtValue() < Frame::offset(0)) return {};
    const auto slot = (offset->getZExtValue() - Frame::offset(0)) / (Frame::offset(1) - Frame::offset(0));
    return {.slots = {.first = static_cast<std::uint32_t>(slot), .length = 1}};
  }

  [[nodiscard]] const BitVector& live_at(const BasicBlock* block) const {
    return blocks_[number_.lookup(block)].live;
  }
  [[nodiscard]] BitVector live_after(const BasicBlock* next) const {  // a suspension
    BitVector live = live_at(next);
    return live |= kept_;
  }
  [[nodiscard]] bool is_live(const SlotRange& slots, const BitVector& live) const {
    for (std::uint32_t slot = slots.first; slot < slots.first + slots.length; ++slot) {
      if (live.test(slot) || kept_.test(slot)) return true;
    }
    return false;
  }
  // `live`: at the end of the block, then at its beginning.
  void read_backward(const BasicBlock& block, BitVector& live) const {
    for (const Instruction& instruction : std::ranges::reverse_view(block)) {
      const auto [slots, certain] = access(instruction);
      if (slots.length == 0) continue;
      if (llvm::isa<llvm::LoadInst>(instruction)) {
        if (compared_.contains(&instruction)) continue;
        live.set(slots.first, slots.first + slots.length);
      } else if (certain) {
        live.reset(slots.first);
      }
    }
  }
  void find_live() {
    BitVector live(code_.slots);
    for (bool changed = true; changed;) {
      changed = false;
      for (Facts& facts : std::ranges::reverse_view(blocks_)) {
        live.reset();
        for (const BasicBlock* next : llvm::successors(facts.block)) live |= live_at(next);
        if (const BasicBlock* const next = next_.lookup(facts.block)) live |= live_after(next);
        if (facts.block == code_.done) live |= shown_;
        read_backward(*facts.block, live);
        if (live == facts.live) continue;
        facts.live = live;
        changed = true;
      }
    }
  }

  [[nodiscard]] BitVector live_at_beginning(const Rounds& round) const {
    if (round.body == nullptr) return live_at(round.begin);
    llvm::DenseMap<const BasicBlock*, std::optional<BitVector>> known{{round.leave, std::nullopt}};
    known[round.body] = live_at(round.body);
    return *live_towards_body(*round.begin, known);
  }
  // Of the blocks of a condition, which have no cycles and do not suspend. Empty: the block does not lead to the body.
  std::optional<BitVector> live_towards_body(
      const BasicBlock& block, llvm::DenseMap<const BasicBlock*, std::optional<BitVector>>& known) const {
    if (const auto before = known.find(&block); before != known.end()) return before->second;
    std::optional<BitVector> live;
    for (const BasicBlock* next : llvm::successors(&block)) {
      const auto after = live_towards_body(*next, known);
      if (!after) continue;
      if (live) {
        *live |= *after;
      } else {
        live = after;
      }
    }
    if (live) read_backward(block, *live);
    known[&block] = live;
    return live;
  }

  // `set`: at the beginning of the block, then at its end.
  void read_forward(const BasicBlock& block, BitVector& set) const {
    for (const Instruction& instruction : block) {
      if (!llvm::isa<llvm::StoreInst>(instruction)) continue;
      const auto [slots, certain] = access(instruction);
      if (slots.length == 0) continue;
      const auto* const value = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(0));
      if (value == nullptr || !value->isZero()) {
        set.set(slots.first, slots.first + slots.length);
      } else if (certain) {
        set.reset(slots.first);
      }
    }
  }
  void find_set() {
    BitVector set(code_.slots);
    blocks_.front().set.set(code_.given.first, code_.given.first + code_.given.length);
    for (bool changed = true; changed;) {
      changed = false;
      const auto reach = [&](const BasicBlock* next) {
        BitVector& known = blocks_[number_.lookup(next)].set;
        if (!set.test(known)) return;
        known |= set;
        changed = true;
      };
      for (const Facts& facts : blocks_) {
        set = facts.set;
        read_forward(*facts.block, set);
        if (BasicBlock* const next = next_.lookup(facts.block)) {
          set &= live_after(next);
          reach(next);
        }
        for (const BasicBlock* next : llvm::successors(facts.block)) reach(next);
      }
    }
  }
  void clear(const Suspension& suspension) {
    const BasicBlock* const block = suspension.at->getParent();
    BitVector set = blocks_[number_.lookup(block)].set;
    read_forward(*block, set);
    set.reset(live_after(suspension.next));
    llvm::IRBuilder<> ir(suspension.at);
    for (const unsigned slot : set.set_bits()) {
      llvm::Value* const place = ir.CreateConstGEP1_64(ir.getInt8Ty(), code_.block, Frame::offset(slot));
      ir.CreateStore(ir.getInt64(0), place);
    }
  }

  const SlotCode& code_;
  BitVector kept_;
  BitVector shown_;
  llvm::DenseSet<const Instruction*> compared_;
  llvm::DenseMap<const BasicBlock*, BasicBlock*> next_;  // of blocks at whose ends the thread suspends
  llvm::DenseMap<const BasicBlock*, std::size_t> number_;
  std::vector<Facts> blocks_;
};

bool is_large(const SlotCode& code) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28U;
  return std::uint64_t{code.slots} * code.function->size() > most;
}

}  // namespace

void clear_dead_slots(const SlotCode& code) {
  if (!is_large(code)) Analysis(code).clear_dead();
}

void drop_dead_changes(const SlotCode& code) {
  if (!code.changes.empty() && !is_large(code)) Analysis(code).drop_changes();
}

}  // namespace heddle::compiler
