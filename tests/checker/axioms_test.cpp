// Compares the incremental consistency of execution graphs with the axioms of memory-models.md, implemented
// here a second time as directly as possible: relations as matrices, closed from scratch for every query.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/graph.hpp"

namespace heddle::checker {

namespace {

enum class Kind : std::uint8_t { load, store, update, failed_update, full_fence, store_fence };

// An execution: the events of each thread in order, and for each read the write that it reads from. Writes
// are numbered by their events; -1 is the initial write.
struct Execution {
  struct Event {
    unsigned thread = 0;
    Kind kind = Kind::load;
    int location = 0;
    int source = -1;
  };
  std::vector<Event> events;                // in an order that respects program order
  std::vector<std::vector<int>> coherence;  // by location, without the initial write

  [[nodiscard]] bool reads(int e) const {
    const auto kind = events[static_cast<std::size_t>(e)].kind;
    return kind == Kind::load || kind == Kind::update || kind == Kind::failed_update;
  }
  [[nodiscard]] bool writes(int e) const {
    const auto kind = events[static_cast<std::size_t>(e)].kind;
    return kind == Kind::store || kind == Kind::update;
  }
  [[nodiscard]] bool locked(int e) const {
    const auto kind = events[static_cast<std::size_t>(e)].kind;
    return kind == Kind::update || kind == Kind::failed_update;
  }
};

// A relation over the read parts (2 e) and the write parts (2 e + 1) of events.
class Relation {
 public:
  explicit Relation(std::size_t parts) : parts_(parts), pairs_(parts * parts, false) {}
  void add(std::size_t a, std::size_t b) { pairs_[a * parts_ + b] = true; }
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return pairs_[a * parts_ + b]; }
  [[nodiscard]] bool acyclic() const {
    auto closed = pairs_;
    for (std::size_t k = 0; k < parts_; ++k) {
      for (std::size_t i = 0; i < parts_; ++i) {
        if (!closed[i * parts_ + k]) continue;
        for (std::size_t j = 0; j < parts_; ++j) {
          if (closed[k * parts_ + j]) closed[i * parts_ + j] = true;
        }
      }
    }
    for (std::size_t i = 0; i < parts_; ++i) {
      if (closed[i * parts_ + i]) return false;
    }
    return true;
  }

 private:
  std::size_t parts_;
  std::vector<bool> pairs_;
};

bool consistent(std::string_view model, const Execution& x) {
  const int count = static_cast<int>(x.events.size());
  const auto event = [&](int e) -> const Execution::Event& { return x.events[static_cast<std::size_t>(e)]; };
  const auto read_part = [](int e) { return static_cast<std::size_t>(2 * e); };
  const auto write_part = [](int e) { return static_cast<std::size_t>(2 * e + 1); };
  const auto position = [&](int w) {  // in coherence order
    if (w < 0) return -1;
    const auto& order = x.coherence[static_cast<std::size_t>(event(w).location)];
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] == w) return static_cast<int>(i);
    }
    return -2;
  };
  Relation global(static_cast<std::size_t>(2 * count));     // ppo | fence | rfe | co | fr
  Relation coherence(static_cast<std::size_t>(2 * count));  // po-loc | rf | co | fr

  for (int a = 0; a < count; ++a) {
    if (x.reads(a) && x.writes(a)) {
      global.add(read_part(a), write_part(a));
      coherence.add(read_part(a), write_part(a));
    }
    bool full = false;
    bool stbar = false;
    for (int b = a + 1; b < count; ++b) {
      if (event(b).thread != event(a).thread) continue;
      full |= event(b).kind == Kind::full_fence;
      stbar |= event(b).kind == Kind::store_fence;
      for (const bool a_writes : {false, true}) {
        for (const bool b_writes : {false, true}) {
          if (!(a_writes ? x.writes(a) : x.reads(a)) || !(b_writes ? x.writes(b) : x.reads(b))) continue;
          bool kept = model == "sc" || full || x.locked(a) || x.locked(b) || !a_writes;
          if (model == "tso" && a_writes && b_writes) kept = true;
          if (model == "pso" && a_writes && b_writes && (stbar || event(a).location == event(b).location))
            kept = true;
          const auto from = a_writes ? write_part(a) : read_part(a);
          const auto to = b_writes ? write_part(b) : read_part(b);
          if (kept) global.add(from, to);
          if (event(a).location == event(b).location) coherence.add(from, to);
        }
      }
    }
  }
  for (int r = 0; r < count; ++r) {
    if (!x.reads(r)) continue;
    const int source = event(r).source;
    if (source >= 0) {
      coherence.add(write_part(source), read_part(r));
      if (event(source).thread != event(r).thread) global.add(write_part(source), read_part(r));
    }
    for (const int w : x.coherence[static_cast<std::size_t>(event(r).location)]) {
      if (position(w) <= position(source) || (w == r)) continue;
      coherence.add(read_part(r), write_part(w));
      global.add(read_part(r), write_part(w));
    }
    // Atomicity: nothing comes between the write read and the write made.
    if (x.writes(r) && position(r) != position(source) + 1) return false;
  }
  for (const auto& order : x.coherence) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        global.add(write_part(order[i]), write_part(order[j]));
        coherence.add(write_part(order[i]), write_part(order[j]));
      }
    }
  }
  return global.acyclic() && coherence.acyclic();
}

// A graph and the same execution in plain form, extended in step.
template <typename Model>
class Twins {
 public:
  explicit Twins(std::uint32_t seed) : random_(seed), graph_(threads, locations) {
    execution_.coherence.resize(locations);
  }

  void run() {
    for (int step = 0; step < 60; ++step) {
      if (!added_.empty() && (added_.size() >= 9 || below(4) == 0)) {
        remove();
      } else {
        add();
      }
    }
  }

 private:
  static constexpr unsigned threads = 3;
  static constexpr unsigned locations = 2;
  using TestGraph = Graph<Model, 1>;

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void add() {
    const auto t = below(threads);
    const auto kind = static_cast<Kind>(below(6));
    if (kind == Kind::full_fence || kind == Kind::store_fence) {
      fences_.push_back({added_.size(), t, graph_.thread(t).frontier});
      graph_.thread(t).frontier.pass(kind == Kind::full_fence ? compiler::Fence::full
                                                              : compiler::Fence::store_store);
      execution_.events.push_back({t, kind, -1, -1});
      return;
    }
    const auto location = below(locations);
    const auto op = kind == Kind::load    ? compiler::Op::load
                    : kind == Kind::store ? compiler::Op::store
                                          : compiler::Op::compare_exchange;
    const EventId initial = graph_.initial(location, 0);
    const auto bounds = graph_.bounds(t, initial, TestGraph::access_of(op));
    const bool writes = kind == Kind::store || kind == Kind::update;
    std::vector<EventId> allowed;
    bool free = true;  // no write after the position must come before the event
    for (EventId predecessor = graph_.newest(initial);; predecessor = graph_[predecessor].co_previous) {
      const bool ours = free && !(writes && graph_.taken(predecessor));
      const bool theirs = consistent(Model::name, with(t, kind, location, predecessor));
      CHECK_MESSAGE(ours == theirs, Model::name, ": ", execution_.events.size(), " events");
      if (ours) allowed.push_back(predecessor);
      if (is_initial(predecessor)) break;
      free = free && !bounds.contains(static_cast<ProcessId>(predecessor));
    }
    if (allowed.empty()) return;
    const EventId predecessor = allowed[below(static_cast<unsigned>(allowed.size()))];
    execution_ = with(t, kind, location, predecessor);
    const EventId id = graph_.fresh();
    graph_.append_to_order(id);
    graph_.add(id, t, op,
               kind == Kind::store    ? EventKind::write
               : kind == Kind::update ? EventKind::update
                                      : EventKind::read,
               initial, predecessor, 0);
    numbers_.resize(TestGraph::capacity, -1);
    numbers_[static_cast<std::size_t>(id)] = static_cast<int>(execution_.events.size()) - 1;
    added_.push_back(id);
  }

  // The execution extended by one event.
  [[nodiscard]] Execution with(unsigned t, Kind kind, unsigned location, EventId predecessor) const {
    Execution result = execution_;
    const int number = static_cast<int>(result.events.size());
    const int source = is_initial(predecessor) ? -1 : numbers_[static_cast<std::size_t>(predecessor)];
    result.events.push_back({t, kind, static_cast<int>(location), kind == Kind::store ? -1 : source});
    if (kind == Kind::store || kind == Kind::update) {
      auto& order = result.coherence[location];
      auto place = order.begin();
      while (place != order.end() && source >= 0 && *place != source) ++place;
      if (source >= 0) ++place;
      order.insert(place, number);
    }
    return result;
  }

  void remove() {
    while (!fences_.empty() && fences_.back().after == added_.size()) {
      graph_.thread(fences_.back().thread).frontier = fences_.back().before;
      fences_.pop_back();
      execution_.events.pop_back();
    }
    graph_.remove(added_.back());
    graph_.drop_from_order();
    const int number = numbers_[static_cast<std::size_t>(added_.back())];
    added_.pop_back();
    execution_.events.pop_back();
    REQUIRE(number == static_cast<int>(execution_.events.size()));
    for (auto& order : execution_.coherence) std::erase(order, number);
  }

  struct PassedFence {
    std::size_t after = 0;  // events added before it
    unsigned thread = 0;
    decltype(std::declval<typename TestGraph::Thread>().frontier) before;
  };

  std::mt19937 random_;
  TestGraph graph_;
  Execution execution_;
  std::vector<EventId> added_;
  std::vector<int> numbers_;  // of events in the execution, by id
  std::vector<PassedFence> fences_;
};

}  // namespace

TEST_CASE("a graph of each model allows exactly the sources and positions that the axioms allow") {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    Twins<SequentialConsistencyAxioms>(seed).run();
    Twins<TotalStoreOrderAxioms>(seed).run();
    Twins<PartialStoreOrderAxioms>(seed).run();
  }
}

}  // namespace heddle::checker
