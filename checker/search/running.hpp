// What the other threads may know of a search while one thread explores it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "checker/search/search.hpp"

namespace heddle::checker {

class Running {
 public:
  // By the thread that explores, now and then; `memory` in bytes.
  void note(const Search& search, std::uint64_t depth, std::uint64_t memory) {
    executions_.store(search.counts.executions, relaxed);
    blocked_.store(blocked_runs(search.counts), relaxed);
    transitions_.store(search.counts.transitions, relaxed);
    states_.store(search.counts.states, relaxed);
    cuts_.store(search.counts.cuts, relaxed);
    depth_.store(depth, relaxed);
    memory_.store(memory, relaxed);
  }
  // All but the depth.
  void add_to(Progress& progress) const {
    progress.executions += executions_.load(relaxed);
    progress.blocked += blocked_.load(relaxed);
    progress.transitions += transitions_.load(relaxed);
    progress.states += states_.load(relaxed);
    progress.cuts += cuts_.load(relaxed);
  }
  [[nodiscard]] std::uint64_t depth() const { return depth_.load(relaxed); }
  [[nodiscard]] std::uint64_t memory() const { return memory_.load(relaxed); }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<std::uint64_t> executions_{0}, blocked_{0}, transitions_{0}, states_{0}, cuts_{0}, depth_{0},
      memory_{0};
};

// Waits until something has changed. The calling thread of a check also looks at the limits now and then: `watch()`.
template <typename Watch>
void wait_for_change(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, bool by_caller,
                     Watch&& watch) {
  constexpr std::chrono::milliseconds watch_period{20};
  if (!by_caller) return changed.wait(lock);
  changed.wait_for(lock, watch_period);
  watch();
}

// The options of a search that explores a part of a whole: limits are those of the whole.
[[nodiscard]] inline CheckOptions without_limits(CheckOptions options) {
  options.timeout.reset();
  options.max_memory.reset();
  options.progress = nullptr;
  return options;
}

}  // namespace heddle::checker
