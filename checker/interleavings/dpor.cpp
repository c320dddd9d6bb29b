// dpor: dynamic partial-order reduction after Flanagan and Godefroid (POPL'05), with the processes of paper
// 1: a store buffer is a process of its own, so one algorithm serves SC, TSO and PSO.
//
// Where a step e races with a later transition t of process p, the state before e gets one process of
//   E = { q enabled there : q = p, or some step of q after e happens before t }
// into its backtrack set, or all enabled ones if E is empty (paper 1, algorithm 1, lines 14 to 19).
// Differences:
// - Races are looked for when t is executed, not while it is pending. Every pending transition is executed on
// the path
//   below, except a lock that is never granted, and backtracking.hpp makes up for that.
// - All races of t count that nothing between orders, not only the last one. That is what makes the reduction
// sound for
//   the conditional dependence of read-modify-writes and of loads that read their own thread's buffer.
// - Of E the first step's process is taken: it has no predecessor among the steps after e, so it can go
// first.
// - Sleep sets on top: complete executions are counted once per trace; what is noticed late is a
// sleep-set-blocked one.
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
  explore(search, [&]<typename Machine>(Machine& machine) {
    BacktrackingSearch<Machine, Stateless>(machine, search).run();
  });
}

}  // namespace heddle::checker
