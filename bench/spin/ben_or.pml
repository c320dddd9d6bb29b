/* examples/protocols/ben_or.hed: a step is one access, with the choice after it. */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef EAGER
#define EAGER 0
#endif
#ifndef STUBBORN
#define STUBBORN 0
#endif
#define N 3
#define NOTHING 2
#define UNSAID 3

byte report[N * ROUNDS] = UNSAID, proposal[N * ROUNDS] = UNSAID;  /* node by node */
byte decided[N] = NOTHING;
byte ended;

inline choose_other() {
  if
  :: other = (_pid + 1) % N
  :: other = (_pid + 2) % N
  fi
}

#define BEGAN(value) (report[0] == value || report[ROUNDS] == value || report[2 * ROUNDS] == value)
#define DECIDED(value) (decided[0] == value || decided[1] == value || decided[2] == value)

/* A value for the next round; after the last one, what must hold in the end. */
inline next_round() {
  mine = 0;
  round++;
  if
  :: round == ROUNDS ->
    one = 0; both = 0; round = 0;
    ended++;
    assert(ended < N || !(DECIDED(0) && DECIDED(1)) && (!DECIDED(0) || BEGAN(0)) && (!DECIDED(1) || BEGAN(1)));
    goto end
  :: round < ROUNDS && (both || one != NOTHING && !STUBBORN) -> value = one
  :: round < ROUNDS && !(both || one != NOTHING && !STUBBORN) -> value = 0
  :: round < ROUNDS && !(both || one != NOTHING && !STUBBORN) -> value = 1
  fi;
  one = 0; both = 0
}

active [N] proctype node() {
  byte value, other, mine, one, round;
  bit both;
  if
  :: value = 0
  :: value = 1
  fi;
begin:
  atomic { report[_pid * ROUNDS + round] = value; choose_other() };
  atomic { report[other * ROUNDS + round] != UNSAID };
  d_step {
    if
    :: report[other * ROUNDS + round] == value -> mine = value
    :: else -> mine = NOTHING
    fi;
    value = 0; other = 0
  };
  atomic { proposal[_pid * ROUNDS + round] = mine; choose_other() };
  atomic { proposal[other * ROUNDS + round] != UNSAID };
  atomic {
    one = proposal[other * ROUNDS + round];
    both = mine != NOTHING && mine == one;
    assert(mine == NOTHING || one == NOTHING || mine == one);
    if
    :: mine != NOTHING -> one = mine
    :: else
    fi;
    other = 0;
    if
    :: both || EAGER && one != NOTHING -> mine = 0
    :: else -> next_round(); goto begin
    fi
  };
  atomic { decided[_pid] = one; next_round(); goto begin };
end:
  false
}
