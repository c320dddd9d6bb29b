// The contract between compiled threads and the checker: mailbox, thread block, program image.
//
// A thread is a coroutine whose entire state is one block of bytes owned by the checker:
//
//   offset 0   resume function (null once the thread has ended), destroy function
//   offset 16  Mailbox
//   offset 48  locals, then the coroutine's own bookkeeping, up to ThreadImage::block_size;
//              if the thread runs ahead of its loads, Dependencies come first
//
// The thread writes its next visible operation into the mailbox and suspends *before* the operation happens.
// The checker performs the operation by its memory model, writes the result to Mailbox::value and resumes the
// thread. Copying the bytes of the block takes a snapshot; copying them back to the same address continues
// from there. This header does not depend on LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::compiler {

// A thread's requests. "in" and "out" describe the fields of the mailbox before and after; fields not
// mentioned are 0 before. The host changes no field but `value` and `effect`.
enum class Op : std::uint8_t {
  load,              // in: location; expected: see Mailbox::in_await   out: value
  store,             // in: location, value
  exchange,          // in: location, value (new)                 out: value (old)
  compare_exchange,  // in: location, expected, value (desired)   out: value (the one read; success if it
                     // equals expected)
  fetch_add,         // in: location, value (operand)             out: value (old); the same for all fetch_*
  fetch_sub,
  fetch_and,
  fetch_or,
  fetch_xor,
  fetch_max,
  fetch_min,
  // In an `await`. in: location, value (new, or addend), expected   out: value (old; it has written if that is equal to, at
  // least, or at most `expected`)
  exchange_if_equal,
  add_if_equal,
  add_if_at_least,
  add_if_at_most,
  fence,     // in: fence
  lock,      // in: location
  unlock,    // in: location
  try_lock,  // in: location                              out: value (1 acquired, 0 not)
  choose,    // in: value (low), expected (high), low < high   out: value, low <= value < high
  // Threads that run ahead only: asks for the values of the loads in the mask, before a branch or an address
  // that depends on them. The host resumes the thread once every load in the mask has its final value.
  need,  // in: value (mask of loads)
  // Threads that run ahead only: an `assert` or `assume` that depends on the loads of Dependencies::data. The
  // thread continues at once; the host judges the claim when these loads have their values.
  assertion,   // in: value (whether it holds)
  assumption,  // in: value (whether it holds)
  // The thread cannot continue by itself. `await_failed` may be resumed: the thread evaluates the condition
  // again; what it does if it waits in an alternative of an `either` is up to the answer: see `own_alternative`.
  await_failed,   // in: expected (failed_without_load | in_later_alternative)   out: value
  assume_failed,  // this and all below except assert_failed: never resumed
  idle_round,     // a round of a retry loop has changed nothing: Options::end_idle of the compiler
  loop_bound,     // more rounds of a `while` than Options::unroll of the compiler
  round_limit,    // more rounds of a `for`, or between two operations, than are allowed
  // Violations detected by the thread itself. `assert_failed` may be resumed: the thread continues after the
  // assertion. The others are never resumed.
  assert_failed,
  index_out_of_bounds,  // in: value (index), expected (length)
  division_by_zero,
  empty_choice,  // in: value (low), expected (high)
  done,
};

// Of read-modify-writes: whether it may read without writing.
[[nodiscard]] constexpr bool is_conditional(Op op) {
  return op == Op::compare_exchange || (op >= Op::exchange_if_equal && op <= Op::add_if_at_most);
}

// What a thread that waits in an alternative of an `either` does next. It evaluates the guard of that alternative; or
// those of all alternatives, until one holds, and then stops elsewhere (only on trial runs, after which it is restored);
// or it chooses again.
inline constexpr std::int64_t own_alternative = 0;
inline constexpr std::int64_t any_alternative = 1;
inline constexpr std::int64_t choose_again = 2;

// Of a thread at op await_failed, in Mailbox::expected. `failed_without_load`: the condition was false whatever memory holds, as
// `r != 0` can be. Then the thread waits for ever, whatever it read last. `in_later_alternative`: it waits in another
// alternative of an `either` than the first.
inline constexpr std::int64_t failed_without_load = 1;
inline constexpr std::int64_t in_later_alternative = 2;

// What an operation is to an `either`. `entry`: a `choose` of an alternative, of which some begin with an `await`.
// `inside`: what comes between that and the first operation after the `await`: a `choose` of another `either` with which
// the alternative begins, a load of the condition, and `await_failed`.
enum class InEither : std::uint8_t { no, entry, inside };

enum class Fence : std::uint8_t { full, lightweight, store_store, instruction };

// What a load is to a *probe*: one evaluation of an `await` of several loads; or a round of a retry loop, up to its first other
// operation and as long as it has changed nothing.
enum class Probe : std::uint8_t { none, first, later };

// What a read-modify-write in a round of a retry loop comes to. `changes`: others may notice, or it is not known.
// `nothing`: it wrote nothing, or the value that it read. `reverts`: it reverts what the thread itself wrote to the location last,
// and all that lies between the two in coherence order: see LocationImage::revertible.
enum class UpdateEffect : std::uint8_t { not_asked, changes, nothing, reverts };

struct Mailbox {
  std::int64_t value;
  std::int64_t expected;
  std::uint32_t location;  // also of a mutex: 0 if free, otherwise the owner's thread number + 1
  std::uint32_t site;      // index into Image::sites: the operation's site
  Op op;
  Fence fence;
  // 1: the operation (load, compare_exchange, exchange_if_equal, add_if_*, try_lock) is part of the condition of an `await`, and writes
  // only if that is met. Of a load, `expected` is then 1 if it is the first one of this evaluation.
  std::uint8_t in_await;
  std::uint8_t discarded;          // 1: an exchange or fetch_* whose result is not used
  std::uint8_t before_assume : 1;  // 1: the load is in an `assume`, or in the statement before it
  Probe probe : 2;                 // of a load
  // An operation on memory in an atomic block: 1 if it is the block's first one, 2 if it is a later one. Between these
  // no other thread does anything. Of a `choose`, and where the thread stops: 2 if it comes after the first one.
  std::uint8_t in_atomic;
  InEither in_either;
  UpdateEffect effect;  // in: `changes` or `not_asked`   out: the effect, if it was not `not_asked`
};
static_assert(sizeof(Mailbox) == 32);

inline constexpr std::size_t mailbox_offset = 16;
inline constexpr std::size_t locals_offset = mailbox_offset + sizeof(Mailbox);
inline constexpr std::size_t block_alignment = 16;

[[nodiscard]] inline Mailbox& mailbox(void* block) {
  return *reinterpret_cast<Mailbox*>(static_cast<std::byte*>(block) + mailbox_offset);
}
[[nodiscard]] inline const Mailbox& mailbox(const void* block) {
  return *reinterpret_cast<const Mailbox*>(static_cast<const std::byte*>(block) + mailbox_offset);
}

// The dependencies of the next operation of a thread that runs ahead of its loads. Such a thread
// (compiler::Options::run_ahead) is resumed after a load before the load has a value: with an arbitrary
// value, and the set of this load in `result`. Such values are only copied to locals and stored data; before a
// branch or an address depends on one, the thread asks for it by Op::need. A set of loads is a word, also called a
// mask. 0 is the empty set; the union of two is a | b, or what the table says if the highest bit of that is set.
// Sets follow the program's text: `r ^ r` depends on whatever `r` depends on.
struct LoadSetTable {
  std::uint64_t (*join)(LoadSetTable* self, std::uint64_t a, std::uint64_t b);
};
struct Dependencies {
  std::uint64_t address;   // in: loads that the operation's address depends on
  std::uint64_t data;      // in: loads that its operands, or an assertion's condition, depend on
  std::uint64_t control;   // in: loads that branches so far depend on
  std::uint64_t compared;  // in: if is_conditional(op), loads that `expected` depends on; otherwise undefined
  // out: the load, read-modify-write or trylock just executed, and no other
  std::uint64_t result;
  LoadSetTable* sets;  // out, before the first set with the highest bit
};
static_assert(sizeof(Dependencies) == 6 * sizeof(std::uint64_t));
inline constexpr std::size_t dependencies_offset = locals_offset;

[[nodiscard]] inline Dependencies& dependencies(void* block) {
  return *reinterpret_cast<Dependencies*>(static_cast<std::byte*>(block) + dependencies_offset);
}
[[nodiscard]] inline const Dependencies& dependencies(const void* block) {
  return *reinterpret_cast<const Dependencies*>(static_cast<const std::byte*>(block) + dependencies_offset);
}

// Runs the thread from its suspension to its next visible operation.
inline void resume(void* block) {
  using Function = void (*)(void*);
  (*reinterpret_cast<Function*>(block))(block);
}

// How the program spells the values of a location, local or expression.
struct ValueType {
  bool boolean = false;
  std::shared_ptr<const std::vector<std::string>> names;  // of an enumeration's values, from 0 up; else null
  // "true", "Modified"; empty for a plain number and for values without a name.
  [[nodiscard]] std::string symbol(std::int64_t value) const {
    if (boolean) return value != 0 ? "true" : "false";
    const bool named = names != nullptr && value >= 0 && static_cast<std::uint64_t>(value) < names->size();
    return named ? (*names)[static_cast<std::size_t>(value)] : std::string();
  }
};

struct LocalImage {
  std::string name;
  std::uint32_t offset = 0;  // of its 64-bit value in the block; 0 until its declaration has run
  ValueType type = {};
  std::uint32_t mask_offset = 0;  // threads that run ahead: of the loads that the value depends on
};

struct ThreadImage {
  std::string name;            // "p", "p[2]"
  std::size_t block_size = 0;  // bytes, a multiple of block_alignment
  // Starts the thread in a zeroed block: runs to the first visible operation.
  void (*start)(void* block, std::int64_t argument) = nullptr;
  std::int64_t argument = 0;
  bool is_daemon = false;  // may wait for ever
  bool writes = false;     // has operations on shared memory other than loads
  // The last one before it that runs the same code and makes no use of its argument either. No condition or
  // invariant names a local of the two. So exchanging them turns executions into executions.
  std::optional<std::uint32_t> twin;
  std::vector<LocalImage> locals;  // those declared in the outermost block
};

// A condition on a value: that it is in low .. high (both included), or that it is not.
struct Comparison {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool inside = true;

  [[nodiscard]] bool holds(std::int64_t value) const { return (low <= value && value <= high) == inside; }
  bool operator==(const Comparison&) const = default;
};

struct LocationImage {
  std::string name;  // "x", "flag[1]"
  std::int64_t initial = 0;
  bool is_mutex = false;
  ValueType type = {};
  bool is_plain = false;  // unordered conflicting accesses are data races
  // Whether each write to it reads the one before and depends on that: all are read-modify-writes but `exchange`,
  // or locks and unlocks.
  bool is_chain = false;
  // Whether threads can look at it without writing: by loads, in conditions of `await`, by `cas` and trylocks.
  bool is_loaded = false;
  // Of locations that a retry loop updates (Mailbox::effect), if threads look at their values only by read-modify-writes
  // that always write and in `await`s: the comparisons that these make. Else null. A thread that adds and then subtracts
  // the same may have done neither, if what others added in between has results that are not used, and if no value in
  // between satisfies a comparison that it would not satisfy then.
  std::shared_ptr<const std::vector<Comparison>> revertible = {};
};

// Final states that violate a `filter` are ignored.
enum class ConditionKind : std::uint8_t { exists, forall, forbid, filter };
[[nodiscard]] constexpr std::string_view name(ConditionKind kind) {
  constexpr std::string_view names[] = {"exists", "forall", "forbid", "filter"};
  return names[static_cast<std::size_t>(kind)];
}

// Judges a state. `blocks` has one pointer per thread.
using Holds = bool (*)(const std::int64_t* memory, const std::byte* const* blocks);

// A condition over a final state.
struct ConditionImage {
  ConditionKind kind = ConditionKind::exists;
  Holds holds = nullptr;
  std::uint32_t site = 0;
  std::vector<std::uint32_t> locations;  // that it may look at; sorted
};

// A condition that every reachable state satisfies, with what it may look at.
struct InvariantImage {
  Holds holds = nullptr;
  std::uint32_t site = 0;
  std::vector<std::uint32_t> locations;  // sorted
  std::vector<std::uint32_t> threads;    // whose locals it names; sorted
};

// A claim about fair runs: `goal` holds in some state, or after each state in which `cause` holds, in that state or a
// later one.
struct TemporalImage {
  Holds cause = nullptr;  // null: the first state
  Holds goal = nullptr;
  std::uint32_t site = 0;
};

// One value of a final state: of a location, or of a local of a thread.
struct ObservedImage {
  std::string name;
  std::uint32_t location = 0;  // if `thread` is not set
  std::optional<std::uint32_t> thread;
  std::uint32_t offset = 0;  // of the local's value in the thread's block
};

// The source position of an operation, for messages and traces. Lines and columns count from 1.
struct Site {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string text;     // source text of the operation or statement on one line
  std::string message;  // assert: the user's text
  ValueType type;       // of the values of a `choose`
  bool is_progress = false;
  // For operations of built-in modules at which a thread can wait: the site of the user's call leading there.
  std::optional<std::uint32_t> call = {};
};

// What the counters of instrumented code count.
enum class PointKind : std::uint8_t { statement, assertion, branch };

struct CoveragePoint {
  PointKind kind = PointKind::statement;
  std::string_view arm = {};  // branches
  std::uint32_t site = 0;     // index into Image::sites
  // Branches: in some copy of the code, the outcome is known at compile time (`decided`) or is not (`open`).
  bool decided = false;
  bool open = false;
};

// How often instrumented code passed each point. An image with counters may be used by one search at a time.
struct Coverage {
  std::vector<std::uint64_t> counts;  // by point
  std::uint64_t weight = 1;           // added to a point when it is passed; 0 during trial runs of threads
};

// A compiled program. Immutable apart from the counters; without counters, any number of checks may share an
// image.
struct Image {
  std::vector<LocationImage> locations;
  std::vector<ThreadImage> threads;
  std::unique_ptr<ThreadImage> final_block;  // null if the program has none
  std::vector<ConditionImage> conditions;
  std::vector<InvariantImage> invariants;
  std::vector<TemporalImage> temporal;
  // What distinguishes final states, if not all locations and all named locals.
  std::optional<std::vector<ObservedImage>> observed;
  std::vector<Site> sites;
  bool assumes = false;             // some thread has an `assume`
  std::uint32_t waiting_loops = 0;  // at which threads wait for an update (compiler/waiting_updates.hpp)
  // The mutex that the program does not have, and that threads hold in `atomic` (compiler::Options::lock_blocks).
  std::optional<std::uint32_t> block_mutex;
  std::shared_ptr<Coverage> coverage;  // null unless the code is instrumented
  std::shared_ptr<void> code;          // keeps the machine code mapped
};

// No code is counted while an object of this class exists.
class Uncounted {
 public:
  explicit Uncounted(const Image& image) : coverage_(image.coverage.get()) {
    if (coverage_ != nullptr) before_ = std::exchange(coverage_->weight, 0);
  }
  ~Uncounted() {
    if (coverage_ != nullptr) coverage_->weight = before_;
  }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;

 private:
  Coverage* coverage_;
  std::uint64_t before_ = 0;
};

}  // namespace heddle::compiler
