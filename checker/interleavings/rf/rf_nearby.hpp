// Witnesses near the run that `rf` is looking at.
//
// A mutation keeps some events of the run and changes what the last kept event of one thread, or of two,
// reads. The run without the events that are left out, and without the changed ones, is a run still: nothing
// that is kept reads what is gone. So the changed events only need a place in it where memory holds what they
// are to read. Most mutations have one, and then no verifier is asked; the answer costs O(accesses to the
// location), and the new run starts as the old one does, so that little of it must be executed again. Two
// other answers are as cheap: two read-modify-writes that read the same write, and a source that the reader's
// causal past has seen overwritten, are in no run. Everything else is for the verifier.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/interleavings/rf/rf_instance.hpp"
#include "checker/interleavings/rf/rf_run.hpp"

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
                            std::span<const Ref> accesses) {
    kept_ = kept;
    changes_ = changes;
    source_ = changes[0].source;
    moved_ = initial_write;
    if (overwritten_in_past(accesses)) return Nearby::impossible;
    std::uint32_t low = 0;
    for (const auto& change : changes) low = std::max(low, earliest(change));
    const auto own = own_newest(changes[0]);
    const bool forwarded = own != initial_write && own == source_;
    if (own != initial_write && !forwarded) low = std::max(low, run_.event(own).in_memory_at);
    const auto begin = source_ == initial_write ? 0 : run_.event(source_).in_memory_at;
    if (!forwarded) low = std::max(low, begin);
    bool writes = false;
    for (const auto& change : changes) writes = writes || (change.effect & consistency::Effect::writes) != 0;
    auto high = never;
    bool readers = false;
    for (const auto ref : accesses) {
      if (!is_kept(ref)) continue;
      const auto& event = run_.event(ref);
      if (event.writes() && event.in_memory_at > begin) high = std::min(high, event.in_memory_at);
      if (!event.reads() || event.source != source_) continue;
      readers = true;
      if (!writes) continue;
      if (event.writes()) return Nearby::impossible;
      // A load that its own thread's buffer answered does not mind.
      if (source_ == initial_write || thread_of(ref) != thread_of(source_) || event.at > begin)
        low = std::max(low, event.at);
    }
    if (low < high && low != never) {
      place_ = std::min(high - 1, run_.machine().depth());
      return Nearby::found;
    }
    if (readers || forwarded || !movable(low)) return Nearby::unknown;
    moved_ = source_;
    place_ = run_.machine().depth();
    return Nearby::found;
  }

  // The run of the first kept[t] events of each thread, without any change.
  void part(std::span<const std::uint32_t> kept, Schedule& schedule) {
    kept_ = kept;
    changes_ = {};
    moved_ = initial_write;
    place_ = never;
    witness(schedule);
  }

  // The witness of the last call, which has found one.
  void witness(Schedule& schedule) const {
    const auto depth = run_.machine().depth();
    schedule.resize(depth + changes_.size() + 1);
    auto* next = schedule.data();
    for (std::uint32_t i = 0;; ++i) {
      if (i == place_) {
        if (moved_ != initial_write) *next++ = choice(run_.event(moved_).in_memory_at - 1);
        for (const auto& change : changes_)
          *next++ = {.type = StepType::operation, .thread = thread_of(change.ref)};
      }
      if (i == depth) break;
      const auto ref = run_.subject(i);
      if (is_kept(ref) && !(ref == moved_ && i + 1 == run_.event(ref).in_memory_at)) *next++ = choice(i);
    }
    schedule.resize(static_cast<std::size_t>(next - schedule.data()));
  }

 private:
  static constexpr std::uint32_t never = RunEvent::never;

  [[nodiscard]] Choice choice(std::uint32_t index) const {
    const auto& step = run_.machine().step(index);
    return {.type = step.type,
            .thread = step.thread,
            .location = step.access.location,
            .value = step.type == StepType::choice ? step.read : 0};
  }
  // Kept as it is?
  [[nodiscard]] bool is_kept(Ref ref) const {
    return index_of(ref) < kept_[thread_of(ref)] &&
           std::none_of(changes_.begin(), changes_.end(),
                        [&](const Change& change) { return change.ref == ref; });
  }
  // When everything is done that has to be before the event, but for what concerns its source.
  [[nodiscard]] std::uint32_t earliest(const Change& change) const {
    const auto& events = run_.events(thread_of(change.ref));
    auto index = index_of(change.ref);
    auto result = index > 0 ? events[index - 1].at : 0;
    if ((change.effect & consistency::Effect::drains) == 0) return result;
    while (index-- > 0) {
      if (events[index].writes()) result = std::max(result, events[index].in_memory_at);
      if ((events[index].effect & consistency::Effect::drains) != 0) break;
    }
    return result;
  }
  // The store that a load of the thread might find in its buffer.
  [[nodiscard]] Ref own_newest(const Change& change) const {
    const auto thread = thread_of(change.ref);
    const auto& events = run_.events(thread);
    for (auto index = index_of(change.ref); index-- > 0;) {
      if (events[index].writes() && events[index].location == change.location) return make_ref(thread, index);
      if ((events[index].effect & consistency::Effect::drains) != 0) break;
    }
    return initial_write;
  }
  // Is there a write that replaces the source in every run, before the reader's thread gets to the read?
  [[nodiscard]] bool overwritten_in_past(std::span<const Ref> accesses) const {
    const auto& change = changes_[0];
    if (index_of(change.ref) == 0) return false;
    const auto* const past = run_.clock(change.ref - 1);
    return std::any_of(accesses.begin(), accesses.end(), [&](Ref ref) {
      if (index_of(ref) >= past[thread_of(ref)] || ref == source_ || !run_.event(ref).writes()) return false;
      if (!visible(ref, thread_of(change.ref))) return false;
      return source_ == initial_write ||
             (index_of(source_) < run_.clock(ref)[thread_of(source_)] && visible(source_, thread_of(ref)));
    });
  }
  // A write in the causal past of an event of the thread: has the thread seen it, or reaches it memory before
  // a write of the thread to the same location? Under PSO stores do not become visible in program order, and
  // so the causal past may have one that is still in its buffer.
  [[nodiscard]] bool visible(Ref write, ThreadId thread) const {
    return Run::model != consistency::Model::pso || thread_of(write) == thread ||
           (run_.event(write).effect & consistency::Effect::direct) != 0;
  }
  // May the source reach memory last, with the changed events behind it? It has no reader yet; it must not be
  // part of a read, and nothing of its thread may come later.
  [[nodiscard]] bool movable(std::uint32_t low) const {
    if (source_ == initial_write || low == never) return false;
    const auto& event = run_.event(source_);
    if (event.reads() || event.in_memory_at == never) return false;
    return index_of(source_) + 1 == kept_[thread_of(source_)] &&
           std::none_of(changes_.begin(), changes_.end(),
                        [&](const Change& change) { return thread_of(change.ref) == thread_of(source_); });
  }

  const Run& run_;
  std::span<const std::uint32_t> kept_;
  std::span<const Change> changes_;
  Ref source_ = initial_write;
  Ref moved_ = initial_write;  // the source, if it goes to the end
  std::uint32_t place_ = 0;    // the changed events follow that many steps of the run
};

}  // namespace heddle::checker::rf
