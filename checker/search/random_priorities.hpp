// What random searches draw: priorities and the steps at which they change, as in PCT (Burckhardt, Kothari, Musuvathi,
// Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS'10).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::checker {

// Every process gets a random priority in each run. At `depth - 1` steps of the run, the priority of the process whose
// turn it is falls below those of all others.
class RandomPriorities {
 public:
  explicit RandomPriorities(const RandomSearch& search) : depth_(search.depth), state_(search.seed) {}

  // Draws for a new run, with changes at steps before `steps`.
  void draw(std::uint32_t steps) {
    priorities_.clear();
    changes_.clear();
    for (std::uint32_t change = 1; change < depth_; ++change)
      changes_.push_back(static_cast<std::uint32_t>(below(std::max(steps, 1U))));
    std::sort(changes_.begin(), changes_.end());
    next_change_ = 0;
    lowest_ = most_changes;
  }
  // Whether a change is due at this step. True once for each change.
  bool change_at(std::uint32_t step) {
    if (next_change_ == changes_.size() || changes_[next_change_] > step) return false;
    ++next_change_;
    return true;
  }
  // Lets the priority of the process fall below all others.
  void lower(std::size_t process) {
    draw_up_to(process);
    priorities_[process] = --lowest_;
  }
  [[nodiscard]] std::uint64_t of(std::size_t process) {
    draw_up_to(process);
    return priorities_[process];
  }
  // A number below `count`, which is not 0. (The bias for a count far below 2^64 is far below what anyone can measure.)
  [[nodiscard]] std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  // Priorities of processes that fell are below this, those of others above.
  static constexpr std::uint64_t most_changes = std::uint64_t{1} << 32;

  void draw_up_to(std::size_t process) {
    while (priorities_.size() <= process) priorities_.push_back(most_changes + (next() >> 1));
  }
  // splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA'14.
  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint32_t depth_;
  std::uint64_t state_;
  std::vector<std::uint64_t> priorities_;  // by process
  std::vector<std::uint32_t> changes_;     // steps of this run, in order
  std::size_t next_change_ = 0;
  std::uint64_t lowest_ = 0;
};

}  // namespace heddle::checker
