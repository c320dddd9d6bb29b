// rf: every reads-from class exactly once (paper 4, algorithm 3, RF-SMC; first for SC by Abdulla, Atig,
// Jonsson, Lang, Ngo, Sagonas, OOPSLA'19).
//
// Two executions are in one class if they have the same events in program order and every read sees the same
// write; the order of writes (coherence) does not matter. A class determines what every thread does, and so
// local states, assertions and which threads are blocked; it does not determine final memory (FinalStates).
//
// A call has a sequence of thread events (tau) whose sources are settled for now. It runs a witness of them,
// extends the run to a maximal one (line 1), and then asks for every read r that may change (line 5) which
// other writes w it could see. The new sequence is the one up to r, then w's causal past (lines 12-16); the
// verifier decides whether it is realisable (line 18). If so, it joins the schedules of r (line 21), which
// belong to the call whose extension has r. That call explores the schedules of its last read first (line
// 22). Reads in w's causal past are marked: they stay as they are, or the class would be met again from
// elsewhere. Schedules of one read differ in the causal past of the new source: its events and their sources.
//
// run.hpp has the run with its thread events and asks the verifier; nearby.hpp finds most witnesses without
// it; schedules.hpp keeps what is still to be explored; final_states.hpp judges the ends of a class.
//
// How this version differs from the paper, and why:
//   - Read-modify-writes and locks are one event here. When the source of such an event changes, so does its
//     write, and the write counts as one of the extension (line 11 asks for new writes only).
//   - Remark 1 asks for more mutations where r is a read-modify-write: let another one, u, which could read
//     what r reads, go first, and r read from u. The remark takes u's that read from r now. That is not
//     enough if u reads from another write when it first appears: by the time a mutation makes it read from
//     r, it is not a new event any more. Here every u that appears is taken, whatever it reads now, since
//     what it would write is known.
//   - A lock reads from the unlock before it, so "u first" means that r is not executed for now: its schedule
//     has u, reading what r read, in place of r. Which lock takes the mutex next after an unlock splits
//     the classes just as the source of a read does. u may be pending: the lock of a thread that waits, at
//     the end of a maximal run, for a mutex that r holds.
//   - Values of `choose` are kept as schedules, too, one after the other.
//   - The events of the paper's sequence for a mutation (line 14) and the reads-from map are the key of a
//     schedule; their order is not, since it depends on the current run.
//   - Threads wait (MachineOptions::awaits_hold): a run takes a read of an await, or before an assumption, where that does
//     not stop the thread, and the others at its end. No mutation stops a thread there with a source that an earlier event of
//     the sequence overwrites in every run. At the choice of an `either` a thread waits, too: the choice and the load that opens
//     an alternative are one read. docs/algorithms.md, "Reads-from classes", has the arguments.
//
// Every deadlock that `naive` finds is found: the events of a class decide which thread waits for which
// mutex; whether an await waits for ever depends on final memory, so all final memories of the class are
// tried.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/rf/final_states.hpp"
#include "checker/interleavings/rf/nearby.hpp"
#include "checker/interleavings/rf/races.hpp"
#include "checker/interleavings/rf/run.hpp"
#include "checker/interleavings/rf/schedules.hpp"

namespace heddle::checker {

namespace rf {

namespace {

// The search: calls, mutations, schedules.
template <Interleaving Machine>
class ReadsFrom {
 public:
  using Run = rf::Run<Machine>;

  ReadsFrom(Machine& machine, Search& search, const ClassObserver& observer)
      : search_(search),
        observer_(observer),
        run_(machine),
        realiser_(run_),
        nearby_(run_),
        final_(run_, realiser_, search),
        position_(run_.threads()),
        writes_(run_.locations()),
        accesses_(run_.locations()) {
    realiser_.watch([this] { return !may_go_on(); });
    if (has_plain_locations(search.image())) races_.emplace(run_);
  }

  void run() {
    if (!run_.machine().failures().empty()) search_.failure(run_.machine());
    calls_.emplace_back();
    depth_ = 1;
    visit();
    while (depth_ > 0 && !search_.stopped()) {
      Call& call = calls_[depth_ - 1];
      if (call.schedules.empty()) {
        --depth_;
      } else if (schedules_[call.schedules.back()].exhausted()) {
        free_schedules_.push_back(call.schedules.back());
        call.schedules.pop_back();
      } else {
        if (enter(schedules_[call.schedules.back()])) visit();
      }
    }
    search_.note_memory(memory_used());
  }

 private:
  // In a key, for the source of a lock that is not in the new sequence.
  static constexpr std::uint32_t left_out = initial_write - 1;

  struct Item {
    EventName event = 0;
    // The number of the read's schedules; `none` for other events and for marked reads.
    std::uint32_t schedules = none;
  };
  struct Call {
    std::vector<Item> sequence;                             // tau, then the thread events of the extension
    std::uint32_t extension = 0;                            // where the extension starts
    std::vector<std::uint32_t> schedules;                   // of the extension's reads and choices, in order
    EventName changed[2] = {initial_write, initial_write};  // events of tau whose write is new

    [[nodiscard]] bool is_new(std::uint32_t position) const {
      const auto event = sequence[position].event;
      return position >= extension || event == changed[0] || event == changed[1];
    }
  };

  // A new sequence (lines 12 to 17): the call's up to the read, without the read if it is not among the
  // changes, then the events of `past`, then `first`.
  struct Proposal {
    std::uint32_t position = 0;           // of the read
    std::span<const Change> changes;      // the last one is the read's, unless it is left out
    const std::uint32_t* past = nullptr;  // how many events of each thread the new source depends on
    EventName first = none;               // the event that goes before the read
  };

  // Opens the call of the next schedule: tau, and a run that is a witness of it. False if the search is stopped.
  [[nodiscard]] bool enter(Schedules& schedules) {
    schedules.take(current_);
    if (calls_.size() == depth_) calls_.emplace_back();
    Call& call = calls_[depth_++];
    const Call& owner = calls_[schedules.call()];
    const auto prefix = schedules.position() + (current_.without_read ? 0 : 1);
    call.sequence.resize(prefix + current_.tail.size());
    std::copy_n(owner.sequence.begin(), prefix, call.sequence.begin());
    std::transform(current_.tail.begin(), current_.tail.end(), call.sequence.begin() + prefix,
                   [](EventName event) {
                     return Item{event, none};
                   });
    call.extension = static_cast<std::uint32_t>(call.sequence.size());
    std::copy_n(current_.changed, 2, call.changed);
    call.schedules.clear();
    for (auto i = run_.back_to_common_start(current_.witness); i < current_.witness.size(); ++i) {
      run_.follow(current_.witness[i]);
      after_step();
      if (search_.stopped()) return false;
    }
    return true;
  }

  void after_step() {
    search_.transition(run_.machine().depth(), [&] { return memory_used(); });
    if (!run_.machine().failures().empty()) search_.failure(run_.machine());
  }

  [[nodiscard]] bool may_go_on() {
    return search_.may_go_on(run_.machine().depth(), [&] { return memory_used(); });
  }

  // Makes the run maximal, counts its class, and proposes its mutations.
  void visit() {
    while (!search_.stopped() && run_.extend()) after_step();
    if (search_.stopped()) return;
    finish();
    if (search_.stopped()) return;
    Call& call = calls_[depth_ - 1];
    complete_sequence(call);
    propose(call);
  }

  // Appends the events of the extension.
  void complete_sequence(Call& call) {
    for (ThreadId t = 0; t < run_.threads(); ++t) position_[t].assign(run_.events(t).size(), none);
    for (std::uint32_t i = 0; i < call.extension; ++i) position_of(call.sequence[i].event) = i;
    for (const auto event : run_.sequence()) {
      if (position_of(event) != none) continue;
      position_of(event) = static_cast<std::uint32_t>(call.sequence.size());
      call.sequence.push_back({event, none});
    }
  }
  std::uint32_t& position_of(EventName event) { return position_[thread_of(event)][index_of(event)]; }

  // Counts and judges the class of the maximal run.
  void finish() {
    ++search_.counts.runs;
    auto& machine = run_.machine();
    search_.counts.max_depth = std::max<std::uint64_t>(search_.counts.max_depth, machine.depth());
    if (races_) races_->judge(search_);
    const RunEnd end = machine.end();
    if (observer_) observer_({run_.events(), machine.threads(), end.ending});
    if (only_daemons_wait()) {
      if (!final_.complete_with_daemons()) search_.blocked(none, Op::await_failed, none);
      return;
    }
    switch (end.ending) {
      case Ending::complete: final_.complete(); break;
      case Ending::blocked_assume:
      case Ending::blocked_loop_bound: search_.blocked(end.thread, end.op, end.site); break;
      case Ending::blocked_await:
      case Ending::deadlock: {
        const auto waiting = final_.waiting();
        if (waiting.deadlock) search_.note(Search::deadlock_of(machine), [&] { return *waiting.deadlock; });
        if (waiting.too_early != none) {
          const auto& m = machine.threads().mailbox(waiting.too_early);
          search_.blocked(waiting.too_early, m.op, m.site);
        }
        break;
      }
      case Ending::violation: break;
    }
  }

  // Some do, and all other threads have ended.
  [[nodiscard]] bool only_daemons_wait() const {
    const auto& machine = run_.machine();
    bool any = false;
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      const Op op = machine.threads().mailbox(t).op;
      if (op == Op::done) continue;
      any = machine.image().threads[t].is_daemon && (op == Op::await_failed || op == Op::lock);
      if (!any) return false;
    }
    return any;
  }

  // Sorts the events of the sequence by location.
  void collect_accesses(const Call& call) {
    for (const auto location : touched_) {
      writes_[location].clear();
      accesses_[location].clear();
    }
    touched_.clear();
    scratch_memory_ = 0;
    for (std::uint32_t i = 0; i < call.sequence.size(); ++i) {
      const auto name = call.sequence[i].event;
      const auto& event = run_.event(name);
      if (!event.reads() && !event.writes()) continue;
      auto& accesses = accesses_[event.location];
      if (accesses.empty()) touched_.push_back(event.location);
      accesses.push_back(name);
      // What could be a source, or could go before a lock.
      if (event.op != Op::load) writes_[event.location].push_back(i);
    }
    for (const auto location : touched_) {
      auto& writes = writes_[location];
      std::sort(writes.begin(), writes.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(thread_of(call.sequence[a].event), a) <
               std::pair(thread_of(call.sequence[b].event), b);
      });
      scratch_memory_ += (writes.capacity() + accesses_[location].capacity()) * sizeof(std::uint32_t);
    }
  }

  // All mutations of the call (algorithm 3, lines 5 to 21).
  void propose(Call& call) {
    collect_accesses(call);
    before_.assign(run_.threads(), 0);
    for (std::uint32_t i = 0; i < call.sequence.size() && !search_.stopped(); ++i) {
      const auto name = call.sequence[i].event;
      const auto& event = run_.event(name);
      ++before_[thread_of(name)];
      if (event.chooses()) {
        if (event.alternatives == none) {
          if (i >= call.extension && !event.continues_choice) propose_choices(call, i);
          continue;
        }
        if (i >= call.extension) open_alternatives(call, i);
        if (call.sequence[i].schedules != none) propose_alternatives(call, i);
        continue;
      }
      if (!event.reads() || run_.opens_alternative(name)) continue;  // (Its choice is mutated instead.)
      if (i >= call.extension) call.sequence[i].schedules = open_schedules(call, i);
      if (call.sequence[i].schedules != none) propose_changes(call, i);
    }
  }

  std::uint32_t open_schedules(Call& call, std::uint32_t position) {
    if (free_schedules_.empty()) {
      free_schedules_.push_back(static_cast<std::uint32_t>(schedules_.size()));
      schedules_.emplace_back();
    }
    const auto number = free_schedules_.back();
    free_schedules_.pop_back();
    schedules_[number].open(depth_ - 1, position);
    call.schedules.push_back(number);
    return number;
  }

  // The further values of a `choose`.
  void propose_choices(Call& call, std::uint32_t position) {
    const auto name = call.sequence[position].event;
    const auto& event = run_.event(name);
    if (event.read + 1 >= event.expected) return;
    choose_last(thread_of(name), event.read + 1);
    add_to(schedules_[open_schedules(call, position)],
           [&](Schedules& to) { to.add_choices(mutation_, event.expected); });
  }

  // Opens the schedules of a choice at which the thread waited; they know the alternative that this call takes.
  void open_alternatives(Call& call, std::uint32_t position) {
    const auto name = call.sequence[position].event;
    const std::uint32_t number = open_schedules(call, position);
    call.sequence[position].schedules = number;
    const auto& alternatives = run_.alternatives(run_.event(name));
    for (std::uint32_t i = 0; i < alternatives.size(); ++i) {
      if (!run_.takes(name, alternatives[i])) continue;
      key_.assign(1, i);
      if (Run::waits_for_load(alternatives[i])) {
        const Change own{.event = name, .source = run_.event(Run::guard_of(name, alternatives[i])).source};
        set_alternative_key({.position = position, .changes = {&own, 1}, .past = past_of(own.source)}, name,
                            i);
      }
      add_to(schedules_[number], [&](Schedules& to) { to.add_own(key_); });
    }
  }
  // Proposes the mutations of the choice. An alternative that waits for a load is proposed with each write that lets the thread pass
  // its guard, and the first one, in which a thread waits for ever (last_look.hpp), also with the writes that stop it. Any other
  // alternative is proposed once, and its guard may read anything.
  void propose_alternatives(const Call& call, std::uint32_t position) {
    const auto name = call.sequence[position].event;
    const bool in_extension = position >= call.extension;
    const auto& alternatives = run_.alternatives(run_.event(name));
    for (std::uint32_t i = 0; i < alternatives.size() && may_propose(); ++i) {
      const Alternative& it = alternatives[i];
      const bool may_stop = i == 0 && may_wait_for_ever(call, position);
      if (it.kind == Alternative::Kind::closed) {
        if (may_stop) propose_any_source(call, position, i);
      } else if (!Run::waits_for_load(it)) {
        if (in_extension) propose_any_source(call, position, i);
      } else {
        for_each_source(call, position, it.location, [&](EventName write, bool is_new) {
          if (!is_new && !may_stop) return;
          const bool opens = run_.opens(name, i, run_.value_of(write, it.location));
          if (opens ? is_new : may_stop && !is_overwritten_before(call, position, it.location, write))
            propose_alternative(call, position, i, write);
        });
      }
    }
  }
  // Whether all alternatives of the choice could be closed in the end.
  [[nodiscard]] bool may_wait_for_ever(const Call& call, std::uint32_t position) {
    const auto name = call.sequence[position].event;
    const auto& alternatives = run_.alternatives(run_.event(name));
    for (std::uint32_t i = 0; i < alternatives.size(); ++i) {
      const Alternative& it = alternatives[i];
      if (it.kind == Alternative::Kind::closed) continue;
      bool closes = false;
      if (it.kind == Alternative::Kind::guarded) {
        for_each_source(call, position, it.location, [&](EventName write, bool /*is_new*/) {
          closes = closes || (!run_.opens(name, i, run_.value_of(write, it.location)) &&
                              !is_overwritten_before(call, position, it.location, write));
        });
      }
      if (!closes) return false;
    }
    return true;
  }
  // Visits every write that the guard of an alternative could see, and says whether it is new: no call before this one could propose it.
  template <typename Visit>
  void for_each_source(const Call& call, std::uint32_t position, Location location, Visit&& visit) {
    const bool in_extension = position >= call.extension;
    visit(initial_write, in_extension);
    for_each_candidate(call, call.sequence[position].event, location, 0, [&](std::uint32_t at) {
      const auto write = call.sequence[at].event;
      if (run_.event(write).writes()) visit(write, in_extension || (at >= position && call.is_new(at)));
    });
  }
  void propose_any_source(const Call& call, std::uint32_t position, std::uint32_t alternative) {
    const auto name = call.sequence[position].event;
    const auto& choices = run_.alternatives(run_.event(name))[alternative].choices;
    key_.assign(1, alternative);
    auto& schedules = schedules_[call.sequence[position].schedules];
    if (schedules.knows(key_)) return;
    choose_last(thread_of(name), choices.front());
    for (std::size_t i = 1; i < choices.size(); ++i)
      mutation_.witness.push_back({.type = StepType::choice, .thread = thread_of(name), .value = choices[i]});
    add_to(schedules, [&](Schedules& to) { to.add(key_, mutation_); });
  }
  // The thread takes the alternative, and its guard reads from `write`. For the witness, the choice itself is that read.
  void propose_alternative(const Call& call, std::uint32_t position, std::uint32_t alternative,
                           EventName write) {
    const auto name = call.sequence[position].event;
    const Alternative& it = run_.alternatives(run_.event(name))[alternative];
    const auto* const past = past_of(write);
    if (past != nullptr && past[thread_of(name)] > index_of(name)) return;  // the write depends on the choice
    const Change change{
        .event = name, .effect = consistency::Effect::load, .location = it.location, .source = write};
    const Proposal proposal{.position = position, .changes = {&change, 1}, .past = past};
    set_alternative_key(proposal, name, alternative);
    auto& schedules = schedules_[call.sequence[position].schedules];
    if (schedules.knows(key_) || !realise(proposal.changes)) return;
    std::fill_n(mutation_.changed, 2, initial_write);
    set_tail(call, proposal);
    for (EventName later = name + 1; later <= Run::guard_of(name, it); ++later)
      mutation_.tail.push_back(later);
    insert_alternative(thread_of(name), it);
    add_to(schedules, [&](Schedules& to) { to.add(key_, mutation_); });
  }
  void set_alternative_key(const Proposal& proposal, EventName choice, std::uint32_t alternative) {
    mutation_.without_read = false;
    set_kept_and_key(proposal, choice);
    key_.push_back(alternative);
  }
  // In the witness, the last step of the thread becomes the alternative, up to the operation of its guard.
  void insert_alternative(ThreadId thread, const Alternative& alternative) {
    auto& steps = mutation_.witness;
    const auto last = std::find_if(steps.rbegin(), steps.rend(), [&](const Choice& step) {
      return step.type != StepType::flush && step.thread == thread;
    });
    auto place = steps.erase(last.base() - 1);
    std::vector<Choice> taken;
    for (const std::int64_t value : alternative.choices)
      taken.push_back({.type = StepType::choice, .thread = thread, .value = value});
    taken.insert(taken.end(), alternative.own_loads + 1, {.type = StepType::operation, .thread = thread});
    steps.insert(place, taken.begin(), taken.end());
  }

  // Sets `mutation_` to the run up to the choice that is the newest event of its thread so far, with this value. (It may as well
  // come last.)
  void choose_last(ThreadId thread, std::int64_t value) {
    nearby_.part(before_, mutation_.witness);
    auto& steps = mutation_.witness;
    const auto choice = std::find_if(steps.rbegin(), steps.rend(), [&](const Choice& step) {
      return step.type == StepType::choice && step.thread == thread;
    });
    std::rotate(choice.base() - 1, choice.base(), steps.end());
    steps.back().value = value;
    mutation_.without_read = false;
    std::fill_n(mutation_.changed, 2, initial_write);
    mutation_.tail.clear();
  }
  template <typename Add>
  void add_to(Schedules& schedules, Add&& add) {
    schedules_memory_ -= schedules.memory_used();
    add(schedules);
    schedules_memory_ += schedules.memory_used();
  }

  // The changes of the read at this place in the sequence: to another source (lines 6 to 11), and to another
  // read-modify-write that goes first (remark 1).
  void propose_changes(const Call& call, std::uint32_t position) {
    const auto read = call.sequence[position].event;
    const auto& event = run_.event(read);
    const bool in_extension = position >= call.extension;
    const bool locks = event.op == Op::lock;
    if (in_extension && !locks && event.source != initial_write)
      propose_source(call, position, initial_write);
    for_each_candidate(call, read, event.location, in_extension ? 0 : position, [&](std::uint32_t at) {
      const auto other = call.sequence[at].event;
      if (other == read || (!in_extension && !call.is_new(at))) return;
      if (!locks && run_.event(other).writes() && other != event.source)
        propose_source(call, position, other);
      if (event.writes() && at > position) propose_other_first(call, position, other);
    });
    if (event.op != Op::lock && event.op != Op::try_lock) return;
    for (ThreadId t = 0; event.writes() && t < run_.threads(); ++t) {
      const auto& m = run_.machine().threads().mailbox(t);
      if (m.op == Op::lock && m.location == event.location)
        propose_other_first(call, position, name_of(t, static_cast<std::uint32_t>(run_.events(t).size())));
    }
  }

  // Visits the places in the sequence, from `first` on, of the location's writes that the read (or the guard after a choice) might
  // see or that might go first: of each thread those between the newest one that the read must see overwritten and
  // the first one that depends on the read. The others are impossible, and in a thread with many accesses of
  // its own they are nearly all.
  template <typename Visit>
  void for_each_candidate(const Call& call, EventName read, Location location, std::uint32_t first,
                          Visit&& visit) {
    const auto& writes = writes_[location];
    const auto reader = thread_of(read);
    const auto* const past = index_of(read) > 0 ? run_.clock(read - 1) : nullptr;
    const auto event_at = [&](std::uint32_t at) { return call.sequence[at].event; };
    for (auto begin = writes.begin(); begin != writes.end();) {
      const auto writer = thread_of(event_at(*begin));
      const auto end = std::partition_point(
          begin, writes.end(), [&](std::uint32_t at) { return thread_of(event_at(at)) == writer; });
      auto low = std::lower_bound(begin, end, first);
      if (past != nullptr && (Run::model != consistency::Model::pso || writer == reader)) {
        const auto seen = std::partition_point(
            low, end, [&](std::uint32_t at) { return index_of(event_at(at)) < past[writer]; });
        // Failed read-modify-writes overwrite nothing.
        auto newest = seen;
        while (newest != low && !run_.event(event_at(*(newest - 1))).writes()) --newest;
        if (newest != low) low = newest - 1;
      }
      // An event that goes first may see something else than now, so only what is before it counts.
      const auto high = std::partition_point(low, end, [&](std::uint32_t at) {
        const auto other = event_at(at);
        if (writer == reader) return index_of(other) <= index_of(read);
        return index_of(other) == 0 || run_.clock(other - 1)[reader] <= index_of(read);
      });
      for (auto at = low; at != high && may_propose(); ++at) visit(*at);
      begin = end;
    }
  }
  // To be asked before each proposal.
  [[nodiscard]] bool may_propose() {
    constexpr std::uint32_t enough = 1U << 14;
    work_ += 1 + run_.machine().depth();
    if (work_ < enough) return !search_.stopped();
    work_ = 0;
    return may_go_on();
  }

  // The read sees `write` instead.
  void propose_source(const Call& call, std::uint32_t position, EventName write) {
    const auto read = call.sequence[position].event;
    const auto& event = run_.event(read);
    const auto* const past = past_of(write);
    if (past != nullptr && past[thread_of(read)] > index_of(read)) return;  // the write depends on the read
    // (The thread would wait for nothing.)
    if (run_.would_stop(read, run_.value_of(write, event.location)) &&
        is_overwritten_before(call, position, event.location, write))
      return;
    const auto change = changed(read, event, write, run_.value_of(write, event.location));
    propose_mutation(call, {.position = position, .changes = {&change, 1}, .past = past});
  }

  // Of a new source: how many events of each thread it depends on, itself included; null if there are none.
  [[nodiscard]] const std::uint32_t* past_of(EventName write) const {
    return write == initial_write ? nullptr : run_.clock(write);
  }
  // Whether some write in front of this place in the sequence comes after `write` in every run that has both.
  [[nodiscard]] bool is_overwritten_before(const Call& call, std::uint32_t position, Location location,
                                           EventName write) const {
    const auto& writes = writes_[location];
    const auto event_at = [&](std::uint32_t at) { return call.sequence[at].event; };
    for (auto begin = writes.begin(); begin != writes.end();) {
      const auto writer = thread_of(event_at(*begin));
      const auto end = std::partition_point(
          begin, writes.end(), [&](std::uint32_t at) { return thread_of(event_at(at)) == writer; });
      auto newest = std::lower_bound(begin, end, position);
      while (newest != begin && !run_.event(event_at(*(newest - 1))).writes()) --newest;
      if (newest != begin && run_.comes_before(write, event_at(*(newest - 1)))) return true;
      begin = end;
    }
    return false;
  }

  // The read r is a lock or read-modify-write. `other`, which could read what r reads, goes first: r then
  // reads from `other`, or, being a lock, is left out.
  void propose_other_first(const Call& call, std::uint32_t position, EventName other) {
    const auto read = call.sequence[position].event;
    const auto& event = run_.event(read);
    if (thread_of(other) == thread_of(read)) return;
    const bool pending = index_of(other) == run_.events(thread_of(other)).size();  // a lock that waits
    const auto first = pending ? RunEvent{.op = Op::lock} : run_.event(other);
    if (first.op == Op::store || first.op == Op::unlock) return;
    const auto effect = effect_of_reading(first.op, run_.value_of(event.source, event.location),
                                          first.operand, first.expected, thread_of(other));
    if (!effect.writes) return;
    collect_past(other, event.source);
    if (past_[thread_of(read)] > index_of(read) || past_[thread_of(other)] > index_of(other)) return;
    Change changes[2] = {{.event = other,
                          .effect = consistency::Effect::read_modify_write,
                          .location = event.location,
                          .source = event.source},
                         {}};
    const bool without_read = event.op == Op::lock;
    if (!without_read) changes[1] = changed(read, event, other, effect.written);
    propose_mutation(call, {.position = position,
                            .changes = {changes, without_read ? 1U : 2U},
                            .past = past_.data(),
                            .first = other});
  }

  // Sets `past_` to the causal past of `event`, itself not included, once it reads from `source`.
  void collect_past(EventName event, EventName source) {
    past_.assign(run_.threads(), 0);
    const auto join = [&](EventName before) {
      const auto* const clock = run_.clock(before);
      for (ThreadId t = 0; t < run_.threads(); ++t) past_[t] = std::max(past_[t], clock[t]);
    };
    if (index_of(event) > 0) join(event - 1);
    if (source != initial_write) join(source);
  }

  // The read as it is once it sees `value`, which `source` writes.
  static Change changed(EventName read, const RunEvent& event, EventName source, std::int64_t value) {
    using consistency::Effect;
    auto effect = Effect::load;
    if (event.op != Op::load)
      effect = would_write(event.op, event.expected, value) ? Effect::read_modify_write : Effect::locked_load;
    return {.event = read, .effect = effect, .location = event.location, .source = source};
  }

  // Adds the mutation to the schedules of its read, unless they know it or it is not realisable (lines 18 to
  // 21).
  void propose_mutation(const Call& call, const Proposal& proposal) {
    const auto [position, changes, past, first] = proposal;
    auto& schedules = schedules_[call.sequence[position].schedules];
    mutation_.without_read = changes.back().event != call.sequence[position].event;
    set_kept_and_key(proposal, call.sequence[position].event);
    if (schedules.knows(key_) || !realise(changes)) return;
    std::fill_n(mutation_.changed, 2, initial_write);
    for (std::size_t i = 0; i < changes.size(); ++i) mutation_.changed[i] = changes[i].event;
    set_tail(call, proposal);
    if (first != none) mutation_.tail.push_back(first);
    add_to(schedules, [&](Schedules& to) { to.add(key_, mutation_); });
  }

  // What of the proposal's past is not in front of the read.
  void set_tail(const Call& call, const Proposal& proposal) {
    mutation_.tail.clear();
    const auto* const past = proposal.past;
    for (auto i = proposal.position + 1; past != nullptr && i < call.sequence.size(); ++i) {
      const auto event = call.sequence[i].event;
      if (event != proposal.first && index_of(event) < past[thread_of(event)])
        mutation_.tail.push_back(event);
    }
  }

  // How many events of each thread the new sequence has (`kept_`), and what tells it from other mutations of
  // the read (`key_`): the new source, and of each thread the events that join the prefix, with what they
  // read or choose.
  void set_kept_and_key(const Proposal& proposal, EventName read) {
    kept_ = before_;
    if (mutation_.without_read) --kept_[thread_of(read)];
    key_.clear();
    key_.push_back(mutation_.without_read ? left_out : proposal.changes.back().source);
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      const auto prefix = kept_[t];
      if (proposal.past != nullptr) kept_[t] = std::max(prefix, proposal.past[t]);
      const auto& events = run_.events(t);
      for (auto i = prefix; i < kept_[t]; ++i) {
        if (events[i].reads()) key_.push_back(events[i].source);
        if (!events[i].chooses()) continue;
        key_.push_back(static_cast<std::uint32_t>(events[i].read));
        key_.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(events[i].read) >> 32));
      }
      if (proposal.first != none && thread_of(proposal.first) == t) {
        ++kept_[t];
        key_.push_back(proposal.changes.front().source);
      }
      key_.push_back(kept_[t]);
    }
  }

  // Finds a witness of the kept events with the changes; false if there is none.
  [[nodiscard]] bool realise(std::span<const Change> changes) {
    switch (nearby_.find(kept_, changes, accesses_[changes.front().location])) {
      case Nearby::impossible: return false;
      case Nearby::found: nearby_.witness(mutation_.witness); return true;
      case Nearby::unknown: break;
    }
    if (!realiser_.realisable(kept_, changes)) return false;
    realiser_.witness(mutation_.witness);
    return true;
  }

  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t bytes = run_.machine().memory_used() + run_.memory_used() + realiser_.memory_used() +
                          final_.memory_used() + schedules_memory_ +
                          schedules_.capacity() * sizeof(Schedules) + calls_.capacity() * sizeof(Call) +
                          scratch_memory_;
    for (const auto& call : calls_)
      bytes += call.sequence.capacity() * sizeof(Item) + call.schedules.capacity() * sizeof(std::uint32_t);
    for (const auto& positions : position_) bytes += positions.capacity() * sizeof(std::uint32_t);
    for (const auto* mutation : {&current_, &mutation_})
      bytes += mutation->tail.capacity() * sizeof(EventName) + mutation->witness.capacity() * sizeof(Choice);
    return bytes;
  }

  Search& search_;
  const ClassObserver& observer_;
  Run run_;
  Realiser<Run> realiser_;
  NearbyWitness<Run> nearby_;
  FinalStates<Run> final_;
  std::optional<ClassRaces<Run>> races_;  // if the program has plain locations
  std::vector<Call> calls_;               // the first depth_ are open
  std::uint32_t depth_ = 0;
  std::vector<Schedules> schedules_;           // by number
  std::vector<std::uint32_t> free_schedules_;  // numbers
  std::uint64_t schedules_memory_ = 0;         // bytes
  // Scratch of one call.
  std::vector<std::vector<std::uint32_t>> position_;  // by thread and index: place in the sequence
  std::vector<std::vector<std::uint32_t>> writes_;    // by location: places of what might be a source, sorted
                                                      // by thread, then in program order
  std::vector<std::vector<EventName>> accesses_;      // by location: its reads and writes
  std::vector<Location> touched_;
  std::vector<std::uint32_t> before_, kept_, past_, key_;
  Mutation current_;   // being explored
  Mutation mutation_;  // being proposed
  std::uint64_t scratch_memory_ = 0;
  std::uint32_t work_ = 0;  // steps of proposals since the last look at the clock
};

}  // namespace

void run(Search& search, const ClassObserver& observer) {
  explore_choosing(search, waiting_options(search), [&]<Interleaving Machine>(Machine& machine) {
    if constexpr (consistency::find_model(Machine::Model::name)) {
      ReadsFrom<Machine>(machine, search, observer).run();
    } else {
      throw NoImplementation(Machine::Model::name);
    }
  });
}

}  // namespace rf

void run_rf(Search& search) { rf::run(search, {}); }

}  // namespace heddle::checker
