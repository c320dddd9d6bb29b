/* increments.hed: a step is one access to the counter and what follows it in the thread. */
#ifndef N
#define N 3
#endif
#ifndef K
#define K 4
#endif

byte x, ended;

active [N] proctype p() {
  byte round, seen;
again:
  seen = x;
  atomic {
    x = seen + 1;
    seen = 0;
    round++;
    if
    :: round < K -> goto again
    :: else -> ended++; assert(ended < N || (x >= 2 && x <= N * K))
    fi
  }
}
