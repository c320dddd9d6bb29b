// What the future of a run depends on, where that is less than its events: for searches that remember states.
//
// The past of a run is *sealed* if whatever can still be committed reads, and follows in coherence order, newest writes
// only: those of the past, or later ones. Then no relation of the model leads from what comes later to the past. So all
// that decides the future is the newest value of each location, and for each thread where it is and what its locals
// are: two runs with sealed pasts and equal keys can be continued in the same ways. docs/algorithms.md has the proof.
//
// When is it sealed? Of each thread, let all that is committed come before all that is not, in program order. Then every
// location must be clear to every thread that can continue. It is clear to a thread if
// - no thread has written to it, or
// - every access to it takes the newest write: locks, unlocks, and read-modify-writes that always write; or
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
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

template <typename Machine>
class SealedPast {
 public:
  using Set = typename Machine::Set;

  explicit SealedPast(Machine& machine) : machine_(machine) {}

  // Whether what is asked about the program can be told from the ends of its runs, whatever their pasts. Not data races, nor
  // whether a daemon looked last, nor what was covered, nor what a failed assumption leaves out.
  [[nodiscard]] static bool may_forget(const Image& image) {
    return !image.assumes && image.coverage == nullptr &&
           std::none_of(image.threads.begin(), image.threads.end(),
                        [](const auto& thread) { return thread.is_daemon; }) &&
           std::none_of(image.locations.begin(), image.locations.end(),
                        [](const auto& location) { return location.is_plain; });
  }

  // If the past is sealed, `words` becomes the key of the state. O(threads * (locations + events of a thread)).
  [[nodiscard]] bool key(std::vector<std::uint64_t>& words);

 private:
  [[nodiscard]] bool sealed() const;
  [[nodiscard]] bool in_order(ThreadId t) const;
  [[nodiscard]] bool may_continue(ThreadId t) const { return first_open(t).event(); }
  [[nodiscard]] bool all_clear(ThreadId t) const;
  [[nodiscard]] bool has_met(ThreadId t, Location location, EventId newest) const;
  [[nodiscard]] Set before_all_later(ThreadId t) const;
  void add_before(ThreadId t, std::uint32_t count, Set& set) const;
  void append(ThreadId t, std::vector<std::uint64_t>& words) const;

  // The first request of the thread that is not committed. It may be where the thread has ended.
  [[nodiscard]] const Request& first_open(ThreadId t) const {
    return machine_.requests(t)[machine_.first_open(t)];
  }

  Machine& machine_;
  std::vector<std::int64_t> memory_;  // scratch
};

template <typename Machine>
bool SealedPast<Machine>::key(std::vector<std::uint64_t>& words) {
  if (!sealed()) return false;
  machine_.clean();
  memory_.resize(machine_.image().locations.size());
  machine_.final_memory(memory_);
  words.assign(memory_.begin(), memory_.end());
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) append(t, words);
  return true;
}

template <typename Machine>
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

// Whether what the thread has committed comes before all that it has not. (The store of a read-modify-write whose read is
// committed is tied to that.)
template <typename Machine>
bool SealedPast<Machine>::in_order(ThreadId t) const {
  const auto& requests = machine_.requests(t);
  return !first_open(t).write_half() &&
         std::none_of(requests.begin() + machine_.first_open(t), requests.end(),
                      [](const Request& request) { return request.committed || request.dropped; });
}

template <typename Machine>
bool SealedPast<Machine>::all_clear(ThreadId t) const {
  const auto& model = machine_.model();
  std::optional<Set> before;
  for (Location location = 0; location < machine_.image().locations.size(); ++location) {
    const auto& image = machine_.image().locations[location];
    const EventId initial = model.known(location);
    if (initial == no_event || (image.is_chain && !image.is_loaded)) continue;
    const EventId newest = model.newest(initial);
    if (newest < 0 || has_met(t, location, newest)) continue;
    if (!before) before = before_all_later(t);
    if (!before->contains(static_cast<ProcessId>(newest)) && !before->intersects(model.readers(newest)))
      return false;
  }
  return true;
}

// Whether the thread's last access to the location was to its newest write.
template <typename Machine>
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
template <typename Machine>
auto SealedPast<Machine>::before_all_later(ThreadId t) const -> Set {
  Set result;
  const Request& next = first_open(t);
  add_before(t, next.before_sync, result);
  if (next.op != Op::lock) return result;
  // What comes after the lock is after the write that it will read, and after all that this is after.
  const auto& model = machine_.model();
  const EventId initial = model.known(next.location);
  const EventId newest = initial == no_event ? no_event : model.newest(initial);
  if (newest == no_event || newest < 0) return result;
  const auto& last = model[newest];
  if (last.value == 0) {
    result |= last.propbase_star;
  } else {  // its owner has to unlock it first, which is after all that the owner has done
    add_before(last.thread, machine_.first_open(last.thread), result);
  }
  return result;
}

template <typename Machine>
void SealedPast<Machine>::add_before(ThreadId t, std::uint32_t count, Set& set) const {
  const auto& requests = machine_.requests(t);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!requests[i].access()) continue;
    for (const EventId id : {requests[i].read, requests[i].write}) {
      if (id != no_event) set |= machine_.model()[id].propbase_star;
    }
  }
}

// What the thread does next: its block there, without its mailbox, of which only operands count, and without the sets of
// loads so far, all of which have their values.
template <typename Machine>
void SealedPast<Machine>::append(ThreadId t, std::vector<std::uint64_t>& words) const {
  const Request& next = first_open(t);
  words.push_back((machine_.first_open(t) > 0 ? 1U : 0U) + (next.half() ? 2U : 0U));
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
