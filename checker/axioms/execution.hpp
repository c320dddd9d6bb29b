// An execution written out in full: events, fences, branches, reads-from and coherence. What axiomatic models
// judge (judge.hpp). Nothing here depends on how the execution was found.
//
// A read-modify-write is two events, a read and the write directly after it, under every model; so is a mutex
// operation that takes the mutex. Both halves are `locked`. Initial writes are not events: they come first in
// everything, so no cycle passes through one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::axioms {

using EventId = std::uint32_t;  // index into Execution::events
inline constexpr EventId no_event = 0xffffffff;

struct Event {
  std::uint32_t thread = 0;
  std::uint32_t location = 0;
  bool writes = false;  // false: it reads
  // Half of a read-modify-write, a failed one, or a mutex operation: it drains the store buffers of TSO and PSO.
  bool locked = false;
  EventId source = no_event;          // of a read: the write that it reads from; no_event: the initial write
  EventId read_half = no_event;       // of the write of a read-modify-write: its read
  std::vector<EventId> address = {};  // earlier reads of the thread on which its address depends
  std::vector<EventId> data = {};     // of a write: those on which its value depends
  std::size_t tag = 0;                // for the caller
};

// Points between events of a thread that order them.
enum class PointKind : std::uint8_t { full, lightweight, store_store, instruction, branch };

struct Point {
  std::uint32_t thread = 0;
  std::uint32_t position = 0;  // how many events of the thread are before it
  PointKind kind = PointKind::full;
  bool implicit = false;            // a fence that is part of a mutex operation
  std::vector<EventId> reads = {};  // of a branch: those on which its condition depends
  std::size_t tag = 0;              // for the caller
};

struct Execution {
  std::vector<Event> events;                    // thread by thread, each in program order
  std::vector<Point> points;                    // those of one thread in program order
  std::vector<std::vector<EventId>> coherence;  // of each location that is written: all its writes
};

}  // namespace heddle::axioms
