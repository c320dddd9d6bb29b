// sdpor: stateful dynamic partial-order reduction (paper 5: Yang, Chen, Gopalakrishnan, Kirby, SPIN'08,
// figures 5 to 7).
//
// dpor plus a table of visited states (state_table.hpp). A path that meets a known state
// ends there: everything after it has been explored. The races between the steps on this path and the
// operations after the known state would be lost. So these operations update the backtrack sets of the path. Differences from the
// paper:
// - The paper has one graph G for all states: a node per operation (process, location, reads or writes), an edge from each executed
//   operation to the next one. It takes all operations that are reachable in G from those enabled at the known state, whether or
//   not they can come after it. We keep by state what has followed it (operations_after.hpp).
// - For an operation after the known state the paper finds only the last dependent step. That step may be one
//   that the operation's own process has seen, which would hide earlier ones. We take every dependent step
//   that does not happen before all later steps of the process.
// - What is pending in a state follows it, and so do a lock that waits for its mutex and the operation of an await: the path may
//   end before these are enabled.
// - The search also has sleep sets; the paper's has none. From a state it does not explore the processes that sleep there,
//   so it stores each state together with its sleep set (Godefroid, Holzmann, Pirottin, "State-space caching revisited",
//   FMSD 1995). A path ends at a known state only if the stored set is a subset of the path's sleep set. Otherwise the
//   search explores the state again with the intersection of the two sets, and stores that. The stored set shrinks each
//   time, so a state is explored at most once more for each process, and each alternative of a thread at the choice of an `either`.
//   A process that may do something after a known state and sleeps before the step that this races with does not go there,
//   and another one may have to come before it: so everything enabled is added there (BacktrackingSearch::add_process).
// - What follows the known state need not race with the path, as steps in between may order it after that. So a process may be added
//   to backtrack sets where dpor adds none. If some would be added, and the exploration of the state took few transitions, the
//   search explores the state again, as dpor does.
// - With a preemption bound, the running thread, the preemptions so far and the threads that will cost one
//   belong to the state, and each process that does something after a known state is also added where the
//   running thread's block of steps began, as races after that state would do.
// Sound for programs whose executions are finite, and all are: loops are bounded.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/backtracking.hpp"
#include "checker/interleavings/flanagan_godefroid.hpp"
#include "checker/interleavings/operations_after.hpp"
#include "checker/interleavings/updates.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

namespace {

template <Interleaving Machine>
class Stateful : public FlanaganGodefroid {
 public:
  static constexpr bool stateful = true;

  // Adds a new state to the table. At a known one: returns true and updates the backtrack sets of the path, or wakes the
  // processes that have to be explored now; or lets the search explore the state again, as it is.
  template <typename Exploration>
  bool prune(Exploration& search, typename Machine::Set& sleep) {
    Machine& machine = search.machine();
    path_.clear();
    if (search.bounded()) search.running().append_to(path_, machine);
    append_revertible(machine.steps(), machine.image(), path_);
    const auto found = table_.find(machine, path_);
    if (found.known && !wakes_any(search, found.number, sleep)) {
      summarise(search, found.number);
      if (lacking_ == 0 || sizes_[found.number] > most_for_one * lacking_) {
        ++search.counts().revisits;
        if (!states_on_path_.empty()) operations_.add_after(found.number);
        for (const auto& [position, process] : races_) search.add_conservatively(position, process);
        search.add_waiting_blocks();
        return true;
      }
    }
    if (!found.known) {
      asleep_.push_back(sleep);
      if (!machine.at_choices().empty()) [[unlikely]]
        store_alternatives(search, found.number);
      sizes_.push_back(0);
      search.counts().states = table_.size();
    }
    states_on_path_.push_back({machine.depth(), found.number, search.counts().transitions});
    operations_.enter();
    note_pending(machine);
    return false;
  }

  // Leaves the states that are no longer on the path.
  void gone_back(std::uint32_t depth, std::uint64_t transitions) {
    while (!states_on_path_.empty() && states_on_path_.back().depth > depth) {
      const StateOnPath& left = states_on_path_.back();
      sizes_[left.number] = static_cast<std::uint32_t>(std::min(transitions - left.began, largest_size));
      operations_.leave(left.number);
      states_on_path_.pop_back();
    }
  }

  [[nodiscard]] std::size_t memory_used() const {
    return table_.memory_used() + operations_.memory_used() + reachable_.capacity() * sizeof(Reachable) +
           asleep_.capacity() * sizeof(asleep_[0]) +
           alternatives_of_state_.capacity() * sizeof(alternatives_of_state_[0]) +
           asleep_alternatives_.capacity() * sizeof(asleep_alternatives_[0]) +
           sizes_.capacity() * sizeof(sizes_[0]) + states_on_path_.capacity() * sizeof(StateOnPath);
  }

 private:
  // A state that is being explored: how many steps come before it, and how many transitions of the search did.
  struct StateOnPath {
    std::uint32_t depth = 0;
    std::uint32_t number = 0;
    std::uint64_t began = 0;
  };

  // A step of the path, and a process with a later operation that conflicts with it.
  struct PendingRace {
    std::uint32_t position = 0;
    ProcessId process = 0;
  };

  // A known state is explored again if that has taken at most this many transitions for each process that would be added to
  // a backtrack set.
  static constexpr std::uint64_t most_for_one = 4;
  static constexpr std::uint64_t largest_size = std::numeric_limits<std::uint32_t>::max();

  // Possible accesses of processes to one location after the known state.
  struct Reachable {
    typename Machine::Set readers;
    typename Machine::Set writers;
    std::uint64_t round = 0;
  };

  // True if a process, or an alternative, is awake now that slept when the state was explored. Then both sets become their
  // intersection.
  template <typename Exploration>
  [[nodiscard]] bool wakes_any(Exploration& search, std::uint32_t state, typename Machine::Set& sleep) {
    Machine& machine = search.machine();
    const auto depth = machine.depth();
    auto& choices = search.choices();
    auto& asleep = asleep_[state];
    bool wakes = !(asleep - sleep).empty();
    for_each_at_choice(machine, state, [&](ThreadId t, std::uint64_t stored) {
      wakes = wakes || (stored & ~choices.asleep(depth, t)) != 0;
    });
    if (!wakes) return false;
    asleep = sleep &= asleep;
    for_each_at_choice(machine, state, [&](ThreadId t, std::uint64_t& stored) {
      choices.wake_others(depth, t, stored);
      stored = choices.asleep(depth, t);
    });
    return true;
  }
  // Calls `visit(thread, asleep)` for each thread that waits at a choice in the state, at which the machine is.
  template <typename Visit>
  void for_each_at_choice(const Machine& machine, std::uint32_t state, Visit&& visit) {
    if (machine.at_choices().empty()) return;
    std::size_t index = alternatives_of_state_[state];
    machine.at_choices().for_each([&](ThreadId t) { visit(t, asleep_alternatives_[index++]); });
  }
  template <typename Exploration>
  [[gnu::noinline]] void store_alternatives(Exploration& search, std::uint32_t state) {
    alternatives_of_state_.resize(state + std::size_t{1});
    alternatives_of_state_[state] = asleep_alternatives_.size();
    const Machine& machine = search.machine();
    machine.at_choices().for_each(
        [&](ThreadId t) { asleep_alternatives_.push_back(search.choices().asleep(machine.depth(), t)); });
  }

  // Adds the operations of the enabled processes, and of those that wait. Choices are not operations: nothing depends on them.
  void note_pending(Machine& machine) {
    const auto enabled = machine.enabled();
    enabled.for_each([&](ProcessId p) {
      if (machine.begins_block(p)) [[unlikely]]
        return note_block(machine, p, false);
      note(p, machine.pending(p));
    });
    machine.at_choices().for_each([&](ThreadId t) {
      for (const Alternative& it : machine.alternatives(t))
        note(t, {.location = it.location, .reads = true, .writes = it.op != Op::load});
    });
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      const Op op = machine.threads().mailbox(t).op;
      if ((op != Op::lock && !machine.awaits(t)) || enabled.contains(t) || op == Op::choose) continue;
      if (machine.begins_block(t)) {
        note_block(machine, t, op != Op::load);
        continue;
      }
      Access access = machine.pending(t);
      access.writes = op != Op::load;
      note(t, access);
    }
  }
  // (Whether a buffer answers a load does not matter.)
  void note(ProcessId process, const Access& access) {
    operations_.add({.process = process, .location = access.location, .writes = access.writes});
  }

  // An atomic block, as far as it can be told now. `may_write`: its condition is a read-modify-write that failed.
  [[gnu::noinline]] void note_block(Machine& machine, ThreadId thread, bool may_write) {
    machine.for_each_in_block(thread, [&](Access access) {
      access.writes |= may_write;
      note(thread, access);
    });
  }

  // Finds the steps of the path that race with an operation that may follow the known state.
  template <typename Exploration>
  void summarise(Exploration& search, std::uint32_t state) {
    Machine& machine = search.machine();
    races_.clear();
    lacking_ = 0;
    ++round_;
    reachable_.resize(machine.memory().size());
    typename Machine::Set observed;  // processes with operations that invariants observe
    operations_.for_each_after(state, [&](const OperationsAfter::Operation& operation) {
      if (machine.has_invariants() && machine.is_observed(operation.process, {.location = operation.location,
                                                                              .writes = operation.writes}))
        observed.insert(operation.process);
      auto& at = reachable_[operation.location];
      if (at.round != round_) at = Reachable{.readers = {}, .writers = {}, .round = round_};
      (operation.writes ? at.writers : at.readers).insert(operation.process);
      if (search.bounded() && operation.process != search.running().thread)
        search.add_to_block(machine.depth(), search.running().thread, operation.process);
    });
    const auto races = [&](std::uint32_t position, ProcessId p) {
      if (search.order().before_later_steps(position, p)) return;
      const auto lacking = search.bounded() ? 0 : search.lacks(position, p);
      lacking_ += lacking;
      if (search.bounded() || lacking != 0) races_.push_back({position, p});
    };
    for (const auto& closed : search.choices().closed()) {
      const auto& at = reachable_[closed.location];
      if (at.round == round_) {
        auto others = at.writers;
        if (closed.wakes_at_reads) others |= at.readers;
        others.for_each([&](ProcessId p) {
          if (p != closed.thread) races(closed.position, p);
        });
      }
      if constexpr (Machine::has_buffers) {
        if (!closed.drains) continue;
        for (const auto index : machine.model().owned(closed.thread))
          races(closed.position, machine.model().buffer(index).process);
      }
    }
    for (auto position = machine.depth(); position > 0; --position) {
      const Step& step = machine.step(position - 1);
      typename Machine::Set conflicting;
      if (step.access.location != none) {
        const auto& at = reachable_[step.access.location];
        if (at.round == round_) {
          conflicting = at.writers;
          if (step.access.writes) conflicting |= at.readers;
        }
      }
      if (machine.has_invariants() && machine.is_observed(step)) conflicting |= observed;
      if (conflicting.empty()) continue;
      conflicting.for_each([&](ProcessId p) {
        if (p != step.process) races(position - 1, p);
      });
    }
  }

  StateTable<Machine> table_;
  std::vector<typename Machine::Set> asleep_;  // by state: what slept when it was explored
  // By thread at a choice: the alternatives that slept, as bits; and by state where those of its threads begin, if it has some.
  std::vector<std::uint64_t> asleep_alternatives_;
  std::vector<std::size_t> alternatives_of_state_;
  std::vector<std::uint32_t> sizes_;  // by state: the transitions of its exploration, once that has ended
  // The part of the path that belongs to the state: with a preemption bound, or for loops whose rounds may be idle.
  std::vector<std::uint64_t> path_;
  OperationsAfter operations_;
  std::vector<StateOnPath> states_on_path_;
  std::vector<Reachable> reachable_;  // by location; valid if of this round
  std::vector<PendingRace> races_;    // by summarise: those for which backtrack sets lack processes
  // How many processes the backtrack sets lack for these; with a preemption bound always 0.
  std::uint64_t lacking_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace

void run_sdpor(Search& search) {
  auto options = waiting_options(search);
  options.daemons_look_last = false;
  explore_choosing(search, options, [&]<Interleaving Machine>(Machine& machine) {
    // The first state may be stored later, after choices.
    static_cast<void>(machine.block_number(0));
    BacktrackingSearch<Machine, Stateful<Machine>>(machine, search).run();
  });
}

}  // namespace heddle::checker
