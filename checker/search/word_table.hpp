// Numbers 64-bit words from 0 in the order in which they first come.
//
// States are looked up here, so it is built for tables that are larger than any cache: a look-up reads one cache line
// in most cases, known word or new one. A bucket is such a line: five words with their numbers. A full bucket spills
// into the next one.
//
// The buckets are divided into shards by hash, each of which grows on its own and by half. So a table that grows
// needs little more than itself, and it is never less than half full: 16 to 24 bytes a word.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "checker/state/sequence_table.hpp"

namespace heddle::checker {

// Of a table's array of buckets.
struct FreeBuckets {
  void operator()(void* memory) const { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc)
};
template <typename Bucket>
using Buckets = std::unique_ptr<Bucket[], FreeBuckets>;

// Empty ones. Large arrays on huge pages: otherwise most look-ups would walk the page table, too.
template <typename Bucket>
[[nodiscard]] Buckets<Bucket> allocate_buckets(std::size_t count) {
  constexpr std::size_t huge = std::size_t{1} << 21;
  const bool large = count * sizeof(Bucket) >= huge;
  const std::size_t alignment = large ? huge : alignof(Bucket);
  const std::size_t bytes = (count * sizeof(Bucket) + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, bytes);  // NOLINT(cppcoreguidelines-no-malloc)
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  auto* const buckets = static_cast<Bucket*>(memory);
  for (std::size_t i = 0; i < count; ++i) new (buckets + i) Bucket;
  return Buckets<Bucket>(buckets);
}

// The finalizer of MurmurHash3.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 33) * 0xff51afd7ed558ccd;
  word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53;
  return word ^ word >> 33;
}

class WordTable {
 public:
  // O(1) amortised. Throws std::bad_alloc if there is no memory left, or no number.
  NumberFound insert(std::uint64_t word) {
    const std::uint64_t hash = mixed(word);
    Shard& shard = shards_[hash >> (64 - shard_bits)];
    if (shard.used >= shard.most) [[unlikely]]
      grow(shard);
    for (std::size_t at = shard.place(hash);;) {
      Bucket& bucket = shard.buckets[at];
      for (std::uint32_t i = 0; i < bucket.used; ++i) {
        if (bucket.words[i] == word) return {bucket.numbers[i], true};
      }
      if (bucket.used < Bucket::capacity) {
        if (size_ == none_left) [[unlikely]]
          throw std::bad_alloc();
        bucket.words[bucket.used] = word;
        bucket.numbers[bucket.used++] = size_;
        ++shard.used;
        return {size_++, false};
      }
      if (++at == shard.count) at = 0;
    }
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::size_t memory_used() const { return buckets_ * sizeof(Bucket); }

 private:
  struct alignas(64) Bucket {
    static constexpr std::uint32_t capacity = 5;
    std::array<std::uint64_t, capacity> words;
    std::array<std::uint32_t, capacity> numbers;
    std::uint32_t used = 0;
  };
  static_assert(sizeof(Bucket) == 64);
  struct Shard {
    Buckets<Bucket> buckets;
    std::size_t count = 0;
    std::size_t used = 0;  // words
    std::size_t most = 0;  // words, before it must grow
    // By the bits of the hash below those that choose the shard.
    [[nodiscard]] std::size_t place(std::uint64_t hash) const {
      return ((hash << shard_bits >> 32) * count) >> 32;
    }
  };
  static constexpr unsigned shard_bits = 2;
  static constexpr std::uint32_t none_left = 0xffffffff;

  // To one and a half of its buckets. The order of hashes is that of places, so both arrays are passed through once.
  [[gnu::noinline]] void grow(Shard& shard) {
    Shard larger;
    larger.count = shard.count + shard.count / 2 + 1;
    larger.most = 4 * larger.count;
    larger.buckets = allocate_buckets<Bucket>(larger.count);
    buckets_ += larger.count;
    for (std::size_t from = 0; from < shard.count; ++from) {
      const Bucket& bucket = shard.buckets[from];
      for (std::uint32_t i = 0; i < bucket.used; ++i) {
        std::size_t at = larger.place(mixed(bucket.words[i]));
        while (larger.buckets[at].used == Bucket::capacity) at = at + 1 == larger.count ? 0 : at + 1;
        Bucket& to = larger.buckets[at];
        to.words[to.used] = bucket.words[i];
        to.numbers[to.used++] = bucket.numbers[i];
      }
    }
    larger.used = shard.used;
    buckets_ -= shard.count;
    shard = std::move(larger);
  }

  std::array<Shard, std::size_t{1} << shard_bits> shards_;
  std::size_t buckets_ = 0;  // of all shards
  std::uint32_t size_ = 0;
};

}  // namespace heddle::checker
