/* examples/protocols/raft_election.hed: a step is one access, or the condition of a wait; a message is one access. A link of
   std.network has one message here, so what is sent or received of it is a bit. */
#ifndef N
#define N 3
#endif
#ifndef CANDIDATES
#define CANDIDATES 2
#endif
#ifndef FORGETFUL
#define FORGETFUL 0
#endif
#ifndef EAGER
#define EAGER 0
#endif
#if N < 3 || N > 5 || CANDIDATES > 3
#error "raft_election.pml is for 3 to 5 nodes and up to 3 candidates"
#endif
#define BIT(i) (1 << (i))
#define MAJORITY(set) (2 * (((set) & 1) + ((set) >> 1 & 1) + ((set) >> 2 & 1) + ((set) >> 3 & 1) + ((set) >> 4 & 1)) > N)
#define LINK(from, to) ((from) * N + (to))
#define ASK 1
#define VOTE 2
#define NOBODY N

bit sent[N * N], received[N * N];
byte messages[N * N], leader = NOBODY;

#define WAIT(sender) :: atomic { sent[LINK(sender, _pid)] != received[LINK(sender, _pid)] -> from = sender }

/* All but the last step of a receive after its wait. */
inline get() {
  atomic { received[LINK(from, _pid)] == 0 };
  atomic { sent[LINK(from, _pid)] == 1 };
  atomic { message = messages[LINK(from, _pid)] }
}

active [CANDIDATES] proctype candidate() {
  byte votes = BIT(_pid), to = (_pid == 0 -> 1 : 0), from, message;
ask:
  atomic { sent[LINK(_pid, to)] == 0 };
  atomic { messages[LINK(_pid, to)] = ASK };
  atomic {
    sent[LINK(_pid, to)] = 1;
    to = (to + 1 == _pid -> to + 2 : to + 1);
    if
    :: to < N -> goto ask
    :: to >= N && EAGER -> to = 0; goto lead
    :: to >= N && !EAGER -> to = 0
    fi
  };
end:
  if
  :: votes = 0; goto end_ended  /* it gives up */
  WAIT(0)
  WAIT(1)
  WAIT(2)
#if N > 3
  WAIT(3)
#endif
#if N > 4
  WAIT(4)
#endif
  fi;
  get();
  atomic {
    received[LINK(from, _pid)] = 1;
    if
    :: message == VOTE -> votes = votes | BIT(from)
    :: else
    fi;
    from = 0; message = 0;
    if
    :: MAJORITY(votes) -> goto lead
    :: else -> goto end
    fi
  };
lead:
  atomic { assert(leader == NOBODY); votes = 0 };
  atomic { leader = _pid };
end_ended:
  false
}

inline next() {
  from = 0;
  if
  :: heard < CANDIDATES -> goto wait
  :: else -> voted = 0; heard = 0; goto end
  fi
}

active [N - CANDIDATES] proctype follower() {
  byte voted = NOBODY, from, message, heard;
wait:
  if
  WAIT(0)
#if CANDIDATES > 1
  WAIT(1)
#endif
#if CANDIDATES > 2
  WAIT(2)
#endif
  fi;
  get();
  atomic {
    received[LINK(from, _pid)] = 1;
    message = 0; heard++;
    if
    :: FORGETFUL || voted == NOBODY || voted == from -> voted = from
    :: else -> next()
    fi
  };
  atomic { sent[LINK(_pid, from)] == 0 };
  atomic { messages[LINK(_pid, from)] = VOTE };
  atomic { sent[LINK(_pid, from)] = 1; next() };
end:
  false
}
