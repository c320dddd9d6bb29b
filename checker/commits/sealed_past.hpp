// What the future of a run depends on, where that is less than its events: for searches that remember states.
//
// The past of a run is *sealed* if whatever can still be committed reads, and follows in coherence order, newest writes
// only: those of the past, or later ones. Then no relation of the model leads from what comes later to the past. So all
// that decides the future is the newest value of each location, and for each thread where it is and what its locals
// are: two runs with sealed pasts and equal keys can be continued in the same ways. docs/algorithms.md has the proof.
//
// It is sealed if, of each thread, all that is committed comes before all that is not, in program order, and every
// location is clear to every thread that can continue. It is clear to a thread if
// - no thread has written to it, or
// - every access to it takes the newest write: locks, unlocks, and `fetch_...` (where one is committed as two events and its
//   read has seen another write, its write is dropped, and the run does not count); or
// - the thread itself has seen or written the newest write (coherence), or
// - the newest write, or a read of it, is before all later events of the thread by a full fence (`strong` of power.hpp).
//   A lock is such a fence, and what its thread does next comes after what the unlock before it comes after.
//
//   thread 0: lock m; d = 1; unlock m     d is clear to thread 1, which is at its lock: it will read what unlock
//   thread 1: lock m; r = d; unlock m     has written, or a later write, and then cannot read an older d.
//
// Programs in which threads lock mutexes, or fence what they share, come to such states again and again. Programs without
// fences mostly do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "checker/commits/ahead_threads.hpp"
#include "checker/commits/commit_machine.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// Whether what the search looks for can be told from the ends of runs, whatever their pasts. Not data races, nor whether a
// daemon looked last, nor what a failed assumption leaves out.
[[nodiscard]] inline bool may_forget(const Image& image) {
  const bool any_daemon = std::ranges::any_of(image.threads, &compiler::ThreadImage::is_daemon);
  const bool any_plain = std::ranges::any_of(image.locations, &compiler::LocationImage::is_plain);
  return !image.assumes && !any_daemon && !any_plain;
}

// Machines of which it can be told.
template <typename M>
concept SealsPasts = RunsAhead<M> && !LeavesMemoryOpen<M>;

template <SealsPasts Machine>
class SealedPast {
 public:
  using Set = typename Machine::Set;
  using Event = typename Machine::Model::Event;

  explicit SealedPast(Machine& machine) : machine_(machine) {}

  // If the past is sealed, `words` becomes the key of the state. No key begins with another one. O(threads * locations * events of a
  // thread).
  [[nodiscard]] bool key(std::vector<std::uint64_t>& words);
  // Of a sealed past: the events that commit-before puts before all later writes to the location of threads with `writes(t)`.
  template <typename Writes>
  [[nodiscard]] Set before_later_writes(Location location, Writes&& writes) const;

 private:
  [[nodiscard]] bool sealed() const;
  [[nodiscard]] bool in_order(ThreadId t) const;
  [[nodiscard]] bool may_continue(ThreadId t) const { return first_open(t).event(); }
  [[nodiscard]] bool all_clear(ThreadId t) const;
  [[nodiscard]] bool has_met(ThreadId t, Location location, EventId newest) const;
  [[nodiscard]] Set before_all_later(ThreadId t) const;
  [[nodiscard]] Set before_later_writes(ThreadId t, Location location) const;
  template <Set Event::*row>
  void add_rows(const Request& request, Set& set) const;
  template <Set Event::*row>
  void add_rows(ThreadId t, std::uint32_t end, Set& set) const;
  template <Set Event::*row>
  void add_rows_before_lock(const Request& lock, Set& set) const;
  void append(ThreadId t, std::vector<std::uint64_t>& words) const;

  // The first request of the thread that is not committed. It may be where the thread has ended.
  [[nodiscard]] const Request& first_open(ThreadId t) const {
    return machine_.requests(t)[machine_.first_open(t)];
  }

  Machine& machine_;
};

template <SealsPasts Machine>
bool SealedPast<Machine>::key(std::vector<std::uint64_t>& words) {
  if (!sealed()) return false;
  machine_.clean();
  words.clear();
  for (Location location = 0; location < machine_.image().locations.size(); ++location)
    words.push_back(static_cast<std::uint64_t>(machine_.newest_value(location)));
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) append(t, words);
  return true;
}

template <SealsPasts Machine>
bool SealedPast<Machine>::sealed() const {
  if (machine_.any_violation()) return false;
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (!in_order(t)) return false;
  }
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (may_continue(t) && !all_clear(t)) return false;
  }
  return true;
}

// Whether the committed events of the thread come before all others. (The store of a read-modify-write whose read is
// committed is tied to that.)
template <SealsPasts Machine>
bool SealedPast<Machine>::in_order(ThreadId t) const {
  const auto& requests = machine_.requests(t);
  return !first_open(t).write_half() &&
         std::none_of(requests.begin() + machine_.first_open(t), requests.end(),
                      [](const Request& request) { return request.committed || request.dropped; });
}

template <SealsPasts Machine>
bool SealedPast<Machine>::all_clear(ThreadId t) const {
  const auto& model = machine_.model();
  std::optional<Set> before;
  for (Location location = 0; location < machine_.image().locations.size(); ++location) {
    const auto& image = machine_.image().locations[location];
    const EventId newest = machine_.newest_write(location);
    if (newest < 0 || (image.is_chain && !image.is_loaded) || has_met(t, location, newest)) continue;
    if (!before) before = before_all_later(t);
    if (!before->contains(static_cast<ProcessId>(newest)) && !before->intersects(model.readers(newest)))
      return false;
  }
  return true;
}

// Whether the thread's last access to the location was to its newest write.
template <SealsPasts Machine>
bool SealedPast<Machine>::has_met(ThreadId t, Location location, EventId newest) const {
  const auto& requests = machine_.requests(t);
  for (std::uint32_t i = machine_.first_open(t); i-- > 0;) {
    if (!requests[i].access() || requests[i].location != location) continue;
    const EventId last = requests[i].write;
    return last == newest || (last == no_event && machine_.model()[requests[i].read].source == newest);
  }
  return false;
}

// Events that a full fence puts before each later event of the thread: that will be in `strong` of these.
template <SealsPasts Machine>
auto SealedPast<Machine>::before_all_later(ThreadId t) const -> Set {
  Set result;
  const Request& next = first_open(t);
  add_rows<&Event::propbase_star>(t, next.before_sync, result);
  if (next.op == Op::lock) add_rows_before_lock<&Event::propbase_star>(next, result);
  return result;
}

template <SealsPasts Machine>
template <typename Writes>
auto SealedPast<Machine>::before_later_writes(Location location, Writes&& writes) const -> Set {
  std::optional<Set> result;
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (!writes(t) || !may_continue(t)) continue;
    const Set before = before_later_writes(t, location);
    result = result ? *result & before : before;
  }
  return result.value_or(Set());
}

template <SealsPasts Machine>
auto SealedPast<Machine>::before_later_writes(ThreadId t, Location location) const -> Set {
  Set result;
  const Request& next = first_open(t);
  add_rows<&Event::commit_before>(t, std::max(next.before_sync, next.before_lightweight), result);
  for (std::uint32_t i = 0; i < machine_.first_open(t); ++i) {
    const Request& own = machine_.requests(t)[i];
    if (own.location == location) add_rows<&Event::commit_before>(own, result);
  }
  // (A lock's own source is no part of its prefix.)
  if (next.op == Op::lock && next.location != location)
    add_rows_before_lock<&Event::commit_before>(next, result);
  return result;
}

template <SealsPasts Machine>
template <typename SealedPast<Machine>::Set SealedPast<Machine>::Event::*row>
void SealedPast<Machine>::add_rows(const Request& request, Set& set) const {
  if (!request.access()) return;
  for (const EventId id : {request.read, request.write}) {
    if (id != no_event) set |= machine_.model()[id].*row;
  }
}

// Of the first requests of the thread.
template <SealsPasts Machine>
template <typename SealedPast<Machine>::Set SealedPast<Machine>::Event::*row>
void SealedPast<Machine>::add_rows(ThreadId t, std::uint32_t end, Set& set) const {
  for (std::uint32_t i = 0; i < end; ++i) add_rows<row>(machine_.requests(t)[i], set);
}

// What comes after the lock is after the write that it will read, and after all that this is after. If the mutex is taken, its
// owner has to unlock it first, and that is after all that the owner has done.
template <SealsPasts Machine>
template <typename SealedPast<Machine>::Set SealedPast<Machine>::Event::*row>
void SealedPast<Machine>::add_rows_before_lock(const Request& lock, Set& set) const {
  const EventId newest = machine_.newest_write(lock.location);
  if (newest < 0) return;
  const Event& last = machine_.model()[newest];
  if (last.value == 0) {
    set |= last.*row;
  } else {
    add_rows<row>(last.thread, machine_.first_open(last.thread), set);
  }
}

// What the thread does next: its block there, of the mailbox what the operation is and has as operands, and without the sets of
// loads so far, all of which have their values. (Where the thread has ended, the mailbox says how.) Whether it has begun is for
// equal threads, whose first events have an order (first_events.hpp).
template <SealsPasts Machine>
void SealedPast<Machine>::append(ThreadId t, std::vector<std::uint64_t>& words) const {
  const Request& next = first_open(t);
  words.push_back(std::uint64_t{next.site} << 32 | static_cast<std::uint64_t>(next.op) << 16 |
                  static_cast<std::uint64_t>(next.update) << 8 | (machine_.first_open(t) > 0 ? 1U : 0U));
  if (next.access()) words.push_back(next.location);
  const bool has_operands = next.op == Op::store || next.op == Op::choose || is_read_modify_write(next.op) ||
                            is_read_modify_write(next.update);
  if (has_operands) {
    words.push_back(static_cast<std::uint64_t>(next.value));
    words.push_back(static_cast<std::uint64_t>(next.expected));
  }
  const auto block = machine_.block(t, machine_.first_open(t));
  const auto add = [&](std::span<const std::byte> bytes) {
    const std::size_t begin = words.size();
    words.resize(begin + bytes.size() / sizeof(std::uint64_t));
    std::memcpy(words.data() + begin, bytes.data(), bytes.size());
  };
  add(block.first(compiler::mailbox_offset));
  add(block.subspan(compiler::dependencies_offset + sizeof(compiler::Dependencies)));
}

}  // namespace heddle::checker
