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

#include "checker/interleavings/algorithms.hpp"
#include "checker/search/random_priorities.hpp"

namespace heddle::checker {

namespace {

template <Interleaving Machine>
class RandomRuns {
 public:
  RandomRuns(Machine& machine, Search& search)
      : machine_(machine), search_(search), priorities_(*search.options().random) {}

  void run() {
    const RandomSearch& random = *search_.options().random;
    for (std::uint64_t run = 0; run < random.runs && !search_.stopped(); ++run) {
      priorities_.draw(longest_);
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
  // False if nothing is enabled.
  bool step() {
    if (!machine_.choosing().empty()) {
      chose_ = true;
      const ThreadId thread = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(thread);
      machine_.choose(thread, m.value + static_cast<std::int64_t>(priorities_.below(
                                            static_cast<std::uint64_t>(m.expected - m.value))));
    } else if (!machine_.enabled().empty()) {
      ProcessId chosen = highest();
      while (priorities_.change_at(machine_.depth())) {
        priorities_.lower(chosen);
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
    ProcessId best = none;
    machine_.enabled().for_each([&](ProcessId process) {
      if (best == none || priorities_.of(process) > priorities_.of(best)) best = process;
    });
    return best;
  }

  Machine& machine_;
  Search& search_;
  RandomPriorities priorities_;
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
