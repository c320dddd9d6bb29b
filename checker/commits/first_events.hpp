// Symmetry under POWER: a run represents all that permutations of equal threads (MachineOptions::twins) make of it.
//
// Threads run ahead, and their events are committed in any order that cb allows. So equal threads are ordered by one
// event only, the first in program order, and only where that is a lock or a read-modify-write of a location all of whose
// writes depend on the ones before (LocationImage::is_chain). Then these writes are one chain of reads-from, coherence
// and cb at once, and exactly one permutation of the threads puts their first events into the order of the threads. In
// the runs of this machine the first event of a thread comes after that of its *twin*, the thread before it in its
// class: it belongs to the prefix (cb) of the other one, and algorithms need not know why. Nothing in program order is
// before such an event, so it can be committed as soon as that of its twin has been, or waits for the same mutex.
// docs/algorithms.md has the proof.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/commits/ahead_threads.hpp"
#include "checker/commits/event_name.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

class FirstEvents {
 public:
  // `threads` have run ahead from their starts as far as they can.
  FirstEvents(const Image& image, const AheadThreads& threads, std::span<const std::uint32_t> twins) {
    for (ThreadId t = 0; t < twins.size(); ++t) {
      if (twins[t] == none) continue;
      const auto index = first_of(threads.requests(t));
      if (!index || !sorts(image, threads.requests(t)[*index])) continue;
      twins_.resize(twins.size(), none);
      first_.resize(twins.size(), none);
      place_.resize(twins.size(), 1);
      twins_[t] = twins[t];
      first_[t] = *index;
      place_[t] = place_[twins[t]] + 1;
    }
  }

  // The event that comes before this one because their threads are equal; EventName{} if none does.
  [[nodiscard]] EventName before(ThreadId t, std::uint32_t index) const {
    if (twins_.empty() || twins_[t] == none || first_[t] != index) [[likely]]
      return {};
    return {twins_[t], index};
  }
  // How many runs permutations make of one in which `committed(event)` says which events there are. Threads without
  // their first event have none.
  template <typename Committed>
  [[nodiscard]] std::uint64_t permutations(Committed&& committed) const {
    std::uint64_t result = 1;
    for (ThreadId t = 0; t < twins_.size(); ++t) {
      if (twins_[t] == none) continue;
      std::uint32_t alike = 1;  // threads that have done nothing, with it; they are the last of the class
      for (ThreadId u = t; twins_[u] != none && !committed(EventName{twins_[u], first_[u]}); u = twins_[u])
        ++alike;
      result = result * place_[t] / alike;
    }
    return result;
  }

 private:
  [[nodiscard]] static std::optional<std::uint32_t> first_of(const std::vector<Request>& requests) {
    for (std::uint32_t index = 0; index < requests.size(); ++index) {
      if (requests[index].event()) return index;
    }
    return std::nullopt;
  }
  [[nodiscard]] static bool sorts(const Image& image, const Request& first) {
    const bool writes = first.op == Op::lock || (is_read_modify_write(first.op) && !is_conditional(first.op));
    return writes && image.locations[first.location].is_chain;
  }

  // By thread; empty if no threads are sorted.
  std::vector<ThreadId> twins_;
  std::vector<std::uint32_t> first_;  // the index of the first event's request
  std::vector<std::uint32_t> place_;  // in the class, from 1
};

}  // namespace heddle::checker
