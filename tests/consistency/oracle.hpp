// A slow operational model, written against nothing but the rules of the machine: what the verifiers are
// measured by. It also makes random instances.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "checker/verifier/instance.hpp"

namespace heddle::consistency::tests {

// The state of the machine: how far each thread is, what memory has, what is buffered.
class Machine {
 public:
  Machine(const Instance& instance, Model model);

  // The possible actions now. A read happens only if it then sees what the instance demands, unless `free`.
  [[nodiscard]] std::vector<Action> actions(bool free = false) const;
  [[nodiscard]] bool possible(const Action& action, bool free = false) const;
  void take(const Action& action);
  // What the thread's next event, a read, would see.
  [[nodiscard]] EventId seen(ThreadId thread) const;
  [[nodiscard]] ThreadId thread_of(EventId event) const;
  // Everything done, and memory has what the instance demands at the end.
  [[nodiscard]] bool finished() const;
  [[nodiscard]] std::vector<std::uint32_t> state() const;

 private:
  struct Entry {
    EventId write = 0;
    std::uint32_t group = 0;  // PSO: store-store fences of the thread before it
  };
  const Instance& instance_;
  Model model_;
  std::vector<EventId> position_;
  std::vector<EventId> memory_;
  std::vector<std::vector<Entry>> buffered_;  // by thread, oldest first
  std::vector<std::uint32_t> group_;          // by thread
};

// Is there a run? All of them are tried; a state is entered once.
[[nodiscard]] bool realisable(const Instance& instance, Model model);
// Does the machine accept the run from start to end?
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
};

// A random instance whose map is that of a run of the model, or, if `spoil`, of such a run with some sources
// exchanged.
[[nodiscard]] Instance random_instance(std::mt19937_64& random, Model model, const Shape& shape, bool spoil);

}  // namespace heddle::consistency::tests
