// The depth-first search of `dpor`, `source` and `sdpor`: backtrack sets filled by races, and sleep sets.
//
// Every state on the path has a backtrack set (processes to take there), a done set and a sleep set. If a
// step e races with the newest step, taking the second before the first leads to another execution, so the
// algorithm adds something to the backtrack set of the state before e: `Policy::add` decides what. Sleep sets
// (Godefroid) hold the processes whose next transition was explored from an earlier sibling; a process wakes
// when a step is taken that its transition depends on. A state where every enabled process is asleep is
// redundant.
//
// Locks: a lock never races with the unlock before it, but does with the lock before that
// (happens_before.hpp). A thread that waits for a mutex at the end of a path has not taken part in any race
// yet; `waiting_lock_races` makes up for that.
//
// Awaits: an operation of an await is enabled only where it does not stop its thread (Jonsson, Lång, Sagonas,
// "Awaiting for Godot: stateless model checking that avoids executions where nothing happens", FMCAD'22). As
// the write before it may have enabled it, it races with the newest write before which it could have been
// taken; and where a thread waits at the end of a path, it takes part in this race there.
//
// Choices: a thread that waits at the choice of an `either` has several transitions, one for each alternative (choices_on_path.hpp).
//
// Atomic blocks are transitions whose accesses are known only once they are made, or tried (`for_each_in_block`). A block
// and a transition that it does not depend on can change places: each makes the same accesses then. The first access of
// a block that conflicts with another transition is the same before and after that. So two transitions that are tried in
// one order are known to depend on each other in both. What a block does may depend on a step that it races with, so
// what would come before it in the reversed order is not known: all that is enabled is taken before that step. A block
// that awaits something races with all steps that conflict with it or, at the end of a path, with its condition, and that
// are not ordered before its thread. The same holds of a block in which the thread stops.
//
// Invariants are judged in every state that is met. Steps that can change what they look at (`is_observed`) depend
// on each other. So in all runs of one trace they come in one order, and what invariants see of a state depends
// only on how many of them have come: some run of each trace is explored, and every state belongs to some run.
//
// A stateful algorithm (`Policy::stateful`) may end a path at a known state (`Policy::prune`), if all that slept when
// the state was explored sleeps here, too.
//
// A preemption bound (preemptions.hpp) cuts paths that sleep sets and races rely on. So with a bound there are
// no sleep sets, and backtrack points are conservative (Coons, Musuvathi, McKinley, OOPSLA'13, section 4),
// adapted to preemptions that are counted when a thread comes back, not when it is left:
// (1) A path continues with the running thread while that is enabled, next with a flush that this thread
//     waits for, then with a thread that costs nothing, then with any flush. Where none of them is enabled,
//     every enabled process is taken: each of these threads costs, and any of them may lead to a violation.
// (2) A race adds the later step's process at the state before the earlier step, and again where the *block*
//     of that step begins: the steps around it in which no other thread did anything. From there the racing
//     thread takes its turn before the whole block and does not split it. A flush adds its thread, too: the
//     store may not be buffered there yet.
// (3) The cost of a switch also depends on whether the thread that is left must wait for a mutex. So a thread
//     that waits for a mutex races with the lock that took it as soon as it waits, since the path may be cut
//     before the unlock; and a thread that locks a mutex adds itself at the unlock before, as in (2): had it
//     come while the mutex was taken, leaving it would have been free.
//
// Why no run within the bound is lost. Let w be a run from a state s that is within the bound; it may end
// anywhere. Claim: from s the search takes a run that has the steps of w in the order of their dependences,
// perhaps with others that none of them depends on, and that costs no more. The proof is by induction over
// what can follow.
// - Some steps of w are of processes that were taken at s. Let q be the first such process in w, and t the
//   steps before it; t has no step of a process that was taken at s.
//   If q is a buffer or the running thread, only its first step, b, has to move to the front. That costs
//   nothing: a running thread that comes back in w to do b was left there once, and is now left once after b.
//   If some step of t depends on b, take the first one, f: "b, then t up to f" is within the bound, so by
//   induction a run with these steps is explored after b; there b races with f, and (2) adds the process of
//   f, or all, at s. This contradicts the choice of t.
//   If q is another thread, its first block in w has to move as a whole: then it comes once, at the same
//   cost. If a step of t depends on step b of the block, take the last such b and the first such f: "the
//   block up to b, then t up to f" costs no more than its steps do in w. By (1) the block is explored in one
//   piece from s on: a run of the same cost cannot split it. So the race of b and f is found in a block that
//   begins at s, and (2) adds the process of f there: the same contradiction. A flush in the block that
//   carries a store of t is not part of it unless a step of the block sees it; then that step races with the
//   flush, and the flush adds its thread, which is in t. Flushes of t that the block waits for move with it
//   at no cost.
//   The costs of other threads change only if the block locks or unlocks a mutex that a thread left in t
//   waits for, or if q is left waiting for a mutex that a step of t locks. (3) finds the race in the first
//   case and in the last: q takes the mutex, and that thread of t waits for it.
// - No step of w is of such a process. Then by (1) what was taken first at s is free: a step of the running
//   thread, a flush or a thread that costs nothing. If w depends on it, a race shows that, as above. If not,
//   it goes first and is left for good, which costs nothing, and the claim holds after it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/interleavings/choices_on_path.hpp"
#include "checker/interleavings/happens_before.hpp"
#include "checker/interleavings/interleaving.hpp"
#include "checker/interleavings/preemptions.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// A state on the path.
template <typename Set>
struct BacktrackNode {
  Set enabled;
  Set backtrack;
  Set done;
  Set sleep;
  ThreadId chooser = none;
  std::int64_t next_value = 0;
  std::int64_t end_value = 0;
  bool waited = false;  // inside a block: whether it has awaited something
  // Where a thread that waited at a choice is taken: the alternatives that it has yet to take.
  std::uint64_t alternatives = 0;
  ThreadId at_choice = none;
};

// Step `earlier` of the path races with the transition of `process` that is step `later`, or would be if it
// were taken now; `row` is the clock of that transition.
struct Race {
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  ProcessId process = 0;
  std::uint32_t row = 0;
};

// The part that each algorithm decides. `add` puts what reversing the race needs into the backtrack set of
// `node`, the state before the race's earlier step. A stateful policy also has `prune(search, sleep)`,
// called at each new state but those at a `choose`: if it returns true, the path ends there, and it has updated the backtrack sets
// of the path for everything that may follow; if not, it may have woken processes. `gone_back(depth, transitions)` is called
// whenever the path has become shorter.
template <typename Policy, typename Machine>
concept BacktrackPolicy = Interleaving<Machine> && std::default_initializable<Policy> &&
    requires(Policy& policy, const Machine& machine, const HappensBefore<Machine>& order,
             BacktrackNode<typename Machine::Set>& node, const Race& race) {
  requires std::same_as<decltype(Policy::stateful), const bool>;
  policy.add(machine, order, node, race);
  { policy.memory_used() } -> std::convertible_to<std::uint64_t>;  // bytes
};

template <Interleaving Machine, BacktrackPolicy<Machine> Policy>
class BacktrackingSearch {
 public:
  using Set = typename Machine::Set;
  using Node = BacktrackNode<Set>;

  BacktrackingSearch(Machine& machine, Search& search)
      : machine_(machine),
        search_(search),
        order_(machine),
        choices_(machine),
        bounded_(search.options().preemption_bound.has_value()) {}

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const HappensBefore<Machine>& order() const { return order_; }
  [[nodiscard]] ChoicesOnPath<Machine>& choices() { return choices_; }
  // With a preemption bound: the running thread, and the cost so far.
  [[nodiscard]] const Running<Set>& running() const { return running_[depth_ - 1]; }
  [[nodiscard]] bool bounded() const { return bounded_; }
  [[nodiscard]] Counts& counts() { return search_.counts; }
  // The races of all blocks that await something, with what their conditions have looked at on the path.
  void add_waiting_blocks() {
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      if (!machine_.begins_block(t) || !machine_.awaits(t)) continue;
      find_awaited(t);
      races_of_waiting_block(t, machine_.depth(), order_.row_of(t));
    }
  }

  // Adds the process to the backtrack set of the state before step `race`, or everything enabled if the
  // process cannot be explored from there; with a preemption bound also where the block of steps around it begins.
  void add_conservatively(std::uint32_t race, ProcessId process) {
    race = begin_of(race);
    if (!bounded_) return add_process(nodes_[race], first_to_go(race, process));
    add_process(nodes_[race], process);
    const Step& step = machine_.step(race);
    add_to_block(race, step.type == StepType::flush ? running_[race].thread : step.thread, process);
  }

  // Without a preemption bound: how many processes `add_conservatively` would add to those that are explored there.
  [[nodiscard]] std::uint32_t lacks(std::uint32_t race, ProcessId process) {
    race = begin_of(race);
    const Node& node = nodes_[race];
    process = first_to_go(race, process);
    if (takes(node, process)) return node.backtrack.contains(process) ? 0 : 1;
    return (node.enabled - node.sleep - node.backtrack).count();
  }

  // Adds the process where the block of steps around `position` begins, in which only `thread` ran.
  void add_to_block(std::uint32_t position, ThreadId thread, ProcessId process) {
    auto start = position;
    for (; position > 0; --position) {
      const Step& before = machine_.step(position - 1);
      if (before.type != StepType::operation) continue;
      if (before.thread != thread) break;
      start = position - 1;
    }
    add_process(nodes_[start], process);
  }

  void run() {
    if (bounded_) running_.resize(1);
    arrive({});
    while (depth_ > 0 && !search_.stopped()) {
      Node& node = nodes_[depth_ - 1];
      if (node.chooser != none) {
        if (node.next_value == node.end_value) {
          leave();
          continue;
        }
        const bool in_block = machine_.in_block();
        const auto first = machine_.depth();
        if (!machine_.at_choices().empty()) choices_.continue_from(machine_.depth());
        choices_.stepped(node.chooser);
        machine_.choose(node.chooser, node.next_value++);
        step_taken();
        if (bounded_) push_running(running());
        if (in_block) [[unlikely]] {
          continue_block(node.chooser, first, node.waited, node.sleep);
        } else {
          arrive(Set(node.sleep));  // a copy: `arrive` may move the nodes
        }
        continue;
      }
      if (node.alternatives != 0) [[unlikely]] {
        take_alternative(node);
        continue;
      }
      const Set todo = node.backtrack - node.done - node.sleep;
      if (todo.empty()) {
        leave();
        continue;
      }
      take(node, pick(todo));
    }
    search_.note_memory(memory_used());
  }

 private:
  [[nodiscard]] ProcessId pick(const Set& todo) { return bounded_ ? pick_cheapest(todo) : todo.first(); }

  // With a preemption bound: the running thread, or a flush that it waits for, or else a process that costs
  // nothing, if there is one. (Out of line to keep searches without a bound fast.)
  [[nodiscard, gnu::noinline]] ProcessId pick_cheapest(const Set& todo) {
    const ThreadId running = this->running().thread;
    if (running != none) {
      if (todo.contains(running)) return running;
      if constexpr (Machine::has_buffers) {
        for (const auto index : machine_.model().owned(running)) {
          const ProcessId buffer = machine_.model().buffer(index).process;
          if (todo.contains(buffer)) return buffer;
        }
      }
    }
    ProcessId free = none;
    todo.for_each([&](ProcessId p) {
      if (free == none && this->running().cost(machine_, p) == 0) free = p;
    });
    return free != none ? free : todo.first();
  }

  // Chooses what is taken at a new state before any race adds to it.
  void begin(Node& node, const Set& awake) {
    const auto first = pick(awake);
    if (bounded_ && costs(first)) {
      node.backtrack = awake;
    } else {
      node.backtrack.insert(first);
    }
  }
  [[nodiscard, gnu::noinline]] bool costs(ProcessId process) const {
    return running().cost(machine_, process) > 0;
  }
  // Lets the process run next; false if that exceeds the bound.
  [[nodiscard, gnu::noinline]] bool switch_to(ProcessId process) {
    auto running = this->running();
    if (!running.take(machine_, process, search_.options().preemption_bound)) return false;
    push_running(running);
    return true;
  }
  // For the state that is about to be reached.
  void push_running(Running<Set> running) {
    running_.resize(depth_);
    running_.push_back(std::move(running));
  }

  void take(Node& node, ProcessId process) {
    if (machine_.at_choices().contains(process)) [[unlikely]]
      return begin_alternatives(node, process);
    const Set asleep = node.sleep | node.done;
    node.done.insert(process);
    if (!machine_.at_choices().empty()) [[unlikely]]
      choices_.begin_step(machine_.depth(), asleep);
    if (bounded_ && !switch_to(process)) {
      ++search_.counts.blocked_preemption_bound;
      return;
    }
    const bool waited = machine_.awaits(process);
    if (machine_.begins_block(process)) [[unlikely]]
      return take_block(process, waited, asleep);
    const auto race = waited ? waiting_race(process) : none;
    machine_.execute(process);
    step_taken(waited);
    const auto last = machine_.depth() - 1;
    for (const auto earlier : order_.races()) add({begin_of(earlier), last, process, order_.row(last)});
    if (race != none) add({begin_of(race), last, process, order_.row(last)});
    if (bounded_) mutexes_race(last);
    if (bounded_) return arrive({});
    arrive_after(last, process, asleep);
  }

  // Opens the node after this step of the process, with which others may conflict; `asleep`: the processes that slept before it.
  void arrive_after(std::uint32_t last, ProcessId process, const Set& asleep) {
    const Access access = machine_.step(last).access;
    const ThreadId thread = machine_.step(last).thread;
    const bool observed = machine_.has_invariants() && machine_.is_observed(machine_.step(last));
    if (!choices_.closed().empty()) [[unlikely]]
      race_with_choices(last);
    const bool some_wait = !machine_.at_choices().empty();
    if (some_wait) [[unlikely]]
      wake_alternatives(last, observed);
    Set sleep;
    asleep.for_each([&](ProcessId p) {
      if (some_wait && machine_.at_choices().contains(p)) return;
      if (observed && machine_.is_observed(p, machine_.pending(p))) return;
      if (machine_.begins_block(p)) [[unlikely]] {
        if (independent_of_block(p, last)) sleep.insert(p);
        return;
      }
      if (p != process && independent(p, access, thread, [&] { return machine_.pending(p); }))
        sleep.insert(p);
    });
    arrive(sleep);
  }

  // -- Threads that wait at the choice of an `either`.

  // `take` for such a thread.
  [[gnu::noinline]] void begin_alternatives(Node& node, ThreadId t) {
    node.at_choice = t;
    node.alternatives = choices_.awake(machine_.depth(), t);
    static_cast<void>(machine_.enabled());  // what is open may be that of a later state
    closed_alternatives_race(t);
    take_alternative(node);
  }
  // The next one of the thread that has been begun.
  [[gnu::noinline]] void take_alternative(Node& node) {
    const ThreadId t = node.at_choice;
    const auto alternative = static_cast<std::uint32_t>(std::countr_zero(node.alternatives));
    node.alternatives &= node.alternatives - 1;
    const Set asleep = node.sleep | node.done;
    if (node.alternatives == 0) node.done.insert(t);
    choices_.begin_step(machine_.depth(), asleep);
    choices_.stepped(t);
    const auto first = machine_.depth();
    static_cast<void>(machine_.enabled());
    choices_.take(t, first);
    const Alternative& guard = machine_.alternatives(t)[alternative];
    const Location location = guard.location;
    const auto race =
        guard.kind == Alternative::Kind::guarded ? alternative_race(t, alternative, guard) : none;
    machine_.take_alternative(t, alternative);
    step_taken();
    const auto row = order_.row(first);
    for (const auto earlier : order_.races()) add({begin_of(earlier), first, t, row});
    if (race != none) add({begin_of(race), first, t, row});
    // What others can notice is one operation at most.
    auto shared = first;
    for (auto position = first; position < machine_.depth(); ++position) {
      if (location != none && machine_.step(position).access.location == location) shared = position;
    }
    arrive_after(shared, t, asleep);
  }
  // The steps from `first` on race with the choices before which a closed alternative would be open after them.
  [[gnu::noinline]] void race_with_choices(std::uint32_t first) {
    for (auto position = first; position < machine_.depth(); ++position) {
      const Step& step = machine_.step(position);
      for (std::size_t i = 0; i < choices_.closed().size(); ++i) {
        const auto closed = choices_.closed()[i];
        const auto row = order_.row(position);
        if (order_.ordered(closed.position, row) || !choices_.could_open(closed, step)) continue;
        if (step.block != InBlock::no) {
          add_all(closed.position);
        } else {
          add({closed.position, begin_of(position), step.process, row});
        }
      }
    }
  }
  // The closed alternatives of a thread that waits could have been taken before some writes.
  [[gnu::noinline]] void closed_alternatives_race(ThreadId t) {
    choices_.for_each_closed(t, [&](std::uint32_t alternative, const Alternative& guard) {
      std::uint32_t row = 0;
      const auto race = alternative_race(t, alternative, guard, &row);
      if (race != none) add({begin_of(race), machine_.depth(), t, row});
    });
  }
  [[nodiscard]] std::uint32_t alternative_race(ThreadId t, std::uint32_t alternative,
                                               const Alternative& guard, std::uint32_t* row = nullptr) {
    return waiting_race(
        t, guard.location, guard.op,
        [&](std::int64_t value) {
          return machine_.opens(t, machine_.block_at_guard(t, alternative), value, true);
        },
        row);
  }
  // Those that do not commute with the step.
  [[gnu::noinline]] void wake_alternatives(std::uint32_t position, bool observed) {
    const Step& step = machine_.step(position);
    if (step.resumed || step.after_choice) choices_.stepped(step.thread);
    choices_.wake([&](ThreadId t, std::uint32_t alternative) {
      const auto pending = [&] { return machine_.pending(t, alternative); };
      if (observed && machine_.is_observed(t, pending())) return false;
      return independent(t, step.access, step.thread, pending);
    });
  }

  // -- Atomic blocks.

  [[nodiscard]] std::uint32_t begin_of(std::uint32_t position) const { return order_.begin_of(position); }

  // `take` for a block.
  [[gnu::noinline]] void take_block(ProcessId process, bool waited, const Set& asleep) {
    const auto first = machine_.depth();
    if (waited) {
      find_awaited(process);
      races_of_waiting_block(process, first, order_.row_of(process));
    }
    machine_.execute(process);
    step_taken();
    continue_block(process, first, waited, asleep);
  }

  // The steps from `first` on are those of the process's newest transition, which is a block or a part of one.
  void continue_block(ProcessId process, std::uint32_t first, bool waited, const Set& asleep) {
    // A block that breaks is one that was not possible here, like one that awaits something.
    const auto begin = begin_of(first);
    if (waited || machine_.broken()) {
      accesses_.clear();
      for (auto i = begin; i < machine_.depth(); ++i) accesses_.push_back(machine_.step(i).access);
      races_of_waiting_block(process, begin, order_.row_before(begin));
    }
    if (machine_.broken()) add_all(begin);
    for (const auto earlier : order_.races()) add_all(earlier);
    Set sleep;
    if (!bounded_) {
      if (!choices_.closed().empty()) race_with_choices(first);
      choices_.stepped(process);
      choices_.wake([&](ThreadId t, std::uint32_t alternative) {
        accesses_.assign(1, machine_.pending(t, alternative));
        return accesses_commute(t, first);
      });
      asleep.for_each([&](ProcessId p) {
        if (p != process && !machine_.at_choices().contains(p) && independent_of_block(p, first))
          sleep.insert(p);
      });
    }
    arrive(sleep);
    if (machine_.in_block()) nodes_[depth_ - 1].waited = waited;
  }

  // True if the next transition of a process commutes with the steps from `first` on.
  [[nodiscard]] bool independent_of_block(ProcessId process, std::uint32_t first) {
    if (!machine_.enabled_but_for_blocks().contains(process)) return false;
    accesses_.clear();
    if (machine_.begins_block(process)) {
      machine_.for_each_in_block(process, [&](const Access& access) { accesses_.push_back(access); });
    } else {
      accesses_.push_back(machine_.pending(process));
    }
    return accesses_commute(process, first);
  }
  // The same of a transition of the process with `accesses_`.
  [[nodiscard]] bool accesses_commute(ProcessId process, std::uint32_t first) {
    const bool observed = machine_.has_invariants() &&
                          std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& access) {
                            return machine_.is_observed(process, access);
                          });
    for (auto i = first; i < machine_.depth(); ++i) {
      const Step& step = machine_.step(i);
      if (conflicts(step.access) || (observed && machine_.is_observed(step))) return false;
    }
    return true;
  }
  // With some access of `accesses_`.
  [[nodiscard]] bool conflicts(const Access& access) const {
    if (access.location == none || access.forwarded) return false;
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& other) {
      return other.location == access.location && !other.forwarded && (other.writes || access.writes);
    });
  }

  // Takes everything enabled before the step.
  void add_all(std::uint32_t position) {
    Node& node = nodes_[begin_of(position)];
    node.backtrack |= node.enabled;
  }
  // The races of a block that awaits something, with `accesses_`, and the steps before `end`. `own`: the thread's clock
  // without the block.
  void races_of_waiting_block(ThreadId t, std::uint32_t end, std::uint32_t own) {
    for (auto position = end; position > 0; --position) {
      const Step& step = machine_.step(position - 1);
      if (step.thread == t || order_.ordered(position - 1, own)) continue;
      Access access = step.access;
      access.forwarded = false;  // once the write that it reads is in memory, the load would read the block's
      if (conflicts(access)) add_all(position - 1);
    }
  }
  // Into `accesses_`: what the condition of the thread's block has looked at since the thread is there. It depends on the
  // values: with `x == 0 || y == 1`, the load of y is made only while x is not 0.
  void find_awaited(ThreadId t) {
    accesses_.clear();
    memory_ = machine_.memory();
    const auto look = [&] {
      (void)machine_.evaluate_block(
          t, [&](Location x) { return memory_[x]; },
          [&](const Access& access) {
            const bool known = std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& other) {
              return other.location == access.location && other.writes == access.writes;
            });
            if (!known) accesses_.push_back(access);
          });
    };
    look();
    for (auto position = machine_.depth(); position > 0; --position) {
      const Step& step = machine_.step(position - 1);
      if (step.thread == t && step.type != StepType::flush) break;
      if (!step.access.writes) continue;
      const Location written = step.access.location;
      memory_[written] = step.overwritten;
      // Otherwise the condition looks at what it looked at after the write.
      const bool seen = std::any_of(accesses_.begin(), accesses_.end(),
                                    [&](const Access& access) { return access.location == written; });
      if (seen) look();
    }
  }

  // True if the next transition of a process that was enabled before the step commutes with it. A thread and
  // its own buffers always commute where both were enabled: a load reads the write, buffered or flushed.
  template <typename Pending>
  [[nodiscard]] bool independent(ProcessId process, const Access& access, ThreadId thread,
                                 Pending&& pending) {
    if (access.location == none || access.forwarded) return true;
    if constexpr (Machine::has_buffers) {
      if (process < machine_.thread_count() ? process == thread
                                            : machine_.model().of_process(process).thread == thread) {
        return true;
      }
    }
    const Access other = pending();
    return other.location != access.location || other.forwarded || !(other.writes || access.writes);
  }

  // Opens the node of the state that was just reached.
  void arrive(const Set& sleep) {
    if (!machine_.failures().empty()) search_.failure(machine_);
    depth_ = machine_.depth() + 1;
    if (depth_ > nodes_.size()) nodes_.resize(depth_);
    Node& node = nodes_[depth_ - 1];
    node = Node{};
    node.sleep = sleep;
    if (!machine_.choosing().empty()) {
      node.chooser = machine_.choosing().first();
      const auto& m = machine_.threads().mailbox(node.chooser);
      node.next_value = m.value;
      node.end_value = m.expected;
      choices_.keep(machine_.depth());
      return;
    }
    node.enabled = machine_.enabled();
    if (!machine_.at_choices().empty()) [[unlikely]]
      choices_.arrive(machine_.depth(), node.sleep);
    if constexpr (Policy::stateful) {
      if (policy_.prune(*this, node.sleep)) {
        ++search_.counts.runs;
        return;
      }
    }
    const Set awake = node.enabled - node.sleep;
    if (!awake.empty()) return begin(node, awake);
    if (node.enabled.empty()) {
      search_.end(machine_);
    } else {
      ++search_.counts.runs;
      ++search_.counts.blocked_sleep_set;
    }
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      waiting_lock_races(t);
      if (machine_.at_choices().contains(t)) [[unlikely]] {
        closed_alternatives_race(t);
        continue;
      }
      if (!machine_.awaits(t) || machine_.enabled().contains(t)) continue;
      if (machine_.begins_block(t)) {
        find_awaited(t);
        races_of_waiting_block(t, machine_.depth(), order_.row_of(t));
        continue;
      }
      std::uint32_t row = 0;
      const auto race = waiting_race(t, &row);
      if (race != none) add({begin_of(race), machine_.depth(), t, row});
    }
  }

  void leave() {
    if (depth_ == 1) {
      depth_ = 0;
      return;
    }
    order_.forget();
    machine_.undo();
    depth_ = machine_.depth() + 1;
    if (!choices_.closed().empty()) [[unlikely]]
      choices_.forget(machine_.depth());
    if constexpr (Policy::stateful) policy_.gone_back(machine_.depth(), search_.counts.transitions);
  }

  void step_taken(bool waited = false) {
    order_.record(waited);
    search_.transition(machine_.depth(), [&] { return memory_used(); });
  }
  [[nodiscard]] std::uint64_t memory_used() const {
    return machine_.memory_used() + order_.memory_used() + choices_.memory_used() + policy_.memory_used() +
           nodes_.capacity() * sizeof(Node) + running_.capacity() * sizeof(Running<Set>);
  }

  // Adds to the state before the race's earlier step what lets the later one come first.
  void add(const Race& race) {
    if (!bounded_) return policy_.add(machine_, order_, nodes_[race.earlier], race);
    add_conservatively(race.earlier, race.process);
  }

  // The process, or the thread of a buffer that held nothing before this step: it has yet to store.
  [[nodiscard]] ProcessId first_to_go(std::uint32_t position, ProcessId process) {
    if constexpr (Machine::has_buffers) {
      if (process < machine_.thread_count()) return process;
      const auto& buffer = machine_.model().of_process(process);
      const auto later = std::ranges::partition_point(
          buffer.writes, [&](const auto& write) { return write.row < order_.row(position); });
      if (later == buffer.writes.begin() || std::prev(later)->flushed_at < position) return buffer.thread;
    }
    return process;
  }

  // With a preemption bound, a store buffer adds its thread, too: the store may not be buffered yet. (What a sleeping process
  // does first has been explored earlier, and is not explored here; so what has to come before that is not found.)
  void add_process(Node& node, ProcessId process) {
    if constexpr (Machine::has_buffers) {
      if (bounded_ && process >= machine_.thread_count()) {
        const ThreadId thread = machine_.model().of_process(process).thread;
        if (node.enabled.contains(thread)) node.backtrack.insert(thread);
      }
    }
    if (takes(node, process)) {
      node.backtrack.insert(process);
    } else {
      node.backtrack |= node.enabled;
    }
  }
  // Whether the process can be explored from there.
  [[nodiscard]] static bool takes(const Node& node, ProcessId process) {
    return node.enabled.contains(process) && !node.sleep.contains(process);
  }

  // With a preemption bound: the races of the step `last` with threads that wait for a mutex.
  [[gnu::noinline]] void mutexes_race(std::uint32_t last) {
    const Step& step = machine_.step(last);
    waiting_lock_races(step.thread);
    if (step.type != StepType::operation || !step.access.writes) return;
    if (step.op != Op::lock && step.op != Op::try_lock) return;
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      if (machine_.threads().mailbox(t).location == step.access.location) waiting_lock_races(t);
    }
    // Had the thread begun while the mutex was taken, it would have had to wait here.
    if (step.op != Op::lock) return;
    const auto release = order_.released(last);
    if (release != none && machine_.step(release).thread != step.thread)
      add_conservatively(release, step.process);
  }

  // For a thread that awaits something: the newest write before which it could have continued. `row`: becomes
  // its clock, which is valid until the next step is recorded.
  [[gnu::noinline]] std::uint32_t waiting_race(ThreadId t, std::uint32_t* row = nullptr) {
    const auto& m = machine_.threads().mailbox(t);
    return waiting_race(
        t, m.location, m.op, [&](std::int64_t value) { return machine_.goes_on(t, value); }, row);
  }
  template <typename GoesOn>
  [[nodiscard]] std::uint32_t waiting_race(ThreadId t, Location location, Op op, GoesOn&& goes_on,
                                           std::uint32_t* row) {
    std::uint32_t own = 0;
    const auto race = order_.waiting_race(t, location, op != Op::load, goes_on, own);
    if (row != nullptr) *row = own;
    order_.pop_row();
    return race;
  }

  // If the thread waits for a mutex: its lock races with the one that took it.
  void waiting_lock_races(ThreadId t) {
    const auto& m = machine_.threads().mailbox(t);
    if (m.op != Op::lock || machine_.memory()[m.location] == 0) return;
    std::uint32_t row = 0;
    const auto race = order_.lock_race(t, m.location, row);
    if (race != none) add({begin_of(race), machine_.depth(), t, row});
    order_.pop_row();
  }

  Machine& machine_;
  Search& search_;
  HappensBefore<Machine> order_;
  ChoicesOnPath<Machine> choices_;
  // The first depth_ are in use: one per state on the path; those inside a block mean nothing.
  std::vector<Node> nodes_;
  std::size_t depth_ = 0;
  bool bounded_;
  std::vector<Running<Set>> running_;  // with a preemption bound: by state on the path
  std::vector<Access> accesses_;       // scratch
  std::vector<std::int64_t> memory_;   // the same
  Policy policy_;
};

}  // namespace heddle::checker
