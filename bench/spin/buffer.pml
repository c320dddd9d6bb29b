/* buffer.hed: a step is one access. */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

byte slot[SLOTS], count, first;
bit guard;

active [PRODUCERS] proctype producer() {
  byte at, used;
begin:
  atomic { !guard -> guard = 1 };
  atomic {
    if
    :: count < SLOTS -> goto put
    :: else
    fi
  };
  atomic { guard = 0 };
  atomic { count < SLOTS };
  goto begin;
put:
  atomic { at = first };
  atomic { used = count };
  atomic { slot[(at + used) % SLOTS] = _pid + 1; at = 0 };
  atomic { count = used + 1; used = 0 };
  atomic { guard = 0; goto begin }
}

active [CONSUMERS] proctype consumer() {
  byte at, used;
begin:
  atomic { !guard -> guard = 1 };
  atomic {
    if
    :: count > 0 -> goto take
    :: else
    fi
  };
  atomic { guard = 0 };
  atomic { count > 0 };
  goto begin;
take:
  atomic { at = first };
  atomic { assert(slot[at] != 0) };
  atomic { slot[at] = 0 };
  atomic { first = (at + 1) % SLOTS; at = 0 };
  atomic { used = count };
  atomic { count = used - 1; used = 0 };
  atomic { guard = 0; goto begin }
}
