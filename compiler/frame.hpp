// One thread's code under construction: its block, its slots, its suspension points.
//
// Everything that lives across a suspension is kept in 64-bit slots behind the mailbox, never in an SSA
// value, and a slot that is not in use holds 0. So the bytes of a block are a function of where the thread
// stands and of the values that matter there: equal states are equal bytes. Slots are a stack, as scopes and
// temporaries nest.
//
// There are two forms of the same code. `coroutine` is the usual one: llvm.coro.* intrinsics, the promise
// holds mailbox and slots. LLVM's passes take quadratic time and memory in the number of suspensions, so
// threads with very many of them take the form `machine`: a plain function with a switch over the
// suspension's number, which lies at offset 8.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/image.hpp"

namespace heddle::compiler {

enum class FrameForm : std::uint8_t { coroutine, machine };

// What goes into the mailbox. A null value is 0.
struct Request {
  Op op = Op::done;
  llvm::Value* value = nullptr;     // i64 or i1
  llvm::Value* expected = nullptr;  // the same
  llvm::Value* location = nullptr;  // i32
  std::uint32_t site = 0;
  Fence fence = Fence::full;
  bool in_await = false;
  bool discarded = false;
};

class Frame {
 public:
  // Begins function `name`, `void (ptr block, i64 argument)`; slots 0 .. permanent - 1 are in use for good.
  // `argument` is the one of them that holds the argument, if any does.
  Frame(llvm::Module& module, const std::string& name, FrameForm form, std::uint32_t permanent,
        std::optional<std::uint32_t> argument);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  [[nodiscard]] llvm::IRBuilder<>& builder() { return builder_; }

  // Blocks are put into the function in the order in which they are started; one that nobody jumps to is
  // dropped.
  [[nodiscard]] llvm::BasicBlock* block() { return llvm::BasicBlock::Create(context_); }
  // The same for code that is rarely run: it goes to the function's end.
  void start_cold(llvm::BasicBlock* block);
  // Continues in `block`. What was being written must have ended.
  void start(llvm::BasicBlock* block);
  // Continues in `block` if something jumps there, otherwise deletes it; is code reachable now?
  bool start_if_used(llvm::BasicBlock* block);
  // Ends the current block, if there is one.
  void jump(llvm::BasicBlock* target);
  // Is there a current block? Code is written only if so.
  [[nodiscard]] bool reachable() const { return builder_.GetInsertBlock() != nullptr; }

  // Slots. Offsets count from the start of the thread's block.
  [[nodiscard]] static std::uint32_t offset(std::uint32_t slot);
  [[nodiscard]] std::uint32_t top() const { return top_; }
  [[nodiscard]] std::uint32_t allocate();
  // Writes zeros into all slots from `top` up; they stay allocated. For jumps out of scopes.
  void clear_to(std::uint32_t top);
  // The same and releases them.
  void release_to(std::uint32_t top);
  // Releases slots that hold zeros already, by every way that leads here.
  void release_cleared(std::uint32_t top) { top_ = top; }
  [[nodiscard]] llvm::Value* load(std::uint32_t slot);
  void store(std::uint32_t slot, llvm::Value* value);  // i64 or i1
  // The same for the slot `index` behind the first of an array; the caller has checked the index. All slots
  // of the array have been stored to before.
  [[nodiscard]] llvm::Value* load(std::uint32_t first, llvm::Value* index);
  void store(std::uint32_t first, llvm::Value* index, llvm::Value* value);

  // Asks for a visible operation, suspends, goes on behind it. Returns what the host left in Mailbox::value;
  // for compare_exchange, i1: whether that was the expected value.
  llvm::Value* perform(const Request& request);
  // Asks for something after which the thread never goes on. Ends the current block.
  void stop(const Request& request);

  // The slot that counts loop rounds since the last suspension, 0 again whenever the thread is suspended.
  void count_rounds(std::uint32_t slot) { rounds_slot_ = slot; }
  // i1: have there been `limit` rounds already? Counts one more.
  [[nodiscard]] llvm::Value* round_exceeds(std::int64_t limit);

  // Closes the function, when all code is written. Returns the function to be called as ThreadImage::start.
  llvm::Function* finish();

 private:
  void begin_coroutine(std::optional<std::uint32_t> argument);
  void begin_machine(const std::string& name, std::optional<std::uint32_t> argument);
  // Addresses in the block and in its mailbox.
  [[nodiscard]] llvm::Value* field(std::uint64_t offset);
  [[nodiscard]] llvm::Value* element(std::uint32_t first, llvm::Value* index);
  [[nodiscard]] llvm::Value* mail(std::uint64_t offset) { return field(mailbox_offset + offset); }
  void mark_size(llvm::Value* size, llvm::Value* block);
  void write(const Request& request);
  void suspend();
  void dispatch(llvm::BasicBlock& from, std::size_t first, std::size_t last);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  FrameForm form_;
  llvm::Function* start_ = nullptr;        // what the host calls
  llvm::Function* function_ = nullptr;     // the code: the same for a coroutine
  llvm::Value* handle_ = nullptr;          // the block
  llvm::AllocaInst* promise_ = nullptr;    // coroutine
  llvm::Value* state_ = nullptr;           // machine: where to go on
  std::vector<llvm::BasicBlock*> states_;  // machine: by state
  llvm::CallInst* size_marker_ = nullptr;  // see module.hpp
  llvm::BasicBlock* leave_ = nullptr;      // returns to the host
  llvm::BasicBlock* ended_ = nullptr;      // suspends for good
  std::vector<llvm::BasicBlock*> cold_;
  std::uint32_t top_ = 0;
  std::uint32_t most_ = 0;
  std::int64_t rounds_slot_ = -1;
  std::vector<llvm::StoreInst*> zeroing_;  // by slot: the last store, if that was a zero of clear_to
};

}  // namespace heddle::compiler
