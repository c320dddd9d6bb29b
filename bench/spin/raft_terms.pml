/* examples/protocols/raft_terms.hed: a step is an atomic block. What a node does, it does in one process. */
#ifndef N
#define N 3
#endif
#ifndef TERMS
#define TERMS 3
#endif
#ifndef FORGETFUL
#define FORGETFUL 0
#endif
#ifndef EAGER
#define EAGER 0
#endif
#ifndef LATE
#define LATE 0
#endif
#if N > 4 || TERMS < 2 || TERMS > 5
#error "raft_terms.pml is for up to 4 nodes and 2 to 5 terms"
#endif
#define BIT(i) (1 << (i))
#define MAJORITY(set) (2 * (((set) & 1) + ((set) >> 1 & 1) + ((set) >> 2 & 1) + ((set) >> 3 & 1)) > N)
#define NOBODY N

byte term[N], voted[N] = NOBODY, votes[N];
byte asked[TERMS + 1], leaders[TERMS + 1];  /* sets of candidates */
byte granted[(TERMS + 1) * N];

inline lead() {
  leaders[term[_pid]] = leaders[term[_pid]] | BIT(_pid);
  assert((leaders[term[_pid]] & (leaders[term[_pid]] - 1)) == 0)
}

#define VOTE(t, candidate) \
  :: d_step { \
    candidate != _pid && (asked[t] & BIT(candidate)) && (term[_pid] < t || term[_pid] == t && voted[_pid] == NOBODY) -> \
    term[_pid] = t; voted[_pid] = candidate; votes[_pid] = 0; \
    granted[t * N + candidate] = granted[t * N + candidate] | BIT(_pid) \
  }

#define COUNT(voter) \
  :: d_step { \
    voter != _pid && voted[_pid] == _pid && !(votes[_pid] & BIT(voter)) && \
    ((granted[term[_pid] * N + _pid] & BIT(voter)) || \
      LATE && term[_pid] > 0 && (granted[(term[_pid] - (term[_pid] > 0)) * N + _pid] & BIT(voter))) -> \
    votes[_pid] = votes[_pid] | BIT(voter); \
    if \
    :: MAJORITY(votes[_pid]) -> lead() \
    :: else \
    fi \
  }

#if N > 3
#define VOTES(t) VOTE(t, 0) VOTE(t, 1) VOTE(t, 2) VOTE(t, 3)
#elif N > 2
#define VOTES(t) VOTE(t, 0) VOTE(t, 1) VOTE(t, 2)
#else
#define VOTES(t) VOTE(t, 0) VOTE(t, 1)
#endif

active [N] proctype node() {
end:
  do
  :: d_step {
    term[_pid] < TERMS && !(leaders[term[_pid]] & BIT(_pid)) ->
    term[_pid]++; voted[_pid] = _pid; votes[_pid] = BIT(_pid);
    asked[term[_pid]] = asked[term[_pid]] | BIT(_pid);
    if
    :: EAGER -> lead()
    :: else
    fi
  }
  VOTES(1)
  VOTES(2)
#if TERMS > 2
  VOTES(3)
#endif
#if TERMS > 3
  VOTES(4)
#endif
#if TERMS > 4
  VOTES(5)
#endif
  COUNT(0)
  COUNT(1)
#if N > 2
  COUNT(2)
#endif
#if N > 3
  COUNT(3)
#endif
#if FORGETFUL
  :: d_step { voted[_pid] != NOBODY -> voted[_pid] = NOBODY; votes[_pid] = 0 }
#endif
  od
}
