// Happens-before by vector clocks (checker/interleavings/happens_before.hpp) against its definition: the
// transitive closure of the dependence relation, computed from the rows of a whole run.
#include "checker/interleavings/happens_before.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "random_runs.hpp"

namespace heddle::differential {

namespace {

using namespace heddle::checker;  // NOLINT
using checker::Step;
using Positions = std::set<std::uint32_t>;

// The dependence relation of a run, one step after the other.
template <Interleaving Machine>
class Definition {
 public:
  Definition(Machine& machine, const Schedule& schedule)
      : machine_(machine), threads_(machine.thread_count()) {
    Rows rows;
    machine.restart_with_log(&rows);
    settle(rows);
    for (const auto& choice : schedule) {
      rows.clear();
      REQUIRE(machine.follow(choice));
      add(machine.step(machine.depth() - 1));
      settle(rows);
    }
    while (machine.depth() > 0) machine.undo();
    machine.set_log(nullptr);
  }

  // The steps that happen before the one at the position, and those that race with it.
  [[nodiscard]] const Positions& before(std::uint32_t position) const { return before_[position]; }
  [[nodiscard]] const Positions& races(std::uint32_t position) const { return races_[position]; }

 private:
  struct Store {
    Location location = none;
    std::size_t barrier = 0;  // stores of its thread before this number are flushed before it
    Positions after;          // what its flush comes after, besides other flushes
    Positions forwarded;      // loads that it answered in the buffer
    std::uint32_t flushed = none;
  };
  struct Thread {
    Positions after;  // what its next step comes after
    std::vector<Store> stores;
    std::size_t barrier = 0;  // number of stores before the newest store-store fence
  };
  struct Access {
    std::uint32_t position = 0;
    bool writes = false;
    ThreadId thread = 0;
    Positions forwarded;  // flushes: the loads that the store answered before
  };

  static bool orders_stores(Fence fence) {
    return Machine::Model::name == "pso" && (fence == Fence::lightweight || fence == Fence::store_store);
  }
  // Whether stores of a thread to these locations share a buffer.
  static bool one_buffer(Location a, Location b) { return Machine::Model::name == "tso" || a == b; }

  // What threads do without a step: stores enter buffers, fences are passed.
  void settle(const Rows& rows) {
    for (const auto& row : rows) {
      auto& thread = threads_[row.thread];
      if (row.type == RowType::fence && row.fence == Fence::full) join_flushes(thread, thread.after);
      if (row.type == RowType::fence && orders_stores(row.fence)) thread.barrier = thread.stores.size();
      if (row.type != RowType::buffered) continue;
      wait_for_room(thread, row.location);
      Store store;
      store.location = row.location;
      store.barrier = thread.barrier;
      store.after = thread.after;
      thread.stores.push_back(store);
    }
  }
  // With bounded buffers, a store comes after the flush that made room for it.
  void wait_for_room(Thread& thread, Location location) {
    if constexpr (Machine::has_buffers) {
      if (!machine_.model().bounded()) return;
      std::vector<std::uint32_t> flushes;
      for (const auto& store : thread.stores) {
        if (one_buffer(store.location, location)) flushes.push_back(store.flushed);
      }
      const auto bound = machine_.model().bound();
      if (flushes.size() >= bound) thread.after.insert(flushes[flushes.size() - bound]);
    }
  }
  static void join_flushes(const Thread& thread, Positions& into) {
    for (const auto& store : thread.stores) {
      if (store.flushed != none) into.insert(store.flushed);
    }
  }

  void add(const Step& step) {
    const auto position = static_cast<std::uint32_t>(before_.size());
    Access access{.position = position, .writes = step.access.writes, .thread = step.thread, .forwarded = {}};
    const Positions order = step.type == StepType::flush ? flush(step, access) : operate(step, position);
    Positions conflicts;  // what the step depends on because of its location
    Positions racing;     // what of these, or instead of these, may race with it
    if (step.access.location != none) racing = conflict(step, position, conflicts);
    races_.push_back(unordered(racing, order, step.op == Op::lock ? Positions{} : conflicts));
    Positions direct = order;
    direct.insert(conflicts.begin(), conflicts.end());
    Positions all = direct;
    for (const auto k : direct) all.insert(before_[k].begin(), before_[k].end());
    before_.push_back(all);
    if (step.access.location != none && !step.access.forwarded)
      accesses_[step.access.location].push_back(access);
  }

  // Steps that neither `order` nor other steps of `conflicts` put before the new one.
  Positions unordered(const Positions& steps, const Positions& order, const Positions& conflicts) const {
    Positions result;
    for (const auto i : steps) {
      const auto puts_before = [&](std::uint32_t k) { return before_[k].contains(i); };
      if (!order.contains(i) && std::none_of(order.begin(), order.end(), puts_before) &&
          std::none_of(conflicts.begin(), conflicts.end(), puts_before))
        result.insert(i);
    }
    return result;
  }

  // What the operation or choice comes after, whatever it accesses.
  Positions operate(const Step& step, std::uint32_t position) {
    auto& thread = threads_[step.thread];
    Positions order = thread.after;
    const bool locked = step.type == StepType::operation && step.op != Op::load && step.op != Op::store;
    if (locked) join_flushes(thread, order);
    thread.after.insert(position);
    return order;
  }

  // The same for a flush.
  Positions flush(const Step& step, Access& access) {
    auto& stores = threads_[step.thread].stores;
    std::size_t number = 0;
    while (stores[number].flushed != none || stores[number].location != step.access.location) ++number;
    auto& store = stores[number];
    Positions order = store.after;
    for (std::size_t i = 0; i < number; ++i) {
      if (i < store.barrier || one_buffer(stores[i].location, store.location))
        order.insert(stores[i].flushed);
    }
    store.flushed = access.position;
    access.forwarded = store.forwarded;
    return order;
  }

  // Sets what the step depends on because of its location, and returns what may race with it.
  Positions conflict(const Step& step, std::uint32_t position, Positions& conflicts) {
    const auto& accesses = accesses_[step.access.location];
    const auto writes = [](const Access& access) { return access.writes; };
    const auto write = std::find_if(accesses.rbegin(), accesses.rend(), writes);
    if (step.access.forwarded) {
      auto& stores = threads_[step.thread].stores;
      std::find_if(stores.rbegin(), stores.rend(), [&](const Store& store) {
        return store.location == step.access.location;
      })->forwarded.insert(position);
    } else if (step.op == Op::lock) {
      // It comes after the unlock, and races with the operation that took the mutex before.
      if (write == accesses.rend()) return {};
      conflicts.insert(write->position);
      const auto taken = std::find_if(write + 1, accesses.rend(), writes);
      return taken == accesses.rend() ? Positions{} : Positions{taken->position};
    } else if (!step.access.writes) {
      const bool own = write != accesses.rend() && Machine::has_buffers && write->thread == step.thread;
      if (write != accesses.rend() && !own) conflicts.insert(write->position);
    } else {
      for (auto access = accesses.rbegin(); access != accesses.rend(); ++access) {
        conflicts.insert(access->position);
        if (!access->writes) continue;
        conflicts.insert(access->forwarded.begin(), access->forwarded.end());
        break;
      }
    }
    return conflicts;
  }

  Machine& machine_;
  std::vector<Thread> threads_;
  std::map<Location, std::vector<Access>> accesses_;  // without loads that a buffer answered
  std::vector<Positions> before_, races_;             // by position
};

}  // namespace

TEST_CASE("vector clocks are the transitive closure of dependence, and races are what nothing else orders") {
  std::uint64_t pairs = 0;
  std::uint64_t ordered = 0;
  std::uint64_t races = 0;
  for_each_random_machine(9'000'000, 400, Buffers::some_bounded,
                          [&]<Interleaving Machine>(Machine& machine, Machine& again, auto& random) {
                            HappensBefore<Machine> order(machine);
                            std::vector<Positions> reported;
                            for (int walk = 0; walk < 3; ++walk) {
                              // Some steps back, then on to the end of a run.
                              for (auto back = random() % (machine.depth() + 1); back > 0; --back) {
                                order.forget();
                                machine.undo();
                                reported.pop_back();
                              }
                              for (auto next = transitions(machine); !next.empty();
                                   next = transitions(machine)) {
                                REQUIRE(machine.follow(next[random() % next.size()]));
                                order.record();
                                reported.emplace_back(order.races().begin(), order.races().end());
                              }
                              const Definition<Machine> definition(again, machine.schedule());
                              for (std::uint32_t j = 0; j < machine.depth(); ++j) {
                                Positions before;
                                for (std::uint32_t i = 0; i < j; ++i) {
                                  if (order.ordered(i, order.row(j))) before.insert(i);
                                }
                                CHECK_EQ(before, definition.before(j));
                                CHECK_EQ(reported[j], definition.races(j));
                                pairs += j;
                                ordered += before.size();
                                races += reported[j].size();
                              }
                            }
                          });
  MESSAGE(pairs, " pairs of steps, ", ordered, " ordered, ", races, " races");
  CHECK_GT(races, 1000);
}

}  // namespace heddle::differential
