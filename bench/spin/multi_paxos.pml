/* examples/protocols/multi_paxos.hed: a step is an atomic block. What an acceptor or the proposer of a ballot does, it does in
   one process. */
#ifndef BALLOTS
#define BALLOTS 2
#endif
#ifndef DEAF
#define DEAF 0
#endif
#ifndef SHORT
#define SHORT 0
#endif
#ifndef HASTY
#define HASTY 0
#endif
#ifndef FRESH
#define FRESH 0
#endif
#if BALLOTS > 3
#error "multi_paxos.pml is for up to 3 ballots"
#endif
#define ACCEPTORS 3
#define SLOTS 2
#define BIT(i) (1 << (i))
#define MAJORITY(set) (((set) & 1) + ((set) >> 1 & 1) + ((set) >> 2 & 1) > 1)
#define AT(b, slot) ((b) * SLOTS + (slot))
#define TOLD(b, acceptor, slot) (((b) * ACCEPTORS + (acceptor)) * SLOTS + (slot))

byte promised[ACCEPTORS], accepted_ballot[ACCEPTORS * SLOTS], accepted_value[ACCEPTORS * SLOTS];
byte promised_by[BALLOTS + 1];  /* sets of acceptors */
byte told_ballot[(BALLOTS + 1) * ACCEPTORS * SLOTS], told_value[(BALLOTS + 1) * ACCEPTORS * SLOTS];
byte proposed[(BALLOTS + 1) * SLOTS], accepted_by[(BALLOTS + 1) * SLOTS];
byte chosen[SLOTS];  /* sets of values */

#define PROMISE(b) \
  :: d_step { \
    b > promised[_pid] -> \
    promised[_pid] = b; \
    told_ballot[TOLD(b, _pid, 0)] = accepted_ballot[AT(_pid, 0)]; \
    told_value[TOLD(b, _pid, 0)] = accepted_value[AT(_pid, 0)]; \
    told_ballot[TOLD(b, _pid, 1)] = accepted_ballot[AT(_pid, 1)]; \
    told_value[TOLD(b, _pid, 1)] = accepted_value[AT(_pid, 1)]; \
    promised_by[b] = promised_by[b] | BIT(_pid) \
  }

#define ACCEPT(b, slot) \
  :: d_step { \
    proposed[AT(b, slot)] != 0 && (HASTY || b >= promised[_pid]) && !(accepted_by[AT(b, slot)] & BIT(_pid)) -> \
    promised[_pid] = b; \
    accepted_ballot[AT(_pid, slot)] = b; \
    accepted_value[AT(_pid, slot)] = proposed[AT(b, slot)]; \
    accepted_by[AT(b, slot)] = accepted_by[AT(b, slot)] | BIT(_pid); \
    if \
    :: MAJORITY(accepted_by[AT(b, slot)]) -> \
      chosen[slot] = chosen[slot] | BIT(proposed[AT(b, slot)]); \
      assert((chosen[slot] & (chosen[slot] - 1)) == 0) \
    :: else \
    fi \
  }

active [ACCEPTORS] proctype acceptor() {
end:
  do
  PROMISE(1) ACCEPT(1, 0) ACCEPT(1, 1)
  PROMISE(2) ACCEPT(2, 0) ACCEPT(2, 1)
#if BALLOTS > 2
  PROMISE(3) ACCEPT(3, 0) ACCEPT(3, 1)
#endif
  od
}

#define BALLOT (_pid - ACCEPTORS + 1)  /* a proposer's */
hidden byte vote_ballot, vote_value;

/* What one acceptor has promised. */
inline hear(who, slot) {
  if
  :: told_ballot[TOLD(BALLOT, who, slot)] > vote_ballot ->
    vote_ballot = told_ballot[TOLD(BALLOT, who, slot)];
    vote_value = told_value[TOLD(BALLOT, who, slot)]
  :: else
  fi
}

inline propose(slot, first, second) {
  vote_ballot = 0; vote_value = BALLOT;
  if
  :: DEAF || SHORT && slot > 0
  :: else -> hear(first, slot); hear(second, slot)
  fi;
  assert(!FRESH || vote_value == BALLOT);
  proposed[AT(BALLOT, slot)] = vote_value
}

#define PROPOSE(first, second) \
  :: d_step { \
    proposed[AT(BALLOT, 0)] == 0 && (promised_by[BALLOT] & BIT(first)) && (promised_by[BALLOT] & BIT(second)) -> \
    propose(0, first, second); \
    propose(1, first, second) \
  }

active [BALLOTS] proctype proposer() {
end:
  do
  PROPOSE(1, 2)
  PROPOSE(0, 2)
  PROPOSE(0, 1)
  od
}
