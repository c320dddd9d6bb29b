// source: source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL'14,
// algorithm 1), with store buffers as processes of their own.
//
// Where a step e races with a later transition t, let v be the steps after e that do not happen after e,
// followed by t. The initials of v are the processes whose first step in v has no predecessor in v: each
// could start v. The state before e needs one of them in its backtrack set; one is added only if none is
// there yet. A sleeping process counts as present: the runs that it would start have been explored.
//
// With a preemption bound that test would be unsound (an initial that is present may cost more preemptions
// than the bound allows); backtracking.hpp then always adds the transition's own process, or all enabled
// ones.
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/backtracking.hpp"

namespace heddle::checker {

namespace {

class SourceSets {
 public:
  static constexpr bool stateful = false;
  [[nodiscard]] static std::size_t memory_used() { return 0; }

  template <Interleaving Machine, typename Node>
  void add(const Machine& machine, const HappensBefore<Machine>& order, Node& node, const Race& race) {
    const auto present = node.backtrack | node.sleep;
    const auto racing = machine.step(race.earlier).process;
    typename Machine::Set in_v;
    std::uint32_t first = none;
    if (first_position_.size() < machine.process_count()) first_position_.resize(machine.process_count());
    // Takes the next step of v; true if it reveals an initial that is present.
    const auto visit = [&](std::uint32_t at, ProcessId p, const std::int32_t* clock) {
      if (in_v.contains(p)) return false;
      bool initial = true;
      in_v.for_each([&](ProcessId q) { initial = initial && clock[q] <= first_position_[q]; });
      in_v.insert(p);
      first_position_[p] = static_cast<std::int32_t>(at);
      if (!initial) return false;
      if (present.contains(p)) return true;
      if (first == none && node.enabled.contains(p)) first = p;
      return false;
    };
    for (auto i = race.earlier + 1; i < race.later; ++i) {
      const auto* const clock = order.clock(order.row(i));
      if (clock[racing] > static_cast<std::int32_t>(race.earlier)) continue;  // happens after e
      if (visit(i, machine.step(i).process, clock)) return;
    }
    if (visit(race.later, race.process, order.clock(race.row))) return;
    if (first != none) {
      node.backtrack.insert(first);
    } else {
      node.backtrack |= node.enabled;
    }
  }

 private:
  // By process: the position of its first step in v. A step has a predecessor in v if and only if its clock
  // covers one of these.
  std::vector<std::int32_t> first_position_;
};

}  // namespace

void run_source(Search& search) {
  explore_choosing(search, waiting_options(search), [&]<Interleaving Machine>(Machine& machine) {
    BacktrackingSearch<Machine, SourceSets>(machine, search).run();
  });
}

}  // namespace heddle::checker
