// The final states of one reads-from class.
//
// A class says which write every read sees, but not which of the concurrent writes to a location is the last.
// So before a `final` block, a condition, an outcome or an await that waits for ever is judged, the possible
// last writes are enumerated: each location that more than one thread writes may end with the newest write of
// any of them, if the verifier finds a run of the class that does.
//   - The `final` block's reads are taken as reads of a last thread, as if it had joined all the others:
//     an execution is counted for each combination of writes that they see.
//     The same goes for the guards that a daemon does not wait at, if it waits in an `either`.
//   - Conditions and outcomes are judged for every distinct final memory of the locations that they look at; they
//     multiply no counts.
//   - A class whose threads all wait is a deadlock if some final memory lets every await fail.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "checker/interleavings/rf/run.hpp"
#include "checker/search/final_reads.hpp"

namespace heddle::checker::rf {

template <typename Run>
class FinalStates {
 public:
  FinalStates(Run& run, Realiser<Run>& realiser, Search& search)
      : run_(run),
        realiser_(realiser),
        search_(search),
        newest_(run.locations()),
        judged_locations_(run.locations(), search.options().collect_outcomes) {
    for (const auto& condition : search.image().conditions) {
      for (const auto location : condition.locations) judged_locations_[location] = true;
    }
  }

  [[nodiscard]] std::size_t memory_used() const {
    constexpr std::size_t node = 10 * sizeof(void*);  // of the set, the vector and the heap
    return judged_.size() * (node + memory_.size() * sizeof(memory_[0]));
  }

  // The run is complete: counts its class and judges its final states.
  void complete() {
    const auto& image = search_.image();
    memory_ = run_.machine().memory();
    if (!image.final_block && image.conditions.empty() && !search_.options().collect_outcomes) {
      judge();
      search_.count_execution();
      return;
    }
    collect_writes();
    run_final_block_with();
  }
  // The same of a run in which only daemons wait. False if none of the final memories lets each of them have
  // looked last.
  [[nodiscard]] bool complete_with_daemons() {
    auto& machine = run_.machine();
    memory_ = machine.memory();
    collect_writes();
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      if (machine.threads().mailbox(t).op == Op::await_failed && !looks_last(t)) return false;
    }
    if (!last_.empty() && !realiser_.realisable(kept_, {}, last_)) return false;
    return complete_if_none_can_continue(0);
  }

  struct Waiting {
    std::optional<Schedule> deadlock;  // a run after which every thread waits for ever
    ThreadId too_early = none;         // one whose await would hold by now after some run
  };
  // For a run after which all threads that have not finished wait.
  [[nodiscard]] Waiting waiting() {
    memory_ = run_.machine().memory();
    collect_writes();
    Waiting result;
    judge_waiting(result);
    return result;
  }

 private:
  // Collects, for each location, the writes that may be the last.
  void collect_writes() {
    for (const auto location : written_) newest_[location].clear();
    written_.clear();
    kept_.clear();
    last_.clear();
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      const auto& events = run_.events(t);
      kept_.push_back(static_cast<std::uint32_t>(events.size()));
      for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (!events[i].writes()) continue;
        auto& newest = newest_[events[i].location];
        if (newest.empty()) written_.push_back(events[i].location);
        const auto write = name_of(t, i);
        if (!newest.empty() && thread_of(newest.back()) == t) {
          newest.back() = write;
        } else {
          newest.push_back(write);
        }
      }
    }
    open_.clear();
    for (const auto location : written_) {
      if (newest_[location].size() > 1 && judged_locations_[location] &&
          !search_.image().locations[location].is_mutex)
        open_.push_back(location);
    }
  }
  [[nodiscard]] bool open(Location location) const {
    if (newest_[location].size() < 2 || search_.image().locations[location].is_mutex) return false;
    return std::none_of(last_.begin(), last_.end(),
                        [&](const LastWrite& last) { return last.location == location; });
  }
  // Calls `use` for every write that the location may end with, given the last writes decided before.
  template <typename Use>
  void for_each_last(Location location, Use&& use) {
    const auto before = memory_[location];
    for (const auto write : newest_[location]) {
      if (search_.stopped()) break;
      last_.push_back({location, write});
      memory_[location] = run_.event(write).written;
      if (realiser_.realisable(kept_, {}, last_)) use();
      last_.pop_back();
    }
    memory_[location] = before;
  }
  // A schedule with these last writes, from the last request to the realiser.
  [[nodiscard]] Schedule schedule() {
    if (last_.empty()) return run_.machine().schedule();
    Schedule result;
    realiser_.witness(result);
    return result;
  }

  // Decides that the writes that the waiting thread looked at last are the last ones. False if they cannot be, or if its
  // wait counts elsewhere.
  [[nodiscard]] bool looks_last(ThreadId t) {
    if (!waits_in_first_alternative(run_.machine().threads().mailbox(t))) return false;
    std::vector<EventName> reads;  // newest first
    for (auto i = static_cast<std::uint32_t>(run_.events(t).size()); i > 0; --i) {
      if (run_.events(t)[i - 1].reads()) reads.push_back(name_of(t, i - 1));
    }
    const auto count = reads_of_last_look(
        [&](std::uint32_t i) -> Look {
          if (i >= reads.size()) return {};
          const auto& read = run_.event(reads[i]);
          return {read.location, run_.value_of(read.source, read.location)};
        },
        [&](auto&& read) { return run_.machine().await_holds(t, read, compiler::own_alternative); });
    for (std::uint32_t i = 0; i < count.value_or(0); ++i) {
      const auto& read = run_.event(reads[i]);
      const auto& newest = newest_[read.location];
      if (read.source == initial_write ? !newest.empty()
                                       : std::find(newest.begin(), newest.end(), read.source) == newest.end())
        return false;
      if (newest.size() < 2) continue;
      const auto decided = std::find_if(
          last_.begin(), last_.end(), [&](const LastWrite& last) { return last.location == read.location; });
      if (decided == last_.end()) {
        last_.push_back({read.location, read.source});
        memory_[read.location] = run_.value_of(read.source, read.location);
      } else if (decided->write != read.source) {
        return false;
      }
    }
    return count.has_value();
  }

  // Whether the await of the thread holds in final memory. `asked`: the first location that it looks at whose last
  // write is not decided.
  [[nodiscard]] bool await_holds(ThreadId t, std::uint32_t& asked) {
    return run_.machine().await_holds(t, [&](Location location) {
      if (asked == none && open(location)) asked = location;
      return memory_[location];
    });
  }
  // Completes the run of complete_with_daemons for each of the last writes that other alternatives look at, where a
  // daemon waits in an `either`. False if some daemon could continue in every case.
  bool complete_if_none_can_continue(ThreadId first) {
    auto& machine = run_.machine();
    for (ThreadId t = first; t < run_.threads(); ++t) {
      if (machine.threads().mailbox(t).op != Op::await_failed) continue;
      std::uint32_t asked = none;
      const bool holds = await_holds(t, asked);
      if (asked != none) {
        bool complete = false;
        for_each_last(asked, [&] { complete = complete_if_none_can_continue(t) || complete; });
        return complete;
      }
      if (holds) return false;
    }
    run_final_block_with();
    return true;
  }

  // Runs the `final` block again for each write that its next undecided read may see.
  void run_final_block_with() {
    const auto read = reads_.first_open(search_.image(), memory_, [&](Location x) { return open(x); });
    if (read != none) return for_each_last(read, [&] { run_final_block_with(); });
    ended_ = false;
    if (search_.image().conditions.empty() && !search_.options().collect_outcomes) {
      judge();
    } else {
      judged_.clear();
      judge_rest(0);
    }
    if (ended_) search_.count_execution();
  }
  void judge_rest(std::size_t next) {
    while (next < open_.size() && !open(open_[next])) ++next;
    if (next < open_.size()) return for_each_last(open_[next], [&] { judge_rest(next + 1); });
    if (judged_.insert(memory_).second) judge();
  }
  void judge() {
    if (search_.judge(memory_, run_.machine().threads().blocks(), [&] { return schedule(); })) ended_ = true;
  }

  void judge_waiting(Waiting& result) {
    if (result.deadlock && result.too_early != none) return;
    auto& machine = run_.machine();
    ThreadId too_early = none;
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      if (machine.threads().mailbox(t).op != Op::await_failed) continue;
      std::uint32_t asked = none;
      const bool holds = await_holds(t, asked);
      if (asked != none) return for_each_last(asked, [&] { judge_waiting(result); });
      if (holds && too_early == none) too_early = t;
    }
    if (too_early != none) result.too_early = too_early;
    if (too_early == none && !result.deadlock) result.deadlock = schedule();
  }

  Run& run_;
  Realiser<Run>& realiser_;
  Search& search_;
  std::vector<std::int64_t> memory_;            // with the last writes that are decided
  std::vector<std::vector<EventName>> newest_;  // by location: the newest write of each thread
  std::vector<bool> judged_locations_;          // those that conditions look at, or outcomes show
  std::vector<Location> written_;
  std::vector<Location> open_;  // of these and judged: those with several writes that may be the last
  std::vector<std::uint32_t> kept_;
  std::vector<LastWrite> last_;  // decided
  FinalReads reads_;
  std::set<std::vector<std::int64_t>> judged_;
  bool ended_ = false;  // the `final` block has come to its end since it was last set
};

}  // namespace heddle::checker::rf
