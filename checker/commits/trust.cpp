// trust: every consistent execution graph of a program exactly once, in polynomial memory.
//
// Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order
// reduction", POPL'22; algorithms.md, "trust"; paper 3, algorithm 1 with the bound of preemption_bound.hpp.
//
// The search (trust_search.hpp) extends one graph by the next event of the left-most thread that can go on:
//   a read    reads from every write that the model allows,
//   a write   stands at every place in coherence order that the model allows, and then, for every earlier
//             read that it could have been the source of, *revisits* that read: the events that came after
//             the read and that the write does not depend on are deleted, the read reads from the write.
// Several graphs lead to the same revisit; only one of them may take it. It is the one in which everything
// deleted is maximal: an event that saw the newest of what was there (algorithms.md, "maximally added").
//
// How this differs from the paper
// - One graph is changed and changed back; the paper copies it for each revisit. Deleted events are set aside
//   (Graph::cut) and brought back (Graph::mend). Because they are maximal, nothing that stays depends on
//   them, so the closed order of what stays needs no repair. The stack of nodes replaces recursion.
// - Whether an event is maximal does not depend on the read that is revisited. So one walk back through the
//   order of insertion finds all revisits of a write; it ends at the first event that is not maximal.
// - A successful read-modify-write is one event, its read and write parts never apart. Where its source is
//   already read by another one, it cannot be added but may still revisit: the other one, or an earlier read.
// - A revisited read is added again by a node of its own, at its old place in the order of insertion. If it
//   turns out to write (a CAS that succeeds now, say), that write has its own revisits.
// - `choose` has one value that counts as maximal, the first.
// - A read that is added with another source than the newest write, and at which its thread stops at once (an
//   assumption or an await that fails), can never be revisited or deleted. The graph is counted as blocked
//   and not extended. Violations of other threads in it occur in graphs without this read, too (but those may
//   take more preemptions, so with a bound it is extended).
//
// Mutexes. A lock is added only when its mutex is free, as the next owner: no execution is explored in which
// a thread has seen a mutex taken and waits for good. The other orders of owners come from revisits: a lock
// whose source another lock (or trylock) has taken puts itself in that one's place. A lock cannot read from a
// lock, so the one that is revisited becomes a *deferral*: an event that marks, at the old place in the order
// of insertion, that the thread's lock comes after the one that revisited it. A deferral orders nothing and
// is no part of the execution. Its thread goes on, before all others, as soon as that owner has unlocked the
// mutex; it never takes an earlier place again, which would lead back. The new owner cannot be deleted while
// the deferral stays (it is a reader of it), nor does a deferral stand in the way when it is deleted itself.
// Where no thread can go on, each thread that still waits for a mutex may revisit once, without being added.
//
// Violations are reported as schedules of the operational machine (linearise.hpp), which replays them.
#include "checker/commits/algorithms.hpp"
#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/trust_search.hpp"
#include "checker/commits/trust_threads.hpp"

namespace heddle::checker {

namespace {

// Sets of one word are enough for most programs; a search that meets a longer execution goes on with wider
// ones.
template <typename Model, unsigned Words>
void run_to_the_end(Trust<Model, Words>& trust, Search& search) {
  constexpr unsigned widest = 64;
  if (trust.run()) return;
  if constexpr (Words < widest) {
    Trust<Model, 8 * Words> wider(std::move(trust));
    run_to_the_end(wider, search);
  } else {
    search.stop("an execution of more than 4,000 events");
  }
}

}  // namespace

void run_trust(Search& search) { run_trust(search, {}); }

void run_trust(Search& search, const GraphObserver& observer) {
  const auto& model = search.options().model;
  const bool found = AxiomaticModels::visit(model, [&]<typename Model>() {
    Trust<Model, 1> trust(search);
    trust.observe(observer);
    run_to_the_end(trust, search);
  });
  if (!found) throw NoImplementation(model);
}

}  // namespace heddle::checker
