// The search of `rf`: calls, mutations, schedules. What it does and why it is complete stands in rf.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "checker/interleavings/rf/rf_final.hpp"
#include "checker/interleavings/rf/rf_instance.hpp"
#include "checker/interleavings/rf/rf_nearby.hpp"
#include "checker/interleavings/rf/rf_run.hpp"
#include "checker/interleavings/rf/rf_schedules.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker::rf {

template <typename Machine>
class ReadsFrom {
 public:
  using Run = rf::Run<Machine>;
  // Called at the end of every maximal run, which is the only one of its class.
  using Observer = std::function<void(Run&, Ending)>;

  ReadsFrom(Machine& machine, Search& search, Observer observer = {})
      : search_(search),
        observer_(std::move(observer)),
        run_(machine),
        realiser_(run_),
        nearby_(run_),
        final_(run_, realiser_, search),
        position_(run_.threads()),
        writes_(run_.locations()),
        accesses_(run_.locations()) {
    realiser_.watch([this] { return !may_go_on(); });
  }

  void run() {
    if (!run_.machine().failures().empty()) search_.failure(run_.machine());
    calls_.emplace_back();
    depth_ = 1;
    visit();
    while (depth_ > 0 && !search_.stopped()) {
      Call& call = calls_[depth_ - 1];
      if (call.sets.empty()) {
        --depth_;
      } else if (sets_[call.sets.back()].exhausted()) {
        free_sets_.push_back(call.sets.back());
        call.sets.pop_back();
      } else {
        if (enter(call.sets.back())) visit();
      }
    }
    search_.note_memory(memory_used());
  }

 private:
  // In a key, for the source of a lock that is not in the new sequence.
  static constexpr std::uint32_t left_out = initial_write - 1;

  struct Item {
    Ref ref = 0;
    // The set of the read's schedules; `none` for other events and for marked reads.
    std::uint32_t set = none;
  };
  struct Call {
    std::vector<Item> sequence;                       // tau, then the thread events of the extension
    std::uint32_t extension = 0;                      // where the extension starts
    std::vector<std::uint32_t> sets;                  // of the extension's reads and choices, in order
    Ref changed[2] = {initial_write, initial_write};  // events of tau whose write is new

    [[nodiscard]] bool is_new(std::uint32_t position) const {
      const auto ref = sequence[position].ref;
      return position >= extension || ref == changed[0] || ref == changed[1];
    }
  };

  // Opens the call of the next schedule of the set: tau, and a run that is a witness of it. False if nothing
  // can come of it.
  [[nodiscard]] bool enter(std::uint32_t set_number) {
    auto& set = sets_[set_number];
    set.take(schedule_);
    if (calls_.size() == depth_) calls_.emplace_back();
    Call& call = calls_[depth_++];
    const Call& owner = calls_[set.call()];
    const auto prefix = set.position() + (schedule_.without_read ? 0 : 1);
    call.sequence.resize(prefix + schedule_.tail.size());
    std::copy_n(owner.sequence.begin(), prefix, call.sequence.begin());
    std::transform(schedule_.tail.begin(), schedule_.tail.end(), call.sequence.begin() + prefix, [](Ref ref) {
      return Item{ref, none};
    });
    call.extension = static_cast<std::uint32_t>(call.sequence.size());
    std::copy_n(schedule_.changed, 2, call.changed);
    call.sets.clear();
    for (auto i = run_.back_to_common_start(schedule_.witness); i < schedule_.witness.size(); ++i) {
      run_.follow(schedule_.witness[i]);
      after_step();
      if (search_.stopped()) return false;
    }
    if (schedule_.without_read || !in_vain(call.sequence[set.position()].ref)) return true;
    --depth_;
    return false;
  }

  // Does the changed read stop its thread at once, which could have waited? See rf.cpp.
  [[nodiscard]] bool in_vain(Ref read) {
    const auto thread = thread_of(read);
    const auto& event = run_.event(read);
    if (run_.events(thread).size() != 1 || !event.reads() || event.writes()) return false;
    const auto& m = run_.machine().threads().mailbox(thread);
    if (m.op != Op::assume_failed && (m.op != Op::await_failed || event.source != initial_write))
      return false;
    search_.blocked(thread, m.op, m.site);
    ++search_.counts.runs;
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

  void complete_sequence(Call& call) {
    for (ThreadId t = 0; t < run_.threads(); ++t) position_[t].assign(run_.events(t).size(), none);
    for (std::uint32_t i = 0; i < call.extension; ++i) place(call.sequence[i].ref, i);
    for (const auto ref : run_.sequence()) {
      if (position_[thread_of(ref)][index_of(ref)] != none) continue;
      place(ref, static_cast<std::uint32_t>(call.sequence.size()));
      call.sequence.push_back({ref, none});
    }
  }
  void place(Ref ref, std::uint32_t position) { position_[thread_of(ref)][index_of(ref)] = position; }

  void finish() {
    ++search_.counts.runs;
    auto& machine = run_.machine();
    search_.counts.max_depth = std::max<std::uint64_t>(search_.counts.max_depth, machine.depth());
    const RunEnd end = machine.end();
    if (observer_) observer_(run_, end.ending);
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

  void collect_accesses(const Call& call) {
    for (const auto location : touched_) {
      writes_[location].clear();
      accesses_[location].clear();
    }
    touched_.clear();
    scratch_memory_ = 0;
    for (std::uint32_t i = 0; i < call.sequence.size(); ++i) {
      const auto ref = call.sequence[i].ref;
      const auto& event = run_.event(ref);
      if (!event.reads() && !event.writes()) continue;
      auto& accesses = accesses_[event.location];
      if (accesses.empty()) touched_.push_back(event.location);
      accesses.push_back(ref);
      // What could be a source, or could go before a lock.
      if (event.op != Op::load) writes_[event.location].push_back(i);
    }
    for (const auto location : touched_) {
      auto& writes = writes_[location];
      std::sort(writes.begin(), writes.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(thread_of(call.sequence[a].ref), a) < std::pair(thread_of(call.sequence[b].ref), b);
      });
      scratch_memory_ += (writes.capacity() + accesses_[location].capacity()) * sizeof(std::uint32_t);
    }
  }

  // All mutations of the call (algorithm 3, lines 5 to 21).
  void propose(Call& call) {
    collect_accesses(call);
    before_.assign(run_.threads(), 0);
    for (std::uint32_t i = 0; i < call.sequence.size() && !search_.stopped(); ++i) {
      const auto ref = call.sequence[i].ref;
      const auto& event = run_.event(ref);
      ++before_[thread_of(ref)];
      if (event.chooses()) {
        if (i >= call.extension) propose_choices(call, i);
        continue;
      }
      if (!event.reads()) continue;
      if (i >= call.extension) call.sequence[i].set = open_set(call, i);
      if (call.sequence[i].set != none) propose_sources(call, i);
    }
  }

  std::uint32_t open_set(Call& call, std::uint32_t position) {
    if (free_sets_.empty()) {
      free_sets_.push_back(static_cast<std::uint32_t>(sets_.size()));
      sets_.emplace_back();
    }
    const auto set = free_sets_.back();
    free_sets_.pop_back();
    sets_[set].open(depth_ - 1, position);
    call.sets.push_back(set);
    return set;
  }

  void propose_choices(Call& call, std::uint32_t position) {
    const auto ref = call.sequence[position].ref;
    const auto& event = run_.event(ref);
    if (event.read + 1 >= event.expected) return;
    nearby_.part(before_, proposal_.witness);
    // The choice is the newest event of its thread, so it may as well come last.
    auto& steps = proposal_.witness;
    const auto choice = std::find_if(steps.rbegin(), steps.rend(), [&](const Choice& step) {
      return step.type == StepType::choice && step.thread == thread_of(ref);
    });
    std::rotate(choice.base() - 1, choice.base(), steps.end());
    steps.back().value = event.read + 1;
    proposal_.without_read = false;
    std::fill_n(proposal_.changed, 2, initial_write);
    proposal_.tail.clear();
    add_to(sets_[open_set(call, position)],
           [&](ScheduleSet& set) { set.add_choices(proposal_, event.expected); });
  }
  template <typename Add>
  void add_to(ScheduleSet& set, Add&& add) {
    set_memory_ -= set.memory_used();
    add(set);
    set_memory_ += set.memory_used();
  }

  void propose_sources(const Call& call, std::uint32_t position) {
    const auto read = call.sequence[position].ref;
    const auto& event = run_.event(read);
    const bool in_extension = position >= call.extension;
    const bool locks = event.op == Op::lock;
    if (in_extension && !locks && event.source != initial_write)
      propose_source(call, position, initial_write);
    for_each_candidate(call, read, in_extension ? 0 : position, [&](std::uint32_t at) {
      const auto other = call.sequence[at].ref;
      if (other == read || (!in_extension && !call.is_new(at))) return;
      if (!locks && run_.event(other).writes() && other != event.source)
        propose_source(call, position, other);
      if (event.writes() && at > position) propose_other_first(call, position, other);
    });
    if (event.op != Op::lock && event.op != Op::try_lock) return;
    for (ThreadId t = 0; event.writes() && t < run_.threads(); ++t) {
      const auto& m = run_.machine().threads().mailbox(t);
      if (m.op != Op::lock || m.location != event.location) continue;
      propose_other_first(call, position, make_ref(t, static_cast<std::uint32_t>(run_.events(t).size())));
    }
  }

  // Visits the places in the sequence, from `first` on, of the location's writes that the read might see or
  // that might go first: of each thread those between the newest one that the read must see overwritten and
  // the first one that depends on the read. The others are impossible, and in a thread with many accesses of
  // its own they are nearly all.
  template <typename Visit>
  void for_each_candidate(const Call& call, Ref read, std::uint32_t first, Visit&& visit) {
    const auto& writes = writes_[run_.event(read).location];
    const auto reader = thread_of(read);
    const auto* const past = index_of(read) > 0 ? run_.clock(read - 1) : nullptr;
    const auto ref_at = [&](std::uint32_t at) { return call.sequence[at].ref; };
    for (auto begin = writes.begin(); begin != writes.end();) {
      const auto writer = thread_of(ref_at(*begin));
      const auto end = std::partition_point(
          begin, writes.end(), [&](std::uint32_t at) { return thread_of(ref_at(at)) == writer; });
      auto low = std::lower_bound(begin, end, first);
      if (past != nullptr && (Run::model != consistency::Model::pso || writer == reader)) {
        const auto seen = std::partition_point(
            low, end, [&](std::uint32_t at) { return index_of(ref_at(at)) < past[writer]; });
        // Failed read-modify-writes overwrite nothing.
        auto newest = seen;
        while (newest != low && !run_.event(ref_at(*(newest - 1))).writes()) --newest;
        if (newest != low) low = newest - 1;
      }
      // What goes first may see something else than now, so only what is before it counts.
      const auto high = std::partition_point(low, end, [&](std::uint32_t at) {
        const auto ref = ref_at(at);
        if (writer == reader) return index_of(ref) <= index_of(read);
        return index_of(ref) == 0 || run_.clock(ref - 1)[reader] <= index_of(read);
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
  void propose_source(const Call& call, std::uint32_t position, Ref write) {
    const auto read = call.sequence[position].ref;
    const auto& event = run_.event(read);
    Change change{.ref = read,
                  .effect = changed_effect(event, run_.value_of(write, event.location)),
                  .location = event.location,
                  .source = write};
    const std::uint32_t* past = nullptr;
    if (write != initial_write) {
      past = run_.clock(write);
      if (past[thread_of(read)] > index_of(read)) return;  // the write depends on the read
    }
    propose_change(call, position, past, {&change, 1}, initial_write);
  }

  // The read r is a lock or read-modify-write. `other`, which may read what r reads, goes before it: r then
  // reads from `other`, or, a lock, is left out.
  void propose_other_first(const Call& call, std::uint32_t position, Ref other) {
    const auto read = call.sequence[position].ref;
    const auto& event = run_.event(read);
    const auto thread = thread_of(other);
    const bool pending = index_of(other) == run_.events(thread).size();
    const auto seen = run_.value_of(event.source, event.location);
    RunEvent first{.op = Op::lock, .location = event.location};
    if (!pending) first = run_.event(other);
    if (first.op == Op::store || first.op == Op::unlock || first.op == Op::load) return;
    if (!would_write(first.op, first.expected, seen)) return;
    // The causal past of `other`, once it reads what r reads.
    past_.assign(run_.threads(), 0);
    const auto join = [&](Ref ref) {
      for (ThreadId t = 0; t < run_.threads(); ++t) past_[t] = std::max(past_[t], run_.clock(ref)[t]);
    };
    if (index_of(other) > 0) join(make_ref(thread, index_of(other) - 1));
    if (event.source != initial_write) join(event.source);
    if (past_[thread_of(read)] > index_of(read) || past_[thread] > index_of(other)) return;
    const auto* const past = past_.data();
    if (thread == thread_of(read)) return;
    Change changes[2] = {{.ref = other,
                          .effect = consistency::Effect::read_modify_write,
                          .location = event.location,
                          .source = event.source},
                         {}};
    if (event.op == Op::lock) return propose_change(call, position, past, {changes, 1}, other);
    const bool is_lock = first.op == Op::lock || first.op == Op::try_lock;
    const auto written = is_lock ? std::int64_t{thread} + 1 : modified(first.op, seen, first.operand);
    changes[1] = {
        .ref = read, .effect = changed_effect(event, written), .location = event.location, .source = other};
    propose_change(call, position, past, {changes, 2}, other);
  }

  static std::uint8_t changed_effect(const RunEvent& event, std::int64_t seen) {
    if (event.op == Op::load) return consistency::Effect::load;
    return would_write(event.op, event.expected, seen) ? consistency::Effect::read_modify_write
                                                       : consistency::Effect::locked_load;
  }

  // The sequence up to the read (without it, if it is not among the changes), the events of `past` behind it,
  // then `first`, if any.
  void propose_change(const Call& call, std::uint32_t position, const std::uint32_t* past,
                      std::span<const Change> changes, Ref first) {
    const auto read = call.sequence[position].ref;
    const bool without_read = changes.back().ref != read;
    kept_ = before_;
    if (without_read) --kept_[thread_of(read)];
    key_.clear();
    key_.push_back(without_read ? left_out : changes.back().source);
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      const auto prefix = kept_[t];
      if (past != nullptr) kept_[t] = std::max(prefix, past[t]);
      const auto& events = run_.events(t);
      for (auto i = prefix; i < kept_[t]; ++i) {
        if (events[i].reads()) key_.push_back(events[i].source);
        if (!events[i].chooses()) continue;
        key_.push_back(static_cast<std::uint32_t>(events[i].read));
        key_.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(events[i].read) >> 32));
      }
      if (first != initial_write && thread_of(first) == t) {
        ++kept_[t];
        key_.push_back(changes.front().source);
      }
      key_.push_back(kept_[t]);
    }
    auto& set = sets_[call.sequence[position].set];
    if (set.knows(key_)) return;
    const auto nearby = nearby_.find(kept_, changes, accesses_[changes.front().location]);
    if (nearby == Nearby::impossible) return;
    if (nearby == Nearby::unknown && !realiser_.realisable(kept_, changes)) return;

    proposal_.without_read = without_read;
    std::fill_n(proposal_.changed, 2, initial_write);
    for (std::size_t i = 0; i < changes.size(); ++i) proposal_.changed[i] = changes[i].ref;
    proposal_.tail.clear();
    for (auto i = position + 1; i < call.sequence.size(); ++i) {
      const auto ref = call.sequence[i].ref;
      if (ref != first && past != nullptr && index_of(ref) < past[thread_of(ref)])
        proposal_.tail.push_back(ref);
    }
    if (first != initial_write) proposal_.tail.push_back(first);
    if (nearby == Nearby::found) {
      nearby_.witness(proposal_.witness);
    } else {
      realiser_.witness(proposal_.witness);
    }
    add_to(set, [&](ScheduleSet& to) { to.add(key_, proposal_); });
  }

  [[nodiscard]] std::uint64_t memory_used() const {
    std::uint64_t bytes = run_.machine().memory_used() + run_.memory_used() + realiser_.memory_used() +
                          final_.memory_used() + set_memory_ + sets_.capacity() * sizeof(ScheduleSet) +
                          calls_.capacity() * sizeof(Call) + scratch_memory_;
    for (const auto& call : calls_)
      bytes += call.sequence.capacity() * sizeof(Item) + call.sets.capacity() * sizeof(std::uint32_t);
    for (const auto& positions : position_) bytes += positions.capacity() * sizeof(std::uint32_t);
    for (const auto* schedule : {&schedule_, &proposal_})
      bytes += schedule->tail.capacity() * sizeof(Ref) + schedule->witness.capacity() * sizeof(Choice);
    return bytes;
  }

  Search& search_;
  Observer observer_;
  Run run_;
  Realiser<Run> realiser_;
  NearbyWitness<Run> nearby_;
  FinalStates<Run> final_;
  std::vector<Call> calls_;  // the first depth_ are open
  std::uint32_t depth_ = 0;
  std::vector<ScheduleSet> sets_;
  std::vector<std::uint32_t> free_sets_;
  std::uint64_t set_memory_ = 0;  // of all sets
  // Scratch of one call.
  std::vector<std::vector<std::uint32_t>> position_;  // by thread and index: place in the sequence
  std::vector<std::vector<std::uint32_t>> writes_;    // by location: places of what might be a source, sorted
                                                      // by thread, then in program order
  std::vector<std::vector<Ref>> accesses_;            // by location: its reads and writes
  std::vector<Location> touched_;
  std::vector<std::uint32_t> before_, kept_, past_, key_;
  Schedule schedule_, proposal_;
  std::uint64_t scratch_memory_ = 0;
  std::uint32_t work_ = 0;  // steps of proposals since the last look at the clock
};

}  // namespace heddle::checker::rf
