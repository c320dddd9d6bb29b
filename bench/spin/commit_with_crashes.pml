/* examples/protocols/commit_with_crashes.hed: a step is an atomic block. What a node does, it does in one process. */
#ifndef N
#define N 2
#endif
#ifndef CRASHES
#define CRASHES 3
#endif
#ifndef UNLOGGED_VOTE
#define UNLOGGED_VOTE 0
#endif
#ifndef UNLOGGED_DECISION
#define UNLOGGED_DECISION 0
#endif
#ifndef IMPATIENT
#define IMPATIENT 0
#endif
#ifndef GONE
#define GONE 0
#endif
#if N > 5
#error "commit_with_crashes.pml is for up to 5 participants"
#endif
#define COORDINATOR N
#define ALL ((1 << (N + 1)) - 1)
#define BIT(i) (1 << (i))
#define BEGUN 0
#define PROMISED 1
#define COMMITTED 2
#define ABORTED 3

byte memory[N + 1], log[N + 1];
byte promises;  /* messages to the coordinator, as the set of their senders */
byte decisions[N];  /* messages from the coordinator */
byte committed, aborted;  /* sets of nodes, by what their logs say */
byte crashes;
bit gone;

inline write() {
  log[_pid] = memory[_pid];
  if
  :: log[_pid] == ABORTED -> aborted = aborted | BIT(_pid)
  :: log[_pid] == COMMITTED ->
    committed = committed | BIT(_pid);
    assert(log[0] != BEGUN);
#if N > 1
    assert(log[1] != BEGUN);
#endif
#if N > 2
    assert(log[2] != BEGUN);
#endif
#if N > 3
    assert(log[3] != BEGUN);
#endif
#if N > 4
    assert(log[4] != BEGUN);
#endif
  :: else
  fi;
  assert(committed == 0 || aborted == 0)
}

inline crash() {
  crashes++;
  if
  :: IMPATIENT && log[_pid] == PROMISED -> memory[_pid] = ABORTED
  :: else -> memory[_pid] = log[_pid]
  fi
}

active [N] proctype participant() {
end:
  do
  :: d_step { memory[_pid] == BEGUN -> memory[_pid] = PROMISED }
  :: d_step { memory[_pid] == BEGUN -> memory[_pid] = ABORTED }
  :: d_step {
    memory[_pid] == PROMISED && (UNLOGGED_VOTE || log[_pid] == PROMISED) && !(promises & BIT(_pid)) ->
    promises = promises | BIT(_pid)
  }
  :: d_step { decisions[_pid] != BEGUN && memory[_pid] <= PROMISED -> memory[_pid] = decisions[_pid] }
  :: d_step { memory[_pid] != BEGUN && log[_pid] != memory[_pid] -> write() }
  :: d_step { crashes < CRASHES -> crash() }
  od
}

#define TELL(to) \
  :: d_step { \
    memory[COORDINATOR] != BEGUN && !gone && (UNLOGGED_DECISION || log[COORDINATOR] == memory[COORDINATOR]) && \
    decisions[to] == BEGUN -> \
    decisions[to] = memory[COORDINATOR] \
  }

active proctype coordinator() {
end:
  do
  :: d_step { memory[COORDINATOR] == BEGUN && !gone && promises == BIT(N) - 1 -> memory[COORDINATOR] = COMMITTED }
  :: d_step { memory[COORDINATOR] == BEGUN && !gone -> memory[COORDINATOR] = ABORTED }
  TELL(0)
#if N > 1
  TELL(1)
#endif
#if N > 2
  TELL(2)
#endif
#if N > 3
  TELL(3)
#endif
#if N > 4
  TELL(4)
#endif
  :: d_step { memory[COORDINATOR] != BEGUN && log[COORDINATOR] != memory[COORDINATOR] -> write() }
  :: d_step { crashes < CRASHES -> crash(); gone = GONE }
  :: d_step { timeout -> assert(committed == ALL || aborted == ALL) }
  od
}
