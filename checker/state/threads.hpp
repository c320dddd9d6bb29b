// The thread blocks of one running program: memory for all of them, snapshots of one at a time on a stack.
//
// Searches that store states ask for the numbers of blocks: blocks with equal bytes have one number. Then each
// different block is stored once, and a snapshot is a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "checker/state/sequence_table.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// Copies a block; `bytes` is a multiple of 16. Blocks are short, so a loop beats a call of memcpy.
inline void copy_block(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 16) std::memcpy(to + i, from + i, 16);
}

class Threads {
 public:
  explicit Threads(const Image& image) {
    std::size_t total = 0;
    for (const auto& thread : image.threads) {
      offsets_.push_back(total);
      sizes_.push_back(thread.block_size);
      if (thread.block_size > before_trial_.size()) before_trial_.resize(thread.block_size);
      total += (thread.block_size + cache_line - 1) / cache_line * cache_line;
    }
    bytes_ = total;
    memory_.reset(static_cast<std::byte*>(::operator new (total + cache_line, std::align_val_t{cache_line})));
    for (const auto offset : offsets_) blocks_.push_back(memory_.get() + offset);
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] std::byte* block(std::uint32_t thread) const { return blocks_[thread]; }
  [[nodiscard]] std::size_t size(std::uint32_t thread) const { return sizes_[thread]; }
  [[nodiscard]] const std::byte* const* blocks() const { return blocks_.data(); }
  [[nodiscard]] Mailbox& mailbox(std::uint32_t thread) const { return compiler::mailbox(blocks_[thread]); }

  // Zeroes the block and runs the thread to its first visible operation.
  void start(std::uint32_t thread, const compiler::ThreadImage& image) {
    if (numbered()) numbers_[thread] = unknown;
    std::memset(blocks_[thread], 0, sizes_[thread]);
    image.start(blocks_[thread], image.argument);
  }

  // Must come before the thread changes its block.
  void save(std::uint32_t thread) {
    if (numbered()) [[unlikely]] {
      saved_numbers_.push_back(number(thread));
      numbers_[thread] = unknown;
      return;
    }
    const auto size = sizes_[thread];
    if (used_ + size > saved_.size()) saved_.resize(2 * (saved_.size() + size) + 4096);
    copy_block(saved_.data() + used_, blocks_[thread], size);
    used_ += size;
  }
  // Undoes the newest `save`, which was of the same thread.
  void restore(std::uint32_t thread) {
    if (numbered()) [[unlikely]] {
      numbers_[thread] = saved_numbers_.back();
      saved_numbers_.pop_back();
      copy_block(blocks_[thread], reinterpret_cast<const std::byte*>(known_->words(numbers_[thread]).data()),
                 sizes_[thread]);
      return;
    }
    used_ -= sizes_[thread];
    copy_block(blocks_[thread], saved_.data() + used_, sizes_[thread]);
  }

  // A trial run of the thread, which counts for nothing: its block is at the end what it was at the start. One at a time.
  class Trial {
   public:
    Trial(Threads& threads, const Image& image, std::uint32_t thread)
        : uncounted_(image), threads_(threads), thread_(thread) {
      copy_block(threads_.before_trial_.data(), threads_.block(thread_), threads_.size(thread_));
    }
    ~Trial() { copy_block(threads_.block(thread_), threads_.before_trial_.data(), threads_.size(thread_)); }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

   private:
    Uncounted uncounted_;
    Threads& threads_;
    std::uint32_t thread_;
  };

  // The number of the thread's block. The first call comes when nothing is saved. O(size of the block), or
  // O(1) if it has not changed since.
  [[nodiscard]] std::uint32_t number(std::uint32_t thread) {
    if (!numbered()) {
      if (used_ != 0) throw std::logic_error("internal error: blocks are numbered too late");
      known_ = std::make_unique<SequenceTable>();
      numbers_.assign(count(), unknown);
    }
    if (numbers_[thread] == unknown) {
      words_.resize(sizes_[thread] / sizeof(std::uint64_t));
      std::memcpy(words_.data(), blocks_[thread], sizes_[thread]);
      numbers_[thread] = known_->insert(words_).number;
    }
    return numbers_[thread];
  }

  [[nodiscard]] std::size_t memory_used() const {
    return bytes_ + saved_.capacity() + saved_numbers_.capacity() * sizeof(std::uint32_t) +
           (numbered() ? known_->memory_used() : 0);
  }

 private:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::uint32_t unknown = 0xffffffff;
  [[nodiscard]] bool numbered() const { return known_ != nullptr; }
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{cache_line}); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<std::byte*> blocks_;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> sizes_;
  std::vector<std::byte> before_trial_;
  std::vector<std::byte> saved_;
  std::size_t used_ = 0;
  std::size_t bytes_ = 0;
  std::unique_ptr<SequenceTable> known_;  // blocks, if they are numbered
  std::vector<std::uint32_t> numbers_;    // of the blocks as they are now, by thread
  std::vector<std::uint32_t> saved_numbers_;
  std::vector<std::uint64_t> words_;  // scratch
};

}  // namespace heddle::checker
