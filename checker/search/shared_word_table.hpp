// A table of words (word_table.hpp) that several threads use at once.
//
// Most look-ups find their word, and these write nothing that other threads read: the entries of a bucket never change, and
// their number is written after them. A thread that adds a word marks the bucket as busy for as long. Where a shard has
// to grow, all threads are waited for at a gate, through which each passes with a write to a cache line of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "checker/search/word_table.hpp"

namespace heddle::checker {

// Lets any number of threads in, or one alone.
class Gate {
 public:
  // One thread's, who is inside or not.
  struct alignas(64) Pass {
    std::atomic<bool> inside{false};
  };
  // Valid as long as the gate.
  Pass& new_pass() {
    const std::lock_guard lock(mutex_);
    return passes_.emplace_back();
  }
  void enter(Pass& pass) {
    for (;;) {
      pass.inside.store(true, std::memory_order_seq_cst);
      if (!closed_.load(std::memory_order_seq_cst)) return;
      leave(pass);
      while (closed_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
  }
  static void leave(Pass& pass) { pass.inside.store(false, std::memory_order_release); }
  // Calls `act` when all others are outside; `pass` is inside, and leaves in between.
  template <typename Act>
  void alone(Pass& pass, Act&& act) {
    leave(pass);
    {
      const std::lock_guard lock(mutex_);
      const Closed closed(closed_);
      for (const Pass& other : passes_) {
        while (other.inside.load(std::memory_order_seq_cst)) std::this_thread::yield();
      }
      act();
    }
    enter(pass);
  }

 private:
  struct Closed {
    explicit Closed(std::atomic<bool>& the_gate) : gate(the_gate) {
      gate.store(true, std::memory_order_seq_cst);
    }
    ~Closed() { gate.store(false, std::memory_order_release); }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;
    std::atomic<bool>& gate;
  };
  std::mutex mutex_;
  std::list<Pass> passes_;
  std::atomic<bool> closed_{false};
};

class SharedWordTable {
 public:
  static constexpr unsigned shard_bits = 3;

  // What one thread keeps for its look-ups.
  struct User {
    std::uint32_t next = 0;                                             // numbers that are its own: from here
    std::uint32_t end = 0;                                              // to here
    std::array<std::uint8_t, std::size_t{1} << shard_bits> added = {};  // words, by shard, not yet told to it
  };

  explicit SharedWordTable(Gate& gate) : gate_(gate) {}
  // The thread is inside. O(1) amortised. Numbers differ for different words, and that is all that holds for them. Throws
  // std::bad_alloc if there is no memory left, or no number.
  NumberFound insert(std::uint64_t word, User& user, Gate::Pass& pass) {
    const std::uint64_t hash = mixed(word);
    Shard& shard = shards_[hash >> (64 - shard_bits)];
    for (;;) {
      if (const auto found = insert(shard, hash, word, user)) [[likely]]
        return *found;
      const std::size_t count = shard.count;
      gate_.alone(pass, [&] {
        if (shard.count == count) grow(shard);
      });
    }
  }
  [[nodiscard]] std::size_t memory_used() const {
    return buckets_.load(std::memory_order_relaxed) * sizeof(Bucket);
  }

 private:
  struct alignas(64) Bucket {
    static constexpr std::uint32_t capacity = 5;
    static constexpr std::uint32_t busy = 8;
    std::array<std::uint64_t, capacity> words;
    std::array<std::uint32_t, capacity> numbers;
    std::atomic<std::uint32_t> used{0};  // entries; and whether a thread adds one
  };
  static_assert(sizeof(Bucket) == 64);
  // Room for words that a few threads have yet to tell of. (A shard without room grows in any case.)
  static constexpr std::size_t first_count = 1024;
  struct alignas(64) Shard {
    Buckets<Bucket> buckets = allocate_buckets<Bucket>(first_count);
    std::size_t count = first_count;
    std::size_t most = 4 * first_count;  // words, before it must grow
    std::atomic<std::size_t> used{0};    // words, but for those that threads have yet to tell
    [[nodiscard]] std::size_t place(std::uint64_t hash) const {
      return ((hash << shard_bits >> 32) * count) >> 32;
    }
    [[nodiscard]] std::size_t after(std::size_t at) const { return at + 1 == count ? 0 : at + 1; }
  };
  static constexpr std::uint8_t told_together = 8;
  static constexpr std::uint32_t numbers_together = 256;

  // Nothing: the shard has to grow.
  std::optional<NumberFound> insert(Shard& shard, std::uint64_t hash, std::uint64_t word, User& user) {
    std::size_t at = shard.place(hash);
    for (std::size_t full = 0; full < shard.count;) {
      Bucket& bucket = shard.buckets[at];
      std::uint32_t state = bucket.used.load(std::memory_order_acquire);
      const std::uint32_t used = state & ~Bucket::busy;
      for (std::uint32_t i = 0; i < used; ++i) {
        if (bucket.words[i] == word) return NumberFound{bucket.numbers[i], true};
      }
      if (used == Bucket::capacity) {
        at = shard.after(at);
        ++full;
        continue;
      }
      if (shard.used.load(std::memory_order_relaxed) >= shard.most) return std::nullopt;
      if (state != used) {  // another thread adds a word, perhaps the same
        std::this_thread::yield();
        continue;
      }
      if (!bucket.used.compare_exchange_weak(state, used | Bucket::busy, std::memory_order_acquire)) continue;
      const std::uint32_t number = user.next == user.end ? next_numbers(user, bucket, used) : user.next;
      ++user.next;
      bucket.words[used] = word;
      bucket.numbers[used] = number;
      bucket.used.store(used + 1, std::memory_order_release);
      auto& added = user.added[hash >> (64 - shard_bits)];
      if (++added == told_together) {
        shard.used.fetch_add(std::exchange(added, std::uint8_t{0}), std::memory_order_relaxed);
      }
      return NumberFound{number, false};
    }
    return std::nullopt;
  }
  // Of new numbers for the thread the first one. The bucket is busy.
  std::uint32_t next_numbers(User& user, Bucket& bucket, std::uint32_t used) {
    std::uint32_t first = numbers_.load(std::memory_order_relaxed);
    do {
      if (first > none_left - numbers_together) {
        bucket.used.store(used, std::memory_order_release);
        throw std::bad_alloc();
      }
    } while (!numbers_.compare_exchange_weak(first, first + numbers_together, std::memory_order_relaxed));
    user.end = first + numbers_together;
    return user.next = first;
  }
  static constexpr std::uint32_t none_left = 0xffffffff;

  // To one and a half of its buckets. No other thread is inside.
  [[gnu::noinline]] void grow(Shard& shard) {
    const std::size_t before = shard.count;
    const std::size_t count = before + before / 2;
    auto larger = allocate_buckets<Bucket>(count);
    const auto old = std::exchange(shard.buckets, std::move(larger));
    shard.count = count;
    shard.most = 4 * count;
    buckets_.fetch_add(count, std::memory_order_relaxed);
    for (std::size_t i = 0; i < before; ++i) {
      const Bucket& bucket = old[i];
      const std::uint32_t used = bucket.used.load(std::memory_order_relaxed);
      for (std::uint32_t entry = 0; entry < used; ++entry) {
        std::size_t at = shard.place(mixed(bucket.words[entry]));
        while (shard.buckets[at].used.load(std::memory_order_relaxed) == Bucket::capacity)
          at = shard.after(at);
        Bucket& to = shard.buckets[at];
        const std::uint32_t place = to.used.load(std::memory_order_relaxed);
        to.words[place] = bucket.words[entry];
        to.numbers[place] = bucket.numbers[entry];
        to.used.store(place + 1, std::memory_order_relaxed);
      }
    }
    buckets_.fetch_sub(before, std::memory_order_relaxed);
  }

  Gate& gate_;
  std::array<Shard, std::size_t{1} << shard_bits> shards_;
  std::atomic<std::size_t> buckets_{first_count << shard_bits};  // of all shards
  std::atomic<std::uint32_t> numbers_{0};
};

}  // namespace heddle::checker
