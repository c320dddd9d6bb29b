// Dead slots: those whose values the thread will not read again before it writes them.
//
// States that differ only in dead slots have the same future. This is used in two ways, by the usual analysis of live
// variables, backward:
//
// - `clear_dead_slots` adds stores of 0 to a thread's code, so that each slot that is dead at a suspension is 0 there, and such
//   states have equal bytes. (SPIN's dead-variable reduction.) A second analysis, forward, finds
//   the slots that may differ from 0, so that a slot is not cleared again and again.
// - `drop_dead_changes` lets a round of a retry loop be idle although it has changed slots that are dead where the next round
//   begins (compiler/retry_loops.hpp).
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

// Code that finds out whether an assignment changes its slots (or one of them).
struct SlotChange {
  SlotRange slots;
  const llvm::Instruction* before = nullptr;  // loads the value that is replaced, for nothing else
  llvm::Instruction* changes = nullptr;       // 1 or 0
  std::uint32_t round = 0;                    // of which loop; index into SlotCode::rounds
};

// Where the rounds of a loop begin. Null: there is no second one. If the condition looks at locals only, it holds again after an
// idle round, so from `begin` the thread comes to `body` and not to `leave`.
struct Rounds {
  llvm::BasicBlock* begin = nullptr;
  llvm::BasicBlock* body = nullptr;  // null: the condition may look at more
  llvm::BasicBlock* leave = nullptr;
};

// What the analysis has to know of a thread's code.
struct SlotCode {
  llvm::Function* function = nullptr;
  llvm::Value* block = nullptr;  // the address of the thread's block, which accesses of slots begin with
  std::uint32_t slots = 0;
  std::vector<Suspension> suspensions;
  // The loads and stores of array elements whose index is computed, with the array.
  llvm::DenseMap<const llvm::Instruction*, SlotRange> elements;
  SlotRange given;                   // set before the thread begins
  std::vector<SlotRange> kept;       // read by others at any time
  std::vector<SlotRange> shown;      // read by others once the thread has come to its end,
  llvm::BasicBlock* done = nullptr;  // that of this block
  std::vector<SlotChange> changes;
  std::vector<Rounds> rounds;
};

// Both take O(blocks * slots) in memory, and in time for each pass over the blocks, of which there are few. Code for which that is
// too much, beyond 2^28, stays as it is.

// The slots in `shown` are cleared like others.
void clear_dead_slots(const SlotCode& code);
// `changes` becomes 0 where the slots are dead at the beginning of the round.
void drop_dead_changes(const SlotCode& code);

}  // namespace heddle::compiler
