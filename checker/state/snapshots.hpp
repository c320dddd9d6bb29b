// Snapshots of thread blocks on one stack, and the live blocks in which threads run.
//
// A thread's state is a snapshot, taken each time that it requests an operation. The live block is only the
// place where it runs: before a thread is resumed, the block is made equal to its snapshot, unless it already
// is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "checker/state/threads.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

class Snapshots {
 public:
  using Id = std::uint32_t;  // position in the stack, in units of compiler::block_alignment

  explicit Snapshots(const Image& image) : threads_(image), live_(threads_.count(), nothing) {
    bytes_.resize(4096);
  }

  [[nodiscard]] std::uint32_t thread_count() const { return threads_.count(); }
  [[nodiscard]] const Mailbox& mailbox(Id id) const { return compiler::mailbox(block(id)); }
  [[nodiscard]] const std::byte* block(Id id) const {
    return bytes_.data() + std::size_t{id} * compiler::block_alignment;
  }

  // Starts the thread in its live block.
  Mailbox& start(std::uint32_t thread, const compiler::ThreadImage& image) {
    threads_.start(thread, image);
    live_[thread] = nothing;
    return threads_.mailbox(thread);
  }
  // The thread's live mailbox, with the block as it was in the snapshot.
  Mailbox& enter(std::uint32_t thread, Id id) {
    if (live_[thread] != id) copy_block(threads_.block(thread), block(id), threads_.size(thread));
    live_[thread] = nothing;
    return threads_.mailbox(thread);
  }
  [[nodiscard]] Mailbox& live(std::uint32_t thread) const { return threads_.mailbox(thread); }
  void resume(std::uint32_t thread) const { compiler::resume(threads_.block(thread)); }

  // Pushes a snapshot of the live block.
  Id save(std::uint32_t thread) {
    const auto size = threads_.size(thread);
    if (top_ + size > bytes_.size()) bytes_.resize(2 * (top_ + size));
    const auto id = static_cast<Id>(top_ / compiler::block_alignment);
    copy_block(bytes_.data() + top_, threads_.block(thread), size);
    top_ += size;
    live_[thread] = id;
    return id;
  }
  // Drops the snapshot and all that were pushed after it.
  void drop_from(Id id) { top_ = std::size_t{id} * compiler::block_alignment; }

  [[nodiscard]] std::size_t memory_used() const { return bytes_.capacity() + threads_.memory_used(); }

 private:
  static constexpr Id nothing = 0xffffffff;
  Threads threads_;
  // The snapshot that the live block equals. An id that was dropped and is in use again by another thread
  // does no harm: no state of this thread has that id before this thread pushes it, which sets the entry.
  std::vector<Id> live_;
  std::vector<std::byte> bytes_;
  std::size_t top_ = 0;
};

}  // namespace heddle::checker
