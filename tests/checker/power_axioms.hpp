// Random traces for the axioms of POWER: threads of instructions with given dependencies, some of them
// committed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/power_oracle/axioms.hpp"

namespace heddle::checker::power_axioms {

using power_oracle::Candidate;

// Instructions of the random program. Memory accesses become events when they are committed.
enum class Kind : std::uint8_t { load, store, update, sync, lwsync, eieio, isync };

struct Instruction {
  Kind kind = Kind::load;
  int location = 0;
  std::vector<unsigned> address;  // loads that its address depends on, by position in the thread
  std::vector<unsigned> data;
  std::vector<unsigned> control;
};
using Program = std::vector<std::vector<Instruction>>;

struct TraceEvent {
  unsigned thread = 0;
  unsigned position = 0;
  bool writes = false;
  int source = -1;  // of a read: an event, or -1 for the initial write
};

struct TestTrace {
  std::vector<TraceEvent> events;
  std::vector<std::vector<int>> coherence;  // by location
};

inline int location_of(const Program& program, const TraceEvent& event) {
  return program[event.thread][event.position].location;
}

inline bool fence(Kind kind) { return kind >= Kind::sync; }

// addr ; po, also through an access that is not yet part of the trace.
inline bool address_order(const Program& program, const TraceEvent& x, const TraceEvent& y) {
  if (x.thread != y.thread || x.writes) return false;
  const auto& thread = program[x.thread];
  for (unsigned p = x.position + 1; p < y.position; ++p) {
    const auto& address = thread[p].address;
    if (!fence(thread[p].kind) && std::find(address.begin(), address.end(), x.position) != address.end())
      return true;
  }
  return false;
}

// The relations that the program determines, without sources and coherence order.
inline Candidate static_relations(const Program& program, const TestTrace& trace) {
  const auto count = static_cast<unsigned>(trace.events.size());
  Candidate r(count);
  const auto in = [](const std::vector<unsigned>& list, unsigned x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  };
  for (unsigned a = 0; a < count; ++a) {
    const auto& x = trace.events[a];
    (x.writes ? r.writes : r.reads) |= power_oracle::only(a);
    for (unsigned b = 0; b < count; ++b) {
      const auto& y = trace.events[b];
      if (a != b && location_of(program, x) == location_of(program, y)) r.same_location.add(a, b);
      if (x.thread != y.thread) continue;
      r.same_thread.add(a, b);
      const auto& thread = program[x.thread];
      if (x.position == y.position) {  // the read and the write of one update
        if (!x.writes && y.writes) {
          r.po.add(a, b);
          r.data.add(a, b);
          r.rmw.add(a, b);
        }
        continue;
      }
      if (x.position > y.position) continue;
      r.po.add(a, b);
      if (!x.writes) {
        if (in(thread[y.position].address, x.position)) r.address.add(a, b);
        // What an update stores is an input of its write only.
        if (y.writes && in(thread[y.position].data, x.position)) r.data.add(a, b);
        bool branch = false;
        bool isync = false;
        for (unsigned p = x.position + 1; p <= y.position; ++p) {
          if (p < y.position && thread[p].kind == Kind::isync && branch) isync = true;
          if (in(thread[p].control, x.position)) branch = true;
        }
        if (branch) r.control.add(a, b);
        if (isync) r.control_isync.add(a, b);
      }
      for (unsigned p = x.position + 1; p < y.position; ++p) {
        if (thread[p].kind == Kind::sync) r.sync.add(a, b);
        if (thread[p].kind == Kind::lwsync) r.lwsync.add(a, b);
        if (thread[p].kind == Kind::eieio) r.eieio.add(a, b);
      }
    }
  }
  return r;
}

inline bool allowed(const Program& program, const TestTrace& trace) {
  Candidate c = static_relations(program, trace);
  for (unsigned e = 0; e < c.events; ++e) {
    const TraceEvent& event = trace.events[e];
    // For the axioms, ctrl and addr ; po are the same.
    for (unsigned later = 0; later < c.events; ++later) {
      if (address_order(program, event, trace.events[later])) c.control.add(e, later);
    }
    if (event.writes) continue;
    if (event.source >= 0) {
      c.rf.add(static_cast<unsigned>(event.source), e);
    } else {
      c.read_initial |= power_oracle::only(e);
    }
  }
  for (const auto& order : trace.coherence) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j)
        c.co.add(static_cast<unsigned>(order[i]), static_cast<unsigned>(order[j]));
    }
  }
  return power_oracle::derive(c).consistent;
}

}  // namespace heddle::checker::power_axioms
