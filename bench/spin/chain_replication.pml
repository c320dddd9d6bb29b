/* examples/protocols/chain_replication.hed: a step is one access, with the choice after it, or the condition of a wait. The
   links of std.network are first in, first out here, so the messages that are received are a number. */
#ifndef WRITES
#define WRITES 2
#endif
#ifndef READ
#define READ 2
#endif
#ifndef FORGETFUL
#define FORGETFUL 0
#endif
#define SIZE (2 * WRITES)
#define HEAD 0
#define MIDDLE 1
#define TAIL 2
#define HEAD_TO_MIDDLE 0
#define HEAD_TO_TAIL 1
#define MIDDLE_TO_TAIL 2

byte sent[3], received[3], messages[3 * SIZE];  /* by link */
byte stored[3];  /* by node: the last write, of 1, 2, ... */
bit crashed;

inline check() {
  assert(stored[TAIL] <= stored[HEAD]);
  assert(crashed || stored[TAIL] <= stored[MIDDLE] && stored[MIDDLE] <= stored[HEAD])
}

/* The first two steps of a send, and of a receive after its wait. */
inline put(to, what) {
  atomic { place = sent[to] };
  atomic { messages[(to) * SIZE + place] = what }
}
inline get(from) {
  atomic { place = received[from] };
  atomic { message = messages[(from) * SIZE + place] }
}

active proctype head() {
  byte write = 1, old, place;
  bit around;  /* it knows of the crash */
begin:
  if
  :: atomic {
    crashed ->
    around = 1;
    if
    :: FORGETFUL || write == 1 -> goto end
    :: else -> old = 1
    fi
  }
  :: goto end
  fi;
again:
  put(HEAD_TO_TAIL, old);
  atomic {
    sent[HEAD_TO_TAIL] = place + 1;
    place = 0; old++;
    if
    :: old < write -> goto again
    :: else -> old = 0
    fi
  };
end:
  atomic { write <= WRITES -> stored[HEAD] = write };
  put(around, write);
  atomic {
    sent[around] = place + 1;
    place = 0; write++;
    if
    :: around -> goto end
    :: else -> goto begin
    fi
  }
}

active proctype middle() {
  byte message, place;
end:
  atomic { received[HEAD_TO_MIDDLE] != sent[HEAD_TO_MIDDLE] };
  get(HEAD_TO_MIDDLE);
  atomic {
    received[HEAD_TO_MIDDLE] = place + 1;
    place = 0;
    if
    :: goto crash
    :: skip
    fi
  };
  atomic { stored[MIDDLE] = message; check() };
  put(MIDDLE_TO_TAIL, message);
  atomic { sent[MIDDLE_TO_TAIL] = place + 1; place = 0; message = 0; goto end };
crash:
  atomic { crashed = 1; message = 0 };
end_crashed:
  false
}

active proctype tail() {
  byte message, place;
  bit link;  /* from the middle */
end:
  if
  :: atomic { received[HEAD_TO_TAIL] != sent[HEAD_TO_TAIL] }
  :: atomic { received[MIDDLE_TO_TAIL] != sent[MIDDLE_TO_TAIL] -> link = 1 }
  fi;
  get(HEAD_TO_TAIL + link);
  atomic { received[HEAD_TO_TAIL + link] = place + 1; place = 0; link = 0 };
  atomic {
    if
    :: message <= stored[TAIL] -> message = 0; goto end
    :: else
    fi
  };
  atomic { assert(message == stored[TAIL] + 1) };
  atomic { stored[TAIL] = message; check(); message = 0; goto end }
}

active proctype reader() {
  byte first;
  atomic { first = stored[READ] };
  atomic { assert(stored[TAIL] >= first); first = 0 };
end:
  false
}
