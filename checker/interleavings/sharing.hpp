// Which locations a search takes for those of one thread, and whether it is right.
//
// No other thread can notice a load from a location that only the thread itself writes, nor, without store buffers, a store
// to one that only the thread itself uses. A machine makes such an operation as part of the transition before it
// (Machine::take_local). Which locations these are shows only at run time. So a search begins with what is known from the
// searches before it, nothing at first, and takes every location for the thread's own of which it does not know better.
// It notes who uses what. If that contradicts what it took a location for, it was wrong, and must begin again, knowing more.
//
// Why a search that was not wrong has seen everything: suppose that some run of the program contradicts what was assumed, and
// take a shortest one. Up to its last step r it does not, so the operations that the search made at once commute with those
// of other threads in it, and the search has a run in which r's thread has taken the same steps and r comes next, or has
// been taken. Thus it has noted what r uses (or what the thread that waits at r has looked at).
//
// Threads that search together share one object. Of threads that a permutation can exchange (twins.hpp) the search sees only
// one, so what one of them uses counts as used by several.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "checker/state/step.hpp"

namespace heddle::checker {

// What a machine with MachineOptions::choices_wait throws where it cannot continue, and has to begin again: a thread is at a choice
// and there is no Sharing, or a daemon is in the middle of a guard, where it may have to wait for ever.
struct SharingWanted {};
struct DaemonInGuard {};

class Sharing {
 public:
  // Ends a search that was wrong.
  struct Wrong {};

  explicit Sharing(const Image& image) : locations_(image.locations.size()), name_(image.threads.size()) {
    for (ThreadId t = 0; t < name_.size(); ++t) name_[t] = t;
    for (ThreadId t = 0; t < name_.size(); ++t) {
      if (const auto twin = image.threads[t].twin) name_[t] = name_[*twin] = several;
    }
  }

  // Whether the thread may take the location for one that no other thread writes.
  [[nodiscard]] bool is_own_to_load(ThreadId thread, Location x) {
    Use& use = locations_[x];
    if (use.known_writer != no_thread && !is_alone(use.known_writer, thread)) return false;
    if (add(use.loads_own, name_[thread])) check(use);
    return true;
  }
  // Whether it may take it for one that no other thread uses.
  [[nodiscard]] bool is_own_to_store(ThreadId thread, Location x) {
    Use& use = locations_[x];
    if (use.known_reader != no_thread && !is_alone(use.known_reader, thread)) return false;
    if (use.known_writer != no_thread && !is_alone(use.known_writer, thread)) return false;
    if (name_[thread] == several) return false;
    if (add(use.stores_own, name_[thread])) check(use);
    return true;
  }
  void note_read(ThreadId thread, Location x) {
    if (add(locations_[x].reader, name_[thread])) check(locations_[x]);
  }
  void note_write(ThreadId thread, Location x) {
    if (add(locations_[x].writer, name_[thread])) check(locations_[x]);
  }
  [[nodiscard]] bool is_wrong() const { return wrong_.load(std::memory_order_relaxed); }

  // For the next search. Nothing searches now.
  void learn() {
    for (Use& use : locations_) {
      use.known_reader = use.reader;
      use.known_writer = use.writer;
      use.loads_own = use.stores_own = no_thread;
    }
    wrong_ = false;
  }

 private:
  // Who does something: no thread, one, or several.
  using Who = std::uint32_t;
  static constexpr Who no_thread = none;
  static constexpr Who several = none - 1;

  struct Use {
    Who known_reader = no_thread, known_writer = no_thread;
    std::atomic<Who> reader{no_thread}, writer{no_thread};
    // Who took the location for its own.
    std::atomic<Who> loads_own{no_thread}, stores_own{no_thread};
  };

  [[nodiscard]] bool is_alone(Who who, ThreadId thread) const {
    return who == name_[thread] && who != several;
  }
  // True if it was not known.
  static bool add(std::atomic<Who>& to, Who who) {
    Who before = to.load(std::memory_order_relaxed);
    while (before != who && before != several) {
      if (to.compare_exchange_weak(before, before == no_thread ? who : several)) return true;
    }
    return false;
  }
  // Several threads note and check; as all of this is sequentially consistent, the last one sees everything.
  void check(const Use& use) {
    const auto disagree = [](Who own, Who user) {
      return own != no_thread && user != no_thread && (own != user || own == several);
    };
    if (disagree(use.loads_own, use.writer) || disagree(use.stores_own, use.writer) ||
        disagree(use.stores_own, use.reader))
      wrong_ = true;
  }

  std::vector<Use> locations_;
  std::vector<Who> name_;  // by thread
  std::atomic<bool> wrong_{false};
};

}  // namespace heddle::checker
