// The data races of one execution: the pairs of conflicting accesses of two threads to a plain location that
// happens-before leaves unordered. Conflicting: at least one of them writes.
//
// Happens-before is (order | rfe)+, where `order` is what the model keeps of program order, with fences and
// dependencies, and rfe is reads-from between threads (memory-models.md). A load is not ordered after the
// write that it reads by that very edge, or no load would race with its source; what follows the load is. So
// a race that only follows from the value that another race has let through does not count as a second one.
//
// All of it is a function of program order and reads-from, and no event that is added to an execution orders
// two others. So it is enough to look at maximal executions, and whichever coherence order or interleaving an
// algorithm has chosen for them, the races are the same. pending_races.hpp in interleavings/ has the same
// definition in another form.
//
// Events are given in an order that extends happens-before. Each has a row of bits: the events before it, and
// itself. O(n^2 / 64) per execution of n events whose direct predecessors are few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

[[nodiscard]] inline bool has_plain_locations(const Image& image) {
  return std::any_of(image.locations.begin(), image.locations.end(),
                     [](const compiler::LocationImage& location) { return location.is_plain; });
}

class DataRaces {
 public:
  using Index = std::uint32_t;  // of an event, from 0 in the order of `add`

  struct Event {
    ThreadId thread = 0;
    Location location = none;  // `none`: no memory access
    std::uint32_t site = 0;
    bool reads = false;
    bool writes = false;
    Index source = none;  // of a read: the write that it reads if that is another thread's
    bool counts = true;   // false: part of no race
  };
  struct Found {
    DataRace race;
    Index first = 0;
    Index second = 0;
  };

  explicit DataRaces(const Image& image) : image_(image) {}

  // Forgets all events; there is room for `most` new ones.
  void begin(std::size_t most) {
    words_ = (most + 63) / 64;
    rows_.assign(most * words_, 0);
    events_.clear();
    accesses_.clear();
    found_.clear();
  }

  // The next event. `fill(row)` puts into its row what is before it in `order`.
  template <typename Fill>
  Index add(const Event& event, Fill&& fill) {
    const auto index = static_cast<Index>(events_.size());
    events_.push_back(event);
    fill(row(index));
    look_for_races(index);
    // A read-modify-write is one event that writes: nothing can be after it and not after its source.
    if (event.writes && event.source != none) unite(row(index), row(event.source));
    insert(row(index), index);
    return index;
  }
  // For `fill`: adds an earlier event to the row, and all that happens before whatever `order` puts after it.
  using Row = std::uint64_t*;
  void join(Row into, Index before) const {
    unite(into, row(before));
    if (events_[before].source != none) unite(into, row(events_[before].source));
  }
  // For callers that keep rows of their own.
  [[nodiscard]] std::size_t words() const { return words_; }
  void unite(Row into, const std::uint64_t* from) const {
    for (std::size_t word = 0; word < words_; ++word) into[word] |= from[word];
  }

  [[nodiscard]] const Event& operator[](Index index) const { return events_[index]; }
  [[nodiscard]] const std::vector<Found>& found() const { return found_; }
  // Calls `visit(index)` for the events that happen before one of the two accesses: what must have happened
  // for both of them to come next.
  template <typename Visit>
  void for_each_cause(const Found& race, Visit&& visit) const {
    for (Index index = 0; index < events_.size(); ++index) {
      if (index == race.first || index == race.second) continue;
      if (contains(row(race.first), index) || contains(row(race.second), index)) visit(index);
    }
  }

 private:
  [[nodiscard]] Row row(Index index) { return rows_.data() + index * words_; }
  [[nodiscard]] const std::uint64_t* row(Index index) const { return rows_.data() + index * words_; }
  [[nodiscard]] static bool contains(const std::uint64_t* row, Index index) {
    return ((row[index / 64] >> (index % 64)) & 1) != 0;
  }
  static void insert(Row row, Index index) { row[index / 64] |= std::uint64_t{1} << (index % 64); }

  void look_for_races(Index index) {
    const Event& event = events_[index];
    if (event.location == none || !image_.locations[event.location].is_plain || !event.counts) return;
    for (const Index other : accesses_) {
      const Event& earlier = events_[other];
      if (earlier.location != event.location || earlier.thread == event.thread) continue;
      if ((earlier.writes || event.writes) && !contains(row(index), other)) {
        found_.push_back({make_race(event.location, {earlier.thread, earlier.site, earlier.writes},
                                    {event.thread, event.site, event.writes}),
                          other, index});
      }
    }
    accesses_.push_back(index);
  }

  const Image& image_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> rows_;
  std::vector<Event> events_;
  std::vector<Index> accesses_;  // to plain locations
  std::vector<Found> found_;
};

// Adds the events of models that keep program order except for stores that wait in buffers: each thread's in
// program order. Works out which events of a thread are before its next one.
class BufferedOrder {
 public:
  // Which pairs that begin with a plain store the model keeps without a fence. It keeps all that begin with
  // something else, and those of stores to one location.
  struct Rules {
    bool store_to_store = true;
    bool store_to_load = true;
    // How many stores each buffer has room for: one buffer for each thread if pairs of stores are kept, else one for
    // each thread and location.
    std::uint32_t buffer_bound = none;
  };
  enum class Kind : std::uint8_t {
    load,
    store,
    locked
  };  // locked: waits until the thread's buffers are empty

  BufferedOrder(DataRaces& races, const Rules& rules) : races_(races), rules_(rules) {}

  void begin(std::size_t threads, std::size_t most_events) {
    races_.begin(most_events);
    before_.assign(threads * kinds * races_.words(), 0);
    stores_.assign(threads, {});
    buffered_.assign(threads, {});
  }

  DataRaces::Index add(const DataRaces::Event& event, Kind kind) {
    const DataRaces::Index own = newest_store(event.thread, event.location);
    const auto index = races_.add(event, [&](DataRaces::Row row) {
      races_.unite(row, before(event.thread, kind));
      if (kind == Kind::store && own != none) races_.join(row, own);
    });
    const auto precede = [&](Kind later) {
      races_.join(before(event.thread, later), index);
      // Before the thread could see another one's write, its own older store had to reach memory.
      if (event.reads && event.source != none && own != none) races_.join(before(event.thread, later), own);
    };
    if (kind != Kind::store || rules_.store_to_load) precede(Kind::load);
    if (kind != Kind::store || rules_.store_to_store) precede(Kind::store);
    precede(Kind::locked);
    if (event.writes) stores_[event.thread].push_back(index);
    if (kind == Kind::locked) buffered_[event.thread].clear();
    if (kind == Kind::store && rules_.buffer_bound != none) enter_buffer(event, index);
    return index;
  }
  // The thread passes a fence: a full one, or one that keeps stores in order.
  void pass(ThreadId thread, bool full) {
    races_.unite(before(thread, Kind::store), before(thread, Kind::locked));
    if (!full) return;
    races_.unite(before(thread, Kind::load), before(thread, Kind::locked));
    buffered_[thread].clear();
  }

 private:
  static constexpr std::size_t kinds = 3;

  [[nodiscard]] DataRaces::Row before(ThreadId thread, Kind later) {
    return before_.data() + (thread * kinds + static_cast<std::size_t>(later)) * races_.words();
  }
  // If the buffer was full, its oldest store has reached memory before the thread's next event.
  void enter_buffer(const DataRaces::Event& store, DataRaces::Index index) {
    auto& entered = buffered_[store.thread];
    entered.push_back(index);
    std::uint32_t behind = rules_.buffer_bound;
    const auto oldest = std::find_if(entered.rbegin(), entered.rend(), [&](DataRaces::Index other) {
      const bool same = rules_.store_to_store || races_[other].location == store.location;
      return same && behind-- == 0;
    });
    if (oldest == entered.rend()) return;
    races_.join(before(store.thread, Kind::load), *oldest);
    races_.join(before(store.thread, Kind::store), *oldest);
  }
  [[nodiscard]] DataRaces::Index newest_store(ThreadId thread, Location location) const {
    const auto& stores = stores_[thread];
    const auto found = std::find_if(stores.rbegin(), stores.rend(), [&](DataRaces::Index store) {
      return races_[store].location == location;
    });
    return location == none || found == stores.rend() ? none : *found;
  }

  DataRaces& races_;
  Rules rules_;
  std::vector<std::uint64_t> before_;  // by thread and kind of its next event: the events before that
  std::vector<std::vector<DataRaces::Index>> stores_;  // by thread
  std::vector<std::vector<DataRaces::Index>>
      buffered_;  // by thread: plain stores since it last drained its buffers
};

}  // namespace heddle::checker
