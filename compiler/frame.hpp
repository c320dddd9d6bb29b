// The code of one thread under construction: its block, slots and suspension points.
//
// Everything that lives across a suspension is kept in 64-bit slots after the mailbox, never in an SSA value,
// and an unused slot holds 0. The bytes of a block are therefore a function of the thread's position and of
// the live values: equal states have equal bytes. Slots form a stack, because scopes and temporaries nest.
//
// The same code has two forms. `coroutine` is the usual one: it uses llvm.coro.* intrinsics, and the promise
// holds mailbox and slots. LLVM's passes take quadratic time and memory in the number of suspensions, so
// threads with very many of them use the form `machine`: a plain function with a switch over the number of
// the suspension, which is stored at offset 8.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/dead_slots.hpp"
#include "compiler/image.hpp"

namespace heddle::compiler {

enum class FrameForm : std::uint8_t { coroutine, machine };

// The contents of the mailbox. A null value stands for 0.
struct Request {
  Op op = Op::done;
  llvm::Value* value = nullptr;     // i64 or i1
  llvm::Value* expected = nullptr;  // the same
  llvm::Value* location = nullptr;  // i32
  std::uint32_t site = 0;
  Fence fence = Fence::full;
  bool in_await = false;
  bool discarded = false;
  bool before_assume = false;
  InEither in_either = InEither::no;
  llvm::Value* probe = nullptr;  // i64, a Probe
  bool asks_effect = false;      // see Mailbox::effect
};

[[nodiscard]] constexpr bool accesses_memory(Op op) { return op <= Op::try_lock && op != Op::fence; }

class Frame {
 public:
  // Begins function `name`, `void (ptr block, i64 argument)`. Slots 0 .. permanent - 1 are never released;
  // `argument` is the one that holds the thread's argument, if it has one.
  Frame(llvm::Module& module, const std::string& name, FrameForm form, std::uint32_t permanent,
        std::optional<std::uint32_t> argument);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  [[nodiscard]] llvm::IRBuilder<>& builder() { return builder_; }

  // Blocks appear in the function in the order in which they are started. A block without a predecessor is
  // dropped.
  [[nodiscard]] llvm::BasicBlock* block() { return llvm::BasicBlock::Create(context_); }
  // Continues in a block of rarely executed code, which is placed at the end of the function.
  void start_cold(llvm::BasicBlock* block);
  // Continues in `block`. The current block must have been ended.
  void start(llvm::BasicBlock* block);
  // Continues in `block` if it has a predecessor, else deletes it. Returns whether code is now reachable.
  bool start_if_used(llvm::BasicBlock* block);
  // Ends the current block, if there is one.
  void jump(llvm::BasicBlock* target);
  // Whether there is a current block. Code may be emitted only if there is one.
  [[nodiscard]] bool reachable() const { return builder_.GetInsertBlock() != nullptr; }

  // Slots. Offsets count from the start of the thread's block.
  [[nodiscard]] static std::uint32_t offset(std::uint32_t slot);
  [[nodiscard]] std::uint32_t top() const { return top_; }
  [[nodiscard]] std::uint32_t allocate();
  // Zeroes all slots from `top` up without releasing them. For jumps out of scopes.
  void clear_to(std::uint32_t top);
  // Zeroes and releases all slots from `top` up.
  void release_to(std::uint32_t top);
  // Releases slots that are already zero on every path to this point.
  void release_cleared(std::uint32_t top) { top_ = top; }
  [[nodiscard]] llvm::Value* load(std::uint32_t slot);
  void store(std::uint32_t slot, llvm::Value* value);  // i64 or i1
  // The same for element `index` of the array in these slots. The caller has checked the index. All slots of the array
  // must have been stored to before.
  [[nodiscard]] llvm::Value* load(SlotRange array, llvm::Value* index);
  void store(SlotRange array, llvm::Value* index, llvm::Value* value);

  // Requests a visible operation, suspends, and continues after it. Returns Mailbox::value as the host left
  // it; for compare_exchange, exchange_if_equal and add_if_* an i1: whether the thread has written.
  llvm::Value* perform(const Request& request);
  // Mailbox::value as the host left it.
  [[nodiscard]] llvm::Value* answer();
  // Mailbox::effect and Mailbox::location, as i64, after an operation with `asks_effect`.
  [[nodiscard]] llvm::Value* effect();
  [[nodiscard]] llvm::Value* location();
  // The store of the newest request that says what it is; and makes it the entry of an `either`. (Outside of blocks.)
  [[nodiscard]] llvm::StoreInst* newest_request() const { return newest_request_; }
  // What its operation has read (i64), until the next request.
  [[nodiscard]] llvm::Value* newest_answer() {
    return builder_.CreateLoad(builder_.getInt64Ty(), mail(offsetof(Mailbox, value)));
  }
  void make_entry(llvm::StoreInst& request);
  // Whether the next load of an `await` is the first one of an evaluation: see Mailbox::in_await.
  void begin_evaluation(bool begins);
  [[nodiscard]] llvm::Value* at_first_load();  // i64, 0 or 1
  // Makes a request after which the thread is never resumed. Ends the current block.
  void stop(const Request& request);

  // From now on requests are part of an atomic block; the slot says whether that has accessed memory. Empty: of no block.
  void set_block(std::optional<std::uint32_t> begun) { begun_ = begun; }

  // Sets the slot that counts loop rounds since the last operation but fences. It is reset to 0 before each of these.
  void count_rounds(std::uint32_t slot) { rounds_slot_ = slot; }
  // An i1: whether there have been `limit` rounds. Then counts one more.
  [[nodiscard]] llvm::Value* round_exceeds(std::int64_t limit);

  // A loop whose rounds may be idle: the number for the three below.
  [[nodiscard]] std::uint32_t add_loop();
  // Its next round begins here.
  void start_round(std::uint32_t loop);
  // Its condition, which looks at locals only, leads to one of these.
  void set_body(std::uint32_t loop, llvm::BasicBlock* body, llvm::BasicBlock* leave);
  // The i64 `changes` says whether an assignment changes these slots, or one of them, whose value was `before`, a load. It will be
  // 0 if they are dead where the loop's next round begins.
  void note_change(SlotRange slots, llvm::Value* before, llvm::Value* changes, std::uint32_t loop);

  // Completes the function. Others read the slots in `kept` at any time and those in `shown` when the thread is done.
  // `clear_dead`: dead slots are 0 at each suspension, but for `kept`; so are those in `shown` at the end, and the caller must
  // not show them. Returns the function for ThreadImage::start.
  llvm::Function* finish(std::vector<SlotRange> kept, std::vector<SlotRange> shown, bool clear_dead);

 private:
  void begin_coroutine(std::optional<std::uint32_t> argument);
  void begin_machine(const std::string& name, std::optional<std::uint32_t> argument);
  // Addresses in the block and in its mailbox.
  [[nodiscard]] llvm::Value* field(std::uint64_t offset);
  [[nodiscard]] llvm::Value* element(SlotRange array, llvm::Value* index);
  [[nodiscard]] llvm::Value* mail(std::uint64_t offset) { return field(mailbox_offset + offset); }
  void mark_size(llvm::Value* size, llvm::Value* block);
  void write(const Request& request);
  void suspend();
  void dispatch(llvm::BasicBlock& from, std::size_t first, std::size_t last);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  FrameForm form_;
  llvm::Function* start_ = nullptr;        // called by the host
  llvm::Function* function_ = nullptr;     // the code; the same as start_ for a coroutine
  llvm::Value* handle_ = nullptr;          // the block
  llvm::AllocaInst* promise_ = nullptr;    // coroutine
  llvm::Value* state_ = nullptr;           // machine: the current state
  std::vector<llvm::BasicBlock*> states_;  // machine: by state
  llvm::CallInst* size_marker_ = nullptr;  // see module.hpp
  llvm::StoreInst* newest_request_ = nullptr;
  llvm::BasicBlock* leave_ = nullptr;  // returns to the host
  llvm::BasicBlock* ended_ = nullptr;  // suspends forever
  std::vector<llvm::BasicBlock*> cold_;
  std::uint32_t top_ = 0;
  std::uint32_t most_ = 0;
  std::int64_t rounds_slot_ = -1;
  std::optional<std::uint32_t> begun_;
  SlotCode slots_;
  std::vector<llvm::StoreInst*> zeroing_;  // by slot: the last store, if it was a zero from clear_to
};

}  // namespace heddle::compiler
