// Witnesses near the run that `rf` is looking at.
//
// A mutation keeps some events of the run and changes what the last kept event of one thread, or of two,
// reads. The run without the events that are left out, and without the changed ones, is still a run: nothing
// that is kept reads what is gone. So the changed events only need a place in it where memory holds what they
// are to read. Most mutations have one, and then no verifier is asked; the answer costs O(accesses to the
// location), and the new run starts as the old one does, so that little of it must be executed again. Two
// other answers are as cheap: no run has two read-modify-writes that read the same write, or a read of a
// write that the reader's causal past has seen overwritten. The verifier decides everything else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/interleavings/rf/run.hpp"

namespace heddle::checker::rf {

enum class Nearby : std::uint8_t { found, impossible, unknown };

template <typename Run>
class NearbyWitness {
 public:
  explicit NearbyWitness(const Run& run) : run_(run) {}

  // Looks for a run of the first kept[t] events of each thread with the changes. Every changed event is the
  // last that its thread keeps, all are of one location, and the second reads from the first. `accesses` has
  // the run's reads and writes of that location.
  [[nodiscard]] Nearby find(std::span<const std::uint32_t> kept, std::span<const Change> changes,
                            std::span<const EventName> accesses) {
    kept_ = kept;
    changes_ = changes;
    source_ = changes[0].source;
    moved_ = initial_write;
    if (overwritten_in_past(accesses)) return Nearby::impossible;
    const auto own = own_newest(changes[0]);
    const bool forwarded = own != initial_write && own == source_;  // out of the thread's own buffer
    Window window{.low = after_needs(own, forwarded)};
    if (!fit(accesses, window)) return Nearby::impossible;
    if (window.low < window.high && window.low != none) {
      place_ = std::min(window.high - 1, run_.machine().depth());
      return Nearby::found;
    }
    if (window.has_readers || forwarded || !movable(window.low)) return Nearby::unknown;
    moved_ = source_;
    place_ = run_.machine().depth();
    return Nearby::found;
  }

  // The run of the first kept[t] events of each thread, without any change.
  void part(std::span<const std::uint32_t> kept, Schedule& schedule) {
    kept_ = kept;
    changes_ = {};
    moved_ = initial_write;
    place_ = none;
    witness(schedule);
  }

  // The witness that the last call has found.
  void witness(Schedule& schedule) const {
    const auto depth = run_.machine().depth();
    schedule.resize(depth + changes_.size() + 1);
    auto* next = schedule.data();
    for (std::uint32_t i = 0;; ++i) {
      if (i == place_) {
        if (moved_ != initial_write) *next++ = choice(run_.event(moved_).in_memory_at - 1);
        for (const auto& change : changes_)
          *next++ = {.type = StepType::operation, .thread = thread_of(change.event)};
      }
      if (i == depth) break;
      const auto event = run_.subject(i);
      if (is_kept(event) && !(event == moved_ && i + 1 == run_.event(event).in_memory_at))
        *next++ = choice(i);
    }
    schedule.resize(static_cast<std::size_t>(next - schedule.data()));
  }

 private:
  // Where the changed events may stand: after at least `low` steps of the run, and before step `high`.
  struct Window {
    std::uint32_t low = 0;
    std::uint32_t high = none;
    bool has_readers = false;  // a kept event reads the source
  };

  [[nodiscard]] Choice choice(std::uint32_t index) const {
    const auto& step = run_.machine().step(index);
    return {.type = step.type,
            .thread = step.thread,
            .location = step.access.location,
            .value = step.type == StepType::choice ? step.read : 0};
  }
  // Whether the event is kept without a change.
  [[nodiscard]] bool is_kept(EventName event) const {
    return index_of(event) < kept_[thread_of(event)] &&
           std::none_of(changes_.begin(), changes_.end(),
                        [&](const Change& change) { return change.event == event; });
  }
  [[nodiscard]] std::uint32_t source_in_memory_at() const {
    return source_ == initial_write ? 0 : run_.event(source_).in_memory_at;
  }
  // The first place where everything has happened that the changed events wait for: what precedes them in
  // their threads, the source, and the reader's own newest write, which would hide the source in its buffer.
  [[nodiscard]] std::uint32_t after_needs(EventName own, bool forwarded) const {
    std::uint32_t place = 0;
    for (const auto& change : changes_) place = std::max(place, after_program_order(change));
    if (forwarded) return place;
    if (own != initial_write) place = std::max(place, run_.event(own).in_memory_at);
    return std::max(place, source_in_memory_at());
  }
  // Fits the window in between the accesses to the location that are kept: before the next write after the
  // source and, if a changed event writes, after the reads of the source. False if no run has the changes,
  // because two read-modify-writes would read the same write.
  [[nodiscard]] bool fit(std::span<const EventName> accesses, Window& window) const {
    const auto begin = source_in_memory_at();
    const bool writes = std::any_of(changes_.begin(), changes_.end(), [](const Change& change) {
      return (change.effect & consistency::Effect::writes) != 0;
    });
    for (const auto name : accesses) {
      if (!is_kept(name)) continue;
      const auto& event = run_.event(name);
      if (event.writes() && event.in_memory_at > begin)
        window.high = std::min(window.high, event.in_memory_at);
      if (!event.reads() || event.source != source_) continue;
      window.has_readers = true;
      if (!writes) continue;
      if (event.writes()) return false;
      // A load that its own thread's buffer has answered may come later, too.
      if (source_ == initial_write || thread_of(name) != thread_of(source_) || event.at > begin)
        window.low = std::max(window.low, event.at);
    }
    return true;
  }
  // The first place after all that precedes the event in its thread, with its stores if the event drains.
  [[nodiscard]] std::uint32_t after_program_order(const Change& change) const {
    const auto& events = run_.events(thread_of(change.event));
    auto index = index_of(change.event);
    auto result = index > 0 ? events[index - 1].at : 0;
    if ((change.effect & consistency::Effect::drains) == 0) return result;
    while (index-- > 0) {
      if (events[index].writes()) result = std::max(result, events[index].in_memory_at);
      if ((events[index].effect & consistency::Effect::drains) != 0) break;
    }
    return result;
  }
  // The store that the event, a load, might find in its thread's buffer.
  [[nodiscard]] EventName own_newest(const Change& change) const {
    const auto thread = thread_of(change.event);
    const auto& events = run_.events(thread);
    for (auto index = index_of(change.event); index-- > 0;) {
      if (events[index].writes() && events[index].location == change.location) return name_of(thread, index);
      if ((events[index].effect & consistency::Effect::drains) != 0) break;
    }
    return initial_write;
  }
  // Whether a write replaces the source in every run before the reader's thread gets to the read.
  [[nodiscard]] bool overwritten_in_past(std::span<const EventName> accesses) const {
    const auto& change = changes_[0];
    if (index_of(change.event) == 0) return false;
    const auto* const past = run_.clock(change.event - 1);
    return std::any_of(accesses.begin(), accesses.end(), [&](EventName other) {
      if (index_of(other) >= past[thread_of(other)] || other == source_ || !run_.event(other).writes())
        return false;
      if (!run_.visible(other, thread_of(change.event))) return false;
      return run_.comes_before(source_, other);
    });
  }
  // Whether the source may reach memory last, with the changed events after it. It has no reader yet; it must
  // not be a read-modify-write, and no event of its thread may come later.
  [[nodiscard]] bool movable(std::uint32_t low) const {
    if (source_ == initial_write || low == none) return false;
    const auto& event = run_.event(source_);
    if (event.reads() || event.in_memory_at == none) return false;
    return index_of(source_) + 1 == kept_[thread_of(source_)] &&
           std::none_of(changes_.begin(), changes_.end(),
                        [&](const Change& change) { return thread_of(change.event) == thread_of(source_); });
  }

  const Run& run_;
  std::span<const std::uint32_t> kept_;
  std::span<const Change> changes_;
  EventName source_ = initial_write;
  EventName moved_ = initial_write;  // the source, if it goes to the end
  std::uint32_t place_ = 0;          // the changed events follow this many steps of the run
};

}  // namespace heddle::checker::rf
