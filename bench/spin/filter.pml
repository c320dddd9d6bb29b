/* filter.hed: a step is one access. A wait looks at the level, then at the victim, and begins again. */
#ifndef N
#define N 3
#endif

byte level[N], victim[N], inside;

/* The next thread to look at, or the next level, or inside. */
inline next() {
  k++;
  if
  :: k == _pid -> k++
  :: else
  fi;
  if
  :: k < N -> goto look
  :: else ->
    l++; k = 0;
    if
    :: l < N -> goto climb
    :: else -> l = 0; goto enter
    fi
  fi
}

active [N] proctype p() {
  byte l = 1, k;
climb:
  atomic { level[_pid] = l };
  atomic {
    victim[l] = _pid;
    if
    :: _pid == 0 -> k = 1
    :: else -> k = 0
    fi
  };
look:
  if
  :: atomic { level[k] < l -> next() }
  :: atomic { level[k] >= l -> skip }
  fi;
  if
  :: atomic { victim[l] != _pid -> next() }
  :: atomic { victim[l] == _pid -> goto look }
  fi;
enter:
  atomic { inside++; assert(inside == 1) };
  atomic { inside-- };
  atomic { level[_pid] = 0; l = 1; goto climb }
}
