// A slow operational model that follows the rules of the machine literally: the reference for the verifiers.
// Also generates random instances.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "checker/verifier/instance.hpp"

namespace heddle::consistency::tests {

// The machine's state: the position of each thread, memory, and store buffers.
class Machine {
 public:
  Machine(const Instance& instance, Model model);

  // The enabled actions. A read is enabled only if it would read what the instance demands, unless `free`.
  [[nodiscard]] std::vector<Action> actions(bool free = false) const;
  [[nodiscard]] bool possible(const Action& action, bool free = false) const;
  void take(const Action& action);
  // The write that the thread's next event, a read, would read from.
  [[nodiscard]] EventId seen(ThreadId thread) const;
  [[nodiscard]] ThreadId thread_of(EventId event) const;
  // Whether all events have happened and memory has the final values that the instance demands.
  [[nodiscard]] bool finished() const;
  [[nodiscard]] std::vector<std::uint32_t> state() const;

 private:
  struct Entry {
    EventId write = 0;
    std::uint32_t group = 0;  // PSO: number of store-store fences of the thread before it
  };
  [[nodiscard]] bool direct(const Event& event) const;
  [[nodiscard]] std::size_t occupied(const std::vector<Entry>& buffered, LocationId location) const;

  const Instance& instance_;
  Model model_;
  std::vector<EventId> position_;
  std::vector<EventId> memory_;
  std::vector<std::vector<Entry>> buffered_;  // by thread, oldest first
  std::vector<std::uint32_t> group_;          // by thread
};

// Whether some run realises the instance. Tries all runs, but enters each state only once.
[[nodiscard]] bool realisable(const Instance& instance, Model model);
// Whether the machine accepts the run from start to end.
[[nodiscard]] bool replays(const Instance& instance, Model model, const std::vector<Action>& run);

struct Shape {
  std::uint32_t threads = 4;
  std::uint32_t events = 12;
  std::uint32_t locations = 3;
  bool locked = true;              // read-modify-writes, locked loads and stores
  std::uint32_t locked_share = 1;  // of 8
  bool fences = true;              // full fences
  bool store_fences = true;        // store-store fences
  bool final_writes = true;
  std::uint32_t largest_bound = 0;  // of the store buffers; 0: unbounded
};

// A random instance. Its reads-from map is that of a run of the model; with `spoil`, some sources are
// exchanged.
[[nodiscard]] Instance random_instance(std::mt19937_64& random, Model model, const Shape& shape, bool spoil);

}  // namespace heddle::consistency::tests
