/* philosophers.hed: a step is one access. */
#ifndef N
#define N 5
#endif

bool fork[N], eating[N];

active [N] proctype philosopher() {
  byte first = (_pid == N - 1 -> 0 : _pid), second = (_pid == N - 1 -> _pid : _pid + 1);
again:
  atomic { !fork[first] -> fork[first] = 1 };
  atomic { !fork[second] -> fork[second] = 1 };
  atomic { eating[_pid] = 1 };
  assert(!eating[(_pid + 1) % N]);
  atomic { eating[_pid] = 0 };
  atomic { fork[first] = 0 };
  atomic { fork[second] = 0; goto again }
}
