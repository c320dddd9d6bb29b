// Consistency of a recorded history under a memory model: whether this execution was possible.
//
//   heddle::History history;                     // threads of events, as a real system logged them
//   auto results = heddle::check_consistency(history, {.models = {"tso"}});
//   if (results) std::cout << heddle::name(results->front().verdict);
//
// A history is realisable under a model if some run of the model has these events and every read sees the
// write that the history says. Where it does not say which, every write of the value that was read is tried.
// Results and errors are values; nothing throws except std::bad_alloc and Result::value().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// The write that a read saw: event `event` of thread `thread`, counted from 0, or the initial value.
struct HistorySource {
  bool initial = true;
  std::uint32_t thread = 0;
  std::uint32_t event = 0;
  bool operator==(const HistorySource&) const = default;
};

struct HistoryEvent {
  enum class Kind : std::uint8_t {
    read,
    write,
    update,         // an atomic read-modify-write, a compare-and-swap that succeeded
    failed_update,  // a compare-and-swap that failed: waits for the store buffers like an update, then reads
    fence,          // full
    store_fence,    // orders stores (PSO: stbar); no effect under SC and TSO
    lock,
    unlock,
  };
  Kind kind = Kind::read;
  std::string location;                 // empty for fences
  std::optional<std::int64_t> read;     // value read, if it is known
  std::optional<std::int64_t> written;  // value written, if it is known
  std::optional<HistorySource> source;  // reads, and locks (the unlock before), if it is known
};

struct HistoryThread {
  std::string name;
  std::vector<HistoryEvent> events;  // in program order
};

struct History {
  std::vector<HistoryThread> threads;
  std::map<std::string, std::int64_t> initial;  // initial values; other locations: 0
};

struct ConsistencyOptions {
  std::vector<std::string> models{"sc", "tso", "pso"};
  bool closure = true;  // look for a contradiction before the search; never changes an answer
  std::uint64_t max_states = 20'000'000;  // prefixes per model before the search gives up
};

enum class Realisability : std::uint8_t { realisable, unrealisable, undecided };

// A step of a witness: the event happens, or (`flush`) its write leaves the store buffer for memory. A store
// under SC, an update, a lock and an unlock are one step.
struct HistoryStep {
  std::uint32_t thread = 0;
  std::uint32_t event = 0;
  bool flush = false;
};

struct ConsistencyResult {
  std::string model;
  Realisability verdict = Realisability::undecided;
  // If realisable: a run, and the source of each read in it ([thread][event]; nothing for other events).
  std::vector<HistoryStep> witness;
  std::vector<std::vector<std::optional<HistorySource>>> sources;
  std::uint64_t states = 0;  // prefixes that the search visited
};

// One result per model of the options, in that order. Errors: an unknown model, a source that is not a write
// to the location or wrote another value, an event without a location, an unlock without a lock. With all
// sources given: polynomial in the number of events for a fixed number of threads, see docs/consistency.md.
// Without: exponential in the number of reads that several writes could explain. Thread-safe.
Result<std::vector<ConsistencyResult>> check_consistency(const History& history,
                                                         const ConsistencyOptions& options = {});

[[nodiscard]] std::string_view name(Realisability verdict);
[[nodiscard]] std::string_view name(HistoryEvent::Kind kind);

}  // namespace heddle
