// One consistency problem: the events of every thread in program order, and for each read the write that it
// must see. The problem is to decide whether a memory model has a run with these events and this reads-from
// map (paper 4, section 4: VSC-rf, VTSO-rf, VPSO-rf).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::consistency {

using EventId = std::uint32_t;     // index into Instance::events
using ThreadId = std::uint32_t;    // index of a thread
using LocationId = std::uint32_t;  // below Instance::locations

// No event. In place of a source: the value that the location had at the start.
inline constexpr EventId no_event = 0xffffffff;

// What an event does, as bits. The atomic blocks of section 4.4 are one event here: a read-modify-write, a
// successful compare-and-swap or trylock, and a lock drain the buffers, read, and write memory at once; an
// unlock drains and writes at once (remark 1); a compare-and-swap or trylock that fails drains and reads.
struct Effect {
  static constexpr std::uint8_t reads = 1;
  static constexpr std::uint8_t writes = 2;
  static constexpr std::uint8_t drains = 4;          // waits until the thread's store buffers are empty
  static constexpr std::uint8_t direct = 8;          // its write reaches memory at once
  static constexpr std::uint8_t orders_stores = 16;  // a store-store fence; matters under PSO only

  static constexpr std::uint8_t load = reads;
  static constexpr std::uint8_t store = writes;
  static constexpr std::uint8_t read_modify_write = reads | writes | drains | direct;
  static constexpr std::uint8_t locked_load = reads | drains;
  static constexpr std::uint8_t locked_store = writes | drains | direct;
  static constexpr std::uint8_t full_fence = drains;
  static constexpr std::uint8_t store_fence = orders_stores;
};

struct Event {
  std::uint8_t effect = 0;
  LocationId location = 0;    // of reads and writes
  EventId source = no_event;  // of reads: a write to the same location
};

// The write that memory must hold at the end of the run.
struct FinalWrite {
  LocationId location = 0;
  EventId write = no_event;
};

struct Instance {
  static constexpr std::uint32_t unbounded = 0xffffffff;

  std::vector<Event> events;            // thread after thread
  std::vector<std::uint32_t> first{0};  // per thread its first event; one more entry for the end
  LocationId locations = 0;
  std::vector<FinalWrite> final_writes;  // at most one per location; other locations may end with any write
  // How many stores each store buffer has room for: a store enters when there is room. 0: no buffers, as under SC.
  std::uint32_t buffer_bound = unbounded;

  [[nodiscard]] ThreadId threads() const { return static_cast<ThreadId>(first.size() - 1); }
  // Forgets all but `buffer_bound`.
  void clear() {
    events.clear();
    first.assign(1, 0);
    locations = 0;
    final_writes.clear();
  }
  // Ends the thread whose events were added last.
  void end_thread() { first.push_back(static_cast<std::uint32_t>(events.size())); }
};

// The models whose runs the verifier knows.
enum class Model : std::uint8_t { sc, tso, pso };
struct NamedModel {
  std::string_view name;
  Model model;
};
inline constexpr std::array<NamedModel, 3> named_models{
    {{"sc", Model::sc}, {"tso", Model::tso}, {"pso", Model::pso}}};
[[nodiscard]] constexpr std::optional<Model> find_model(std::string_view name) {
  for (const NamedModel& each : named_models) {
    if (each.name == name) return each.model;
  }
  return std::nullopt;
}

// One step of a run: a thread's event, or (`flush`) the write of a buffered event reaching memory.
struct Action {
  EventId event = 0;
  bool flush = false;
};

}  // namespace heddle::consistency
