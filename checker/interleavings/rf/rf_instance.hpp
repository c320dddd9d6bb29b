// From a run to a consistency problem and back: which events of each thread are kept, what one or two of them
// read from instead, and the verifier's witness as a schedule of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "checker/interleavings/rf/rf_run.hpp"
#include "checker/state/rows.hpp"
#include "checker/verifier/verifier.hpp"

namespace heddle::checker::rf {

// An event that is another one in the new run: it reads from `source`. It may be one that its thread has only
// asked for so far.
struct Change {
  Ref ref = initial_write;
  std::uint8_t effect = 0;
  Location location = none;
  Ref source = initial_write;
};

// The write that a location ends with.
struct LastWrite {
  Location location = none;
  Ref write = initial_write;
};

template <typename Run>
class Realiser {
 public:
  explicit Realiser(const Run& run) : run_(run), offset_(run.threads()), dense_(run.locations(), none) {}

  // `stop` is asked every few thousand steps whether to give up; the answer is then no.
  void watch(std::function<bool()> stop) { verifier_.watch(std::move(stop)); }

  // Is there a run of the first kept[t] events of each thread, with these changes and last writes?
  [[nodiscard]] bool realisable(std::span<const std::uint32_t> kept, std::span<const Change> changes,
                                std::span<const LastWrite> last = {}) {
    build(kept, changes, last);
    return verifier_.verify(instance_, Run::model, consistency::UseClosure::when_stuck);
  }

  [[nodiscard]] std::size_t memory_used() const {
    return verifier_.memory_used() + instance_.events.capacity() * sizeof(consistency::Event) +
           refs_.capacity() * sizeof(Ref);
  }

  // The witness of the last call, as steps of the machine. The machine does the rest by itself: stores enter
  // their buffers and fences are passed as part of the step before.
  void witness(Schedule& schedule) const {
    schedule.clear();
    for (const auto& action : verifier_.witness()) {
      const auto ref = refs_[action.event];
      const auto thread = thread_of(ref);
      if (action.flush) {
        schedule.push_back({.type = StepType::flush, .thread = thread, .location = run_.event(ref).location});
        continue;
      }
      const bool pending = index_of(ref) == run_.events(thread).size();
      const auto effect = instance_.events[action.event].effect;
      if (!pending && run_.event(ref).chooses()) {
        schedule.push_back({.type = StepType::choice, .thread = thread, .value = run_.event(ref).read});
      } else if (is_step(effect)) {
        schedule.push_back({.type = StepType::operation, .thread = thread});
      }
    }
  }

 private:
  // Is the event a transition of the machine?
  [[nodiscard]] static bool is_step(std::uint8_t effect) {
    using consistency::Effect;
    if ((effect & Effect::reads) != 0 || (effect & Effect::direct) != 0) return true;
    return Run::model == consistency::Model::sc && (effect & Effect::writes) != 0;
  }

  void build(std::span<const std::uint32_t> kept, std::span<const Change> changes,
             std::span<const LastWrite> last) {
    instance_.clear();
    refs_.clear();
    std::uint32_t offset = 0;
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      offset_[t] = offset;
      offset += kept[t];
    }
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      const auto& events = run_.events(t);
      for (std::uint32_t i = 0; i < kept[t]; ++i) {
        const auto ref = make_ref(t, i);
        const Change* change = nullptr;
        for (const auto& candidate : changes) {
          if (candidate.ref == ref) change = &candidate;
        }
        refs_.push_back(ref);
        if (change != nullptr) {
          instance_.events.push_back({change->effect, dense(change->location), event_of(change->source)});
        } else {
          const auto& event = events[i];
          const auto location = event.location == none ? 0 : dense(event.location);
          instance_.events.push_back({event.effect, location, event_of(event.source)});
        }
      }
      instance_.end_thread();
    }
    for (const auto& end : last) instance_.final_writes.push_back({dense(end.location), event_of(end.write)});
    instance_.locations = static_cast<std::uint32_t>(used_.size());
    for (const auto location : used_) dense_[location] = none;
    used_.clear();
  }
  // The verifier counts the locations that occur.
  [[nodiscard]] std::uint32_t dense(Location location) {
    auto& number = dense_[location];
    if (number == none) {
      number = static_cast<std::uint32_t>(used_.size());
      used_.push_back(location);
    }
    return number;
  }
  [[nodiscard]] consistency::EventId event_of(Ref write) const {
    return write == initial_write ? consistency::initial : offset_[thread_of(write)] + index_of(write);
  }

  const Run& run_;
  consistency::Verifier verifier_;
  consistency::Instance instance_;
  std::vector<Ref> refs_;              // by event of the instance
  std::vector<std::uint32_t> offset_;  // by thread: its first event in the instance
  std::vector<std::uint32_t> dense_;   // by location: its number in the instance
  std::vector<Location> used_;
};

}  // namespace heddle::checker::rf
