// rf: every reads-from class exactly once (paper 4, algorithm 3, RF-SMC; first for SC by Abdulla, Atig,
// Jonsson, Lang, Ngo, Sagonas, OOPSLA'19).
//
// Two executions are in one class if they have the same events in program order and every read sees the same
// write; the order of writes (coherence) does not matter. A class fixes what every thread does, so local
// states, assertions and blocked threads are the class's; final memory is not (see rf_final.hpp).
//
// A call has a sequence of thread events (tau) whose sources are settled for now. It runs a witness of them,
// extends the run to a maximal one (line 1), and then asks for every read r that may change (line 5): which
// other write w could it see? The new sequence is the one up to r, then w's causal past (lines 12-16); the
// verifier says whether it is realisable (line 18). It is put into the schedules of r (line 21), which belong
// to the call whose extension has r. That call explores the schedules of its last read first (line 22). Reads
// in w's causal past are marked: they stay as they are, or the class would be met again from elsewhere.
// Schedules of one read are told apart by the causal past of the new source: its events and what they read.
//
// How this version differs from the paper, and why:
//   - Read-modify-writes are one event here, as are locks. When such an event's source changes, so does its
//     write, and the write counts as one of the extension (line 11 asks for new writes only).
//   - Remark 1 asks for more mutations where r is a read-modify-write: let another one, u, which could read
//     what r reads, go first, and r read from u. The remark takes u's that read from r now. That is not
//     enough if u reads from elsewhere when it first appears: u is then no longer new once it does read from
//     r. Here every u that appears is taken, whatever it reads now; it is known what it would write.
//   - A lock reads from the unlock before it, so "u first" means that r is not executed for now: its schedule
//     has u, reading what r read, in the place of r. Which lock takes the mutex next after an unlock splits
//     the classes just as the source of a read does. u may be one that its thread waits for: at the end of a
//     maximal run a thread that waits for a mutex that r holds is such a u.
//   - Values of `choose` are kept as schedules, too, one after the other.
//   - The paper's sequence for a mutation (line 14) and the reads-from map are the key of a schedule; the
//     order of events in it is not, since it depends on how the run happened to be.
//   - A thread that stops at its very first event, a read, has done nothing that anybody sees; it could as
//     well have waited with that read. So a mutation of the read that makes its assume fail, or its await
//     look too early (at the initial value, though the read saw a write), is not followed. What other threads
//     do then they also do where the read sees what it saw before, as soon as that is there. (No deadlock is
//     lost: an await looks at the initial value in the end only where that write is missing; then something
//     differs that the write depends on, which comes before the read and is mutated there.)
//
// Every deadlock that `naive` finds is found: the events of a class decide which thread waits for which
// mutex; whether an await waits for ever depends on final memory, so all final memories of the class are
// tried.
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/rf/rf_search.hpp"

namespace heddle::checker {

void run_rf(Search& search) {
  explore(search, [&]<typename Machine>(Machine& machine) { rf::ReadsFrom<Machine>(machine, search).run(); });
}

}  // namespace heddle::checker
