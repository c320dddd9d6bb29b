/* mesi.hed: a step is one access. */
#ifndef N
#define N 3
#endif
#define INVALID 0
#define SHARED 1
#define EXCLUSIVE 2
#define MODIFIED 3
#define READ 2

byte state[N];
bit data[N], memory, latest, bus;

/* The next cache to ask, or the end of that. */
inline next() {
  theirs = INVALID; value = 0; other++;
  if
  :: other == _pid -> other++
  :: else
  fi;
  if
  :: other < N -> goto snoop
  :: else ->
    other = 0;
    if
    :: request != READ -> mine = 0; alone = 0; goto write
    :: request == READ && mine != INVALID -> mine = 0; alone = 0; goto check
    :: request == READ && mine == INVALID -> mine = 0; goto fill
    fi
  fi
}

active [N] proctype cache() {
  byte request, mine, other, theirs;
  bit alone, value;
begin:
  if
  :: request = 0
  :: request = 1
  :: request = READ
  fi;
  atomic {
    if
    :: request == READ && state[_pid] != INVALID -> request = 0; goto begin
    :: else
    fi
  };
  atomic { !bus -> bus = 1 };
  atomic {
    mine = state[_pid]; alone = 1;
    if
    :: _pid == 0 -> other = 1
    :: else -> other = 0
    fi
  };
snoop:
  atomic {
    theirs = state[other];
    if
    :: theirs == INVALID -> next()
    :: theirs == MODIFIED -> alone = 0
    :: theirs == EXCLUSIVE -> alone = 0; goto take
    :: theirs == SHARED && request != READ -> alone = 0; goto take
    :: theirs == SHARED && request == READ -> alone = 0; next()
    fi
  };
  atomic { value = data[other] };
  atomic { memory = value; value = 0 };
take:
  atomic {
    if
    :: request != READ -> state[other] = INVALID
    :: else -> state[other] = SHARED
    fi;
    next()
  };
write:
  atomic { data[_pid] = request };
  atomic { latest = request };
  atomic { state[_pid] = MODIFIED; goto release };
fill:
  atomic { value = memory };
  atomic { data[_pid] = value; value = 0 };
  atomic {
    if
    :: alone -> state[_pid] = EXCLUSIVE
    :: else -> state[_pid] = SHARED
    fi;
    alone = 0
  };
check:
  atomic { value = data[_pid] };
  atomic { assert(value == latest); value = 0 };
release:
  atomic { bus = 0; request = 0; goto begin }
}
