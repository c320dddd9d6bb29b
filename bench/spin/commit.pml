/* commit.hed: a step is one access. */
#ifndef N
#define N 4
#endif
#define YES 1
#define NO 2

bool asked[N];
byte vote[N], decision[N], committed, refused, ended;

inline finish() {
  ended++;
  assert(ended <= N || committed == 0 || (committed == N && refused == 0))
}

active [N] proctype participant() {
  byte mine;
  atomic { asked[_pid] };
  if
  :: mine = YES
  :: mine = NO
  fi;
  if
  :: atomic { mine == NO -> refused++ }
  :: atomic { mine == YES -> vote[_pid] = YES; mine = 0; goto wait }
  fi;
  atomic { vote[_pid] = NO; mine = 0 };
wait:
  atomic { decision[_pid] != 0 };
  atomic {
    if
    :: decision[_pid] == YES -> skip
    :: else -> finish(); goto end
    fi
  };
  atomic { committed++; finish() };
end:
  skip
}

active proctype coordinator() {
  byte p, all = YES;
ask:
  atomic {
    asked[p] = 1;
    p++;
    if
    :: p < N -> goto ask
    :: else -> p = 0
    fi
  };
collect:
  atomic { vote[p] != 0 };
  atomic {
    if
    :: vote[p] == NO -> all = NO
    :: else
    fi;
    p++;
    if
    :: p < N -> goto collect
    :: else -> p = 0
    fi
  };
tell:
  atomic {
    decision[p] = all;
    p++;
    if
    :: p < N -> goto tell
    :: else -> p = 0; all = 0; finish()
    fi
  }
}
