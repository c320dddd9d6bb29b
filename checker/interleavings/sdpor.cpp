// sdpor: stateful dynamic partial-order reduction (paper 5: Yang, Chen, Gopalakrishnan, Kirby, SPIN'08,
// figures 5 to 7).
//
// dpor plus a table of visited states (state_table.hpp). A path that meets a known state
// ends there: everything after it has been explored. The races between the steps on this path and the
// operations after the known state would be lost. So the search keeps the visible-operation dependency graph
// G: a node per operation (process, location, reads or writes), an edge from each executed operation to the
// ones after it. At a known state all operations reachable in G from the enabled ones, whether or not they
// could really come next, update the backtrack sets of the path. Differences from the paper:
// - The paper adds an edge when an operation is executed after another. A path that ends at a known state
//   executes nothing there, so a later summary could miss what comes after it. We add the edges to the
//   operations enabled there as well.
// - For an operation after the known state the paper finds only the last dependent step. That step may be one
//   that the operation's own process has seen, which would hide earlier ones. We take every dependent step
//   that does not happen before the process's current point.
// - G says what may follow in any state. An operation counts only if it may also follow the local state of its own thread
//   (local_futures.hpp), or if it is the flush of a store that is in a buffer now.
// - A lock that waits for its mutex counts as pending, too, and so does the operation of an await: the path
//   may end before it is enabled.
// - The search also has sleep sets; the paper's has none. From a state it does not explore the processes that sleep there,
//   so it stores each state together with its sleep set (Godefroid, Holzmann, Pirottin, "State-space caching revisited",
//   FMSD 1995). A path ends at a known state only if the stored set is a subset of the path's sleep set. Otherwise the
//   search explores the state again with the intersection of the two sets, and stores that. The stored set shrinks each
//   time, so a state is explored at most once more for each process. A process that may do something after a known state and
//   sleeps before the step that this races with does not go there, and another one may have to come before it: so everything
//   enabled is added there (BacktrackingSearch::add_process).
// - A summary over-approximates what follows the known state on this path, so it may add processes to backtrack sets where
//   dpor adds none. If it would add some, and the exploration of the state took few transitions, the search explores the
//   state again, as dpor does.
// - With a preemption bound, the running thread, the preemptions so far and the threads that will cost one
//   belong to the state, and each process that does something after a known state is also added where the
//   running thread's block of steps began, as races after that state would do.
// Sound for programs whose executions are finite, and all are: loops are bounded.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/backtracking.hpp"
#include "checker/interleavings/flanagan_godefroid.hpp"
#include "checker/interleavings/local_futures.hpp"
#include "checker/interleavings/updates.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

namespace {

// The visible-operation dependency graph.
class OperationGraph {
 public:
  using Node = std::uint32_t;

  Node node(ProcessId process, const Access& access) {
    const auto key =
        (std::uint64_t{process} << 34) | (std::uint64_t{access.location} << 1) | (access.writes ? 1 : 0);
    const auto [place, inserted] = index_.try_emplace(key, static_cast<Node>(operations_.size()));
    if (inserted) {
      operations_.push_back({process, access.location, access.writes});
      successors_.emplace_back();
      reached_.push_back(0);
    }
    return place->second;
  }

  void add_edge(Node from, Node to) {
    if (!edges_.insert((std::uint64_t{from} << 32) | to).second) return;
    auto& successors = successors_[from];
    const auto room = successors.capacity();
    successors.push_back(to);
    room_ += successors.capacity() - room;
  }

  [[nodiscard]] std::size_t memory_used() const {
    // A hash table has one byte of metadata per bucket.
    return index_.bucket_count() * (sizeof(std::uint64_t) + sizeof(std::uint64_t) + 1) +
           edges_.bucket_count() * (sizeof(std::uint64_t) + 1) + operations_.capacity() * sizeof(Operation) +
           successors_.capacity() * sizeof(successors_[0]) + room_ * sizeof(Node) +
           reached_.capacity() * sizeof(std::uint64_t) + stack_.capacity() * sizeof(Node);
  }

  struct Operation {
    ProcessId process;
    Location location;
    bool writes;
  };
  [[nodiscard]] const Operation& operation(Node node) const { return operations_[node]; }

  // Calls `visit(node)` for every operation reachable from the roots, including the roots. O(nodes + edges).
  template <typename Visit>
  void for_each_reachable(const std::vector<Node>& roots, Visit&& visit) {
    ++round_;
    stack_ = roots;
    while (!stack_.empty()) {
      const Node node = stack_.back();
      stack_.pop_back();
      if (reached_[node] == round_) continue;
      reached_[node] = round_;
      visit(node);
      stack_.insert(stack_.end(), successors_[node].begin(), successors_[node].end());
    }
  }

 private:
  boost::unordered_flat_map<std::uint64_t, Node> index_;
  boost::unordered_flat_set<std::uint64_t> edges_;
  std::vector<Operation> operations_;
  std::vector<std::vector<Node>> successors_;
  std::size_t room_ = 0;  // for successors, in all
  std::vector<std::uint64_t> reached_;
  std::vector<Node> stack_;
  std::uint64_t round_ = 0;
};

template <Interleaving Machine>
class Stateful : public FlanaganGodefroid {
 public:
  static constexpr bool stateful = true;

  // Adds a new state to the table. At a known one: returns true and updates the backtrack sets of the path, or wakes the
  // processes that have to be explored now; or lets the search explore the state again, as it is.
  template <typename Exploration>
  bool prune(Exploration& search, typename Machine::Set& sleep) {
    Machine& machine = search.machine();
    connect(machine, search.order());
    note_local_steps(machine, search.counts().transitions);
    path_.clear();
    if (search.bounded()) search.running().append_to(path_, machine);
    append_revertible(machine.steps(), machine.image(), path_);
    const auto found = table_.find(machine, path_);
    StateOnPath& here = states_on_path_.back();
    here.number = found.number;
    here.began = search.counts().transitions;
    if (!found.known) {
      asleep_.push_back(sleep);
      sizes_.push_back(0);
      search.counts().states = table_.size();
      return false;
    }
    auto& asleep = asleep_[found.number];
    if (!(asleep - sleep).empty()) {
      asleep = sleep &= asleep;
      return false;
    }
    summarise(search);
    if (lacking_ != 0 && sizes_[found.number] <= most_for_one * lacking_) return false;
    here.number = none;
    ++search.counts().revisits;
    for (const auto& [position, process] : races_) search.add_conservatively(position, process);
    search.add_waiting_blocks();
    return true;
  }

  [[nodiscard]] std::size_t memory_used() const {
    return table_.memory_used() + graph_.memory_used() + reachable_.capacity() * sizeof(Reachable) +
           asleep_.capacity() * sizeof(asleep_[0]) + (futures_ ? futures_->memory_used() : 0) +
           sizes_.capacity() * sizeof(sizes_[0]) + states_on_path_.capacity() * sizeof(StateOnPath) +
           moves_.capacity() * sizeof(Move);
  }

 private:
  // A state of the path, and how many moves came before it. If it is being explored: its number, and the transitions of
  // the search before that.
  struct StateOnPath {
    std::uint32_t depth = 0;
    std::size_t moves = 0;
    std::uint32_t number = none;
    std::uint64_t began = 0;
  };
  // A thread has left a local state.
  struct Move {
    ThreadId thread = 0;
    LocalFutures::State from = 0;
  };

  // A step of the path, and a process with a later operation that conflicts with it.
  struct PendingRace {
    std::uint32_t position = 0;
    ProcessId process = 0;
  };

  // A known state is explored again if that has taken at most this many transitions for each process that would be added to
  // a backtrack set. (Transitions of indexer-locks under TSO, where dpor takes 801, and of boop4 under PSO: 5,189 and 484
  // thousand with 0, 3,612 and 514 thousand with 1, 1,017 and 587 thousand with 2, 716 and 1,263 thousand with 16.)
  static constexpr std::uint64_t most_for_one = 2;
  static constexpr std::uint64_t largest_size = std::numeric_limits<std::uint32_t>::max();

  // Possible accesses of processes to one location after the known state.
  struct Reachable {
    typename Machine::Set readers;
    typename Machine::Set writers;
    std::uint64_t round = 0;
  };

  // Adds edges from the newest operation to the pending ones: those of enabled processes, and locks that
  // wait. Choices are not operations: nothing depends on them.
  void connect(Machine& machine, const HappensBefore<Machine>& order) {
    pending_.clear();
    const auto enabled = machine.enabled();
    enabled.for_each([&](ProcessId p) {
      if (machine.begins_block(p)) [[unlikely]]
        return add_block(machine, p, false);
      pending_.push_back(graph_.node(p, possible(machine.pending(p))));
    });
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      const Op op = machine.threads().mailbox(t).op;
      if ((op != Op::lock && !machine.awaits(t)) || enabled.contains(t)) continue;
      if (machine.begins_block(t)) {
        add_block(machine, t, op != Op::load);
        continue;
      }
      Access access = possible(machine.pending(t));
      access.writes = op != Op::load;
      pending_.push_back(graph_.node(t, access));
    }
    auto position = machine.depth();
    while (position > 0 && machine.step(position - 1).type == StepType::choice) --position;
    if (position == 0) return;
    // What comes after one access of an atomic block comes after those before it.
    auto last = node_of(machine.step(position - 1));
    for (const auto next : pending_) graph_.add_edge(last, next);
    const auto begin = order.begin_of(position - 1);
    for (--position; position > begin; --position) {
      const Step& before = machine.step(position - 1);
      if (before.type == StepType::choice) continue;
      graph_.add_edge(node_of(before), last);
      last = node_of(before);
    }
  }
  [[nodiscard]] OperationGraph::Node node_of(const Step& step) {
    return graph_.node(step.process, possible(step.access));
  }

  // Notes what the steps since the state before have added to the futures of local states, and what is pending now.
  void note_local_steps(Machine& machine, std::uint64_t transitions) {
    if (!futures_) futures_.emplace(machine.thread_count());
    while (!states_on_path_.empty() && states_on_path_.back().depth >= machine.depth()) {
      const StateOnPath& left = states_on_path_.back();
      for (; moves_.size() > left.moves; moves_.pop_back())
        local_states_[moves_.back().thread] = moves_.back().from;
      if (left.number != none)
        sizes_[left.number] = static_cast<std::uint32_t>(std::min(transitions - left.began, largest_size));
      states_on_path_.pop_back();
    }
    if (states_on_path_.empty()) {
      local_states_.clear();
      for (ThreadId t = 0; t < machine.thread_count(); ++t) local_states_.push_back(machine.block_number(t));
      states_on_path_.push_back({machine.depth(), moves_.size()});
    }
    const auto begin = states_on_path_.back().depth;
    if (begin != machine.depth()) states_on_path_.push_back({machine.depth(), moves_.size()});
    for (auto position = begin; position < machine.depth(); ++position) note_step(machine, position);
    for (auto position = begin; position < machine.depth(); ++position) {
      const ThreadId t = machine.step(position).thread;
      const LocalFutures::State to = machine.block_number(t);
      if (to == local_states_[t]) continue;
      moves_.push_back({t, std::exchange(local_states_[t], to)});
      futures_->add_step(t, moves_.back().from, to);
    }
    for (const auto next : pending_) {
      const ProcessId process = graph_.operation(next).process;
      if (process < machine.thread_count()) futures_->add(process, local_states_[process], next);
    }
  }
  // From the local state before the step, the thread takes the step, and its buffers may flush the stores that entered since then.
  void note_step(Machine& machine, std::uint32_t position) {
    const Step& step = machine.step(position);
    const auto local = local_states_[step.thread];
    if (step.type == StepType::operation) futures_->add(step.thread, local, node_of(step));
    if constexpr (Machine::has_buffers) {
      std::uint32_t newer = 0;  // of later steps, choices
      for (auto later = position + 1; later < machine.depth(); ++later)
        newer += machine.step(later).thread == step.thread ? machine.step(later).buffered : 0;
      for (auto back = newer; back < newer + step.buffered; ++back) {
        const auto& buffer = machine.model().appended(step.thread, back);
        const auto& store = buffer.writes[machine.model().index_of_appended(step.thread, back)];
        const Access flush{.location = store.location, .writes = true};
        futures_->add(step.thread, local, graph_.node(buffer.process, flush));
      }
    }
  }
  // Whether the operation may still come after this state, as far as its own thread tells.
  [[nodiscard]] bool may_follow(Machine& machine, OperationGraph::Node node) const {
    const auto [process, location, writes] = graph_.operation(node);
    ThreadId thread = process;
    if constexpr (Machine::has_buffers) {
      if (process >= machine.thread_count()) {
        const auto& buffer = machine.model().of_process(process);
        for (auto entry = buffer.head; entry < buffer.writes.size(); ++entry) {
          if (buffer.writes[entry].location == location) return true;
        }
        thread = buffer.thread;
      }
    }
    return futures_->may_follow(thread, local_states_[thread], node);
  }

  // An atomic block, as far as it can be told now, becomes pending. `may_write`: its condition is a read-modify-write that
  // failed.
  [[gnu::noinline]] void add_block(Machine& machine, ThreadId thread, bool may_write) {
    machine.for_each_in_block(thread, [&](Access access) {
      access.writes |= may_write;
      pending_.push_back(graph_.node(thread, possible(access)));
    });
  }

  // The access as it may be in any state: whether a buffer answers a load can differ between states.
  [[nodiscard]] static Access possible(Access access) {
    access.forwarded = false;
    return access;
  }

  // Finds the steps of the path that race with an operation that may follow the known state.
  template <typename Exploration>
  void summarise(Exploration& search) {
    Machine& machine = search.machine();
    races_.clear();
    lacking_ = 0;
    ++round_;
    reachable_.resize(machine.memory().size());
    typename Machine::Set observed;  // processes with operations that invariants observe
    graph_.for_each_reachable(pending_, [&](OperationGraph::Node node) {
      const auto& operation = graph_.operation(node);
      if (operation.location == none || !may_follow(machine, node)) return;
      if (machine.has_invariants() && machine.is_observed(operation.process, {.location = operation.location,
                                                                              .writes = operation.writes}))
        observed.insert(operation.process);
      auto& at = reachable_[operation.location];
      if (at.round != round_) at = Reachable{.readers = {}, .writers = {}, .round = round_};
      (operation.writes ? at.writers : at.readers).insert(operation.process);
      if (search.bounded() && operation.process != search.running().thread)
        search.add_to_block(machine.depth(), search.running().thread, operation.process);
    });
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
        if (p != step.process && !search.order().ordered(position - 1, search.order().row_of(p))) {
          const auto lacking = search.bounded() ? 0 : search.lacks(position - 1, p);
          lacking_ += lacking;
          if (search.bounded() || lacking != 0) races_.push_back({position - 1, p});
        }
      });
    }
  }

  StateTable<Machine> table_;
  std::vector<typename Machine::Set> asleep_;  // by state: what slept when it was explored
  std::vector<std::uint32_t> sizes_;  // by state: the transitions of its exploration, once that has ended
  // The part of the path that belongs to the state: with a preemption bound, or for loops whose rounds may be idle.
  std::vector<std::uint64_t> path_;
  OperationGraph graph_;
  std::vector<OperationGraph::Node> pending_;
  std::optional<LocalFutures> futures_;  // of operations by their nodes
  std::vector<StateOnPath> states_on_path_;
  std::vector<Move> moves_;                        // of the path
  std::vector<LocalFutures::State> local_states_;  // by thread, in the newest state of the path
  std::vector<Reachable> reachable_;               // by location; valid if of this round
  std::vector<PendingRace> races_;  // by summarise: those for which backtrack sets lack processes
  // How many processes the backtrack sets lack for these; with a preemption bound always 0.
  std::uint64_t lacking_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace

void run_sdpor(Search& search) {
  auto options = waiting_options(search);
  options.daemons_look_last = false;
  explore_with(search, options, [&]<Interleaving Machine>(Machine& machine) {
    // The first state may be stored later, after choices.
    static_cast<void>(machine.block_number(0));
    BacktrackingSearch<Machine, Stateful<Machine>>(machine, search).run();
  });
}

}  // namespace heddle::checker
