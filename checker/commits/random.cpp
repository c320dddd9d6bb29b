// Random runs of a commit machine, for POWER, where there is no order of threads to draw. Anchor: Gao, Chakraborty,
// Ozkan, "Probabilistic concurrency testing for weak memory programs" (PCTWM), ASPLOS'23.
//
// Threads have random priorities. What comes next is the first event of the thread with the highest one that does not have
// to wait, with its default parameter: a read of the newest write, a write that is last in coherence order. So without
// a change a run is one of sequential consistency, one thread after the other. At `depth - 1` steps the thread
// falls to the lowest priority, and the step is drawn instead: evenly from the events that can be committed, and its
// parameter evenly from those that the model allows. There a thread runs ahead, reads an old write, or takes an older place in
// coherence order. Values of `choose` are always drawn.
//
// The bound of PCTWM is about communication in its view-based machine, and no such bound is proven for commits here: none
// is reported.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/exploration.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/widening.hpp"
#include "checker/search/random_priorities.hpp"

namespace heddle::checker::commits {

namespace {

template <typename Machine>
class RandomRuns : CommitExploration<Machine> {
  using Base = CommitExploration<Machine>;

 public:
  RandomRuns(Machine& machine, Search& search, const GraphObserver& observer)
      : Base(machine, search, observer), priorities_(*search.options().random) {}

  // False if the machine is too narrow for the program.
  bool run() {
    for (std::uint64_t run = 0; run < search_.options().random->runs && !search_.stopped(); ++run) {
      priorities_.draw(longest_);
      arrive();
      while (!search_.stopped()) {
        if (machine_.full()) return false;
        if (!step()) break;
        search_.transition(machine_.depth(), [&] { return machine_.memory_used(); });
        arrive();
      }
      if (!search_.stopped()) {
        this->end_run();
      } else if (search_.stopped_by().empty()) {
        ++search_.counts.runs;  // which a violation has ended
      }
      longest_ = std::max(longest_, machine_.depth());
      while (machine_.depth() > 0) machine_.undo();
    }
    search_.note_memory(machine_.memory_used());
    if (!search_.stopped()) search_.stop("random search");
    return true;
  }

 private:
  using Base::machine_;
  using Base::search_;

  void arrive() {
    this->stop_at_limits();
    if (!search_.stopped()) this->note_failures();
  }

  // Commits the next event. False if there is none.
  bool step() {
    enabled_.clear();
    machine_.for_each_enabled([&](EventName name) {
      if (!machine_.waits(name)) enabled_.push_back(name);
    });
    if (enabled_.empty()) return false;
    bool draws = false;
    for (; priorities_.change_at(machine_.depth()); draws = true) priorities_.lower(in_turn().front().thread);
    if (draws) {
      commit_drawn(enabled_[priorities_.below(enabled_.size())]);
    } else if (!commit_first_that_goes_on()) {
      commit_default(in_turn().front());
    }
    return true;
  }
  // The first event of each thread, that of the highest priority first.
  const std::vector<EventName>& in_turn() {
    turns_.clear();
    for (const EventName name : enabled_) {
      if (turns_.empty() || turns_.back().thread != name.thread) turns_.push_back(name);
    }
    std::sort(turns_.begin(), turns_.end(),
              [&](EventName a, EventName b) { return priorities_.of(a.thread) > priorities_.of(b.thread); });
    return turns_;
  }

  // Passes over threads that would evaluate what they await too early: they would be lost for this run.
  bool commit_first_that_goes_on() {
    for (const EventName name : in_turn()) {
      commit_default(name);
      if (machine_.standing_op(name.thread) != Op::await_failed ||
          !fails_to_await(machine_.standing(name.thread)))
        return true;
      machine_.undo();
    }
    return false;
  }
  void commit_default(EventName name) {
    if (machine_.op(name) == Op::choose) return commit_drawn(name);
    machine_.prepare(name, event_);
    for (auto p = machine_.first_parameter(event_); p; p = machine_.next_parameter(event_, *p)) {
      if (machine_.commit(event_, *p)) return;
    }
    Base::refuse_no_parameter();
  }
  void commit_drawn(EventName name) {
    machine_.prepare(name, event_);
    parameters_.clear();
    for (auto p = machine_.first_parameter(event_); p; p = machine_.next_parameter(event_, *p))
      parameters_.push_back(*p);
    while (!parameters_.empty()) {
      auto& drawn = parameters_[priorities_.below(parameters_.size())];
      if (machine_.commit(event_, drawn)) return;
      drawn = parameters_.back();
      parameters_.pop_back();
    }
    Base::refuse_no_parameter();
  }

  RandomPriorities priorities_;
  std::uint32_t longest_ = 0;  // steps of a run
  typename Machine::Prepared event_;
  std::vector<EventName> enabled_;
  std::vector<EventName> turns_;          // scratch
  std::vector<std::int64_t> parameters_;  // scratch
};

}  // namespace

void run_random(Search& search) {
  const GraphObserver nobody;
  with_commit_machine(search, [&]<typename Machine>() {
    explore_widening<Machine>(search,
                              [&](auto& machine) { return RandomRuns(machine, search, nobody).run(); });
  });
}

}  // namespace heddle::checker::commits
