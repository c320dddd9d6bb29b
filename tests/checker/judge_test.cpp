// The axioms over explicit executions (checker/axioms/): POWER against the oracle's evaluation on random
// executions, the cycles against the relations that they name.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "checker/axioms/judge.hpp"
#include "tests/checker/power_axioms.hpp"
#include "tests/environment.hpp"

namespace heddle::axioms {

namespace {

namespace power_axioms = checker::power_axioms;
using power_axioms::Instruction;
using power_axioms::Kind;

constexpr std::array<Model, 4> all_models{Model::sc, Model::tso, Model::pso, Model::power};

// A random execution, consistent or not, in both forms. One of three kinds: random instructions with random
// sources and coherence orders; the same with coherent ones; and a cycle: threads whose events are linked by
// random fences and dependencies, each thread to the next by a communication.
class RandomExecution {
 public:
  explicit RandomExecution(std::uint32_t seed) : random_(seed) {
    if (seed % 4 >= 2) {
      make_cycle(seed % 4 == 3);
      return;
    }
    locations_ = 3;
    const unsigned threads = 2 + below(3);
    for (unsigned t = 0; t < threads; ++t) make_thread();
    begin_relating();
    seed % 4 == 0 ? relate_anyhow() : relate_coherently();
    copy_coherence();
  }

  power_axioms::Program program;
  power_axioms::TestTrace trace;
  Execution execution;

 private:
  unsigned below(std::size_t bound) { return static_cast<unsigned>(random_() % bound); }

  std::vector<unsigned> some(unsigned percent) {
    std::vector<unsigned> chosen;
    for (const auto& [position, read] : loads_) {
      if (below(100) < percent) chosen.push_back(position);
    }
    return chosen;
  }

  void begin_thread() {
    program.emplace_back();
    loads_.clear();
    events_ = 0;
  }
  void make_thread() {
    static constexpr std::array<Kind, 12> kinds{Kind::load,   Kind::load,   Kind::load,   Kind::store,
                                                Kind::store,  Kind::store,  Kind::update, Kind::sync,
                                                Kind::lwsync, Kind::lwsync, Kind::eieio,  Kind::isync};
    begin_thread();
    const unsigned length = 2 + below(4);
    for (unsigned i = 0; i < length; ++i) {
      Instruction instruction;
      instruction.kind = kinds[below(kinds.size())];
      instruction.location = -1;
      instruction.control = some(15);
      if (!power_axioms::fence(instruction.kind)) {
        instruction.location = static_cast<int>(below(locations_));
        instruction.address = some(15);
        if (instruction.kind != Kind::load) instruction.data = some(25);
      }
      append(instruction);
    }
  }

  // Adds an instruction to the newest thread; returns its last event.
  EventId append(const Instruction& instruction) {
    static constexpr std::array<PointKind, 4> points{PointKind::full, PointKind::lightweight,
                                                     PointKind::store_store, PointKind::instruction};
    const auto t = static_cast<unsigned>(program.size() - 1);
    const auto position = static_cast<unsigned>(program.back().size());
    const auto event_ids = [&](const std::vector<unsigned>& positions) {
      std::vector<EventId> ids;
      for (const unsigned load : positions) ids.push_back(loads_.at(load));
      return ids;
    };
    program.back().push_back(instruction);
    const bool fence = power_axioms::fence(instruction.kind);
    if (fence) {
      const auto number = static_cast<std::size_t>(instruction.kind) - static_cast<std::size_t>(Kind::sync);
      execution.points.push_back({.thread = t, .position = events_, .kind = points[number]});
    }
    if (!instruction.control.empty()) {
      execution.points.push_back({.thread = t,
                                  .position = events_,
                                  .kind = PointKind::branch,
                                  .reads = event_ids(instruction.control)});
    }
    if (fence) return no_event;
    Event event{.thread = t,
                .location = static_cast<std::uint32_t>(instruction.location),
                .locked = instruction.kind == Kind::update,
                .address = event_ids(instruction.address)};
    const auto data = event_ids(instruction.data);
    const auto first = static_cast<EventId>(execution.events.size());
    if (instruction.kind != Kind::store) {
      loads_[position] = first;
      add(event, t, position);
    }
    if (instruction.kind != Kind::load) {
      event.writes = true;
      event.data = data;
      if (instruction.kind == Kind::update) {
        event.read_half = first;
        event.data.push_back(first);
      }
      add(event, t, position);
    }
    return static_cast<EventId>(execution.events.size() - 1);
  }
  void add(const Event& event, unsigned t, unsigned position) {
    execution.events.push_back(event);
    trace.events.push_back({.thread = t, .position = position, .writes = event.writes});
    ++events_;
  }

  // `publishing`: the first of two threads writes, passes `fence lw`, and writes again; the other reads what it
  // published, and only preserved program order can exclude the execution.
  void make_cycle(bool publishing) {
    enum class Link {
      po,
      sync,
      lwsync,
      eieio,
      data,
      address,
      control,
      isync,
      address_po,
      same_location,
      detour
    };
    const unsigned threads = publishing ? 2 : 2 + below(3);
    // The accesses of each location in their order; `extra` stands for the next write of a thread of its own.
    constexpr EventId extra = no_event;
    std::vector<std::vector<EventId>> orders(1);
    int location = 0;
    bool before_writes = !publishing && below(2) == 0;  // the last event of the thread before
    const bool last_writes = before_writes;
    std::vector<int> extras;
    for (unsigned t = 0; t < threads; ++t) {
      begin_thread();
      const bool publishes = publishing && t == 0;
      bool writes = publishing ? publishes : !before_writes || below(2) == 0;
      const unsigned length = publishes ? 2 : 2 + below(publishing ? 5 : 3);
      Instruction instruction;
      for (unsigned i = 0; i < length; ++i) {
        instruction.kind = writes ? Kind::store : Kind::load;
        instruction.location = location;
        const auto position = static_cast<unsigned>(program.back().size());
        orders[static_cast<std::size_t>(location)].push_back(append(instruction));
        if (i + 1 == length) break;
        instruction = {};
        const bool next_last = i + 2 == length;
        const bool closes = next_last && t + 1 == threads && !publishing;
        const bool next_writes = publishes || (closes ? last_writes : below(2) == 0);
        auto link = static_cast<Link>(publishes        ? static_cast<unsigned>(Link::lwsync)
                                      : publishing     ? static_cast<unsigned>(Link::data) + below(7)
                                      : below(30) == 0 ? 0
                                                       : 1 + below(10));
        if (link == Link::data && !next_writes) link = Link::address;
        if (writes && link >= Link::data && link <= Link::address_po) {
          link = below(2) == 0 ? Link::same_location : publishing ? Link::detour : Link::lwsync;
        }
        const bool stays = link == Link::same_location || link == Link::detour;
        const auto fence = [&](Kind kind) {
          Instruction barrier;
          barrier.kind = kind;
          barrier.location = -1;
          if (kind == Kind::isync) append_branch(position);
          append(barrier);
        };
        if (!stays) new_location(orders, location);
        switch (link) {
          case Link::sync: fence(Kind::sync); break;
          case Link::lwsync: fence(Kind::lwsync); break;
          case Link::eieio: fence(Kind::eieio); break;
          case Link::isync: fence(Kind::isync); break;
          case Link::data: instruction.data = {position}; break;
          case Link::address: instruction.address = {position}; break;
          case Link::control: instruction.control = {position}; break;
          case Link::address_po: {
            Instruction between;
            between.kind = below(2) == 0 ? Kind::load : Kind::store;
            between.location = location;
            between.address = {position};
            orders[static_cast<std::size_t>(location)].push_back(append(between));
            new_location(orders, location);
            break;
          }
          case Link::detour:
            orders[static_cast<std::size_t>(location)].push_back(extra);
            extras.push_back(location);
            break;
          default: break;
        }
        writes = next_writes;
      }
      before_writes = writes;
    }
    // The last communication closes the cycle: the first event's location is that of the last one.
    auto& last = orders[static_cast<std::size_t>(location)];
    if (location != 0) {
      for (EventId e = 0; e < execution.events.size(); ++e) {
        if (execution.events[e].location != 0) continue;
        execution.events[e].location = static_cast<std::uint32_t>(location);
        instruction_of(e).location = location;
      }
      last.insert(last.end(), orders[0].begin(), orders[0].end());
      orders[0].clear();
      for (int& place : extras) place = place == 0 ? location : place;
    }
    locations_ = static_cast<unsigned>(orders.size());
    std::vector<std::vector<EventId>> extra_writes(orders.size());
    for (const int place : extras) {
      begin_thread();
      Instruction store;
      store.kind = Kind::store;
      store.location = place;
      extra_writes[static_cast<std::size_t>(place)].push_back(append(store));
    }
    begin_relating();
    for (std::size_t place = 0; place < orders.size(); ++place) {
      std::size_t used = 0;
      auto& writes = execution.coherence[place];
      for (EventId e : orders[place]) {
        if (e == extra) e = extra_writes[place][used++];
        if (execution.events[e].writes) {
          writes.push_back(e);
        } else if (!writes.empty()) {
          read_from(e, writes.back());
        }
      }
    }
    copy_coherence();
  }
  static void new_location(std::vector<std::vector<EventId>>& orders, int& location) {
    location = static_cast<int>(orders.size());
    orders.emplace_back();
  }
  // A branch on the load: an isync of its own, with nothing between, carries it.
  void append_branch(unsigned load) {
    Instruction branch;
    branch.kind = Kind::isync;
    branch.location = -1;
    branch.control = {load};
    append(branch);
  }
  Instruction& instruction_of(EventId e) { return program[trace.events[e].thread][trace.events[e].position]; }

  void relate_anyhow() {
    for (EventId e = 0; e < execution.events.size(); ++e) {
      if (!execution.events[e].writes) continue;
      auto& writes = execution.coherence[execution.events[e].location];
      writes.insert(writes.begin() + below(writes.size() + 1), e);
    }
    for (EventId e = 0; e < execution.events.size(); ++e) {
      if (execution.events[e].writes) continue;
      const auto& writes = execution.coherence[execution.events[e].location];
      const auto chosen = below(writes.size() + 1);
      if (chosen < writes.size()) read_from(e, writes[chosen]);
    }
  }

  // Interleaves the accesses of each location on its own, the halves of an update together: all coherent
  // executions are of this kind.
  void relate_coherently() {
    for (unsigned location = 0; location < locations_; ++location) {
      std::vector<std::vector<EventId>> left(program.size());
      for (EventId e = 0; e < execution.events.size(); ++e) {
        if (execution.events[e].location == location) left[execution.events[e].thread].push_back(e);
      }
      std::optional<unsigned> bound;  // to continue, between the halves of an update
      auto& writes = execution.coherence[location];
      for (;;) {
        std::vector<unsigned> ready;
        for (unsigned t = 0; t < left.size(); ++t) {
          if (!left[t].empty()) ready.push_back(t);
        }
        if (ready.empty()) break;
        const unsigned t = bound ? *bound : ready[below(ready.size())];
        const EventId e = left[t].front();
        left[t].erase(left[t].begin());
        bound.reset();
        if (execution.events[e].writes) {
          writes.push_back(e);
        } else {
          if (!writes.empty()) read_from(e, writes.back());
          if (execution.events[e].locked) bound = t;
        }
      }
    }
  }

  void begin_relating() {
    trace.coherence.resize(locations_);
    execution.coherence.resize(locations_);
  }
  void read_from(EventId read, EventId write) {
    execution.events[read].source = write;
    trace.events[read].source = static_cast<int>(write);
  }
  void copy_coherence() {
    for (unsigned location = 0; location < locations_; ++location) {
      for (const EventId write : execution.coherence[location])
        trace.coherence[location].push_back(static_cast<int>(write));
    }
  }

  std::mt19937 random_;
  unsigned locations_ = 0;
  std::map<unsigned, EventId> loads_;  // of the newest thread, by position
  std::uint32_t events_ = 0;           // of the newest thread
};

bool same_thread(const Execution& x, const Edge& edge) {
  return x.events[edge.from].thread == x.events[edge.to].thread;
}
std::uint32_t index_in_thread(const Execution& x, EventId event) {
  std::uint32_t index = 0;
  while (event - index > 0 && x.events[event - index - 1].thread == x.events[event].thread) ++index;
  return index;
}
std::size_t place(const Execution& x, EventId write) {
  const auto& writes = x.coherence[x.events[write].location];
  return static_cast<std::size_t>(std::find(writes.begin(), writes.end(), write) - writes.begin());
}
bool contains(const std::vector<EventId>& events, EventId event) {
  return std::find(events.begin(), events.end(), event) != events.end();
}
bool has_fence(const Execution& x, const Edge& edge, PointKind kind) {
  if (edge.fence >= x.points.size()) return false;
  const Point& fence = x.points[edge.fence];
  return fence.kind == kind && fence.thread == x.events[edge.from].thread &&
         index_in_thread(x, edge.from) < fence.position && index_in_thread(x, edge.to) >= fence.position;
}

// True if the edge is one of the execution.
bool exists(const Execution& x, const Edge& edge) {
  const Event& from = x.events[edge.from];
  const Event& to = x.events[edge.to];
  const bool in_order = same_thread(x, edge) && edge.from < edge.to;
  switch (edge.kind) {
    case EdgeKind::program_order: return in_order;
    case EdgeKind::full_fence: return in_order && has_fence(x, edge, PointKind::full);
    case EdgeKind::lightweight_fence: return in_order && has_fence(x, edge, PointKind::lightweight);
    case EdgeKind::store_fence: return in_order && has_fence(x, edge, PointKind::store_store);
    case EdgeKind::address: return contains(to.address, edge.from);
    case EdgeKind::data: return contains(to.data, edge.from);
    case EdgeKind::control: return in_order && contains(x.points[edge.branch].reads, edge.from);
    case EdgeKind::control_isync:
      return in_order && contains(x.points[edge.branch].reads, edge.from) && edge.branch < edge.fence &&
             has_fence(x, edge, PointKind::instruction);
    case EdgeKind::reads_from: return to.source == edge.from;
    case EdgeKind::coherence:
      return from.location == to.location && from.writes && to.writes &&
             place(x, edge.from) < place(x, edge.to);
    case EdgeKind::from_read:
      return from.location == to.location && !from.writes && to.writes &&
             (from.source == no_event || place(x, from.source) < place(x, edge.to));
    case EdgeKind::atomicity: return from.read_half == edge.to;
  }
  return false;
}

struct Tally {
  std::map<Axiom, unsigned> excluded;  // under POWER
  unsigned consistent = 0;
};

void judge_one(std::uint32_t seed, Tally& tally) {
  CAPTURE(seed);
  const RandomExecution random(seed);
  CHECK_EQ(consistent(random.execution, Model::power), power_axioms::allowed(random.program, random.trace));
  for (const Model model : all_models) {
    const auto cycle = excluding_cycle(random.execution, model);
    REQUIRE_EQ(cycle.has_value(), !consistent(random.execution, model));
    if (model == Model::power) cycle ? ++tally.excluded[cycle->axiom] : ++tally.consistent;
    if (!cycle) continue;
    REQUIRE_GE(cycle->edges.size(), 2);
    for (std::size_t i = 0; i < cycle->edges.size(); ++i) {
      CHECK(exists(random.execution, cycle->edges[i]));
      CHECK_EQ(cycle->edges[i].to, cycle->edges[(i + 1) % cycle->edges.size()].from);
    }
  }
}

// Two threads of two events each.
Execution message_passing(bool weak) {
  Execution x;
  x.events = {{.thread = 0, .location = 0, .writes = true},
              {.thread = 0, .location = 1, .writes = true},
              {.thread = 1, .location = 1, .source = 1},
              {.thread = 1, .location = 0, .source = weak ? no_event : 0}};
  x.coherence = {{0}, {1}};
  return x;
}

}  // namespace

TEST_CASE("POWER judges random executions as the oracle does, and every cycle is one") {
  Tally tally;
  const std::uint32_t count = tests::sized(60'000U, 600'000U);
  for (std::uint32_t seed = 0; seed < count; ++seed) judge_one(seed, tally);
  CHECK_GT(tally.consistent, count / 100);
  for (const Axiom axiom :
       {Axiom::coherence, Axiom::atomicity, Axiom::no_thin_air, Axiom::observation, Axiom::propagation}) {
    CAPTURE(name(axiom));
    CHECK_GT(tally.excluded[axiom], count / 1500);
  }
}

TEST_CASE("a stronger model allows no more random executions") {
  unsigned differ = 0;
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    const RandomExecution random(seed);
    bool stronger = true;
    for (const Model model : {Model::pso, Model::tso, Model::sc}) {
      const bool allowed = consistent(random.execution, model);
      CHECK((stronger || !allowed));
      differ += stronger && !allowed ? 1 : 0;
      stronger = allowed;
    }
  }
  CHECK_GT(differ, 500);
}

TEST_CASE("the cycle of message passing names two pairs of program order, reads-from and from-reads") {
  const auto cycle = excluding_cycle(message_passing(true), Model::tso);
  REQUIRE(cycle);
  CHECK_EQ(cycle->axiom, Axiom::order);
  std::map<EdgeKind, int> kinds;
  for (const Edge& edge : cycle->edges) ++kinds[edge.kind];
  CHECK_EQ(kinds, std::map<EdgeKind, int>{
                      {EdgeKind::program_order, 2}, {EdgeKind::reads_from, 1}, {EdgeKind::from_read, 1}});
  CHECK(consistent(message_passing(true), Model::pso));
  CHECK(consistent(message_passing(false), Model::sc));
}

TEST_CASE("a fence that orders the pair appears in the cycle, the weaker one if there are two") {
  auto x = message_passing(true);
  x.points = {{.thread = 0, .position = 1, .kind = PointKind::full},
              {.thread = 0, .position = 1, .kind = PointKind::store_store},
              {.thread = 1, .position = 1, .kind = PointKind::full}};
  const auto under = [&](Model model) {
    const auto cycle = excluding_cycle(x, model);
    REQUIRE(cycle);
    std::vector<EdgeKind> kinds;
    for (const Edge& edge : cycle->edges) kinds.push_back(edge.kind);
    std::sort(kinds.begin(), kinds.end());
    return kinds;
  };
  CHECK_EQ(under(Model::pso), std::vector{EdgeKind::program_order, EdgeKind::store_fence,
                                          EdgeKind::reads_from, EdgeKind::from_read});
  CHECK_EQ(under(Model::power), std::vector{EdgeKind::full_fence, EdgeKind::store_fence, EdgeKind::reads_from,
                                            EdgeKind::from_read});
}

}  // namespace heddle::axioms
