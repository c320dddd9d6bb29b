// The verifiers decide whether a memory model has a run with these events and this reads-from map (paper 4,
// section 4).
//
//   verify        VerifySC, VerifyTSO (algorithm 1) and VerifyPSO (algorithm 2)
//   verify_naive  all lower sets of program order, the paper's baseline
//
// A verifier keeps its memory between calls: in a steady state it allocates nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "checker/verifier/closure.hpp"
#include "checker/verifier/instance.hpp"
#include "checker/verifier/key_set.hpp"
#include "checker/verifier/prefix.hpp"

namespace heddle::consistency {

enum class UseClosure : std::uint8_t {
  never,
  first,       // before the search, as in the paper
  when_stuck,  // once the search has met more lower sets than a realisable instance usually needs
};

class Verifier {
 public:
  // True if the instance is realisable; `witness` then has a run.
  // For k threads and n events: SC O(k n^k), TSO O(k n^(k+1)), PSO O(k n^(k+1) min(n^(k(k-1)), 2^(kd))).
  // PSO with store-store fences or bounded buffers is outside the paper: there the search is over lower sets of
  // memory writes.
  [[nodiscard]] bool verify(const Instance& instance, Model model, UseClosure closure = UseClosure::never);
  // The same answer by enumerating lower sets of all events: SC n^k, TSO n^(2k), PSO n^(k(d+1)).
  [[nodiscard]] bool verify_naive(const Instance& instance, Model model,
                                  UseClosure closure = UseClosure::never);

  // A search gives up after this many lower sets: the answer is false then, and `gave_up()` true.
  void limit(std::uint64_t nodes) { most_nodes_ = nodes; }
  // From now on `stop()` is asked every few thousand steps whether to give up.
  void watch(std::function<bool()> stop) { stop_ = std::move(stop); }
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  // The run that the last call found.
  [[nodiscard]] const std::vector<Action>& witness() const { return prefix_.trail(); }
  // Lower sets that the last call looked at.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  // Bytes; grows with the hardest call so far.
  [[nodiscard]] std::size_t memory_used() const {
    return prefix_.memory_used() + closure_.memory_used() + visited_.memory_used() +
           frames_.capacity() * sizeof(Frame);
  }

 private:
  enum class Search : std::uint8_t { by_memory_writes, by_thread_events, naive };
  // What to try next in a state: threads 0 .. k-1, then buffers.
  struct Frame {
    std::size_t length = 0;  // of the run in this state
    std::uint32_t next = 0;
  };
  enum class Answer : std::uint8_t { yes, no, gave_up };

  static constexpr std::uint32_t steps_per_stop = 4096;

  [[nodiscard]] bool run(const Instance& instance, Model model, UseClosure closure, bool naive);
  [[nodiscard]] Answer search(Search kind, std::uint64_t limit);
  void saturate();
  [[nodiscard]] bool stopped();
  [[nodiscard]] bool harmless(ThreadId thread) const;
  [[nodiscard]] bool advance(Search kind, std::uint32_t choice);
  [[nodiscard]] bool step_with_flushes(ThreadId thread);
  void write_key(Search kind);
  void put_fence_map();
  void find_updated_buffers(const Instance& instance);

  Prefix prefix_;
  Closure closure_;
  KeySet visited_;
  KeyWriter key_;
  std::vector<Frame> frames_;
  std::vector<EventId> last_drain_;  // by thread, for the fence map; `no_event` if it never drains
  std::vector<unsigned> progress_bits_, buffer_bits_;
  std::vector<std::uint32_t> fence_map_;
  std::vector<std::uint32_t> updated_buffers_;  // PSO: those of locations that read-modify-writes change
  std::vector<bool> updated_;                   // scratch
  bool any_drain_ = false;
  std::uint64_t nodes_ = 0;
  std::uint64_t most_nodes_ = ~std::uint64_t{0};
  bool gave_up_ = false;
  std::function<bool()> stop_;
  std::uint32_t until_stop_ = steps_per_stop;  // steps before `stop_` is asked
  bool stopped_ = false;
};

}  // namespace heddle::consistency
