// dpor: dynamic partial-order reduction after Flanagan and Godefroid (POPL'05), with the processes of paper
// 1: a store buffer is a process of its own, so one algorithm serves SC, TSO and PSO.
//
// Where a step e races with a later transition t of process p, the state before e gets one process of
//   E = { q enabled there : q = p, or some step of q after e happens before t }
// into its backtrack set, or all enabled ones if E is empty (paper 1, algorithm 1, lines 14 to 19).
// Differences:
// - Races are detected when t is executed, not while it is pending. Every pending transition is executed on
//   the path below, except a lock that is never granted; backtracking.hpp makes up for that.
// - Every race of t that no step in between orders counts, not only the last one. That makes the reduction
//   sound for the conditional dependence of read-modify-writes and of loads that read their own thread's
//   buffer.
// - One process is chosen before its being enabled is checked: of p and the processes with steps after e that
//   happen before t, the one whose step comes first, since nothing after e precedes it. If it is not enabled,
//   the backtrack set gets all enabled processes.
// - Sleep sets are added: complete executions are counted once per trace, and a redundant exploration that is
//   noticed late ends as a sleep-set-blocked one.
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/backtracking.hpp"
#include "checker/interleavings/flanagan_godefroid.hpp"

namespace heddle::checker {

namespace {

struct Stateless : FlanaganGodefroid {
  static constexpr bool stateful = false;
  [[nodiscard]] static std::size_t memory_used() { return 0; }
};

}  // namespace

void run_dpor(Search& search) {
  explore_choosing(search, waiting_options(search), [&]<Interleaving Machine>(Machine& machine) {
    BacktrackingSearch<Machine, Stateless>(machine, search).run();
  });
}

}  // namespace heddle::checker
