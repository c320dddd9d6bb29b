/* leader.hed: a step is one access. */
#ifndef N
#define N 5
#endif

byte link[N], leaders, ended;

active [N] proctype node() {
  byte next = (_pid + 1) % N, mine = N - _pid, message = N - _pid;
send:
  atomic { link[next] == 0 };
  atomic {
    link[next] = message;
    if
    :: message > N && message - N != mine -> message = 0; goto end
    :: else -> message = 0
    fi
  };
receive:
  atomic { link[_pid] != 0 };
  atomic { message = link[_pid] };
  atomic {
    link[_pid] = 0;
    if
    :: message > N && message - N == mine -> message = 0; goto end
    :: message > N && message - N != mine -> goto send
    :: message == mine -> skip
    :: message > mine && message <= N -> goto send
    :: message < mine -> message = 0; goto receive
    fi
  };
  atomic { leaders++; message = N + mine };
  goto send;
end:
  atomic { ended++; assert(ended < N || leaders == 1) }
}
