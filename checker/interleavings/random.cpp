// Random runs with priorities: PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with
// probabilistic guarantees of finding bugs", ASPLOS'10), with store buffers as processes of their own, so that
// the delay of a flush is drawn like that of a thread.
//
// Every process gets a random priority above d, and always the enabled process with the highest one takes a step.
// At d - 1 steps, drawn from the first k, the process that has just been chosen falls to a priority below all of
// those. If n processes take at most k steps in all, a run meets a violation of depth d (one that d ordering
// constraints between steps suffice for) with a probability of at least 1 / (n k^(d - 1)): section 3 of the
// paper, whose argument needs only that each process has at most one next step, and that a process that is not
// enabled waits for steps of others.
//
// n and k are not known before. k is the length of the longest run so far, so a change that is drawn while k is
// too small comes earlier than it should; the probability that is reported is that of runs drawn with the final
// k. Values of `choose` are drawn evenly; programs that have any get no bound, because the paper has none.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "checker/interleavings/algorithms.hpp"

namespace heddle::checker {

namespace {

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA'14.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Below `count`, which is not 0. (The bias for a count far below 2^64 is far below what anyone can measure.)
  std::uint64_t below(std::uint64_t count) { return (*this)() % count; }

 private:
  std::uint64_t state_;
};

template <Interleaving Machine>
class RandomRuns {
 public:
  RandomRuns(Machine& machine, Search& search)
      : machine_(machine), search_(search), random_(search.options().random->seed) {}

  void run() {
    const RandomSearch& random = *search_.options().random;
    for (std::uint64_t run = 0; run < random.runs && !search_.stopped(); ++run) {
      draw(random.depth);
      if (!machine_.failures().empty()) search_.failure(machine_);
      while (!search_.stopped() && step()) {
      }
      if (search_.stopped()) {
        if (search_.stopped_by().empty()) ++search_.counts.runs;  // which a violation has ended
      } else {
        search_.end(machine_);
      }
      longest_ = std::max(longest_, machine_.depth());
      while (machine_.depth() > 0) machine_.undo();
    }
    search_.note_memory(machine_.memory_used());
    if (!search_.stopped()) search_.stop("random search");
    if (chose_ || longest_ == 0) return;
    search_.least_probability = 1.0 / machine_.process_count();
    for (std::uint32_t change = 1; change < random.depth; ++change) search_.least_probability /= longest_;
  }

 private:
  void draw(std::uint32_t depth) {
    priorities_.clear();
    changes_.clear();
    for (std::uint32_t change = 1; change < depth; ++change)
      changes_.push_back(static_cast<std::uint32_t>(random_.below(std::max(longest_, 1U))));
    std::sort(changes_.begin(), changes_.end());
    next_change_ = 0;
    lowest_ = most_changes;
  }
  // False if nothing is enabled.
  bool step() {
    if (!machine_.choosing().empty()) {
      chose_ = true;
      const ThreadId thread = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(thread);
      machine_.choose(thread, m.value + static_cast<std::int64_t>(
                                            random_.below(static_cast<std::uint64_t>(m.expected - m.value))));
    } else if (!machine_.enabled().empty()) {
      ProcessId chosen = highest();
      while (next_change_ < changes_.size() && changes_[next_change_] <= machine_.depth()) {
        ++next_change_;
        priorities_[chosen] = --lowest_;
        chosen = highest();
      }
      machine_.execute(chosen);
    } else {
      return false;
    }
    search_.transition(machine_.depth(), [&] { return machine_.memory_used(); });
    if (!machine_.failures().empty()) search_.failure(machine_);
    return true;
  }

  [[nodiscard]] ProcessId highest() {
    while (priorities_.size() < machine_.process_count())
      priorities_.push_back(most_changes + (random_() >> 1));
    ProcessId best = none;
    machine_.enabled().for_each([&](ProcessId process) {
      if (best == none || priorities_[process] > priorities_[best]) best = process;
    });
    return best;
  }

  // Priorities of processes that fell are below this, those of others above.
  static constexpr std::uint64_t most_changes = std::uint64_t{1} << 32;

  Machine& machine_;
  Search& search_;
  Generator random_;
  std::vector<std::uint64_t> priorities_;  // by process
  std::vector<std::uint32_t> changes_;     // steps of this run at which a priority falls, in order
  std::size_t next_change_ = 0;
  std::uint64_t lowest_ = 0;
  std::uint32_t longest_ = 0;  // steps of a run
  bool chose_ = false;
};

}  // namespace

void run_random(Search& search) {
  auto options = waiting_options(search);
  options.daemons_look_last = false;
  explore_with(search, options, [&](Interleaving auto& machine) { RandomRuns(machine, search).run(); });
}

}  // namespace heddle::checker
