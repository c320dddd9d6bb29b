// Which threads have looked at a location when they last evaluated what they wait for. Unless a value changes that a thread
// has looked at, it would find what it found before.
#pragma once

#include <cstddef>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

template <typename Set>
class Lookers {
 public:
  explicit Lookers(ThreadId threads) : looks_(threads) {}

  // An evaluation by the thread, from `begin` to `end`, takes the place of the one before. Most look at the same locations
  // in the same order, which costs a comparison each.
  void begin(ThreadId thread) { looks_[thread].count = 0; }
  void add(ThreadId thread, Location location) {
    Looks& looks = looks_[thread];
    if (looks.count < looks.at.size() && looks.at[looks.count] == location) {
      ++looks.count;
    } else {
      add_other(thread, location);
    }
  }
  void end(ThreadId thread) {
    if (looks_[thread].count < looks_[thread].at.size()) forget_rest(thread);
  }
  // Calls `visit(thread)` for each that has looked at the location. `visit` must not change the object.
  template <typename Visit>
  void for_each(Location location, Visit&& visit) const {
    if (location < threads_.size()) threads_[location].for_each(visit);
  }

 private:
  struct Looks {
    std::vector<Location> at;  // in their order; from `count` on those of the evaluation before
    std::size_t count = 0;
  };
  [[gnu::noinline]] void add_other(ThreadId thread, Location location) {
    forget_rest(thread);
    if (location >= threads_.size()) threads_.resize(location + 1);
    threads_[location].insert(thread);
    looks_[thread].at.push_back(location);
    ++looks_[thread].count;
  }
  [[gnu::noinline]] void forget_rest(ThreadId thread) {
    Looks& looks = looks_[thread];
    for (auto i = looks.count; i < looks.at.size(); ++i) threads_[looks.at[i]].erase(thread);
    looks.at.resize(looks.count);
    for (const Location x : looks.at) threads_[x].insert(thread);  // it may have looked twice
  }

  std::vector<Set> threads_;  // by location
  std::vector<Looks> looks_;  // by thread
};

}  // namespace heddle::checker
