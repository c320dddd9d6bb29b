// Dead slots: those whose values the thread will not read again.
//
// States that differ only in dead slots have the same future. `clear_dead_slots` adds stores of 0 to a thread's code, so that
// each slot that is dead at a suspension is 0 there, and such states have equal bytes. (SPIN's dead-variable reduction.) It is
// the usual analysis of live variables, backward, and then one of slots that may differ from 0, forward, so that a slot is
// cleared at the first suspension after its last use and at no later one.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <vector>

namespace heddle::compiler {

struct SlotRange {
  std::uint32_t first = 0;
  std::uint32_t length = 0;
};

// Where a thread suspends: `at` is the first instruction after all that it reads and writes before, and it continues in `next`.
struct Suspension {
  llvm::Instruction* at = nullptr;
  llvm::BasicBlock* next = nullptr;
};

// What the analysis has to know of a thread's code.
struct SlotCode {
  llvm::Function* function = nullptr;
  llvm::Value* block = nullptr;  // the address of the thread's block, which accesses of slots begin with
  std::uint32_t slots = 0;
  std::vector<Suspension> suspensions;
  // The loads and stores of array elements whose index is computed, with the array.
  llvm::DenseMap<const llvm::Instruction*, SlotRange> elements;
  SlotRange given;              // set before the thread begins
  std::vector<SlotRange> kept;  // read by others at any time
};

// O(blocks * slots) in time and memory, but for loops. Code for which that is too much, beyond 2^28, stays as it is.
void clear_dead_slots(const SlotCode& code);

}  // namespace heddle::compiler
