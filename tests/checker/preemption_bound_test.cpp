// Compares trust's preemption bound with the definition, on random execution graphs that grow and shrink as
// trust's do: after every change, each query about the graph or a part of it must agree with the minimum of
// preemptions over all runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/graph.hpp"
#include "checker/preemption_bound/preemption_bound.hpp"

namespace heddle::checker {

namespace {

// Whether the event is a step at which a thread can be preempted. A choice is taken as soon as its thread
// reaches it, a deferral is not an event of the program, and a store of a buffered model reaches memory by
// itself.
template <typename Graph>
bool is_step(const Graph& graph, EventId id) {
  const auto& event = graph[id];
  if (event.kind == EventKind::choice || event.kind == EventKind::deferral) return false;
  return !Graph::buffers_stores || event.op != Op::store;
}

// The number of preemptions of a run, or the minimum over all runs, straight from the definition.
template <typename Graph>
class Oracle {
 public:
  using Set = typename Graph::Set;

  Oracle(const Graph& graph, const Set& part) : graph_(graph), steps_(graph.thread_count()) {
    part.for_each([&](ProcessId p) {
      const auto id = static_cast<EventId>(p);
      if (is_step(graph, id)) insert(id);
    });
  }

  // The minimum over all runs, by dynamic programming over the sets of executed steps.
  [[nodiscard]] std::uint32_t least() { return least(std::vector<std::size_t>(steps_.size(), 0), none); }

  // The pairs of neighbours in threads between which steps of other threads come in every run.
  [[nodiscard]] std::uint32_t torn_pairs() const {
    std::uint32_t count = 0;
    for (ThreadId t = 0; t < steps_.size(); ++t) {
      for (std::size_t i = 1; i < steps_[t].size(); ++i) {
        bool torn = false;
        for (ThreadId other = 0; other < steps_.size(); ++other) {
          for (const EventId between : steps_[other]) {
            torn |= other != t && graph_[between].upto.contains(static_cast<ProcessId>(steps_[t][i - 1])) &&
                    graph_[steps_[t][i]].upto.contains(static_cast<ProcessId>(between));
          }
        }
        count += torn ? 1 : 0;
      }
    }
    return count;
  }

  // The cost of the run; nothing if it is not a run of the steps.
  [[nodiscard]] std::optional<std::uint32_t> cost(const std::vector<EventId>& run) const {
    std::vector<std::size_t> done(steps_.size(), 0);
    ThreadId running = none;
    std::uint32_t total = 0;
    for (const EventId id : run) {
      const ThreadId t = graph_[id].thread;
      if (done[t] == steps_[t].size() || steps_[t][done[t]] != id || !may_run(done, t)) return std::nullopt;
      total += cost_of_switch(done, running, t);
      ++done[t];
      running = t;
    }
    for (ThreadId t = 0; t < steps_.size(); ++t) {
      if (done[t] != steps_[t].size()) return std::nullopt;
    }
    return total;
  }

 private:
  using Done = std::vector<std::size_t>;  // by thread: number of steps executed

  void insert(EventId id) {
    auto& steps = steps_[graph_[id].thread];
    const auto length = [&](EventId event) {
      std::size_t before = 0;
      for (; event != no_event; event = graph_[event].po_previous) ++before;
      return before;
    };
    steps.insert(
        std::find_if(steps.begin(), steps.end(), [&](EventId other) { return length(other) > length(id); }),
        id);
  }
  // Whether all steps that the graph orders before the thread's next one have been executed.
  [[nodiscard]] bool may_run(const Done& done, ThreadId thread) const {
    const auto& upto = graph_[steps_[thread][done[thread]]].upto;
    for (ThreadId t = 0; t < steps_.size(); ++t) {
      for (auto i = done[t] + (t == thread ? 1 : 0); i < steps_[t].size(); ++i) {
        if (upto.contains(static_cast<ProcessId>(steps_[t][i]))) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool is_taken(const Done& done, EventId mutex) const {
    EventId newest = mutex;
    for (EventId write = graph_[mutex].co_next; write != no_event; write = graph_[write].co_next) {
      const ThreadId t = graph_[write].thread;
      const auto end = steps_[t].begin() + static_cast<std::ptrdiff_t>(done[t]);
      if (std::find(steps_[t].begin(), end, write) != end) newest = write;
    }
    return graph_[newest].value != 0;
  }
  // Leaving a thread costs one if it has further steps and could continue.
  [[nodiscard]] std::uint32_t cost_of_switch(const Done& done, ThreadId from, ThreadId to) const {
    if (from == none || from == to || done[from] == steps_[from].size()) return 0;
    const auto& next = graph_[steps_[from][done[from]]];
    return next.op == Op::lock && is_taken(done, next.location) ? 0 : 1;
  }
  std::uint32_t least(const Done& done, ThreadId running) {
    const auto [known, fresh] = known_.try_emplace({done, running}, 0);
    if (!fresh) return known->second;
    bool finished = true;
    std::uint32_t result = 1000;
    for (ThreadId t = 0; t < steps_.size(); ++t) {
      if (done[t] == steps_[t].size()) continue;
      finished = false;
      if (!may_run(done, t)) continue;
      auto next = done;
      ++next[t];
      result = std::min(result, cost_of_switch(done, running, t) + least(next, t));
    }
    return known_[{done, running}] = finished ? 0 : result;
  }

  const Graph& graph_;
  std::vector<std::vector<EventId>> steps_;  // by thread, in program order
  std::map<std::pair<Done, ThreadId>, std::uint32_t> known_;
};

constexpr std::uint32_t most_bounds = 6;

// The objects under test: one of each kind for each supported bound.
template <typename Graph>
struct Listeners {
  using Set = typename Graph::Set;

  Listeners(const Graph& graph, bool mutexes) : by_pairs(!Graph::buffers_stores && !mutexes) {
    for (std::uint32_t k = 0; k < most_bounds; ++k) {
      bounds.push_back(std::make_unique<PreemptionBound<Graph>>(graph, k, mutexes));
      runs.push_back(std::make_unique<WitnessRun<Graph>>(graph));
      if (by_pairs) pairs.push_back(std::make_unique<TornPairs<Graph>>(graph));
    }
  }
  template <typename Change>
  void for_each(Change&& change) {
    for (auto& bound : bounds) change(*bound);
    for (auto& run : runs) change(*run);
    for (auto& pair : pairs) change(*pair);
  }

  bool by_pairs;
  std::vector<std::unique_ptr<PreemptionBound<Graph>>> bounds;
  std::vector<std::unique_ptr<WitnessRun<Graph>>> runs;
  std::vector<std::unique_ptr<TornPairs<Graph>>> pairs;
};

// A random graph that grows and shrinks as trust's graph does.
template <typename Model>
class RandomGraph {
 public:
  using Graph = checker::Graph<Model, 1>;
  using Set = typename Graph::Set;

  RandomGraph(std::uint32_t seed, bool mutexes, std::size_t most_events)
      : random_(seed),
        threads_(2 + below(4)),
        locations_(1 + below(3)),
        mutexes_(mutexes),
        most_events_(most_events),
        graph_(threads_, locations_ + 1),
        listeners_(graph_, mutexes) {
    for (Location location = 0; location <= locations_; ++location) (void)graph_.initial(location, 0);
  }

  void change_and_check(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      change();
      if (below(3) != 0) check();
      if (below(4) == 0) check_part();
    }
    while (!changes_.empty()) {
      undo();
      check();
    }
  }

 private:
  struct Change {
    EventId event = no_event;  // the event added; none for a cut
    bool forced = false;       // whether it was re-inserted at its old position in the order of insertion
    Set gone;                  // removed by the cut
    EventId revisited = no_event;
    ThreadId thread = 0;  // of the revisited read
  };

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  // The newest cut whose read has not been added again.
  [[nodiscard]] const Change* open_cut() const {
    for (auto i = changes_.size(); i-- > 0;) {
      if (changes_[i].forced) return nullptr;
      if (changes_[i].event == no_event) return &changes_[i];
    }
    return nullptr;
  }

  void change() {
    const Change* cut = open_cut();
    const bool full = graph_.live().count() >= most_events_;
    if (cut != nullptr && (full || below(2) == 0)) return add_read_again(*cut);
    if (full || below(5) == 0) {
      if (cut == nullptr && below(2) == 0 && this->cut()) return;
      if (!changes_.empty()) return undo();
    }
    add_event(below(threads_));
  }

  void add(ThreadId t, Op op, EventKind kind, EventId location, EventId after, std::int64_t value,
           EventId forced = no_event) {
    Change change;
    change.forced = forced != no_event;
    change.event = forced;
    if (!change.forced) {
      change.event = graph_.fresh();
      graph_.append_to_order(change.event);
    }
    listeners_.for_each([&](auto& known) {
      if constexpr (requires { known.before_add(); }) known.before_add();
    });
    graph_.add(change.event, t, op, kind, location, after, value);
    listeners_.for_each([&](auto& known) { known.add(change.event); });
    if (below(6) == 0) graph_.thread(t).frontier.pass(Fence::full);
    changes_.push_back(change);
  }

  // A position in coherence order that the model allows.
  EventId random_place(ThreadId t, EventId location, Op op) {
    const auto bounds = graph_.bounds(t, location, Graph::access_of(op));
    std::vector<EventId> places;
    for (EventId place = graph_.newest(location);; place = graph_[place].co_previous) {
      places.push_back(place);
      if (is_initial(place) || bounds.contains(static_cast<ProcessId>(place))) break;
    }
    return below(2) == 0 ? places.front() : places[below(static_cast<std::uint32_t>(places.size()))];
  }

  void add_event(ThreadId t) {
    const Change* cut = open_cut();
    if (cut != nullptr && cut->thread == t) return;  // its next event is the revisited read
    const EventId last = graph_.thread(t).last;
    const EventId mutex = graph_.known(locations_);
    if (last != no_event && graph_[last].kind == EventKind::deferral) {
      if (graph_[graph_.newest(mutex)].value == 0)
        add(t, Op::lock, EventKind::update, mutex, graph_.newest(mutex), std::int64_t{t} + 1);
      return;
    }
    if (mutexes_ && below(3) == 0) return add_mutex_event(t, mutex);
    const EventId location = graph_.known(below(locations_));
    switch (below(8)) {
      case 0: return add(t, Op::choose, EventKind::choice, no_event, no_event, 0);
      case 1: {
        const EventId place = random_place(t, location, Op::fetch_add);
        if (graph_.taken(place)) return;
        return add(t, Op::fetch_add, EventKind::update, location, place, 1);
      }
      case 2:
      case 3:
      case 4: {
        const EventId place = random_place(t, location, Op::store);
        if (graph_.taken(place)) return;
        return add(t, Op::store, EventKind::write, location, place, 1);
      }
      default: return add(t, Op::load, EventKind::read, location, random_place(t, location, Op::load), 0);
    }
  }

  void add_mutex_event(ThreadId t, EventId mutex) {
    const EventId newest = graph_.newest(mutex);
    if (graph_[newest].value == 0)
      return add(t, below(4) == 0 ? Op::try_lock : Op::lock, EventKind::update, mutex, newest,
                 std::int64_t{t} + 1);
    if (graph_[newest].thread == t) return add(t, Op::unlock, EventKind::write, mutex, newest, 0);
    if (below(4) == 0) return add(t, Op::try_lock, EventKind::read, mutex, newest, 0);
    if (below(4) == 0) return add(t, Op::lock, EventKind::deferral, mutex, newest, 0);
  }

  void add_read_again(const Change& cut) {
    const EventId location = graph_[cut.revisited].location;
    const EventId place = random_place(cut.thread, location, Op::load);
    add(cut.thread, Op::load, EventKind::read, location, place, 0, cut.revisited);
  }

  // Removes a read, a set of later events and, repeatedly, the events that need a removed one.
  bool cut() {
    const auto& order = graph_.order();
    if (order.empty()) return false;
    const auto from = below(static_cast<std::uint32_t>(order.size()));
    if (graph_[order[from]].kind != EventKind::read || graph_[order[from]].op != Op::load) return false;
    Set gone;
    gone.insert(static_cast<ProcessId>(order[from]));
    for (auto i = from + 1; i < order.size(); ++i) {
      if (below(2) == 0) gone.insert(static_cast<ProcessId>(order[i]));
    }
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& event = graph_[order[i]];
        if (gone.contains(static_cast<ProcessId>(order[i]))) continue;
        if (!event.upto.intersects(gone) && !event.prefix.intersects(gone)) continue;
        if (i < from) return false;
        gone.insert(static_cast<ProcessId>(order[i]));
        grows = true;
      }
    }
    // Trust walks back through the order of insertion and deletes only events that no remaining event needs.
    Set earlier;
    for (auto i = from; i < order.size(); ++i) {
      const auto p = static_cast<ProcessId>(order[i]);
      if (!gone.contains(p)) continue;
      earlier.insert(p);
      if (!((graph_[order[i]].upto & gone) - earlier).empty()) return false;
    }
    Change change;
    change.gone = gone;
    change.revisited = order[from];
    change.thread = graph_[change.revisited].thread;
    listeners_.for_each([&](auto& known) { known.cut(gone); });
    Set deleted = gone;
    deleted.erase(static_cast<ProcessId>(change.revisited));
    graph_.cut(from, change.revisited, deleted);
    changes_.push_back(change);
    return true;
  }

  void undo() {
    const Change change = changes_.back();
    changes_.pop_back();
    if (change.event == no_event) {
      graph_.mend();
      return listeners_.for_each([&](auto& known) { known.mend(change.gone); });
    }
    listeners_.for_each([&](auto& known) { known.remove(change.event); });
    graph_.remove(change.event);
    if (!change.forced) graph_.drop_from_order();
  }

  // The bounds in random order: results for one bound are reused for the next.
  std::vector<std::uint32_t> some_bounds() {
    std::vector<std::uint32_t> bounds;
    for (std::uint32_t i = 0; i < 4; ++i) bounds.push_back(below(most_bounds + 3));
    return bounds;
  }

  void check() {
    Oracle oracle(graph_, graph_.live());
    const auto least = oracle.least();
    INFO(text());
    for (std::uint32_t k = 0; k < most_bounds; ++k) {
      REQUIRE(listeners_.bounds[k]->within() == (least <= k));
      for (const auto bound : some_bounds()) {
        INFO("least " << least << ", asked for " << bound << ", made for " << k);
        if (below(2) == 0) check_run(*listeners_.runs[k], oracle);
        REQUIRE(listeners_.runs[k]->at_most(bound) == (least <= bound));
        if (!listeners_.by_pairs) continue;
        if (below(2) == 0) check_pairs(*listeners_.pairs[k], oracle, least);
        REQUIRE(listeners_.pairs[k]->at_most(bound) == (least <= bound));
      }
    }
  }

  void check_pairs(TornPairs<Graph>& pairs, const Oracle<Graph>& oracle, std::uint32_t least) {
    REQUIRE(pairs.least() >= oracle.torn_pairs());
    REQUIRE(pairs.least() <= least);
    REQUIRE(pairs.most() >= least);
  }
  void check_run(WitnessRun<Graph>& witness, const Oracle<Graph>& oracle) {
    const auto run = witness.run();
    const auto cost = oracle.cost(run);
    REQUIRE(cost);
    // Leaving a thread that waits for a mutex is free, but the run does not show that it waits.
    if (mutexes_) {
      REQUIRE(*cost <= witness.cost());
    } else {
      REQUIRE(*cost == witness.cost());
    }
  }

  // A part consists of what some of the events need.
  void check_part() {
    Set part;
    const auto density = 1 + below(4);
    graph_.live().for_each([&](ProcessId p) {
      if (below(4) < density) part |= graph_[static_cast<EventId>(p)].upto;
    });
    Oracle oracle(graph_, part);
    const auto least = oracle.least();
    INFO(text());
    for (std::uint32_t k = 0; k < most_bounds; ++k) {
      INFO("part, least " << least << ", bound " << k);
      REQUIRE(listeners_.bounds[k]->within(part) == (least <= k));
      REQUIRE(listeners_.runs[k]->at_most(k, part) == (least <= k));
      if (listeners_.by_pairs) REQUIRE(listeners_.pairs[k]->at_most(k, part) == (least <= k));
    }
  }

  // The events in order of insertion: thread, kind, and what the graph orders before each.
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    for (const EventId id : graph_.order()) {
      if (!graph_.live().contains(static_cast<ProcessId>(id))) continue;
      const auto& event = graph_[id];
      out << id << ": thread " << event.thread << " op " << static_cast<int>(event.op) << " kind "
          << static_cast<int>(event.kind) << " location " << event.location << " after";
      event.upto.for_each([&](ProcessId before) { out << " " << before; });
      out << "\n";
    }
    return out.str();
  }

  std::mt19937 random_;
  std::uint32_t threads_;
  std::uint32_t locations_;
  bool mutexes_;
  std::size_t most_events_;
  Graph graph_;
  Listeners<Graph> listeners_;
  std::vector<Change> changes_;
};

void check_graphs(std::string_view model, bool mutexes, std::uint32_t seeds) {
  const bool found = AxiomaticModels::visit(model, [&]<typename Model>() {
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      INFO(model << ", seed " << seed);
      RandomGraph<Model>(seed, mutexes, 6 + seed % 14).change_and_check(120);
    }
  });
  REQUIRE(found);
}

}  // namespace

TEST_CASE("sc: a graph's preemptions are bounded exactly, however it came about") {
  check_graphs("sc", false, 400);
}

TEST_CASE("sc with mutexes: a graph's preemptions are bounded exactly, however it came about") {
  check_graphs("sc", true, 200);
}

TEST_CASE("tso and pso: a graph's preemptions are bounded exactly, however it came about") {
  for (const char* model : {"tso", "pso"}) {
    check_graphs(model, false, 80);
    check_graphs(model, true, 80);
  }
}

}  // namespace heddle::checker
