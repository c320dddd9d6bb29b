/* examples/protocols/paxos.hed: a step is one access, with the choice after it, or the condition of a wait; a message is one
   access. What a proposer sends an acceptor is at most a prepare and an accept, what it is sent at most one promise. */
#ifndef DEAF
#define DEAF 0
#endif
#ifndef HASTY
#define HASTY 0
#endif
#define PROPOSERS 2
#define ACCEPTORS 3
#define BIT(i) (1 << (i))
#define MAJORITY(set) (((set) & 1) + ((set) >> 1 & 1) + ((set) >> 2 & 1) > 1)
#define LINK(proposer, acceptor) ((proposer) * ACCEPTORS + (acceptor))
#define PREPARE 3  /* an accept is its value, 1 or 2 */
#define ME (_pid - PROPOSERS)  /* an acceptor */

/* From proposers to acceptors: received is a bit for each message. */
byte sent[PROPOSERS * ACCEPTORS], received[PROPOSERS * ACCEPTORS], messages[2 * PROPOSERS * ACCEPTORS];
/* From acceptors to proposers. */
bit promised[PROPOSERS * ACCEPTORS], heard[PROPOSERS * ACCEPTORS];
byte told_ballot[PROPOSERS * ACCEPTORS], told_value[PROPOSERS * ACCEPTORS];
byte accepted_by[PROPOSERS], proposed[PROPOSERS];

#define HEAR(acceptor) :: atomic { promised[LINK(_pid, acceptor)] != heard[LINK(_pid, acceptor)] -> to = acceptor }

inline first_acceptor() { to = (unheard == 0 -> 1 : 0) }
inline next_acceptor() { to = (to + 1 == unheard -> to + 2 : to + 1) }

active [PROPOSERS] proctype proposer() {
  byte value = _pid + 1, unheard, to, answers, highest, ballot, told;
  atomic {
    if
    :: unheard = 0
    :: unheard = 1
    :: unheard = 2
    fi;
    first_acceptor()
  };
prepare:
  atomic { sent[LINK(_pid, to)] == 0 };
  atomic { messages[2 * LINK(_pid, to)] = PREPARE };
  atomic {
    sent[LINK(_pid, to)] = 1;
    next_acceptor();
    if
    :: to < ACCEPTORS -> goto prepare
    :: else -> to = 0
    fi
  };
wait:
  if
  :: d_step { value = 0; unheard = 0; answers = 0; highest = 0 }; goto end  /* it gives up */
  HEAR(0)
  HEAR(1)
  HEAR(2)
  fi;
  atomic { heard[LINK(_pid, to)] == 0 };
  atomic { promised[LINK(_pid, to)] == 1 };
  atomic { ballot = told_ballot[LINK(_pid, to)]; told = told_value[LINK(_pid, to)] };
  atomic {
    heard[LINK(_pid, to)] = 1;
    if
    :: ballot > highest && !DEAF -> highest = ballot; value = told
    :: else
    fi;
    ballot = 0; told = 0; to = 0; answers++;
    if
    :: answers < 2 -> goto wait
    :: else -> answers = 0; highest = 0
    fi
  };
  atomic { proposed[_pid] = value; first_acceptor() };
propose:
  atomic { sent[LINK(_pid, to)] == 1 };
  atomic { messages[2 * LINK(_pid, to) + 1] = value };
  atomic {
    sent[LINK(_pid, to)] = 2;
    next_acceptor();
    if
    :: to < ACCEPTORS -> goto propose
    :: else -> value = 0; unheard = 0; to = 0
    fi
  };
end:
  false
}

#define RECEIVE(proposer) \
  :: atomic { received[LINK(proposer, ME)] != BIT(sent[LINK(proposer, ME)]) - 1 -> from = proposer }

inline next_message() {
  message = 0; from = 0; count++;
  if
  :: count < 4 -> goto wait
  :: else -> stop(); goto end
  fi
}
inline stop() { count = 0; highest = 0; ballot = 0; value = 0 }

active [ACCEPTORS] proctype acceptor() {
  byte highest;  /* the ballot that it has promised */
  byte ballot, value;  /* accepted */
  byte count, from, got, place, message;
wait:
  if
  :: d_step { stop() }; goto end
  RECEIVE(0)
  RECEIVE(1)
  fi;
  atomic { got = received[LINK(from, ME)] };
  atomic {
    if
    :: !(got & 1) -> place = 0
    :: sent[LINK(from, ME)] == 2 && !(got & 2) -> place = 1
    fi
  };
  atomic { message = messages[2 * LINK(from, ME) + place] };
  atomic {
    received[LINK(from, ME)] = got | BIT(place);
    got = 0; place = 0;
    if
    :: message == PREPARE && from + 1 > highest -> highest = from + 1; message = 0
    :: message != PREPARE && (HASTY || from + 1 >= highest) ->
      highest = from + 1; ballot = from + 1; value = message; message = 0; goto accept
    :: else -> next_message()
    fi
  };
  atomic { promised[LINK(from, ME)] == 0 };
  atomic { told_ballot[LINK(from, ME)] = ballot; told_value[LINK(from, ME)] = value };
  atomic { promised[LINK(from, ME)] = 1; next_message() };
accept:
  atomic {
    accepted_by[from] = accepted_by[from] | BIT(ME);
    assert(!MAJORITY(accepted_by[0]) || !MAJORITY(accepted_by[1]) || proposed[0] == proposed[1]);
    next_message()
  };
end:
  false
}
